//! A plan: arms × repeats. Every private arm brings its null controls with it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Arm, Error, FeatureSpec, FilterSpec, RegularizationSpec, Scale, Spec, StructureSpec};

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
    pub arms: Vec<PlannedArm>,
}

/// One arm of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedArm {
    /// The method's name in tables. Not part of what is run: two names for one spec share their runs.
    pub name: String,
    /// Where the arm stands in its suite: the value of each axis, and of `dataset`, `model` and `epsilon`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, String>,
    /// Every knob.
    pub spec: Spec,
}

impl PlannedArm {
    /// An arm that stands in no suite.
    pub fn new(name: impl Into<String>, spec: Spec) -> Self {
        let mut at = BTreeMap::new();
        at.insert("dataset".to_owned(), spec.dataset.name().to_owned());
        at.insert("model".to_owned(), spec.model.kind.label().to_lowercase());
        if let Some(epsilon) = spec.features.epsilon() {
            at.insert("epsilon".to_owned(), epsilon.to_string());
        }
        Self { name: name.into(), at, spec }
    }
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
            arm.spec.check()?;
            if let Some(first) = self.arms[..at].iter().position(|other| other.spec == arm.spec) {
                return Err(Error::RepeatedArm { first: first + 1, second: at + 1 });
            }
        }
        Ok(())
    }

    /// Adds to each private arm the controls it lacks: NonPriv, SIM of the same mechanism, FeatFree. A control that is
    /// added takes all other knobs from the private arm, except that NonPriv is neither propagated nor thresholded.
    #[must_use]
    pub fn with_controls(self) -> Self {
        let all = vec![true; self.arms.len()];
        self.with_controls_of(&all)
    }

    /// As [`with_controls`](Self::with_controls), for the arms that are marked.
    pub(crate) fn with_controls_of(mut self, marked: &[bool]) -> Self {
        for (private, _) in self.arms.clone().iter().zip(marked).filter(|(_, marked)| **marked) {
            let FeatureSpec::Private { mechanism } = &private.spec.features else { continue };
            let mut clean = Spec { features: FeatureSpec::Clean, ..private.spec.clone() };
            clean.denoise.steps = 0;
            let sim = FeatureSpec::Sim { mechanism: mechanism.clone() };
            let sim = Spec { features: sim, ..private.spec.clone() };
            let free = FeatureSpec::FeatureFree { dimensions: FEATURE_FREE_DIMENSIONS };
            let mut free = Spec { features: free, ..private.spec.clone() };
            for plain in [&mut clean, &mut free] {
                // Weights and thresholds that are made from the noise of reports have nothing to go by here.
                let denoise = &mut plain.denoise;
                if denoise.weights.needs_variance() {
                    denoise.weights = crate::NeighbourWeights::Row;
                }
                denoise.regularization = RegularizationSpec::None;
            }
            clean.denoise.filter = FilterSpec::Power;
            clean.denoise.scale = Scale::AsPrinted;
            for control in [sim, clean, free] {
                if !self.arms.iter().any(|arm| arm.spec.serves_as(&control)) {
                    let kind = control.features.arm();
                    let name = match kind {
                        Arm::Sim => format!("SIM of {}", private.name),
                        other if private.spec.structure == StructureSpec::Public => other.label().to_owned(),
                        other => format!("{} under {}", other.label(), private.name),
                    };
                    let mut at = private.at.clone();
                    if kind != Arm::Sim {
                        at.remove("epsilon");
                    }
                    self.arms.push(PlannedArm { name, at, spec: control });
                }
            }
        }
        self
    }
}

/// Columns of the FeatFree control where nothing else is said.
pub const FEATURE_FREE_DIMENSIONS: usize = 512;
