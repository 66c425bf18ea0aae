//! Any bytes as one of the files of a MUSAE data set of four nodes; the first byte says which.
#![no_main]

use std::sync::OnceLock;

use graph_datasets::{Card, card, read_public};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const FILES: [(&str, &str); 3] = [
    ("musae_facebook_edges.csv", "id_1,id_2\n0,1\n1,0\n2,3\n3,3\n1,2\n"),
    (
        "musae_facebook_target.csv",
        "id,facebook_id,page_name,page_type\n3,1,\"a, b\",company\n0,2,x,tvshow\n1,3,y,politician\n2,4,z,government\n",
    ),
    ("musae_facebook_features.json", r#"{"2": [4, 0, 4], "0": [], "3": [1]}"#),
];

fn setting() -> &'static (Card, TempDir) {
    static SETTING: OnceLock<(Card, TempDir)> = OnceLock::new();
    SETTING.get_or_init(|| {
        let mut card = card("facebook").expect("a card").clone();
        (card.nodes, card.features) = (4, 5);
        (card, tempfile::tempdir_in("/dev/shm").expect("a folder"))
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&which, bytes)) = bytes.split_first() else { return };
    let (card, folder) = setting();
    for (at, (name, good)) in FILES.iter().enumerate() {
        let content = if at == usize::from(which) % FILES.len() { bytes } else { good.as_bytes() };
        std::fs::write(folder.path().join(name), content).expect("a file");
    }
    let _ = read_public(card, folder.path());
});
