//! What the guides quote from source files is there, word for word.

use std::path::Path;

#[test]
fn quotations_of_the_guides_are_in_the_files_that_they_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = std::fs::read_to_string(root.join("docs/extending.md")).expect("docs/extending.md");
    let mut compared = 0;
    for block in guide.split("```rust,ignore\n").skip(1) {
        let (block, _) = block.split_once("```").expect("a block ends");
        let (file, quoted) = block.split_once('\n').expect("a first line");
        let file = file.strip_prefix("// ").expect("the first line names the file");
        let source = std::fs::read_to_string(root.join(file)).expect("the file is there");
        assert!(source.contains(quoted.trim_end()), "{file} has no longer:\n{quoted}");
        compared += 1;
    }
    assert!(compared >= 5, "{compared} quotations");
}
