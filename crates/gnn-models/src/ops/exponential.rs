//! eˣ in f32 as plain arithmetic, so that a loop over it becomes vector code; the library's function would be called
//! element by element and took most of an epoch.

/// eˣ to within 2 units in the last place for x in [−87, 88]; below e⁻⁸⁷, above infinity, NaN for NaN.
///
/// x = n ln 2 + r with |r| ≤ ½ ln 2, then 2ⁿ times a polynomial for eʳ with the coefficients of Cephes' `expf`.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Adding 1.5 · 2²³ rounds to an integer, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0;
    // Comparisons rather than `clamp` or `max`: they let NaN through.
    let x = if x < -87.0 { -87.0 } else { x };
    let overflow = x > 88.0;
    let x = if overflow { 88.0 } else { x };
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = x - n * 0.693_359_4 - n * -2.121_944_4e-4;
    let mut p = 1.987_569_2e-4;
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.500_000_06] {
        p = p * r + coefficient;
    }
    let power = f32::from_bits(rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23);
    let value = (p * r * r + r + 1.0) * power;
    if overflow { f32::INFINITY } else { value }
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn close_to_the_library_everywhere() {
        let mut worst = 0f64;
        for at in -87_000..=88_000 {
            let x = at as f32 / 1000.0;
            let right = f64::from(x).exp();
            worst = worst.max((f64::from(exp(x)) / right - 1.0).abs());
        }
        assert!(worst < 2.0 * f64::from(f32::EPSILON), "{worst}");
    }

    #[test]
    fn beyond_its_range() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp(200.0), f32::INFINITY);
        assert!(exp(-1000.0) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
        assert!(exp(f32::NAN).is_nan());
    }
}
