//! Curves along the axis that a suite names: accuracy, feature benefit, detection. One panel a data set × model.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::figure::{COLOURS, Panel, Point, Series, Stroke, swatch};
use super::{Chapter, axis_label, axis_value, distinct};
use crate::summary::{self, Row};
use crate::{Arm, Interval};

/// Methods in one picture above which their SIM lines would hide them; the benefit figure shows the same difference.
const WITH_SIM: usize = 4;
/// Values of ε from which on a suite that names no axis is drawn along it.
const ENOUGH: usize = 3;

/// The axis along which a chapter is drawn: the suite's, or a budget with values enough.
pub(super) fn axis(chapter: &Chapter<'_>) -> Option<Axis> {
    let named = chapter.section.suite.and_then(|suite| suite.figure.clone());
    let values = |name: &str| distinct(chapter.private().filter_map(|row| row.at.get(name)).map(String::as_str)).len();
    let budget = || ["epsilon", "label_epsilon"].into_iter().find(|name| values(name) >= ENOUGH).map(str::to_owned);
    let name = named.or_else(budget)?;
    let texts = distinct(chapter.private().filter_map(|row| row.at.get(&name)).cloned());
    (!texts.is_empty()).then(|| Axis::new(name, texts))
}

/// Where the values of an axis stand in a picture.
pub(super) struct Axis {
    name: String,
    label: String,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Logarithmic where positive values span a factor of ten; one step a value where they are words or span as much from
    /// zero on.
    fn new(name: String, mut texts: Vec<String>) -> Self {
        let number = |text: &String| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let label = axis_label(&name).to_owned();
        let numbers: Option<Vec<f64>> = texts.iter().map(number).collect();
        let Some(mut numbers) = numbers else {
            let ticks = texts.into_iter().enumerate().map(|(at, text)| (at as f64, text)).collect();
            return Self { name, label, ticks };
        };
        texts.sort_by(|one, other| number(one).partial_cmp(&number(other)).unwrap_or(std::cmp::Ordering::Equal));
        numbers.sort_by(f64::total_cmp);
        let most = numbers.last().copied().unwrap_or(0.0);
        let least_positive = numbers.iter().copied().find(|number| *number > 0.0).unwrap_or(most);
        let is_wide = most >= 10.0 * least_positive;
        let (label, position): (String, Box<dyn Fn(usize, f64) -> f64>) = match (is_wide, numbers[0] > 0.0) {
            (true, true) => (format!("{label}, logarithmic"), Box::new(|_, number| number.log10())),
            (true, false) => (label, Box::new(|at, _| at as f64)),
            (false, _) => (label, Box::new(|_, number| number)),
        };
        let tick = |(at, (text, number)): (usize, (&String, &f64))| {
            let text = axis_value(text);
            (text.to_owned(), position(at, *number))
        };
        let ticks = texts.iter().zip(&numbers).enumerate().map(tick).map(|(text, at)| (at, text)).collect();
        Self { name, label, ticks }
    }

    fn position(&self, row: &Row) -> Option<f64> {
        let text = row.at.get(&self.name)?;
        let text = axis_value(text);
        self.ticks.iter().find(|tick| tick.1 == *text).map(|tick| tick.0)
    }

    fn ends(&self) -> [f64; 2] {
        [self.ticks.first(), self.ticks.last()].map(|tick| tick.map_or(0.0, |tick| tick.0))
    }
}

/// Rows that stand in one picture.
struct Frame<'r> {
    title: String,
    rows: Vec<&'r Row>,
    /// Methods that are planned at one value of the axis only, since they do not change along it.
    fixed: Vec<&'r str>,
}

