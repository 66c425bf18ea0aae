//! What is left in the output folder: plans, summary, times.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use experiments::{Published, Record, Settings, Suite, report, summary, write_whole};

use crate::arguments::Request;
use crate::wrong::Wrong;

/// A plan with its records.
pub(crate) struct Finished<'a> {
    pub(crate) request: &'a Request,
    pub(crate) records: Vec<Record>,
}

impl Finished<'_> {
    fn name(&self) -> &str {
        self.request.suite.as_ref().map_or("plan", |suite| &suite.name)
    }
}

/// Writes everything and prints the summary.
pub(crate) fn write(
    folder: &Path,
    root: &Path,
    all: &[Finished<'_>],
    settings: &Settings,
    published: &Published,
    record: Option<&Path>,
) -> Result<()> {
    let plans = folder.join("plans");
    std::fs::create_dir_all(&plans).with_context(|| format!("cannot create {}", plans.display()))?;
    let (mut markdown, mut csv, mut timing) = (String::from("# Results\n\n"), String::new(), String::new());
    for finished in all {
        let Request { suite, plan } = finished.request;
        let written = plan.to_toml()?;
        let path = plans.join(finished.name()).with_extension("toml");
        if std::fs::read_to_string(&path).is_ok_and(|earlier| earlier != written) {
            eprintln!("{} held another plan: its summary is replaced, its records stay in runs.jsonl", path.display());
        }
        write_whole(&path, &written)?;
        if let Some(suite) = suite {
            markdown += &format!("## {}\n\n{}\n\n", suite.title, suite.about.trim());
        }
        markdown += &summary::markdown_beside(plan, &finished.records, finished.name(), published);
        markdown.push('\n');
        csv += &summary::csv(finished.name(), plan, &finished.records, published, csv.is_empty());
        timing += &format!("{}\n\n{}\n", finished.name(), summary::timing_markdown(plan, &finished.records));
    }
    markdown += summary::legend();
    write_whole(&folder.join("summary.md"), &markdown)?;
    write_whole(&folder.join("summary.csv"), &csv)?;
    write_whole(&folder.join("timing.md"), &timing)?;
    write_whole(&folder.join("report.html"), &page(root, all, published))?;
    println!("{markdown}\n{timing}");
    let records = || all.iter().flat_map(|finished| &finished.records);
    let others = records().filter(|record| record.code != settings.code).count();
    if others > 0 {
        println!(
            "{others} of {} runs were made earlier by other code (see `code` in runs.jsonl); --fresh makes them again",
            records().count()
        );
    }
    println!("wrote {}: report.html, runs.jsonl, plans/, summary.md, summary.csv, timing.md", folder.display());
    if let Some(target) = record {
        copy(folder, target).with_context(|| format!("cannot copy to {}", target.display()))?;
        println!("recorded in {}", target.display());
    }
    Ok(())
}

/// The report, which also names the suites that were not asked for.
fn page(root: &Path, all: &[Finished<'_>], published: &Published) -> String {
    let sections: Vec<_> = all
        .iter()
        .map(|finished| report::Section {
            name: finished.name(),
            suite: finished.request.suite.as_ref(),
            plan: &finished.request.plan,
            records: &finished.records,
        })
        .collect();
    // A broken suite file that nobody asked for must not cost the report.
    let suites = Suite::all(&root.join("data/suites")).unwrap_or_default();
    let is_other = |suite: &&Suite| all.iter().all(|finished| finished.name() != suite.name);
    report::html(&sections, published, &suites.iter().filter(is_other).collect::<Vec<_>>())
}

/// Where a record of this name goes, `data/results/DATE-NAME`; refused where there is one.
pub(crate) fn place(root: &Path, name: &str) -> Result<PathBuf> {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_secs();
    let target = root.join("data/results").join(format!("{}-{name}", date(seconds / 86_400)));
    if target.exists() {
        return Err(Wrong::Recorded { path: target }.into());
    }
    Ok(target)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        if kind.is_dir() && name == "plans" {
            copy(&entry.path(), &to.join(name))?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

/// The date of a day counted from 1970-01-01 [Howard Hinnant, civil_from_days].
fn date(day: u64) -> String {
    let shifted = day + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!([0, 59, 11_016, 20_787].map(date), ["1970-01-01", "1970-03-01", "2000-02-29", "2026-11-30"]);
    }
}
