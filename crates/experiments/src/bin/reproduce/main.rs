//! The program behind `cargo xtask reproduce`: arguments in, records and a summary out.

mod arguments;
mod progress;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use clap::Parser;
use experiments::{
    DATA_DIR_VARIABLE, Error, Plan, SearchPath, Settings, code_stamp, run_plan, summary, tune, write_whole,
};

use arguments::Arguments;
use progress::Progress;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // What is wrong with the request itself is exit code 2, as for arguments that clap refuses.
    let plan = match arguments.plan() {
        Ok(plan) => plan,
        Err(error) => return complain(&error, 2),
    };
    match execute(&arguments, &plan) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if matches!(error.downcast_ref(), Some(Error::Stopped)) => {
            eprintln!("stopped; finished runs are kept: the same command goes on from here");
            ExitCode::from(130)
        }
        Err(error) => complain(&error, 1),
    }
}

fn complain(error: &anyhow::Error, code: u8) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(code)
}

fn execute(arguments: &Arguments, plan: &Plan) -> Result<()> {
    if arguments.print_spec {
        print!("{}", plan.to_toml()?);
        return Ok(());
    }
    let root = std::env::var_os("REPRODUCE_ROOT").map_or_else(|| PathBuf::from("."), PathBuf::from);
    let folder = arguments.out.clone().unwrap_or_else(|| root.join("target/reproduce"));
    let variable = std::env::var_os(DATA_DIR_VARIABLE);
    let search = SearchPath::standard(arguments.data.as_deref(), variable.as_deref(), &root);
    let settings = Settings {
        jobs: arguments.jobs(),
        threads: arguments.threads(),
        device: arguments.device,
        code: code_stamp(&root),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        // The second Ctrl-C does not wait for the epoch to end.
        if heard.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    if arguments.tune {
        let mut progress = Progress::new();
        let chosen = tune(plan, &search, &folder, &settings, &stop, |event| progress.tell(&event))?;
        progress.finish();
        print!("{chosen}");
        return Ok(());
    }
    if arguments.fresh {
        set_aside(&folder)?;
    }
    let mut progress = Progress::new();
    let records = run_plan(plan, &search, &folder, &settings, &stop, |event| progress.tell(&event))?;
    progress.finish();
    let written = plan.to_toml()?;
    let earlier = std::fs::read_to_string(folder.join("plan.toml"));
    if earlier.is_ok_and(|earlier| earlier != written) {
        eprintln!("{} held another plan: its summary is replaced, its records stay in runs.jsonl", folder.display());
    }
    let markdown = summary::markdown(plan, &records);
    write_whole(&folder.join("summary.md"), &markdown)?;
    write_whole(&folder.join("summary.csv"), &summary::csv(plan, &records))?;
    let timing = summary::timing_markdown(plan, &records);
    write_whole(&folder.join("timing.md"), &timing)?;
    write_whole(&folder.join("plan.toml"), &written)?;
    println!("{markdown}\n{timing}");
    let others = records.iter().filter(|record| record.code != settings.code).count();
    if others > 0 {
        println!(
            "{others} of {} runs were made earlier by other code (see `code` in runs.jsonl); --fresh makes them again",
            records.len()
        );
    }
    println!("wrote {}: runs.jsonl, summary.md, summary.csv, timing.md, plan.toml", folder.display());
    Ok(())
}

/// Renames an earlier record file, so that every run is made again and nothing is lost.
fn set_aside(folder: &Path) -> Result<()> {
    let path = folder.join("runs.jsonl");
    if !path.exists() {
        return Ok(());
    }
    let aside = (1..).map(|number| folder.join(format!("runs.{number}.jsonl"))).find(|aside| !aside.exists());
    let aside = aside.unwrap_or_else(|| folder.join("runs.old.jsonl"));
    std::fs::rename(&path, &aside).with_context(|| format!("cannot set {} aside", path.display()))?;
    eprintln!("earlier records are now in {}", aside.display());
    Ok(())
}
