//! Poisoning defence on randomized reports and the graph that they draw: VERITAS as printed, and made to work.
//!
//! Users send graded lists over all others, every entry through (κ+1)-ary randomized response; a fake can send what
//! it likes. The server sees the lists only. [`defend`] says which users and edges to keep and why each other one
//! went. Nothing on its side ever sees a true grade, and nothing in this crate but [`attack`] itself knows an attacker.

pub mod as_printed;
pub mod attack;
mod binomial;
mod budget;
mod confidence;
mod conformity;
mod defence;
mod degree;
mod discovery;
mod endorsement;
mod error;
mod imbalance;
mod lattice;
mod law;
mod memory;
mod metrics;
mod mutual;
mod population;
mod prune;
mod suspicion;
mod tally;
mod trust;

pub use binomial::{binomial_lower_tail, binomial_upper_tail};
pub use budget::BudgetStatement;
pub use confidence::{EdgeRule, confidence};
pub use conformity::{Conformity, Oddity, conformity};
pub use defence::{Defence, DefenceOptions, DroppedEdge, EdgeReason, FamilyLevels, Reason, Removal, Stage, Statement};
pub use degree::{DegreeEstimate, degree_from_mutual_pairs, degree_from_own_list};
pub use discovery::benjamini_hochberg;
pub use endorsement::{EndorsementLists, UserList};
pub use error::Error;
pub use imbalance::{Imbalance, bernstein_tail, difference_law, family_wise_threshold, imbalance};
pub use lattice::{LatticeLaw, UpperTails};
pub use law::EndorsementLaw;
pub use memory::MemoryEstimate;
pub use metrics::{Detection, EdgeAccount};
pub use mutual::{Mutual, MutualPairs};
pub use population::Population;
pub use prune::{defend, defend_observed};
pub use suspicion::{Behaviour, Suspicion, suspicion};
pub use tally::Tallies;
pub use trust::{TrueGrades, TrustModel, World};
