//! The fields of every mechanism's report.

use alloc::vec::Vec;

use super::bits::width;
use super::{BitReader, BitWriter, Fingerprint, MechanismId, Wire};
use crate::window_mechanism::{PiecewiseShape, SquareWaveShape, WindowMechanism, WindowShape};
use crate::{
    Bounds, Error, GradedList, GradedListRandomizer, GridGaussian, GridLaplace, Hybrid, HybridReport, LevelChannel,
    MultiBitEncoder, MultiBitReport, OneBit, PrivUnit, PrivateLevelEncoder, PrivateLevelReport, RandomizedResponse,
    Rectify, Sampled, SampledReport, ScalarMechanism,
};

fn with_bounds(fingerprint: Fingerprint, bounds: Bounds) -> Fingerprint {
    fingerprint.with_float(bounds.lower()).with_float(bounds.upper())
}

impl Wire for RandomizedResponse {
    const ID: MechanismId = MechanismId::RandomizedResponse;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        fingerprint.with(u64::from(self.categories()))
    }

    fn payload_bits(&self) -> usize {
        width(u64::from(self.categories() - 1)) as usize
    }

    fn write(&self, report: &u32, bits: &mut BitWriter) {
        bits.put(u64::from(*report), width(u64::from(self.categories() - 1)));
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<u32, Error> {
        Ok(bits.take(width(u64::from(self.categories() - 1)))? as u32)
    }
}

impl Wire for OneBit {
    const ID: MechanismId = MechanismId::OneBit;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        with_bounds(fingerprint, self.bounds())
    }

    fn payload_bits(&self) -> usize {
        1
    }

    fn write(&self, report: &bool, bits: &mut BitWriter) {
        bits.put(u64::from(*report), 1);
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<bool, Error> {
        Ok(bits.take(1)? == 1)
    }
}

/// A window shape with a number of its own in the format.
pub trait NumberedShape: WindowShape {
    /// Its number.
    const ID: MechanismId;
}

impl NumberedShape for PiecewiseShape {
    const ID: MechanismId = MechanismId::Piecewise;
}

impl NumberedShape for SquareWaveShape {
    const ID: MechanismId = MechanismId::SquareWave;
}

impl<S: NumberedShape> Wire for WindowMechanism<S> {
    const ID: MechanismId = S::ID;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        with_bounds(fingerprint, self.bounds()).with(u64::from(self.kernel().cells()))
    }

    fn payload_bits(&self) -> usize {
        width(u64::from(self.kernel().cells() - 1)) as usize
    }

    fn write(&self, report: &u32, bits: &mut BitWriter) {
        bits.put(u64::from(*report), width(u64::from(self.kernel().cells() - 1)));
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<u32, Error> {
        Ok(bits.take(width(u64::from(self.kernel().cells() - 1)))? as u32)
    }
}

impl Wire for Hybrid {
    const ID: MechanismId = MechanismId::Hybrid;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        with_bounds(fingerprint, self.bounds()).with_float(self.piecewise_share())
    }

    fn payload_bits(&self) -> usize {
        1 + self.piecewise().payload_bits()
    }

    fn write(&self, report: &HybridReport, bits: &mut BitWriter) {
        match report {
            HybridReport::OneBit(bit) => bits.put(u64::from(*bit) << 1, self.payload_bits() as u32),
            HybridReport::Piecewise(cell) => {
                bits.put(1, 1);
                self.piecewise().write(cell, bits);
            }
        }
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<HybridReport, Error> {
        if bits.take(1)? == 1 {
            return self.piecewise().read(bits).map(HybridReport::Piecewise);
        }
        match bits.take(self.payload_bits() as u32 - 1)? {
            0 => Ok(HybridReport::OneBit(false)),
            1 => Ok(HybridReport::OneBit(true)),
            _ => Err(Error::Report { what: "padding is not zero" }),
        }
    }
}

impl Wire for MultiBitEncoder {
    const ID: MechanismId = MechanismId::MultiBit;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        with_bounds(fingerprint, self.bounds()).with(self.dimensions() as u64).with(self.sampled() as u64)
    }

    fn payload_bits(&self) -> usize {
        self.sampled() * (1 + width(self.dimensions() as u64 - 1) as usize)
    }

    fn write(&self, report: &MultiBitReport, bits: &mut BitWriter) {
        for (index, bit) in report.entries() {
            bits.put(u64::from(index), width(self.dimensions() as u64 - 1));
            bits.put(u64::from(bit), 1);
        }
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<MultiBitReport, Error> {
        read_entries(bits, self.dimensions(), self.sampled())
    }
}

fn read_entries(bits: &mut BitReader<'_>, dimensions: usize, count: usize) -> Result<MultiBitReport, Error> {
    let (mut indices, mut signs) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for _ in 0..count {
        indices.push(bits.take(width(dimensions as u64 - 1))? as u32);
        signs.push(bits.take(1)? == 1);
    }
    MultiBitReport::new(indices, signs)
}

