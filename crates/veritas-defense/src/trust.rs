//! What an honest user says of a neighbour, from what that user can see. VERITAS leaves this open; results state
//! which model was used.

use graph_denoise::{CsrGraph, CsrMatrix};
use rand::{Rng, RngExt};

use crate::{EndorsementLists, Error};

/// True grades, before any randomizer: private, and never handed to a defence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueGrades(EndorsementLists);

impl TrueGrades {
    /// Takes checked lists of true grades.
    pub fn new(lists: EndorsementLists) -> Self {
        Self(lists)
    }

    /// The lists.
    pub fn lists(&self) -> &EndorsementLists {
        &self.0
    }

    /// Replaces the rows of the users from `first` on.
    ///
    /// # Errors
    /// Those of [`EndorsementLists::new`] for a row that is none.
    ///
    /// # Panics
    /// When there are more rows than users from `first` on.
    pub fn with_rows(self, first: usize, rows: &[Vec<(u32, u8)>]) -> Result<Self, Error> {
        let nodes = self.0.nodes();
        assert!(first + rows.len() <= nodes, "rows of existing users");
        let (mut indptr, mut indices, mut grades) = (vec![0], Vec::new(), Vec::new());
        for user in 0..nodes {
            if let Some(row) = user.checked_sub(first).and_then(|at| rows.get(at)) {
                indices.extend(row.iter().map(|&(about, _)| about));
                grades.extend(row.iter().map(|&(_, grade)| grade));
            } else {
                let (columns, own) = self.0.row(user);
                indices.extend_from_slice(columns);
                grades.extend_from_slice(own);
            }
            indptr.push(indices.len());
        }
        EndorsementLists::new(self.0.levels().into(), indptr, indices, grades).map(Self)
    }
}

/// Where grades come from.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum TrustModel {
    /// Proposition 2's assumption with a stated error rate: users know who is a fake. Between friends one grade is
    /// drawn and holds both ways; each end errs independently, and then grades a friend 1, or a fake as a friend.
    Oracle {
        /// Probability of each grade 1 … κ between friends.
        friends: Vec<f64>,
        /// Probability that a user misjudges a neighbour.
        error: f64,
    },
    /// 1 + the number of common neighbours, at most κ. Moves the entries of other edges when one edge changes.
    CommonNeighbours,
    /// 1 + ⌊κ · cosine / full⌋, at most κ, between the visible profiles of the two.
    FeatureSimilarity {
        /// Similarity from which the grade is κ; a public constant.
        full: f64,
    },
    /// Knows nothing: every grade is equally likely.
    Uniform,
}

/// What users can see of each other.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    /// Who is connected to whom, fakes included. Undirected.
    pub graph: &'a CsrGraph,
    /// Who is a fake; only [`TrustModel::Oracle`] looks.
    pub fake: &'a [bool],
    /// Visible profiles, one row a node, where there are any.
    pub profiles: Option<&'a CsrMatrix>,
}

impl TrustModel {
    /// An oracle for κ = 5 with the grades of the papers' notes (.01, .04, .10, .25, .60).
    pub fn oracle_of_five(error: f64) -> Self {
        Self::Oracle { friends: vec![0.01, 0.04, 0.10, 0.25, 0.60], error }
    }

