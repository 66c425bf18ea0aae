//! Graded neighbour lists: (κ+1)-ary randomized response on each of n entries, at the cost of the non-zero ones.
//!
//! \[VERITAS, Alg. 2, Eq. 11\] sends a list in {0..κ}ⁿ, 0 = "not a neighbour", every entry through randomized response
//! with p = e^ε/(e^ε+κ), q = 1/(e^ε+κ). The response is the same as adding noise modulo κ+1 that is 0 with
//! probability p and any of 1..κ with q. That noise does not depend on the list, and most of it is zero: the gaps
//! between its non-zeros are geometric. So a report costs O(κ·q·n + non-zeros), not O(n), and the number of random
//! words says nothing of the list.
//!
//! **What ε covers**: one entry of one list. An undirected edge sits in two lists, so an edge is protected with 2ε;
//! a whole list of n entries with n·ε. Grades computed from other entries multiply the loss by the entries changed.

use alloc::vec;
use alloc::vec::Vec;

use rand_core::CryptoRng;

use crate::survival::SurvivalTable;
use crate::weights::{TOTAL_F64, log_quotient};
use crate::{Epsilon, Error, FiniteRandomizer, RandomizedResponse, Randomizer};

/// Longest tabulated gap between two noise hits; longer ones take another draw.
const LONGEST_GAP: usize = 4096;

/// A sparse list: strictly ascending positions with grades 1 … κ; every other position is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Unchecked"))]
pub struct GradedList {
    positions: Vec<u32>,
    grades: Vec<u8>,
}

impl GradedList {
    /// From its non-zero entries.
    ///
    /// # Errors
    /// [`Error::Report`] unless there are as many grades as positions, the positions ascend strictly and no grade
    /// is 0.
    pub fn new(positions: Vec<u32>, grades: Vec<u8>) -> Result<Self, Error> {
        if positions.len() != grades.len() {
            return Err(Error::Report { what: "as many grades as positions are needed" });
        }
        if !positions.is_sorted_by(|a, b| a < b) {
            return Err(Error::Report { what: "positions must ascend strictly" });
        }
        if grades.contains(&0) {
            return Err(Error::Report { what: "a listed grade must not be 0" });
        }
        Ok(Self { positions, grades })
    }

    /// Positions of the non-zero entries, ascending.
    #[must_use]
    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// Their grades.
    #[must_use]
    pub fn grades(&self) -> &[u8] {
        &self.grades
    }

    /// The grade at `position`; 0 where nothing is listed.
    #[must_use]
    pub fn grade(&self, position: u32) -> u8 {
        self.positions.binary_search(&position).map_or(0, |k| self.grades[k])
    }

    /// (position, grade) pairs of the non-zero entries.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (u32, u8)> {
        self.positions.iter().copied().zip(self.grades.iter().copied())
    }
}

/// The fields as they arrive.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    positions: Vec<u32>,
    grades: Vec<u8>,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for GradedList {
    type Error = Error;

    fn try_from(fields: Unchecked) -> Result<Self, Error> {
        Self::new(fields.positions, fields.grades)
    }
}

/// Lists of many users in contiguous storage: user u has entries `indptr[u]..indptr[u + 1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedLists {
    /// Ends of the lists, one more than there are lists, ascending from 0.
    pub indptr: Vec<usize>,
    /// Positions, ascending inside a list.
    pub positions: Vec<u32>,
    /// Grades, 1 … κ.
    pub grades: Vec<u8>,
}

/// The user's side: a graded list in, a graded list of the same length out.
///
/// [`Randomizer::randomize`] skips from one noisy entry to the next. How many there are does not depend on the list,
/// but whoever sees that number (in the time taken) **and** the report learns about how many true entries there were:
/// the report has as many entries as the list and the noise together. Where the device's work can be watched, use
/// [`GradedListRandomizer::randomize_constant_work`].
///
/// ```
/// use chacha20::{ChaCha12Rng, rand_core::SeedableRng};
/// use ldp_core::{Epsilon, GradedList, GradedListRandomizer, Randomizer};
/// let mechanism = GradedListRandomizer::new(Epsilon::new(5.0)?, 2708, 5)?;
/// let friends = GradedList::new(vec![17, 1200], vec![5, 3])?;
/// let report = mechanism.randomize(&friends, &mut ChaCha12Rng::from_seed([7; 32]))?;
/// assert!(report.positions().len() < 200); // about 88 noise entries
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GradedListRandomizer {
    response: RandomizedResponse,
    length: u32,
    gaps: SurvivalTable,
    lies: SurvivalTable,
}

