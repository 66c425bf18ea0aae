//! Index sets that the server chooses: a hash of the user's number, known to everybody.
//!
//! Which dimensions a user reports does not depend on the data, so it may as well be public. Then a dishonest user
//! cannot choose the dimensions it attacks, and its influence on one coordinate is what honest users' is. Privacy is
//! unchanged: the bits alone carry ε.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::index_sample::IndexSampler;
use crate::{Error, MultiBitEncoder, MultiBitReport, Randomizer};

/// A server's public key for index sets; a new one for every collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicCoin {
    key: u64,
}

impl PublicCoin {
    /// With the server's key. It is no secret, but must be drawn after the users are enrolled.
    #[must_use]
    pub fn new(key: u64) -> Self {
        Self { key }
    }

    /// The dimensions that `user` reports, ascending.
    #[must_use]
    pub fn indices(&self, encoder: &MultiBitEncoder, user: u64) -> Vec<u32> {
        let mut state = mix(self.key ^ mix(user));
        let mut indices = vec![0; encoder.sampled()];
        // Words of SplitMix64 from a state that mixes key and user.
        let word = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(state)
        };
        IndexSampler::new(encoder.dimensions() as u32, encoder.sampled()).sample(word, &mut indices);
        indices
    }

    /// The user's side: bits for the public index set.
    ///
    /// # Errors
    /// As [`Randomizer::randomize`] of the encoder.
    pub fn randomize<R: CryptoRng + ?Sized>(
        &self,
        encoder: &MultiBitEncoder,
        user: u64,
        row: &[f32],
        rng: &mut R,
    ) -> Result<MultiBitReport, Error> {
        encoder.randomize_at(self.indices(encoder, user), row, rng)
    }

    /// Whether the report is one that this user may send.
    #[must_use]
    pub fn accepts(&self, encoder: &MultiBitEncoder, user: u64, report: &MultiBitReport) -> bool {
        encoder.accepts(report) && report.indices() == self.indices(encoder, user)
    }
}

/// The finaliser of SplitMix64.
pub(crate) fn mix(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
