//! Files that must be refused, each with the error that names what is wrong.

use graph_datasets::{Dataset, Error};

use crate::npz_file::{NpzFile, f32s, i32s, i64s, npy, on_disk};

fn error_of(bytes: &[u8]) -> Error {
    let (_folder, path) = on_disk(bytes);
    match Dataset::read_npz(&path, "test").unwrap_err() {
        Error::In { path: named, problem } => {
            assert_eq!(named, path);
            *problem
        }
        other => panic!("no file named: {other}"),
    }
}

/// The good file with one array replaced.
fn error_with(key: &str, member: Vec<u8>) -> Error {
    error_of(&NpzFile::good().with(key, member).bytes())
}

#[test]
fn the_file_that_the_tests_spoil_is_good() {
    let (_folder, path) = on_disk(&NpzFile::good().bytes());
    let dataset = Dataset::read_npz(&path, "test").unwrap();
    assert_eq!((dataset.nodes(), dataset.edges(), dataset.self_loops()), (4, 3, &[2][..]));
    assert_eq!(dataset.features().unwrap().row(3), (&[0, 1][..], &[1.0, 0.5][..]));
}

#[test]
fn empty_file() {
    assert!(matches!(error_of(b""), Error::Archive { .. }));
}

#[test]
fn no_file_at_all() {
    let error = Dataset::read_npz(std::path::Path::new("/no/such/graph.npz"), "test").unwrap_err();
    assert!(matches!(&error, Error::Io { .. }), "{error}");
    assert!(error.to_string().starts_with("/no/such/graph.npz: "), "{error}");
}

#[test]
fn torn_at_any_byte() {
    let whole = NpzFile::good().bytes();
    for length in 0..whole.len() {
        error_of(&whole[..length]);
    }
}

#[test]
fn any_flipped_bit_of_an_array_is_seen() {
    let whole = NpzFile::good().bytes();
    let (_folder, path) = on_disk(&whole);
    let good = Dataset::read_npz(&path, "test").unwrap();
    let mut refused = 0;
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        let (_folder, path) = on_disk(&bytes);
        match Dataset::read_npz(&path, "test") {
            Err(_) => refused += 1,
            // Bits of a time stamp, of attributes or of a version: the arrays must be the same.
            Ok(read) => {
                assert_eq!(
                    (read.graph(), read.features(), read.labels()),
                    (good.graph(), good.features(), good.labels())
                );
            }
        }
    }
    assert!(refused * 2 > whole.len(), "{refused} of {} refused", whole.len());
}

#[test]
fn wrong_dtype() {
    let error = error_with("edges", i64s("(3, 2)", &[0, 1, 1, 2, 2, 3]));
    assert!(matches!(error, Error::Dtype { key, expected: "<i4", found } if key == "edges" && found == "<i8"));
    let error = error_with("feat_data", npy(">f4", "(4,)", &[0; 16]));
    assert!(matches!(error, Error::Dtype { found, .. } if found == ">f4"));
    // An array of pickled objects.
    let error = error_with("labels", npy("|O", "(4,)", &[0x80, 2]));
    assert!(matches!(error, Error::Dtype { found, .. } if found == "|O"));
}

#[test]
fn lying_shapes() {
    let error = error_with("labels", i32s("(5,)", &[0, 0, 1, 1, 1]));
    assert!(matches!(error, Error::Shape { key, found, .. } if key == "labels" && found == [5]));
    for labels in [&[0, 0, 1][..], &[0, 0, 1, 1, 1]] {
        let error = error_with("labels", i32s("(4,)", labels));
        // Said from the sizes alone, before a byte of it is read.
        assert!(
            matches!(&error, Error::Array { problem, .. } if problem.starts_with("its shape needs 16 bytes")),
            "{error}"
        );
    }
    let error = error_with("edges", i32s("(6,)", &[0, 1, 1, 2, 2, 3]));
    assert!(matches!(error, Error::Shape { key, .. } if key == "edges"));
    let error = error_with("edges", i32s("(4611686018427387904, 2)", &[0, 1]));
    assert!(matches!(error, Error::TooLarge { found: u64::MAX, .. }), "{error}");
    let error = error_with("edges", i32s("(1000000000000, 2)", &[0, 1]));
    assert!(matches!(error, Error::TooLarge { found: 8_000_000_000_000, .. }), "{error}");
}

