//! CSV and JSON files: MUSAE's layout and a person's own, good and bad.

use std::fs;
use std::io::Write;
use std::path::Path;

use graph_datasets::{Card, Dataset, Error, FeatureRange, OwnData, card, import_own, read_public};
use tempfile::TempDir;

/// Facebook's card for a graph of four nodes, and good files.
fn musae() -> (Card, TempDir) {
    let mut card = card("facebook").unwrap().clone();
    (card.nodes, card.features) = (4, 5);
    let raw = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(raw.path().join(name), text).unwrap();
    write("musae_facebook_edges.csv", "id_1,id_2\n0,1\n1,0\n2,3\n3,3\n1,2\n");
    write(
        "musae_facebook_target.csv",
        "id,facebook_id,page_name,page_type\n3,1,\"a, b\",company\n0,2,\"say \"\"x\"\"\",tvshow\n1,3,ü,politician\n2,4,\"two\nlines\",government\n",
    );
    write("musae_facebook_features.json", r#"{"2": [4, 0, 4], "0": [], "3": [1]}"#);
    (card, raw)
}

#[test]
fn header_variants_reversed_and_repeated_edges_and_repeated_ids() {
    let (card, raw) = musae();
    for header in ["id_1,id_2", "from,to", "id1,id2", "node_1,node_2", "\u{feff}source,target"] {
        let rows =
            if header == "from,to" { "\r\n0,1\r\n1,0\r\n2,3\r\n3,3\r\n1,2\r\n" } else { "\n0,1\n1,0\n2,3\n3,3\n1,2" };
        fs::write(raw.path().join("musae_facebook_edges.csv"), format!("{header}{rows}")).unwrap();
        let imported = read_public(&card, raw.path()).unwrap();
        let dataset = &imported.dataset;
        assert!(dataset.graph().iter_edges().eq([(0, 1), (1, 2), (2, 3)]));
        assert_eq!(dataset.self_loops(), [3]);
        assert_eq!(dataset.labels(), [1, 2, 3, 0]);
        assert_eq!(dataset.features().unwrap().row(2), (&[0, 4][..], &[1.0, 1.0][..]));
        assert_eq!(dataset.features().unwrap().row(1).0.len(), 0);
        let counts = ["raw_edge_rows", "raw_self_loop_rows", "raw_duplicate_rows", "repeated_feature_ids"];
        assert_eq!(counts.map(|what| imported.upstream[what]), [5, 1, 1, 1]);
    }
}

/// Writes `text` over the file and returns line, expectation and finding of the error.
fn musae_error(name: &str, text: &str) -> (u64, String, String) {
    let (card, raw) = musae();
    let path = raw.path().join(name);
    fs::write(&path, text).unwrap();
    line_of(read_public(&card, raw.path()).unwrap_err(), &path)
}

fn line_of(error: Error, path: &Path) -> (u64, String, String) {
    match error {
        Error::Line { path: named, line, expected, found } => {
            assert_eq!(named, path);
            (line, expected, found)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn bad_edge_files_say_the_line() {
    let cases = [
        ("", 1),
        ("\n\n", 1),
        ("0,1\n1,2\n", 1),
        ("a,b,c\n0,1,2\n", 1),
        ("a,b\n0,1\n0\n", 3),
        ("a,b\n0,1\n0,1,2\n", 3),
        ("a,b\n0,-1\n", 2),
        ("a,b\n0,4\n", 2),
        ("a,b\n0,1099511627776\n", 2),
        ("a,b\n0,1.0\n", 2),
        ("a,b\n0,NaN\n", 2),
        ("a,b\n\n\n0,x\n", 4),
        ("a,b\r\n\r\n0,1\r\n0,x", 4),
        ("a,b\r0,4\r", 1),
    ];
    for (text, line) in cases {
        let (found, expected, _) = musae_error("musae_facebook_edges.csv", text);
        assert_eq!(found, line, "{text:?}: {expected}");
    }
}

#[test]
fn bad_target_files_say_the_line() {
    let head = "id,facebook_id,page_name,page_type\n";
    for (rows, line) in [
        ("0,1,a,company\n0,1,a,company\n", 3),
        ("0,1,a,shop\n", 2),
        ("4,1,a,company\n", 2),
        ("0,1,\"a\nb\",company\n1,2,c,none\n", 4),
    ] {
        assert_eq!(musae_error("musae_facebook_target.csv", &format!("{head}{rows}")).0, line, "{rows:?}");
    }
    let (line, expected, _) = musae_error("musae_facebook_target.csv", "id,page\n0,company\n");
    assert_eq!((line, expected.as_str()), (1, "a column \"page_type\""));
    let (card, raw) = musae();
    fs::write(raw.path().join("musae_facebook_target.csv"), format!("{head}0,1,a,company\n")).unwrap();
    let error = read_public(&card, raw.path()).unwrap_err();
    assert!(error.to_string().contains("expected 4, found 1"), "{error}");
}

#[test]
fn bad_feature_files_say_the_line() {
    for (text, line) in [
        ("", 1),
        ("[]", 1),
        ("{\"0\": [1],\n\"0\": [1]}", 2),
        ("{\"0\": [5]}", 1),
        ("{\n\n\"0\": [-1]}", 3),
        ("{\"0\": [1099511627776]}", 1),
        ("{\"0\": [NaN]}", 1),
        ("{\"0\": [0.5]}", 1),
        ("{\"0\": [[1]]}", 1),
        ("{\"4\": [1]}", 1),
        ("{\"-1\": [1]}", 1),
        ("{\"x\": [1]}", 1),
        ("{\"0\": [1]", 1),
        ("{\"0\": [1]} {}", 1),
        ("\u{feff}{\"0\": [1]}", 1),
    ] {
        assert_eq!(musae_error("musae_facebook_features.json", text).0, line, "{text:?}");
    }
}

#[test]
fn a_feature_list_that_repeats_itself_without_end_takes_no_memory() {
    let (card, raw) = musae();
    let mut text = "{\"0\": [".to_owned();
    text.extend((0..200_000).map(|at| if at % 2 == 0 { "1," } else { "3," }));
    text.push_str("1]}");
    fs::write(raw.path().join("musae_facebook_features.json"), text).unwrap();
    let imported = read_public(&card, raw.path()).unwrap();
    assert_eq!(imported.dataset.features().unwrap().row(0).0, [1, 3]);
    assert_eq!(imported.upstream["repeated_feature_ids"], 199_999);
}

/// A folder with these files.
fn own(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn import(folder: &TempDir) -> Result<Dataset, Error> {
    let range = FeatureRange::Uniform { low: -1.0, high: 2.0 };
    import_own(folder.path(), &OwnData { name: "mine".to_owned(), feature_range: range }).map(|found| found.dataset)
}

const LABELS: (&str, &str) = ("labels.csv", "node,label\nana,10\nbob,9\ncy,9\n");
const EDGES: (&str, &str) = ("edges.csv", "from,to\nbob,ana\nana,bob\ncy,cy\ncy,bob\n");

#[test]
fn own_data_with_text_ids_dense_and_sparse() {
    let dense = own(&[LABELS, EDGES, ("features.csv", "node,age,height\ncy,0,1.5\nana,-1,2\n")]);
    let sparse =
        own(&[LABELS, EDGES, ("features.csv", "node,feature,value\nana,age,-1\ncy,height,1.5\nana,height,2\n")]);
    let read = import(&dense).unwrap();
    assert_eq!(read.labels(), [1, 0, 0], "9 comes before 10");
    assert!(read.graph().iter_edges().eq([(0, 1), (1, 2)]));
    assert_eq!(read.self_loops(), [2]);
    let features = read.features().unwrap();
    assert_eq!(features.row(0), (&[0, 1][..], &[-1.0, 2.0][..]));
    assert_eq!(features.row(1).0.len(), 0);
    assert_eq!(features.row(2), (&[1][..], &[1.5][..]));
    assert_eq!(import(&sparse).unwrap(), read);
    let none = import(&own(&[LABELS, EDGES])).unwrap();
    assert!(none.features().is_none());
}

#[test]
fn own_data_errors_say_file_and_line() {
    type File = (&'static str, &'static str);
    let cases: [(&[File], &str, u64); 14] = [
        (&[("labels.csv", ""), EDGES], "labels.csv", 1),
        (&[("labels.csv", "id,label\na,1\n"), EDGES], "labels.csv", 1),
        (&[("labels.csv", "node,label\na,1\nb,\n"), EDGES], "labels.csv", 3),
        (&[("labels.csv", "node,label\na,1\na,2\n"), EDGES], "labels.csv", 3),
        (&[LABELS, ("edges.csv", "from,to\nana,dora\n")], "edges.csv", 2),
        (&[LABELS, ("edges.csv", "ana,bob\nbob,cy\n")], "edges.csv", 1),
        (&[LABELS, EDGES, ("features.csv", "node,a\nana,NaN\n")], "features.csv", 2),
        (&[LABELS, EDGES, ("features.csv", "node,a\nana,inf\n")], "features.csv", 2),
        (&[LABELS, EDGES, ("features.csv", "node,a\nana,1\nana,1\n")], "features.csv", 3),
        (&[LABELS, EDGES, ("features.csv", "node,a\nana,1,1\n")], "features.csv", 2),
        (&[LABELS, EDGES, ("features.csv", "node,feature,value\nana,a,1\nbob,a,1\nana,a,0\n")], "features.csv", 4),
        (&[LABELS, EDGES, ("features.csv", "node,feature,value\nana,,1\n")], "features.csv", 2),
        (&[LABELS, EDGES, ("features.csv", "node,feature,value\ndora,a,1\n")], "features.csv", 2),
        (&[LABELS, EDGES, ("features.csv", "name,a\nana,1\n")], "features.csv", 1),
    ];
    for (files, name, line) in cases {
        let folder = own(files);
        assert_eq!(line_of(import(&folder).unwrap_err(), &folder.path().join(name)).0, line, "{files:?}");
    }
    for outside in ["2.5", "-1.5"] {
        let text = format!("node,a\nana,{outside}\n");
        let error = import(&own(&[LABELS, EDGES, ("features.csv", &text)])).unwrap_err().to_string();
        let expected = format!("feature 0 of node 0 is {outside}, outside its public range [-1, 2]");
        assert!(error.contains(&expected), "{error}");
    }
    let error = import(&own(&[LABELS])).unwrap_err().to_string();
    assert!(error.contains("edges.csv"), "{error}");
}

const MATRIX: &str = "%%MatrixMarket matrix coordinate pattern symmetric\n% c\n\n3 3 3\n2 1\n3 3\n3 2\n";

#[test]
fn own_data_as_matrix_market_files() {
    let features = "%%MatrixMarket matrix coordinate real general\r\n3 2 3\r\n1 2 2\r\n1 1 -1\r\n3 2 1.5e0";
    let matrices = own(&[LABELS, ("edges.mtx", MATRIX), ("features.mtx", features)]);
    let tables = own(&[LABELS, EDGES, ("features.csv", "node,age,height\ncy,0,1.5\nana,-1,2\n")]);
    assert_eq!(import(&matrices).unwrap(), import(&tables).unwrap());
}

#[test]
fn bad_matrix_market_files_say_the_line() {
    let head = "%%MatrixMarket matrix coordinate pattern general\n";
    let cases = [
        (String::new(), 1),
        ("3 3 1\n1 2\n".to_owned(), 1),
        ("%%MatrixMarket matrix array real general\n".to_owned(), 1),
        ("%%MatrixMarket matrix coordinate complex general\n".to_owned(), 1),
        ("%%MatrixMarket matrix coordinate pattern hermitian\n".to_owned(), 1),
        (head.to_owned(), 2),
        (format!("{head}3 3\n"), 2),
        (format!("{head}3 3 -1\n"), 2),
        (format!("{head}3 3 1099511627776\n"), 2),
        (format!("{head}3 3 1\n0 1\n"), 3),
        (format!("{head}3 3 1\n4 1\n"), 3),
        (format!("{head}3 3 1\n1 2 1\n"), 3),
        (format!("{head}3 3 1\n1\n"), 3),
        (format!("{head}3 3 1\n1 2\n2 3\n"), 4),
        (format!("{head}3 3 3\n1 2\n2 3\n"), 5),
        (format!("{head}%{}\n", "x".repeat(2000)), 2),
    ];
    for (text, line) in cases {
        let folder = own(&[LABELS, ("edges.mtx", &text)]);
        let found = line_of(import(&folder).unwrap_err(), &folder.path().join("edges.mtx"));
        assert_eq!(found.0, line, "{text:?}: {found:?}");
    }
    let error = import(&own(&[LABELS, ("edges.mtx", &format!("{head}4 4 1\n1 2\n"))])).unwrap_err().to_string();
    assert!(error.contains("expected 3, found 4"), "{error}");
    let real = "%%MatrixMarket matrix coordinate real general\n3 2 2\n";
    for (rows, line) in [("1 1 NaN\n1 2 1\n", 3), ("1 1\n1 2 1\n", 3), ("1 1 1\n1 1 0\n", 4)] {
        let folder = own(&[LABELS, EDGES, ("features.mtx", &format!("{real}{rows}"))]);
        let found = line_of(import(&folder).unwrap_err(), &folder.path().join("features.mtx"));
        assert_eq!(found.0, line, "{rows:?}: {found:?}");
    }
}

#[test]
fn bytes_that_are_no_text() {
    let folder = own(&[LABELS]);
    fs::write(folder.path().join("edges.csv"), b"from,to\nana,bob\nana,\xff\xfe\n").unwrap();
    let (line, expected, _) = line_of(import(&folder).unwrap_err(), &folder.path().join("edges.csv"));
    assert_eq!((line, expected.as_str()), (3, "UTF-8 text"));
}

#[test]
fn a_line_without_end_is_refused_early() {
    // The beginning of a CSV file of 10⁹ columns: 33 MiB are enough to be refused.
    let folder = own(&[LABELS, EDGES]);
    let path = folder.path().join("features.csv");
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(b"node").unwrap();
    for _ in 0..33 * 512 {
        file.write_all(&[b','; 2048]).unwrap();
    }
    drop(file);
    let (line, expected, _) = line_of(import(&folder).unwrap_err(), &path);
    assert_eq!(line, 1);
    assert!(expected.contains("at most 33554432 bytes"), "{expected}");
}
