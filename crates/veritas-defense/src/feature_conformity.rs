//! Conformity of feature reports: did users draw which features to report?
//!
//! An honest report has exactly m of d features, each set equally likely, so two users share a set with probability
//! 1/C(d, m). Fakes that all push the same features are too many in one place [papers.md 11.10, 4]. A set that many
//! fakes share is also some honest users' set, about n/C(d, m) of them: the test speaks of groups.

use std::collections::BTreeMap;

use crate::Error;
use crate::binomial::{binomial_upper_tail, log_mass};

/// For each user, P(at least as many others with the same set | everybody draws), from compressed sparse rows of the
/// reported features.
///
/// # Errors
/// [`Error::Size`] for a report that has not exactly `reported` features or rows that do not fit, [`Error::EntryOrder`]
/// where a feature is repeated or out of order, [`Error::UnknownNode`] for one outside 0 … `dimensions`.
pub fn feature_conformity(
    indptr: &[usize],
    features: &[u32],
    dimensions: usize,
    reported: usize,
) -> Result<Vec<f64>, Error> {
    let users = indptr.len().saturating_sub(1);
    let mut groups: BTreeMap<&[u32], Vec<usize>> = BTreeMap::new();
    for (user, ends) in indptr.windows(2).enumerate() {
        let row = features.get(ends[0]..ends[1]).unwrap_or_default();
        if row.len() != reported {
            let what = "features in a report";
            return Err(Error::Size { what, expected: reported, found: ends[1].saturating_sub(ends[0]) });
        }
        let id = user as u32;
        if let Some(&about) = row.iter().find(|&&feature| feature as usize >= dimensions) {
            return Err(Error::UnknownNode { user: id, about, nodes: dimensions });
        }
        if let Some(pair) = row.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(Error::EntryOrder { user: id, about: pair[1] });
        }
        groups.entry(row).or_default().push(user);
    }
    // C(d, m)·½^d is a binomial probability: the logarithm comes from there.
    let log_sets = log_mass(dimensions as u64, 0.5, reported as u64) + dimensions as f64 * std::f64::consts::LN_2;
    let rate = libm::exp(-log_sets).min(1.0);
    let mut p_values = vec![1.0; users];
    for members in groups.values().filter(|members| members.len() > 1) {
        let p_value = binomial_upper_tail(users as u64 - 1, rate, members.len() as u64 - 1);
        for &user in members {
            p_values[user] = p_value;
        }
    }
    Ok(p_values)
}
