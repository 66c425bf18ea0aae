//! Features as MUSAE and FEATHER publish them: one JSON object, node id → list of feature ids.

use std::fmt;
use std::io::{BufReader, Read};
use std::path::Path;

use graph_denoise::CsrMatrix;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::table::line_error;
use crate::Error;

/// Binary features and how many ids were listed more than once for their node.
pub(super) struct Lists {
    pub(super) features: CsrMatrix,
    pub(super) repeats: u64,
}

/// Reads the file as it streams by; a node that is not named has no feature.
pub(super) fn read(path: &Path, nodes: usize, dimensions: usize) -> Result<Lists, Error> {
    read_from(BufReader::new(super::open(path)?), path, nodes, dimensions)
}

pub(super) fn read_from(from: impl Read, path: &Path, nodes: usize, dimensions: usize) -> Result<Lists, Error> {
    let mut lists = Reading { rows: vec![None; nodes], flat: Vec::new(), dimensions, repeats: 0 };
    let mut json = serde_json::Deserializer::from_reader(from);
    lists.deserialize(&mut json).and_then(|()| json.end()).map_err(|error| {
        if error.is_io() {
            return Error::Io { path: path.to_path_buf(), problem: error.into() };
        }
        let text = error.to_string();
        let found = text.split(" at line ").next().unwrap_or_default();
        line_error(path, error.line() as u64, "a JSON object of node id → list of feature ids", found)
    })?;
    let mut indptr = Vec::with_capacity(nodes + 1);
    indptr.push(0);
    let mut indices = Vec::with_capacity(lists.flat.len());
    for row in &lists.rows {
        if let Some((start, end)) = *row {
            indices.extend_from_slice(&lists.flat[start..end]);
        }
        indptr.push(indices.len());
    }
    let values = vec![1.0; indices.len()];
    Ok(Lists { features: CsrMatrix::new(dimensions, indptr, indices, values)?, repeats: lists.repeats })
}

struct Reading {
    /// Where the list of a node is in `flat`.
    rows: Vec<Option<(usize, usize)>>,
    flat: Vec<u32>,
    dimensions: usize,
    repeats: u64,
}

impl Reading {
    /// Sorts the list that begins at `start` and drops its repeats.
    fn compact(&mut self, start: usize) {
        let list = &mut self.flat[start..];
        list.sort_unstable();
        let mut kept = 0;
        for at in 0..list.len() {
            if at == 0 || list[at] != list[kept - 1] {
                list[kept] = list[at];
                kept += 1;
            }
        }
        self.repeats += (list.len() - kept) as u64;
        self.flat.truncate(start + kept);
    }
}

impl<'de> DeserializeSeed<'de> for &mut Reading {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Reading {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Node>()? {
            let nodes = self.rows.len();
            let node = key.0.filter(|&node| node < nodes);
            let node = node.ok_or_else(|| A::Error::custom(format!("a node id outside 0..{nodes}")))?;
            if self.rows[node].is_some() {
                return Err(A::Error::custom(format!("node {node} for the second time")));
            }
            let start = self.flat.len();
            map.next_value_seed(List(self))?;
            self.compact(start);
            self.rows[node] = Some((start, self.flat.len()));
        }
        Ok(())
    }
}

/// A node id written as a string.
struct Node(Option<usize>);

impl<'de> serde::Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Node;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a node id")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Node, E> {
                Ok(Node(text.parse().ok()))
            }
        }
        from.deserialize_str(Text)
    }
}

struct List<'a>(&'a mut Reading);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of feature ids")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let start = self.0.flat.len();
        let longest = 2 * self.0.dimensions + 1024;
        while let Some(id) = list.next_element::<u64>()? {
            // A list that repeats itself without end must not fill the memory.
            if self.0.flat.len() - start == longest {
                self.0.compact(start);
            }
            if id >= self.0.dimensions as u64 {
                return Err(A::Error::custom(format!("feature id {id} outside 0..{}", self.0.dimensions)));
            }
            self.0.flat.push(id as u32);
        }
        Ok(())
    }
}
