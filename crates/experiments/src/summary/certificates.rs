//! What each method of a plan promises, with numbers, for features, labels and neighbour lists.

use veritas_defense::TrustModel;

use crate::{Epsilon, FeatureSpec, Plan, PlannedArm, Record, StructureSpec};

/// What one method protects and what not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The method.
    pub method: String,
    /// The data set, which says how many dimensions and list entries there are.
    pub dataset: String,
    /// What holds for a user's features and level.
    pub features: String,
    /// What the label spends on top, where it is private.
    pub labels: Option<String>,
    /// What holds for neighbour lists; that the graph is public where there are none.
    pub graph: String,
}

/// What each method protects and what not, one a method, data set and budget.
pub fn certificates(plan: &Plan, records: &[Record]) -> Vec<Certificate> {
    let mut certificates: Vec<Certificate> = Vec::new();
    for PlannedArm { name, spec, .. } in &plan.arms {
        let FeatureSpec::Private { mechanism } = &spec.features else { continue };
        let Some(record) = records.iter().find(|record| record.spec == *spec) else { continue };
        let Ok(features) = mechanism.claim(record.data.dimensions) else { continue };
        let graph = match &spec.structure {
            StructureSpec::Public => "the graph is public".to_owned(),
            StructureSpec::Lists { epsilon, trust, .. } => of_lists(*epsilon, trust, record.data.nodes),
        };
        let certificate = Certificate {
            method: name.clone(),
            dataset: spec.dataset.name().to_owned(),
            features,
            labels: spec.labels.epsilon().map(|epsilon| format!("its label adds {epsilon}")),
            graph,
        };
        if !certificates.contains(&certificate) {
            certificates.push(certificate);
        }
    }
    certificates
}

/// What lists promise. The grade of an edge costs more where it is computed from what others are or have.
fn of_lists(epsilon: Epsilon, trust: &TrustModel, nodes: usize) -> String {
    let entry = epsilon.nats();
    let whole = entry * (nodes as f64 - 1.0);
    match trust {
        TrustModel::CommonNeighbours => format!(
            "one list entry is {epsilon}-LDP, an edge is not, since grades count common neighbours: with c of them it moves \
             up to 2 + 4c entries, {} + {}c",
            2.0 * entry,
            4.0 * entry,
        ),
        TrustModel::FeatureSimilarity { .. } => format!(
            "one list entry is {epsilon}-LDP, an edge, which stands in two lists, {}, a whole list {whole}; grades compare \
             features, so lists say of a user's features what the ε of the features does not cover",
            2.0 * entry,
        ),
        _ => format!(
            "one list entry is {epsilon}-LDP, an edge, which stands in two lists, {}, a whole list {whole}, all edges of one \
             user {}",
            2.0 * entry,
            2.0 * whole,
        ),
    }
}

/// The certificates in words: one entry a method and data set, what changes with ε below it.
pub fn claims(plan: &Plan, records: &[Record]) -> Vec<String> {
    let mut groups: Vec<Vec<Certificate>> = Vec::new();
    let is_beside = |one: &Certificate, other: &Certificate| {
        (&one.method, &one.dataset, &one.labels, &one.graph)
            == (&other.method, &other.dataset, &other.labels, &other.graph)
    };
    for one in certificates(plan, records) {
        match groups.iter_mut().find(|group| is_beside(&group[0], &one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let entry = |group: Vec<Certificate>| {
        let Certificate { method, dataset, labels, graph, .. } = &group[0];
        let labels = labels.as_ref().map_or(String::new(), |labels| format!("; {labels}"));
        match group.as_slice() {
            [one] => format!("{method} on {dataset}: {}{labels}; {graph}.", one.features),
            several => {
                let budgets: String = several.iter().map(|one| format!("\n  * {}", one.features)).collect();
                format!("{method} on {dataset}; {graph}{labels}:{budgets}")
            }
        }
    };
    groups.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_costs_more_where_grades_are_computed_from_others() {
        let epsilon = Epsilon::new(5.0).expect("a budget");
        let of = |trust| of_lists(epsilon, &trust, 1501);
        for words in ["an edge, which stands in two lists, 10", "a whole list 7500", "all edges of one user 15000"] {
            assert!(of(TrustModel::Uniform).contains(words), "{words}");
        }
        let common = of(TrustModel::CommonNeighbours);
        assert!(common.contains("10 + 20c") && !common.contains("two lists, 10"), "{common}");
        assert!(of(TrustModel::FeatureSimilarity { full: 0.5 }).contains("does not cover"));
    }
}
