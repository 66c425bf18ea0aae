//! The seed tree: experiment → repeat → stage → user.
//!
//! Each node of the tree is 256 bits; a child is the hash of its parent and its name. Nothing is drawn from a parent, so
//! neither the order in which runs are made nor the number of threads changes a draw, and any run can be made alone.

use chacha20::ChaCha12Rng;
use rand::SeedableRng;
use sha2::{Digest, Sha256};

/// One node of the seed tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The root for an experiment's number. Zero is a seed like any other.
    pub fn root(number: u64) -> Self {
        Self(Sha256::new().chain_update(b"experiment\0").chain_update(number.to_le_bytes()).finalize().into())
    }

    /// The child of that name.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        let hash = Sha256::new().chain_update(self.0).chain_update(b"name\0").chain_update(name);
        Self(hash.finalize().into())
    }

    /// The child of that number.
    #[must_use]
    pub fn numbered(&self, number: u64) -> Self {
        let hash = Sha256::new().chain_update(self.0).chain_update(b"number\0").chain_update(number.to_le_bytes());
        Self(hash.finalize().into())
    }

    /// The generator of this node: ChaCha12, whose values are promised to stay.
    pub fn rng(&self) -> ChaCha12Rng {
        ChaCha12Rng::from_seed(self.0)
    }

    /// The first 64 bits, for interfaces that take a number.
    pub fn word(&self) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(word)
    }
}
