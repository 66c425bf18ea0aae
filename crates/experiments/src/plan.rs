//! A plan: arms × repeats. Every private arm brings its null controls with it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Error, FeatureSpec, Spec};

/// What one invocation runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Root of the seed tree.
    pub seed: u64,
    /// Runs of each arm; repeat r of all arms shares one split and one initial model.
    pub repeats: u32,
    /// The arms.
    #[serde(rename = "arm")]
    pub arms: Vec<Spec>,
}

impl Plan {
    /// Reads a plan from TOML. Unknown keys are refused.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::PlanFile`], and what [`check`](Self::check) finds.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(Error::file("cannot read", path))?;
        let plan: Self = toml::from_str(&text)
            .map_err(|source| Error::PlanFile { path: path.to_owned(), source: Box::new(source) })?;
        plan.check()?;
        Ok(plan)
    }

    /// The plan as TOML, every knob spelled out.
    ///
    /// # Errors
    /// [`Error::PlanText`].
    pub fn to_toml(&self) -> Result<String, Error> {
        Ok(toml::to_string(self)?)
    }

    /// Checks that there is something to run, that no arm stands there twice, and that each arm's knobs are in range.
    ///
    /// # Errors
    /// [`Error::EmptyPlan`], [`Error::RepeatedArm`], and what [`Spec::check`] finds.
    pub fn check(&self) -> Result<(), Error> {
        if self.arms.is_empty() || self.repeats == 0 {
            return Err(Error::EmptyPlan { arms: self.arms.len(), repeats: self.repeats });
        }
        for (at, arm) in self.arms.iter().enumerate() {
            arm.check()?;
            if let Some(first) = self.arms[..at].iter().position(|other| other == arm) {
                return Err(Error::RepeatedArm { first: first + 1, second: at + 1 });
            }
        }
        Ok(())
    }

    /// Adds to each private arm the controls it lacks: NonPriv, SIM of the same shape, FeatFree. A control that is added
    /// takes all other knobs from the private arm, except that NonPriv is not propagated.
    #[must_use]
    pub fn with_controls(mut self) -> Self {
        for private in self.arms.clone() {
            let FeatureSpec::MultiBit { epsilon, sample_size } = private.features else { continue };
            let mut unpropagated = private.clone();
            unpropagated.features = FeatureSpec::Clean;
            unpropagated.propagation.steps = 0;
            unpropagated.propagation.scale = crate::Scale::AsPrinted;
            let sim = Spec { features: FeatureSpec::Sim { epsilon, sample_size }, ..private.clone() };
            let free = FeatureSpec::FeatureFree { dimensions: FEATURE_FREE_DIMENSIONS };
            let free = Spec { features: free, ..private.clone() };
            for control in [sim, unpropagated, free] {
                if !self.arms.iter().any(|arm| arm.serves_as(&control)) {
                    self.arms.push(control);
                }
            }
        }
        self
    }
}

/// Columns of the FeatFree control where nothing else is said.
pub const FEATURE_FREE_DIMENSIONS: usize = 512;
