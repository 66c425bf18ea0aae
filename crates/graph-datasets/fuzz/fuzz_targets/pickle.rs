//! Any bytes as one of Planetoid's pickles, the others being what upstream would write for four nodes.
//!
//! The first byte says which file the rest stands for.
#![no_main]

use std::sync::OnceLock;

use graph_datasets::{Card, card, read_public};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const PARTS: [&str; 5] = ["graph", "allx", "ally", "x", "test.index"];

fn setting() -> &'static (Card, TempDir) {
    static SETTING: OnceLock<(Card, TempDir)> = OnceLock::new();
    SETTING.get_or_init(|| {
        let mut card = card("cora").expect("a card").clone();
        (card.name, card.nodes, card.features, card.classes) = ("fuzz".to_owned(), 4, 3, 2);
        (card, tempfile::tempdir_in("/dev/shm").expect("a folder"))
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&part, bytes)) = bytes.split_first() else { return };
    let (card, folder) = setting();
    let part = PARTS[usize::from(part) % PARTS.len()];
    for (name, good) in seeds() {
        let content = if *name == part { bytes } else { good.as_slice() };
        std::fs::write(folder.path().join(format!("ind.fuzz.{name}")), content).expect("a file");
    }
    let _ = read_public(card, folder.path());
});

/// Good files for four nodes, two of them in `allx`.
fn seeds() -> &'static [(&'static str, Vec<u8>)] {
    static SEEDS: OnceLock<Vec<(&str, Vec<u8>)>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        vec![
            ("x", csr(1)),
            ("allx", csr(2)),
            ("tx", csr(2)),
            ("ally", one_hot(2)),
            ("ty", one_hot(2)),
            ("test.index", b"3\n2\n".to_vec()),
            ("graph", b"\x80\x02}(K\0](K\x01K\x03eK\x01](K\0eK\x02](K\x03eK\x03](K\x02eu.".to_vec()),
        ]
    })
}

fn array(code: &str, shape: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R(K\x01(".to_vec();
    shape.iter().for_each(|&axis| bytes.extend([b'K', axis]));
    bytes.extend(b"tcnumpy\ndtype\nU\x02");
    bytes.extend(code.as_bytes());
    bytes.extend(b"K\0K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89T");
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    bytes.extend(b"tb");
    bytes
}

fn i32s(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn csr(rows: u8) -> Vec<u8> {
    let starts: Vec<i32> = (0..=i32::from(rows)).collect();
    let ones: Vec<u8> = (0..rows).flat_map(|_| 1f32.to_le_bytes()).collect();
    let mut bytes = b"\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\x06_shape".to_vec();
    bytes.extend([b'K', rows, b'K', 3, 0x86]);
    bytes.extend(b"U\x06indptr");
    bytes.extend(array("i4", &[rows + 1], &i32s(&starts)));
    bytes.extend(b"U\x07indices");
    bytes.extend(array("i4", &[rows], &i32s(&starts[..rows as usize])));
    bytes.extend(b"U\x04data");
    bytes.extend(array("f4", &[rows], &ones));
    bytes.extend(b"ub.");
    bytes
}

fn one_hot(rows: u8) -> Vec<u8> {
    let values: Vec<i32> = (0..i32::from(rows)).flat_map(|row| [1 - row % 2, row % 2]).collect();
    let mut bytes = b"\x80\x02".to_vec();
    bytes.extend(array("i4", &[rows, 2], &i32s(&values)));
    bytes.push(b'.');
    bytes
}
