//! The downloader against a server that misbehaves in every way that matters.

mod tls;

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sha2::{Digest, Sha256};

use super::download::{Client, Patience};
use super::sources::{DataSet, RawFile};
use super::{fetch, lock, sources};

/// How the server answers one request.
#[derive(Clone, Copy)]
enum Answer {
    /// As it should; ranges are honoured.
    Good,
    /// Announces everything, sends this many bytes, closes.
    Cut(usize),
    /// Announces nothing, sends this many bytes, closes: only the size of the catalog can tell.
    CutSilently(usize),
    /// One byte is another.
    WrongByte,
    /// Sends everything whatever range was asked for.
    NoRanges,
    /// Says that the part begins where it does not.
    WrongRange,
    /// Sends this many bytes, then nothing, and keeps the connection open.
    Stall(usize),
    /// Sends more than the file has.
    TooMuch,
    Status(u16),
    /// To the same file under another name.
    Redirect,
    /// To itself, without end.
    Loop,
}

/// Path and range of a request.
type Request = (String, Option<String>);

/// A server on this machine. Answers in the order given, then always well.
struct Server {
    address: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

fn content() -> Vec<u8> {
    (0..200_000u32).flat_map(|number| number.to_le_bytes()).collect()
}

fn serve(answers: &[Answer]) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (log, mut answers) = (Arc::clone(&seen), VecDeque::from(answers.to_vec()));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (path, range) = request(&stream);
            log.lock().unwrap().push((path.clone(), range.clone()));
            let answer = answers.pop_front().unwrap_or(Answer::Good);
            thread::spawn(move || respond(stream, answer, &path, range.as_deref()));
        }
    });
    Server { address, seen }
}

fn request(stream: impl Read) -> Request {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_owned();
    let range = lines.take_while(|line| !line.is_empty()).find_map(|line| {
        let line = line.to_ascii_lowercase();
        line.strip_prefix("range: bytes=").map(|range| range.trim_end_matches('-').to_owned())
    });
    (path, range)
}

/// Write errors are the client's hanging up, which is what some of the tests are about.
fn respond(mut stream: impl Write, answer: Answer, path: &str, range: Option<&str>) {
    let mut body = content();
    let start: usize = range.and_then(|range| range.parse().ok()).unwrap_or(0);
    let total = body.len();
    let ranged = range.is_some() && !matches!(answer, Answer::NoRanges);
    if ranged {
        body.drain(..start.min(total));
    }
    let begins = if matches!(answer, Answer::WrongRange) { start + 1 } else { start };
    let mut head = match answer {
        Answer::Status(status) => format!("HTTP/1.1 {status} No\r\n"),
        Answer::Redirect => format!("HTTP/1.1 302 Found\r\nLocation: {path}.moved\r\n"),
        Answer::Loop => format!("HTTP/1.1 302 Found\r\nLocation: {path}\r\n"),
        _ if ranged => format!("HTTP/1.1 206 Partial\r\nContent-Range: bytes {begins}-{}/{total}\r\n", total - 1),
        _ => "HTTP/1.1 200 OK\r\n".to_owned(),
    };
    if matches!(answer, Answer::Status(_) | Answer::Redirect | Answer::Loop) {
        body.clear();
    }
    if matches!(answer, Answer::TooMuch) {
        body.push(0);
    }
    if matches!(answer, Answer::WrongByte) {
        body[1000] ^= 1;
    }
    if !matches!(answer, Answer::CutSilently(_)) {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes());
    if let Answer::Cut(sent) | Answer::CutSilently(sent) | Answer::Stall(sent) = answer {
        body.truncate(sent);
    }
    let _ = stream.write_all(&body);
    let _ = stream.flush();
    if matches!(answer, Answer::Stall(_)) {
        thread::sleep(Duration::from_secs(20));
    }
}