    /// What every honest user says of its neighbours; the rows of fakes are empty.
    ///
    /// # Errors
    /// [`Error::Levels`], [`Error::Size`] when parts disagree, [`Error::Range`] for probabilities that are none,
    /// [`Error::Needs`] without profiles.
    ///
    /// # Complexity
    /// Time O(edges · work of one comparison), space O(edges).
    pub fn grades<R: Rng + ?Sized>(&self, world: World<'_>, levels: usize, rng: &mut R) -> Result<TrueGrades, Error> {
        let top = u8::try_from(levels).ok().filter(|&l| l > 0).ok_or(Error::Levels { got: levels })?;
        let graph = world.graph;
        self.check(levels)?;
        self.check_world(&world)?;
        let mut grades = vec![0_u8; graph.entries()];
        for (u, v) in graph.iter_edges().filter(|(u, v)| u != v) {
            let (there, back) = match self {
                Self::Oracle { friends, error } => {
                    let friendly = draw(friends, rng);
                    let mut say = |of_fake: bool| {
                        let wrong = rng.random_bool(*error);
                        if of_fake == wrong { friendly } else { 1 }
                    };
                    (say(world.fake[v as usize]), say(world.fake[u as usize]))
                }
                Self::CommonNeighbours => {
                    let common = common(graph.neighbours(u as usize), graph.neighbours(v as usize));
                    let grade = (common + 1).min(levels) as u8;
                    (grade, grade)
                }
                Self::FeatureSimilarity { full } => {
                    let profiles = world.profiles.ok_or(NO_PROFILES)?;
                    let share = cosine(profiles.row(u as usize), profiles.row(v as usize)) / full;
                    let grade = (1.0 + (share * f64::from(top)).floor()).clamp(1.0, f64::from(top)) as u8;
                    (grade, grade)
                }
                Self::Uniform => (rng.random_range(1..=top), rng.random_range(1..=top)),
            };
            set(graph, &mut grades, u, v, there);
            set(graph, &mut grades, v, u, back);
        }
        let (mut indptr, mut indices, mut kept) = (vec![0], Vec::new(), Vec::new());
        for user in 0..graph.nodes() {
            if !world.fake[user] {
                let range = graph.indptr()[user]..graph.indptr()[user + 1];
                for (&about, &grade) in graph.indices()[range.clone()].iter().zip(&grades[range]).filter(|e| *e.1 > 0) {
                    indices.push(about);
                    kept.push(grade);
                }
            }
            indptr.push(indices.len());
        }
        EndorsementLists::new(levels, indptr, indices, kept).map(TrueGrades)
    }

    /// Checks what the type leaves open, before there is a graph.
    ///
    /// # Errors
    /// [`Error::Size`] for friends' grades that are not `levels`, [`Error::Range`] for probabilities that are none.
    pub fn check(&self, levels: usize) -> Result<(), Error> {
        match self {
            Self::Oracle { friends, error } => {
                if friends.len() != levels {
                    let what = "probabilities of friends' grades";
                    return Err(Error::Size { what, expected: levels, found: friends.len() });
                }
                for &share in friends {
                    Error::in_range("the probability of a grade", share, 0.0, 1.0)?;
                }
                Error::in_range("the sum of the grades' probabilities", friends.iter().sum(), 1.0 - 1e-9, 1.0 + 1e-9)?;
                Error::in_range("the error rate of an oracle", *error, 0.0, 1.0).map(drop)
            }
            Self::FeatureSimilarity { full } => {
                Error::in_range("the similarity of the highest grade", *full, f64::MIN_POSITIVE, 1.0).map(drop)
            }
            Self::CommonNeighbours | Self::Uniform => Ok(()),
        }
    }

    fn check_world(&self, world: &World<'_>) -> Result<(), Error> {
        let nodes = world.graph.nodes();
        if world.fake.len() != nodes {
            return Err(Error::Size { what: "flags of fakes, one a node", expected: nodes, found: world.fake.len() });
        }
        if let Self::FeatureSimilarity { .. } = self {
            let rows = world.profiles.ok_or(NO_PROFILES)?.rows();
            if rows != nodes {
                return Err(Error::Size { what: "profiles, one a node", expected: nodes, found: rows });
            }
        }
        Ok(())
    }
}

const NO_PROFILES: Error = Error::Needs { who: "grading by feature similarity", what: "visible profiles" };

fn set(graph: &CsrGraph, grades: &mut [u8], user: u32, about: u32, grade: u8) {
    if let Ok(at) = graph.neighbours(user as usize).binary_search(&about) {
        grades[graph.indptr()[user as usize] + at] = grade;
    }
}

/// A grade 1 … κ by its probability; rounding falls to the last grade that has any.
fn draw<R: Rng + ?Sized>(shares: &[f64], rng: &mut R) -> u8 {
    let mut left: f64 = rng.random();
    let last = shares.iter().rposition(|&s| s > 0.0).unwrap_or(0);
    let at = shares.iter().position(|&share| {
        left -= share;
        left < 0.0
    });
    at.unwrap_or(last) as u8 + 1
}

fn common(one: &[u32], other: &[u32]) -> usize {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short.iter().filter(|&node| long.binary_search(node).is_ok()).count()
}

fn cosine(one: (&[u32], &[f32]), other: (&[u32], &[f32])) -> f64 {
    let square = |values: &[f32]| values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>();
    let norm = (square(one.1) * square(other.1)).sqrt();
    let product: f64 = one
        .0
        .iter()
        .zip(one.1)
        .filter_map(|(column, &value)| {
            other.0.binary_search(column).ok().map(|at| f64::from(value) * f64::from(other.1[at]))
        })
        .sum();
    if norm > 0.0 { product / norm } else { 0.0 }
}
