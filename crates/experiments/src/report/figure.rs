//! Charts as SVG that takes its colours from the page, so that one picture serves light and dark.
//!
//! The plotting crate writes fixed colours; we draw with colours that nobody else uses and put the page's variables in their
//! place.

use maud::{Markup, PreEscaped, html};
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, Cross, EmptyElement, Polygon, Rectangle, Text, TriangleMarker};
use plotters::prelude::SVGBackend;
use plotters::series::LineSeries;
use plotters::style::{Color, IntoFont, RGBColor, TextStyle};

/// Colours that the page has for series.
pub(super) const COLOURS: usize = 8;
/// Width of a drawing; the page scales it.
const WIDTH: u32 = 720;
const PANEL_HEIGHT: u32 = 470;
/// Height of a label in a [`Dots`] chart, and of each mark below it.
const LABEL: f64 = 36.0;
const MARK: f64 = 20.0;
const FONT: (&str, f64) = ("sans-serif", 25.0);

const BLACK: RGBColor = RGBColor(0, 0, 0);
const LINE: RGBColor = RGBColor(250, 1, 0);
const MUTED: RGBColor = RGBColor(250, 1, 1);

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stroke {
    /// A method.
    Solid,
    /// A control of the same colour's method.
    Dashed,
    /// A control of everything.
    Muted,
    /// Printed numbers of the same colour's method: squares without a line.
    Printed,
}

/// A mean with half of its interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) half_width: Option<f64>,
}

/// One line of a panel.
#[derive(Debug, Clone)]
pub(super) struct Series {
    pub(super) colour: usize,
    pub(super) stroke: Stroke,
    pub(super) points: Vec<Point>,
}

/// One picture: lines over an axis.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) x_label: String,
    pub(super) y_label: String,
    /// Ticks of the x axis: position and text.
    pub(super) ticks: Vec<(f64, String)>,
    pub(super) zero_line: bool,
    pub(super) series: Vec<Series>,
}

/// One row of a [`Dots`] chart.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) label: String,
    /// Colour, mean, half of the interval.
    pub(super) marks: Vec<(usize, f64, Option<f64>)>,
}

/// One picture: a row a method, means with their intervals along it.
#[derive(Debug)]
pub(super) struct Dots {
    pub(super) title: String,
    pub(super) x_label: String,
    pub(super) zero_line: bool,
    pub(super) rows: Vec<Row>,
}

/// An x axis with the ticks that it is given.
struct Ticked {
    inner: RangedCoordf64,
    ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.inner.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.inner.range()
    }
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

impl Panel {
    /// The picture; nothing where no point is finite.
    pub(super) fn draw(&self) -> Option<Markup> {
        let finite = |point: &&Point| point.x.is_finite() && point.y.is_finite();
        let points = || self.series.iter().flat_map(|series| &series.points).filter(finite);
        let (low, high) = span(points().map(|point| (point.y, point.half_width)), self.zero_line)?;
        // Without a zero line these are shares: no interval needs room beyond 0 and 100 %.
        let y = if self.zero_line { (low, high) } else { (low.max(-2.0), high.min(102.0)) };
        let x = self.ticks.iter().map(|tick| tick.0).filter(|x| x.is_finite());
        let (least, most) = (x.clone().fold(f64::INFINITY, f64::min), x.fold(f64::NEG_INFINITY, f64::max));
        let margin = if most > least { 0.05 * (most - least) } else { 0.5 };
        drawing(PANEL_HEIGHT, &self.title, |area| self.draw_on(area, (least - margin, most + margin), y))
    }

