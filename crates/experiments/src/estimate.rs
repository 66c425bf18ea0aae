//! What a run will cost, before it is made. Rough: within a factor of two of what was measured on two cores of a 2023
//! server (`docs/performance.md`), so that nobody starts a week by mistake.

use veritas_defense::{EndorsementLaw, MemoryEstimate};

use crate::{Error, FeatureSpec, ModelKind, Spec, StructureSpec, Truth};

/// Floating-point operations a second that dense products reach on one core.
const FLOPS: f64 = 2.5e10;
/// Edge-column products a second.
const EDGES: f64 = 2.0e9;
/// What an epoch costs whatever the size, seconds.
const EPOCH: f64 = 1.5e-3;

/// Time on one core and memory of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Seconds on one core.
    pub seconds: f64,
    /// MiB.
    pub memory_mib: f64,
}

impl Estimate {
    /// For one run of `spec` on `truth`.
    ///
    /// # Errors
    /// Those of the law of the lists.
    pub fn of(spec: &Spec, truth: &Truth) -> Result<Self, Error> {
        let dataset = truth.dataset();
        let (nodes, edges) = (dataset.nodes() as f64, dataset.edges() as f64);
        let columns = match spec.features {
            FeatureSpec::FeatureFree { dimensions } => dimensions as f64,
            _ => dataset.dimensions() as f64,
        };
        let sparse = spec.features == FeatureSpec::Clean && spec.denoise.steps == 0;
        let present = if sparse { dataset.features().map_or(0.0, |f| f.entries() as f64) } else { nodes * columns };
        let width =
            spec.model.hidden as f64 * if spec.model.kind == ModelKind::Gat { spec.model.heads as f64 } else { 1.0 };
        let twice = if spec.model.kind == ModelKind::Sage { 2.0 } else { 1.0 };
        let epoch = 6.0 * present * width * twice / FLOPS + 12.0 * (nodes + 2.0 * edges) * width / EDGES + EPOCH;
        let hops = spec.denoise.steps as f64 * 2.0 * edges * columns / EDGES;
        // Where training stops early it mostly does so soon after its patience has run out once.
        let epochs = spec.training.patience.map_or(usize::MAX, |patience| 2 * patience).min(spec.training.epochs);
        let (mut seconds, mut bytes) = (epochs as f64 * epoch + hops, 4.0 * 4.0 * present + 5e7);
        if let StructureSpec::Lists { epsilon, levels, .. } = &spec.structure {
            let law = EndorsementLaw::new(*epsilon, usize::from(*levels))?;
            let needed = MemoryEstimate::new(dataset.nodes(), dataset.edges(), &law);
            bytes += needed.total() as f64;
            // About eight nanoseconds for each byte that is written and read again.
            seconds += 8e-9 * needed.total() as f64;
        }
        Ok(Self { seconds, memory_mib: bytes / f64::from(1 << 20) })
    }
}
