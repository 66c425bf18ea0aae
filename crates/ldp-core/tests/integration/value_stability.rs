//! Seed → reports and their bytes, pinned for every mechanism. A red test here means that published runs draw other
//! numbers, or that old reports can no longer be read: note it as value-breaking.
//!
//! The pins in `vectors/values.txt` are this program's own; the laws are checked elsewhere. After an intended change:
//! `LDP_CORE_PIN=1 cargo test -p ldp-core value_stability`, which rewrites the file and fails.

use std::fmt::{Debug, Write};

use ldp_core::gaussian::{GridGaussian, Sensitivity};
use ldp_core::level::LevelBudgets;
use ldp_core::private_level::as_printed::PrintedMechanism;
use ldp_core::{
    Bounds, Delta, Epsilon, GradedList, GradedListRandomizer, GridLaplace, Hybrid, LevelChannel, LeveledRow,
    MultiBitEncoder, OneBit, Piecewise, PrivUnit, PrivateLevelEncoder, PublicCoin, RandomizedResponse, SampleSize,
    Sampled, SparseRows, SquareWave, Users, Wire,
};

use crate::statistics::{rng, stream};

const PINNED: &str = include_str!("vectors/values.txt");

struct Pins(String);

impl Pins {
    fn line(&mut self, name: &str, values: &dyn Debug) {
        writeln!(self.0, "{name}: {values:?}").unwrap();
    }

    /// Four reports with seed 41 and the bytes of the last.
    fn reports<M: Wire>(&mut self, name: &str, mechanism: &M, value: &M::Value)
    where
        M::Report: Debug,
    {
        let mut rng = rng(41);
        let reports: Vec<M::Report> = (0..4).map(|_| mechanism.randomize(value, &mut rng).unwrap()).collect();
        self.line(name, &reports);
        let hex: String = mechanism.encode(&reports[3]).iter().map(|byte| format!("{byte:02x}")).collect();
        self.line(name, &hex);
    }
}

fn pins() -> String {
    let mut pins = Pins(String::new());
    let epsilon = |nats| Epsilon::new(nats).unwrap();
    let bounds = Bounds::UNIT;
    pins.reports("randomized response", &RandomizedResponse::new(epsilon(1.0), 6).unwrap(), &4);
    pins.reports("one-bit", &OneBit::new(epsilon(1.0), bounds).unwrap(), &0.3);
    pins.reports("piecewise", &Piecewise::new(epsilon(1.0), bounds).unwrap(), &0.3);
    pins.reports("square wave", &SquareWave::new(epsilon(1.0), bounds).unwrap(), &0.3);
    pins.reports("hybrid", &Hybrid::new(epsilon(1.0), bounds).unwrap(), &0.3);
    pins.reports("grid Laplace", &GridLaplace::new(epsilon(1.0), bounds).unwrap(), &0.3);
    let row = [0.0, 1.0, 0.5, 0.25, 1.0, 0.75];
    let (delta, sparse) = (Delta::new(1e-6).unwrap(), Sensitivity::Sparse(5));
    pins.reports("grid Gaussian", &GridGaussian::new(epsilon(1.0), delta, 6, bounds, sparse).unwrap(), &row);
    let rule = SampleSize::Fixed(3);
    pins.reports("sampled", &Sampled::<Piecewise>::new(epsilon(3.0), 6, bounds, rule).unwrap(), &row);
    let single = row.map(|v| v as f32);
    for m in [1, 3, 6] {
        let encoder = MultiBitEncoder::new(epsilon(4.0), 6, bounds, SampleSize::Fixed(m)).unwrap();
        pins.reports(&format!("multi-bit, m = {m}"), &encoder, &single);
    }
    let large = MultiBitEncoder::new(epsilon(99.0), 200, bounds, SampleSize::Fixed(70)).unwrap();
    pins.reports("multi-bit, bitmap", &large, &[0.5; 200]);
    let wide = MultiBitEncoder::new(epsilon(6.0), 100_000, bounds, SampleSize::Fixed(3)).unwrap();
    pins.reports("multi-bit, wide", &wide, &vec![0.5; 100_000]);
    let list = GradedList::new(vec![2, 9], vec![5, 1]).unwrap();
    let lists = GradedListRandomizer::new(epsilon(3.0), 20, 5).unwrap();
    pins.reports("graded list", &lists, &list);
    pins.line("graded list, constant work", &lists.randomize_constant_work(&list, &mut rng(42)).unwrap());
    let channel = LevelChannel::square_wave(epsilon(0.5), 5).unwrap();
    pins.reports("level, square wave", &channel, &3);
    pins.reports("level, randomized response", &LevelChannel::randomized_response(epsilon(0.5), 5).unwrap(), &3);
    let best = LevelChannel::optimal(epsilon(1.0), 3, |c| (c[1] + 2.0 * c[2]).powi(2) / c.iter().sum::<f64>()).unwrap();
    pins.reports("level, best channel", &best, &1);
    let budgets = LevelBudgets::geometric(epsilon(2.0), 5).unwrap();
    let private = PrivateLevelEncoder::new(budgets.clone(), channel, 6, bounds, SampleSize::Optimal).unwrap();
    pins.reports("level and features", &private, &LeveledRow { level: 3, row: single.to_vec() });
    pins.reports("PrivUnit", &PrivUnit::new(epsilon(2.0), 6).unwrap(), &row);
    let printed = PrintedMechanism::new(budgets, 6, 0.5).unwrap();
    let report = printed.randomize(&LeveledRow { level: 3, row: single.to_vec() }, &mut rng(43)).unwrap();
    pins.line("PPGNN as printed", &report);
    let encoder = MultiBitEncoder::new(epsilon(4.0), 9, bounds, rule).unwrap();
    pins.line("public coin", &PublicCoin::new(7).randomize(&encoder, 3, &[0.5; 9], &mut rng(44)).unwrap());
    let rows = SparseRows::new(9, bounds, &[0, 2, 3, 3], &[1, 4, 8], &[1.0, 0.5, 1.0], 0.0).unwrap();
    pins.line("sparse rows", &encoder.encode_sparse_rows(&rows, Users::From(7), stream(43)).unwrap());
    pins.0
}

#[test]
fn values_and_bytes() {
    let now = pins();
    if std::env::var_os("LDP_CORE_PIN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/integration/vectors/values.txt");
        std::fs::write(path, &now).unwrap();
        panic!("pinned anew; run again without LDP_CORE_PIN");
    }
    for (now, pinned) in now.lines().zip(PINNED.lines()) {
        assert_eq!(now, pinned);
    }
    assert_eq!(now.lines().count(), PINNED.lines().count());
}
