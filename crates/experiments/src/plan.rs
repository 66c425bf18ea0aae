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
    /// Where the arm stands in its suite: the value of each axis, of `dataset` and `model`, and where there are such of
    /// `epsilon`, `label_epsilon` and `epsilon_a`.
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
        let budgets = [
            ("epsilon", spec.features.epsilon()),
            ("label_epsilon", spec.labels.epsilon()),
            ("epsilon_a", spec.structure.epsilon()),
        ];
        for (name, epsilon) in budgets {
            if let Some(epsilon) = epsilon {
                at.insert(name.to_owned(), epsilon.to_string());
            }
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
    /// added takes all other knobs from the private arm, except that NonPriv is neither propagated nor thresholded, and is
    /// named after it: `FeatFree of LPGNN`. Arms with the same knobs share a control, which has the name of the first.
    /// NonPriv names no method where the data set and the model say which it is.
    #[must_use]
    pub fn with_controls(self) -> Self {
        let all = vec![true; self.arms.len()];
        self.with_controls_of(&all)
    }

    /// As [`with_controls`](Self::with_controls), for the arms that are marked. A control that the plan has already may be
    /// tuned by itself; one that is added has the private arm's knobs to the last.
    pub(crate) fn with_controls_of(mut self, marked: &[bool]) -> Self {
        let written = self.arms.len();
        for (private, _) in self.arms.clone().iter().zip(marked).filter(|(_, marked)| **marked) {
            for kind in [Arm::Sim, Arm::Clean, Arm::FeatureFree] {
                let Some(control) = control(&private.spec, kind) else { continue };
                let (own, added) = self.arms.split_at(written);
                if own.iter().any(|arm| arm.spec.serves_as(&control)) || added.iter().any(|arm| arm.spec == control) {
                    continue;
                }
                let link =
                    if private.spec.structure == StructureSpec::Public || kind == Arm::Sim { "of" } else { "under" };
                let name = format!("{} {link} {}", kind.label(), private.name);
                let mut at = private.at.clone();
                if kind != Arm::Sim {
                    at.remove("epsilon");
                }
                self.arms.push(PlannedArm { name, at, spec: control });
            }
        }
        self.shorten_non_private(written);
        self
    }

    /// Calls an added NonPriv by that alone where no other one stands at its place.
    fn shorten_non_private(&mut self, written: usize) {
        let place = |arm: &PlannedArm| (arm.spec.features.arm() == Arm::Clean).then(|| arm.at.clone());
        let places: Vec<_> = self.arms.iter().map(place).collect();
        for (arm, mine) in self.arms.iter_mut().zip(&places).skip(written).filter(|(_, mine)| mine.is_some()) {
            let is_alone = places.iter().filter(|other| *other == mine).count() == 1;
            if is_alone && arm.spec.structure == StructureSpec::Public {
                arm.name = Arm::Clean.label().to_owned();
            }
        }
    }
}

/// The `kind` control of a private arm, with all its other knobs.
pub(crate) fn control(private: &Spec, kind: Arm) -> Option<Spec> {
    let FeatureSpec::Private { mechanism } = &private.features else { return None };
    let features = match kind {
        Arm::Sim => FeatureSpec::Sim { mechanism: mechanism.clone() },
        Arm::FeatureFree => FeatureSpec::FeatureFree { dimensions: FEATURE_FREE_DIMENSIONS },
        Arm::Clean => FeatureSpec::Clean,
        Arm::Private => return None,
    };
    let mut control = Spec { features, ..private.clone() };
    let denoise = &mut control.denoise;
    if kind != Arm::Sim {
        // Weights and thresholds that are made from the noise of reports have nothing to go by here.
        if denoise.weights.needs_variance() {
            denoise.weights = crate::NeighbourWeights::Row;
        }
        denoise.regularization = RegularizationSpec::None;
    }
    if kind == Arm::Clean {
        (denoise.steps, denoise.filter, denoise.scale) = (0, FilterSpec::Power, Scale::AsPrinted);
    }
    Some(control)
}

/// Columns of the FeatFree control where nothing else is said.
pub const FEATURE_FREE_DIMENSIONS: usize = 512;
