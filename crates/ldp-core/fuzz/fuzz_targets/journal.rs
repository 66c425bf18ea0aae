//! Any bytes in the accountant's file: refused and left alone, or opened with charges that a second opening sees too.
#![no_main]

use ldp_core::accountant::{Journal, JournalFile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let path = std::env::temp_dir().join(format!("ldp-core-fuzz-{}", std::process::id()));
    std::fs::write(&path, data).expect("the folder for temporary files");
    match JournalFile::open(&path) {
        Err(_) => assert_eq!(std::fs::read(&path).expect("still there"), data),
        Ok((mut journal, entries)) => {
            if let Some(&entry) = entries.first() {
                journal.append(entry).expect("room");
            }
            drop(journal);
            let (_, again) = JournalFile::open(&path).expect("opened before");
            let appended = usize::from(!entries.is_empty());
            assert_eq!((&again[..entries.len()], again.len()), (&entries[..], entries.len() + appended));
        }
    }
});
