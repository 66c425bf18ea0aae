//! One run: users randomize, the server rectifies, propagates and trains, and the experimenter scores.

use std::time::Instant;

use gnn_models::Features;
use graph_denoise::{CsrMatrix, FeatureMatrix};
use ldp_core::{Bounds, MultiBitEncoder, MultiBitRectifier};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::environment::{peak_memory_mib, reset_peak_memory};
use crate::record::{Measured, Outcome, Record, Seconds, identity};
use crate::{Error, FeatureSpec, Scale, Seed, Settings, Spec, Truth};
