//! The command line, and what it asks to be run.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use experiments::{DatasetSpec, DeviceChoice, Epsilon, LossSpec, Narrowing, Plan, Shard, Suite, SyntheticFeatures};
use toml::{Table, Value};

use crate::wrong::Wrong;

/// Re-runs the published experiments of locally private graph learning, each beside its null controls.
///
/// Each user randomizes once; the server denoises the reports over the graph, removes fake users and trains a graph
/// neural network. Beside every private run stand NonPriv (true features), SIM (reports with no data in them) and FeatFree
/// (random features): what private features are worth is accuracy less SIM, with its interval.
///
/// With no argument: LPGNN, PPGNN, UPGNET and VERITAS on a synthetic graph, 3 seeds, under two minutes.
#[derive(Debug, Parser)]
#[command(name = "reproduce", bin_name = "cargo xtask reproduce", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// How much is run where no suite is named.
    #[arg(long, value_enum, default_value_t = Profile::Quick)]
    pub(crate) profile: Profile,
    /// Suites to run, by name or file, with commas between; `--list` shows them.
    #[arg(long, value_delimiter = ',', value_name = "SUITE,…")]
    suite: Vec<String>,
    /// Data sets, with commas between: `synthetic`, or cora, citeseer, pubmed, facebook, wikipedia, twitch, lastfm, or a
    /// folder of your own (its path with a `/` in it) with labels.csv, edges.csv and features.csv.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    dataset: Vec<String>,
    /// Networks, with commas between.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "MODEL,…")]
    model: Vec<Model>,
    /// Methods by name, or all whose name contains this, in any case, with commas between (a name may have one in it); their
    /// controls come along.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    method: Vec<String>,
    /// Budgets of one user's feature vector, in nats, with commas between.
    #[arg(long, value_delimiter = ',', value_parser = epsilon, value_name = "ε,…")]
    epsilon: Vec<Epsilon>,
    /// Budget of one user's label (k-ary randomized response); without it the server gets true labels. In a suite about
    /// private labels: which of its budgets.
    #[arg(long, value_parser = epsilon, value_name = "ε")]
    label_epsilon: Option<Epsilon>,
    /// What is minimised; `drop:K` propagates labels and predictions K steps [default: cross-entropy, and with private
    /// labels drop:4].
    #[arg(long, value_parser = loss, value_name = "LOSS")]
    loss: Option<LossSpec>,
    /// Features of a published graph: as published, or made up (marked in every result) for a graph that has none.
    /// [default: published]
    #[arg(long, value_enum)]
    features: Option<FeatureSource>,
    /// What every feature of a folder of your own could be, LOW,HIGH: public bounds, not what the values happen to be.
    /// [default: 0,1]
    #[arg(long, value_parser = range, value_name = "LOW,HIGH", allow_hyphen_values = true)]
    feature_range: Option<(f64, f64)>,
    /// Repeats of each arm; each has its own split, reports and initial model [default: the suite's; 3 and 10 in
    /// profiles standard and full].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: Option<u32>,
    /// Root of the seed tree, at least 0. The same seed gives the same records at any number of threads.
    #[arg(long, value_parser = seed)]
    seed: Option<u64>,
    /// Run the plan in this file instead (TOML; `--print-spec` writes one to start from).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["suite", "dataset", "epsilon", "model", "method", "label_epsilon", "loss", "seeds", "seed", "features", "feature_range"])]
    pub(crate) spec: Option<PathBuf>,
    /// Print the plan with every knob, and run nothing.
    #[arg(long)]
    pub(crate) print_spec: bool,
    /// Print the suites, and run nothing.
    #[arg(long)]
    pub(crate) list: bool,
    /// Print the number of runs, what is left of them, estimated time and memory, and run nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Part i of n of the runs, for many machines, such as 1/4; `merge` brings the parts together.
    #[arg(long, value_parser = shard, value_name = "i/n")]
    pub(crate) shard: Option<Shard>,
    /// Where records and report go; an earlier, broken-off invocation is continued there [default: target/reproduce].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Where the data sets are, and nowhere else [default: $GRAPH_DATA_DIR alone, or data/cache and ../shared/data].
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Make every run again; earlier records are set aside, not deleted.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Search hyper-parameters by clean validation accuracy on splits of their own, and print the winners.
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) tune: bool,
    /// Afterwards copy plan, records and report to data/results/DATE-NAME; one that exists is not written over.
    #[arg(long, value_name = "NAME", value_parser = record_name)]
    pub(crate) record: Option<String>,
    /// Runs made at the same time [default: one a core, fewer where memory is short].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Threads for each run [default: cores ÷ jobs].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory that all runs together may take, GiB: fewer are made at the same time, and one that alone would not fit is
    /// refused before anything runs.
    #[arg(long, value_parser = memory, default_value_t = 8.0, value_name = "GiB")]
    pub(crate) max_memory: f64,
    /// Where models are trained.
    #[arg(long, default_value = "cpu", value_parser = device)]
    pub(crate) device: DeviceChoice,
}

