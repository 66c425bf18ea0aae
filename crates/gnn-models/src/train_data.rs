//! What a model is trained on.

use crate::{Error, Features};
use graph_denoise::CsrGraph;

/// A graph with features, labels and the two sets of nodes that training may look at.
///
/// All labels may be noisy. There is no test set: whoever holds the ground truth compares it with the predictions.
#[derive(Debug, Clone, Copy)]
pub struct TrainData<'a> {
    /// Who is connected to whom; a node's list is what it aggregates.
    pub graph: &'a CsrGraph,
    /// One row a node.
    pub features: &'a Features,
    /// One label a node, below `classes` wherever a set names the node; elsewhere never read.
    pub labels: &'a [u32],
    /// Labels by which the kept epoch is chosen, where they are others than `labels`.
    pub selection_labels: Option<&'a [u32]>,
    /// Number of classes.
    pub classes: usize,
    /// Nodes whose labels are fitted.
    pub train: &'a [u32],
    /// Nodes whose labels choose the kept epoch.
    pub validation: &'a [u32],
}

impl TrainData<'_> {
    /// The labels that choose the kept epoch.
    pub(crate) fn selection_labels(&self) -> &[u32] {
        self.selection_labels.unwrap_or(self.labels)
    }

    /// # Errors
    /// Everything that can be wrong with data; see [`Error`].
    pub(crate) fn check(&self, allow_unseen_classes: bool) -> Result<(), Error> {
        let nodes = self.graph.nodes();
        let shapes = [
            ("feature rows, one a node", nodes, self.features.nodes()),
            ("labels, one a node", nodes, self.labels.len()),
            ("selection labels, one a node", nodes, self.selection_labels().len()),
        ];
        for (what, expected, found) in shapes {
            if expected != found {
                return Err(Error::Shape { what, expected, found });
            }
        }
        if self.classes < 2 {
            return Err(Error::Setting { what: "number of classes", value: self.classes as f64, bound: "at least 2" });
        }
        if self.features.dimensions() == 0 {
            return Err(Error::Setting { what: "number of feature dimensions", value: 0.0, bound: "at least 1" });
        }
        self.features.check()?;
        check_set("training", self.train, self.labels, self.classes)?;
        check_set("validation", self.validation, self.labels, self.classes)?;
        check_set("validation", self.validation, self.selection_labels(), self.classes)?;
        let mut seen = vec![false; self.classes];
        for &node in self.train {
            seen[self.labels[node as usize] as usize] = true;
        }
        match seen.iter().position(|&seen| !seen) {
            Some(class) if !allow_unseen_classes => Err(Error::ClassUnseen { class, classes: self.classes }),
            _ => Ok(()),
        }
    }
}

fn check_set(set: &'static str, members: &[u32], labels: &[u32], classes: usize) -> Result<(), Error> {
    if members.is_empty() {
        return Err(Error::EmptySet { set });
    }
    let nodes = labels.len();
    let mut named = vec![false; nodes];
    for &node in members {
        let Some(&label) = labels.get(node as usize) else {
            return Err(Error::NodeOutOfRange { set, node, nodes });
        };
        if label as usize >= classes {
            return Err(Error::LabelOutOfRange { node, label, classes });
        }
        if std::mem::replace(&mut named[node as usize], true) {
            return Err(Error::NodeTwice { set, node });
        }
    }
    Ok(())
}