    fn draw_on<'a>(
        &self,
        area: &DrawingArea<SVGBackend<'a>, Shift>,
        (left, right): (f64, f64),
        (low, high): (f64, f64),
    ) -> Drawn {
        let ticks = self.ticks.iter().map(|tick| tick.0).collect();
        let x = Ticked { inner: (left..right).into(), ticks };
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .margin_right(20)
            .x_label_area_size(74)
            .y_label_area_size(84)
            .build_cartesian_2d(x, low..high)?;
        let tick = |x: &f64| {
            let found = self.ticks.iter().find(|tick| (tick.0 - x).abs() < 1e-9);
            found.map_or(String::new(), |tick| tick.1.clone())
        };
        let digits = usize::from(high - low < 6.0);
        chart
            .configure_mesh()
            .light_line_style(LINE.mix(0.0))
            .bold_line_style(LINE)
            .axis_style(MUTED)
            .label_style(text())
            .axis_desc_style(text())
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .y_labels(6)
            .x_label_formatter(&tick)
            .y_label_formatter(&|y| number(*y, digits))
            .draw()?;
        if self.zero_line {
            chart.draw_series(LineSeries::new([(left, 0.0), (right, 0.0)], BLACK.stroke_width(3)))?;
        }
        for series in &self.series {
            let colour = colour(series);
            let finite = |point: &&Point| point.x.is_finite() && point.y.is_finite();
            let points: Vec<&Point> = series.points.iter().filter(finite).collect();
            if points.iter().any(|point| point.half_width.is_some()) && series.stroke == Stroke::Solid {
                let half = |point: &Point| point.half_width.unwrap_or(0.0);
                let bottom = |point: &Point| (point.y - half(point)).max(low);
                let top = |point: &Point| (point.y + half(point)).min(high);
                let below = points.iter().map(|point| (point.x, bottom(point)));
                let above = points.iter().rev().map(|point| (point.x, top(point)));
                if points.len() > 1 {
                    chart.draw_series([Polygon::new(below.chain(above).collect::<Vec<_>>(), colour.mix(0.13))])?;
                }
                // The bands of several lines lie on each other: the ends stand out.
                for point in &points {
                    let ends = [(point.x, bottom(point)), (point.x, top(point))];
                    chart.draw_series(LineSeries::new(ends, colour.stroke_width(2)))?;
                }
            }
            let line = points.iter().map(|point| (point.x, point.y));
            if series.stroke == Stroke::Printed {
                let square = |at| EmptyElement::at(at) + Rectangle::new([(-9, -9), (9, 9)], colour.stroke_width(3));
                chart.draw_series(line.map(square))?;
                continue;
            }
            chart.draw_series(LineSeries::new(line.clone(), colour.stroke_width(4)))?;
            if series.stroke == Stroke::Solid {
                mark(&mut chart, series.colour, colour, line)?;
            }
        }
        Ok(())
    }
}

/// A chart over two plain axes whose x ticks are given.
type Chart<'a, 'b, X> =
    plotters::chart::ChartContext<'b, SVGBackend<'a>, plotters::coord::cartesian::Cartesian2d<X, RangedCoordf64>>;

/// Marks differ by shape as well as by colour.
fn mark<'a, X>(
    chart: &mut Chart<'a, '_, X>,
    number: usize,
    colour: RGBColor,
    at: impl Iterator<Item = (f64, f64)>,
) -> Drawn
where
    X: Ranged<ValueType = f64>,
{
    let outline = colour.stroke_width(4);
    match number % 4 {
        0 => chart.draw_series(at.map(|point| Circle::new(point, 8, colour.filled())))?,
        1 => chart.draw_series(at.map(|point| TriangleMarker::new(point, 10, colour.filled())))?,
        2 => chart.draw_series(at.map(|point| Circle::new(point, 8, outline)))?,
        _ => chart.draw_series(at.map(|point| Cross::new(point, 8, outline)))?,
    };
    Ok(())
}

impl Dots {
    /// The picture; nothing where no mean is finite.
    pub(super) fn draw(&self) -> Option<Markup> {
        let marks = self.rows.iter().flat_map(|row| &row.marks).map(|&(_, mean, half_width)| (mean, half_width));
        let (left, right) = span(marks.filter(|mark| mark.0.is_finite()), self.zero_line)?;
        let x = if self.zero_line { (left, right) } else { (left.max(-2.0), right.min(102.0)) };
        let height = self.height() as u32 + 100;
        drawing(height, &self.title, |area| self.draw_on(area, x))
    }

