//! Mechanisms broken on purpose, each a fault that a real library had. The auditor must flag every one.
//!
//! Each claims [`CLAIM`] and has a `draw` for [`audit`](super::audit): it runs the fault on one of two inputs and
//! reports whether the telling event occurred. Never use them for anything else.

use rand_core::CryptoRng;

use crate::weights::TOTAL_F64;

/// The ε that the broken mechanisms claim, in nats.
pub const CLAIM: f64 = 1.0;

/// A fault, and how the auditor sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Bits of a vector get coins one by one, but the last bit is sent as it is.
    LastCoordinateBare,
    /// k-ary response whose lie may be the truth, drawn with the keep-probability of one whose lie may not.
    LieMayBeTruth,
    /// The keep-probability of 2ε.
    WrongKeepProbability,
    /// Laplace noise in doubles: from 0 results have bits finer than 2⁻⁵³, from 1 none.
    NaiveFloatNoise,
    /// A coin with an 8-bit threshold that rounds to certainty at ε = 7, claimed as 7.
    SaturatedCoin,
    /// A window whose width grows with the input.
    UnevenWindow,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::LastCoordinateBare,
        Self::LieMayBeTruth,
        Self::WrongKeepProbability,
        Self::NaiveFloatNoise,
        Self::SaturatedCoin,
        Self::UnevenWindow,
    ];

    /// The ε that it claims.
    #[must_use]
    pub fn claim(self) -> f64 {
        if self == Self::SaturatedCoin { 7.0 } else { CLAIM }
    }

    /// Runs the mechanism on the first or the `second` input; whether the event occurred.
    pub fn draw<R: CryptoRng + ?Sized>(self, second: bool, rng: &mut R) -> bool {
        let mut uniform = || rng.next_u64() as f64 / TOTAL_F64;
        let odds = libm::exp(CLAIM);
        match self {
            Self::LastCoordinateBare => {
                // Inputs 1…11 and 1…10; event: the last bit is 1.
                let bits: [bool; 8] = core::array::from_fn(|j| {
                    let bit = j < 7 || !second;
                    if j < 7 { bit ^ (uniform() < 1.0 / (odds + 1.0)) } else { bit }
                });
                bits[7]
            }
            Self::LieMayBeTruth => {
                // k = 4, inputs 0 and 1; event: 0.
                let input = u64::from(second);
                let report = if uniform() < odds / (odds + 3.0) { input } else { (uniform() * 4.0) as u64 };
                report == 0
            }
            Self::WrongKeepProbability => {
                let keep = uniform() < odds * odds / (odds * odds + 1.0);
                keep != second
            }
            Self::NaiveFloatNoise => {
                let value = if second { 1.0 } else { 0.0 };
                let noise = -libm::log(uniform()) * if uniform() < 0.5 { 1.0 } else { -1.0 };
                // Not a multiple of 2⁻⁵³.
                let scaled = (value + noise) * (1_u64 << 53) as f64;
                scaled != libm::trunc(scaled)
            }
            Self::SaturatedCoin => {
                let keep = libm::round(256.0 / (1.0 + libm::exp(-7.0)));
                let truth = uniform() * 256.0 < keep;
                truth != second
            }
            Self::UnevenWindow => {
                // Outputs 0…9; the window starts at the input and is 2 cells wide from 0, 6 from 4. Event: an output
                // in the first window.
                let (start, width) = if second { (4, 6) } else { (0, 2) };
                let weight = |y: u32| if (start..start + width).contains(&y) { odds } else { 1.0 };
                let total: f64 = (0..10).map(weight).sum();
                let mut rest = uniform() * total;
                let output = (0..10).find(|&y| {
                    rest -= weight(y);
                    rest < 0.0
                });
                output.is_none_or(|y| (0..2).contains(&y))
            }
        }
    }
}
