//! The compact form of a report: versioned, of one length for a configuration, refused unless the mechanism could
//! have emitted it.
//!
//! Bytes: version (1), mechanism (1), fingerprint of the public parameters (8), then the fields of the report packed
//! bit by bit and zero-padded to whole bytes. The length depends on the public parameters only, never on the value.

mod bits;
mod mechanisms;

pub use bits::{BitReader, BitWriter};

use alloc::vec::Vec;

use crate::{Error, Randomizer};

/// Version of the format.
pub const VERSION: u8 = 1;
/// Bytes before the payload.
const HEADER: usize = 10;

/// Which mechanism a report is of; the numbers are part of the format.
#[non_exhaustive]
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MechanismId {
    /// [`RandomizedResponse`](crate::RandomizedResponse).
    RandomizedResponse = 1,
    /// [`OneBit`](crate::OneBit).
    OneBit = 2,
    /// [`Piecewise`](crate::Piecewise).
    Piecewise = 3,
    /// [`SquareWave`](crate::SquareWave).
    SquareWave = 4,
    /// [`Hybrid`](crate::Hybrid).
    Hybrid = 5,
    /// [`MultiBitEncoder`](crate::MultiBitEncoder).
    MultiBit = 6,
    /// [`Sampled`](crate::Sampled).
    Sampled = 7,
    /// [`GradedListRandomizer`](crate::GradedListRandomizer).
    GradedList = 8,
    /// [`GridLaplace`](crate::GridLaplace).
    GridLaplace = 9,
    /// [`GridGaussian`](crate::GridGaussian).
    GridGaussian = 10,
    /// [`LevelChannel`](crate::LevelChannel).
    Level = 11,
    /// [`PrivateLevelEncoder`](crate::PrivateLevelEncoder).
    PrivateLevel = 12,
    /// [`PrivUnit`](crate::PrivUnit).
    PrivUnit = 13,
}

/// Collects public parameters into a fingerprint (FNV-1a, 64 bits). Guards against mistakes, not against forgery.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64);

impl Fingerprint {
    fn of(id: MechanismId) -> Self {
        Self(0xcbf2_9ce4_8422_2325).with(id as u64)
    }

    /// Adds one number.
    #[must_use]
    pub fn with(self, number: u64) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(number.to_le_bytes().into_iter().fold(self.0, step))
    }

    /// Adds the bits of a float.
    #[must_use]
    pub fn with_float(self, number: f64) -> Self {
        self.with(number.to_bits())
    }
}

/// A randomizer whose reports have a compact form.
pub trait Wire: Randomizer {
    /// Which mechanism this is.
    const ID: MechanismId;

    /// Adds the public parameters, all that the server needs to rectify.
    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint;

    /// Bits of a payload, the same for every report.
    fn payload_bits(&self) -> usize;

    /// Writes the fields of a report that this randomizer accepts.
    fn write(&self, report: &Self::Report, bits: &mut BitWriter);

    /// Reads the fields; what comes out is checked by [`Wire::decode`].
    ///
    /// # Errors
    /// [`Error::Report`] when the fields make no report.
    fn read(&self, bits: &mut BitReader<'_>) -> Result<Self::Report, Error>;

    /// Fingerprint of mechanism and public parameters.
    fn fingerprint(&self) -> u64 {
        self.parameters(Fingerprint::of(Self::ID).with(self.epsilon().nano())).0
    }

    /// Bytes of an encoded report.
    fn encoded_len(&self) -> usize {
        HEADER + self.payload_bits().div_ceil(8)
    }

    /// The bytes of a report.
    ///
    /// # Panics
    /// When this randomizer does not accept the report.
    fn encode(&self, report: &Self::Report) -> Vec<u8> {
        assert!(self.accepts(report), "only a report of this mechanism is encoded");
        let mut bytes = Vec::with_capacity(self.encoded_len());
        bytes.push(VERSION);
        bytes.push(Self::ID as u8);
        bytes.extend(self.fingerprint().to_le_bytes());
        let mut bits = BitWriter::after(bytes);
        self.write(report, &mut bits);
        let bytes = bits.finish(self.encoded_len());
        debug_assert_eq!(bytes.len(), self.encoded_len());
        bytes
    }

    /// A report from its bytes.
    ///
    /// # Errors
    /// [`Error::Report`] for another version, mechanism or parameters, a wrong length, padding that is not zero, or
    /// fields that this randomizer cannot emit.
    fn decode(&self, bytes: &[u8]) -> Result<Self::Report, Error> {
        let refuse = |what| Err(Error::Report { what });
        if bytes.len() != self.encoded_len() {
            return refuse("wrong length");
        }
        let (header, payload) = bytes.split_at(HEADER);
        if header[0] != VERSION {
            return refuse("unknown version");
        }
        if header[1] != Self::ID as u8 {
            return refuse("another mechanism");
        }
        if header[2..] != self.fingerprint().to_le_bytes() {
            return refuse("made with other public parameters");
        }
        let mut bits = BitReader::new(payload);
        let report = self.read(&mut bits)?;
        if !bits.rest_is_zero() {
            return refuse("padding is not zero");
        }
        if self.accepts(&report) { Ok(report) } else { refuse("fields that the mechanism cannot emit") }
    }
}
