//! ε and δ as checked integers: sums are exact, so ten spends of 0.1 fill 1.0 and the eleventh is refused.

use alloc::format;
use core::fmt;
use core::num::NonZeroU64;
use core::str::FromStr;

use crate::Error;

/// Nano-nats in one nat.
const NANO: u64 = 1_000_000_000;
/// The largest ε, in nano-nats.
const MAX_NANO: u64 = 4_000_000 * NANO;

/// A privacy budget ε in nats: finite, above zero, held in whole nano-nats (10⁻⁹ … 4·10⁶).
///
/// A float enters through its shortest decimal text, cut (never rounded up) to nine places: `0.3` is exactly 0.3 and
/// `1.0 / 11.0` is 0.090909090. The same integer sets the noise and the charge.
///
/// ```
/// use ldp_core::Epsilon;
/// let tenth = Epsilon::new(0.1)?;
/// assert_eq!(tenth.nano() * 10, Epsilon::new(1.0)?.nano());
/// assert!(Epsilon::new(f64::NAN).is_err() && Epsilon::new(0.0).is_err() && Epsilon::new(-1.0).is_err());
/// # Ok::<(), ldp_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epsilon(NonZeroU64);

impl Epsilon {
    /// The ε of `nats`.
    ///
    /// # Errors
    /// [`Error::Epsilon`] outside 10⁻⁹ … 4·10⁶, NaN and infinities included.
    pub fn new(nats: f64) -> Result<Self, Error> {
        if !(nats.is_finite() && nats > 0.0 && nats <= 4e6) {
            return Err(Error::Epsilon { got: nats });
        }
        // Display of a float is its shortest round-trip decimal, without exponent.
        decimal_nano(&format!("{nats}")).and_then(Self::checked).ok_or(Error::Epsilon { got: nats })
    }

    /// The ε of `nano` nano-nats.
    ///
    /// # Errors
    /// [`Error::Epsilon`] for 0 and above 4·10¹⁵.
    pub fn from_nano(nano: u64) -> Result<Self, Error> {
        Self::checked(nano).ok_or(Error::Epsilon { got: nano as f64 / NANO as f64 })
    }

    fn checked(nano: u64) -> Option<Self> {
        NonZeroU64::new(nano).filter(|n| n.get() <= MAX_NANO).map(Self)
    }

    /// In nano-nats, exactly.
    #[must_use]
    pub fn nano(self) -> u64 {
        self.0.get()
    }

    /// In nats, rounded to the nearest double.
    #[must_use]
    pub fn nats(self) -> f64 {
        self.nano() as f64 / NANO as f64
    }

    /// Cuts the budget into `parts` equal parts; what does not divide is left in [`Split::remainder`], unspent.
    ///
    /// # Errors
    /// [`Error::Split`] when a part would be less than a nano-nat, or `parts` is 0.
    pub fn split(self, parts: u64) -> Result<Split, Error> {
        let nano = self.nano();
        let part = nano.checked_div(parts).and_then(Self::checked).ok_or(Error::Split { nano, parts })?;
        Ok(Split { part, parts, remainder: nano % parts })
    }
}

/// A budget cut into equal parts: `parts · part + remainder` is the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// One part.
    pub part: Epsilon,
    /// How many.
    pub parts: u64,
    /// Nano-nats left over.
    pub remainder: u64,
}

/// Digits of a plain decimal, cut to nine places, as nano units. `None` for anything else or on overflow.
fn decimal_nano(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || text.ends_with('.') {
        return None;
    }
    let mut nano = whole.parse::<u64>().ok()?.checked_mul(NANO)?;
    let mut unit = NANO;
    for digit in fraction.bytes().take(9) {
        unit /= 10;
        nano = nano.checked_add(u64::from(digit - b'0') * unit)?;
    }
    Some(nano)
}

impl FromStr for Epsilon {
    type Err = Error;

    /// From plain decimal text such as `0.5`; no sign, no exponent, cut to nine places.
    fn from_str(text: &str) -> Result<Self, Error> {
        decimal_nano(text).and_then(Self::checked).ok_or(Error::EpsilonText)
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, mut fraction) = (self.nano() / NANO, self.nano() % NANO);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let mut width = 9;
        while fraction.is_multiple_of(10) {
            fraction /= 10;
            width -= 1;
        }
        write!(f, "{whole}.{fraction:0width$}")
    }
}

impl fmt::Debug for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Epsilon({self})")
    }
}

/// The δ of approximate differential privacy, in whole units of 2⁻⁶³, from 2⁻⁶³ to below ½.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Delta(NonZeroU64);

impl Delta {
    /// 2⁶³, the units in 1.
    const ONE: f64 = (1_u64 << 63) as f64;

    /// The δ of `value`, cut down to the next unit.
    ///
    /// # Errors
    /// [`Error::Delta`] outside 2⁻⁶³ … ½ (½ excluded), NaN included.
    pub fn new(value: f64) -> Result<Self, Error> {
        if !(value > 0.0 && value < 0.5) {
            return Err(Error::Delta { got: value });
        }
        NonZeroU64::new((value * Self::ONE) as u64).map(Self).ok_or(Error::Delta { got: value })
    }

    /// In units of 2⁻⁶³.
    #[must_use]
    pub fn units(self) -> u64 {
        self.0.get()
    }

    /// As a double, never above the integer.
    #[must_use]
    pub fn get(self) -> f64 {
        let units = self.units();
        let near = units as f64;
        let below = if near as u128 > u128::from(units) { near.next_down() } else { near };
        below / Self::ONE
    }
}

#[cfg(feature = "serde")]
mod through_serde {
    use super::{Delta, Epsilon, NANO};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    /// Human-readable formats carry the number of nats, binary ones the nano-nats. What was written is read back exactly
    /// up to ε = 10⁶ even by a parser that is one unit in the last place off (serde_json without `float_roundtrip`).
    impl Serialize for Epsilon {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if serializer.is_human_readable() {
                serializer.serialize_f64(self.nats())
            } else {
                serializer.serialize_u64(self.nano())
            }
        }
    }

    impl<'de> Deserialize<'de> for Epsilon {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let checked = if deserializer.is_human_readable() {
                let nats = f64::deserialize(deserializer)?;
                let nearest = Self::from_nano(libm::round(nats * NANO as f64) as u64);
                let same = |near: &Self| (nats.next_down()..=nats.next_up()).contains(&near.nats());
                nearest.ok().filter(same).map_or_else(|| Self::new(nats), Ok)
            } else {
                Self::from_nano(u64::deserialize(deserializer)?)
            };
            checked.map_err(de::Error::custom)
        }
    }

    /// A double. Below 2⁻¹², where units are four doubles apart or more, what was written is read back exactly even by a
    /// parser that is one unit in the last place off; above, if the format's parser is exact.
    impl Serialize for Delta {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_f64(self.get())
        }
    }

    impl<'de> Deserialize<'de> for Delta {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let value = f64::deserialize(deserializer)?;
            let nearest = core::num::NonZeroU64::new(libm::round(value * Self::ONE) as u64).map(Self);
            let same = |near: &Self| (value.next_down()..=value.next_up()).contains(&near.get()) && near.get() < 0.5;
            nearest.filter(same).map_or_else(|| Self::new(value), Ok).map_err(de::Error::custom)
        }
    }
}