    /// Of all rows, in the drawing's units.
    fn height(&self) -> f64 {
        self.rows.iter().map(|row| LABEL + MARK * row.marks.len() as f64).sum()
    }

    fn draw_on<'a>(&self, area: &DrawingArea<SVGBackend<'a>, Shift>, (left, right): (f64, f64)) -> Drawn {
        let mut top = self.height();
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .margin_left(24)
            .margin_right(24)
            .x_label_area_size(74)
            .build_cartesian_2d(left..right, 0.0..top)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(LINE.mix(0.0))
            .bold_line_style(LINE)
            .axis_style(MUTED)
            .label_style(text())
            .axis_desc_style(text())
            .x_desc(&self.x_label)
            .x_labels(7)
            .x_label_formatter(&|x| number(*x, usize::from(right - left < 6.0)))
            .draw()?;
        for row in &self.rows {
            chart.draw_series([Text::new(row.label.clone(), (left, top - 6.0), text())])?;
            top -= LABEL;
            let bottom = top - MARK * row.marks.len() as f64;
            if self.zero_line {
                // In pieces, so that it does not cross the labels.
                chart.draw_series(LineSeries::new([(0.0, top + 4.0), (0.0, bottom)], BLACK.stroke_width(3)))?;
            }
            for (place, &(number, mean, half_width)) in row.marks.iter().enumerate() {
                if !mean.is_finite() {
                    continue;
                }
                let y = top - MARK * (place as f64 + 0.5);
                let colour = series_colour(number);
                if let Some(half_width) = half_width {
                    let ends = [((mean - half_width).max(left), y), ((mean + half_width).min(right), y)];
                    chart.draw_series(LineSeries::new(ends, colour.stroke_width(4)))?;
                }
                mark(&mut chart, number, colour, std::iter::once((mean, y)))?;
            }
            top = bottom;
        }
        Ok(())
    }
}

/// Least and greatest value that are drawn, with room around. Intervals that are much wider than the means are apart, as
/// those of two repeats may be, are cut, so that the means stay apart on the page.
fn span(values: impl Iterator<Item = (f64, Option<f64>)>, with_zero: bool) -> Option<(f64, f64)> {
    let values: Vec<(f64, f64)> = values.map(|(mean, half_width)| (mean, half_width.unwrap_or(0.0))).collect();
    let zero = with_zero.then_some(0.0);
    let least = |of: fn(&(f64, f64)) -> f64| values.iter().map(of).chain(zero).reduce(f64::min);
    let most = |of: fn(&(f64, f64)) -> f64| values.iter().map(of).chain(zero).reduce(f64::max);
    let means = (least(|value| value.0)?, most(|value| value.0)?);
    let beyond = (means.1 - means.0).max(10.0);
    let low = least(|value| value.0 - value.1)?.max(means.0 - beyond);
    let high = most(|value| value.0 + value.1)?.min(means.1 + beyond);
    let room = (0.06 * (high - low)).max(0.5);
    (!values.is_empty()).then_some((low - room, high + room))
}

fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    // No "-0".
    if text.trim_start_matches('-').chars().all(|letter| matches!(letter, '0' | '.')) {
        return text.trim_start_matches('-').to_owned();
    }
    text.replace('-', "−")
}

fn text() -> TextStyle<'static> {
    TextStyle::from(FONT.into_font()).color(&BLACK)
}

fn series_colour(number: usize) -> RGBColor {
    RGBColor(250, 0, (number % COLOURS) as u8 + 1)
}

fn colour(series: &Series) -> RGBColor {
    match series.stroke {
        Stroke::Solid | Stroke::Printed => series_colour(series.colour),
        Stroke::Dashed => RGBColor(251, 0, (series.colour % COLOURS) as u8 + 1),
        Stroke::Muted => RGBColor(251, 1, (series.colour % 2) as u8),
    }
}

