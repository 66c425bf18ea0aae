//! Splits for cross-validation, and splits as files.

use std::io::{BufWriter, Write};
use std::path::Path;

use rand::Rng;
use rand::seq::SliceRandom;

use crate::import::Table;
use crate::npz::write_file;
use crate::{Error, Split};

impl Split {
    /// Draws `folds` splits such that each node is tested in exactly one of them and validates in exactly one.
    ///
    /// In split i fold i is the test set, fold i + 1 the validation set (after the last comes the first), the others
    /// train. Sizes of folds differ by at most one.
    ///
    /// # Errors
    /// [`Error::Parameter`] below three folds, [`Error::TooFewNodes`] for fewer nodes than folds.
    pub fn k_fold<R: Rng + ?Sized>(nodes: usize, folds: usize, rng: &mut R) -> Result<Vec<Self>, Error> {
        if folds < 3 {
            let bound = "at least 3: one to test, one to validate, one to train".to_owned();
            return Err(Error::Parameter { what: "folds", bound, value: folds as f64 });
        }
        if nodes < folds {
            return Err(Error::TooFewNodes { what: "each fold", nodes, at_least: folds });
        }
        let mut order: Vec<u32> = (0..nodes as u32).collect();
        order.shuffle(rng);
        let mut fold_of = vec![0; nodes];
        for (at, &node) in order.iter().enumerate() {
            fold_of[node as usize] = at % folds;
        }
        let nodes_in = |fold: &dyn Fn(usize) -> bool| -> Vec<u32> {
            (0..nodes as u32).filter(|&node| fold(fold_of[node as usize])).collect()
        };
        let split = |test: usize| {
            let validation = (test + 1) % folds;
            Self {
                train: nodes_in(&|fold| fold != test && fold != validation),
                validation: nodes_in(&|fold| fold == validation),
                test: nodes_in(&|fold| fold == test),
            }
        };
        Ok((0..folds).map(split).collect())
    }

    /// Reads a CSV file with the header `node,part`; part is `train`, `validation` or `test`. Nodes may be left out.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Line`]; [`Error::In`] with what [`Split::check`] finds wrong.
    pub fn read_csv(path: &Path, nodes: usize) -> Result<Self, Error> {
        let mut table = Table::open(path)?;
        let (node, part) = (table.column("node")?, table.column("part")?);
        let mut split = Self { train: Vec::new(), validation: Vec::new(), test: Vec::new() };
        let mut seen = vec![false; nodes];
        while table.next()? {
            let id = table.index(node, nodes, "a node")?;
            if std::mem::replace(&mut seen[id as usize], true) {
                return Err(table.wrong("each node once", node));
            }
            match table.field(part) {
                "train" => split.train.push(id),
                "validation" => split.validation.push(id),
                "test" => split.test.push(id),
                _ => return Err(table.wrong("train, validation or test", part)),
            }
        }
        for part in [&mut split.train, &mut split.validation, &mut split.test] {
            part.sort_unstable();
        }
        split.check(nodes).map_err(|error| error.within(path))?;
        Ok(split)
    }

    /// Writes the file that [`Split::read_csv`] reads; whole or not at all.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write_csv(&self, path: &Path) -> Result<(), Error> {
        write_file(path, |file| {
            let mut to = BufWriter::new(file);
            writeln!(to, "node,part")?;
            for (name, part) in [("train", &self.train), ("validation", &self.validation), ("test", &self.test)] {
                for node in part {
                    writeln!(to, "{node},{name}")?;
                }
            }
            to.flush()
        })
    }
}
