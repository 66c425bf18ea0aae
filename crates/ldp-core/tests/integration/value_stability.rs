//! Seed → reports, pinned. A red test here means that published runs draw other numbers: note it as value-breaking.

use ldp_core::{Bounds, Epsilon, MultiBitEncoder, RandomizedResponse, Randomizer, SampleSize, SparseRows, Users};

use crate::statistics::{rng, stream};

#[test]
fn randomized_response() {
    let mechanism = RandomizedResponse::new(Epsilon::new(1.0).unwrap(), 6).unwrap();
    let mut reports = [0; 12];
    mechanism.randomize_all(&[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], &mut reports, &mut rng(41)).unwrap();
    assert_eq!(reports, [0, 1, 3, 3, 1, 3, 3, 1, 2, 3, 4, 5]);
}

#[test]
fn multi_bit() {
    let encoder = MultiBitEncoder::new(Epsilon::new(4.0).unwrap(), 9, Bounds::UNIT, SampleSize::Fixed(3)).unwrap();
    let report = encoder.randomize(&[0.0, 1.0, 0.5, 0.0, 1.0, 0.25, 0.0, 0.0, 1.0], &mut rng(42)).unwrap();
    assert_eq!(report.indices(), [1, 2, 6]);
    assert_eq!(report.bits(), [false, true, false]);
    let rows = SparseRows::new(9, Bounds::UNIT, &[0, 2, 3, 3], &[1, 4, 8], &[1.0, 0.5, 1.0], 0.0).unwrap();
    let reports = encoder.encode_sparse_rows(&rows, Users::From(7), stream(43)).unwrap();
    assert_eq!(reports.indices(), [0, 2, 3, 0, 4, 5, 3, 6, 7]);
    assert_eq!(reports.words(), [0]);
}
