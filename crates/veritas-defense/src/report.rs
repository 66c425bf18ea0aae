//! The user's side: true grades in, randomized lists out.

use ldp_core::Randomizer;
use rand_core::CryptoRng;
use rayon::prelude::*;

use crate::{EndorsementLaw, EndorsementLists, Error, MemoryEstimate, TrueGrades};
