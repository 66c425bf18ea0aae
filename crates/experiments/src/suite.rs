//! A suite: one table or figure of a paper, as data. Methods × axes, expanded into a plan.
//!
//! A suite file says what all arms share (`[base]`), what each method sets (`[[method]]`), and what is varied
//! (`[[axis]]`); everything else comes from the tuned values of `data/hyperparameters.toml`. What is set where wins in
//! this order: axis, method, base, tuned value. A table that names another `kind` than the one below it replaces it whole.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use crate::plan::PlannedArm;
use crate::{DatasetSpec, Error, FeatureSpec, Hyperparameters, LabelSpec, ModelKind, Plan, Spec};

/// One table or figure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The short name, which is the file's.
    #[serde(skip)]
    pub name: String,
    /// Heading of its section in the report.
    pub title: String,
    /// What it shows and how it differs from the paper, in a few sentences.
    pub about: String,
    /// Root of the seed tree.
    pub seed: u64,
    /// Runs of each arm where nothing else is asked for.
    pub repeats: u32,
    /// Whether NonPriv, SIM and FeatFree are added to each private arm.
    #[serde(default)]
    pub controls: bool,
    /// What profile `standard` keeps of an axis, by the axis's name and the labels of its values.
    #[serde(default)]
    pub standard: BTreeMap<String, Vec<String>>,
    /// The axis along which a figure is drawn; a table without it.
    #[serde(default)]
    pub figure: Option<String>,
    /// What all arms share.
    pub base: Table,
    /// The methods that are compared.
    #[serde(rename = "method")]
    pub methods: Vec<Method>,
    /// What is varied.
    #[serde(rename = "axis", default)]
    pub axes: Vec<Axis>,
}

/// One method of a suite.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Its name in tables.
    pub name: String,
    /// Axes along which it does not change.
    #[serde(default)]
    pub without: Vec<String>,
    /// Whether its controls are added, where this differs from the suite's word.
    #[serde(default)]
    pub controls: Option<bool>,
    /// Where an axis puts its values in this method, by the axis's name; elsewhere the axis's own path.
    #[serde(default)]
    pub paths: BTreeMap<String, String>,
    /// What it sets.
    #[serde(default)]
    pub set: Table,
}

/// What is varied.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its name: `dataset`, `model`, `epsilon` or any other.
    pub name: String,
    /// The knob, with dots between; without it each value is a table of knobs that change together.
    #[serde(default)]
    pub path: String,
    /// Its values.
    pub values: Vec<Value>,
    /// How tables call the values; without it, the values themselves.
    #[serde(default)]
    pub labels: Vec<String>,
}

/// What a caller asks for in place of what a suite says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Narrowing {
    /// Only these values of an axis, by its name; an axis that is not named stays whole.
    pub at: BTreeMap<String, Vec<String>>,
    /// Only methods whose name is one of these, in any case; what is nobody's name stands for all names that contain it.
    /// A name with commas may come cut at them.
    pub methods: Vec<String>,
    /// Repeats of each arm.
    pub repeats: Option<u32>,
    /// Root of the seed tree.
    pub seed: Option<u64>,
}