impl GradedListRandomizer {
    /// For lists of `length` entries with grades 1 … `grades` (κ).
    ///
    /// # Errors
    /// [`Error::Count`] without an entry or with κ outside 1 … 255.
    pub fn new(epsilon: Epsilon, length: usize, grades: u32) -> Result<Self, Error> {
        let count = |what, max, got| Err(Error::Count { what, min: 1, max, got });
        if length == 0 || length > u32::MAX as usize {
            return count("entries", u64::from(u32::MAX), length as u64);
        }
        if grades == 0 || grades > 255 {
            return count("grades", 255, u64::from(grades));
        }
        let response = RandomizedResponse::new(epsilon, grades + 1)?;
        // The truth weight is of 2⁶⁴, the table of 2¹²⁸.
        let stay = u128::from(response.weight(0, 0)) << 64;
        let cells = u128::from(grades);
        let lies = (1..cells).map(|c| ((u128::MAX / cells) * (cells - c)) + (u128::MAX % cells) * (cells - c) / cells);
        Ok(Self {
            response,
            length: length as u32,
            gaps: SurvivalTable::powers(stay, LONGEST_GAP.min(length)),
            lies: SurvivalTable::new(lies),
        })
    }

    /// Number of entries n of a list.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length as usize
    }

    /// κ, the highest grade.
    #[must_use]
    pub fn grades(&self) -> u32 {
        self.response.categories() - 1
    }

    /// The law of one entry.
    #[must_use]
    pub fn entry(&self) -> &RandomizedResponse {
        &self.response
    }

    /// Mean of a reported entry whose true grade is `grade`: a(p−q) + qκ(κ+1)/2.
    #[must_use]
    pub fn entry_mean(&self, grade: u8) -> f64 {
        let top = f64::from(self.grades());
        f64::from(grade) * self.response.gain() + self.response.lie_probability() * top * (top + 1.0) / 2.0
    }

    /// Variance of a reported entry whose true grade is `grade`: a²(p−q) + qκ(κ+1)(2κ+1)/6 − mean².
    #[must_use]
    pub fn entry_variance(&self, grade: u8) -> f64 {
        let (top, square) = (f64::from(self.grades()), f64::from(grade) * f64::from(grade));
        let noise = self.response.lie_probability() * top * (top + 1.0) * (2.0 * top + 1.0) / 6.0;
        square * self.response.gain() + noise - self.entry_mean(grade) * self.entry_mean(grade)
    }

    fn check(&self, positions: &[u32], grades: &[u8]) -> Result<(), Error> {
        if positions.last().is_some_and(|&last| last >= self.length) {
            return Err(Error::SparseRows { what: "a position is not below the length of the list", position: 0 });
        }
        if grades.iter().any(|&g| u32::from(g) > self.grades()) {
            return Err(Error::Category { categories: self.grades() + 1 });
        }
        Ok(())
    }

    /// Appends one randomized list.
    fn write<R: CryptoRng + ?Sized>(
        &self,
        truth: (&[u32], &[u8]),
        rng: &mut R,
        positions: &mut Vec<u32>,
        grades: &mut Vec<u8>,
    ) {
        let (categories, length) = (self.response.categories(), self.length as usize);
        let mut truth = truth.0.iter().copied().zip(truth.1.iter().copied()).peekable();
        let mut next = 0_usize;
        loop {
            let gap = self.gaps.draw(rng);
            next += gap;
            let hit = next < length && gap < self.gaps.largest();
            // True entries before the hit keep their grade: the noise there is 0.
            let until = next.min(length) as u32;
            while let Some((position, grade)) = truth.next_if(|&(position, _)| position < until) {
                positions.push(position);
                grades.push(grade);
            }
            if next >= length {
                return;
            }
            if hit {
                let lie = 1 + self.lies.draw(rng) as u32;
                let true_grade = truth.next_if(|&(position, _)| position == until).map_or(0, |(_, grade)| grade);
                let sum = u32::from(true_grade) + lie;
                let grade = if sum < categories { sum } else { sum - categories };
                if grade != 0 {
                    positions.push(until);
                    grades.push(grade as u8);
                }
                next += 1;
            }
        }
    }

    /// One report with the same law, by one word an entry whatever list and noise are: n words, n steps.
    ///
    /// # Errors
    /// As [`Randomizer::randomize`].
    pub fn randomize_constant_work<R: CryptoRng + ?Sized>(
        &self,
        value: &GradedList,
        rng: &mut R,
    ) -> Result<GradedList, Error> {
        self.check(&value.positions, &value.grades)?;
        let mut dense = vec![0_u8; self.length()];
        for (position, grade) in value.entries() {
            dense[position as usize] = grade;
        }
        for grade in &mut dense {
            *grade = self.response.respond(u32::from(*grade), rng.next_u64()) as u8;
        }
        let listed = (0_u32..).zip(dense).filter(|&(_, grade)| grade != 0);
        let (positions, grades) = listed.unzip();
        Ok(GradedList { positions, grades })
    }

    /// Randomizes the lists of many users; user u draws from `stream(u)` alone, so the result depends neither on
    /// order nor on threads. `indptr`, `positions`, `grades` are compressed sparse rows as in [`GradedLists`].
    ///
    /// # Errors
    /// [`Error::SparseRows`] when the rows are not compressed sparse rows of lists of this length; [`Error::Length`]
    /// when there are not as many grades as positions; [`Error::Category`] for a grade above κ.
    ///
    /// # Complexity
    /// Expected time and space O(users·n·κq + non-zeros).
    pub fn randomize_lists<R: CryptoRng>(
        &self,
        indptr: &[usize],
        positions: &[u32],
        grades: &[u8],
        stream: impl Fn(u64) -> R,
    ) -> Result<GradedLists, Error> {
        let broken = |what, position| Err(Error::SparseRows { what, position });
        if positions.len() != grades.len() {
            return Err(Error::Length { what: "grades", expected: positions.len(), got: grades.len() });
        }
        if indptr.first() != Some(&0) || indptr.last() != Some(&positions.len()) || !indptr.is_sorted() {
            return broken("indptr must ascend from 0 to the number of entries", 0);
        }
        for ends in indptr.windows(2) {
            let row = &positions[ends[0]..ends[1]];
            if !row.is_sorted_by(|a, b| a < b) || grades[ends[0]..ends[1]].contains(&0) {
                return broken("positions of a list must ascend strictly and grades be above 0", ends[0]);
            }
            self.check(row, &grades[ends[0]..ends[1]])?;
        }
        let lists = indptr.len() - 1;
        let expected = lists as f64 * f64::from(self.length) * (1.0 - self.response.truth_probability());
        let room = (expected * 1.01) as usize + 64 + positions.len();
        let mut out =
            GradedLists { indptr: vec![0], positions: Vec::with_capacity(room), grades: Vec::with_capacity(room) };
        for (user, ends) in indptr.windows(2).enumerate() {
            let truth = (&positions[ends[0]..ends[1]], &grades[ends[0]..ends[1]]);
            self.write(truth, &mut stream(user as u64), &mut out.positions, &mut out.grades);
            out.indptr.push(out.positions.len());
        }
        Ok(out)
    }
}

