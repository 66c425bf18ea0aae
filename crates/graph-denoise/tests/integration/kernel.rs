//! The sparse product on plain slices.

use graph_denoise::kernel::spmm;
use graph_denoise::{Filter, Weights, propagate};
use rand::RngExt;

use crate::graphs::{dense, generator, pool, sparse};

#[test]
fn agrees_with_sums_in_f64_at_every_width_and_index_type() {
    let mut rng = generator(11);
    for width in [1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 64, 65, 100, 129] {
        let s = sparse(37, 23, 0.3, &mut rng);
        let x = dense(23, width, &mut rng);
        let mut out = vec![f32::NAN; 37 * width];
        spmm(s.indptr(), s.indices(), s.values(), x.as_slice(), width, &mut out);
        for row in 0..37 {
            let (columns, values) = s.row(row);
            for k in 0..width {
                let expected: f64 = columns
                    .iter()
                    .zip(values)
                    .map(|(&column, &value)| f64::from(value) * f64::from(x.row(column as usize)[k]))
                    .sum();
                assert!((f64::from(out[row * width + k]) - expected).abs() < 1e-5, "row {row}, column {k} of {width}");
            }
        }
        let indptr: Vec<i32> = s.indptr().iter().map(|&start| start as i32).collect();
        let indices: Vec<i32> = s.indices().iter().map(|&index| index as i32).collect();
        let mut narrow = vec![f32::NAN; 37 * width];
        spmm(&indptr, &indices, s.values(), x.as_slice(), width, &mut narrow);
        assert_eq!(out, narrow);
    }
}

#[test]
fn same_bytes_at_any_thread_count() {
    let mut rng = generator(12);
    let s = sparse(4000, 900, 0.02, &mut rng);
    let x = dense(900, 48, &mut rng);
    let run = |threads| {
        let mut out = vec![0f32; 4000 * 48];
        pool(threads).install(|| spmm(s.indptr(), s.indices(), s.values(), x.as_slice(), 48, &mut out));
        out.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
}

#[test]
fn empty_matrices() {
    spmm::<usize, u32>(&[0], &[], &[], &[], 4, &mut []);
    spmm::<usize, u32>(&[0, 0, 0], &[], &[], &[], 0, &mut []);
    let mut out = [3.0; 2];
    spmm::<usize, u32>(&[0, 0, 0], &[], &[], &[], 1, &mut out);
    assert_eq!(out, [0.0, 0.0]);
}

#[test]
#[should_panic(expected = "out of range")]
fn a_negative_index_panics() {
    spmm(&[0i32, 1], &[-1i32], &[1.0], &[1.0; 8], 8, &mut [0.0; 8]);
}

#[test]
fn a_hub_does_not_change_the_sums() {
    let mut rng = generator(13);
    let columns = 5000u32;
    let indices: Vec<u32> = (0..columns).collect();
    let values: Vec<f32> = (0..columns).map(|_| rng.random_range(-1.0..1.0)).collect();
    let x = dense(columns as usize, 32, &mut rng);
    let mut out = vec![0f32; 3 * 32];
    pool(4).install(|| {
        spmm(&[0usize, 0, columns as usize, columns as usize], &indices, &values, x.as_slice(), 32, &mut out)
    });
    let expected: f64 =
        values.iter().enumerate().map(|(row, &value)| f64::from(value) * f64::from(x.row(row)[3])).sum();
    assert!((f64::from(out[32 + 3]) - expected).abs() < 1e-3);
    assert!(out[..32].iter().chain(&out[64..]).all(|&value| value == 0.0));
}

/// The plain loop is compiled for the baseline instruction set, the kernel for the best that the machine has.
#[test]
fn the_bytes_are_those_of_a_plain_loop() {
    let mut rng = generator(14);
    let s = sparse(300, 300, 0.05, &mut rng);
    for width in [1, 7, 16, 33, 100] {
        let x = dense(300, width, &mut rng);
        let mut expected = vec![0f32; 300 * width];
        for row in 0..300 {
            for (&column, &value) in s.row(row).0.iter().zip(s.row(row).1) {
                for k in 0..width {
                    expected[row * width + k] += value * x.row(column as usize)[k];
                }
            }
        }
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let mut out = vec![0f32; 300 * width];
        spmm(s.indptr(), s.indices(), s.values(), x.as_slice(), width, &mut out);
        assert_eq!(bits(&out), bits(&expected), "spmm, width {width}");
        let weights = Weights::from_matrix(&s).unwrap();
        let propagated = propagate(&weights, &x, &Filter::power(1)).unwrap();
        assert_eq!(bits(propagated.as_slice()), bits(&expected), "propagate, width {width}");
    }
}
