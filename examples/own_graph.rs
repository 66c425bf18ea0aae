//! Your own graph: a folder with `labels.csv` (node,label), `edges.csv` (a header, then two nodes a line) and
//! `features.csv` (node, then one column a feature). What every feature could be must be said, not looked up: LOW HIGH.
//!
//! `cargo run --release -p examples --example own_graph -- FOLDER [LOW HIGH]`; without FOLDER on a tiny one that it writes.

use std::path::{Path, PathBuf};

use anyhow::Context;
use experiments::mechanism::{MultiBit, SampleSize};
use experiments::{DatasetSpec, FeatureSpec, ModelKind, Plan, PlannedArm, SearchPath, Spec, summary};

fn main() -> anyhow::Result<()> {
    let (given, temporary) = (std::env::args().skip(1).collect::<Vec<String>>(), tempfile::tempdir()?);
    let folder = given.first().map_or(temporary.path().join("tiny"), PathBuf::from);
    if given.is_empty() {
        write_tiny(&folder)?
    }
    anyhow::ensure!(given.len() != 2, "a range is two numbers: FOLDER LOW HIGH");
    let read = |text: &String| text.parse().with_context(|| format!("{text:?} for FOLDER LOW HIGH"));
    let bound = |at: usize, default: f64| given.get(at).map_or(Ok(default), read);
    let own = DatasetSpec::Own { folder, lower: bound(1, 0.0)?, upper: bound(2, 1.0)? };
    let mechanism = MultiBit { epsilon: "3".parse()?, sample_size: SampleSize::Optimal }.into();
    let mut spec = Spec::of(own, FeatureSpec::Private { mechanism }, ModelKind::Gcn)?;
    spec.training.epochs = 100;
    let plan = Plan { seed: 1, repeats: 3, arms: vec![PlannedArm::new("LPGNN", spec)] }.with_controls();
    let records = plan.run(&SearchPath::new(vec![]), |_| {})?;
    println!("{}\n{}", summary::markdown(&plan, &records), summary::legend());
    Ok(())
}

/// Two rings of 30 people who like tea or coffee.
fn write_tiny(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let lines = |head: &str, line: &dyn Fn(usize) -> String| head.to_owned() + &(0..60).map(line).collect::<String>();
    std::fs::write(folder.join("labels.csv"), lines("node,label\n", &|n| format!("n{n},team {}\n", n / 30)))?;
    let next = |n: usize| n / 30 * 30 + (n + 1) % 30;
    std::fs::write(folder.join("edges.csv"), lines("from,to\n", &|n| format!("n{n},n{}\n", next(n))))?;
    let features = |n: usize| format!("n{n},{},{}\n", 1 - n / 30, n / 30);
    std::fs::write(folder.join("features.csv"), lines("node,tea,coffee\n", &features))
}