impl Suite {
    /// Reads a suite from TOML. Unknown keys are refused.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::PlanFile`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(Error::file("cannot read", path))?;
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("suite");
        Self::parse(name, &text).map_err(|source| Error::PlanFile { path: path.to_owned(), source: Box::new(source) })
    }

    /// Every suite of a folder, by name.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::PlanFile`].
    pub fn all(folder: &Path) -> Result<Vec<Self>, Error> {
        let entries = std::fs::read_dir(folder).map_err(Error::file("cannot read", folder))?;
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(Error::file("cannot read", folder))?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                paths.push(path);
            }
        }
        paths.sort();
        paths.iter().map(|path| Self::read(path)).collect()
    }

    /// Reads a suite from the text of a TOML file.
    ///
    /// # Errors
    /// What the parser says.
    pub fn parse(name: &str, text: &str) -> Result<Self, toml::de::Error> {
        let mut suite: Self = toml::from_str(text)?;
        suite.name = name.to_owned();
        Ok(suite)
    }

    /// Replaces the values of an axis, or the shared value where the suite has no such axis.
    pub fn set_axis(&mut self, name: &str, path: &str, values: Vec<Value>) {
        match self.axes.iter_mut().find(|axis| axis.name == name) {
            Some(axis) => (axis.values, axis.labels) = (values, Vec::new()),
            None => {
                let (name, path, labels) = (name.to_owned(), path.to_owned(), Vec::new());
                self.axes.push(Axis { name, path, values, labels });
            }
        }
    }

    /// Leaves of axes that set label budgets only the values with this one; whether there are such axes.
    pub fn keep_label_epsilon(&mut self, epsilon: f64) -> bool {
        let own =
            |value: &Value| value.get("labels").and_then(|labels| labels.get("epsilon")).and_then(Value::as_float);
        let mut found = false;
        for axis in self.axes.iter_mut().filter(|axis| axis.labels.is_empty()) {
            found |= axis.values.iter().any(|value| own(value).is_some());
            axis.values.retain(|value| own(value).is_none_or(|own| own == epsilon));
        }
        found
    }

    /// Says how tables call the values of an axis.
    pub fn label_axis(&mut self, name: &str, labels: Vec<String>) {
        if let Some(axis) = self.axes.iter_mut().find(|axis| axis.name == name) {
            axis.labels = labels;
        }
    }

    /// The plan: every method at every point of its axes that `narrowing` leaves.
    ///
    /// # Errors
    /// [`Error::Suite`] for a knob that does not exist or has a value of the wrong type, naming suite and method;
    /// [`Error::NoHyperparameters`], [`Error::EmptyPlan`] and what [`Plan::check`] finds.
    pub fn plan(&self, narrowing: &Narrowing) -> Result<Plan, Error> {
        let (mut arms, mut with_controls) = (Vec::<PlannedArm>::new(), Vec::new());
        for method in &self.methods {
            if !self.is_asked_for(&method.name, &narrowing.methods) {
                continue;
            }
            for point in self.points(method) {
                let arm = self.arm(method, &point)?;
                // A method that an axis does not reach has no value there and stays.
                let is_asked_for =
                    |(axis, asked): (&String, &Vec<String>)| arm.at.get(axis).is_none_or(|value| asked.contains(value));
                let asked_for = narrowing.at.iter().all(is_asked_for);
                if asked_for && !arms.iter().any(|other| other.spec == arm.spec) {
                    with_controls
                        .push(self.controls && method.controls.unwrap_or(true) || method.controls == Some(true));
                    arms.push(arm);
                }
            }
        }
        let repeats = narrowing.repeats.unwrap_or(self.repeats);
        let plan = Plan { seed: narrowing.seed.unwrap_or(self.seed), repeats, arms };
        let plan = plan.with_controls_of(&with_controls);
        plan.check()?;
        Ok(plan)
    }

    fn is_asked_for(&self, name: &str, asked: &[String]) -> bool {
        let name = name.to_lowercase();
        asked.is_empty()
            || self
                .whole_names(asked)
                .iter()
                .any(|(asked, whole)| if *whole { name == *asked } else { name.contains(asked) })
    }

    /// What is asked for, in lower case, each with whether it is a method's whole name. A name may have commas in it, at
    /// which a list of names was cut: the longest run of parts that is a name is one.
    fn whole_names(&self, asked: &[String]) -> Vec<(String, bool)> {
        let is_name = |text: &str| self.methods.iter().any(|method| method.name.to_lowercase() == text);
        let (mut found, mut left) = (Vec::new(), asked);
        while !left.is_empty() {
            let joined = |parts: usize| left[..parts].join(",").trim().to_lowercase();
            let whole = (1..=left.len()).rev().find(|&parts| is_name(&joined(parts)));
            let text = joined(whole.unwrap_or(1));
            if !text.is_empty() {
                found.push((text, whole.is_some()));
            }
            left = &left[whole.unwrap_or(1)..];
        }
        found
    }

    /// Every combination of values of the axes along which the method changes: (axis, value number).
    fn points(&self, method: &Method) -> Vec<Vec<(usize, usize)>> {
        let mut points = vec![Vec::new()];
        for (at, axis) in self.axes.iter().enumerate() {
            if method.without.contains(&axis.name) {
                continue;
            }
            let extended = |point: &Vec<(usize, usize)>| {
                let point = point.clone();
                (0..axis.values.len()).map(move |value| point.iter().copied().chain([(at, value)]).collect())
            };
            points = points.iter().flat_map(extended).collect();
        }
        points
    }

    fn arm(&self, method: &Method, point: &[(usize, usize)]) -> Result<PlannedArm, Error> {
        let wrong = |source: toml::de::Error| Error::Suite {
            suite: self.name.clone(),
            method: method.name.clone(),
            source: Box::new(source),
        };
        let mut set = self.base.clone();
        overlay(&mut set, &method.set);
        for &(axis, value) in point {
            let axis = &self.axes[axis];
            let path = method.paths.get(&axis.name).unwrap_or(&axis.path);
            put(&mut set, path, axis.values[value].clone());
        }
        let part = |name: &str| set.get(name).cloned().unwrap_or_else(|| Value::Table(Table::new()));
        let dataset: DatasetSpec = part("dataset").try_into().map_err(wrong)?;
        let features: FeatureSpec = part("features").try_into().map_err(wrong)?;
        let model: ModelKind =
            part("model").get("kind").cloned().unwrap_or(Value::Boolean(false)).try_into().map_err(wrong)?;
        let labels: Option<LabelSpec> = set.get("labels").cloned().map(Value::try_into).transpose().map_err(wrong)?;
        let private_labels = labels.is_some_and(|labels| labels != LabelSpec::Clean);
        let tuned = Hyperparameters::find(dataset.name(), model, features.arm(), private_labels)?;
        let mut table = Table::try_from(Spec::tuned(dataset, features, model, &tuned))?;
        overlay(&mut table, &set);
        let spec: Spec = Value::Table(table).try_into().map_err(wrong)?;
        let mut arm = PlannedArm::new(method.name.clone(), spec);
        for &(axis, value) in point {
            let axis = &self.axes[axis];
            let label = axis.labels.get(value).cloned();
            let label = label.or_else(|| (!axis.path.is_empty()).then(|| plain(&axis.values[value])));
            if let Some(label) = label {
                arm.at.insert(axis.name.clone(), label);
            }
        }
        Ok(arm)
    }
}

