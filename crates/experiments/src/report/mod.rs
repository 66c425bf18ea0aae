//! The report: one page with everything that a reader needs, and nothing loaded from elsewhere.
//!
//! Two runs of one plan give the same page to the byte, apart from its last section, which holds times and memory.

mod curves;
mod dots;
mod figure;
mod findings;
mod head;
mod missing;
mod roc;
mod tables;
mod time;
mod words;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::summary::{self, Row};
use crate::{Arm, Plan, Published, PublishedCell, Record, Suite};

/// A plan with its records, and the suite that it comes from.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    /// The suite's name, or that of the plan.
    pub name: &'a str,
    /// The suite, where the plan comes from one.
    pub suite: Option<&'a Suite>,
    /// What was to be run.
    pub plan: &'a Plan,
    /// What was run, in plan order.
    pub records: &'a [Record],
}

/// A section with what is computed once.
struct Chapter<'a> {
    section: Section<'a>,
    rows: Vec<Row>,
    /// The printed number of each row.
    cells: Vec<Option<&'a PublishedCell>>,
}

impl<'a> Chapter<'a> {
    fn of(section: Section<'a>, published: &'a Published) -> Self {
        let rows = summary::rows(section.plan, section.records);
        let cells = rows.iter().map(|row| published.find_at(section.name, &row.name, &row.at)).collect();
        Self { section, rows, cells }
    }

    fn title(&self) -> &str {
        self.section.suite.map_or(self.section.name, |suite| &suite.title)
    }

    /// Rows of private arms.
    fn private(&self) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().filter(|row| row.spec.features.arm() == Arm::Private)
    }

    /// Methods with private features, in plan order.
    fn methods(&self) -> Vec<&str> {
        distinct(self.private().map(|row| row.name.as_str()))
    }

    /// The row of a private row's control.
    fn control(&self, row: &Row, kind: Arm) -> Option<&Row> {
        let spec = summary::control_of(self.section.plan, &row.spec, kind)?;
        self.rows.iter().find(|other| other.spec == *spec)
    }

    /// The printed number beside a row.
    fn printed(&self, row: &Row) -> Option<f64> {
        let place = self.rows.iter().position(|other| std::ptr::eq(other, row))?;
        self.cells[place]?.value
    }

    /// Whether any row of a method has a printed number.
    fn is_beside_paper(&self) -> bool {
        self.private().any(|row| self.printed(row).is_some())
    }

    /// What else than `but`, data set and model differs between private arms: the axes that a label must name.
    fn varied(&self, but: Option<&str>) -> Vec<&str> {
        let names = distinct(self.private().flat_map(|row| row.at.keys().map(String::as_str)));
        let differs =
            |name: &&str| distinct(self.private().filter_map(|row| row.at.get(*name)).map(String::as_str)).len() > 1;
        let is_other = |name: &&str| !["dataset", "model"].contains(name) && Some(*name) != but;
        names.into_iter().filter(is_other).filter(differs).collect()
    }
}

/// Each value once, in order of first appearance.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// How people read the name of an axis.
fn axis_label(name: &str) -> &str {
    match name {
        "epsilon" => "ε",
        "label_epsilon" => "ε of the label",
        "epsilon_a" => "ε of a list entry",
        "gamma" => "γ",
        "rate" => "share of fakes",
        "dataset" => "data set",
        other => other,
    }
}

/// A value of an axis without the fraction that a suite file may give a whole number.
fn axis_value(text: &str) -> &str {
    text.strip_suffix(".0").unwrap_or(text)
}

/// The page. `published` are the papers' numbers, `others` the suites that were not asked for.
pub fn html(sections: &[Section<'_>], published: &Published, others: &[&Suite]) -> String {
    let chapters: Vec<Chapter<'_>> = sections.iter().map(|&section| Chapter::of(section, published)).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Locally private graph learning: what was run" }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                header {
                    h1 { "Locally private graph learning, re-run" }
                    (head::what_was_run(&chapters))
                }
                main {
                    (findings::markup(&chapters))
                    nav {
                        h2 { "On this page" }
                        ul {
                            @for chapter in &chapters {
                                li { a href=(format!("#{}", anchor(chapter))) { (chapter.title()) } }
                            }
                            li { a href="#not-run" { "What was not run" } }
                            li { a href="#words" { "What the words mean" } }
                            li { a href="#trace" { "How to trace a number" } }
                            li { a href="#time" { "Time and memory" } }
                        }
                    }
                    @for chapter in &chapters { (section(chapter)) }
                    (missing::markup(&chapters, published, others))
                    (words::markup())
                    (words::trace(&chapters))
                    (time::markup(&chapters))
                }
            }
        }
    };
    page.into_string()
}

fn anchor(chapter: &Chapter<'_>) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
    format!("suite-{}", chapter.section.name.chars().map(letter).collect::<String>())
}

fn section(chapter: &Chapter<'_>) -> Markup {
    html! {
        section id=(anchor(chapter)) {
            h2 { (chapter.title()) }
            @if let Some(suite) = chapter.section.suite {
                @for paragraph in suite.about.trim().split("\n\n") { p { (paragraph) } }
            }
            @if chapter.rows.is_empty() {
                p.none { "No run of this suite is finished." }
            } @else {
                (tables::accuracy(chapter))
                @match curves::axis(chapter) {
                    Some(axis) => { (curves::accuracy(chapter, &axis)) (curves::benefit(chapter, &axis)) (curves::detection(chapter, &axis)) },
                    None => { (dots::accuracy(chapter)) (dots::benefit(chapter)) (dots::detection(chapter)) },
                }
                (roc::markup(chapter))
                (tables::defence(chapter))
                (tables::detectors(chapter))
                (tables::certificates(chapter))
            }
        }
    }
}
