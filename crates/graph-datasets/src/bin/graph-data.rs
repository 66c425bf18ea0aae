//! Lists, shows, checks and imports graph data; the program behind `cargo xtask data` and the import after a fetch.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use graph_datasets::{
    Card, DATA_DIR_VARIABLE, Dataset, FeatureRange, Imported, OwnData, SearchPath, card, catalog, import_graphml,
    import_own, import_public, import_twitch_embedding, load,
};

#[derive(Parser)]
#[command(name = "graph-data", about = "Lists, shows, checks and imports graph data")]
struct Arguments {
    /// Folder that holds data sets, one folder each; the only one searched [default: $GRAPH_DATA_DIR, else data/cache,
    /// then ../shared/data]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// One line for each public graph, and whether it is here
    List,
    /// Everything countable about one data set
    Show {
        /// Name in the catalog, or path of a graph.npz
        name: String,
        /// Print the statistics as JSON
        #[arg(long)]
        json: bool,
    },
    /// Reads data sets and holds them against the catalog
    Check {
        /// Names in the catalog; none: all that are here
        names: Vec<String>,
    },
    /// Makes the canonical file of a public graph from its raw files
    Import {
        /// Name in the catalog
        name: String,
        /// Folder with the raw files
        #[arg(long, value_name = "DIR")]
        raw: PathBuf,
        /// Folder to write the canonical file into
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Makes a graph.npz from your own labels.csv, edges.csv or .mtx and features.csv or .mtx
    ImportCsv {
        /// Folder with the files
        folder: PathBuf,
        /// File to write
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Name of the data set
        #[arg(long)]
        name: String,
        /// Smallest and largest value that a feature can take: public knowledge, not what your values happen to be
        #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, value_parser = range)]
        feature_range: Option<FeatureRange>,
    },
    /// Makes a graph.npz from a GraphML file; keys of nodes of a numeric type are the features
    ImportGraphml {
        /// The file
        file: PathBuf,
        /// File to write
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Name of the data set
        #[arg(long)]
        name: String,
        /// Name (attr.name) of the node key that holds the class
        #[arg(long, default_value = "label")]
        label: String,
        /// Smallest and largest value that a feature can take: public knowledge, not what your values happen to be
        #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, value_parser = range)]
        feature_range: Option<FeatureRange>,
    },
    /// Makes a graph.npz from the 128-column ES.npz of PyTorch Geometric
    ImportTwitchNpz {
        /// The file
        file: PathBuf,
        /// File to write
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Smallest and largest value that a feature can take
        #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, value_parser = range)]
        feature_range: FeatureRange,
    },
}

const NO_RANGE: &str = "the features need --feature-range LOW,HIGH: the public range of a feature, for example 0,1";

fn range(text: &str) -> Result<FeatureRange, String> {
    let ends = text.split_once(',').and_then(|(low, high)| low.trim().parse().ok().zip(high.trim().parse().ok()));
    let (low, high) = ends.ok_or("two numbers with a comma between them, like 0,1")?;
    let range = FeatureRange::Uniform { low, high };
    range.check(1).map_err(|error| error.to_string())?;
    Ok(range)
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    let variable = std::env::var_os(DATA_DIR_VARIABLE);
    let search = SearchPath::standard(arguments.data.as_deref(), variable.as_deref(), &root);
    match &arguments.command {
        Command::List => list(&search)?,
        Command::Show { name, json } => show(name, *json, &search)?,
        Command::Check { names } => return check(names, &search),
        Command::Import { name, raw, out } => {
            let path = import_public(card(name)?, raw, out)?;
            println!("{name}: {} agrees with the catalog", path.display());
        }
        Command::ImportCsv { folder, out, name, feature_range } => {
            let features = ["features.csv", "features.mtx"].iter().any(|file| folder.join(file).exists());
            if feature_range.is_none() && features {
                bail!(NO_RANGE);
            }
            let feature_range = feature_range.clone().unwrap_or(FeatureRange::UNIT);
            let imported = import_own(folder, &OwnData { name: name.clone(), feature_range })?;
            write(&imported, out)?;
        }
        Command::ImportGraphml { file, out, name, label, feature_range } => {
            let declared = feature_range.clone().unwrap_or(FeatureRange::UNIT);
            let imported = import_graphml(file, &OwnData { name: name.clone(), feature_range: declared }, label);
            if feature_range.is_none() && imported.as_ref().map_or(true, |found| found.dataset.features().is_some()) {
                imported?;
                bail!(NO_RANGE);
            }
            write(&imported?, out)?;
        }
        Command::ImportTwitchNpz { file, out, feature_range } => {
            write(&import_twitch_embedding(card("twitch")?, file, feature_range.clone())?, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write(imported: &Imported, out: &Path) -> Result<()> {
    imported.dataset.write_npz(out)?;
    print_statistics(&imported.dataset);
    for (what, count) in &imported.upstream {
        println!("{:<22}{count}", what.replace('_', " "));
    }
    println!("{:<22}{}", "written", out.display());
    Ok(())
}

fn place(card: &Card, search: &SearchPath) -> Option<PathBuf> {
    search.find(&card.name, &["graph.npz", &card.canonical.file]).ok()
}

fn list(search: &SearchPath) -> Result<()> {
    println!("{:<10} {:>7} {:>8} {:>9} {:>8}  here", "name", "nodes", "edges", "features", "classes");
    for card in catalog()? {
        let here = match place(card, search) {
            Some(path) => path.display().to_string(),
            None => format!("no: cargo xtask fetch {}", card.name),
        };
        let Card { name, nodes, edges, features, classes, .. } = card;
        println!("{name:<10} {nodes:>7} {edges:>8} {features:>9} {classes:>8}  {here}");
    }
    Ok(())
}

fn show(name: &str, json: bool, search: &SearchPath) -> Result<()> {
    let path = Path::new(name);
    let (dataset, card) = if path.extension().is_some_and(|extension| extension == "npz") {
        (Dataset::read_npz(path, name)?, None)
    } else {
        (load(name, search)?, Some(card(name)?))
    };
    if json {
        println!("{}", serde_json::to_string_pretty(&dataset.statistics())?);
        return Ok(());
    }
    if let Some(card) = card {
        println!("{}\n{}\n", card.title, card.about);
    }
    print_statistics(&dataset);
    if let Some(card) = card {
        println!("{:<22}{}", "edges in papers", card.edges_in_papers);
        println!("{:<22}{}", "licence", card.licence);
        println!("{:<22}{}", "source", card.source);
        println!("{:<22}{}", "cite", card.citation);
    }
    if let Some(sha256) = dataset.sha256() {
        println!("{:<22}{sha256}", "sha256 of the file");
    }
    Ok(())
}

fn print_statistics(dataset: &Dataset) {
    let line = |name: &str, value: String| println!("{name:<22}{value}");
    let s = dataset.statistics();
    line("nodes", s.nodes.to_string());
    line("edges", format!("{}, each once, without {} self-loops", s.edges, s.self_loops));
    line("half of directed", s.edges_as_half_of_directed_count_with_loops_once.to_string());
    line("isolated nodes", s.isolated_nodes.to_string());
    line("components", format!("{}, the largest of {} nodes", s.connected_components, s.largest_component));
    let quantiles = [0.25, 0.5, 0.75, 0.9, 0.99].map(|q| dataset.degree_quantile(q).to_string()).join(" ");
    line("degree", format!("min {}, mean {}, max {}", s.min_degree, s.mean_degree, s.max_degree));
    line("  25 50 75 90 99 %", quantiles);
    line("edge homophily", s.edge_homophily.to_string());
    line("classes", format!("{} of {:?}", s.classes, s.class_histogram));
    line("majority class", s.majority_class_share.to_string());
    if let Some(histogram) = &s.labels_median_histogram {
        let homophily = s.labels_median_edge_homophily.unwrap_or_default();
        line("median labels", format!("{histogram:?}, edge homophily {homophily}"));
    }
    if let Some((low, median, high)) = s.traffic_min_median_max {
        line("traffic", format!("min {low}, median {median}, max {high}"));
    }
    match &s.feature {
        None => {
            let dense = dataset.true_density().map_or_else(String::new, |density| format!(" of density {density}"));
            line("features", format!("none here; {} columns{dense} upstream", s.features));
            line("", "experiments run on its graph alone, or on synthetic features (marked as such)".to_owned());
        }
        Some(f) => {
            let kind = if f.features_binary { "0/1" } else { "real" };
            line("features", format!("{} columns, {kind}, density {}", s.features, f.feature_density));
            let (low, high) = dataset.feature_range().hull();
            line("declared range", format!("[{low}, {high}]"));
            line("values", format!("from {} to {}", f.feature_min, f.feature_max));
            let (low, mean, high) = f.nonzeros_per_node_min_mean_max;
            line("nonzeros per node", format!("min {low}, mean {mean}, max {high}"));
            line("all-zero rows", f.nodes_with_all_zero_features.to_string());
            line("constant columns", f.feature_columns_constant.to_string());
        }
    }
    if let Some(split) = dataset.public_split() {
        let (train, validation, test) = (split.train.len(), split.validation.len(), split.test.len());
        line("public split", format!("{train} train, {validation} validation, {test} test"));
    }
    if !dataset.unlabelled().is_empty() {
        line("without a label", format!("{} nodes, counted as class 0", dataset.unlabelled().len()));
    }
    for mark in dataset.marks() {
        line("mark", mark.clone());
    }
}

fn check(names: &[String], search: &SearchPath) -> Result<ExitCode> {
    let cards: Vec<&Card> = if names.is_empty() {
        catalog()?.iter().filter(|card| place(card, search).is_some()).collect()
    } else {
        names.iter().map(|name| card(name)).collect::<Result<_, _>>()?
    };
    if cards.is_empty() {
        bail!("no data set of the catalog is here; get them with `cargo xtask fetch all`");
    }
    let mut wrong = 0;
    for card in &cards {
        match card.load(search).with_context(|| card.name.clone()) {
            Ok(dataset) => {
                let features = if dataset.features().is_some() { "features" } else { "no features" };
                println!("{}: {} nodes, {} edges, {features}: as known", card.name, dataset.nodes(), dataset.edges());
            }
            Err(error) => {
                wrong += 1;
                eprintln!("{error:#}");
            }
        }
    }
    println!("{} checked, {wrong} wrong", cards.len());
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
