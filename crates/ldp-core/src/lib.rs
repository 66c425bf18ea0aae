//! Local randomizers, their rectifiers and their exact laws.
//!
//! A *randomizer* runs on the user's device and turns a value into a *report*; a *rectifier* runs on the server and
//! turns reports into unbiased estimates. Nobody in between needs to be trusted: the report itself is ε-private.
//!
//! ```
//! use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
//! use ldp_core::{Epsilon, RandomizedResponse, Randomizer};
//!
//! // A thousand users hold one of four labels; label 2 twice as often as the others.
//! let mechanism = RandomizedResponse::new(Epsilon::new(2.0)?, 4)?;
//! let mut rng = ChaCha12Rng::from_seed([1; 32]);
//! let mut counts = [0_u64; 4];
//! for user in 0..1000_u32 {
//!     let label = [0, 1, 2, 2, 3][user as usize % 5];
//!     counts[mechanism.randomize(&label, &mut rng)? as usize] += 1; // the user's side
//! }
//! let shares = mechanism.estimate_frequencies(&counts)?; // the server's side
//! assert!((shares[2].value - 0.4).abs() < 5.0 * shares[2].variance.sqrt());
//! # Ok::<(), ldp_core::Error>(())
//! ```
//!
//! What is drawn is what is claimed: every finite law is a table of integer weights of 2⁶⁴ ([`weights`]), rounded
//! toward less privacy loss, and no float takes part in a draw.

#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

extern crate alloc;

mod bounds;
mod budget;
mod error;
pub mod graded_list;
pub mod hybrid;
mod index_sample;
pub mod multi_bit;
pub mod one_bit;
pub mod randomized_response;
mod randomizer;
mod sample_size;
pub mod sampled;
mod survival;
pub mod weights;
pub mod window;
pub mod window_mechanism;

pub use bounds::Bounds;
pub use budget::{Delta, Epsilon, Split};
pub use error::Error;
pub use graded_list::{GradedList, GradedListRandomizer, GradedLists};
pub use hybrid::{Hybrid, HybridReport};
pub use multi_bit::{MultiBitEncoder, MultiBitRectifier, MultiBitReport, MultiBitReports, SparseRows, Users};
pub use one_bit::OneBit;
pub use randomized_response::{Estimate, RandomizedResponse, TransitionMatrix};
pub use randomizer::{FiniteRandomizer, Randomizer, Rectify, ScalarMechanism};
pub use sample_size::SampleSize;
pub use sampled::{Sampled, SampledReport};
pub use window_mechanism::{Piecewise, SquareWave};
