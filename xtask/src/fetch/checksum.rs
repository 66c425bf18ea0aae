//! Whether a file is the one that the catalog means.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::sources::RawFile;

impl RawFile {
    /// Fails unless size and checksum of the file are those of the catalog. A file without a checksum never passes.
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        let context = || format!("cannot read {}", path.display());
        let mut file = File::open(path).with_context(context)?;
        let length = file.metadata().with_context(context)?.len();
        if let Some(expected) = self.bytes.filter(|&expected| expected != length) {
            bail!("size must be {expected} bytes, found {length}");
        }
        let (kind, expected, found) = match (&self.sha256, &self.git_blob) {
            (Some(expected), _) => ("sha256", expected, digest(Sha256::new(), &mut file).with_context(context)?),
            // Git names content by the SHA-1 of a short header and the content.
            (None, Some(expected)) => {
                let header = Sha1::new().chain_update(format!("blob {length}\0"));
                ("git blob id", expected, digest(header, &mut file).with_context(context)?)
            }
            (None, None) => bail!("the catalog has no checksum for {}", self.file),
        };
        if *expected != found {
            bail!("{kind} must be {expected}, found {found}");
        }
        Ok(())
    }
}

fn digest(mut hash: impl Digest, from: &mut impl Read) -> std::io::Result<String> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(hex::encode(hash.finalize())),
            read => hash.update(&buffer[..read]),
        }
    }
}
