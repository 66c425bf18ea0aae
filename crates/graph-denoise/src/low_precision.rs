//! Dense rows in one or two bytes a value, read by a propagation without an f32 copy.

use crate::{Error, FeatureMatrix};

/// Dense rows of one byte a value: value = `offset + scale · code`, codes −127 … 127.
///
/// Exact for rectified multi-bit reports, whose values are `offset` and `offset ± B`: code 0 and ±1 with `scale` = B.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeMatrix {
    rows: usize,
    columns: usize,
    codes: Vec<i8>,
    scale: f32,
    offset: f32,
}

impl CodeMatrix {
    /// Takes `rows × columns` codes, row after row.
    ///
    /// # Errors
    /// [`Error::Shape`] when the number of codes is another, [`Error::NotFinite`] for scale or offset.
    pub fn new(rows: usize, columns: usize, codes: Vec<i8>, scale: f32, offset: f32) -> Result<Self, Error> {
        if codes.len() != rows.saturating_mul(columns) {
            return Err(Error::Shape {
                what: "codes of a matrix",
                expected: rows.saturating_mul(columns),
                found: codes.len(),
            });
        }
        for (what, value) in [("scale of codes", scale), ("offset of codes", offset)] {
            if !value.is_finite() {
                return Err(Error::NotFinite { what, row: 0, value });
            }
        }
        Ok(Self { rows, columns, codes, scale, offset })
    }

    /// The nearest code of each value of `matrix` between `low` and `high`; the error is at most
    /// `(high − low) / 508` inside that range, and values outside it become its nearer end.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for an end that is no number, [`Error::Range`] unless `low < high`.
    pub fn quantized(matrix: &FeatureMatrix, low: f32, high: f32) -> Result<Self, Error> {
        for value in [low, high] {
            if !value.is_finite() {
                return Err(Error::NotFinite { what: "end of the range of codes", row: 0, value });
            }
        }
        if low >= high {
            return Err(Error::Range { low, high });
        }
        let offset = f32::midpoint(low, high);
        let scale = (high - low) / 254.0;
        let code = |&value: &f32| ((value - offset) / scale).round().clamp(-127.0, 127.0) as i8;
        let codes = matrix.as_slice().iter().map(code).collect();
        Ok(Self { rows: matrix.rows(), columns: matrix.columns(), codes, scale, offset })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// What every value contains.
    pub fn offset(&self) -> f32 {
        self.offset
    }

    /// What one step of the code is worth.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// One row's codes.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> &[i8] {
        &self.codes[row * self.columns..(row + 1) * self.columns]
    }
}

/// Dense rows in bfloat16: the sign, the exponent and 7 bits of the mantissa of an f32, relative error at most 2⁻⁸.
#[derive(Debug, Clone, PartialEq)]
pub struct Bf16Matrix {
    rows: usize,
    columns: usize,
    bits: Vec<u16>,
}

impl Bf16Matrix {
    /// The nearest bfloat16 of each value, ties to even.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a value that rounds to infinity (above 3.39e38).
    pub fn rounded(matrix: &FeatureMatrix) -> Result<Self, Error> {
        let mut bits = Vec::with_capacity(matrix.as_slice().len());
        for (at, &value) in matrix.as_slice().iter().enumerate() {
            let wide = value.to_bits();
            let rounded = (wide.saturating_add(0x7fff + (wide >> 16 & 1)) >> 16) as u16;
            if !widen(rounded).is_finite() {
                return Err(Error::NotFinite { what: "bfloat16 features", row: at / matrix.columns(), value });
            }
            bits.push(rounded);
        }
        Ok(Self { rows: matrix.rows(), columns: matrix.columns(), bits })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One row's bits.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, row: usize) -> &[u16] {
        &self.bits[row * self.columns..(row + 1) * self.columns]
    }
}

/// The f32 of the same value.
#[inline(always)]
pub(crate) fn widen(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}
