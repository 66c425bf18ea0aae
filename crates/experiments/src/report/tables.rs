//! The tables of a chapter: accuracy beside paper and controls, detection, certificates.

use maud::{Markup, html};

use super::{Chapter, axis_label, axis_value, distinct};
use crate::summary::{self, Row, benefit, budget, labels, mechanism, shown};
use crate::{Agreement, Arm, Interval, PublishedCell};

/// Accuracy of private arms, and folded below it of their controls.
pub(super) fn accuracy(chapter: &Chapter<'_>) -> Markup {
    let is_private = |row: &Row| row.spec.features.arm() == Arm::Private;
    let with_cells =
        || chapter.rows.iter().zip(chapter.cells.iter().copied()).filter(|(row, _)| row.detectors().is_empty());
    let private: Vec<_> = with_cells().filter(|(row, _)| is_private(row)).collect();
    let controls: Vec<_> = with_cells().filter(|(row, _)| !is_private(row)).collect();
    html! {
        @if !private.is_empty() { h3 { "Accuracy" } (table(chapter, &private)) }
        @if !controls.is_empty() {
            details open[private.is_empty()] {
                summary { "Controls: NonPriv, SIM, FeatFree (" (controls.len()) ")" }
                (table(chapter, &controls))
            }
        }
    }
}

