//! Which nodes train, which choose, which are scored.

use rand::Rng;
use rand::seq::SliceRandom;

use crate::Error;
use crate::dataset::check_nodes;

/// Three disjoint sets of nodes, each ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Nodes to learn from.
    pub train: Vec<u32>,
    /// Nodes to choose hyper-parameters and epochs by.
    pub validation: Vec<u32>,
    /// Nodes to score.
    pub test: Vec<u32>,
}

impl Split {
    /// Draws a uniform split, not stratified, over all nodes.
    ///
    /// `validation` and `test` are shares of the nodes, rounded down; the rest trains. The papers' 50/25/25 is
    /// `random(nodes, 0.25, 0.25, rng)`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when a share is not in (0, 1) or the two leave nothing, [`Error::TooFewNodes`] when a part
    /// would be empty.
    pub fn random<R: Rng + ?Sized>(nodes: usize, validation: f64, test: f64, rng: &mut R) -> Result<Self, Error> {
        for (what, share) in [("validation share", validation), ("test share", test)] {
            if !(share > 0.0 && share < 1.0) {
                return Err(Error::Parameter { what, bound: "above 0 and below 1".to_owned(), value: share });
            }
        }
        if validation + test >= 1.0 {
            let bound = "below 1 together with the other share".to_owned();
            return Err(Error::Parameter { what: "validation share", bound, value: validation });
        }
        let of = |share: f64| (nodes as f64 * share) as usize;
        let (validating, testing) = (of(validation), of(test));
        if validating == 0 || testing == 0 || validating + testing >= nodes {
            let at_least = (1.0 / validation.min(test)).ceil() as usize;
            return Err(Error::TooFewNodes { what: "a split with no part empty", nodes, at_least });
        }
        let mut order: Vec<u32> = (0..nodes as u32).collect();
        order.shuffle(rng);
        let mut train = order.split_off(validating + testing);
        let mut test = order.split_off(validating);
        let mut validation = order;
        for part in [&mut train, &mut validation, &mut test] {
            part.sort_unstable();
        }
        Ok(Self { train, validation, test })
    }

    /// Checks that every part is in range, ascending and not empty, and that no node is in two.
    ///
    /// # Errors
    /// [`Error::NodeList`], [`Error::SplitOverlap`], [`Error::TooFewNodes`] for an empty part.
    pub fn check(&self, nodes: usize) -> Result<(), Error> {
        let mut taken = vec![false; nodes];
        for (what, part) in [("training", &self.train), ("validation", &self.validation), ("test", &self.test)] {
            if part.is_empty() {
                return Err(Error::TooFewNodes { what: "each part of a split", nodes: 0, at_least: 1 });
            }
            check_nodes(what, part, nodes)?;
            for &node in part {
                if std::mem::replace(&mut taken[node as usize], true) {
                    return Err(Error::SplitOverlap { node });
                }
            }
        }
        Ok(())
    }
}
