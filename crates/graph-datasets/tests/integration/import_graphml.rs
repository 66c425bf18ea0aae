//! GraphML files: what is taken, what is left out, what is refused.

use std::fs;
use std::path::Path;

use graph_datasets::{Error, FeatureRange, Imported, OwnData, import_graphml, import_own};

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- as common tools write it -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="label" attr.type="string"/>
<key id="d1" for="node" attr.name="age" attr.type="double"><desc>years</desc></key>
<key id="d2" for="node" attr.name="height" attr.type="float"><default>0.0</default></key>
<key id="d3" for="node" attr.name="nick" attr.type="string"/>
<key id="d4" for="edge" attr.name="weight" attr.type="double"/>
"#;

const BODY: &str = r#"<graph id="G" edgedefault="undirected">
<node id="ana"><data key="d0">10</data><data key="d1">-1</data><data key="d2"> 2 </data></node>
<edge source="bob" target="ana"><data key="d4">0.5</data></edge>
<node id="bob"><data key="d3">B&amp;b</data><data key="d0">9</data></node>
<node id="cy"><data key="d2">1.5</data><data key="d0"><![CDATA[9]]></data></node>
<edge source="ana" target="bob"/><edge source="cy" target="cy"/><edge source="cy" target="bob"/>
</graph>
</graphml>
"#;

fn range() -> FeatureRange {
    FeatureRange::Uniform { low: -1.0, high: 2.0 }
}

fn import(text: &[u8]) -> (Result<Imported, Error>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.graphml");
    fs::write(&path, text).unwrap();
    (import_graphml(&path, &OwnData { name: "mine".to_owned(), feature_range: range() }, "label"), folder)
}

/// Line of the error, which must be about the file, and what it says.
fn line(text: &str) -> (u64, String) {
    let (outcome, folder) = import(text.as_bytes());
    match outcome.unwrap_err() {
        Error::Line { path, line, expected, found } => {
            assert_eq!(path, folder.path().join("a.graphml"));
            (line, format!("{expected}, {found}"))
        }
        other => panic!("{other} for {text}"),
    }
}

fn own(files: &[(&str, &str)]) -> Imported {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    import_own(folder.path(), &OwnData { name: "mine".to_owned(), feature_range: range() }).unwrap()
}

#[test]
fn says_the_same_as_tables() {
    let tables = own(&[
        ("labels.csv", "node,label\nana,10\nbob,9\ncy,9\n"),
        ("edges.csv", "from,to\nbob,ana\nana,bob\ncy,cy\ncy,bob\n"),
        ("features.csv", "node,age,height\ncy,0,1.5\nana,-1,2\n"),
    ]);
    let (found, _) = import(format!("{HEAD}{BODY}").as_bytes());
    let found = found.unwrap();
    assert_eq!(found.dataset, tables.dataset);
    assert_eq!(found.upstream["keys_left_out"], 2, "nick and weight");
    assert_eq!((found.upstream["raw_edge_rows"], found.upstream["raw_duplicate_rows"]), (4, 1));
}

#[test]
fn directed_files_byte_order_marks_prefixes_and_line_ends_are_read_alike() {
    let plain = import(format!("{HEAD}{BODY}").as_bytes()).0.unwrap().dataset;
    let directed = format!("{HEAD}{BODY}").replace("undirected", "directed");
    assert_eq!(import(directed.as_bytes()).0.unwrap().dataset, plain);
    let marked = format!("\u{feff}{HEAD}{BODY}").replace('\n', "\r\n");
    assert_eq!(import(marked.as_bytes()).0.unwrap().dataset, plain);
    let mut prefixed = format!("{HEAD}{BODY}").replace("xmlns=", "xmlns:g=");
    for name in ["graphml", "key", "default", "desc", "graph", "node", "edge", "data"] {
        for after in [" ", ">"] {
            prefixed = prefixed.replace(&format!("<{name}{after}"), &format!("<g:{name}{after}"));
        }
        prefixed = prefixed.replace(&format!("</{name}>"), &format!("</g:{name}>"));
    }
    assert!(prefixed.contains("<g:graph ") && prefixed.contains("</g:data>"));
    assert_eq!(import(prefixed.as_bytes()).0.unwrap().dataset, plain);
}

