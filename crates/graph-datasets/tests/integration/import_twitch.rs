//! The 128-column Twitch file, made up here on the real graph and labels.

use graph_datasets::{Error, FeatureRange, SearchPath, card, import_twitch_embedding, load};

use crate::npz_file::{NpzFile, f32s, i64s, npy, on_disk};
use crate::real_data::folder;

#[test]
fn the_embedding_is_taken_with_the_graph_and_labels_of_the_catalog() {
    let Some(folder) = folder() else { return };
    let twitch = load("twitch", &SearchPath::new(vec![folder])).unwrap();
    // Both directions and a loop for every node, 123,412 rows as PyTorch Geometric states.
    let mut edges: Vec<i64> =
        twitch.graph().iter_edges().flat_map(|(u, v)| [u.into(), v.into(), v.into(), u.into()]).collect();
    edges.extend((0..4648).flat_map(|node| [node, node]));
    assert_eq!(edges.len() / 2, 123_412);
    let target: Vec<i64> = twitch.labels().iter().map(|&label| label.into()).collect();
    let values: Vec<f32> = (0..4648 * 128).map(|at| (at % 7) as f32 - 3.0).collect();
    let file = NpzFile(Vec::new())
        .with("edges", i64s("(123412, 2)", &edges))
        .with("target", i64s("(4648,)", &target))
        .with("features", f32s("(4648, 128)", &values));
    let range = FeatureRange::Uniform { low: -3.0, high: 3.0 };
    let read = |file: &NpzFile, range: &FeatureRange| {
        let (_guard, path) = on_disk(&file.bytes());
        import_twitch_embedding(card("twitch").unwrap(), &path, range.clone()).map(|imported| imported.dataset)
    };
    let dataset = read(&file, &range).unwrap();
    assert_eq!((dataset.graph(), dataset.labels()), (twitch.graph(), twitch.labels()));
    assert_eq!((dataset.dimensions(), dataset.marks().len()), (128, 1));
    let wide: Vec<u8> = values.iter().flat_map(|&value| f64::from(value).to_le_bytes()).collect();
    let double = file.clone().with("features", npy("<f8", "(4648, 128)", &wide));
    assert_eq!(read(&double, &range).unwrap(), dataset);

    let narrow = FeatureRange::Uniform { low: -1.0, high: 1.0 };
    assert!(matches!(read(&file, &narrow), Err(Error::In { .. })));
    let mut flipped = target.clone();
    flipped[0] = 1 - flipped[0];
    let error = read(&file.clone().with("target", i64s("(4648,)", &flipped)), &range).unwrap_err();
    assert!(error.to_string().contains("array labels of twitch"), "{error}");
    edges[1] = 4648;
    let error = read(&file.with("edges", i64s("(123412, 2)", &edges)), &range).unwrap_err();
    assert!(error.to_string().contains("nodes are 0..4648"), "{error}");
}
