//! Planetoid's pickles: hostile and broken ones.

use std::path::Path;

use graph_datasets::{Card, Error, card, import_public, read_public};
use tempfile::TempDir;

use crate::real_data::folder;

/// A card for a graph of four nodes, and its raw files: two nodes in `allx`, two in `tx`.
fn small() -> (Card, TempDir) {
    let mut card = card("cora").unwrap().clone();
    (card.name, card.nodes, card.features, card.classes) = ("small".to_owned(), 4, 3, 2);
    let raw = tempfile::tempdir().unwrap();
    for (part, rows) in [("x", 1), ("allx", 2), ("tx", 2)] {
        std::fs::write(raw.path().join(format!("ind.small.{part}")), csr(rows)).unwrap();
    }
    for (part, rows) in [("y", 1), ("ally", 2), ("ty", 2)] {
        std::fs::write(raw.path().join(format!("ind.small.{part}")), one_hot(rows)).unwrap();
    }
    std::fs::write(raw.path().join("ind.small.test.index"), "3\n2\n").unwrap();
    std::fs::write(raw.path().join("ind.small.graph"), graph(b"")).unwrap();
    (card, raw)
}

fn array(code: &str, shape: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R(K\x01(".to_vec();
    shape.iter().for_each(|&axis| bytes.extend([b'K', axis]));
    bytes.extend(b"tcnumpy\ndtype\nU\x02");
    bytes.extend(code.as_bytes());
    bytes.extend(b"K\0K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89T");
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    bytes.extend(b"tb");
    bytes
}

fn i32s(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Row r has a one in column r.
fn csr(rows: u8) -> Vec<u8> {
    let starts: Vec<i32> = (0..=i32::from(rows)).collect();
    let ones: Vec<u8> = (0..rows).flat_map(|_| 1f32.to_le_bytes()).collect();
    let mut bytes = b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\x06_shape".to_vec();
    bytes.extend([b'K', rows, b'K', 3, 0x86]);
    bytes.extend(b"U\x06indptr");
    bytes.extend(array("i4", &[rows + 1], &i32s(&starts)));
    bytes.extend(b"U\x07indices");
    bytes.extend(array("i4", &[rows], &i32s(&starts[..rows as usize])));
    bytes.extend(b"U\x04data");
    bytes.extend(array("f4", &[rows], &ones));
    bytes.extend(b"ub.");
    bytes
}

/// Row r is of class r mod 2.
fn one_hot(rows: u8) -> Vec<u8> {
    let values: Vec<i32> = (0..i32::from(rows)).flat_map(|row| [1 - row % 2, row % 2]).collect();
    let mut bytes = b"\x80\x02".to_vec();
    bytes.extend(array("i4", &[rows, 2], &i32s(&values)));
    bytes.push(b'.');
    bytes
}

/// A cycle of four nodes; `before` stands at its start.
fn graph(before: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x80\x02".to_vec();
    bytes.extend(before);
    bytes.extend(b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(");
    for node in 0..4u8 {
        bytes.extend([b'K', node, b']', b'(', b'K', (node + 1) % 4, b'K', (node + 3) % 4, b'e']);
    }
    bytes.extend(b"u.");
    bytes
}

#[test]
fn the_small_files_that_the_tests_spoil_are_good_but_for_the_split() {
    let (card, raw) = small();
    // 500 validation nodes do not exist here; that is the last thing to be checked.
    let error = read_public(&card, raw.path()).unwrap_err();
    assert!(matches!(error, Error::NodeList { ref what, node: 4, nodes: 4, .. } if what == "validation"), "{error}");
}

/// Writes `bytes` over a part and returns offset, expectation and finding of the error.
fn spoiled(part: &str, bytes: &[u8]) -> (u64, String, String) {
    let (card, raw) = small();
    let path = raw.path().join(format!("ind.small.{part}"));
    std::fs::write(&path, bytes).unwrap();
    match read_public(&card, raw.path()).unwrap_err() {
        Error::Byte { path: named, offset, expected, found } => {
            assert_eq!(named, path);
            (offset, expected, found)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_pickle_that_calls_something_is_refused_where_it_names_it() {
    let flag = std::env::temp_dir().join("graph-datasets-pickle-was-run");
    let mut call = b"cos\nsystem\n".to_vec();
    let command = format!("touch {}", flag.display());
    call.extend([b'U', command.len() as u8]);
    call.extend(command.as_bytes());
    call.extend(b"\x85R0");
    let (offset, _, found) = spoiled("graph", &graph(&call));
    assert_eq!((offset, found.as_str()), (3, "os.system, which is never called"));
    assert!(!flag.exists());
    for name in ["c__builtin__\neval\n", "cbuiltins\nexec\n", "cnumpy\nload\n", "csubprocess\nPopen\n"] {
        let (_, _, found) = spoiled("x", name.as_bytes());
        assert!(found.ends_with("never called"), "{found}");
    }
}

#[test]
fn known_names_in_places_that_make_no_sense() {
    // Calls `list`, calls a dtype without arguments, builds on an integer, calls a tuple.
    for bytes in [&b"c__builtin__\nlist\n)R."[..], b"cnumpy\ndtype\n)R.", b"K\x01}b.", b"))R.", b"]]b."] {
        let (_, _, found) = spoiled("graph", bytes);
        assert!(!found.is_empty());
    }
}

#[test]
fn opcodes_that_plain_data_do_not_need() {
    // INST, OBJ, PERSID, BINPERSID, EXT1, LONG text, protocol 4, FRAME.
    for bytes in [
        &b"(ios\nsystem\n."[..],
        b"(o.",
        b"Pabc\n.",
        b"N\x51.",
        b"\x82\x01.",
        b"L10L\n.",
        b"\x80\x04N.",
        b"\x95\0\0\0\0\0\0\0\0.",
    ] {
        let (_, expected, _) = spoiled("graph", bytes);
        assert!(expected.contains("opcodes") || expected.contains("protocol 2"), "{expected}");
    }
}

#[test]
fn torn_anywhere() {
    for (part, whole) in [("graph", graph(b"")), ("allx", csr(2)), ("ally", one_hot(2))] {
        for length in 0..whole.len() {
            spoiled(part, &whole[..length]);
        }
        let mut more = whole.clone();
        more.push(b'.');
        assert!(spoiled(part, &more).2.contains("more bytes"));
    }
}

#[test]
fn lengths_and_shapes_that_lie() {
    // A string of 4 GiB in a file of a few bytes.
    let (_, _, found) = spoiled("graph", b"\x80\x02T\xff\xff\xff\xffabc.");
    assert!(found.contains("4294967295 bytes wanted"), "{found}");
    let mut lying = b"\x80\x02".to_vec();
    lying.extend(array("i4", &[200, 200], &[0; 16]));
    lying.push(b'.');
    assert!(spoiled("ally", &lying).1.contains("shape that fits"));
    let mut objects = b"\x80\x02".to_vec();
    objects.extend(array("O8", &[1], &[0; 8]));
    objects.push(b'.');
    assert!(spoiled("ally", &objects).2.contains("O8"));
    // CSR parts that disagree: two rows, but the starts of three.
    let bytes = csr(2);
    let at = bytes.windows(6).position(|window| window == b"_shape").unwrap() + 7;
    let mut wrong = bytes.clone();
    wrong[at] = 3;
    assert!(spoiled("allx", &wrong).1.contains("parts agree"));
}

#[test]
fn a_row_of_two_classes_or_of_half_a_one_is_refused() {
    for values in [[1, 1, 0, 1], [2, 0, 0, 1], [0, 1, -1, 0]] {
        let mut bytes = b"\x80\x02".to_vec();
        bytes.extend(array("i4", &[2, 2], &i32s(&values)));
        bytes.push(b'.');
        assert!(spoiled("ally", &bytes).1.contains("a single 1 a row"), "{values:?}");
    }
}

#[test]
fn deep_nesting_and_endless_memory_references_end() {
    // A million tuples, each in the next: no recursion may follow them.
    let mut deep = b"\x80\x02)".to_vec();
    deep.extend(std::iter::repeat_n(0x85, 1_000_000));
    deep.push(b'.');
    assert!(spoiled("graph", &deep).1.contains("dictionary"));
    // A list that is its own member.
    assert!(spoiled("graph", b"\x80\x02]q\0h\0a.").1.contains("dictionary"));
    let many = vec![b'N'; 5_000_000];
    assert!(spoiled("graph", &many).1.contains("fewer values"));
}

#[test]
fn nodes_outside_the_graph() {
    for (edge, expected) in [(&b"J\xff\xff\xff\xff"[..], -1), (b"K\x04", 4), (b"J\x00\x00\x00\x40", 1 << 30)] {
        let (card, raw) = small();
        let mut bytes = b"\x80\x02}(K\0](".to_vec();
        bytes.extend(edge);
        bytes.extend(b"eu.");
        std::fs::write(raw.path().join("ind.small.graph"), bytes).unwrap();
        let error = read_public(&card, raw.path()).unwrap_err();
        let Error::In { problem, .. } = error else { panic!("{error}") };
        assert!(matches!(*problem, Error::EdgeOutOfRange { to, .. } if to == expected), "{problem}");
    }
}

#[test]
fn lines_of_the_test_order() {
    for (text, line) in [("3\n4\n", 2), ("3\n3\n", 2), ("-1\n2\n", 1), ("3\n\n", 2), ("1099511627776\n", 1), ("x", 1)] {
        let (card, raw) = small();
        std::fs::write(raw.path().join("ind.small.test.index"), text).unwrap();
        let error = read_public(&card, raw.path()).unwrap_err();
        assert!(matches!(error, Error::Line { line: found, .. } if found == line), "{text:?}: {error}");
    }
    let (card, raw) = small();
    std::fs::write(raw.path().join("ind.small.test.index"), "").unwrap();
    let error = read_public(&card, raw.path()).unwrap_err();
    assert!(error.to_string().contains("expected 2, found 0"), "{error}");
}

#[test]
fn a_missing_file_is_named() {
    let (card, raw) = small();
    std::fs::remove_file(raw.path().join("ind.small.ty")).unwrap();
    let error = import_public(&card, raw.path(), Path::new("/nowhere")).unwrap_err();
    assert!(matches!(&error, Error::Io { path, .. } if path.ends_with("ind.small.ty")), "{error}");
}

#[test]
fn flipped_bytes_of_a_real_pickle_never_panic() {
    let Some(folder) = folder() else { return };
    let bytes = std::fs::read(folder.join("cora/raw/ind.cora.x")).unwrap();
    let (mut card, raw) = small();
    card.features = 1433;
    let path = raw.path().join("ind.small.x");
    for at in 0..900 {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, flipped).unwrap();
        assert!(read_public(&card, raw.path()).is_err());
    }
}
