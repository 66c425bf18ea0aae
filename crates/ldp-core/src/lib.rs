//! Local randomizers, their rectifiers and their exact laws.
//!
//! A *randomizer* runs on the user's device and turns a value into a *report*; a *rectifier* runs on the server and
//! turns reports into unbiased estimates. Nobody in between needs to be trusted: the report itself is ε-private.
//!
//! # A device and a server
//!
//! ```
//! use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
//! use ldp_core::{Bounds, Epsilon, Loss, Budget, OneBit, Raw, Rectify, Report, Wire};
//!
//! /// Public: both sides build the same mechanism.
//! fn mechanism() -> Result<OneBit, ldp_core::Error> {
//!     OneBit::new(Epsilon::new(1.0)?, Bounds::new(0.0, 24.0)?)
//! }
//!
//! /// The device: charge first, then randomize, then send bytes.
//! fn device(user: u64, hours: f64, rng: &mut ChaCha12Rng) -> Result<Vec<u8>, ldp_core::Error> {
//!     let mechanism = mechanism()?;
//!     let mut budget = Budget::new(user, Epsilon::new(1.0)?, None);
//!     let permit = budget.reserve(Loss::of(&mechanism))?;
//!     Ok(Report::release(&mechanism, permit, Raw::new(&hours), rng)?.encode(&mechanism))
//! }
//!
//! /// The server: refuses what the mechanism cannot have sent, and averages the rest.
//! fn server(messages: &[Vec<u8>]) -> Result<(f64, f64), ldp_core::Error> {
//!     let mechanism = mechanism()?;
//!     let estimates: Vec<f64> =
//!         messages.iter().map(|m| Ok(mechanism.rectify(&mechanism.decode(m)?))).collect::<Result<_, ldp_core::Error>>()?;
//!     let n = estimates.len() as f64;
//!     Ok((estimates.iter().sum::<f64>() / n, (mechanism.worst_variance(1.0) / n).sqrt()))
//! }
//!
//! let mut rng = ChaCha12Rng::from_seed([1; 32]); // on a real device: seeded by the operating system
//! let messages: Vec<_> = (0..4000).map(|u| device(u, (u % 9) as f64, &mut rng)).collect::<Result<_, _>>()?;
//! let (mean, error) = server(&messages)?;
//! assert!((mean - 4.0).abs() < 5.0 * error);
//! # Ok::<(), ldp_core::Error>(())
//! ```
//!
//! # Which mechanism
//!
//! | value | mechanism | report | use it when |
//! |---|---|---|---|
//! | category | [`RandomizedResponse`] | category | few categories; labels |
//! | graded neighbour list | [`GradedListRandomizer`] | sparse list | ε protects one entry |
//! | number | [`OneBit`] | bit | ε below about 2, or the worst case counts |
//! | | [`Piecewise`], [`Hybrid`] | grid cell | larger ε, values near the middle |
//! | | [`SquareWave`] + [`Channel`] | grid cell | the distribution is wanted, not the mean |
//! | | [`GridLaplace`] | grid point | sums, a report that is the value plus noise |
//! | row of numbers | [`MultiBitEncoder`] | m indices, m bits | graphs' features; cheapest |
//! | | [`Sampled`] | m indices, m reports | the same with any scalar mechanism |
//! | | [`PrivUnit`] | seed | only the direction counts; least error |
//! | | [`GridGaussian`] | grid points | (ε, δ); with few non-zeros, sparse-clipped |
//! | privacy level | [`LevelChannel`] | output | the level itself is sensitive |
//! | any, budgets by tier | [`Tiers`] | the tier's | users may choose among public budgets |
//! | level and row | [`PrivateLevelEncoder`] | output, bits | PPGNN, sound |
//!
//! # What holds everywhere
//!
//! * Every finite law is a table of integer weights of 2⁶⁴ ([`weights`]), rounded toward less privacy loss: what is
//!   drawn is what is claimed, and [`FiniteRandomizer::achieved_epsilon`] is computed from the integers that are
//!   executed. Outputs lie on a public grid; no output tells the input by its bits.
//! * The number of random words does not depend on the value. Two mechanisms read a random number of them: [`PrivUnit`]
//!   tries seeds (how many is independent of the value **and** of the report), and [`GradedListRandomizer`] skips from
//!   one noisy entry to the next, for which there is
//!   [`randomize_constant_work`](GradedListRandomizer::randomize_constant_work).
//! * Values outside the public domain are refused with the bound, never clipped silently, never printed.
//! * Budgets are integers, charged before release ([`accountant`]); only a [`Permit`] makes a [`Report`].
//! * The generator is an argument (`CryptoRng`). Seeding it is up to the caller and part of the claim.
//! * Without default features the crate is `no_std` + `alloc`; `std` adds the shared [`accountant`] and its journal,
//!   `serde` the checked types and reports.
//!
//! # What is not promised
//!
//! * **Constant time to the cycle.** The number of random words is fixed (but for what is said above and for ties, which
//!   depend on the noise alone), and no draw rejects. Tables of noise are read at random places, though: who can watch
//!   the device's caches may learn about the noise of [`GridLaplace`], [`GridGaussian`], [`GradedListRandomizer`], and
//!   with it about the value.
//! * **Wiped memory.** Raw values, budgets and the generator's state stay in memory until it is used again; [`Raw`] only
//!   keeps a value from being printed or stored. The buffers are the caller's: wipe them there.
//! * **A good seed.** A generator with a seed that others know protects nothing.
//! * **The last 10⁻⁴³.** Every loop ends for any generator; where a law has no end, it is cut where its probability is
//!   below that ([`GridLaplace`] after 64 laps of its leading digit: e⁻¹⁰⁰⁰; [`PrivUnit`] after 100·e^ε seeds: e⁻¹⁰⁰).
//!
//! What a claim rests on is measured too: `cargo run -p ldp-core --release --example audit`.

