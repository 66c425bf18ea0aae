//! Checked graph data sets: canonical files, splits, synthetic graphs.
//!
//! A [`Dataset`] is ground truth: graph, features, labels, and the public constants that go with them. It comes from a
//! file of the [`catalog`] ([`load`]), from a file of one's own ([`Dataset::read_npz`]) or from a generator
//! ([`BlockModel`], [`ContextualBlockModel`]). Whatever the way, the same checks stand before it: a data set that exists is well-formed.
//!
//! ```
//! use chacha20::ChaCha12Rng;
//! use chacha20::rand_core::SeedableRng;
//! use graph_datasets::{BlockModel, Scaling, Split};
//!
//! let mut rng = ChaCha12Rng::seed_from_u64(7);
//! let dataset = BlockModel { nodes: 400, ..BlockModel::default() }.generate(&mut rng)?;
//! let dataset = dataset.scaled(Scaling::PublicRange)?;
//! let split = Split::random(dataset.nodes(), 0.25, 0.25, &mut rng)?;
//! assert_eq!((split.train.len(), split.validation.len(), split.test.len()), (200, 100, 100));
//! # Ok::<(), graph_datasets::Error>(())
//! ```
//!
//! This crate opens no socket and reads no environment; it reads the paths that it is given.

mod catalog;
mod dataset;
mod error;
mod import;
mod locate;
mod npz;
mod range;
mod scale;
mod split;
mod split_file;
mod stats;
mod synthetic;
mod views;

pub use catalog::{Canonical, Card, RawFile, RawFormat, card, catalog, load};
pub use dataset::{Dataset, DatasetParts};
pub use error::Error;
pub use import::{Imported, OwnData, import_graphml, import_own, import_public, import_twitch_embedding, read_public};
pub use locate::{DATA_DIR_VARIABLE, SearchPath};
pub use range::FeatureRange;
pub use scale::Scaling;
pub use split::Split;
pub use stats::{FeatureStatistics, Statistics};
pub use synthetic::{BlockModel, ContextualBlockModel};
pub use views::LabelView;
