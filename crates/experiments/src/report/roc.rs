//! Receiver operating characteristics of the scores for fakes, with the sound defence's own point beside them.

use maud::{Markup, html};

use super::curves::figure;
use super::figure::{Panel, Point, Series, Stroke, swatch};
use super::{Chapter, axis_label, axis_value};
use crate::summary::{Row, shown};
use crate::{DefenceSpec, FALSE_ALARMS, StructureSpec};

/// Where a share of 0 stands on the logarithmic axis.
const NONE: f64 = 1e-4;
/// Colour of the sound defence.
const DEFENCE: usize = 7;

/// A panel a place that has curves, and the areas under them; nothing without curves.
pub(super) fn markup(chapter: &Chapter<'_>) -> Markup {
    let rows = places(chapter);
    let Some((_, first)) = rows.first() else { return html! {} };
    let names: Vec<&str> = roc(first).iter().map(|curve| curve.score.as_str()).collect();
    let panels: Vec<_> = rows.iter().filter_map(|(title, row)| panel(chapter, title, row)).collect();
    html! {
        (figure(
            "Detectors at every threshold",
            "Share of the fakes caught over the share of honest users accused, mean over repeats, all on the lists of the \
             undefended runs. Dotted: chance. The last mark is the defence with the threshold that it chose itself.",
            panels.into_iter(),
            html! {
                ul.legend {
                    @for (colour, name) in names.iter().enumerate() { li { (swatch(colour, Stroke::Solid)) (name) } }
                    li { (swatch(DEFENCE, Stroke::Solid)) "the sound defence" }
                }
            },
        ))
        div.scroll tabindex="0" {
            table {
                thead { tr { th { "area under the curve, %" } @for name in &names { th.num { (name) } } } }
                tbody {
                    @for (title, row) in &rows {
                        tr { th scope="row" { (title) } @for curve in roc(row) { td.num { (shown(curve.area)) } } }
                    }
                }
            }
        }
    }
}

fn roc(row: &Row) -> &[crate::summary::RocRow] {
    row.defence.as_ref().map_or(&[], |defence| &defence.roc)
}

/// Rows with curves and where they stand. Models share their lists, so one of them is enough.
fn places<'r>(chapter: &'r Chapter<'_>) -> Vec<(String, &'r Row)> {
    let varied = chapter.varied(None);
    let mut found: Vec<(String, &Row)> = Vec::new();
    for row in chapter.private().filter(|row| !roc(row).is_empty()) {
        let more = varied
            .iter()
            .filter_map(|name| Some(format!(", {} = {}", axis_label(name), axis_value(row.at.get(*name)?))));
        let title = row.dataset().to_owned() + &more.collect::<String>();
        if !found.iter().any(|(other, known)| *other == title || roc(known) == roc(row)) {
            found.push((title, row));
        }
    }
    found
}

fn position(share: f64) -> f64 {
    share.max(NONE).log10()
}

fn panel(chapter: &Chapter<'_>, title: &str, row: &Row) -> Option<(String, Markup)> {
    let point = |share: f64, caught: f64| Point { x: position(share), y: 100.0 * caught, half_width: None };
    let chance = FALSE_ALARMS.map(|share| point(share, share)).to_vec();
    let mut series = vec![Series { colour: 1, stroke: Stroke::Muted, points: chance }];
    series.extend(roc(row).iter().enumerate().map(|(colour, curve)| {
        let points = FALSE_ALARMS.iter().zip(&curve.caught).map(|(&share, &caught)| point(share, caught)).collect();
        Series { colour, stroke: Stroke::Solid, points }
    }));
    let is_sound = |other: &&Row| {
        let defended = matches!(other.spec.structure, StructureSpec::Lists { defence: DefenceSpec::Sound { .. }, .. });
        defended && other.at == row.at && other.spec.attack == row.spec.attack
    };
    let own = chapter.private().filter(is_sound).find_map(|other| {
        let defence = other.defence.as_ref()?;
        Some(point(defence.honest_removed.mean / 100.0, defence.caught?.mean / 100.0))
    });
    series.extend(own.map(|own| Series { colour: DEFENCE, stroke: Stroke::Solid, points: vec![own] }));
    let panel = Panel {
        title: format!("fakes caught over honest users accused: {title}"),
        x_label: "honest users accused, %, logarithmic".to_owned(),
        y_label: "fakes caught, %".to_owned(),
        ticks: [(0.0, "0"), (0.001, "0.1"), (0.01, "1"), (0.1, "10"), (1.0, "100")]
            .map(|(share, text)| (position(share), text.to_owned()))
            .to_vec(),
        zero_line: false,
        series,
    };
    Some((title.to_owned(), panel.draw()?))
}
