//! Each detector against each attacker on real graphs: the journal and the table of docs/veritas.md.
//!
//! `cargo run --release -p veritas-defense --example detector_table -- run FILE GRAPHS EPSILONS SHARES SEEDS ATTACKERS
//! VICTIMS TRUST` appends one line a run to the journal FILE and skips what is in it already, so it can be stopped and
//! started at will; for example `run detectors.csv cora,citeseer 5 0.01 0-9 all 12 oracle:0.1`. Graphs are data sets or
//! `random:NODES:EDGES`, shares those of fakes, attackers names or `all`, trust models `oracle:ERROR`, `common`,
//! `features:FULL` (fakes show no profile), `features:FULL:mimic` (they show their victims' mean) or `uniform`. Seeds come first, then ε: a journal that was stopped has few seeds of many cells.
//!
//! `... detector_table -- table FILE` prints the journal as Markdown, one row a cell: for each detector the share of
//! fakes caught and of honest users removed, in percent over the seeds; the number of seeds; the edges of `defend`.
//! `... detector_table -- cells FILE` prints the same as CSV, sums over the seeds in place of shares.

#[path = "../tests/integration/scenario.rs"]
#[allow(dead_code, clippy::unwrap_used)]
mod scenario;

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use graph_datasets::Dataset;
use graph_denoise::{CsrGraph, CsrMatrix};
use veritas_defense::attack::{Attack, FakeFeatures};
use veritas_defense::{DefenceOptions, Detection, Detector, EdgeAccount, Signals, TrustModel, detect_all};

const LEVELS: usize = 5;

/// Names of [`Detector::ALL`] in the journal.
const DETECTORS: [&str; 9] = [
    "phi_printed",
    "phi_corrected",
    "phi_both",
    "imbalance",
    "conformity",
    "pair_ratio",
    "peer_only",
    "peer_only_sequential",
    "defend",
];

const CELL: &str = "graph,epsilon,share,attacker,victims,trust";
const EDGES: &str = "edges_honest,edges_lost,edges_noise,edges_fake";

fn main() -> Result<(), Box<dyn StdError>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["run", file, graphs, epsilons, shares, seeds, attackers, victims, trust] => {
            let (first, last) = seeds.split_once('-').unwrap_or((seeds, seeds));
            let attackers = if attackers == "all" { scenario::ATTACKERS.join(",") } else { attackers.to_owned() };
            let mut journal = Journal::open(Path::new(file))?;
            let worlds: Vec<World> = graphs.split(',').map(World::load).collect::<Result<_, _>>()?;
            for seed in first.parse()?..=last.parse()? {
                for epsilon in epsilons.split(',') {
                    for world in &worlds {
                        for share in shares.split(',') {
                            for attacker in attackers.split(',') {
                                journal.once(world, epsilon, share, attacker, victims, trust, seed)?;
                            }
                        }
                    }
                }
            }
            Ok(())
        }
        ["table", file] => table(&std::fs::read_to_string(file)?),
        ["cells", file] => cells(&std::fs::read_to_string(file)?),
        _ => Err("run FILE GRAPHS EPSILONS SHARES SEEDS ATTACKERS VICTIMS TRUST, table FILE, or cells FILE".into()),
    }
}

/// A graph and, where there are any, its visible profiles.
struct World {
    name: String,
    graph: CsrGraph,
    profiles: Option<CsrMatrix>,
}

impl World {
    fn load(name: &str) -> Result<Self, Box<dyn StdError>> {
        if let Some(sizes) = name.strip_prefix("random:") {
            let (nodes, edges) = sizes.split_once(':').ok_or("random:NODES:EDGES")?;
            let graph = scenario::random_graph(nodes.parse()?, edges.parse()?, 1);
            return Ok(Self { name: name.to_owned(), graph, profiles: None });
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let variable = std::env::var_os(graph_datasets::DATA_DIR_VARIABLE);
        let search = graph_datasets::SearchPath::standard(None, variable.as_deref(), &root);
        let dataset: Dataset = graph_datasets::load(name, &search)?;
        let profiles = dataset.features().cloned();
        Ok(Self { name: name.to_owned(), graph: dataset.graph().clone(), profiles })
    }
}

/// The trust model, and what profile fakes show.
fn trust_model(name: &str) -> Result<(TrustModel, FakeFeatures), Box<dyn StdError>> {
    let words: Vec<&str> = name.split(':').collect();
    Ok(match words[..] {
        ["oracle", error] => (TrustModel::oracle_of_five(error.parse()?), FakeFeatures::None),
        ["common"] => (TrustModel::CommonNeighbours, FakeFeatures::None),
        ["features", full] => (TrustModel::FeatureSimilarity { full: full.parse()? }, FakeFeatures::None),
        ["features", full, "mimic"] => {
            (TrustModel::FeatureSimilarity { full: full.parse()? }, FakeFeatures::VictimsMean)
        }
        ["uniform"] => (TrustModel::Uniform, FakeFeatures::None),
        _ => return Err(format!("no trust model is called {name}").into()),
    })
}

/// The journal: which runs are in it, and where the next line goes.
struct Journal {
    file: File,
    done: std::collections::BTreeSet<String>,
}

impl Journal {
    fn open(path: &Path) -> Result<Self, Box<dyn StdError>> {
        let mut text = if path.exists() { std::fs::read_to_string(path)? } else { String::new() };
        // A line that was cut off by a kill is done again.
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.set_len(text.len() as u64)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
        if text.is_empty() {
            let columns = |what: &str| DETECTORS.map(|name| format!("{name}_{what}")).join(",");
            let head = format!(
                "{CELL},seed,fakes,honest,{},{},{EDGES},seconds\n",
                columns("caught"),
                columns("honest_removed")
            );
            file.write_all(head.as_bytes())?;
        }
        let key = |line: &str| line.splitn(8, ',').take(7).collect::<Vec<_>>().join(",");
        Ok(Self { file, done: text.lines().map(key).collect() })
    }

