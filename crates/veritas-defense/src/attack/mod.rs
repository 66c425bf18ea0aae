//! The fake users that a defence is measured against [VERITAS, Alg. 1]. Nothing else in this crate imports this
//! module: a defence that can read the attacker is no defence.
//!
//! An attacker is built from parts: whom to befriend ([`Targets`]), how fakes stand to each other ([`Collusion`]), what
//! they say ([`Grading`]), whether they run the randomizer, and what features they report ([`FakeFeatures`]). What it
//! may know is in [`Knowledge`]: the protocol always, anything else only when the caller hands it over.

mod features;
mod injection;
mod knowledge;
mod links;
mod targets;

pub use features::{FakeFeatures, FakeProfile};
pub use injection::{Grading, Injection};
pub use knowledge::{FeatureProtocol, Knowledge};
pub use links::{Collusion, StealthProbability};
pub use targets::Targets;

use rand::Rng;

use crate::Error;

/// An attack, part by part.
#[derive(Debug, Clone, PartialEq)]
pub struct Attack {
    /// Number of fakes.
    pub fakes: usize,
    /// Honest users that each fake befriends.
    pub victims: usize,
    /// Which honest users.
    pub targets: Targets,
    /// Links among fakes.
    pub collusion: Collusion,
    /// What a fake says of its victims; of fellow fakes it says κ.
    pub grading: Grading,
    /// Whether fakes run the randomizer on their lists or send them as they are.
    pub randomizes: bool,
    /// Honest users that each fake grades 1 without being their neighbour.
    pub slandered: usize,
    /// What features they report.
    pub features: FakeFeatures,
}

impl Attack {
    /// The naive attack of the papers' notes: random victims, κ for each, three fellow fakes, lists randomized.
    pub fn naive(fakes: usize, victims: usize) -> Self {
        Self {
            fakes,
            victims,
            targets: Targets::Random,
            collusion: Collusion::Peers(3),
            grading: Grading::Highest,
            randomizes: true,
            slandered: 0,
            features: FakeFeatures::None,
        }
    }

    /// Plans the attack. Nothing of any honest user's data is read but what `knowledge` holds.
    ///
    /// # Errors
    /// [`Error::Range`] for counts that do not fit among the honest users, [`Error::Needs`] where a part needs
    /// knowledge that is not there.
    pub fn plan<R: Rng + ?Sized>(&self, knowledge: &Knowledge<'_>, rng: &mut R) -> Result<Injection, Error> {
        let honest = knowledge.honest as f64;
        Error::in_range("the number of fakes", self.fakes as f64, 0.0, f64::from(u32::MAX) - honest)?;
        Error::in_range("the number of victims of a fake", self.victims as f64, 0.0, honest)?;
        let others = honest - self.victims as f64;
        Error::in_range("the number of slandered users", self.slandered as f64, 0.0, others)?;
        let links = self.targets.choose(self.fakes, self.victims, knowledge, rng)?;
        let victims = links.iter().flatten().count();
        let (fellows, stealth) = self.collusion.link(self.fakes, victims, knowledge, rng)?;
        let features = self.features.make(&links, knowledge, rng)?;
        let rows = injection::rows(self, &links, &fellows, knowledge, rng);
        Ok(Injection { honest: knowledge.honest, links, fellows, rows, features, stealth, randomizes: self.randomizes })
    }
}