#[test]
fn defaults_stand_where_a_node_says_nothing() {
    let head = HEAD
        .replace(r#""string"/>"#, r#""string"><default>9</default></key>"#)
        .replace("<default>0.0</default>", "<default>1.5</default>");
    let body = BODY.replace(r#"<data key="d0">9</data>"#, "").replace(r#"<data key="d2">1.5</data>"#, "");
    let found = import(format!("{head}{body}").as_bytes()).0.unwrap().dataset;
    assert_eq!(found.labels(), [1, 0, 0]);
    let features = found.features().unwrap();
    assert_eq!(features.row(0), (&[0, 1][..], &[-1.0, 2.0][..]));
    assert_eq!(features.row(1), (&[1][..], &[1.5][..]));
    assert_eq!(features.row(2), (&[1][..], &[1.5][..]));
}

#[test]
fn without_numbers_there_are_no_features() {
    let head = HEAD.replace(r#""double">"#, r#""string">"#).replace(r#""float">"#, r#""string">"#);
    let found = import(format!("{head}{BODY}").as_bytes()).0.unwrap();
    assert!(found.dataset.features().is_none());
    assert_eq!(found.upstream["keys_left_out"], 4);
}

#[test]
fn errors_say_the_line() {
    let whole = format!("{HEAD}{BODY}");
    let cases = [
        (String::new(), 1, "whole graphml"),
        ("\n\nhello".to_owned(), 3, "an XML document"),
        ("<svg></svg>".to_owned(), 1, "root element graphml"),
        ("<graphml></graphml>".to_owned(), 1, "with a graph in it"),
        (HEAD.to_owned(), 9, "whole graphml"),
        (whole.replace("</graph>", ""), 16, "well-formed"),
        (whole.replace("attr.name=\"label\"", "attr.name=\"class\""), 10, "attr.name \"label\""),
        (whole.replace("<data key=\"d0\">9</data>", ""), 12, "data of the node key"),
        (whole.replace("key=\"d1\"", "key=\"d9\""), 10, "a key of nodes that was declared"),
        (whole.replace(">-1<", ">NaN<"), 10, "finite number"),
        (whole.replace(">-1<", ">1e99<"), 10, "finite number"),
        (whole.replace(">-1<", "><b/><"), 10, "a value"),
        (whole.replace("id=\"bob\"", "id=\"ana\""), 12, "each node once"),
        (whole.replace("id=\"bob\"", "id=\"\""), 12, "an attribute id"),
        (whole.replace("target=\"ana\"", "target=\"dora\""), 11, "between nodes of the file"),
        (whole.replace("target=\"ana\"", ""), 11, "an attribute target"),
        (whole.replace("key=\"d3\"", "key=\"d0\""), 12, "one label"),
        (whole.replace("key=\"d2\"> 2 ", "key=\"d1\"> 2 "), 10, "each key of a node once"),
        (whole.replace("id=\"d1\"", "id=\"d0\""), 5, "each key once"),
        (whole.replace("attr.name=\"age\"", "attr.name=\"label\""), 5, "one key of that name"),
        (whole.replace("B&amp;b", "&lol;"), 12, "entity that XML itself"),
        (whole.replace("<node id=\"cy\">", "<hyperedge/><node id=\"cy\">"), 13, "no hyperedges"),
        (whole.replace("<node id=\"cy\">", "<node id=\"cy\"><graph/>"), 13, "nothing nested"),
        (whole.replace("</graphml>", "<graph/></graphml>"), 16, "one graph"),
        (whole.replace("<graphml", "<!DOCTYPE graphml [<!ENTITY lol \"ha\">]><graphml"), 3, "no document type"),
        (format!("{}{}", HEAD, "<p>".repeat(70)), 9, "inside each other"),
    ];
    for (text, expected, said) in cases {
        let (line, found) = line(&text);
        assert!(line == expected && found.contains(said), "line {line}: {found}; expected {said} in line {expected}");
    }
    let (outcome, _) = import(whole.replace("> 2 <", ">2.5<").as_bytes());
    assert!(outcome.unwrap_err().to_string().contains("outside its public range [-1, 2]"));
    let (outcome, _) = import(&[b"<graphml>".as_slice(), &[0xff, 0xfe, b'<']].concat());
    assert!(matches!(outcome.unwrap_err(), Error::Line { .. } | Error::Io { .. }));
    let missing =
        import_graphml(Path::new("no such file"), &OwnData { name: String::new(), feature_range: range() }, "");
    assert!(matches!(missing.unwrap_err(), Error::Io { .. }));
}

/// Tags, texts and comments that do not end, of 3 MiB each: refused after one.
#[test]
fn pieces_without_end_are_refused_early() {
    let long = "x".repeat(3 << 20);
    for text in [
        format!("{HEAD}<graph {long}"),
        format!("{HEAD}<!-- {}", "<>".repeat(3 << 19)),
        format!("{HEAD}<graph><node id=\"a\"><data key=\"d0\">{long}"),
        format!("{HEAD}<graph><node id=\"a\"><data key=\"d0\"><![CDATA[{long}"),
        format!("{HEAD}<graph><node id=\"a\"><data key=\"d0\">{}", "<!---->yes".repeat(1 << 19)),
    ] {
        let (_, found) = line(&text);
        assert!(found.contains("at most 1048576 bytes"), "{found}");
    }
}
