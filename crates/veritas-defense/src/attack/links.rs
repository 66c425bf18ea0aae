//! How fakes stand to each other: S_atk of [VERITAS, Alg. 1].

use std::collections::BTreeSet;

use rand::{Rng, RngExt};

use super::Knowledge;
use super::targets::distinct;
use crate::Error;

/// Links among fakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Collusion {
    /// None.
    Alone,
    /// Random pairs, as many as give each fake this many fellow fakes on average (all pairs where that is too much).
    Peers(usize),
    /// Each pair of fakes with the probability that keeps the mean degree (Devil's Hand), clipped to 0 … 1.
    Stealth,
}

/// Devil's Hand's probability of a link between two fakes, (⟨d⟩ − 2·|V_t|/|V_atk|)/(|V_atk| − 1) with |V_t| counted by
/// links. It is negative when a fake serves more than ⟨d⟩/2 victims, and then cannot hide them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StealthProbability {
    /// By the formula.
    pub wanted: f64,
    /// What was used: `wanted` clipped to 0 … 1.
    pub used: f64,
}

impl StealthProbability {
    /// For so many fakes with so many links to victims in all.
    pub fn new(mean_degree: f64, fakes: usize, victim_links: usize) -> Self {
        if fakes < 2 {
            return Self { wanted: 0.0, used: 0.0 };
        }
        let wanted = (mean_degree - 2.0 * victim_links as f64 / fakes as f64) / (fakes as f64 - 1.0);
        Self { wanted, used: wanted.clamp(0.0, 1.0) }
    }

    /// Whether the formula's value was no probability.
    pub fn clipped(&self) -> bool {
        self.wanted != self.used
    }
}

/// Links `(fake, fake)`, and the probability that they follow, where they follow one.
pub(super) type FellowLinks = (Vec<(u32, u32)>, Option<StealthProbability>);

impl Collusion {
    /// Links `(fake, fake)` by number of the fake, smaller first, ascending.
    pub(super) fn link<R: Rng + ?Sized>(
        self,
        fakes: usize,
        victim_links: usize,
        knowledge: &Knowledge<'_>,
        rng: &mut R,
    ) -> Result<FellowLinks, Error> {
        let mut links = BTreeSet::new();
        let mut stealth = None;
        match self {
            Self::Alone => {}
            Self::Peers(peers) => {
                let all = fakes * fakes.saturating_sub(1) / 2;
                for place in distinct((fakes * peers / 2).min(all), all, rng) {
                    links.insert(pair_at(place));
                }
            }
            Self::Stealth => {
                let most = f64::from(u32::MAX);
                let mean = Error::in_range("the mean degree", knowledge.mean_degree, 0.0, most)?;
                let probability = StealthProbability::new(mean, fakes, victim_links);
                stealth = Some(probability);
                for fake in 0..fakes as u32 {
                    for other in fake + 1..fakes as u32 {
                        if rng.random_bool(probability.used) {
                            links.insert((fake, other));
                        }
                    }
                }
            }
        }
        Ok((links.into_iter().collect(), stealth))
    }
}

/// The `place`-th pair `(smaller, larger)` when pairs are ordered by the larger, then the smaller.
fn pair_at(place: u32) -> (u32, u32) {
    let first = |larger: u64| larger * (larger - 1) / 2;
    let place = u64::from(place);
    let mut larger = ((1.0 + (1.0 + 8.0 * place as f64).sqrt()) / 2.0) as u64;
    while first(larger) > place {
        larger -= 1;
    }
    while first(larger + 1) <= place {
        larger += 1;
    }
    ((place - first(larger)) as u32, larger as u32)
}