    #[allow(clippy::too_many_arguments, reason = "the seven columns that name a run")]
    fn once(
        &mut self,
        world: &World,
        epsilon: &str,
        share: &str,
        attacker: &str,
        victims: &str,
        trust: &str,
        seed: u64,
    ) -> Result<(), Box<dyn StdError>> {
        let key = format!("{},{epsilon},{share},{attacker},{victims},{trust},{seed}", world.name);
        if !self.done.insert(key.clone()) {
            return Ok(());
        }
        let start = Instant::now();
        let law = scenario::law(epsilon.parse()?, LEVELS);
        let fakes = (share.parse::<f64>()? * world.graph.nodes() as f64).round().max(1.0) as usize;
        let (trust, features) = trust_model(trust)?;
        let attack = Attack { features, ..scenario::attacker(attacker, fakes, victims.parse()?) };
        let attacked = scenario::attacked_in(&world.graph, world.profiles.as_ref(), &law, &attack, &trust, seed)?;
        let options = DefenceOptions { memory_limit: 16 << 30, ..DefenceOptions::new(law) };
        let (removed, defence) = detect_all(&Signals::of(&attacked.lists), &options)?;
        let found: Vec<Detection> = removed.iter().map(|removed| Detection::of(removed, &attacked.fake)).collect();
        let edges = EdgeAccount::of(&defence.graph, &attacked.graph, &attacked.fake);
        let numbers = |number: fn(&Detection) -> usize| found.iter().map(number).collect::<Vec<usize>>();
        let row: Vec<String> = [fakes, world.graph.nodes()]
            .into_iter()
            .chain(numbers(|d| d.caught))
            .chain(numbers(|d| d.honest_removed))
            .chain([edges.honest, edges.honest_lost, edges.noise_kept, edges.fake_kept])
            .map(|number| number.to_string())
            .collect();
        let line = format!("{key},{},{:.2}\n", row.join(","), start.elapsed().as_secs_f64());
        self.file.write_all(line.as_bytes())?;
        Ok(())
    }
}

/// A cell of the table: what names it, how many seeds, and the sums of the journal's numbers over them.
struct Cell {
    name: String,
    seeds: usize,
    sums: Vec<f64>,
}

/// The cells in the order in which the journal has them first.
fn sums(text: &str) -> Result<Vec<Cell>, Box<dyn StdError>> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut cells: Vec<Cell> = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let numbers: Vec<f64> = fields[7..].iter().map(|field| field.parse()).collect::<Result<_, _>>()?;
        let name = fields[..6].join(",");
        let place = *places.entry(name.clone()).or_insert(cells.len());
        if place == cells.len() {
            cells.push(Cell { name, seeds: 0, sums: vec![0.0; numbers.len()] });
        }
        cells[place].seeds += 1;
        cells[place].sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
    Ok(cells)
}

fn cells(text: &str) -> Result<(), Box<dyn StdError>> {
    let head = text.lines().next().unwrap_or_default();
    let numbers = head.splitn(8, ',').last().unwrap_or_default();
    println!("{CELL},seeds,{}", numbers.trim_end_matches(",seconds"));
    for Cell { name, seeds, sums } in sums(text)? {
        let counts: Vec<String> = sums[..sums.len() - 1].iter().map(|sum| format!("{sum:.0}")).collect();
        println!("{name},{seeds},{}", counts.join(","));
    }
    Ok(())
}

fn table(text: &str) -> Result<(), Box<dyn StdError>> {
    let names = Detector::ALL.map(Detector::name).join(" | ");
    println!("| {} | seeds | {names} | edges lost | noise edges | fake edges |", CELL.replace(',', " | "));
    println!("|{}", "---|".repeat(6 + 1 + DETECTORS.len() + 3));
    for Cell { name, seeds, sums } in sums(text)? {
        let (fakes, honest, rest) = (sums[0], sums[1], &sums[2..]);
        let (caught, rest) = rest.split_at(DETECTORS.len());
        let (lost, edges) = rest.split_at(DETECTORS.len());
        let found = caught.iter().zip(lost);
        let shares = found.map(|(caught, lost)| format!("{:.1}/{:.2}", 100.0 * caught / fakes, 100.0 * lost / honest));
        let shares: Vec<String> = shares.collect();
        let percent = |part: f64| 100.0 * part / edges[0];
        println!(
            "| {} | {seeds} | {} | {:.1} | {:.1} | {:.2} |",
            name.replace(',', " | "),
            shares.join(" | "),
            percent(edges[1]),
            percent(edges[2]),
            percent(edges[3])
        );
    }
    Ok(())
}
