//! Makes the runs of a plan: some at the same time, each at most once, stoppable between epochs.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use gnn_models::DeviceChoice;
use graph_datasets::SearchPath;

use crate::record::{CodeStamp, identity};
use crate::{Error, Journal, Plan, Record, Spec, Truth, run};

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
    plan.check()?;
    let mut truths: Vec<Truth> = Vec::new();
    for arm in &plan.arms {
        if !truths.iter().any(|truth| truth.spec() == &arm.dataset) {
            truths.push(Truth::load(&arm.dataset, search)?);
        }
    }
    let mut journal = Journal::open(folder)?;
    let mut tasks = Vec::new();
    for repeat in 0..plan.repeats {
        for spec in &plan.arms {
            let truth = truths.iter().find(|truth| truth.spec() == &spec.dataset).expect("each data set was loaded");
            let id = identity(spec, plan.seed, repeat, &truth.stamp().sha256);
            tasks.push(Task { id, spec, truth, repeat });
        }
    }
    let order: Vec<String> = tasks.iter().map(|task| task.id.clone()).collect();
    tasks.retain(|task| !journal.records().iter().any(|record| record.id == task.id));
    tell(Event::Planned { total: order.len(), finished: order.len() - tasks.len(), torn: journal.was_torn() });
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
