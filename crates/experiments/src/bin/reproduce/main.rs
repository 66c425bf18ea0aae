//! The program behind `cargo xtask reproduce`: arguments in, records and a report out.

mod arguments;
mod output;
mod progress;
mod trace;
mod wrong;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use clap::Parser;
use experiments::{
    DATA_DIR_VARIABLE, Error, Outlook, Published, SearchPath, Settings, Suite, checkout_commit, code_stamp, merge,
    outlook, run_plan, tune,
};

use arguments::{Arguments, Command, Request};
use output::Finished;
use progress::Progress;
use wrong::{Wrong, exit_code};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = std::env::var_os("REPRODUCE_ROOT").map_or_else(|| PathBuf::from("."), PathBuf::from);
    if let Some(command) = &arguments.command {
        return finish(instead(command));
    }
    if arguments.list {
        return finish(list(&root));
    }
    // Whatever is wrong at this point is wrong with the request: exit code 2, as for arguments that clap refuses.
    let requests = match arguments.requests(&root) {
        Ok(requests) => requests,
        Err(error) => return complain(&error, 2),
    };
    tell_of_another_commit(&arguments, &root);
    finish(execute(&arguments, &root, &requests))
}

/// Suites and printed numbers are read from the checkout, which may have moved on since the program was built.
fn tell_of_another_commit(arguments: &Arguments, root: &Path) {
    let (built, now) = (code_stamp().commit, checkout_commit(root));
    if let Some(now) = now.filter(|now| arguments.spec.is_none() && *now != built) {
        eprintln!(
            "note: this program was built from commit {built}, as its records will say; the suites are those of {now} in {}. \
             `cargo xtask reproduce` builds it anew",
            root.display()
        );
    }
}

fn finish(outcome: Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => match exit_code(&error) {
            130 => {
                eprintln!("stopped; finished runs are kept: the same command goes on from here");
                ExitCode::from(130)
            }
            code => complain(&error, code),
        },
    }
}

fn complain(error: &anyhow::Error, code: u8) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(code)
}

fn instead(command: &Command) -> Result<()> {
    match command {
        Command::Merge { from, into } => {
            let merged = merge(from, into)?;
            let mut text = String::new();
            for (folder, new) in from.iter().zip(merged.new) {
                text += &format!("{}: {new} new records\n", folder.display());
            }
            say(&format!("{text}{}: {} records; run the suites with --out to see them\n", into.display(), merged.total))
        }
        Command::Trace { out, what, at } => trace::trace(out, what, at),
    }
}

fn list(root: &Path) -> Result<()> {
    let mut text = String::new();
    for suite in Suite::all(&root.join("data/suites"))? {
        let about = suite.about.trim().replace('\n', "\n    ");
        text += &format!("{}\n    {}\n    {about}\n", suite.name, suite.title);
    }
    say(&text)
}

fn execute(arguments: &Arguments, root: &Path, requests: &[Request]) -> Result<()> {
    if arguments.print_spec {
        let [request] = requests else { return Err(Wrong::Plans { plans: requests.len() }.into()) };
        println!(
            "# Every knob of every arm; each [[arm]] is run `repeats` times. What a knob means: cargo doc -p experiments."
        );
        print!("{}", request.plan.to_toml()?);
        return Ok(());
    }
    let folder = arguments.out.clone().unwrap_or_else(|| root.join("target/reproduce"));
    let variable = std::env::var_os(DATA_DIR_VARIABLE);
    let search = SearchPath::standard(arguments.data.as_deref(), variable.as_deref(), root);
    let outlooks = requests.iter().map(|request| outlook(&request.plan, &search, &folder, arguments.shard));
    let outlooks: Vec<Outlook> = outlooks.collect::<Result<_, Error>>()?;
    let jobs = jobs(arguments, &outlooks)?;
    if arguments.dry_run {
        return tell_outlook(requests, &outlooks, jobs);
    }
    // Before the runs: a mistake there must not be found after hours.
    let record = arguments.record.as_deref().map(|name| output::place(root, name)).transpose()?;
    let published = Published::read(&root.join("data/papers"))?;
    let settings = Settings {
        jobs,
        threads: arguments.threads(jobs),
        device: arguments.device,
        code: code_stamp(),
        shard: arguments.shard,
    };
    let stop = listen()?;
    if arguments.tune {
        for request in requests {
            let mut progress = Progress::new();
            let chosen = tune(&request.plan, &search, &folder, &settings, &stop, |event| progress.tell(&event))?;
            progress.finish();
            print!("{chosen}");
        }
        return Ok(());
    }
    if arguments.fresh {
        set_aside(&folder)?;
    }
    let mut finished = Vec::new();
    for request in requests {
        if let (Some(suite), true) = (&request.suite, requests.len() > 1) {
            eprintln!("{}: {}", suite.name, suite.title);
        }
        let mut progress = Progress::new();
        let made = run_plan(&request.plan, &search, &folder, &settings, &stop, |event| progress.tell(&event));
        progress.finish();
        finished.push(Finished { request, records: made? });
    }
    output::write(&folder, root, &finished, &settings, &published, record.as_deref())
}

/// Runs at the same time that fit in memory.
fn jobs(arguments: &Arguments, outlooks: &[Outlook]) -> Result<usize> {
    let largest = outlooks.iter().map(|outlook| outlook.largest_mib).fold(1.0, f64::max);
    let most = arguments.max_memory * 1024.0;
    if largest > most {
        return Err(Wrong::Memory { needed: largest, allowed: most }.into());
    }
    Ok(arguments.jobs().min((most / largest) as usize))
}

fn tell_outlook(requests: &[Request], outlooks: &[Outlook], jobs: usize) -> Result<()> {
    let (mut runs, mut seconds, mut text) = (0, 0.0, String::new());
    for (request, outlook) in requests.iter().zip(outlooks) {
        let name = request.suite.as_ref().map_or("plan", |suite| &suite.name);
        let left = outlook.runs - outlook.finished;
        text += &format!(
            "{name}: {} runs, {left} left, about {:.0} min on one core, largest about {:.0} MiB\n",
            outlook.runs,
            outlook.seconds / 60.0,
            outlook.largest_mib
        );
        runs += left;
        seconds += outlook.seconds;
    }
    let minutes = seconds / 60.0 / jobs as f64;
    say(&format!("{text}in all {runs} runs left, about {minutes:.0} min with {jobs} at the same time\n"))
}

/// Prints; who stops reading, as `head` does, has read enough.
fn say(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

fn listen() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        // The second Ctrl-C does not wait for the epoch to end.
        if heard.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
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
