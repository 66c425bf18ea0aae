//! A row a method, where a suite has no axis to draw along: accuracy beside its controls, feature benefit, detection.

use maud::{Markup, html};

use super::curves::figure;
use super::figure::{Dots, Row as DotsRow, Stroke, swatch};
use super::{Chapter, axis_label, axis_value, distinct};
use crate::summary::Row;
use crate::{Arm, Interval};

/// Rows of one picture above which a reader is lost.
const LONGEST: usize = 24;

/// Colour of printed numbers, behind those of the method and its three controls.
const PRINTED: usize = 4;

/// Colour, mean and half of the interval of what a row shows.
type Marks = Vec<(usize, f64, Option<f64>)>;

fn mark(colour: usize, interval: Option<Interval>) -> Option<(usize, f64, Option<f64>)> {
    interval.map(|interval| (colour, interval.mean, interval.half_width))
}

/// One picture a data set × model, a row a private arm.
fn pictures(
    chapter: &Chapter<'_>,
    x_label: &str,
    zero_line: bool,
    marks: impl Fn(&Row) -> Marks,
) -> Vec<(String, Markup)> {
    let varied = chapter.varied(None);
    let place = |row: &Row| {
        let dataset = row.dataset().to_owned();
        format!("{dataset}, {}", row.spec.model.kind.label())
    };
    let label = |row: &Row| {
        let more = varied
            .iter()
            .filter_map(|name| Some(format!(", {} = {}", axis_label(name), axis_value(row.at.get(*name)?))));
        row.name.clone() + &more.collect::<String>()
    };
    let mut pictures = Vec::new();
    for title in distinct(chapter.private().map(place)) {
        let rows = chapter.private().filter(|row| place(row) == title);
        let rows: Vec<_> = rows
            .map(|row| DotsRow { label: label(row), marks: marks(row) })
            .filter(|row| !row.marks.is_empty())
            .collect();
        for (part, rows) in parts(rows).into_iter().enumerate() {
            let title = if part == 0 { title.clone() } else { format!("{title} (continued)") };
            let dots = Dots { title: format!("{x_label}: {title}"), x_label: x_label.to_owned(), zero_line, rows };
            if let Some(picture) = dots.draw() {
                pictures.push((title, picture));
            }
        }
    }
    pictures
}

fn parts(mut rows: Vec<DotsRow>) -> Vec<Vec<DotsRow>> {
    let mut parts = Vec::new();
    while rows.len() > LONGEST {
        let rest = rows.split_off(LONGEST);
        parts.push(std::mem::replace(&mut rows, rest));
    }
    parts.push(rows);
    parts
}

fn legend(names: &[&str]) -> Markup {
    html! {
        ul.legend {
            @for (colour, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
                li { (swatch(colour, Stroke::Solid)) (name) }
            }
        }
    }
}

/// Accuracy of each private arm beside its controls.
pub(super) fn accuracy(chapter: &Chapter<'_>) -> Markup {
    let kinds = [Arm::Sim, Arm::FeatureFree, Arm::Clean];
    let has = |kind: Arm| chapter.private().any(|row| chapter.control(row, kind).is_some());
    let kinds: Vec<Arm> = kinds.into_iter().filter(|kind| has(*kind)).collect();
    let pictures = pictures(chapter, "test accuracy, %", false, |row| {
        let controls = kinds.iter().enumerate();
        let controls =
            controls.filter_map(|(at, kind)| mark(at + 1, chapter.control(row, *kind).map(|control| control.accuracy)));
        let printed = chapter.printed(row).map(|value| (PRINTED, value, None));
        mark(0, Some(row.accuracy)).into_iter().chain(controls).chain(printed).collect()
    });
    let mut names: Vec<&str> = std::iter::once("the method").chain(kinds.iter().map(|kind| kind.label())).collect();
    if chapter.is_beside_paper() {
        names.resize(PRINTED, "");
        names.push("printed in the paper");
    }
    figure(
        "Accuracy beside controls",
        "Bars: 95 % interval of the mean, cut where it is much wider than the means are apart.",
        pictures.into_iter(),
        legend(&names),
    )
}

/// Accuracy less SIM's, and less FeatFree's, of each private arm.
pub(super) fn benefit(chapter: &Chapter<'_>) -> Markup {
    let pictures = pictures(chapter, "points of accuracy", true, |row| {
        [mark(0, row.feature_benefit), mark(1, row.over_feature_free)].into_iter().flatten().collect()
    });
    let about = "Accuracy less that of the control, paired by repeat. Private features are worth their noise where both \
                 bars lie right of the line.";
    figure("Feature benefit", about, pictures.into_iter(), legend(&["over SIM", "over FeatFree"]))
}

/// What became of fakes, honest users and edges.
pub(super) fn detection(chapter: &Chapter<'_>) -> Markup {
    if chapter.private().all(|row| row.defence.is_none()) {
        return html! {};
    }
    let users = pictures(chapter, "share of users, %", true, |row| {
        let Some(defence) = &row.defence else { return Marks::new() };
        [mark(0, defence.caught), mark(1, Some(defence.honest_removed))].into_iter().flatten().collect()
    });
    let edges = pictures(chapter, "edges, % of the true ones", true, |row| {
        let Some(defence) = &row.defence else { return Marks::new() };
        let edges = [defence.edges_lost, defence.noise_edges, defence.fake_edges];
        edges.into_iter().enumerate().filter_map(|(colour, edges)| mark(colour, Some(edges))).collect()
    });
    html! {
        (figure("Detection: users", "Fakes caught should be at 100, honest users removed at 0.", users.into_iter(), legend(&["fakes caught", "honest users removed"])))
        (figure("Detection: edges", "All three should be at 0.", edges.into_iter(), legend(&["true edges lost", "noise edges kept", "edges to fakes kept"])))
    }
}
