//! What the papers print: `data/papers/*.toml`, held beside what was run.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toml::Value;

use crate::{Error, PlannedArm};

/// Points within which a mean that lies outside our interval still counts as close.
pub const CLOSE: f64 = 2.0;

/// The printed numbers of all papers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Published {
    cells: Vec<PublishedCell>,
}

/// One printed number, or the statement that a figure prints none.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedCell {
    /// Short name of the paper.
    pub paper: String,
    /// The suite that repeats it.
    pub suite: String,
    /// The method, as the suite names it.
    pub method: String,
    /// Where it stands on the suite's axes; what is not named is the same everywhere.
    pub at: BTreeMap<String, String>,
    /// The printed number, percent; none where a figure prints no number.
    pub value: Option<f64>,
    /// Half of the printed interval, points, where there is one.
    pub half_width: Option<f64>,
    /// Where the number was read.
    pub source: String,
    /// Table or figure.
    pub table: String,
    /// Page, where it is known.
    pub page: Option<u32>,
    /// What a reader must know.
    pub note: Option<String>,
}

/// How our mean stands to a printed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// The printed mean lies in our 95 % interval.
    Inside,
    /// It lies outside, or there is no interval, but within [`CLOSE`] points.
    Close,
    /// Neither.
    Apart,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperFile {
    paper: String,
    source: String,
    #[serde(rename = "cell")]
    cells: Vec<RawCell>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCell {
    suite: String,
    method: String,
    #[serde(default)]
    at: BTreeMap<String, Value>,
    #[serde(default = "yes")]
    printed: bool,
    value: Option<f64>,
    half_width: Option<f64>,
    source: Option<String>,
    table: String,
    page: Option<u32>,
    note: Option<String>,
}

fn yes() -> bool {
    true
}

impl Published {
    /// Reads every TOML file of a folder, by name; nothing where there is no folder. Unknown keys are refused.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::PlanFile`] for what is no such file, and [`Error::PaperCell`], naming file and cell.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let mut published = Self::default();
        if !folder.is_dir() {
            return Ok(published);
        }
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(Error::file("cannot read", folder))? {
            let path = entry.map_err(Error::file("cannot read", folder))?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                paths.push(path);
            }
        }
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(&path).map_err(Error::file("cannot read", &path))?;
            published.add(&path, &text)?;
        }
        Ok(published)
    }

    /// Adds the cells of one file's text; `path` is what errors name.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn add(&mut self, path: &Path, text: &str) -> Result<(), Error> {
        let file: PaperFile = toml::from_str(text)
            .map_err(|source| Error::PlanFile { path: path.to_owned(), source: Box::new(source) })?;
        for (index, raw) in file.cells.into_iter().enumerate() {
            let wrong = |what| Error::PaperCell { path: path.to_owned(), cell: index + 1, what };
            let cell = cell(&file.paper, &file.source, raw).map_err(wrong)?;
            let is_same = |other: &&PublishedCell| {
                other.suite == cell.suite && other.method == cell.method && other.at == cell.at
            };
            if self.cells.iter().any(|other| is_same(&other)) {
                return Err(wrong("stands at the place of an earlier cell"));
            }
            self.cells.push(cell);
        }
        Ok(())
    }

    /// All cells.
    pub fn cells(&self) -> &[PublishedCell] {
        &self.cells
    }

    /// The cell of an arm: same suite, same method, and all of the cell's `at` as the arm has it. Of several the one that
    /// says more.
    pub fn find(&self, suite: &str, arm: &PlannedArm) -> Option<&PublishedCell> {
        self.find_at(suite, &arm.name, &arm.at)
    }

    /// As [`find`](Self::find), of an arm's name and place.
    pub fn find_at(&self, suite: &str, method: &str, at: &BTreeMap<String, String>) -> Option<&PublishedCell> {
        let is_of = |cell: &&PublishedCell| {
            let stands = |(axis, value): (&String, &String)| at.get(axis).is_some_and(|have| is_same(have, value));
            cell.suite == suite && cell.method == method && cell.at.iter().all(stands)
        };
        self.cells.iter().filter(is_of).max_by_key(|cell| cell.at.len())
    }
}

impl PublishedCell {
    /// Our mean less the printed one, points, and how the two stand to each other; none where nothing is printed.
    pub fn compare(&self, ours: crate::Interval) -> Option<(f64, Agreement)> {
        let difference = ours.mean - self.value?;
        let agreement = if ours.half_width.is_some_and(|half_width| difference.abs() <= half_width) {
            Agreement::Inside
        } else if difference.abs() <= CLOSE {
            Agreement::Close
        } else {
            Agreement::Apart
        };
        Some((difference, agreement))
    }

    /// The printed number with its interval, or that there is none.
    pub fn shown(&self) -> String {
        match (self.value, self.half_width) {
            (Some(value), Some(half_width)) => format!("{value:.1} ± {half_width:.1}"),
            (Some(value), None) => format!("{value:.1}"),
            (None, _) => "figure only".to_owned(),
        }
    }

