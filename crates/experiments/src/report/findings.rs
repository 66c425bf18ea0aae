//! What the numbers say, in sentences that are computed from them.

use maud::{Markup, html};

use super::{Chapter, distinct};
use crate::summary::{Row, benefit, shown};
use crate::{Agreement, Arm, Interval};

/// Findings on top of the page.
const MOST: usize = 3;

/// The findings that the runs support.
pub(super) fn markup(chapters: &[Chapter<'_>]) -> Markup {
    let candidates = [features(chapters), papers(chapters), defences(chapters), price(chapters)];
    let findings: Vec<Markup> = candidates.into_iter().flatten().take(MOST).collect();
    html! {
        section.findings {
            h2 { "What the numbers say" }
            @if findings.is_empty() { p.none { "Nothing yet: no private arm has a finished run." } }
            ol { @for finding in findings { li { (finding) } } }
        }
    }
}

/// A method at its place, for a sentence.
fn at(row: &Row) -> String {
    let epsilon = row.spec.features.epsilon().map_or(String::new(), |epsilon| format!(" at ε = {epsilon}"));
    let dataset = row.dataset();
    format!("{}{epsilon} on {dataset} ({})", row.name, row.spec.model.kind.label())
}

/// How often the data in reports helped.
fn features(chapters: &[Chapter<'_>]) -> Option<Markup> {
    let rows = || chapters.iter().flat_map(Chapter::private);
    let with = |of: fn(&Row) -> Option<Interval>| -> Vec<(&Row, Interval)> {
        rows().filter_map(|row| Some((row, of(row)?))).filter(|(_, interval)| interval.half_width.is_some()).collect()
    };
    let benefits = with(|row| row.feature_benefit);
    if benefits.is_empty() {
        return None;
    }
    let is_above = |(_, interval): &&(&Row, Interval)| interval.excludes_zero() && interval.mean > 0.0;
    let helped = benefits.iter().filter(is_above).count();
    let best = benefits.iter().filter(is_above).max_by(|one, other| one.1.mean.total_cmp(&other.1.mean));
    let over_free = with(|row| row.over_feature_free);
    let beat = over_free.iter().filter(is_above).count();
    let lost = over_free.iter().filter(|(_, interval)| interval.excludes_zero() && interval.mean < 0.0).count();
    Some(html! {
        strong {
            "The data in the reports helped in " (helped) " of " (benefits.len()) " private settings"
        }
        ": there the 95 % interval of accuracy less SIM lies above zero"
        @if helped > 0 { " (by chance alone about " (format!("{:.0}", (benefits.len() as f64 / 40.0).ceil())) " would)" }
        "."
        @if let Some((row, interval)) = best { " Most: " (at(row)) ", " (benefit(*interval)) " points." }
        @if !over_free.is_empty() {
            " Random numbers in place of the reports (FeatFree) were beaten in " (beat) " of " (over_free.len())
            " and were better in " (lost) "; in the rest the interval contains zero."
        }
    })
}

/// How many printed numbers were met.
fn papers(chapters: &[Chapter<'_>]) -> Option<Markup> {
    let compared: Vec<_> = chapters
        .iter()
        .flat_map(|chapter| chapter.rows.iter().zip(&chapter.cells))
        .filter_map(|(row, cell)| cell.and_then(|cell| Some((row, cell, cell.compare(row.accuracy)?))))
        .collect();
    let furthest = compared.iter().max_by(|one, other| one.2.0.abs().total_cmp(&other.2.0.abs()))?;
    let count = |wanted: Agreement| compared.iter().filter(|(_, _, (_, agreement))| *agreement == wanted).count();
    let (row, cell, (difference, _)) = furthest;
    Some(html! {
        strong {
            (count(Agreement::Inside)) " of " (compared.len()) " printed numbers lie inside our 95 % interval"
        }
        ", " (count(Agreement::Close)) " more within 2 points, " (count(Agreement::Apart)) " further off. Furthest: " (at(row)) ", ours "
        (shown(row.accuracy)) ", printed " (cell.shown()) " (" (format!("{difference:+.1}")) ")."
    })
}

/// Which defence caught how many fakes.
fn defences(chapters: &[Chapter<'_>]) -> Option<Markup> {
    let rows: Vec<&Row> = chapters
        .iter()
        .flat_map(Chapter::private)
        .filter(|row| row.defence.as_ref().is_some_and(|defence| defence.caught.is_some()))
        .collect();
    let mean = |name: &str, of: fn(&Row) -> Option<f64>| {
        let values: Vec<f64> = rows.iter().filter(|row| row.name == name).filter_map(|row| of(row)).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let caught: fn(&Row) -> Option<f64> = |row| Some(row.defence.as_ref()?.caught?.mean);
    let removed: fn(&Row) -> Option<f64> = |row| Some(row.defence.as_ref()?.honest_removed.mean);
    let names = distinct(rows.iter().map(|row| row.name.as_str()));
    let best = *names.iter().max_by(|one, other| mean(one, caught).total_cmp(&mean(other, caught)))?;
    let best_caught = mean(best, caught);
    Some(html! {
        @if best_caught > 0.0 {
            strong { "“" (best) "” caught " (format!("{best_caught:.0}")) " % of the fakes" }
            " and removed " (format!("{:.1}", mean(best, removed))) " % of the honest users, over all its settings"
            @if names.len() > 1 {
                "; caught by the others: "
                @for (place, name) in names.iter().filter(|name| **name != best).enumerate() {
                    @if place > 0 { "; " }
                    (name) " – " (format!("{:.0}", mean(name, caught))) " %"
                }
            }
            "."
        } @else {
            strong { "No defence that was run caught a fake." }
        }
    })
}

/// How far the best private setting lies below the true features.
fn price(chapters: &[Chapter<'_>]) -> Option<Markup> {
    let gap = |(chapter, row): (&Chapter<'_>, &Row)| {
        let clean = chapter.control(row, Arm::Clean)?.accuracy;
        Some((row.accuracy.mean - clean.mean, clean))
    };
    let rows = chapters.iter().flat_map(|chapter| chapter.private().map(move |row| (chapter, row)));
    let found = rows.filter_map(|(chapter, row)| Some((row, gap((chapter, row))?)));
    let (row, (_, clean)) = found.max_by(|one, other| one.1.0.total_cmp(&other.1.0))?;
    Some(html! {
        strong { "Closest to the true features comes " (at(row)) }
        ": " (shown(row.accuracy)) " % against " (shown(clean)) " % for NonPriv."
    })
}
