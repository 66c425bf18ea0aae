//! Conformity: did this user run the mechanism at all?
//!
//! Whatever a user's friends and grades, each of its n − 1 entries comes out as some grade with probability at least
//! ρ, and as any one grade with probability at least q. So an honest list has, in distribution, at least as many
//! non-zeros as Bin(n−1, ρ) and at least as many of each grade as Bin(n−1, q). The bounds hold for every degree, so no
//! degree is estimated.
//!
//! Only the user's own list is read. Counting entries that others leave unanswered, as Roy Chowdhury, Imola and
//! Chaudhuri do for degrees, would let silent fakes get their victims removed.

use rayon::prelude::*;

use crate::binomial::binomial_lower_tail;
use crate::{EndorsementLaw, Tallies};

/// What is odd about a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// Fewer non-zero entries than the randomizer alone would make.
    TooFewEntries,
    /// Fewer entries of this grade than the randomizer alone would make.
    GradeMissing(u8),
}

/// How well one list conforms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conformity {
    /// p-value over all κ + 1 tests, already multiplied by their number.
    pub p_value: f64,
    /// What is oddest.
    pub oddity: Oddity,
    /// The count that was seen.
    pub seen: u64,
    /// Its expectation under the randomizer alone.
    pub expected: f64,
}

/// Tests every list.
pub fn conformity(tallies: &Tallies, law: &EndorsementLaw) -> Vec<Conformity> {
    let others = tallies.nodes().saturating_sub(1) as u64;
    let (noise, lie) = (law.noise_rate(), law.lie());
    let tests = f64::from(law.levels()) + 1.0;
    let node = |v: usize| {
        let out = u64::from(tallies.out(v));
        let mut found = Conformity {
            p_value: binomial_lower_tail(others, noise, out),
            oddity: Oddity::TooFewEntries,
            seen: out,
            expected: others as f64 * noise,
        };
        for (&count, grade) in tallies.given(v).iter().zip(1_u8..) {
            let seen = u64::from(count);
            let p_value = binomial_lower_tail(others, lie, seen);
            if p_value < found.p_value {
                found =
                    Conformity { p_value, oddity: Oddity::GradeMissing(grade), seen, expected: others as f64 * lie };
            }
        }
        found.p_value = (found.p_value * tests).min(1.0);
        found
    };
    (0..tallies.nodes()).into_par_iter().map(node).collect()
}
