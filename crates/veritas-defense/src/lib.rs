//! Poisoning defence on randomized reports and the graph that they draw: VERITAS as printed, and made to work.
//!
//! Users send graded lists over all others, every entry through (κ+1)-ary randomized response; a fake can send what
//! it likes. The server sees the lists only. [`defend`] says which users and edges to keep and why each other one
//! went. Nothing on its side ever sees a true grade, and nothing in this crate but [`attack`] itself knows an attacker.
//!
//! ```
//! use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
//! use graph_datasets::BlockModel;
//! use ldp_core::Epsilon;
//! use veritas_defense::attack::{Attack, Knowledge};
//! use veritas_defense::{DefenceOptions, Detection, EndorsementLaw, TrustModel, World, defend, randomize_lists};
//!
//! let rng = |stream| { let mut rng = ChaCha12Rng::seed_from_u64(7); rng.set_stream(stream); rng };
//! let graph = BlockModel { nodes: 1000, ..BlockModel::default() }.generate(&mut rng(0))?.graph().clone();
//!
//! // Ten fakes befriend twelve users each. They know the protocol and nothing else.
//! let law = EndorsementLaw::new(Epsilon::new(5.0)?, 5)?;
//! let attack = Attack::naive(10, 12).plan(&Knowledge::of_protocol(1000, &law, 8.0), &mut rng(1))?;
//! let (joined, fake) = (attack.graph(&graph)?, attack.is_fake());
//!
//! // Users grade their neighbours, and every entry of every list goes through the randomizer.
//! let world = World { graph: &joined, fake: &fake, profiles: None };
//! let grades = attack.join(TrustModel::oracle_of_five(0.1).grades(world, 5, &mut rng(2))?)?;
//! let lists = randomize_lists(&grades, &law, &attack.bypasses(), 1 << 30, |user| rng(3 + u64::from(user)))?;
//!
//! // The server sees `lists` and knows `law`.
//! let defence = defend(&lists, &DefenceOptions::new(law))?;
//! let removed: Vec<u32> = defence.removals.iter().map(|removal| removal.node).collect();
//! let found = Detection::of(&removed, &fake);
//! assert!(found.recall() > 0.8 && found.honest_removed <= 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod as_printed;
pub mod attack;
mod binomial;
mod budget;
mod confidence;
mod conformity;
mod defence;
mod degree;
mod detectors;
mod discovery;
mod endorsement;
mod error;
mod feature_conformity;
mod imbalance;
mod lattice;
mod law;
mod memory;
mod metrics;
mod mutual;
mod population;
mod prune;
mod report;
mod suspicion;
mod tally;
mod trust;

pub use binomial::{binomial_lower_tail, binomial_upper_tail};
pub use budget::BudgetStatement;
pub use confidence::{EdgeRule, confidence};
pub use conformity::{Conformity, Oddity, conformity};
pub use defence::{Defence, DefenceOptions, DroppedEdge, EdgeReason, FamilyLevels, Reason, Removal, Stage, Statement};
pub use degree::{DegreeEstimate, degree_from_mutual_pairs, degree_from_own_list};
pub use detectors::{Detector, detect_all};
pub use discovery::benjamini_hochberg;
pub use endorsement::{EndorsementLists, UserList};
pub use error::Error;
pub use feature_conformity::feature_conformity;
pub use imbalance::{Imbalance, bernstein_tail, difference_law, family_wise_threshold, imbalance};
pub use lattice::{LatticeLaw, UpperTails};
pub use law::EndorsementLaw;
pub use memory::MemoryEstimate;
pub use metrics::{Detection, EdgeAccount};
pub use mutual::{Mutual, MutualPairs};
pub use population::Population;
pub use prune::{Signals, defend, defend_observed, defend_signals};
pub use report::randomize_lists;
pub use suspicion::{Behaviour, Suspicion, suspicion};
pub use tally::Tallies;
pub use trust::{TrueGrades, TrustModel, World};