/// What is done in place of a run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Brings the records of several folders together in one; the same run twice is one.
    Merge {
        /// The folders.
        #[arg(required = true, value_name = "DIR")]
        from: Vec<PathBuf>,
        /// The folder to merge into.
        #[arg(long, value_name = "DIR")]
        into: PathBuf,
    },
    /// Prints the records behind a printed number: all runs whose id begins so, or those of a method at a point.
    Trace {
        /// The folder with runs.jsonl and plan.toml.
        #[arg(long, value_name = "DIR", default_value = "target/reproduce")]
        out: PathBuf,
        /// The beginning of a run's id, or the name of a method.
        what: String,
        /// Further conditions, such as dataset=cora epsilon=1 model=gcn.
        at: Vec<String>,
    },
}

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// All four systems on a synthetic graph.
    Quick,
    /// Every suite on the small graphs, 3 seeds.
    Standard,
    /// Every suite, 10 seeds.
    Full,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask reproduce
  cargo xtask reproduce --dataset cora --epsilon 0.01,1,3 --seeds 10
  cargo xtask reproduce --suite veritas-table-2 --dataset cora --dry-run
  cargo xtask reproduce --dataset cora --print-spec > mine.toml     (edit it)
  cargo xtask reproduce --spec mine.toml --out target/mine
  cargo xtask reproduce --profile standard --shard 1/4 --out part-1  (and 2/4 … elsewhere)
  cargo xtask reproduce merge part-1 part-2 part-3 part-4 --into target/reproduce

Exit codes: 0 done; 1 failed (a run, the disk, another process on the same folder); 2 the request is wrong, or what it
names (an option, a suite, a data set, a record); 130 stopped (run the same command again to go on).";

/// The suite that runs where none is named.
const DEFAULT_SUITE: &str = "systems";
/// Data sets of profile `standard`.
const SMALL: [&str; 4] = ["synthetic", "contextual", "cora", "citeseer"];
/// Share of columns that a node uses, and of those that belong to its class, of made-up features.
const MADE_UP: (f64, f64) = (0.01, 0.3);

/// A plan and the suite that it comes from, where it comes from one.
pub(crate) struct Request {
    pub(crate) suite: Option<Suite>,
    pub(crate) plan: Plan,
}

impl Arguments {
    /// What the arguments ask for, controls included. `root` is the checkout, where suites are.
    pub(crate) fn requests(&self, root: &Path) -> Result<Vec<Request>> {
        if let Some(path) = &self.spec {
            return Ok(vec![Request { suite: None, plan: Plan::read(path)?.with_controls() }]);
        }
        for name in self.dataset.iter().filter(|name| *name != "synthetic" && !name.contains('/')) {
            graph_datasets::card(name)?;
        }
        let everything = self.suite.is_empty() && self.profile != Profile::Quick;
        let suites = match (self.suite.as_slice(), everything) {
            ([], true) => Suite::all(&root.join("data/suites"))?,
            ([], false) => vec![find(root, DEFAULT_SUITE)?],
            (names, _) => names.iter().map(|name| find(root, name)).collect::<Result<_>>()?,
        };
        self.refuse_unused(&suites)?;
        let mut requests = Vec::new();
        for mut suite in suites {
            let narrowing = self.narrow(&mut suite)?;
            match suite.plan(&narrowing) {
                Ok(plan) => requests.push(Request { suite: Some(suite), plan }),
                // Of several suites one may have nothing on the data sets that were asked for.
                Err(experiments::Error::EmptyPlan { .. }) if everything => {}
                Err(experiments::Error::EmptyPlan { .. }) => {
                    let names: Vec<&str> = suite.methods.iter().map(|method| method.name.as_str()).collect();
                    bail!("no arm of suite {} is what was asked for; its methods are {}", suite.name, names.join("; "))
                }
                Err(error) => return Err(error.into()),
            }
        }
        if requests.is_empty() {
            bail!("no suite has an arm on {}", self.dataset.join(", "));
        }
        Ok(requests)
    }

