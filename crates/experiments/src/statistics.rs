//! Mean and interval over repeats.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean with its 95 % interval by Student's t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Number of values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Half the width of the 95 % interval of the mean; none with fewer than two values.
    pub half_width: Option<f64>,
}

impl Interval {
    /// Mean and interval of `values`; none when there is no value.
    ///
    /// Each value is one repeat: split, reports and initial model all drawn anew.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let half_width = (count > 1)
            .then(|| {
                let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1) as f64;
                let law = StudentsT::new(0.0, 1.0, (count - 1) as f64).ok()?;
                Some(law.inverse_cdf(0.975) * (spread / count as f64).sqrt())
            })
            .flatten();
        Some(Self { count, mean, half_width })
    }

    /// Whether zero lies outside the interval; never with fewer than two values.
    pub fn excludes_zero(&self) -> bool {
        self.half_width.is_some_and(|half_width| self.mean.abs() > half_width)
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;

    /// By hand: variance 0.5625, t(3, 0.975) = 3.182446305284263 (tables of Student's t; scipy.stats.t.ppf(0.975, 3)).
    #[test]
    fn agrees_with_the_t_table() {
        let interval = Interval::of(&[84.1, 85.0, 83.2, 84.4]).expect("values");
        assert!((interval.mean - 84.175).abs() < 1e-12);
        let half_width = interval.half_width.expect("four values");
        assert!((half_width - 3.182_446_305_284_263 * 0.75 / 2.0).abs() < 1e-6, "{half_width}");
    }

    #[test]
    fn one_value_has_no_interval() {
        let interval = Interval::of(&[1.0]).expect("a value");
        assert_eq!(interval.half_width, None);
        assert!(!interval.excludes_zero());
        assert_eq!(Interval::of(&[]), None);
    }
}
