//! The command line, and the plan that it asks for.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use experiments::{
    DatasetSpec, DeviceChoice, Epsilon, FEATURE_FREE_DIMENSIONS, FeatureSpec, Hyperparameters, LabelSpec, LossSpec,
    ModelKind, Plan, SampleSize, Selection, Spec,
};

/// Trains a graph neural network on locally private features and prints its accuracy beside its null controls.
///
/// Each user randomizes the feature vector once (ε-LDP); the server rectifies the reports, averages them over the graph
/// and trains. Beside every private run stand NonPriv (true features), SIM (reports with no data in them) and FeatFree
/// (random features): what private features are worth is accuracy less SIM, with its interval.
///
/// With no argument: a synthetic graph, LPGNN at three ε and the controls, 3 seeds, under a minute.
#[derive(Debug, Parser)]
#[command(name = "reproduce", bin_name = "cargo xtask reproduce", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// `synthetic`, or a name from data/datasets.toml: cora, citeseer, pubmed, facebook, wikipedia, twitch, lastfm.
    #[arg(long, default_value = "synthetic")]
    dataset: String,
    /// Budgets of one user's feature vector, in nats, with commas between.
    #[arg(long, value_delimiter = ',', value_parser = epsilon, default_value = "0.01,1,3", value_name = "ε,ε,…")]
    epsilon: Vec<Epsilon>,
    /// The network.
    #[arg(long, value_enum, default_value_t = Model::Gcn)]
    model: Model,
    /// Budget of one user's label (k-ary randomized response); without it the server gets true labels.
    #[arg(long, value_parser = epsilon, value_name = "ε")]
    label_epsilon: Option<Epsilon>,
    /// What is minimised; `drop:K` propagates labels and predictions K steps [default: cross-entropy, and with private
    /// labels drop:4].
    #[arg(long, value_parser = loss, value_name = "LOSS")]
    loss: Option<LossSpec>,
    /// Repeats of each arm; each has its own split, reports and initial model.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// Root of the seed tree. The same seed gives the same records at any number of threads.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run the plan in this file instead (TOML; `--print-spec` writes one to start from).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dataset", "epsilon", "model", "label_epsilon", "loss", "seeds", "seed"])]
    spec: Option<PathBuf>,
    /// Print the plan with every knob, and run nothing.
    #[arg(long)]
    pub(crate) print_spec: bool,
    /// Where records and summary go; an earlier, broken-off invocation is continued there [default: target/reproduce].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Where the data sets are [default: $GRAPH_DATA_DIR, data/cache, ../shared/data, in this order].
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Make every run again; earlier records are set aside, not deleted.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Search hyper-parameters by clean validation accuracy on splits of their own, and print the winners.
    #[arg(long, conflicts_with = "fresh")]
    pub(crate) tune: bool,
    /// Runs made at the same time [default: one a core].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Threads for each run [default: cores ÷ jobs].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Where models are trained.
    #[arg(long, default_value = "cpu", value_parser = device)]
    pub(crate) device: DeviceChoice,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask reproduce
  cargo xtask reproduce --dataset cora --epsilon 0.01,1,3 --seeds 10
  cargo xtask reproduce --dataset cora --print-spec > mine.toml     (edit it)
  cargo xtask reproduce --spec mine.toml --out target/mine

Exit codes: 0 done, 1 failed, 2 the request is wrong, 130 stopped (run the same command again to go on).";

impl Arguments {
    /// The plan that the arguments ask for, controls included.
    pub(crate) fn plan(&self) -> Result<Plan> {
        if let Some(path) = &self.spec {
            return Ok(Plan::read(path)?.with_controls());
        }
        let dataset = match self.dataset.as_str() {
            "synthetic" => DatasetSpec::default_synthetic(),
            name => DatasetSpec::Published { name: graph_datasets::card(name)?.name.clone() },
        };
        let arm = |features: FeatureSpec| -> Result<_> {
            let model = ModelKind::from(self.model);
            let tuned = Hyperparameters::find(dataset.name(), model, features.arm(), self.label_epsilon.is_some())?;
            let mut spec = Spec::tuned(dataset.clone(), features, model, &tuned);
            if let Some(epsilon) = self.label_epsilon {
                spec.labels = LabelSpec::RandomizedResponse { epsilon };
                spec.training.loss = LossSpec::Drop { steps: 4 };
                // By loss alone, noisy validation labels choose an epoch at which nothing is learnt yet.
                spec.training.selection = Selection::LpgnnTriple;
            }
            if let Some(loss) = &self.loss {
                spec.training.loss = loss.clone();
            }
            Ok(spec)
        };
        let mut arms = vec![arm(FeatureSpec::Clean)?];
        for &epsilon in &self.epsilon {
            arms.push(arm(FeatureSpec::MultiBit { epsilon, sample_size: SampleSize::Optimal })?);
            arms.push(arm(FeatureSpec::Sim { epsilon, sample_size: SampleSize::Optimal })?);
        }
        arms.push(arm(FeatureSpec::FeatureFree { dimensions: FEATURE_FREE_DIMENSIONS })?);
        let plan = Plan { seed: self.seed, repeats: self.seeds, arms };
        plan.check()?;
        Ok(plan)
    }

    /// Runs made at the same time.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs.map_or_else(cores, usize::from)
    }

    /// Threads for each run.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(|| (cores() / self.jobs()).max(1), usize::from)
    }
}

/// `--model`.
#[derive(Debug, Clone, Copy, ValueEnum)]
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

impl From<Model> for ModelKind {
    fn from(model: Model) -> Self {
        match model {
            Model::Gcn => Self::Gcn,
            Model::Sage => Self::Sage,
            Model::Gat => Self::Gat,
            Model::Mlp => Self::Mlp,
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

fn epsilon(text: &str) -> Result<Epsilon, String> {
    let number: f64 = text.trim().parse().map_err(|_| format!("`{text}` is not a number"))?;
    Epsilon::new(number).map_err(|error| error.to_string())
}

fn device(text: &str) -> Result<DeviceChoice, String> {
    text.parse().map_err(|error: <DeviceChoice as std::str::FromStr>::Err| error.to_string())
}
