//! What happens to records when the disk or another process gets in the way.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use experiments::{Error, Journal, merge, run_plan};

use crate::{nowhere, settings, small_plan};

fn finished(folder: &Path) -> Vec<u8> {
    run_plan(&small_plan(), &nowhere(), folder, &settings(2, 1), &AtomicBool::new(false), |_| {})
        .expect("a finished plan");
    std::fs::read(folder.join("runs.jsonl")).expect("records")
}

#[test]
fn a_torn_last_line_is_cut_off_and_its_run_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = finished(folder.path());
    std::fs::write(folder.path().join("runs.jsonl"), &whole[..whole.len() - 20]).expect("writable");
    {
        let journal = Journal::open(folder.path()).expect("readable");
        assert!(journal.was_torn());
        assert_eq!(journal.records().len(), 7);
    }
    let again = finished(folder.path());
    assert_eq!(again.iter().filter(|&&byte| byte == b'\n').count(), 8);
}

#[test]
fn a_damaged_line_is_named_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = finished(folder.path());
    bytes[0] = b'!';
    let path = folder.path().join("runs.jsonl");
    std::fs::write(&path, &bytes).expect("writable");
    let error = Journal::open(folder.path()).expect_err("line 1 is damaged");
    assert!(matches!(error, Error::Record { line: 1, .. }), "{error}");
    assert!(error.to_string().contains("runs.jsonl, line 1"), "{error}");
    assert_eq!(std::fs::read(path).expect("still there"), bytes);
}

#[test]
fn a_record_that_is_not_the_run_it_says_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = String::from_utf8(finished(folder.path())).expect("text");
    let other = text.replacen("\"hidden\":16", "\"hidden\":17", 1);
    assert_ne!(text, other);
    std::fs::write(folder.path().join("runs.jsonl"), other).expect("writable");
    assert!(matches!(Journal::open(folder.path()), Err(Error::RecordIdentity { line: 1, .. })));
}

#[test]
fn an_accuracy_that_cannot_be_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = String::from_utf8(finished(folder.path())).expect("text");
    let other = text.replacen("\"test_accuracy\":0", "\"test_accuracy\":7", 1);
    assert_ne!(text, other);
    std::fs::write(folder.path().join("runs.jsonl"), other).expect("writable");
    assert!(matches!(Journal::open(folder.path()), Err(Error::RecordRange { line: 1, .. })));
}

#[test]
fn an_unknown_key_in_a_record_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = String::from_utf8(finished(folder.path())).expect("text");
    text = text.replacen("{\"id\"", "{\"surprise\":1,\"id\"", 1);
    std::fs::write(folder.path().join("runs.jsonl"), text).expect("writable");
    assert!(matches!(Journal::open(folder.path()), Err(Error::Record { line: 1, .. })));
}

#[test]
fn a_second_process_on_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let _held = Journal::open(folder.path()).expect("free");
    assert!(matches!(Journal::open(folder.path()), Err(Error::Busy { .. })));
}

#[test]
fn a_file_in_the_way_of_the_folder_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("taken");
    std::fs::File::create(&path).expect("writable").write_all(b"x").expect("writable");
    let error = Journal::open(&path).expect_err("a file is no folder");
    assert!(error.to_string().contains("taken"), "{error}");
}

#[test]
fn folders_that_contradict_each_other_leave_no_target() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, other, into] = ["one", "other", "into"].map(|name| folder.path().join(name));
    let text = String::from_utf8(finished(&one)).expect("text");
    std::fs::create_dir(&other).expect("writable");
    let changed = text.replacen("\"kept_epoch\":", "\"kept_epoch\":1", 1);
    std::fs::write(other.join("runs.jsonl"), changed).expect("writable");
    let error = merge(&[one.clone(), other], &into).expect_err("two results");
    assert!(matches!(error, Error::Differs { .. }), "{error}");
    assert!(!into.exists());
    assert_eq!(merge(&[one], &into).expect("merged").total, 8);
}

/// A file system of one's own, unmounted when dropped; `None` where this user may not mount.
struct Mount(tempfile::TempDir);

impl Mount {
    fn new(options: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(folder.path()).output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        eprintln!("skipped: this user may not mount a tmpfs");
        None
    }

    fn remount(&self, options: &str) {
        let done = Command::new("mount").args(["-o", options]).arg(self.0.path()).status();
        assert!(done.is_ok_and(|status| status.success()));
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_loses_nothing_that_was_finished() {
    let Some(mount) = Mount::new("size=1m") else { return };
    let folder = mount.0.path();
    let whole = finished(folder);
    let ballast = folder.join("ballast");
    // Fill what is left, so that the next record does not fit.
    let _ = std::fs::write(&ballast, vec![1u8; 2 << 20]);
    let mut plan = small_plan();
    plan.repeats = 40;
    let outcome = run_plan(&plan, &nowhere(), folder, &settings(2, 1), &AtomicBool::new(false), |_| {});
    let error = outcome.expect_err("no room");
    assert!(matches!(error, Error::File { action: "cannot append to", .. }), "{error}");
    let kept = std::fs::read(folder.join("runs.jsonl")).expect("records");
    assert!(kept.starts_with(&whole) && kept.ends_with(b"\n"));
    std::fs::remove_file(ballast).expect("removable");
    plan.repeats = 3;
    let records =
        run_plan(&plan, &nowhere(), folder, &settings(2, 1), &AtomicBool::new(false), |_| {}).expect("room again");
    assert_eq!(records.len(), 3 * 4);
}

#[test]
fn a_read_only_folder_is_named() {
    let Some(mount) = Mount::new("size=1m") else { return };
    mount.remount("remount,ro");
    let error = Journal::open(&mount.0.path().join("out")).expect_err("read-only");
    assert!(matches!(error, Error::File { action: "cannot create", .. }), "{error}");
    assert!(error.to_string().ends_with("/out"), "{error}");
}
