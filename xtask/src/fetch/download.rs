//! One file over HTTP: goes on where it broke off, tries again, gives up on a stall, shows how far it is.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use ureq::tls::TlsConfig;
use ureq::{Agent, Error};

use super::sources::RawFile;

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For a connection, and for an answer to begin.
    pub(super) connect: Duration,
    /// For the next bytes of a body.
    pub(super) stall: Duration,
    /// Before the second try; doubled before each further one.
    pub(super) pause: Duration,
    /// How many tries without a single new byte.
    pub(super) tries: u32,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(20), stall: seconds(30), pause: seconds(1), tries: 4 }
    }
}

/// Why a download did not succeed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server cannot be reached; another address will not help more.
    Offline(anyhow::Error),
    /// The server said no, or said yes and did not keep it.
    Refused(anyhow::Error),
}

/// Largest file accepted where the catalog does not know the size.
const LARGEST: u64 = 1 << 30;

pub(super) struct Client {
    agent: Agent,
    patience: Patience,
    /// Servers that were out of reach; asked once, not once a file.
    unreachable: RefCell<HashSet<String>>,
}

/// What one request came to.
enum Outcome {
    Whole,
    /// It may go better next time, from where it is now.
    Broken(anyhow::Error),
    Unreachable(anyhow::Error),
    Never(anyhow::Error),
}

impl Client {
    pub(super) fn new(patience: Patience) -> Self {
        Self::trusting(patience, TlsConfig::default())
    }

    /// With certificates other than the public ones.
    pub(super) fn trusting(patience: Patience, tls: TlsConfig) -> Self {
        let config = Agent::config_builder()
            .timeout_connect(Some(patience.connect))
            .timeout_resolve(Some(patience.connect))
            .timeout_recv_response(Some(patience.connect))
            .timeout_per_read(Some(patience.stall))
            .http_status_as_error(false)
            .tls_config(tls)
            .user_agent(concat!("graph-workbench/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: config.into(), patience, unreachable: RefCell::default() }
    }

    /// Brings the whole of `url` into the file `part`, which may hold the beginning of it already.
    pub(super) fn download(&self, url: &str, file: &RawFile, part: &Path) -> Result<(), Failure> {
        let server: String = url.split('/').take(3).collect::<Vec<_>>().join("/");
        if self.unreachable.borrow().contains(&server) {
            return Err(Failure::Offline(anyhow!("not tried: {server} did not answer before")));
        }
        let bar = progress(file);
        let mut idle = 0;
        let mut pause = self.patience.pause;
        loop {
            let before = length(part);
            let outcome = self.attempt(url, file, part, &bar).unwrap_or_else(Outcome::Never);
            let (error, offline) = match outcome {
                Outcome::Whole => {
                    bar.finish_and_clear();
                    println!("  {}: {} bytes from {url}", file.file, length(part));
                    return Ok(());
                }
                Outcome::Never(error) => return Err(Failure::Refused(error)),
                Outcome::Broken(error) => (error, false),
                Outcome::Unreachable(error) => (error, true),
            };
            idle = if length(part) > before { 0 } else { idle + 1 };
            if idle >= self.patience.tries {
                if !offline {
                    return Err(Failure::Refused(error));
                }
                self.unreachable.borrow_mut().insert(server);
                return Err(Failure::Offline(error));
            }
            bar.suspend(|| eprintln!("  {}: {error:#}; trying again", file.file));
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(30));
        }
    }

    fn attempt(&self, url: &str, file: &RawFile, part: &Path, bar: &ProgressBar) -> Result<Outcome> {
        let mut target = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(part)
            .with_context(|| format!("cannot write {}", part.display()))?;
        let mut have = target.metadata()?.len();
        if file.bytes.is_some_and(|bytes| have > bytes) {
            target.set_len(0)?;
            have = 0;
        }
        if have > 0 && file.bytes == Some(have) {
            return Ok(Outcome::Whole);
        }
        let mut request = self.agent.get(url);
        if have > 0 {
            request = request.header("Range", format!("bytes={have}-"));
        }
        let mut response = match request.call() {
            Ok(response) => response,
            Err(error @ (Error::HostNotFound | Error::ConnectionFailed)) => {
                return Ok(Outcome::Unreachable(error.into()));
            }
            // A certificate that is not trusted now will not be in a second.
            Err(Error::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                return Ok(Outcome::Never(anyhow!(error).context("no secure connection")));
            }
            Err(Error::Io(error)) => return Ok(Outcome::Unreachable(error.into())),
            Err(error @ Error::Timeout(_)) => return Ok(Outcome::Broken(error.into())),
            Err(error) => return Ok(Outcome::Never(error.into())),
        };
        match response.status().as_u16() {
            // Only a part that begins where ours ends may be appended.
            206 if have > 0 => {
                let range = response.headers().get("content-range").and_then(|range| range.to_str().ok());
                if !range.is_some_and(|range| range.starts_with(&format!("bytes {have}-"))) {
                    target.set_len(0)?;
                    return Ok(Outcome::Broken(anyhow!("the server sent another range than the one asked for")));
                }
            }
            200 => {
                target.set_len(0)?;
                have = 0;
            }
            416 => {
                target.set_len(0)?;
                return Ok(Outcome::Broken(anyhow!("the server has less than the {have} bytes that are here")));
            }
            status @ (408 | 425 | 429 | 500..=599) => {
                return Ok(Outcome::Broken(anyhow!("the server answered {status}")));
            }
            status => return Ok(Outcome::Never(anyhow!("the server answered {status}"))),
        }
        target.seek(SeekFrom::Start(have))?;
        bar.set_position(have);
        let limit = file.bytes.unwrap_or(LARGEST);
        receive(&mut response.body_mut().as_reader(), &mut target, have, limit, file.bytes, bar)
    }
}

/// Writes the body after the `have` bytes that are there.
fn receive(
    body: &mut impl Read,
    target: &mut File,
    mut have: u64,
    limit: u64,
    expected: Option<u64>,
    bar: &ProgressBar,
) -> Result<Outcome> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) => {
                target.sync_all()?;
                return Ok(Outcome::Broken(anyhow!(error).context(format!("broke off after {have} bytes"))));
            }
        };
        have += read as u64;
        if have > limit {
            target.set_len(0)?;
            return Ok(Outcome::Never(anyhow!("more than the {limit} bytes that it should have")));
        }
        target.write_all(&buffer[..read]).context("cannot write what was downloaded")?;
        bar.set_position(have);
    }
    target.sync_all()?;
    match expected {
        Some(expected) if have < expected => Ok(Outcome::Broken(anyhow!("ended after {have} of {expected} bytes"))),
        _ => Ok(Outcome::Whole),
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// A bar on a terminal, nothing elsewhere; each finished file has its line either way.
fn progress(file: &RawFile) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("  {msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(file.bytes.unwrap_or(0)).with_style(style).with_message(file.file.clone())
}