impl<M: ScalarMechanism + Wire> Wire for Sampled<M> {
    const ID: MechanismId = MechanismId::Sampled;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        let outer = fingerprint.with(M::ID as u64).with(self.dimensions() as u64).with(self.sampled() as u64);
        self.mechanism().parameters(outer)
    }

    fn payload_bits(&self) -> usize {
        self.sampled() * (width(self.dimensions() as u64 - 1) as usize + self.mechanism().payload_bits())
    }

    fn write(&self, report: &SampledReport<M::Report>, bits: &mut BitWriter) {
        for (&index, inner) in report.indices.iter().zip(&report.reports) {
            bits.put(u64::from(index), width(self.dimensions() as u64 - 1));
            self.mechanism().write(inner, bits);
        }
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<SampledReport<M::Report>, Error> {
        let mut report = SampledReport { indices: Vec::new(), reports: Vec::new() };
        for _ in 0..self.sampled() {
            report.indices.push(bits.take(width(self.dimensions() as u64 - 1))? as u32);
            report.reports.push(self.mechanism().read(bits)?);
        }
        Ok(report)
    }
}

/// Every entry takes its bits, zero or not: a sparse form would tell how many there are.
impl Wire for GradedListRandomizer {
    const ID: MechanismId = MechanismId::GradedList;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        fingerprint.with(self.length() as u64).with(u64::from(self.grades()))
    }

    fn payload_bits(&self) -> usize {
        self.length() * width(u64::from(self.grades())) as usize
    }

    fn write(&self, report: &GradedList, bits: &mut BitWriter) {
        let mut next = 0;
        let each = width(u64::from(self.grades()));
        for (position, grade) in report.entries() {
            (next..position).for_each(|_| bits.put(0, each));
            bits.put(u64::from(grade), each);
            next = position + 1;
        }
        (next..self.length() as u32).for_each(|_| bits.put(0, each));
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<GradedList, Error> {
        let (mut positions, mut grades) = (Vec::new(), Vec::new());
        for position in 0..self.length() as u32 {
            let grade = bits.take(width(u64::from(self.grades())))? as u8;
            if grade != 0 {
                positions.push(position);
                grades.push(grade);
            }
        }
        GradedList::new(positions, grades)
    }
}

impl Wire for GridLaplace {
    const ID: MechanismId = MechanismId::GridLaplace;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        with_bounds(fingerprint, self.bounds()).with(u64::from(self.cells())).with(u64::from(self.scale()))
    }

    fn payload_bits(&self) -> usize {
        64
    }

    fn write(&self, report: &i64, bits: &mut BitWriter) {
        bits.put(report.cast_unsigned(), 64);
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<i64, Error> {
        Ok(bits.take(64)?.cast_signed())
    }
}

impl Wire for GridGaussian {
    const ID: MechanismId = MechanismId::GridGaussian;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        let noise = fingerprint.with(self.delta().units()).with(self.dimensions() as u64).with_float(self.sigma());
        with_bounds(noise, self.bounds()).with(u64::from(self.cells()))
    }

    fn payload_bits(&self) -> usize {
        64 * self.dimensions()
    }

    fn write(&self, report: &Vec<i64>, bits: &mut BitWriter) {
        report.iter().for_each(|point| bits.put(point.cast_unsigned(), 64));
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<Vec<i64>, Error> {
        (0..self.dimensions()).map(|_| Ok(bits.take(64)?.cast_signed())).collect()
    }
}

impl Wire for PrivUnit {
    const ID: MechanismId = MechanismId::PrivUnit;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        fingerprint.with(self.dimensions() as u64).with_float(self.cap())
    }

    fn payload_bits(&self) -> usize {
        64
    }

    fn write(&self, report: &u64, bits: &mut BitWriter) {
        bits.put(*report, 64);
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<u64, Error> {
        bits.take(64)
    }
}

impl Wire for LevelChannel {
    const ID: MechanismId = MechanismId::Level;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        let cells = (0..self.levels()).flat_map(|l| (0..self.outputs()).map(move |y| self.weight(l, y)));
        cells.fold(fingerprint.with(u64::from(self.levels())), Fingerprint::with)
    }

    fn payload_bits(&self) -> usize {
        width(u64::from(self.outputs() - 1)) as usize
    }

    fn write(&self, report: &u32, bits: &mut BitWriter) {
        bits.put(u64::from(*report), width(u64::from(self.outputs() - 1)));
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<u32, Error> {
        Ok(bits.take(width(u64::from(self.outputs() - 1)))? as u32)
    }
}

/// Padded to the most dimensions that any level reports, so that the length does not tell the level.
impl Wire for PrivateLevelEncoder {
    const ID: MechanismId = MechanismId::PrivateLevel;

    fn parameters(&self, fingerprint: Fingerprint) -> Fingerprint {
        let budgets = self.feature_budgets().iter().map(|b| b.nano());
        let sampled = self.sampled().iter().map(|&m| m as u64);
        let numbers = budgets.chain(sampled).fold(self.channel().parameters(fingerprint), Fingerprint::with);
        with_bounds(numbers, self.bounds()).with(self.dimensions() as u64)
    }

    fn payload_bits(&self) -> usize {
        let most = self.sampled().iter().max().copied().unwrap_or_default();
        self.channel().payload_bits() + most * (1 + width(self.dimensions() as u64 - 1) as usize)
    }

    fn write(&self, report: &PrivateLevelReport, bits: &mut BitWriter) {
        self.channel().write(&report.level, bits);
        for (index, bit) in report.features.entries() {
            bits.put(u64::from(index), width(self.dimensions() as u64 - 1));
            bits.put(u64::from(bit), 1);
        }
    }

    fn read(&self, bits: &mut BitReader<'_>) -> Result<PrivateLevelReport, Error> {
        let level = self.channel().read(bits)?;
        let count = *self.sampled().get(level as usize).ok_or(Error::Report { what: "no such output" })?;
        Ok(PrivateLevelReport { level, features: read_entries(bits, self.dimensions(), count)? })
    }
}
