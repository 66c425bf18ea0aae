//! Conformity: did this user run the mechanism at all?
//!
//! Whatever a user's friends and grades, each of its n − 1 entries comes out as some grade with probability at least
//! ρ, and as any one grade with probability at least q. So an honest list has, in distribution, at least as many
//! non-zeros as Bin(n−1, ρ) and at least as many of each grade as Bin(n−1, q); and of its non-zeros at most
//! Bin(n−1, ρ) are left unanswered when friendship is mutual. The bounds hold for every degree, so no degree is
//! estimated [papers.md 11.10, 4; the inconsistency count of Roy Chowdhury, Imola and Chaudhuri].

use rayon::prelude::*;

use crate::binomial::{binomial_lower_tail, binomial_upper_tail};
use crate::{EndorsementLaw, MutualPairs, Tallies};

/// What is odd about a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// Fewer non-zero entries than the randomizer alone would make.
    TooFewEntries,
    /// Fewer entries of this grade than the randomizer alone would make.
    GradeMissing(u8),
    /// More entries that the other side does not return than the randomizer would make.
    Unanswered,
}

/// How well one list conforms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conformity {
    /// p-value over all κ + 2 tests, already multiplied by their number.
    pub p_value: f64,
    /// What is oddest.
    pub oddity: Oddity,
    /// The count that was seen.
    pub seen: u64,
    /// Its expectation under the randomizer alone.
    pub expected: f64,
}

/// Tests every list.
///
/// # Panics
/// When the two do not speak of the same nodes.
pub fn conformity(tallies: &Tallies, pairs: &MutualPairs, law: &EndorsementLaw) -> Vec<Conformity> {
    assert_eq!(tallies.nodes(), pairs.nodes(), "tallies and pairs of the same lists");
    let others = tallies.nodes().saturating_sub(1) as u64;
    let (noise, lie) = (law.noise_rate(), law.lie());
    let tests = f64::from(law.levels()) + 2.0;
    let node = |v: usize| {
        let out = u64::from(tallies.out(v));
        let unanswered = out - pairs.count(v) as u64;
        let mut found = Conformity {
            p_value: binomial_lower_tail(others, noise, out),
            oddity: Oddity::TooFewEntries,
            seen: out,
            expected: others as f64 * noise,
        };
        let mut consider = |p_value: f64, oddity, seen, rate: f64| {
            if p_value < found.p_value {
                found = Conformity { p_value, oddity, seen, expected: others as f64 * rate };
            }
        };
        for (&count, grade) in tallies.given(v).iter().zip(1_u8..) {
            let count = u64::from(count);
            consider(binomial_lower_tail(others, lie, count), Oddity::GradeMissing(grade), count, lie);
        }
        consider(binomial_upper_tail(others, noise, unanswered), Oddity::Unanswered, unanswered, noise);
        found.p_value = (found.p_value * tests).min(1.0);
        found
    };
    (0..tallies.nodes()).into_par_iter().map(node).collect()
}
