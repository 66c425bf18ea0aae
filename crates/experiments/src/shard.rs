//! Part of a plan's runs, for many machines.

use std::str::FromStr;

/// Part `part` of `parts` of the runs.
///
/// Runs are dealt out in turn, so that the parts take about as long; which part a run belongs to depends on its identity
/// alone, not on what is finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    part: u32,
    parts: u32,
}

impl Shard {
    /// Whether the run at this place of the plan belongs to the part.
    pub fn has(self, place: usize) -> bool {
        place % self.parts as usize == self.part as usize - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no part: write i/n with 1 ≤ i ≤ n, such as 1/4");
        let (part, parts) = text.split_once('/').ok_or_else(wrong)?;
        let (part, parts) = (part.parse().map_err(|_| wrong())?, parts.parse().map_err(|_| wrong())?);
        if (1..=parts).contains(&part) { Ok(Self { part, parts }) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn parts_cover_every_place_once() {
        let parts: Vec<Shard> = (1..=3).map(|part| format!("{part}/3").parse().expect("a part")).collect();
        assert!((0..20).all(|place| parts.iter().filter(|part| part.has(place)).count() == 1));
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