/// Draws and puts the page's colours in; nothing where the plotting crate refuses.
fn drawing(
    height: u32,
    title: &str,
    draw: impl for<'a> FnOnce(&DrawingArea<SVGBackend<'a>, Shift>) -> Drawn,
) -> Option<Markup> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        draw(&area).ok()?;
        area.present().ok()?;
    }
    let body = svg.split_once('>').and_then(|(_, rest)| rest.rsplit_once("</svg>"))?.0;
    let body = body
        .replace("#000000", "currentColor")
        .replace("#FA0100", "var(--line)")
        .replace("#FA0101", "var(--muted)")
        .replace("stroke=\"#FB0100\"", "stroke=\"var(--muted)\" stroke-dasharray=\"14 8\"")
        .replace("stroke=\"#FB0101\"", "stroke=\"var(--muted)\" stroke-dasharray=\"3 8\"");
    let body = (1..=COLOURS).fold(body, |body, number| {
        let dashed = format!("stroke=\"var(--c{number})\" stroke-dasharray=\"12 8\"");
        body.replace(&format!("stroke=\"#FB000{number}\""), &dashed)
            .replace(&format!("#FA000{number}"), &format!("var(--c{number})"))
    });
    Some(html! {
        svg viewBox=(format!("0 0 {WIDTH} {height}")) xmlns="http://www.w3.org/2000/svg" role="img" aria-label=(title) {
            (PreEscaped(body))
        }
    })
}

/// A swatch for the legend.
pub(super) fn swatch(number: usize, stroke: Stroke) -> Markup {
    let colour = match stroke {
        Stroke::Muted => "var(--muted)".to_owned(),
        _ => format!("var(--c{})", number % COLOURS + 1),
    };
    let dash = match (stroke, number % 2) {
        (Stroke::Solid | Stroke::Printed, _) => None,
        (Stroke::Dashed, _) => Some("6 4"),
        (Stroke::Muted, 0) => Some("7 4"),
        (Stroke::Muted, _) => Some("1.5 4"),
    };
    html! {
        svg.swatch viewBox="0 0 34 14" xmlns="http://www.w3.org/2000/svg" aria-hidden="true" {
            @if stroke == Stroke::Printed {
                rect x="12" y="2" width="10" height="10" fill="none" stroke=(colour) stroke-width="2" {}
            } @else {
                line x1="1" y1="7" x2="33" y2="7" stroke=(colour) stroke-width="2.5" stroke-dasharray=[dash] {}
            }
            @if stroke == Stroke::Solid {
                @match number % 4 {
                    0 => circle cx="17" cy="7" r="4.5" fill=(colour) {},
                    1 => path d="M17 1.5 L22 11 L12 11 Z" fill=(colour) {},
                    2 => circle cx="17" cy="7" r="4" fill="var(--page)" stroke=(colour) stroke-width="2" {},
                    _ => path d="M13 3 L21 11 M21 3 L13 11" stroke=(colour) stroke-width="2.2" {},
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Panel, Point, Series, Stroke};

    #[test]
    fn no_number_no_picture_and_no_nan() {
        let mut panel = Panel {
            title: "T".to_owned(),
            x_label: "x".to_owned(),
            y_label: "y".to_owned(),
            ticks: vec![(0.0, "a & b".to_owned())],
            zero_line: false,
            series: vec![],
        };
        assert!(panel.draw().is_none());
        let point = |y| Point { x: 0.0, y, half_width: None };
        panel.series.push(Series { colour: 9, stroke: Stroke::Solid, points: vec![point(f64::NAN), point(50.0)] });
        let svg = panel.draw().expect("a picture").into_string();
        assert!(
            !svg.contains("NaN") && !svg.contains("#FA") && !svg.contains("#FB") && !svg.contains("#0000"),
            "{svg}"
        );
        assert!(svg.contains("a &amp; b") && svg.contains("currentColor") && svg.contains("var(--c2)"), "{svg}");
    }
}
