//! The public range of a numeric attribute.

use crate::Error;

/// The least width.
const NARROWEST: f64 = 1e-280;

/// A public, finite range `[lower, upper]` with `lower < upper`. It must not be computed from private data.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawBounds"))]
pub struct Bounds {
    lower: f64,
    upper: f64,
}

impl Bounds {
    /// [-1, 1], the domain of most papers.
    pub const SYMMETRIC: Self = Self { lower: -1.0, upper: 1.0 };
    /// [0, 1], the domain of bag-of-words features.
    pub const UNIT: Self = Self { lower: 0.0, upper: 1.0 };

    /// The range `[lower, upper]`.
    ///
    /// # Errors
    /// [`Error::Bounds`] unless both ends and the width are finite and the width is at least 10⁻²⁸⁰, below which the
    /// grids over it would be finer than doubles are.
    pub fn new(lower: f64, upper: f64) -> Result<Self, Error> {
        let width = upper - lower;
        if width.is_finite() && width >= NARROWEST {
            Ok(Self { lower, upper })
        } else {
            Err(Error::Bounds { lower, upper })
        }
    }

    /// Lower end α.
    #[must_use]
    pub fn lower(self) -> f64 {
        self.lower
    }

    /// Upper end β.
    #[must_use]
    pub fn upper(self) -> f64 {
        self.upper
    }

    /// β − α.
    #[must_use]
    pub fn width(self) -> f64 {
        self.upper - self.lower
    }

    /// (α + β) / 2.
    #[must_use]
    pub fn midpoint(self) -> f64 {
        self.lower + self.width() / 2.0
    }

    /// Whether `value` is a number inside the range.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// `value` or the error that says it is outside.
    pub(crate) fn check(self, value: f64) -> Result<f64, Error> {
        if self.contains(value) { Ok(value) } else { Err(self.outside()) }
    }

    /// That every value is inside and that there are `reports` of them.
    pub(crate) fn check_all(self, values: &[f64], reports: usize) -> Result<(), Error> {
        if values.len() != reports {
            return Err(Error::Length { what: "reports", expected: values.len(), got: reports });
        }
        // No early exit: the time does not tell where the first bad value was.
        let inside = values.iter().fold(true, |ok, &v| ok & self.contains(v));
        if inside { Ok(()) } else { Err(self.outside()) }
    }

    /// Whether every value is inside; no early exit, so that the time does not tell where the first bad value was.
    pub(crate) fn contain_all(self, values: &[f32]) -> bool {
        // The outermost single-precision numbers inside: comparing with them needs no conversion.
        let (mut lower, mut upper) = (self.lower as f32, self.upper as f32);
        if f64::from(lower) < self.lower {
            lower = lower.next_up();
        }
        if f64::from(upper) > self.upper {
            upper = upper.next_down();
        }
        values.iter().fold(true, |ok, &v| ok & (lower <= v) & (v <= upper))
    }

    pub(crate) fn outside(self) -> Error {
        Error::Value { lower: self.lower, upper: self.upper }
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBounds {
    lower: f64,
    upper: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<RawBounds> for Bounds {
    type Error = Error;

    fn try_from(raw: RawBounds) -> Result<Self, Error> {
        Self::new(raw.lower, raw.upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of single precision against ends that have none: what is inside is what is inside as a double.
    #[test]
    fn single_precision_at_the_ends() {
        for k in 1..200 {
            let (lower, upper) = (-f64::from(k) / 7.0, f64::from(k) / 11.0);
            let bounds = Bounds::new(lower, upper).expect("valid");
            for near in [lower as f32, upper as f32] {
                for value in [near.next_down(), near, near.next_up()] {
                    assert_eq!(
                        bounds.contain_all(&[0.0, value]),
                        bounds.contains(f64::from(value)),
                        "{value} {bounds:?}"
                    );
                }
            }
            assert!(!bounds.contain_all(&[f32::NAN]));
        }
    }
}