/// One frame a combination of data set, model and whatever else varies. A method that does not change along one of them
/// stands in every frame that it fits.
fn frames<'r>(chapter: &'r Chapter<'_>, axis: &Axis) -> Vec<Frame<'r>> {
    let mut keys = vec!["dataset", "model"];
    keys.extend(chapter.varied(Some(&axis.name)));
    let place = |row: &'r Row| -> BTreeMap<&str, &'r str> {
        keys.iter().filter_map(|&key| Some((key, row.at.get(key)?.as_str()))).collect()
    };
    let most = chapter.private().map(|row| place(row).len()).max().unwrap_or(0);
    let places = distinct(chapter.private().map(place).filter(|place| place.len() == most));
    let frame = |at: &BTreeMap<&str, &str>| {
        let fits = |row: &&Row| fits_at(&keys, &row.at, at);
        let names: Vec<String> = keys
            .iter()
            .filter_map(|key| {
                let value = at.get(key)?;
                Some(match *key {
                    "dataset" => (*value).to_owned(),
                    "model" => value.to_uppercase(),
                    other => format!("{} = {}", axis_label(other), axis_value(value)),
                })
            })
            .collect();
        let rows: Vec<&Row> = chapter.private().filter(fits).collect();
        let values = |name: &str| {
            let arms = chapter.section.plan.arms.iter().filter(|arm| arm.name == name && fits_at(&keys, &arm.at, at));
            distinct(arms.filter_map(|arm| arm.at.get(&axis.name))).len()
        };
        let names_here = distinct(rows.iter().map(|row| row.name.as_str()));
        let fixed = names_here.into_iter().filter(|name| values(name) == 1).collect();
        Frame { title: names.join(", "), rows, fixed }
    };
    places.iter().map(frame).collect()
}

fn fits_at(keys: &[&str], place: &BTreeMap<String, String>, at: &BTreeMap<&str, &str>) -> bool {
    keys.iter().all(|key| match (place.get(*key), at.get(key)) {
        (Some(mine), Some(wanted)) => mine == wanted,
        _ => true,
    })
}

