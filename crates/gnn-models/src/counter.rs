//! Random numbers by position: the i-th number of a stream costs the same whatever was drawn before, so that masks and
//! weights do not depend on the number of threads, on the backend or on the order of tests.

/// What a stream of random numbers is for; streams of different purposes never meet.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Weights = 1,
    Dropout = 2,
    Neighbours = 3,
    Search = 4,
    AttentionDropout = 5,
}

/// A stream of 64-bit numbers, addressed by index: SplitMix64 [Steele, Lea, Flood, OOPSLA 2014] read at any position.
///
/// Not for privacy: nothing here protects a report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counter(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Counter {
    /// The stream of `seed` for `purpose`, numbered by two indices such as epoch and layer.
    pub(crate) fn new(seed: u64, purpose: Purpose, first: u64, second: u64) -> Self {
        let key = [purpose as u64, first, second].into_iter().fold(mix(seed.wrapping_add(GOLDEN)), |key, part| {
            mix(key ^ mix(part.wrapping_add(1).wrapping_mul(GOLDEN)))
        });
        Self(key)
    }

    /// The number at `index`.
    pub(crate) fn bits(self, index: u64) -> u64 {
        mix(self.0.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN)))
    }

    /// The number at `index` as a uniform draw from [0, 1), a multiple of 2⁻²⁴.
    pub(crate) fn uniform(self, index: u64) -> f32 {
        (self.bits(index) >> 40) as f32 / (1u32 << 24) as f32
    }

    /// `length` independent factors, 0 with probability `rate` and else 1 / (1 − rate).
    pub(crate) fn mask(self, length: usize, rate: f64) -> Vec<f32> {
        let threshold = (rate * 2f64.powi(32)) as u64;
        let kept = (1.0 / (1.0 - rate)) as f32;
        let factor = |bits: u64| if bits >= threshold { kept } else { 0.0 };
        let mut mask = vec![0f32; length];
        for (at, pair) in mask.chunks_mut(2).enumerate() {
            let bits = self.bits(at as u64);
            pair[0] = factor(bits >> 32);
            if let Some(second) = pair.get_mut(1) {
                *second = factor(bits & 0xffff_ffff);
            }
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::{Counter, Purpose};

    /// 10⁵ factors: 10⁵ · rate of them 0 to within 4.9 standard deviations, α = 1e-6, at most 0.0077 of all, and the rest as much
    /// larger as keeps the mean at 1.
    #[test]
    fn a_mask_drops_its_share_and_keeps_the_mean() {
        for (rate, factor) in [(0.5f64, 2.0f32), (0.2, 1.25)] {
            let mask = Counter::new(3, Purpose::Dropout, 5, 1).mask(100_001, rate);
            assert_eq!(mask.len(), 100_001);
            assert!(mask.iter().all(|&found| found == 0.0 || found == factor), "rate {rate}");
            let dropped = mask.iter().filter(|&&found| found == 0.0).count() as f64 / 100_001.0;
            assert!((dropped - rate).abs() < 4.9 * (rate * (1.0 - rate) / 1e5).sqrt(), "{dropped} for {rate}");
        }
    }
}