    /// Paper, table, page, source and note in one line.
    pub fn origin(&self) -> String {
        let page = self.page.map_or(String::new(), |page| format!(", page {page}"));
        let note = self.note.as_ref().map_or(String::new(), |note| format!("; {note}"));
        format!("{}, {}{page} ({}){note}", self.paper, self.table, self.source)
    }
}

impl Agreement {
    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Self::Inside => "inside interval",
            Self::Close => "within 2 points",
            Self::Apart => "further off",
        }
    }
}

fn cell(paper: &str, source: &str, raw: RawCell) -> Result<PublishedCell, &'static str> {
    let RawCell { suite, method, at, printed, value, half_width, source: own, table, page, note } = raw;
    match (printed, value, &note) {
        (true, None, _) => return Err("has no value; where a figure prints none it says `printed = false`"),
        (false, Some(_), _) => return Err("says `printed = false` and has a value"),
        (false, None, None) => return Err("says `printed = false` without a note"),
        _ => {}
    }
    if value.is_some_and(|value| !(0.0..=100.0).contains(&value)) {
        return Err("has a value outside [0, 100] percent");
    }
    if half_width.is_some_and(|half_width| value.is_none() || !(0.0..=100.0).contains(&half_width)) {
        return Err("has a half_width without a value or outside [0, 100] points");
    }
    let mut place = BTreeMap::new();
    for (axis, value) in at {
        let value = match value {
            Value::String(text) => text,
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => value.to_string(),
            _ => return Err("has a table or list in `at`"),
        };
        place.insert(axis, value);
    }
    let (paper, source) = (paper.to_owned(), own.unwrap_or_else(|| source.to_owned()));
    Ok(PublishedCell { paper, suite, method, at: place, value, half_width, source, table, page, note })
}

/// Equal as text or as numbers: an axis may write 1.0 where a cell writes 1.
fn is_same(one: &str, other: &str) -> bool {
    one == other || matches!((one.parse::<f64>(), other.parse::<f64>()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Agreement, Published};
    use crate::Interval;

    fn read(cells: &str) -> Result<Published, String> {
        let mut published = Published::default();
        let text = format!("paper = \"P\"\nsource = \"S\"\n{cells}");
        let added = published.add(Path::new("p.toml"), &text);
        added.map_err(|error| {
            let source = std::error::Error::source(&error).map_or(String::new(), ToString::to_string);
            format!("{error} {source}")
        })?;
        Ok(published)
    }

    const CELL: &str =
        "[[cell]]\nsuite = \"s\"\nmethod = \"M\"\nat = { epsilon = 1, dataset = \"cora\" }\ntable = \"T\"\n";

    #[test]
    fn the_cell_that_says_more_is_found() {
        let general = "[[cell]]\nsuite = \"s\"\nmethod = \"M\"\nprinted = false\nnote = \"n\"\ntable = \"F\"\n";
        let published = read(&format!("{general}{CELL}value = 70.0\nhalf_width = 1.5\n")).expect("two cells");
        let mut at = std::collections::BTreeMap::new();
        assert_eq!(published.find_at("s", "M", &at).and_then(|cell| cell.value), None);
        at.insert("dataset".to_owned(), "cora".to_owned());
        at.insert("epsilon".to_owned(), "1.0".to_owned());
        let cell = published.find_at("s", "M", &at).expect("a cell");
        assert_eq!(cell.shown(), "70.0 ± 1.5");
        assert!(published.find_at("other", "M", &at).is_none() && published.find_at("s", "N", &at).is_none());
        let against = |mean, half_width| cell.compare(Interval { count: 3, mean, half_width }).expect("printed").1;
        assert_eq!(against(73.0, Some(3.0)), Agreement::Inside);
        assert_eq!(against(72.0, Some(1.0)), Agreement::Close);
        assert_eq!(against(72.0, None), Agreement::Close);
        assert_eq!(against(67.9, Some(1.0)), Agreement::Apart);
    }

    #[test]
    fn a_wrong_cell_is_named() {
        for (more, what) in [
            ("", "no value"),
            ("value = 700.0\n", "outside [0, 100]"),
            ("value = 70.0\nprinted = false\n", "has a value"),
            ("printed = false\n", "without a note"),
            ("printed = false\nnote = \"n\"\nhalf_width = 1.0\n", "half_width"),
            ("value = 70.0\nvalu = 1\n", "valu"),
        ] {
            let fault = read(&format!("{CELL}{more}")).expect_err(more);
            assert!(fault.contains("p.toml") && fault.contains(what), "{fault}");
        }
        let twice = format!("{CELL}value = 70.0\n{CELL}value = 71.0\n");
        assert!(read(&twice).expect_err("twice").contains("cell 2"));
    }
}