/// One data set of one file, at these addresses.
fn data_set(urls: Vec<String>) -> DataSet {
    let raw = RawFile {
        file: "file.bin".to_owned(),
        bytes: Some(content().len() as u64),
        sha256: Some(hex::encode(Sha256::digest(content()))),
        git_blob: None,
        optional: false,
        urls,
    };
    DataSet { name: "small".to_owned(), raw: vec![raw] }
}

fn client() -> Client {
    let milliseconds = Duration::from_millis;
    Client::new(Patience { connect: milliseconds(2000), stall: milliseconds(300), pause: milliseconds(5), tries: 2 })
}

/// Stands for the import: notes that the raw file was whole when it began.
fn import(_: &str, raw: &Path, folder: &Path) -> Result<()> {
    if fs::read(raw.join("file.bin"))? != content() {
        bail!("imported a file that is not whole");
    }
    Ok(fs::write(folder.join("graph.npz"), "imported")?)
}

/// Names of the files below the folder that count for anything.
fn left(to: &Path) -> Vec<String> {
    let mut names: Vec<String> = [to.join("small"), to.join("small/raw")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "raw" && name != ".lock")
        .collect();
    names.sort();
    names
}

/// Fetches from a server that answers like this, on top of `part` bytes from an earlier run.
///
/// Returns the outcome, the files left, the requests.
fn run(answers: &[Answer], part: &[u8]) -> (Result<()>, Vec<String>, Vec<Request>) {
    let (server, to) = (serve(answers), tempfile::tempdir().unwrap());
    let data_set = data_set(vec![format!("{}/file.bin", server.address)]);
    if !part.is_empty() {
        fs::create_dir_all(to.path().join("small/raw")).unwrap();
        fs::write(to.path().join("small/raw/file.bin.part"), part).unwrap();
    }
    let outcome = fetch(&data_set, None, to.path(), &client(), &import);
    let seen = server.seen.lock().unwrap().clone();
    (outcome, left(to.path()), seen)
}

fn good(answers: &[Answer], part: &[u8]) -> Vec<Option<String>> {
    let (outcome, left, seen) = run(answers, part);
    outcome.unwrap();
    assert_eq!(left, ["file.bin", "graph.npz"]);
    seen.into_iter().map(|(_, range)| range).collect()
}

fn bad(answers: &[Answer], part: &[u8], expected_left: &[&str]) {
    let (outcome, left, _) = run(answers, part);
    let error = format!("{:#}", outcome.unwrap_err());
    assert!(error.contains("file.bin") && error.contains("by hand"), "{error}");
    assert_eq!(left, expected_left);
}

#[test]
fn a_whole_file_arrives_and_is_imported() {
    assert_eq!(good(&[], b""), [None]);
}

#[test]
fn a_truncated_body_is_resumed_where_it_ended() {
    assert_eq!(good(&[Answer::Cut(100_000)], b""), [None, Some("100000".to_owned())]);
    assert_eq!(good(&[Answer::CutSilently(70_000)], b""), [None, Some("70000".to_owned())]);
    // It breaks off again and again, but each time there is more: never given up.
    let ranges = good(&[Answer::Cut(100), Answer::Cut(100), Answer::Cut(100), Answer::Cut(100)], b"");
    assert_eq!(ranges.len(), 5);
    assert_eq!(ranges[4].as_deref(), Some("400"));
}

#[test]
fn a_body_that_never_gets_longer_is_given_up_and_kept_as_a_part() {
    let cut = [Answer::Cut(100), Answer::Cut(0), Answer::Cut(0), Answer::Cut(0)];
    bad(&cut, b"", &["file.bin.part"]);
}

#[test]
fn an_earlier_run_is_gone_on_from() {
    let half = &content()[..400_000];
    assert_eq!(good(&[], half), [Some("400000".to_owned())]);
    // The whole was there and only the renaming was missing: nothing is asked for.
    assert_eq!(good(&[], &content()), [None; 0]);
}