impl Randomizer for GradedListRandomizer {
    type Value = GradedList;
    type Report = GradedList;

    /// The ε of **one entry**.
    fn epsilon(&self) -> Epsilon {
        self.response.epsilon()
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, value: &GradedList, rng: &mut R) -> Result<GradedList, Error> {
        self.check(&value.positions, &value.grades)?;
        let mut report = GradedList::default();
        self.write((&value.positions, &value.grades), rng, &mut report.positions, &mut report.grades);
        Ok(report)
    }

    fn accepts(&self, report: &GradedList) -> bool {
        self.check(&report.positions, &report.grades).is_ok()
    }
}

/// The law of the whole list; the ratio is over the entries in which two lists differ.
impl FiniteRandomizer for GradedListRandomizer {
    fn probability(&self, value: &GradedList, report: &GradedList) -> Result<f64, Error> {
        self.check(&value.positions, &value.grades)?;
        if !self.accepts(report) {
            return Ok(0.0);
        }
        let weight = |at| self.response.weight(u32::from(value.grade(at)), u32::from(report.grade(at)));
        Ok((0..self.length).map(|at| weight(at) as f64 / TOTAL_F64).product())
    }

    fn log_ratio(&self, one: &GradedList, other: &GradedList, report: &GradedList) -> Result<f64, Error> {
        self.check(&one.positions, &one.grades)?;
        self.check(&other.positions, &other.grades)?;
        if !self.accepts(report) {
            return Err(Error::Report { what: "a position or grade outside the list" });
        }
        let mut positions: Vec<u32> = one.positions.iter().chain(&other.positions).copied().collect();
        positions.sort_unstable();
        positions.dedup();
        let weight = |list: &GradedList, at| {
            u128::from(self.response.weight(u32::from(list.grade(at)), u32::from(report.grade(at))))
        };
        Ok(positions.iter().map(|&at| log_quotient(weight(one, at), weight(other, at))).sum())
    }

    /// For two lists that differ in one entry.
    fn achieved_epsilon(&self) -> f64 {
        self.response.achieved_epsilon()
    }
}
