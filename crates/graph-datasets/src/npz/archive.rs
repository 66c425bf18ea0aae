//! Reading arrays out of a ZIP archive within bounded memory.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use sha2::{Digest, Sha256};
use zip::ZipArchive;
use zip::result::ZipError;

use super::npy::{Element, Header};
use crate::Error;

/// All arrays of an archive together may take this many bytes: six times the largest graph that the scale generator
/// is meant for, and little enough that a zip bomb is an error instead of a swapping machine.
pub(crate) const LIMIT: u64 = 1 << 30;
/// More members than any file of ours has.
const MOST_MEMBERS: usize = 64;
/// Bytes decoded at a time; a multiple of every element size.
const CHUNK: usize = 1 << 16;

/// Elements with the shape found.
pub(crate) type Elements<T> = (Vec<T>, Vec<u64>);

/// An npz archive, its arrays not yet read.
pub(crate) struct Archive<R> {
    zip: ZipArchive<R>,
    members: BTreeMap<String, usize>,
    left: u64,
    sha256: BTreeMap<String, String>,
}

impl<R: Read + Seek> Archive<R> {
    /// Reads the central directory.
    pub(crate) fn new(from: R) -> Result<Self, Error> {
        let zip = ZipArchive::new(from).map_err(torn)?;
        if zip.len() > MOST_MEMBERS {
            return Err(Error::TooLarge {
                what: "members of the archive".to_owned(),
                found: zip.len() as u64,
                limit: MOST_MEMBERS as u64,
            });
        }
        let mut members = BTreeMap::new();
        for at in 0..zip.len() {
            let name = zip.name_for_index(at).transpose().map_err(torn)?.unwrap_or_default();
            let key = name
                .strip_suffix(".npy")
                .ok_or_else(|| Error::Archive { problem: format!("member {name:?} is not an .npy array") })?;
            members.insert(key.to_owned(), at);
        }
        Ok(Self { zip, members, left: LIMIT, sha256: BTreeMap::new() })
    }

    /// Names of all arrays.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(String::as_str)
    }

    /// sha256 of each array read so far: of the whole NPY member, header included.
    pub(crate) fn sha256(self) -> BTreeMap<String, String> {
        self.sha256
    }

    /// Reads an array whose axes must be as `shape` says, `None` standing for any length.
    ///
    /// Returns nothing where there is no such array.
    pub(crate) fn read<T: Element>(&mut self, key: &str, shape: &[Option<u64>]) -> Result<Option<Elements<T>>, Error> {
        let Some(&at) = self.members.get(key) else { return Ok(None) };
        let mut member = self.zip.by_index(at).map_err(torn)?;
        let size = member.size();
        let (header, raw) = Header::read(key, &mut member)?;
        if header.descr != T::DESCR {
            return Err(Error::Dtype { key: key.to_owned(), expected: T::DESCR, found: header.descr });
        }
        let fits = header.shape.len() == shape.len()
            && header.shape.iter().zip(shape).all(|(found, asked)| asked.is_none_or(|asked| asked == *found));
        if !fits {
            return Err(Error::Shape { key: key.to_owned(), expected: describe(shape), found: header.shape });
        }
        let bytes = header.elements().and_then(|elements| elements.checked_mul(T::SIZE as u64));
        let Some(bytes) = bytes.filter(|&bytes| bytes <= self.left) else {
            return Err(Error::TooLarge {
                what: format!("array {key}, bytes"),
                found: bytes.unwrap_or(u64::MAX),
                limit: self.left,
            });
        };
        if size != raw.len() as u64 + bytes {
            let problem =
                format!("its shape needs {bytes} bytes, but {} follow", size.saturating_sub(raw.len() as u64));
            return Err(Error::Array { key: key.to_owned(), problem });
        }
        self.left -= bytes;
        let mut hash = Sha256::new();
        hash.update(&raw);
        let torn_array = |problem: std::io::Error| Error::Array { key: key.to_owned(), problem: problem.to_string() };
        // Grows as bytes arrive: what the header says is a claim until then.
        let mut elements = Vec::new();
        let mut buffer = vec![0; CHUNK];
        let mut left = bytes;
        while left > 0 {
            let chunk = &mut buffer[..left.min(CHUNK as u64) as usize];
            member.read_exact(chunk).map_err(torn_array)?;
            hash.update(&*chunk);
            T::decode(chunk, &mut elements);
            left -= chunk.len() as u64;
        }
        // The end of the member is where its CRC is compared.
        if member.read(&mut [0]).map_err(torn_array)? != 0 {
            return Err(Error::Array { key: key.to_owned(), problem: "bytes after its end".to_owned() });
        }
        self.sha256.insert(key.to_owned(), hexadecimal(&hash.finalize()));
        Ok(Some((elements, header.shape)))
    }
}

/// Lower-case hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn torn(problem: ZipError) -> Error {
    Error::Archive { problem: problem.to_string() }
}

fn describe(shape: &[Option<u64>]) -> String {
    let axes: Vec<String> = shape.iter().map(|axis| axis.map_or("any".to_owned(), |axis| axis.to_string())).collect();
    format!("[{}]", axes.join(", "))
}
