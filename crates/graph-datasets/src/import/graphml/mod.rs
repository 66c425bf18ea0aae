//! GraphML: one file with nodes, edges and what is said of them.
//!
//! Read as it streams by. What one element may hold is bounded, entities of one's own are refused (so nothing can be
//! expanded), and of several ways to say a thing only the simple ones are taken: one graph, no nesting, no hyperedges.

mod document;

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;
use quick_xml::reader::Reader;

use self::document::Document;
use super::{Imported, OwnData};
use crate::Error;

/// Bytes of one tag, comment or text.
const LONGEST_PIECE: u64 = 1 << 20;

/// Reads a GraphML file.
///
/// The class of a node is the text of the node key whose `attr.name` is `label`. Its features are the node keys of type
/// boolean, int, long, float or double, in the order of the file; other keys of nodes, and all of edges, are left out
/// and counted. Nodes are numbered in the order of the file, classes as [`import_own`](super::import_own) does. Edges
/// are taken as undirected whatever `edgedefault` says; repeats and self-loops are welcome.
///
/// # Errors
/// [`Error::Io`], [`Error::Line`] and what [`Dataset::new`](crate::Dataset::new) finds wrong.
pub fn import_graphml(file: &Path, own: &OwnData, label: &str) -> Result<Imported, Error> {
    let source = Pieces { inner: BufReader::new(super::open(file)?), line: 1, piece: 0 };
    let mut reader = Reader::from_reader(source);
    let mut document = Document::new(file, label);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        let source = reader.get_mut();
        source.piece = 0;
        document.at(source.line);
        match event.map_err(|error| document.unreadable(&error))? {
            Event::Start(start) => document.start(&start)?,
            Event::End(_) => document.end()?,
            Event::Empty(tag) => document.start(&tag).and_then(|()| document.end())?,
            Event::Text(text) => document.text(&text.xml10_content())?,
            Event::CData(text) => document.text(&text.xml10_content())?,
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content();
                let known = reference.resolve_char_ref().ok().flatten().map(String::from);
                let known = known.or_else(|| resolve_predefined_entity(&name).map(str::to_owned));
                document.text(&known.ok_or_else(|| document.wrong("an entity that XML itself defines", &name))?)?;
            }
            Event::DocType(_) => return Err(document.wrong("no document type", "<!DOCTYPE")),
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
            Event::Eof => break,
        }
    }
    document.finish(own)
}

/// The file, counted in lines, that ends inside a piece that is too long.
struct Pieces<R> {
    inner: R,
    line: u64,
    piece: u64,
}

impl<R: BufRead> Read for Pieces<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(to)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Pieces<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.piece > LONGEST_PIECE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        // What is consumed was filled before, so it is at hand.
        let read = self.inner.fill_buf().unwrap_or_default();
        self.line += read[..bytes.min(read.len())].iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.piece += bytes as u64;
        self.inner.consume(bytes);
    }
}