#[test]
fn an_earlier_run_that_was_something_else_is_noticed() {
    let mut other = content()[..400_000].to_vec();
    other[7] ^= 1;
    // Resumed, wrong as a whole, thrown away; the next run is good.
    bad(&[], &other, &[]);
    let mut longer = content();
    longer.push(1);
    assert_eq!(good(&[], &longer), [None]);
}

#[test]
fn servers_that_do_not_know_ranges_start_anew() {
    assert_eq!(good(&[Answer::NoRanges], &content()[..1000]), [Some("1000".to_owned())]);
    assert_eq!(good(&[Answer::WrongRange], &content()[..1000]), [Some("1000".to_owned()), None]);
    assert_eq!(good(&[Answer::Status(416)], &content()[..1000]), [Some("1000".to_owned()), None]);
}

#[test]
fn a_wrong_byte_leaves_nothing() {
    bad(&[Answer::WrongByte], b"", &[]);
}

#[test]
fn more_than_it_should_be_leaves_nothing() {
    bad(&[Answer::TooMuch], b"", &[]);
}

#[test]
fn status_404_is_not_asked_again_and_503_is() {
    let (outcome, left, seen) = run(&[Answer::Status(404); 5], b"");
    assert!(outcome.is_err());
    assert_eq!((seen.len(), left), (1, Vec::new()));
    assert_eq!(good(&[Answer::Status(503)], b"").len(), 2);
}

