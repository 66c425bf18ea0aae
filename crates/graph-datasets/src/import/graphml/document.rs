//! What a GraphML file has said so far, element by element.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use graph_denoise::CsrMatrix;
use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use super::super::edges::CanonicalEdges;
use super::super::own::{Ids, MOST_NAMES, number, sorted};
use super::super::table::line_error;
use super::super::{Imported, OwnData};
use super::LONGEST_PIECE;
use crate::{Dataset, DatasetParts, Error};

/// Elements inside each other.
const DEEPEST: usize = 64;
/// Values of features that are kept; a default stands for one at every node.
const MOST_VALUES: usize = 1 << 27;

/// What a key of nodes stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    Label,
    Feature { column: u32, default: f32 },
    LeftOut,
}

/// The elements that matter; everything below an `Other` is one, too.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Element {
    GraphMl,
    Key(Option<usize>),
    Default(Option<usize>),
    Graph,
    Node(u32),
    Data(usize),
    Edge,
    Other,
}

pub(super) struct Document<'a> {
    path: &'a Path,
    label: &'a str,
    line: u64,
    open: Vec<Element>,
    text: String,
    keys: Vec<Role>,
    key_of: HashMap<String, usize>,
    default_label: Option<String>,
    columns: u32,
    left_out: u64,
    graphs: usize,
    names: Ids,
    /// Number of each name's node, by the order in which names occur; none until its element comes.
    nodes: Vec<Option<u32>>,
    labels: Vec<u32>,
    classes: Ids,
    pairs: Vec<(u32, u32)>,
    /// Line of each edge, for one whose node never comes.
    lines: Vec<u64>,
    indptr: Vec<usize>,
    entries: Vec<(u32, f32)>,
    /// What the open node has said so far: its label, and the value of each of its keys.
    own_label: Option<u32>,
    said: Vec<(u32, f32)>,
}

impl<'a> Document<'a> {
    pub(super) fn new(path: &'a Path, label: &'a str) -> Self {
        Self {
            path,
            label,
            line: 1,
            open: Vec::new(),
            text: String::new(),
            keys: Vec::new(),
            key_of: HashMap::new(),
            default_label: None,
            columns: 0,
            left_out: 0,
            graphs: 0,
            names: Ids::new(),
            nodes: Vec::new(),
            labels: Vec::new(),
            classes: Ids::new(),
            pairs: Vec::new(),
            lines: Vec::new(),
            indptr: vec![0],
            entries: Vec::new(),
            own_label: None,
            said: Vec::new(),
        }
    }

    /// Line of what comes next.
    pub(super) fn at(&mut self, line: u64) {
        self.line = line;
    }

    pub(super) fn wrong(&self, expected: &str, found: &str) -> Error {
        let shown: String = found.chars().take(60).collect();
        line_error(self.path, self.line, expected, &format!("{shown:?}"))
    }

    pub(super) fn unreadable(&self, error: &quick_xml::Error) -> Error {
        match error {
            quick_xml::Error::Io(source) if source.kind() == io::ErrorKind::FileTooLarge => {
                let expected = format!("tags and texts of at most {LONGEST_PIECE} bytes");
                line_error(self.path, self.line, &expected, "a longer one")
            }
            quick_xml::Error::Io(source) => {
                let problem = io::Error::new(source.kind(), source.to_string());
                Error::Io { path: self.path.to_path_buf(), problem }
            }
            other => line_error(self.path, self.line, "well-formed XML", &other.to_string()),
        }
    }