#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

extern crate alloc;

pub mod accountant;
mod alias;
pub mod audit;
mod bounds;
mod budget;
pub mod disclosure;
pub mod distribution;
mod error;
pub mod gaussian;
pub mod graded_list;
pub mod hybrid;
mod index_sample;
pub mod laplace;
pub mod level;
pub mod multi_bit;
pub mod one_bit;
mod placement;
pub mod priv_unit;
pub mod private_level;
pub mod public_coin;
pub mod randomized_response;
mod randomizer;
pub mod report;
mod sample_size;
pub mod sampled;
mod survival;
pub mod tiers;
pub mod weights;
pub mod window;
pub mod window_mechanism;
pub mod wire;

#[cfg(feature = "std")]
pub use accountant::Accountant;
pub use accountant::{Budget, Loss, Permit};
pub use bounds::Bounds;
pub use budget::{Delta, Epsilon, Split};
pub use disclosure::{Deployment, Disclosure, disclosure};
pub use distribution::{Channel, EmOptions};
pub use error::Error;
pub use gaussian::GridGaussian;
pub use graded_list::{GradedList, GradedListRandomizer, GradedLists};
pub use hybrid::{Hybrid, HybridReport};
pub use laplace::GridLaplace;
pub use level::{LevelBudgets, LevelChannel};
pub use multi_bit::{MultiBitEncoder, MultiBitRectifier, MultiBitReport, MultiBitReports, SparseRows, Users};
pub use one_bit::OneBit;
pub use priv_unit::PrivUnit;
pub use private_level::{
    LevelRectifier, LeveledRow, PrivateLevelEncoder, PrivateLevelRectifier, PrivateLevelReport, PrivateLevelReports,
};
pub use public_coin::PublicCoin;
pub use randomized_response::{Estimate, RandomizedResponse, TransitionMatrix};
pub use randomizer::{FiniteRandomizer, Randomizer, Rectify, ScalarMechanism};
pub use report::{Memo, Raw, Report};
pub use sample_size::SampleSize;
pub use sampled::{Sampled, SampledReport};
pub use tiers::Tiers;
pub use window_mechanism::{Piecewise, SquareWave};
pub use wire::Wire;