#[test]
fn a_stall_ends_and_is_resumed() {
    let start = Instant::now();
    assert_eq!(good(&[Answer::Stall(50_000)], b""), [None, Some("50000".to_owned())]);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn redirects_are_followed_but_not_for_ever() {
    let (outcome, left, seen) = run(&[Answer::Redirect], b"");
    outcome.unwrap();
    assert_eq!(left, ["file.bin", "graph.npz"]);
    assert_eq!(seen[1].0, "/file.bin.moved");
    let (outcome, _, seen) = run(&[Answer::Loop; 100], b"");
    assert!(outcome.is_err());
    assert!(seen.len() < 30, "{}", seen.len());
}

#[test]
fn a_redirected_resume_keeps_its_range() {
    let (outcome, _, seen) = run(&[Answer::Redirect], &content()[..1000]);
    outcome.unwrap();
    assert_eq!(seen[1].1.as_deref(), Some("1000"));
}

#[test]
fn the_second_address_is_tried_when_the_first_fails() {
    let (first, second) = (serve(&[Answer::Status(404)]), serve(&[]));
    let to = tempfile::tempdir().unwrap();
    let urls = vec![format!("{}/a", first.address), format!("{}/b", second.address)];
    fetch(&data_set(urls), None, to.path(), &client(), &import).unwrap();
    assert_eq!(left(to.path()), ["file.bin", "graph.npz"]);
}

#[test]
fn out_of_reach_says_what_to_put_where() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let to = tempfile::tempdir().unwrap();
    let url = format!("http://127.0.0.1:{port}/file.bin");
    let mut data_set = data_set(vec![url.clone()]);
    let mut more = data_set.raw[0].clone();
    more.file = "more.bin".to_owned();
    data_set.raw.push(more);
    let client = client();
    let error = fetch(&data_set, None, to.path(), &client, &import).unwrap_err();
    assert_eq!(left(to.path()), [""; 0]);
    // The second file of a server that is out of reach is not waited for.
    let second = client.download(&url, &data_set.raw[1], &to.path().join("small/raw/more.bin.part")).unwrap_err();
    assert!(format!("{second:?}").contains("not tried"), "{second:?}");
    let text = format!("{error:#}");
    let raw = to.path().join("small/raw").display().to_string();
    for part in [url.as_str(), raw.as_str(), "by hand", "--from", "cargo xtask fetch small"] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

#[test]
fn files_that_are_there_are_checked_and_used() {
    let to = tempfile::tempdir().unwrap();
    let raw = to.path().join("small/raw");
    fs::create_dir_all(&raw).unwrap();
    fs::write(raw.join("file.bin"), content()).unwrap();
    let server = serve(&[]);
    let data_set = data_set(vec![format!("{}/file.bin", server.address)]);
    fetch(&data_set, None, to.path(), &client(), &import).unwrap();
    assert_eq!(server.seen.lock().unwrap().len(), 0);
    fs::write(raw.join("file.bin"), b"spoiled").unwrap();
    fetch(&data_set, None, to.path(), &client(), &import).unwrap();
    assert_eq!(fs::read(raw.join("file.bin")).unwrap(), content());
}

#[test]
fn a_mirror_is_a_folder_or_an_address() {
    let mirror = tempfile::tempdir().unwrap();
    let below: PathBuf = mirror.path().join("small/raw");
    fs::create_dir_all(&below).unwrap();
    fs::write(below.join("file.bin"), content()).unwrap();
    let to = tempfile::tempdir().unwrap();
    let from = mirror.path().display().to_string();
    fetch(&data_set(Vec::new()), Some(&from), to.path(), &client(), &import).unwrap();
    assert_eq!(left(to.path()), ["file.bin", "graph.npz"]);

    fs::write(below.join("file.bin"), b"spoiled").unwrap();
    let to = tempfile::tempdir().unwrap();
    fetch(&data_set(Vec::new()), Some(&from), to.path(), &client(), &import).unwrap_err();
    assert_eq!(left(to.path()), [""; 0]);

    let (server, to) = (serve(&[]), tempfile::tempdir().unwrap());
    fetch(&data_set(Vec::new()), Some(&format!("{}/", server.address)), to.path(), &client(), &import).unwrap();
    assert_eq!(server.seen.lock().unwrap()[0].0, "/small/raw/file.bin");
}

#[test]
fn a_missing_optional_file_does_not_stop_the_import() {
    let server = serve(&[Answer::Good, Answer::Status(404)]);
    let mut data_set = data_set(vec![format!("{}/file.bin", server.address)]);
    let mut more = data_set.raw[0].clone();
    (more.file, more.optional) = ("more.bin".to_owned(), true);
    data_set.raw.push(more);
    let to = tempfile::tempdir().unwrap();
    fetch(&data_set, None, to.path(), &client(), &import).unwrap();
    assert!(left(to.path()).contains(&"graph.npz".to_owned()));
}

#[test]
fn git_blob_ids_are_those_of_git() {
    // `printf 'hello\n' | git hash-object --stdin`
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "hello\n").unwrap();
    let mut file = data_set(Vec::new()).raw.remove(0);
    (file.bytes, file.sha256) = (None, None);
    file.git_blob = Some("ce013625030ba8dba906f756967f9e9ca394464a".to_owned());
    file.check(&path).unwrap();
    fs::write(&path, "hallo\n").unwrap();
    file.check(&path).unwrap_err();
    file.git_blob = None;
    assert!(file.check(&path).unwrap_err().to_string().contains("no checksum"));
}

#[test]
fn two_fetches_of_one_data_set_do_not_mix() {
    let to = tempfile::tempdir().unwrap();
    fs::create_dir_all(to.path().join("small")).unwrap();
    let _held = lock(&to.path().join("small")).unwrap();
    let error = fetch(&data_set(Vec::new()), None, to.path(), &client(), &import).unwrap_err();
    assert!(error.to_string().contains("another fetch"), "{error}");
}

#[test]
fn names_are_those_of_the_catalog() {
    let catalog = sources::read(&crate::process::root().join("data/datasets.toml")).unwrap();
    let choose = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        sources::choose(&catalog, &names).map(|sets| sets.iter().map(|set| set.name.clone()).collect::<Vec<_>>())
    };
    assert_eq!(choose(&["all"]).unwrap().len(), 7);
    assert_eq!(choose(&["pubmed", "cora"]).unwrap(), ["cora", "pubmed"]);
    assert!(choose(&["korra"]).unwrap_err().to_string().contains("cora"));
    choose(&[]).unwrap_err();
}
