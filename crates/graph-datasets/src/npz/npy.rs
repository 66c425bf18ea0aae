//! NPY 1.0 headers and elements: little-endian numbers in C order, nothing else.

use std::io::Read;

use crate::Error;

/// A number that can be an element of an array.
pub(crate) trait Element: Copy {
    /// Type as the NPY header says it.
    const DESCR: &'static str;
    /// Bytes of one element.
    const SIZE: usize;

    /// Appends the elements that `bytes` holds.
    fn decode(bytes: &[u8], to: &mut Vec<Self>);

    /// Appends the bytes of the elements.
    fn encode(elements: &[Self], to: &mut Vec<u8>);
}

macro_rules! element {
    ($($number:ty, $descr:literal;)*) => {$(
        impl Element for $number {
            const DESCR: &'static str = $descr;
            const SIZE: usize = size_of::<$number>();

            fn decode(bytes: &[u8], to: &mut Vec<Self>) {
                to.extend(bytes.as_chunks().0.iter().map(|&chunk| Self::from_le_bytes(chunk)));
            }

            fn encode(elements: &[Self], to: &mut Vec<u8>) {
                to.extend(elements.iter().flat_map(|element| element.to_le_bytes()));
            }
        }
    )*};
}

element! {
    u8, "|u1";
    i32, "<i4";
    i64, "<i8";
    f32, "<f4";
    f64, "<f8";
}

/// What a header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) descr: String,
    pub(crate) shape: Vec<u64>,
}

/// Longest header that version 1.0 can announce.
const LONGEST: usize = u16::MAX as usize;
/// More axes than any array of ours.
const MOST_AXES: usize = 8;

impl Header {
    /// Reads magic, version and header; returns it with its raw bytes.
    pub(crate) fn read(key: &str, from: &mut impl Read) -> Result<(Self, Vec<u8>), Error> {
        let wrong = |problem: &str| Error::Array { key: key.to_owned(), problem: problem.to_owned() };
        let mut raw = vec![0; 10];
        from.read_exact(&mut raw).map_err(|_| wrong("shorter than an NPY header"))?;
        if raw[..6] != *b"\x93NUMPY" {
            return Err(wrong("not an NPY array"));
        }
        if raw[6..8] != [1, 0] {
            return Err(wrong(&format!("NPY version must be 1.0, found {}.{}", raw[6], raw[7])));
        }
        let length = usize::from(u16::from_le_bytes([raw[8], raw[9]]));
        raw.resize(10 + length, 0);
        from.read_exact(&mut raw[10..]).map_err(|_| wrong("torn NPY header"))?;
        let text = std::str::from_utf8(&raw[10..]).map_err(|_| wrong("NPY header is not text"))?;
        let header = Cursor(text)
            .header()
            .ok_or_else(|| wrong("NPY header must be a dictionary of descr, fortran_order: False and shape"))?;
        Ok((header, raw))
    }

    /// The header as numpy writes it, growth space of the first axis included.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let axes: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        let tuple = if axes.len() == 1 { format!("({},)", axes[0]) } else { format!("({})", axes.join(", ")) };
        let growth = 21usize.saturating_sub(axes.first().map_or(0, String::len));
        let mut text =
            format!("{{'descr': '{}', 'fortran_order': False, 'shape': {tuple}, }}{:growth$}", self.descr, "");
        let padded = (10 + text.len() + 1).next_multiple_of(64) - 10;
        text.extend(std::iter::repeat_n(' ', padded - 1 - text.len()));
        text.push('\n');
        debug_assert!(text.len() <= LONGEST);
        let mut raw = b"\x93NUMPY\x01\x00".to_vec();
        raw.extend((text.len() as u16).to_le_bytes());
        raw.extend(text.as_bytes());
        raw
    }

    /// Number of elements, where it fits 64 bits.
    pub(crate) fn elements(&self) -> Option<u64> {
        self.shape.iter().try_fold(1u64, |product, &axis| product.checked_mul(axis))
    }
}

/// What is left of a header's text.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn header(&mut self) -> Option<Header> {
        let (mut descr, mut order, mut shape) = (None, None, None);
        self.symbol('{')?;
        while self.symbol('}').is_none() {
            let key = self.string()?;
            self.symbol(':')?;
            let doubled = match key {
                "descr" => descr.replace(self.string()?).is_some(),
                "fortran_order" => order.replace(self.word("False")?).is_some(),
                "shape" => shape.replace(self.tuple()?).is_some(),
                _ => return None,
            };
            if doubled {
                return None;
            }
            if self.symbol(',').is_none() {
                self.symbol('}')?;
                break;
            }
        }
        order?;
        if !self.0.trim().is_empty() {
            return None;
        }
        Some(Header { descr: descr?.to_owned(), shape: shape? })
    }

    fn symbol(&mut self, symbol: char) -> Option<()> {
        self.0 = self.0.trim_start().strip_prefix(symbol)?;
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.0 = self.0.trim_start().strip_prefix(word)?;
        Some(())
    }

    fn string(&mut self) -> Option<&'a str> {
        self.symbol('\'')?;
        let (string, rest) = self.0.split_once('\'')?;
        self.0 = rest;
        Some(string)
    }

    fn tuple(&mut self) -> Option<Vec<u64>> {
        let mut axes = Vec::new();
        self.symbol('(')?;
        while self.symbol(')').is_none() {
            self.0 = self.0.trim_start();
            let digits = self.0.len() - self.0.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            axes.push(self.0[..digits].parse().ok()?);
            self.0 = &self.0[digits..];
            if axes.len() > MOST_AXES {
                return None;
            }
            if self.symbol(',').is_none() {
                self.symbol(')')?;
                break;
            }
        }
        Some(axes)
    }
}

#[cfg(test)]
mod tests {
    use super::Header;

    fn read(text: &str) -> Option<Header> {
        let mut raw = b"\x93NUMPY\x01\x00".to_vec();
        raw.extend((text.len() as u16).to_le_bytes());
        raw.extend(text.as_bytes());
        Header::read("a", &mut raw.as_slice()).ok().map(|(header, _)| header)
    }

    #[test]
    fn header_of_numpy_comes_back_byte_for_byte() {
        // numpy 2: `numpy.lib.format.write_array_header_1_0` of an int32 array of shape (5278, 2).
        let text = "{'descr': '<i4', 'fortran_order': False, 'shape': (5278, 2), }";
        let mut expected = b"\x93NUMPY\x01\x00v\x00".to_vec();
        expected.extend(format!("{text:<117}\n").as_bytes());
        let header = Header { descr: "<i4".to_owned(), shape: vec![5278, 2] };
        assert_eq!(header.to_bytes(), expected);
        assert_eq!(read(text), Some(header));
    }

    #[test]
    fn other_headers_are_refused() {
        for text in [
            "",
            "{}",
            "{'descr': '<i4', 'fortran_order': True, 'shape': (1,), }",
            "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,), }",
            "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
            "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), 'more': (1,)}",
            "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (1,)}",
            "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '<i4', 'fortran_order': False, 'shape': (1,)} + 1",
            "{'descr': '<i4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert!(read("{'shape':(),'fortran_order':False,'descr':'<i8'}").is_some());
    }
}