#[test]
fn missing_and_unknown_arrays() {
    for key in ["edges", "self_loops", "labels", "num_classes", "shape", "feat_indices", "feat_data"] {
        let error = error_of(&NpzFile::good().without(key).bytes());
        assert!(matches!(error, Error::NoArray { key: named } if named == key));
    }
    let error = error_of(&NpzFile::good().without("feat_indptr").bytes());
    assert!(matches!(error, Error::Array { .. }), "{error}");
    let error = error_with("surprise", i32s("(1,)", &[1]));
    assert!(matches!(error, Error::Array { key, .. } if key == "surprise"));
    let error = error_with("train_index", i32s("(1,)", &[1]));
    assert!(matches!(error, Error::Array { key, .. } if key == "train_index"));
}

#[test]
fn edges_out_of_range_repeated_looped_or_out_of_order() {
    let error = error_with("edges", i32s("(3, 2)", &[0, 1, 1, 2, 2, 4]));
    assert!(matches!(error, Error::EdgeOutOfRange { at: 2, from: 2, to: 4, nodes: 4 }), "{error}");
    let error = error_with("edges", i32s("(3, 2)", &[-1, 1, 1, 2, 2, 3]));
    assert!(matches!(error, Error::EdgeOutOfRange { at: 0, from: -1, to: 1, nodes: 4 }), "{error}");
    let error = error_with("edges", i32s("(3, 2)", &[0, 1, 1, 1, 2, 3]));
    assert!(matches!(error, Error::SelfLoop { at: 1, node: 1 }), "{error}");
    let error = error_with("edges", i32s("(3, 2)", &[0, 1, 0, 1, 2, 3]));
    assert!(matches!(error, Error::DuplicateEdge { at: 1, from: 0, to: 1 }), "{error}");
    let error = error_with("edges", i32s("(3, 2)", &[0, 1, 2, 1, 2, 3]));
    assert!(matches!(error, Error::EdgeOrder { at: 1, from: 2, to: 1 }), "{error}");
    let error = error_with("edges", i32s("(3, 2)", &[1, 2, 0, 1, 2, 3]));
    assert!(matches!(error, Error::EdgeOrder { at: 1, from: 0, to: 1 }), "{error}");
    let error = error_with("self_loops", i32s("(2,)", &[2, 2]));
    assert!(matches!(error, Error::NodeList { at: 1, node: 2, .. }), "{error}");
    let error = error_with("self_loops", i32s("(1,)", &[4]));
    assert!(matches!(error, Error::NodeList { at: 0, node: 4, nodes: 4, .. }), "{error}");
}

#[test]
fn labels_out_of_range_and_empty_classes() {
    let error = error_with("labels", i32s("(4,)", &[0, 0, 1, 2]));
    assert!(matches!(error, Error::LabelOutOfRange { node: 3, label: 2, classes: 2 }), "{error}");
    let error = error_with("labels", i32s("(4,)", &[0, -1, 1, 1]));
    assert!(matches!(error, Error::LabelOutOfRange { node: 1, label: -1, classes: 2 }), "{error}");
    let error = error_with("num_classes", i64s("(1,)", &[3]));
    assert!(matches!(error, Error::EmptyClass { class: 2, classes: 3 }), "{error}");
    let error = error_with("num_classes", i64s("(1,)", &[2_000_000_000]));
    assert!(matches!(error, Error::EmptyClass { class: 2, classes: 2_000_000_000 }), "{error}");
    let error = error_with("num_classes", i64s("(1,)", &[1 << 40]));
    assert!(matches!(error, Error::Array { key, .. } if key == "num_classes"));
}

#[test]
fn features_that_are_no_numbers_or_outside_the_range() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = error_with("feat_data", f32s("(4,)", &[1.0, 1.0, bad, 1.0]));
        assert!(matches!(error, Error::NotFinite { node: 3, column: 0, .. }), "{error}");
    }
    let error = error_with("feat_data", f32s("(4,)", &[1.0, 1.5, 1.0, 1.0]));
    assert!(
        matches!(error, Error::FeatureOutOfRange { node: 1, column: 2, value: 1.5, low: 0.0, high: 1.0 }),
        "{error}"
    );
    let file = NpzFile::good().with("feature_low", f32s("(1,)", &[0.5])).with("feature_high", f32s("(1,)", &[1.0]));
    let error = error_of(&file.bytes());
    assert!(matches!(error, Error::FeatureOutOfRange { node: 0, column: 1, value: 0.0, .. }), "{error}");
}

