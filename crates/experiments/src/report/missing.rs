//! What was not run: arms without a record, printed numbers without an arm, suites nobody asked for.

use maud::{Markup, html};

use super::{Chapter, distinct};
use crate::{Published, Suite};

/// Arms that are named; of more their number.
const NAMED: usize = 20;

/// The section.
pub(super) fn markup(chapters: &[Chapter<'_>], published: &Published, others: &[&Suite]) -> Markup {
    let unfinished: Vec<Markup> = chapters.iter().filter_map(unfinished).collect();
    let unmatched: Vec<Markup> = chapters.iter().flat_map(|chapter| unmatched(chapter, published)).collect();
    let is_whole = unfinished.is_empty() && unmatched.is_empty() && others.is_empty();
    html! {
        section #not-run {
            h2 { "What was not run" }
            @if is_whole { p { "Nothing is left out." } }
            @if !unfinished.is_empty() {
                h3 { "Arms with runs missing" }
                ul { @for one in unfinished { (one) } }
            }
            @if !unmatched.is_empty() {
                h3 { "Printed numbers beside which nothing was run" }
                ul { @for one in unmatched { (one) } }
            }
            @if !others.is_empty() {
                h3 { "Suites that were not asked for" }
                p.about { "Run one by " code { "cargo xtask reproduce --suite NAME" } ", all by " code { "--profile standard" } "." }
                ul { @for suite in others { li { code { (suite.name) } ": " (suite.title) } } }
            }
        }
    }
}

fn unfinished(chapter: &Chapter<'_>) -> Option<Markup> {
    let plan = chapter.section.plan;
    let left = |arm: &crate::PlannedArm| {
        let made = chapter.rows.iter().find(|row| row.spec == arm.spec).map_or(0, |row| row.records.len());
        let left = (plan.repeats as usize).saturating_sub(made);
        let at: Vec<String> = arm.at.iter().map(|(axis, value)| format!("{axis} = {value}")).collect();
        (left > 0).then(|| format!("{} ({}): {left} of {} runs", arm.name, at.join(", "), plan.repeats))
    };
    let lines: Vec<String> = plan.arms.iter().filter_map(left).collect();
    (!lines.is_empty()).then(|| {
        html! {
            li {
                (chapter.title()) ": " (lines.len()) " of " (plan.arms.len()) " arms"
                ul {
                    @for line in lines.iter().take(NAMED) { li { (line) } }
                    @if lines.len() > NAMED { li { "and " (lines.len() - NAMED) " more" } }
                }
            }
        }
    })
}

/// Printed cells of a chapter's suite that no row stands beside, by paper and method.
fn unmatched(chapter: &Chapter<'_>, published: &Published) -> Vec<Markup> {
    let used = |cell: &&crate::PublishedCell| chapter.cells.iter().flatten().any(|other| std::ptr::eq(*other, *cell));
    let mine = published.cells().iter().filter(|cell| cell.suite == chapter.section.name && cell.value.is_some());
    let left: Vec<_> = mine.filter(|cell| !used(cell)).collect();
    let line = |(paper, method): (&String, &String)| {
        let of: Vec<_> = left.iter().filter(|cell| cell.paper == *paper && cell.method == *method).collect();
        let datasets = distinct(of.iter().filter_map(|cell| cell.at.get("dataset")).map(String::as_str));
        html! { li { (paper) ", " (method) " on " (datasets.join(", ")) ": " (of.len()) } }
    };
    distinct(left.iter().map(|cell| (&cell.paper, &cell.method))).into_iter().map(line).collect()
}
