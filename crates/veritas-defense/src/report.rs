//! The user's side: true grades in, randomized lists out.

use ldp_core::{GradedList, GradedListRandomizer, Randomizer};
use rand_core::CryptoRng;
use rayon::prelude::*;

use crate::{EndorsementLaw, EndorsementLists, Error, MemoryEstimate, TrueGrades};

/// Users whose lists one task draws.
const BLOCK: usize = 256;

/// Every user's list, each of its n − 1 entries through the randomizer [VERITAS, Alg. 2, Eq. 11]; those of users with
/// `bypass` set are sent as they are.
///
/// User u draws from `stream(u)` alone, so the lists do not depend on the number of threads. What the randomizer makes
/// of the entry about oneself is not sent.
///
/// # Errors
/// [`Error::Memory`] before anything is drawn when the lists and their analysis would not fit in `memory_limit` bytes;
/// [`Error::LevelsDiffer`], [`Error::Size`] when parts disagree.
///
/// # Complexity
/// Time and space proportional to the non-zero entries of the result, in expectation n²ρ + the true ones.
pub fn randomize_lists<R: CryptoRng>(
    grades: &TrueGrades,
    law: &EndorsementLaw,
    bypass: &[bool],
    memory_limit: u64,
    stream: impl Fn(u32) -> R + Sync,
) -> Result<EndorsementLists, Error> {
    let truth = grades.lists();
    let nodes = truth.nodes();
    if truth.levels() != law.levels() {
        return Err(Error::LevelsDiffer { expected: law.levels(), found: truth.levels() });
    }
    if bypass.len() != nodes {
        return Err(Error::Size { what: "flags of lists sent as they are", expected: nodes, found: bypass.len() });
    }
    MemoryEstimate::check(nodes, truth.entries() / 2, law, memory_limit)?;
    if nodes == 0 {
        return Ok(truth.clone());
    }
    let mechanism = GradedListRandomizer::new(law.randomizer().epsilon(), nodes, u32::from(law.levels()))?;
    let list = |user: usize| -> Result<GradedList, Error> {
        let (about, said) = truth.row(user);
        let own = GradedList::new(about.to_vec(), said.to_vec())?;
        if bypass[user] { Ok(own) } else { Ok(mechanism.randomize(&own, &mut stream(user as u32))?) }
    };
    let block = |block: usize| -> Result<Rows, Error> {
        let mut rows = Rows::default();
        for user in block * BLOCK..nodes.min((block + 1) * BLOCK) {
            for (about, grade) in list(user)?.entries().filter(|&(about, _)| about as usize != user) {
                rows.indices.push(about);
                rows.grades.push(grade);
            }
            rows.ends.push(rows.indices.len());
        }
        Ok(rows)
    };
    let blocks: Vec<Rows> = (0..nodes.div_ceil(BLOCK)).into_par_iter().map(block).collect::<Result<_, _>>()?;
    let total = blocks.iter().map(|rows| rows.indices.len()).sum();
    let mut indptr = Vec::with_capacity(nodes + 1);
    let (mut indices, mut said) = (Vec::with_capacity(total), Vec::with_capacity(total));
    indptr.push(0);
    for rows in blocks {
        let before = indices.len();
        indptr.extend(rows.ends.iter().map(|end| before + end));
        indices.extend_from_slice(&rows.indices);
        said.extend_from_slice(&rows.grades);
    }
    EndorsementLists::new(law.levels().into(), indptr, indices, said)
}

/// Lists of a block of users, one after the other.
#[derive(Default)]
struct Rows {
    ends: Vec<usize>,
    indices: Vec<u32>,
    grades: Vec<u8>,
}
