//! What is outside the public domain is refused with the bound, and nothing is drawn.

use chacha20::rand_core::Rng;
use ldp_core::{
    Bounds, Epsilon, Error, MultiBitEncoder, MultiBitReport, MultiBitReports, RandomizedResponse, Randomizer,
    SampleSize, SparseRows, Users,
};

use crate::statistics::{rng, stream};

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

#[test]
fn constructors() {
    assert_eq!(RandomizedResponse::new(epsilon(1.0), 0), Err(Error::Domain { got: 0 }));
    assert_eq!(RandomizedResponse::new(epsilon(1.0), 1), Err(Error::Domain { got: 1 }));
    assert!(RandomizedResponse::new(epsilon(1e-9), 1 << 20).is_err_and(|e| matches!(e, Error::Resolution { .. })));
    for (lower, upper) in
        [(1.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1.7e308, 1.7e308), (0.0, 1e-290)]
    {
        assert!(matches!(Bounds::new(lower, upper), Err(Error::Bounds { .. })), "{lower} {upper}");
    }
    let encoder = |d, rule| MultiBitEncoder::new(epsilon(1.0), d, Bounds::UNIT, rule);
    assert!(matches!(encoder(0, SampleSize::Optimal), Err(Error::Count { .. })));
    assert!(matches!(encoder(4, SampleSize::Fixed(0)), Err(Error::Count { .. })));
    assert!(matches!(encoder(4, SampleSize::Fixed(5)), Err(Error::Count { .. })));
    assert!(encoder(4, SampleSize::Fixed(4)).is_ok());
    assert!(matches!(
        MultiBitEncoder::new(Epsilon::from_nano(3).unwrap(), 9, Bounds::UNIT, SampleSize::Fixed(4)),
        Err(Error::Split { .. })
    ));
}

#[test]
fn values() {
    let labels = RandomizedResponse::new(epsilon(1.0), 3).unwrap();
    let mut generator = rng(1);
    assert_eq!(labels.randomize(&3, &mut generator), Err(Error::Category { categories: 3 }));
    let mut out = [9; 2];
    assert!(labels.randomize_all(&[0, 3], &mut out, &mut generator).is_err());
    assert!(labels.randomize_all(&[0], &mut out, &mut generator).is_err());
    assert_eq!(out, [9; 2]);
    let encoder = MultiBitEncoder::new(epsilon(1.0), 2, Bounds::UNIT, SampleSize::Optimal).unwrap();
    for bad in [f32::NAN, f32::INFINITY, -f32::EPSILON, 1.000_001] {
        assert!(matches!(encoder.randomize(&[0.5, bad], &mut generator), Err(Error::Value { .. })), "{bad}");
    }
    assert!(matches!(encoder.randomize(&[0.5], &mut generator), Err(Error::Length { .. })));
    // Nothing was drawn by any refusal.
    assert_eq!(generator.next_u64(), rng(1).next_u64());
    assert!(!Error::Value { lower: 0.0, upper: 1.0 }.to_string().contains("1.000001"));
}

#[test]
fn sparse_rows() {
    let rows = |indptr: &[usize], indices: &[u32], values: &[f32], absent| {
        SparseRows::new(4, Bounds::UNIT, indptr, indices, values, absent).map(|rows| rows.len())
    };
    assert_eq!(rows(&[0, 1, 1], &[3], &[1.0], 0.0), Ok(2));
    assert_eq!(rows(&[0], &[], &[], 0.0), Ok(0));
    for (indptr, indices) in [
        (&[][..], &[][..]),
        (&[1, 1], &[0]),
        (&[0, 2], &[0]),
        (&[0, 2, 1, 2], &[0, 1]),
        (&[0, 9, 1], &[0]),
        (&[0, 1], &[4]),
        (&[0, 2], &[1, 1]),
        (&[0, 2], &[2, 1]),
    ] {
        let values = vec![1.0; indices.len()];
        assert!(matches!(rows(indptr, indices, &values, 0.0), Err(Error::SparseRows { .. })), "{indptr:?} {indices:?}");
    }
    assert!(matches!(rows(&[0, 1], &[0], &[], 0.0), Err(Error::Length { .. })));
    for bad in [f32::NAN, 2.0, -1.0] {
        assert!(matches!(rows(&[0, 1], &[0], &[bad], 0.0), Err(Error::Value { .. })));
        assert!(matches!(rows(&[0, 1], &[0], &[0.0], bad), Err(Error::Value { .. })));
    }
    let other = MultiBitEncoder::new(epsilon(1.0), 5, Bounds::UNIT, SampleSize::Optimal).unwrap();
    let good = SparseRows::new(4, Bounds::UNIT, &[0, 0], &[], &[], 0.0).unwrap();
    assert!(matches!(other.encode_sparse_rows(&good, Users::From(0), stream(1)), Err(Error::Length { .. })));
    let other = MultiBitEncoder::new(epsilon(1.0), 4, Bounds::SYMMETRIC, SampleSize::Optimal).unwrap();
    assert!(matches!(other.encode_sparse_rows(&good, Users::From(0), stream(1)), Err(Error::Bounds { .. })));
    let same = MultiBitEncoder::new(epsilon(1.0), 4, Bounds::UNIT, SampleSize::Optimal).unwrap();
    assert!(matches!(same.encode_sparse_rows(&good, Users::Listed(&[1, 2]), stream(1)), Err(Error::Length { .. })));
}

#[test]
fn reports() {
    assert!(MultiBitReport::new(vec![0, 1], vec![true]).is_err());
    assert!(MultiBitReport::new(vec![1, 1], vec![true, true]).is_err());
    let encoder = MultiBitEncoder::new(epsilon(1.0), 4, Bounds::UNIT, SampleSize::Fixed(2)).unwrap();
    let report = |indices: &[u32]| MultiBitReport::new(indices.to_vec(), vec![true; indices.len()]).unwrap();
    assert!(encoder.accepts(&report(&[0, 3])));
    for bad in [&[][..], &[0], &[0, 4], &[0, 1, 2]] {
        assert!(!encoder.accepts(&report(bad)), "{bad:?}");
        assert!(MultiBitReports::collect(4, 2, [&report(bad)]).is_err());
    }
}