    /// Refuses options about features that would change nothing on a data set.
    fn refuse_unused(&self, suites: &[Suite]) -> Result<(), Wrong> {
        let unused = |option, dataset: &str, reach| Wrong::Unused { option, dataset: dataset.to_owned(), reach };
        let names = match suites.iter().any(|suite| suite.name == DEFAULT_SUITE) {
            true if self.dataset.is_empty() => vec!["synthetic".to_owned()],
            true => self.dataset.clone(),
            // The others say themselves what their data sets are.
            false => suites.iter().map(|suite| format!("the data sets of suite {}", suite.name)).collect(),
        };
        for name in &names {
            if self.feature_range.is_some() && !name.contains('/') {
                let reach = "a graph of your own, named by a folder with a `/` in it";
                return Err(unused("--feature-range", name, reach));
            }
            if self.features.is_some() && graph_datasets::card(name).is_err() {
                return Err(unused("--features", name, "published graphs, named by --dataset"));
            }
        }
        Ok(())
    }

    /// Sets in the suite what the arguments set.
    fn narrow(&self, suite: &mut Suite) -> Result<Narrowing> {
        let is_default = suite.name == DEFAULT_SUITE;
        if is_default && !self.dataset.is_empty() {
            let values = self.dataset.iter().map(|name| self.dataset(name));
            suite.set_axis("dataset", "dataset", values.collect::<Result<_>>()?);
            suite.label_axis("dataset", self.dataset.clone());
        }
        let models: Vec<String> = self.model.iter().map(|model| model.name().to_owned()).collect();
        if is_default && !models.is_empty() {
            suite.set_axis("model", "model.kind", models.iter().cloned().map(Value::String).collect());
        }
        if !self.epsilon.is_empty() {
            let values = self.epsilon.iter().map(|epsilon| Value::Float(epsilon.nats())).collect();
            suite.set_axis("epsilon", "features.mechanism.epsilon", values);
        }
        let mut labels = Table::new();
        // A suite about labels has budgets of its own, of which one is asked for; elsewhere labels become private.
        let label_epsilon = self.label_epsilon.filter(|epsilon| !suite.keep_label_epsilon(epsilon.nats()));
        if let Some(epsilon) = label_epsilon {
            labels.insert("kind".to_owned(), "randomized-response".into());
            labels.insert("epsilon".to_owned(), epsilon.nats().into());
            suite.base.insert("labels".to_owned(), labels.into());
        }
        let private_default = label_epsilon.map(|_| LossSpec::Drop { steps: 4 });
        if let Some(loss) = self.loss.clone().or(private_default) {
            let training = suite.base.entry("training").or_insert_with(|| Table::new().into());
            let training = training.as_table_mut().context("`training` of a suite is a table")?;
            training.insert("loss".to_owned(), Value::try_from(loss)?);
            if label_epsilon.is_some() {
                // By loss alone, noisy validation labels choose an epoch at which nothing is learnt yet.
                training.insert("selection".to_owned(), "lpgnn-triple".into());
            }
        }
        let mut at = std::collections::BTreeMap::new();
        if self.profile == Profile::Standard {
            at = suite.standard.clone();
            at.entry("dataset".to_owned()).or_insert_with(|| SMALL.map(str::to_owned).to_vec());
        }
        if !is_default {
            at.extend(
                [("dataset", self.dataset.clone()), ("model", models)]
                    .into_iter()
                    .filter_map(|(axis, asked)| (!asked.is_empty()).then(|| (axis.to_owned(), asked))),
            );
        }
        let of_profile = match self.profile {
            Profile::Quick => None,
            Profile::Standard => Some(3),
            Profile::Full => Some(10),
        };
        Ok(Narrowing { at, methods: self.method.clone(), repeats: self.seeds.or(of_profile), seed: self.seed })
    }