/// Puts `over` on `below`, table by table.
fn overlay(below: &mut Table, over: &Table) {
    for (key, value) in over {
        match (below.get_mut(key), value) {
            (Some(Value::Table(old)), Value::Table(new)) if !names_another_kind(old, new) => overlay(old, new),
            _ => {
                below.insert(key.clone(), value.clone());
            }
        }
    }
}

fn names_another_kind(old: &Table, new: &Table) -> bool {
    matches!((old.get("kind"), new.get("kind")), (Some(old), Some(new)) if old != new)
}

/// Puts a value at a path of keys with dots between, making tables on the way.
fn put(table: &mut Table, path: &str, value: Value) {
    if let ("", Value::Table(over)) = (path, &value) {
        return overlay(table, over);
    }
    match path.split_once('.') {
        None => {
            let mut over = Table::new();
            over.insert(path.to_owned(), value);
            overlay(table, &over);
        }
        Some((key, rest)) => {
            let inner = table.entry(key).or_insert_with(|| Value::Table(Table::new()));
            if !inner.is_table() {
                *inner = Value::Table(Table::new());
            }
            if let Value::Table(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Float(number) => number.to_string(),
        Value::Table(table) => table.get("kind").map_or_else(|| table.to_string(), plain),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Narrowing, Suite};
    use crate::Arm;

    const TEXT: &str = r#"
        title = "T"
        about = "A"
        seed = 1
        repeats = 3
        controls = true

        [base]
        dataset = { kind = "published", name = "cora" }
        model = { kind = "gcn" }

        [[method]]
        name = "LPGNN"
        set.features = { kind = "private", mechanism = { kind = "multi-bit", epsilon = 1.0, sample_size = "optimal" } }

        [[method]]
        name = "NonPriv"
        without = ["epsilon"]
        set.features = { kind = "clean" }

        [[axis]]
        name = "epsilon"
        path = "features.mechanism.epsilon"
        values = [0.1, 1.0]

        [[axis]]
        name = "model"
        path = "model.kind"
        values = ["gcn", "sage"]
    "#;

    #[test]
    fn methods_times_axes_and_controls() {
        let suite = Suite::parse("t", TEXT).expect("a suite");
        let plan = suite.plan(&Narrowing::default()).expect("a plan");
        let count = |arm: Arm| plan.arms.iter().filter(|a| a.spec.features.arm() == arm).count();
        // Two models; FeatFree is one a model, SIM one a model and ε.
        assert_eq!([Arm::Private, Arm::Clean, Arm::Sim, Arm::FeatureFree].map(count), [4, 2, 4, 2]);
        assert_eq!(plan.arms[0].at["epsilon"], "0.1");
        assert_eq!(plan.arms[2].at["epsilon"], "1");
        assert_eq!(plan.repeats, 3);
    }

    #[test]
    fn a_caller_narrows() {
        let suite = Suite::parse("t", TEXT).expect("a suite");
        let narrowing = Narrowing {
            at: [("model".to_owned(), vec!["sage".to_owned()])].into(),
            methods: vec!["lpgnn".to_owned()],
            repeats: Some(1),
            ..Narrowing::default()
        };
        let plan = suite.plan(&narrowing).expect("a plan");
        assert!(plan.arms.iter().all(|arm| arm.at["model"] == "sage"));
        assert_eq!(plan.arms.iter().filter(|arm| arm.name == "LPGNN").count(), 2);
        assert_eq!(plan.repeats, 1);
    }

    #[test]
    fn a_whole_name_names_one_method_and_a_part_all_that_contain_it() {
        let mut suite = Suite::parse("t", TEXT).expect("a suite");
        let mut other = suite.methods[0].clone();
        other.name = "LPGNN, equal budgets".to_owned();
        other.set.extend(toml::from_str::<toml::Table>("denoise = { steps = 3 }").expect("a table"));
        suite.methods.push(other);
        let of = |asked: &str| -> Vec<String> {
            let narrowing = Narrowing { methods: vec![asked.to_owned()], ..Narrowing::default() };
            let plan = suite.plan(&narrowing);
            let mut names: Vec<String> =
                plan.map_or(Vec::new(), |plan| plan.arms.into_iter().map(|a| a.name).collect());
            names.retain(|name| name.starts_with("LPGNN"));
            names.dedup();
            names
        };
        assert_eq!(of("lpgnn"), ["LPGNN"]);
        assert_eq!(of("lpg").len(), 2);
        assert_eq!(of("equal"), ["LPGNN, equal budgets"]);
        let cut = Narrowing { methods: vec!["lpgnn".to_owned(), " equal budgets".to_owned()], ..Narrowing::default() };
        let plan = suite.plan(&cut).expect("a plan");
        assert_eq!(plan.arms[0].name, "LPGNN, equal budgets");
        assert!(plan.arms.iter().all(|arm| arm.name != "LPGNN"));
        // A name with a comma between others, as a command line cuts it; what is empty is nobody's part.
        let cut = |asked: &str| suite.whole_names(&asked.split(',').map(str::to_owned).collect::<Vec<_>>());
        let names = |names: &[(&str, bool)]| names.iter().map(|&(n, w)| (n.to_owned(), w)).collect::<Vec<_>>();
        assert_eq!(
            cut("lpg, LPGNN, equal budgets,LPGNN,"),
            names(&[("lpg", false), ("lpgnn, equal budgets", true), ("lpgnn", true)])
        );
        let nothing = Narrowing { methods: vec![String::new()], ..Narrowing::default() };
        assert!(suite.plan(&nothing).is_err(), "an empty name is no method");
    }

    #[test]
    fn a_knob_that_does_not_exist_is_named() {
        let text = TEXT.replace(
            "[[axis]]\n        name = \"model\"\n        path = \"model.kind\"",
            "[[axis]]\n        name = \"model\"\n        path = \"model.kindd\"",
        );
        let suite = Suite::parse("t", &text).expect("a suite");
        let error = suite.plan(&Narrowing::default()).expect_err("no such knob");
        let text = format!("{error} {}", std::error::Error::source(&error).expect("a source"));
        assert!(text.contains("LPGNN") && text.contains("kindd"), "{text}");
    }
}
