//! Features on the unit interval, by public constants and as the papers do it.

use graph_datasets::{Dataset, DatasetParts, Error, FeatureRange, Scaling, SearchPath, load};
use graph_denoise::CsrMatrix;

use crate::real_data::folder;

/// A triangle whose features are `rows`, absent where zero.
fn with_features(rows: [[f32; 3]; 3], feature_range: FeatureRange) -> Result<Dataset, Error> {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in rows {
        for (column, value) in row.into_iter().enumerate().filter(|(_, value)| *value != 0.0) {
            indices.push(column as u32);
            values.push(value);
        }
        indptr.push(indices.len());
    }
    Dataset::new(DatasetParts {
        name: "triangle".to_owned(),
        nodes: 3,
        edges: vec![(0, 1), (0, 2), (1, 2)],
        self_loops: Vec::new(),
        features: Some(CsrMatrix::new(3, indptr, indices, values).unwrap()),
        dimensions: 3,
        feature_range,
        labels: vec![0, 1, 1],
        classes: 2,
    })
}

fn dense(dataset: &Dataset) -> Vec<Vec<f32>> {
    let features = dataset.features().unwrap();
    (0..features.rows())
        .map(|row| {
            let mut dense = vec![0.0; features.columns()];
            let (columns, values) = features.row(row);
            columns.iter().zip(values).for_each(|(&column, &value)| dense[column as usize] = value);
            dense
        })
        .collect()
}

#[test]
fn public_range_moves_zeros_where_the_range_does_not_start_there() {
    let range = FeatureRange::PerColumn { low: vec![0.0, -2.0, -1.0], high: vec![4.0, 2.0, 0.0] };
    let dataset = with_features([[1.0, 0.0, -1.0], [0.0, 2.0, 0.0], [4.0, -2.0, -0.5]], range).unwrap();
    let scaled = dataset.scaled(Scaling::PublicRange).unwrap();
    assert_eq!(dense(&scaled), [[0.25, 0.5, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.5]]);
    assert_eq!(scaled.feature_range(), &FeatureRange::UNIT);
    assert_eq!(scaled.marks(), [""; 0]);
}

#[test]
fn min_max_drops_constant_columns_and_says_what_it_is() {
    let range = FeatureRange::Uniform { low: -8.0, high: 8.0 };
    let dataset = with_features([[1.0, 3.0, 0.0], [0.0, 3.0, -4.0], [4.0, 3.0, 4.0]], range).unwrap();
    let scaled = dataset.scaled(Scaling::MinMax).unwrap();
    assert_eq!(dense(&scaled), [[0.25, 0.5], [0.0, 0.0], [1.0, 1.0]]);
    assert_eq!(scaled.dimensions(), 2);
    let mark = &scaled.marks()[0];
    assert!(mark.contains("learned from private values") && mark.contains("1 constant"), "{mark}");
}

#[test]
fn only_constant_columns() {
    let dataset = with_features([[0.5; 3]; 3], FeatureRange::UNIT).unwrap();
    assert!(matches!(dataset.scaled(Scaling::MinMax), Err(Error::AllConstant { columns: 3 })));
    // By the public range a constant column is as good as any other: the range holds more than one value.
    assert_eq!(dense(&dataset.scaled(Scaling::PublicRange).unwrap()), [[0.5; 3]; 3]);
}

#[test]
fn a_column_whose_range_is_a_single_value_is_refused() {
    let range = FeatureRange::PerColumn { low: vec![0.0; 3], high: vec![1.0, 0.0, 1.0] };
    let error = with_features([[0.0; 3]; 3], range).unwrap_err();
    assert!(matches!(error, Error::EmptyRange { column: 1, low: 0.0, high: 0.0 }), "{error}");
}

#[test]
fn real_graphs_scale_as_the_papers_count() {
    let Some(folder) = folder() else { return };
    let search = SearchPath::new(vec![folder]);
    // Columns left after constant ones are dropped: 1,432 for Cora [LPGNN], 2,148 for Twitch.
    for (name, columns) in [("cora", 1432), ("pubmed", 500), ("twitch", 2148)] {
        let dataset = load(name, &search).unwrap();
        let scaled = dataset.scaled(Scaling::MinMax).unwrap();
        assert_eq!(scaled.dimensions(), columns, "{name}");
        assert_eq!(scaled.features().unwrap().entries(), dataset.features().unwrap().entries(), "{name}");
    }
    let pubmed = load("pubmed", &search).unwrap();
    // PubMed's public bounds are the column maxima of the published file, so both ways must agree to the last bit;
    // what differs is where the bounds come from.
    let (public, learned) = (pubmed.scaled(Scaling::PublicRange).unwrap(), pubmed.scaled(Scaling::MinMax).unwrap());
    assert_eq!(public.features(), learned.features());
    let mut largest = vec![0f32; 500];
    let features = public.features().unwrap();
    for (&column, &value) in features.indices().iter().zip(features.values()) {
        largest[column as usize] = largest[column as usize].max(value);
    }
    assert_eq!(largest, [1.0; 500]);
    assert!(matches!(load("lastfm", &search).unwrap().scaled(Scaling::MinMax), Err(Error::NoFeatures { .. })));
}
