//! A value's place in its public range, as an integer.
//!
//! The only floats between a value and its report: subtract the lower end, scale, round to the nearest of 2⁵² steps.
//! What is random starts from that integer.

use crate::Bounds;

/// 2⁵², the steps of a range.
const STEPS: f64 = (1_u64 << 52) as f64;

/// Maps a public range onto 0 … 2⁵².
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    lower: f64,
    steps: f64,
}

impl Placement {
    /// 2⁵², the place of the upper end.
    pub(crate) const END: u64 = 1 << 52;

    pub(crate) fn new(bounds: Bounds) -> Self {
        // The upper end comes to 2⁵² − ½ at least (the quotient is off by one part in 2⁵³ at most), which is a tie that
        // rounds to 2⁵².
        Self { lower: bounds.lower(), steps: STEPS / bounds.width() }
    }

    /// Steps from the lower end: 0 there (and below), 2⁵² at the upper end (and above), monotone between.
    #[inline]
    pub(crate) fn of(self, value: f64) -> u64 {
        let steps = (value - self.lower) * self.steps;
        // Comparisons instead of `clamp`: one instruction each.
        let steps = if steps > 0.0 { steps } else { 0.0 };
        let steps = if steps < STEPS { steps } else { STEPS };
        // Above 2⁵² doubles are whole numbers and their bits count up by one: rounds without a conversion.
        (steps + STEPS).to_bits() - STEPS.to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_middle_and_order() {
        for (lower, upper) in [(-1.0, 1.0), (0.0, 1.0), (-3.0, 5.0), (0.1, 0.7), (-1e300, 1e300), (1e-280, 3e-280)] {
            let bounds = Bounds::new(lower, upper).expect("valid");
            let place = Placement::new(bounds);
            assert_eq!((place.of(lower), place.of(upper)), (0, Placement::END), "[{lower}, {upper}]");
            assert_eq!((place.of(lower - bounds.width()), place.of(upper + bounds.width())), (0, Placement::END));
            assert!(place.of(bounds.midpoint()).abs_diff(Placement::END / 2) <= 1);
            let at = |k: u32| place.of(lower + bounds.width() * f64::from(k) / 1000.0);
            for k in 0..1000 {
                assert!(at(k) < at(k + 1));
                assert!(at(k).abs_diff((u128::from(k) * u128::from(Placement::END) / 1000) as u64) <= 8);
            }
        }
    }

    #[test]
    fn the_upper_end_is_reached_whatever_the_width() {
        for k in 0..100_000_u64 {
            let mixed = |salt| crate::public_coin::mix(2 * k + salt);
            let scale = libm::exp2((mixed(0) % 100) as f64 - 50.0);
            let (lower, width) = (mixed(0) as i64 as f64 * scale, (mixed(1) | 1) as f64 * scale);
            let bounds = Bounds::new(lower, lower + width).expect("valid");
            assert_eq!(Placement::new(bounds).of(bounds.upper()), Placement::END, "{bounds:?}");
        }
    }
}