fn table(chapter: &Chapter<'_>, rows: &[(&Row, Option<&PublishedCell>)]) -> Markup {
    let mut axes = chapter.varied(None);
    axes.retain(|axis| !["epsilon", "label_epsilon", "epsilon_a", "K"].contains(axis));
    let has_paper = rows.iter().any(|(_, cell)| cell.is_some());
    let has_labels = rows.iter().any(|(row, _)| row.spec.labels.epsilon().is_some());
    let has_lists = rows.iter().any(|(row, _)| row.spec.structure.epsilon().is_some());
    let has_benefit = rows.iter().any(|(row, _)| row.feature_benefit.or(row.over_feature_free).is_some());
    let columns = 6
        + axes.len()
        + 3 * usize::from(has_paper)
        + usize::from(has_labels)
        + usize::from(has_lists)
        + 2 * usize::from(has_benefit);
    let groups = distinct(rows.iter().map(|(row, _)| group(row)));
    html! {
        div.scroll tabindex="0" {
            table {
                thead {
                    tr {
                        th { "method" }
                        @for axis in &axes { th { (axis_label(axis)) } }
                        th.num { "ε" }
                        @if has_labels { th { "labels" } }
                        th.num { "test accuracy, %" }
                        @if has_paper { th.num { "paper, %" } th.num { "difference" } th { "paper’s is" } }
                        @if has_benefit { th.num { "feature benefit, points" } th.num { "over FeatFree, points" } }
                        th { "reports" }
                        @if has_lists { th.num { "ε of a list entry" } }
                        th.num { "K" }
                        th.num { "runs" }
                    }
                }
                @for wanted in &groups {
                    tbody {
                        tr.group { th colspan=(columns) { span { (wanted) } } }
                        @for (row, cell) in rows.iter().filter(|(row, _)| group(row) == *wanted) {
                            tr {
                                th scope="row" { (row.name) }
                                @for axis in &axes { td { (row.at.get(*axis).map_or("–", |value| axis_value(value))) } }
                                td.num { (budget(row.spec.features.epsilon())) }
                                @if has_labels { td { (labels(&row.spec)) } }
                                td.num title=(origin(row)) { (shown(row.accuracy)) }
                                @if has_paper { (paper(row, *cell)) }
                                @if has_benefit {
                                    (difference(row, row.feature_benefit))
                                    (difference(row, row.over_feature_free))
                                }
                                td { (mechanism(&row.spec)) }
                                @if has_lists { td.num { (budget(row.spec.structure.epsilon())) } }
                                td.num { (row.spec.denoise.steps) }
                                td.num { (row.accuracy.count) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn group(row: &Row) -> String {
    let dataset = row.dataset();
    format!("{dataset}, {}", row.spec.model.kind.label())
}

/// Where a number comes from: the first of its records.
pub(super) fn origin(row: &Row) -> String {
    let first: Vec<&str> = row.records.iter().take(3).map(|id| id.get(..12).unwrap_or(id)).collect();
    let more = if row.records.len() > 3 { " …" } else { "" };
    format!("records {}{more}; see them: cargo xtask reproduce trace {}", first.join(" "), first.first().unwrap_or(&""))
}

fn paper(row: &Row, cell: Option<&PublishedCell>) -> Markup {
    let Some(cell) = cell else { return html! { td.num { "–" } td.num { "–" } td { "–" } } };
    html! {
        td.num title=(cell.origin()) { (cell.shown()) }
        @match cell.compare(row.accuracy) {
            Some((difference, agreement)) => {
                td.num { (format!("{difference:+.1}")) }
                td { span class=(class(agreement)) { (agreement.label()) } }
            },
            None => { td.num { "–" } td { "–" } },
        }
    }
}

fn class(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Inside => "tag good",
        Agreement::Close => "tag",
        Agreement::Apart => "tag bad",
    }
}

fn difference(row: &Row, interval: Option<Interval>) -> Markup {
    let Some(interval) = interval else { return html! { td.num { "–" } } };
    let class = match (interval.excludes_zero(), interval.mean > 0.0) {
        (false, _) => "num none",
        (true, true) => "num above",
        (true, false) => "num below",
    };
    html! { td class=(class) title=(origin(row)) { (benefit(interval)) } }
}

/// What became of fakes and edges, private arms only: controls share their lists.
pub(super) fn defence(chapter: &Chapter<'_>) -> Markup {
    let rows: Vec<_> = chapter.private().filter_map(|row| Some((row, row.defence.as_ref()?))).collect();
    if rows.is_empty() {
        return html! {};
    }
    let mut axes = chapter.varied(None);
    axes.retain(|axis| !["epsilon", "epsilon_a"].contains(axis));
    let maybe = |interval: Option<Interval>| interval.map_or("–".to_owned(), shown);
    html! {
        h3 { "Fakes and edges" }
        p.about { "Edges in percent of the true edges between honest users." }
        div.scroll tabindex="0" {
            table {
                thead {
                    tr {
                        th { "method" } th { "data, model" }
                        @for axis in &axes { th { (axis_label(axis)) } }
                        th.num { "ε" } th.num { "ε of a list entry" }
                        th.num { "fakes caught, %" } th.num { "of the removed fakes, %" } th.num { "honest removed, %" }
                        th.num { "edges lost, %" } th.num { "noise edges, %" } th.num { "fake edges, %" }
                    }
                }
                tbody {
                    @for (row, defence) in rows {
                        tr {
                            th scope="row" { (row.name) }
                            td { (group(row)) }
                            @for axis in &axes { td { (row.at.get(*axis).map_or("–", |value| axis_value(value))) } }
                            td.num { (budget(row.spec.features.epsilon())) }
                            td.num { (budget(row.spec.structure.epsilon())) }
                            td.num title=(origin(row)) { (maybe(defence.caught)) }
                            td.num title=(origin(row)) { (maybe(defence.precision)) }
                            td.num title=(origin(row)) { (shown(defence.honest_removed)) }
                            td.num title=(origin(row)) { (shown(defence.edges_lost)) }
                            td.num title=(origin(row)) { (shown(defence.noise_edges)) }
                            td.num title=(origin(row)) { (shown(defence.fake_edges)) }
                        }
                    }
                }
            }
        }
    }
}

/// Whom each detector would remove, a detector a column.
pub(super) fn detectors(chapter: &Chapter<'_>) -> Markup {
    let rows: Vec<_> = chapter.rows.iter().filter(|row| !row.detectors().is_empty()).collect();
    let Some(first) = rows.first() else { return html! {} };
    html! {
        h3 { "Detectors against attackers" }
        p.about {
            "Share of the fakes caught / share of the honest users removed, percent, means over the runs. All detectors read \
             the same lists; nobody is removed."
        }
        div.scroll tabindex="0" {
            table {
                thead {
                    tr {
                        th { "attacker" } th { "data" } th.num { "ε of a list entry" } th.num { "share of fakes" }
                        @for one in first.detectors() { th.num { (one.detector) } }
                        th.num { "runs" }
                    }
                }
                tbody {
                    @for row in &rows {
                        tr {
                            th scope="row" { (row.name) }
                            td { (row.dataset()) }
                            td.num { (budget(row.spec.structure.epsilon())) }
                            td.num { (summary::share_of_fakes(row)) }
                            @for one in row.detectors() { td.num title=(origin(row)) { (one.shown()) } }
                            td.num { (row.records.len()) }
                        }
                    }
                }
            }
        }
    }
}

/// What each method promises.
pub(super) fn certificates(chapter: &Chapter<'_>) -> Markup {
    let certificates = summary::certificates(chapter.section.plan, chapter.section.records);
    if certificates.is_empty() {
        return html! {};
    }
    let has_labels = certificates.iter().any(|one| one.labels.is_some());
    html! {
        details {
            summary { "Privacy certificates: what each method promises (" (certificates.len()) ")" }
            div.scroll tabindex="0" {
                table.words {
                    thead {
                        tr {
                            th { "method" } th { "data" } th { "features" }
                            @if has_labels { th { "label" } }
                            th { "graph" }
                        }
                    }
                    tbody {
                        @for one in &certificates {
                            tr {
                                th scope="row" { (one.method) }
                                td { (one.dataset) }
                                td { (one.features) }
                                @if has_labels { td { (one.labels.as_deref().unwrap_or("true labels")) } }
                                td { (one.graph) }
                            }
                        }
                    }
                }
            }
        }
    }
}