/// Methods so few at a time that colours suffice, in parts of about the same size.
fn parts<'m>(methods: &'m [&'m str]) -> impl Iterator<Item = &'m [&'m str]> {
    let parts = methods.len().div_ceil(COLOURS).max(1);
    methods.chunks(methods.len().div_ceil(parts).max(1))
}

/// The line of one method in a frame.
fn line(frame: &Frame<'_>, axis: &Axis, method: &str, of: impl Fn(&Row) -> Option<Interval>) -> Vec<Point> {
    let rows = frame.rows.iter().filter(|row| row.name == method);
    let moves = !frame.fixed.contains(&method);
    points(rows.filter_map(|row| Some((axis.position(row).filter(|_| moves), of(row)?))), axis)
}

/// Points in order; a lone one that does not move along the axis from end to end.
fn points(found: impl Iterator<Item = (Option<f64>, Interval)>, axis: &Axis) -> Vec<Point> {
    let point = |x: f64, of: Interval| Point { x, y: of.mean, half_width: of.half_width };
    let mut points = Vec::new();
    for (x, interval) in found {
        match x {
            Some(x) => points.push(point(x, interval)),
            None => return axis.ends().map(|x| point(x, interval)).to_vec(),
        }
    }
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    points
}

/// Accuracy along the axis, with controls.
pub(super) fn accuracy(chapter: &Chapter<'_>, axis: &Axis) -> Markup {
    let methods = chapter.methods();
    let frames = frames(chapter, axis);
    html! {
        @for part in parts(&methods) {
            @let with_sim = part.len() <= WITH_SIM;
            @let panels = frames.iter().filter_map(|frame| {
                let of = |row: &Row| Some(row.accuracy);
                let mut series = controls(chapter, frame, axis);
                if with_sim {
                    series.extend(part.iter().enumerate().map(|(colour, method)| {
                        let sim = |row: &Row| chapter.control(row, Arm::Sim).map(|sim| sim.accuracy);
                        Series { colour, stroke: Stroke::Dashed, points: line(frame, axis, method, sim) }
                    }));
                }
                series.extend(solid(part, frame, axis, of));
                series.extend(printed(chapter, part, frame, axis));
                panel(frame, axis, "test accuracy, %", false, series)
            });
            (figure("Accuracy", "Band and bars: 95 % interval of the mean, cut where it is much wider than the means are apart.", panels, legend(part, &kinds(chapter, with_sim), chapter.is_beside_paper())))
        }
    }
}

/// Accuracy less SIM's along the axis, and the smallest value at which it is above zero.
pub(super) fn benefit(chapter: &Chapter<'_>, axis: &Axis) -> Markup {
    if chapter.private().all(|row| row.feature_benefit.is_none()) {
        return html! {};
    }
    let methods = chapter.methods();
    let frames = frames(chapter, axis);
    html! {
        @for part in parts(&methods) {
            @let panels = frames.iter().filter_map(|frame| {
                panel(frame, axis, "benefit, points", true, solid(part, frame, axis, |row| row.feature_benefit))
            });
            (figure("Feature benefit", "Accuracy less that of SIM, paired by repeat: what the data in the reports added. An interval that touches the line shows nothing.", panels, legend(part, &[], false)))
        }
        @if axis.name == "epsilon" { (smallest(axis, &frames, &methods)) }
    }
}

/// Fakes caught and honest users removed along the axis.
pub(super) fn detection(chapter: &Chapter<'_>, axis: &Axis) -> Markup {
    let of_caught = |row: &Row| row.defence.as_ref().and_then(|defence| defence.caught);
    if chapter.private().all(|row| of_caught(row).is_none()) {
        return html! {};
    }
    let of_removed = |row: &Row| row.defence.as_ref().map(|defence| defence.honest_removed);
    let methods = chapter.methods();
    let frames = frames(chapter, axis);
    html! {
        @for part in parts(&methods) {
            @let caught = frames.iter().filter_map(|frame| panel(frame, axis, "fakes caught, %", true, solid(part, frame, axis, of_caught)));
            @let removed = frames.iter().filter_map(|frame| panel(frame, axis, "honest removed, %", true, solid(part, frame, axis, of_removed)));
            (figure("Detection", "Fakes caught: higher is better. Honest users removed: lower is better.", caught.chain(removed), legend(part, &[], false)))
        }
    }
}

fn solid(part: &[&str], frame: &Frame<'_>, axis: &Axis, of: impl Fn(&Row) -> Option<Interval>) -> Vec<Series> {
    let series = |(colour, method): (usize, &&str)| Series {
        colour,
        stroke: Stroke::Solid,
        points: line(frame, axis, method, &of),
    };
    part.iter().enumerate().map(series).collect()
}

/// The papers' numbers of a frame's methods.
fn printed(chapter: &Chapter<'_>, part: &[&str], frame: &Frame<'_>, axis: &Axis) -> Vec<Series> {
    let series = |(colour, method): (usize, &&str)| {
        let rows = frame.rows.iter().filter(|row| row.name == **method);
        let point = |row: &&Row| Some(Point { x: axis.position(row)?, y: chapter.printed(row)?, half_width: None });
        Series { colour, stroke: Stroke::Printed, points: rows.filter_map(point).collect() }
    };
    part.iter().enumerate().map(series).filter(|series| !series.points.is_empty()).collect()
}

/// NonPriv and FeatFree of a frame's methods.
fn controls(chapter: &Chapter<'_>, frame: &Frame<'_>, axis: &Axis) -> Vec<Series> {
    let control = |(colour, kind): (usize, Arm)| {
        let mut seen: Vec<(&Row, Vec<Option<f64>>)> = Vec::new();
        for row in &frame.rows {
            let Some(control) = chapter.control(row, kind) else { continue };
            match seen.iter_mut().find(|(other, _)| other.spec == control.spec) {
                Some((_, at)) => at.push(axis.position(row)),
                None => seen.push((control, vec![axis.position(row)])),
            }
        }
        // Of several, such as one a defence, each is a line where it serves more than one value.
        let line = |(row, at): &(&Row, Vec<Option<f64>>)| {
            let [left, right] = [f64::min, f64::max].map(|pick| at.iter().flatten().copied().reduce(pick));
            match (left, right) {
                (Some(left), Some(right)) if left < right => vec![left, right],
                (Some(left), _) if axis.ticks.len() > 1 => vec![left],
                _ => axis.ends().to_vec(),
            }
            .into_iter()
            .map(|x| Point { x, y: row.accuracy.mean, half_width: None })
            .collect::<Vec<_>>()
        };
        let mut lines: Vec<Vec<Point>> = seen.iter().map(line).collect();
        if lines.iter().all(|line| line.len() == 1) {
            lines = vec![lines.concat()];
        }
        lines.into_iter().map(move |mut points| {
            points.sort_by(|one, other| one.x.total_cmp(&other.x));
            Series { colour, stroke: Stroke::Muted, points }
        })
    };
    [(0, Arm::Clean), (1, Arm::FeatureFree)].into_iter().flat_map(control).collect()
}

fn panel(frame: &Frame<'_>, axis: &Axis, y: &str, zero_line: bool, series: Vec<Series>) -> Option<(String, Markup)> {
    let panel = Panel {
        title: format!("{y} over {}: {}", axis.label, frame.title),
        x_label: axis.label.clone(),
        y_label: y.to_owned(),
        ticks: axis.ticks.clone(),
        zero_line,
        series,
    };
    Some((frame.title.clone(), panel.draw()?))
}

/// A heading, a legend and pictures beside each other; nothing without a picture.
pub(super) fn figure(
    title: &str,
    about: &str,
    panels: impl Iterator<Item = (String, Markup)>,
    legend: Markup,
) -> Markup {
    let panels: Vec<_> = panels.collect();
    if panels.is_empty() {
        return html! {};
    }
    html! {
        h3 { (title) }
        p.about { (about) }
        (legend)
        div.panels {
            @for (title, picture) in panels { figure { figcaption { (title) } (picture) } }
        }
    }
}

/// Controls that have a line in the accuracy figure.
fn kinds(chapter: &Chapter<'_>, with_sim: bool) -> Vec<Arm> {
    let has = |kind: &Arm| chapter.private().any(|row| chapter.control(row, *kind).is_some());
    let is_drawn = |kind: &Arm| (with_sim || *kind != Arm::Sim) && has(kind);
    [Arm::Sim, Arm::Clean, Arm::FeatureFree].into_iter().filter(is_drawn).collect()
}

fn legend(part: &[&str], controls: &[Arm], is_beside_paper: bool) -> Markup {
    html! {
        ul.legend {
            @for (colour, method) in part.iter().enumerate() { li { (swatch(colour, Stroke::Solid)) (method) } }
            @for kind in controls {
                @match kind {
                    Arm::Sim => li { (swatch(0, Stroke::Dashed)) "SIM of the method of this colour" },
                    Arm::FeatureFree => li { (swatch(1, Stroke::Muted)) (kind.label()) },
                    _ => li { (swatch(0, Stroke::Muted)) (kind.label()) },
                }
            }
            @if is_beside_paper { li { (swatch(0, Stroke::Printed)) "printed for the method of this colour" } }
        }
    }
}

/// The smallest ε whose interval of the benefit lies above zero.
fn smallest(axis: &Axis, frames: &[Frame<'_>], methods: &[&str]) -> Markup {
    html! {
        h3 { "From which ε on the features help" }
        p.about {
            "The smallest ε that was tried whose 95 % interval of the feature benefit lies above zero. Of many such intervals \
             without any benefit one in forty would lie above zero too."
        }
        div.scroll tabindex="0" {
            table {
                thead { tr { th { "method" } @for frame in frames { th { (frame.title) } } } }
                tbody {
                    @for method in methods {
                        tr {
                            th scope="row" { (method) }
                            @for frame in frames { td { (first_above_zero(axis, frame, method)) } }
                        }
                    }
                }
            }
        }
    }
}

fn first_above_zero(axis: &Axis, frame: &Frame<'_>, method: &str) -> String {
    let tried = |row: &&Row| Some((axis.position(row)?, row.at.get(&axis.name)?.clone(), row.feature_benefit?));
    let mut tried: Vec<_> = frame.rows.iter().filter(|row| row.name == method).filter_map(tried).collect();
    tried.sort_by(|one, other| one.0.total_cmp(&other.0));
    let is_above = |benefit: &Interval| benefit.excludes_zero() && benefit.mean > 0.0;
    match tried.iter().position(|(_, _, benefit)| is_above(benefit)) {
        Some(from) => {
            let (_, epsilon, benefit) = &tried[from];
            let holds_on = tried[from..].iter().all(|(_, _, benefit)| is_above(benefit));
            let rest = if holds_on { "" } else { "; not at every larger ε" };
            format!("{} ({}{rest})", axis_value(epsilon), summary::benefit(*benefit))
        }
        None if tried.is_empty() => "–".to_owned(),
        None => format!("at none of {}", tried.len()),
    }
}
