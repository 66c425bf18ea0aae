//! From a printed number back to its records.

use std::path::Path;

use anyhow::Result;
use experiments::{Journal, Plan};

use crate::wrong::Wrong;

/// Prints the records whose id begins with `what`, or those of the method `what` at the point `at` of any plan in `out`.
pub(crate) fn trace(out: &Path, what: &str, at: &[String]) -> Result<()> {
    let journal = Journal::existing(out)?;
    let (mut found, mut text) = (0, String::new());
    for record in journal.records().iter().filter(|record| record.id.starts_with(what)) {
        text += &format!("{}\n", serde_json::to_string_pretty(record)?);
        found += 1;
    }
    let mut conditions = Vec::new();
    for condition in at {
        let wrong = || Wrong::Condition { text: condition.clone() };
        let (axis, value) = condition.split_once('=').ok_or_else(wrong)?;
        conditions.push((axis, value));
    }
    for plan in plans(out)? {
        let is_meant = |arm: &&experiments::PlannedArm| {
            let named = arm.name.to_lowercase().contains(&what.to_lowercase());
            named && conditions.iter().all(|(axis, value)| arm.at.get(*axis).is_some_and(|have| have == value))
        };
        for arm in plan.arms.iter().filter(is_meant) {
            for record in journal.records().iter().filter(|r| r.spec == arm.spec && r.seed == plan.seed) {
                text += &format!(
                    "{}  {}  {:?}  repeat {}  test {:.2} %  commit {}{}\n",
                    record.id,
                    arm.name,
                    arm.at,
                    record.repeat,
                    100.0 * record.outcome.test_accuracy,
                    record.code.commit.get(..12).unwrap_or(&record.code.commit),
                    if record.code.dirty { " (changed since)" } else { "" },
                );
                found += 1;
            }
        }
    }
    if found == 0 {
        let what = format!("{what} {}", at.join(" ")).trim_end().to_owned();
        return Err(Wrong::Untraced { folder: out.to_owned(), what }.into());
    }
    crate::say(&text)
}

fn plans(out: &Path) -> Result<Vec<Plan>> {
    let folder = out.join("plans");
    let mut plans = Vec::new();
    if folder.is_dir() {
        let mut paths: Vec<_> = std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        paths.sort();
        for path in paths {
            plans.push(Plan::read(&path)?);
        }
    }
    Ok(plans)
}