    fn attribute(&self, tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, Error> {
        let bad = || self.wrong("attributes as XML has them", tag.attributes_raw());
        let Some(attribute) = tag.try_get_attribute(name).map_err(|_| bad())? else { return Ok(None) };
        attribute.normalized_value(XmlVersion::Implicit1_0).map(|value| Some(value.into_owned())).map_err(|_| bad())
    }

    fn needed(&self, tag: &BytesStart<'_>, name: &str) -> Result<String, Error> {
        let value = self.attribute(tag, name)?.filter(|value| !value.is_empty());
        value.ok_or_else(|| self.wrong(&format!("an attribute {name}"), &format!("<{}>", tag.name().as_ref())))
    }

    pub(super) fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), Error> {
        if self.open.len() == DEEPEST {
            return Err(self.wrong(&format!("at most {DEEPEST} elements inside each other"), "one more"));
        }
        let local = tag.local_name();
        let name: &str = local.as_ref();
        let element = match (self.open.last(), name) {
            (None, "graphml") if self.graphs == 0 => Element::GraphMl,
            (None, _) => return Err(self.wrong("one root element graphml", name)),
            (Some(Element::GraphMl), "key") => Element::Key(self.key(tag)?),
            (Some(&Element::Key(key)), "default") => Element::Default(key),
            (Some(Element::GraphMl), "graph") => {
                self.graphs += 1;
                if self.graphs > 1 {
                    return Err(self.wrong("one graph", "a second one"));
                }
                Element::Graph
            }
            (Some(Element::Graph), "node") => Element::Node(self.node(tag)?),
            (Some(Element::Graph), "edge") => {
                self.edge(tag)?;
                Element::Edge
            }
            (Some(Element::Node(_)), "data") => {
                let id = self.needed(tag, "key")?;
                let key = self.key_of.get(&id).copied();
                Element::Data(key.ok_or_else(|| self.wrong("a key of nodes that was declared before", &id))?)
            }
            (Some(Element::Graph | Element::Node(_) | Element::Edge), "graph" | "hyperedge") => {
                return Err(self.wrong("a plain graph, nothing nested and no hyperedges", name));
            }
            (Some(Element::Data(_) | Element::Default(_)), _) => return Err(self.wrong("a value", name)),
            _ => Element::Other,
        };
        self.text.clear();
        self.open.push(element);
        Ok(())
    }

    pub(super) fn text(&mut self, text: &str) -> Result<(), Error> {
        if matches!(self.open.last(), Some(Element::Data(_) | Element::Default(_))) {
            if (self.text.len() + text.len()) as u64 > LONGEST_PIECE {
                return Err(self.wrong(&format!("values of at most {LONGEST_PIECE} bytes"), "a longer one"));
            }
            self.text.push_str(text);
        } else if self.open.is_empty() && !text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() {
            return Err(self.wrong("an XML document", text));
        }
        Ok(())
    }

    /// A key of nodes gets its place; one of anything else has none.
    fn key(&mut self, tag: &BytesStart<'_>) -> Result<Option<usize>, Error> {
        let id = self.needed(tag, "id")?;
        let of = self.attribute(tag, "for")?.unwrap_or_else(|| "all".to_owned());
        let name = self.attribute(tag, "attr.name")?.unwrap_or_default();
        let kind = self.attribute(tag, "attr.type")?.unwrap_or_else(|| "string".to_owned());
        if !matches!(of.as_str(), "node" | "all") {
            self.left_out += 1;
            return Ok(None);
        }
        let role = match kind.as_str() {
            _ if name == self.label => Role::Label,
            "boolean" | "int" | "long" | "float" | "double" => {
                self.columns += 1;
                Role::Feature { column: self.columns - 1, default: 0.0 }
            }
            _ => Role::LeftOut,
        };
        self.left_out += u64::from(role == Role::LeftOut);
        if role == Role::Label && self.keys.contains(&Role::Label) {
            return Err(self.wrong("one key of that name", &name));
        }
        if self.key_of.insert(id.clone(), self.keys.len()).is_some() {
            return Err(self.wrong("each key once", &id));
        }
        self.keys.push(role);
        Ok(Some(self.keys.len() - 1))
    }

    /// Number of the name in the order in which names occur.
    fn name(&mut self, id: &str) -> Result<u32, Error> {
        let at = number(&mut self.names, id);
        if self.names.len() > MOST_NAMES {
            return Err(self.wrong(&format!("at most {MOST_NAMES} different nodes"), id));
        }
        if at as usize == self.nodes.len() {
            self.nodes.push(None);
        }
        Ok(at)
    }

    fn node(&mut self, tag: &BytesStart<'_>) -> Result<u32, Error> {
        let id = self.needed(tag, "id")?;
        let (name, next) = (self.name(&id)?, self.labels.len() as u32);
        if self.nodes[name as usize].replace(next).is_some() {
            return Err(self.wrong("each node once", &id));
        }
        (self.own_label, self.said) = (None, Vec::new());
        Ok(next)
    }