#[test]
fn declared_ranges_that_are_none() {
    for (low, high) in [(0.0, 0.0), (1.0, 0.0), (f32::NAN, 1.0), (0.0, f32::INFINITY), (f32::MIN, f32::MAX)] {
        let file =
            NpzFile::good().with("feature_low", f32s("(1,)", &[low])).with("feature_high", f32s("(1,)", &[high]));
        assert!(matches!(error_of(&file.bytes()), Error::EmptyRange { column: 0, .. }), "{low} {high}");
    }
    let file =
        NpzFile::good().with("feature_low", f32s("(2,)", &[0.0, 0.0])).with("feature_high", f32s("(2,)", &[1.0, 1.0]));
    assert!(matches!(error_of(&file.bytes()), Error::Count { expected: 3, found: 2, .. }));
    let file = NpzFile::good().with("feature_low", f32s("(1,)", &[0.0]));
    assert!(matches!(error_of(&file.bytes()), Error::NoArray { key: "feature_high" }));
}

#[test]
fn feature_rows_that_are_none() {
    let error = error_with("feat_indptr", i64s("(5,)", &[0, 2, 1, 2, 4]));
    assert!(matches!(error, Error::Graph(_)), "{error}");
    let error = error_with("feat_indptr", i64s("(5,)", &[0, 1, 2, 2, -4]));
    assert!(matches!(error, Error::Array { key, .. } if key == "feat_indptr"));
    let error = error_with("feat_indices", i32s("(4,)", &[0, 3, 0, 1]));
    assert!(matches!(error, Error::Graph(_)), "{error}");
    let error = error_with("feat_indices", i32s("(4,)", &[0, -2, 0, 1]));
    assert!(matches!(error, Error::Array { key, .. } if key == "feat_indices"));
    let error = error_with("feat_indices", i32s("(4,)", &[0, 2, 1, 1]));
    assert!(matches!(error, Error::Graph(_)), "{error}");
}

#[test]
fn graphs_too_small_to_learn_on() {
    let error = error_with("edges", i32s("(0, 2)", &[]));
    assert!(matches!(error, Error::NoEdges), "{error}");
    let file = NpzFile::good().with("num_classes", i64s("(1,)", &[1])).with("labels", i32s("(4,)", &[0; 4]));
    assert!(matches!(error_of(&file.bytes()), Error::TooFewClasses { classes: 1 }));
    let one = NpzFile::good()
        .with("shape", i64s("(2,)", &[1, 3]))
        .with("labels", i32s("(1,)", &[0]))
        .with("edges", i32s("(0, 2)", &[]))
        .with("self_loops", i32s("(0,)", &[]))
        .without("feat_indptr")
        .without("feat_indices")
        .without("feat_data");
    assert!(matches!(error_of(&one.bytes()), Error::TooFewNodes { nodes: 1, at_least: 2, .. }));
}

#[test]
fn more_nodes_than_ids() {
    let error = error_with("shape", i64s("(2,)", &[1 << 40, 3]));
    assert!(matches!(error, Error::Array { key, .. } if key == "shape"));
    let error = error_with("shape", i64s("(2,)", &[-4, 3]));
    assert!(matches!(error, Error::Array { key, .. } if key == "shape"));
}

#[test]
fn a_zip_bomb_is_refused_before_it_unfolds() {
    // 4 GiB of zeros would be 4 MiB of deflate; the header alone gives it away, so only 8 MiB are written here.
    let error = error_with("edges", npy("<i4", "(536870912, 2)", &vec![0; 8 << 20]));
    assert!(matches!(error, Error::TooLarge { found: 4_294_967_296, limit, .. } if limit <= 1 << 30), "{error}");
}

#[test]
fn members_that_are_no_arrays() {
    let whole = NpzFile::good();
    let error = error_of(&whole.clone().with("edges", b"PK".to_vec()).bytes());
    assert!(matches!(error, Error::Array { key, .. } if key == "edges"));
    let error = error_of(&whole.with("edges", b"\x93NUMPY\x02\x00v\x00\x00\x00".to_vec()).bytes());
    assert!(matches!(error, Error::Array { problem, .. } if problem.contains("version")));
}
