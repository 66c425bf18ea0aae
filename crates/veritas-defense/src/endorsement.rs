//! What node u reports of node v: graded lists, checked on arrival and held sparse.

use crate::Error;

/// One user's list as it arrives: who signed it, how long it claims to be, and its non-zero entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserList {
    /// Who reports.
    pub user: u32,
    /// Length of the list, zeros included; must be the number of users.
    pub length: usize,
    /// Non-zero entries `(about, grade)`, in any order, each `about` once.
    pub entries: Vec<(u32, u8)>,
}

/// All users' graded lists, non-zero entries only: row u holds what u reports of others, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndorsementLists {
    levels: u8,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    grades: Vec<u8>,
}

impl EndorsementLists {
    /// Checks and takes rows one after the other.
    ///
    /// # Errors
    /// [`Error::Levels`], [`Error::TooManyNodes`], [`Error::Size`] when lengths disagree, and those of one entry:
    /// [`Error::UnknownNode`], [`Error::SelfEntry`], [`Error::EntryOrder`], [`Error::Grade`].
    pub fn new(levels: usize, indptr: Vec<usize>, indices: Vec<u32>, grades: Vec<u8>) -> Result<Self, Error> {
        let levels = u8::try_from(levels).ok().filter(|&l| l > 0).ok_or(Error::Levels { got: levels })?;
        let nodes = indptr.len().saturating_sub(1);
        check_nodes(nodes)?;
        if indptr.first() != Some(&0) {
            return Err(Error::Size { what: "first row start", expected: 0, found: indptr.first().map_or(1, |&s| s) });
        }
        if grades.len() != indices.len() {
            return Err(Error::Size { what: "grades, one an entry", expected: indices.len(), found: grades.len() });
        }
        if indptr[nodes] != indices.len() {
            return Err(Error::Size { what: "last row end", expected: indices.len(), found: indptr[nodes] });
        }
        for (user, ends) in (0_u32..).zip(indptr.windows(2)) {
            if ends[1] < ends[0] || ends[1] > indices.len() {
                return Err(Error::Size { what: "row end, not below its start", expected: ends[0], found: ends[1] });
            }
            check_row(user, nodes, levels, &indices[ends[0]..ends[1]], &grades[ends[0]..ends[1]])?;
        }
        Ok(Self { levels, indptr, indices, grades })
    }

    /// Collects the lists of `nodes` users, whatever the order in which they arrive.
    ///
    /// # Errors
    /// [`Error::UnknownUser`], [`Error::DuplicateUser`], [`Error::MissingUser`], [`Error::ListLength`], and those of
    /// one entry (see [`EndorsementLists::new`]).
    ///
    /// # Complexity
    /// Time O(entries · log(longest list)), space twice the entries while collecting.
    pub fn from_users(nodes: usize, levels: usize, lists: impl IntoIterator<Item = UserList>) -> Result<Self, Error> {
        check_nodes(nodes)?;
        let mut rows: Vec<Option<Vec<(u32, u8)>>> = vec![None; nodes];
        for UserList { user, length, mut entries } in lists {
            let row = rows.get_mut(user as usize).ok_or(Error::UnknownUser { user, nodes })?;
            if row.is_some() {
                return Err(Error::DuplicateUser { user });
            }
            if length != nodes {
                return Err(Error::ListLength { user, expected: nodes, found: length });
            }
            entries.sort_unstable_by_key(|&(about, _)| about);
            *row = Some(entries);
        }
        let mut indptr = Vec::with_capacity(nodes + 1);
        indptr.push(0);
        let total = rows.iter().flatten().map(Vec::len).sum();
        let (mut indices, mut grades) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for (user, row) in (0_u32..).zip(rows) {
            let row = row.ok_or(Error::MissingUser { user })?;
            indices.extend(row.iter().map(|&(about, _)| about));
            grades.extend(row.iter().map(|&(_, grade)| grade));
            indptr.push(indices.len());
        }
        Self::new(levels, indptr, indices, grades)
    }

    /// Number of users.
    pub fn nodes(&self) -> usize {
        self.indptr.len() - 1
    }

    /// The highest grade κ.
    pub fn levels(&self) -> u8 {
        self.levels
    }

    /// Number of non-zero entries.
    pub fn entries(&self) -> usize {
        self.indices.len()
    }

    /// Row starts, one more than there are users.
    pub fn indptr(&self) -> &[usize] {
        &self.indptr
    }

    /// Whom each user grades, ascending, and how.
    ///
    /// # Panics
    /// When `user` is not a node.
    pub fn row(&self, user: usize) -> (&[u32], &[u8]) {
        let range = self.indptr[user]..self.indptr[user + 1];
        (&self.indices[range.clone()], &self.grades[range])
    }

    /// r_uv, zero where u says nothing of v.
    ///
    /// # Panics
    /// When `user` is not a node.
    pub fn grade(&self, user: usize, about: u32) -> u8 {
        let (columns, grades) = self.row(user);
        columns.binary_search(&about).map_or(0, |at| grades[at])
    }

    /// Bytes that the lists hold.
    pub fn bytes(&self) -> u64 {
        (self.entries() * 5 + self.indptr.len() * 8) as u64
    }
}

fn check_nodes(nodes: usize) -> Result<(), Error> {
    let limit = u32::MAX as usize;
    if nodes > limit { Err(Error::TooManyNodes { nodes, limit }) } else { Ok(()) }
}

fn check_row(user: u32, nodes: usize, levels: u8, indices: &[u32], grades: &[u8]) -> Result<(), Error> {
    let mut last = None;
    for (&about, &grade) in indices.iter().zip(grades) {
        if about as usize >= nodes {
            return Err(Error::UnknownNode { user, about, nodes });
        }
        if about == user {
            return Err(Error::SelfEntry { user });
        }
        if last.is_some_and(|before| about <= before) {
            return Err(Error::EntryOrder { user, about });
        }
        if grade == 0 || grade > levels {
            return Err(Error::Grade { user, about, grade, levels });
        }
        last = Some(about);
    }
    Ok(())
}