    fn edge(&mut self, tag: &BytesStart<'_>) -> Result<(), Error> {
        let (from, to) = (self.needed(tag, "source")?, self.needed(tag, "target")?);
        let pair = (self.name(&from)?, self.name(&to)?);
        self.pairs.push(pair);
        self.lines.push(self.line);
        Ok(())
    }

    fn value(&self) -> Result<f32, Error> {
        let text = self.text.trim();
        let value = match text {
            "true" => Some(1.0),
            "false" => Some(0.0),
            _ => text.parse::<f32>().ok().filter(|value| value.is_finite()),
        };
        value.ok_or_else(|| self.wrong("a finite number", text))
    }

    pub(super) fn end(&mut self) -> Result<(), Error> {
        match self.open.pop() {
            Some(Element::Default(Some(key))) => match self.keys[key] {
                Role::Label => self.default_label = Some(self.text.trim().to_owned()),
                Role::Feature { column, .. } => self.keys[key] = Role::Feature { column, default: self.value()? },
                Role::LeftOut => {}
            },
            Some(Element::Data(key)) => match self.keys[key] {
                Role::Label if self.own_label.is_some() => return Err(self.wrong("one label", &self.text)),
                Role::Label => {
                    let text = std::mem::take(&mut self.text);
                    self.own_label = Some(self.class(text.trim())?);
                }
                Role::Feature { column, .. } => self.said.push((column, self.value()?)),
                Role::LeftOut => {}
            },
            Some(Element::Node(_)) => self.close_node()?,
            _ => {}
        }
        Ok(())
    }

    fn class(&mut self, name: &str) -> Result<u32, Error> {
        if name.is_empty() {
            return Err(self.wrong("a label", name));
        }
        Ok(number(&mut self.classes, name))
    }

    fn close_node(&mut self) -> Result<(), Error> {
        let label = match (self.own_label, self.default_label.clone()) {
            (Some(label), _) => label,
            (None, Some(name)) => self.class(&name)?,
            (None, None) => {
                return Err(self.wrong(&format!("data of the node key with attr.name {:?}", self.label), "none"));
            }
        };
        self.labels.push(label);
        self.said.sort_by_key(|&(column, _)| column);
        if self.said.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(self.wrong("each key of a node once", "a repetition"));
        }
        let mut said = self.said.iter().peekable();
        for role in &self.keys {
            let &Role::Feature { column, default } = role else { continue };
            let value = said.next_if(|&&(said, _)| said == column).map_or(default, |&(_, value)| value);
            if value != 0.0 {
                self.entries.push((column, value));
            }
        }
        if self.entries.len() > MOST_VALUES {
            return Err(self.wrong(&format!("at most {MOST_VALUES} values of features"), "more"));
        }
        self.indptr.push(self.entries.len());
        Ok(())
    }

    pub(super) fn finish(mut self, own: &OwnData) -> Result<Imported, Error> {
        if self.graphs == 0 || !self.open.is_empty() {
            return Err(self.wrong("a whole graphml element with a graph in it", "the end of the file"));
        }
        if !self.keys.contains(&Role::Label) {
            return Err(self.wrong(&format!("a key of nodes with attr.name {:?}", self.label), "none"));
        }
        let order = sorted(&self.classes);
        let labels: Vec<u32> = self.labels.iter().map(|&label| order[label as usize]).collect();
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for (&(from, to), &line) in self.pairs.iter().zip(&self.lines) {
            let Some(pair) = self.nodes[from as usize].zip(self.nodes[to as usize]) else {
                return Err(line_error(self.path, line, "an edge between nodes of the file", "an unknown one"));
            };
            pairs.push(pair);
        }
        let features = (self.columns > 0).then(|| {
            let (columns, values) = std::mem::take(&mut self.entries).into_iter().unzip();
            CsrMatrix::new(self.columns as usize, std::mem::take(&mut self.indptr), columns, values)
        });
        let edges = CanonicalEdges::new(pairs);
        let mut upstream = edges.upstream();
        upstream.insert("keys_left_out", self.left_out);
        let dataset = Dataset::new(DatasetParts {
            name: own.name.clone(),
            nodes: labels.len(),
            edges: edges.edges,
            self_loops: edges.self_loops,
            features: features.transpose()?,
            dimensions: self.columns as usize,
            feature_range: own.feature_range.clone(),
            labels,
            classes: self.classes.len(),
        })
        .map_err(|error| error.within(self.path))?;
        Ok(Imported { dataset, upstream })
    }
}
