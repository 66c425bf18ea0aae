//! A defence that can read the attacker is no defence: nothing in the crate but `lib.rs` names the module `attack`.

use std::fs;
use std::path::Path;

#[test]
fn nothing_imports_the_attacker() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut read = 0;
    for entry in fs::read_dir(&source).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() || path.file_name().is_some_and(|name| name == "lib.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let found = code.filter(|line| line.contains("attack")).collect::<Vec<_>>();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
        read += 1;
    }
    assert!(read > 20);
}
