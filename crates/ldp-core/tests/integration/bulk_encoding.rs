//! The bulk encoder: what one user reports depends on that user's words only.

use chacha20::rand_core::Rng;
use ldp_core::{
    Bounds, Epsilon, GridLaplace, MultiBitEncoder, OneBit, Piecewise, RandomizedResponse, Randomizer, SampleSize,
    SparseRows, SquareWave, Users,
};

use crate::statistics::{rng, stream};

struct Csr {
    dimensions: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl Csr {
    /// Rows of 0 to `most` non-zeros (every seventh row is longer than the scan limit when `most` is).
    fn random(rows: usize, dimensions: usize, most: u64, seed: u8) -> Self {
        let mut rng = rng(seed);
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for _ in 0..rows {
            let count = rng.next_u64() % (most + 1);
            let mut row: Vec<u32> = (0..count).map(|_| (rng.next_u64() % dimensions as u64) as u32).collect();
            row.sort_unstable();
            row.dedup();
            values.extend(row.iter().map(|_| (rng.next_u64() % 1001) as f32 / 1000.0));
            indices.extend(row);
            indptr.push(indices.len());
        }
        Self { dimensions, indptr, indices, values }
    }

    fn rows(&self) -> SparseRows<'_> {
        SparseRows::new(self.dimensions, Bounds::UNIT, &self.indptr, &self.indices, &self.values, 0.0).unwrap()
    }

    fn row(&self, row: usize) -> (Vec<u32>, Vec<f32>, Vec<f32>) {
        let range = self.indptr[row]..self.indptr[row + 1];
        let mut dense = vec![0.0; self.dimensions];
        for k in range.clone() {
            dense[self.indices[k] as usize] = self.values[k];
        }
        (self.indices[range.clone()].to_vec(), self.values[range].to_vec(), dense)
    }
}

fn encoder(dimensions: usize, m: usize) -> MultiBitEncoder {
    MultiBitEncoder::new(Epsilon::new(4.0).unwrap(), dimensions, Bounds::UNIT, SampleSize::Fixed(m)).unwrap()
}

#[test]
fn a_user_alone_sends_the_same_bytes() {
    for (d, m, most) in [(50, 1, 20), (50, 3, 20), (300, 70, 200), (40, 40, 30), (2000, 700, 5)] {
        let data = Csr::random(60, d, most, 31);
        let encoder = encoder(d, m);
        let all = encoder.encode_sparse_rows(&data.rows(), Users::From(5), stream(32)).unwrap();
        assert_eq!(all.len(), 60);
        for row in [0, 1, 2, 17, 59] {
            let (indices, values, dense) = data.row(row);
            let user = 5 + row as u64;
            let indptr = [0, indices.len()];
            let alone = SparseRows::new(d, Bounds::UNIT, &indptr, &indices, &values, 0.0).unwrap();
            for users in [Users::From(user), Users::Listed(&[user])] {
                let report = encoder.encode_sparse_rows(&alone, users, stream(32)).unwrap();
                assert_eq!(report.report(0), all.report(row), "d = {d}, m = {m}, row {row}");
            }
            // The dense, single form reads the same words in the same order.
            let mut rng = stream(32)(2 * encoder.words_per_report() as u128 * u128::from(user));
            assert_eq!(encoder.randomize(&dense, &mut rng).unwrap(), all.report(row));
            assert!(encoder.accepts(&all.report(row)));
        }
    }
}

#[test]
fn node_order_does_not_matter() {
    let data = Csr::random(40, 30, 10, 33);
    let encoder = encoder(30, 2);
    let all = encoder.encode_sparse_rows(&data.rows(), Users::From(0), stream(34)).unwrap();
    let order: Vec<u64> = (0..40).rev().collect();
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for &user in &order {
        let (i, v, _) = data.row(user as usize);
        indices.extend(i);
        values.extend(v);
        indptr.push(indices.len());
    }
    let rows = SparseRows::new(30, Bounds::UNIT, &indptr, &indices, &values, 0.0).unwrap();
    let reversed = encoder.encode_sparse_rows(&rows, Users::Listed(&order), stream(34)).unwrap();
    for (row, &user) in order.iter().enumerate() {
        assert_eq!(reversed.report(row), all.report(user as usize));
    }
}

#[test]
fn the_data_free_control_shares_the_indices_and_tosses_fair_coins() {
    let rows = 20_000;
    let encoder = encoder(30, 2);
    let indptr = vec![0; rows + 1];
    // All-default rows at ε/m = 2: the encoder's bits are plus with probability 1/(e²+1) = 0.119.
    let empty = SparseRows::new(30, Bounds::UNIT, &indptr, &[], &[], 0.0).unwrap();
    let real = encoder.encode_sparse_rows(&empty, Users::From(0), stream(35)).unwrap();
    let control = encoder.draw_data_free_control(rows, Users::From(0), stream(35)).unwrap();
    assert_eq!(real.indices(), control.indices());
    let share = |r: &ldp_core::MultiBitReports| {
        r.words().iter().map(|w| f64::from(w.count_ones())).sum::<f64>() / r.indices().len() as f64
    };
    assert!((share(&control) - 0.5).abs() < 5.0 * 0.5 / 200.0, "{}", share(&control));
    assert!((share(&real) - 0.1192).abs() < 5.0 * 0.324 / 200.0, "{}", share(&real));
    let values = encoder.rectifier().centred_values(&control);
    assert!(values.iter().all(|v| (f64::from(v.abs()) - encoder.rectifier().scale()).abs() < 1e-4));
}

#[test]
fn empty_input_is_fine() {
    let empty = SparseRows::new(3, Bounds::UNIT, &[0], &[], &[], 0.0).unwrap();
    let reports = encoder(3, 1).encode_sparse_rows(&empty, Users::From(0), stream(1)).unwrap();
    assert!(reports.is_empty());
}

/// Batches read the stream as single reports do, at lengths around the size of a batch and from an odd position.
#[test]
fn batches_are_single_reports() {
    let epsilon = Epsilon::new(1.0).unwrap();
    for length in [0_usize, 1, 63, 64, 65, 200] {
        let values: Vec<f64> = (0..length).map(|i| (i % 7) as f64 / 6.0).collect();
        let categories: Vec<u32> = (0..length).map(|i| i as u32 % 6).collect();
        let start = || stream(36)(5);
        macro_rules! check {
            ($mechanism:expr, $values:expr, $blank:expr) => {
                let (mechanism, mut batch, mut one) = ($mechanism.unwrap(), vec![$blank; length], start());
                mechanism.randomize_all($values, &mut batch, &mut start()).unwrap();
                let singles: Vec<_> = $values.iter().map(|v| mechanism.randomize(v, &mut one).unwrap()).collect();
                assert_eq!(batch, singles, "{length}");
            };
        }
        check!(RandomizedResponse::new(epsilon, 6), &categories, 0);
        check!(OneBit::new(epsilon, Bounds::UNIT), &values, false);
        check!(Piecewise::new(epsilon, Bounds::UNIT), &values, 0);
        check!(SquareWave::new(epsilon, Bounds::UNIT), &values, 0);
        check!(GridLaplace::new(epsilon, Bounds::UNIT), &values, 0);
    }
}
