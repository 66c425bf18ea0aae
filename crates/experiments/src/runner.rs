//! Makes the runs of a plan: some at the same time, each at most once, stoppable between epochs.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use gnn_models::DeviceChoice;
use graph_datasets::SearchPath;

use crate::record::{CodeStamp, identity};
use crate::{Error, Estimate, Journal, Plan, PlannedArm, Record, Shard, Spec, Truth, run};

/// How a plan is run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Runs made at the same time.
    pub jobs: usize,
    /// Threads for each run.
    pub threads: usize,
    /// Where models are trained.
    pub device: DeviceChoice,
    /// The code that runs.
    pub code: CodeStamp,
    /// Part of the runs that is made here; all without it.
    pub shard: Option<Shard>,
}

/// What happens while a plan is run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Known before the first run.
    Planned {
        /// All runs.
        total: usize,
        /// Finished by an earlier process.
        finished: usize,
        /// Whether that process left a torn line.
        torn: bool,
    },
    /// A run is finished and on the disk.
    Finished(&'a Record),
}

/// One run of a plan.
struct Task<'a> {
    id: String,
    place: usize,
    spec: &'a Spec,
    truth: &'a Truth,
    repeat: u32,
}

/// Runs what the plan asks for and the journal in `folder` lacks; returns the plan's records in plan order.
///
/// `tell` hears of each event, on the caller's thread. When `stop` becomes true the runs under way are given up and
/// [`Error::Stopped`] comes back; all finished runs are in the journal.
///
/// # Errors
/// [`Error::Stopped`], and what data, pipeline and journal report. The first error ends the plan.
pub fn run_plan(
    plan: &Plan,
    search: &SearchPath,
    folder: &Path,
    settings: &Settings,
    stop: &AtomicBool,
    mut tell: impl FnMut(Event<'_>),
) -> Result<Vec<Record>, Error> {
    let truths = load(plan, search)?;
    let mut tasks = tasks(plan, &truths);
    let order: Vec<String> = tasks.iter().map(|task| task.id.clone()).collect();
    let mut journal = Journal::open(folder)?;
    tasks.retain(|task| !journal.records().iter().any(|record| record.id == task.id));
    let finished = order.len() - tasks.len();
    tasks.retain(|task| settings.shard.is_none_or(|shard| shard.has(task.place)));
    tell(Event::Planned { total: finished + tasks.len(), finished, torn: journal.was_torn() });
    make(tasks, plan.seed, settings, stop, |record| {
        journal.append(record)?;
        if let Some(record) = journal.records().last() {
            tell(Event::Finished(record));
        }
        Ok(())
    })?;
    let find = |id: &String| journal.records().iter().find(|record| record.id == *id).cloned();
    Ok(order.iter().filter_map(find).collect())
}

impl Plan {
    /// Makes every run of the plan, one after the other, each on all cores, and keeps nothing on the disk; `tell` hears
    /// of each. For small plans: [`run_plan`] is the one that can be stopped and goes on where it was.
    ///
    /// # Errors
    /// What data and pipeline report.
    pub fn run(&self, search: &SearchPath, mut tell: impl FnMut(&Record)) -> Result<Vec<Record>, Error> {
        let truths = load(self, search)?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let code = crate::code_stamp();
        let settings = Settings { jobs: 1, threads, device: DeviceChoice::Cpu, code, shard: None };
        let mut records = Vec::new();
        make(tasks(self, &truths), self.seed, &settings, &AtomicBool::new(false), |record| {
            tell(&record);
            records.push(record);
            Ok(())
        })?;
        Ok(records)
    }
}

/// What a plan will cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// Runs of this part of the plan.
    pub runs: usize,
    /// Of these, finished.
    pub finished: usize,
    /// Estimated seconds on one core for what is left.
    pub seconds: f64,
    /// Estimated memory of the largest run that is left, MiB.
    pub largest_mib: f64,
}

/// Says what a plan will cost, without running it. Nothing is written.
///
/// # Errors
/// What data and journal report.
pub fn outlook(plan: &Plan, search: &SearchPath, folder: &Path, shard: Option<Shard>) -> Result<Outlook, Error> {
    let truths = load(plan, search)?;
    let mut tasks = tasks(plan, &truths);
    tasks.retain(|task| shard.is_none_or(|shard| shard.has(task.place)));
    let runs = tasks.len();
    if folder.join("runs.jsonl").exists() {
        let journal = Journal::open(folder)?;
        tasks.retain(|task| !journal.records().iter().any(|record| record.id == task.id));
    }
    let mut outlook = Outlook { runs, finished: runs - tasks.len(), seconds: 0.0, largest_mib: 0.0 };
    for task in tasks {
        let estimate = Estimate::of(task.spec, task.truth)?;
        outlook.seconds += estimate.seconds;
        outlook.largest_mib = outlook.largest_mib.max(estimate.memory_mib);
    }
    Ok(outlook)
}

fn load(plan: &Plan, search: &SearchPath) -> Result<Vec<Truth>, Error> {
    plan.check()?;
    let mut truths: Vec<Truth> = Vec::new();
    for PlannedArm { spec, .. } in &plan.arms {
        if !truths.iter().any(|truth| truth.spec() == &spec.dataset) {
            truths.push(Truth::load(&spec.dataset, search)?);
        }
    }
    // What an arm lacks is said before the first run, and by an outlook too.
    for PlannedArm { spec, .. } in &plan.arms {
        let truth = truths.iter().find(|truth| truth.spec() == &spec.dataset).expect("each data set was loaded");
        if spec.features.needs_rows() {
            truth.features()?;
        }
    }
    Ok(truths)
}

/// Every run of the plan: all arms of a repeat, then the next repeat.
fn tasks<'a>(plan: &'a Plan, truths: &'a [Truth]) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for repeat in 0..plan.repeats {
        for PlannedArm { spec, .. } in &plan.arms {
            let truth = truths.iter().find(|truth| truth.spec() == &spec.dataset).expect("each data set was loaded");
            let id = identity(spec, plan.seed, repeat, &truth.stamp().sha256);
            tasks.push(Task { id, place: tasks.len(), spec, truth, repeat });
        }
    }
    tasks
}

/// Makes the tasks on `jobs` threads and hands each record to `keep`, on the caller's thread.
fn make(
    tasks: Vec<Task<'_>>,
    seed: u64,
    settings: &Settings,
    stop: &AtomicBool,
    mut keep: impl FnMut(Record) -> Result<(), Error>,
) -> Result<(), Error> {
    let queue = Mutex::new(VecDeque::from(tasks));
    let failed = AtomicBool::new(false);
    let given_up = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs {
            let send = send.clone();
            scope.spawn(|| {
                let send = send;
                let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build();
                let pool = match pool {
                    Ok(pool) => pool,
                    Err(error) => return drop(send.send(Err(Error::Threads(error.to_string())))),
                };
                while !given_up() {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(task) = next else { break };
                    let made = pool.install(|| run(task.spec, task.truth, seed, task.repeat, settings, &given_up));
                    if send.send(made).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut first = Ok(());
        for made in receive {
            if let Err(error) = made.and_then(&mut keep) {
                failed.store(true, Ordering::Relaxed);
                // What the others say after the first failure is that they were stopped.
                first = first.and(Err(error));
            }
        }
        first
    })?;
    if stop.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
}