    /// A data set as a suite writes it.
    fn dataset(&self, name: &str) -> Result<Value> {
        let spec = match name {
            "synthetic" => DatasetSpec::default_synthetic(),
            folder if folder.contains('/') => {
                let (lower, upper) = self.feature_range.unwrap_or((0.0, 1.0));
                DatasetSpec::Own { folder: folder.into(), lower, upper }
            }
            name => {
                let (density, signal) = MADE_UP;
                let made_up = SyntheticFeatures { seed: 1, density, signal };
                let synthetic_features = (self.features == Some(FeatureSource::Synthetic)).then_some(made_up);
                DatasetSpec::Published { name: name.to_owned(), synthetic_features, view: None }
            }
        };
        Ok(Value::try_from(spec)?)
    }

    /// Runs made at the same time, memory aside.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs.map_or_else(cores, usize::from)
    }

    /// Threads for each of `jobs` runs.
    pub(crate) fn threads(&self, jobs: usize) -> usize {
        self.threads.map_or_else(|| (cores() / jobs).max(1), usize::from)
    }
}

fn find(root: &Path, name: &str) -> Result<Suite> {
    let file = Path::new(name);
    if file.extension().is_some_and(|extension| extension == "toml") {
        return Ok(Suite::read(file)?);
    }
    let folder = root.join("data/suites");
    let path = folder.join(name).with_extension("toml");
    if !path.exists() {
        let known: Vec<String> = Suite::all(&folder)?.into_iter().map(|suite| suite.name).collect();
        bail!("no suite is called {name}; there are {}", known.join(", "));
    }
    Ok(Suite::read(&path)?)
}

/// `--features`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FeatureSource {
    /// The published ones.
    Published,
    /// Made up, at the true number of columns: 1 % of the columns used, 30 % of those by class.
    Synthetic,
}

/// `--model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Model {
    /// Two graph-convolution layers.
    Gcn,
    /// Two GraphSAGE layers.
    Sage,
    /// Two graph-attention layers.
    Gat,
    /// No graph but what propagation put into the features.
    Mlp,
}

impl Model {
    fn name(self) -> &'static str {
        match self {
            Self::Gcn => "gcn",
            Self::Sage => "sage",
            Self::Gat => "gat",
            Self::Mlp => "mlp",
        }
    }
}

fn loss(text: &str) -> Result<LossSpec, String> {
    match text.split_once(':') {
        None if text == "cross-entropy" => Ok(LossSpec::CrossEntropy),
        None if text == "forward-correction" => Ok(LossSpec::ForwardCorrection),
        Some(("drop", steps)) => {
            steps.parse().map(|steps| LossSpec::Drop { steps }).map_err(|_| format!("`{steps}` is no number of steps"))
        }
        _ => Err("cross-entropy, forward-correction or drop:K".to_owned()),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

fn epsilon(text: &str) -> Result<Epsilon, String> {
    let number: f64 = text.trim().parse().map_err(|_| format!("`{text}` is not a number"))?;
    Epsilon::new(number).map_err(|error| error.to_string())
}

fn range(text: &str) -> Result<(f64, f64), String> {
    let ends = text.split_once(',').and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
    ends.filter(|(low, high): &(f64, f64)| low < high && low.is_finite() && high.is_finite())
        .ok_or_else(|| format!("`{text}` is no range: write LOW,HIGH, two numbers, the first the smaller one"))
}

fn memory(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number.filter(|gib| gib.is_finite() && *gib > 0.0).ok_or_else(|| format!("`{text}` is no amount of memory above 0"))
}

fn record_name(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    if text.is_empty() || !text.chars().all(is_plain) {
        return Err("a record is named by letters, digits, `-`, `_` and `.`".to_owned());
    }
    Ok(text.to_owned())
}

fn shard(text: &str) -> Result<Shard, String> {
    text.parse()
}

fn device(text: &str) -> Result<DeviceChoice, String> {
    text.parse().map_err(|error: <DeviceChoice as std::str::FromStr>::Err| error.to_string())
}
