//! Budgets: exact sums, no overspending by threads, refusals or crashes, and reports that are paid for.

use std::fs;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use chacha20::rand_core::Rng;
use ldp_core::accountant::{
    Accountant, Budget, Entry, Journal, JournalFile, Loss, advanced, parallel, sequential, zero_concentrated,
};
use ldp_core::{
    Bounds, Delta, Deployment, Epsilon, Error, Memo, MultiBitEncoder, OneBit, PublicCoin, RandomizedResponse,
    Randomizer, Raw, Report, SampleSize, Wire, disclosure,
};

use crate::golden::near;
use crate::statistics::rng;

fn epsilon(nats: f64) -> Epsilon {
    Epsilon::new(nats).unwrap()
}

fn pure(nats: f64) -> Loss {
    Loss { epsilon: epsilon(nats), delta: None }
}

#[test]
fn ten_tenths_and_eleven_elevenths() {
    for (parts, part, whole) in [(10, 0.1, 1.0), (11, 1.0 / 11.0, 0.99999999), (3, 0.1, 0.3)] {
        let mut budget = Budget::new(1, epsilon(whole), None);
        for _ in 0..parts {
            assert!(budget.reserve(pure(part)).is_ok());
        }
        let before = (budget.spent_nano(), budget.left_nano());
        assert!(matches!(budget.reserve(pure(part)), Err(Error::Overspend { .. })));
        assert!(matches!(budget.reserve(pure(1e6)), Err(Error::Overspend { .. })));
        assert_eq!(before, (budget.spent_nano(), budget.left_nano()), "a refusal changes nothing");
    }
    let mut budget = Budget::new(1, epsilon(1.0), Some(Delta::new(1e-5).unwrap()));
    let loss = |delta| Loss { epsilon: epsilon(0.1), delta: Some(Delta::new(delta).unwrap()) };
    assert!(budget.reserve(loss(1e-5)).is_ok());
    assert!(budget.reserve(loss(1e-9)).is_err());
    assert_eq!(budget.spent_nano(), 100_000_000);
    assert!(Budget::new(1, epsilon(1.0), None).reserve(loss(1e-9)).is_err());
}

#[test]
fn composition() {
    let losses = [pure(0.5), pure(1.0), Loss { epsilon: epsilon(0.25), delta: Some(Delta::new(0.25).unwrap()) }];
    assert_eq!(sequential(&losses), (1_750_000_000, 1 << 61));
    assert_eq!(parallel(&losses), (1_000_000_000, 1 << 61));
    // papers.md 11.13: ten releases of ε = 1 at δ = 1e-6.
    let delta = Delta::new(1e-6).unwrap();
    near(advanced(epsilon(1.0), 10, delta), 33.8, 1e-3);
    near(zero_concentrated(epsilon(1.0), 10, delta), 21.6, 2e-3);
}

/// 64 threads, one account: exactly ⌊B/ε⌋ grants.
#[test]
fn threads_cannot_overspend() {
    let accountant = Accountant::in_memory(epsilon(10.0), None);
    let granted = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                for _ in 0..50 {
                    if accountant.reserve(7, pure(0.03)).is_ok() {
                        granted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(granted.into_inner(), 333);
    assert_eq!(accountant.spent_nano(7), 333 * 30_000_000);
    assert_eq!(accountant.spent_nano(8), 0);
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The file as a crash at any byte would leave it: after opening, no less is charged than was granted.
#[test]
fn crash_at_every_byte() {
    let folder = folder();
    let path = folder.path().join("charges");
    let accountant = Accountant::open(&path, epsilon(1.0), None).unwrap();
    for user in [1, 2, 1, 1] {
        let _granted = accountant.reserve(user, pure(0.25)).unwrap();
    }
    assert!(Accountant::open(&path, epsilon(1.0), None).is_err(), "a second accountant on the same file");
    drop(accountant);
    let whole = fs::read(&path).unwrap();
    assert_eq!(whole.len(), 4 * 32);
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let accountant = Accountant::open(&path, epsilon(1.0), None).unwrap();
        // A grant happens after its 32 bytes are on the disk, so this many may have been released.
        let released = [1, 2, 1, 1].into_iter().take(length / 32);
        for user in [1, 2] {
            let charged = accountant.spent_nano(user);
            assert_eq!(charged, released.clone().filter(|&u| u == user).count() as u64 * 250_000_000);
        }
        // What was torn is cut off: the journal goes on and opens again.
        let _granted = accountant.reserve(2, pure(0.5)).unwrap();
        drop(accountant);
        assert_eq!(fs::metadata(&path).unwrap().len() as usize, (length / 32 + 1) * 32);
        assert!(Accountant::open(&path, epsilon(1.0), None).unwrap().spent_nano(2) >= 500_000_000);
    }
}

#[test]
fn damage_in_the_middle_is_refused() {
    let folder = folder();
    let path = folder.path().join("charges");
    let accountant = Accountant::open(&path, epsilon(1.0), None).unwrap();
    for _ in 0..3 {
        let _granted = accountant.reserve(1, pure(0.1)).unwrap();
    }
    drop(accountant);
    let good = fs::read(&path).unwrap();
    for at in 0..64 {
        let mut bad = good.clone();
        bad[at] ^= 4;
        fs::write(&path, &bad).unwrap();
        assert!(matches!(JournalFile::open(&path), Err(Error::Storage { .. })), "byte {at}");
        assert_eq!(fs::read(&path).unwrap(), bad, "a refused file is left alone");
    }
    assert!(Accountant::open(folder.path(), epsilon(1.0), None).is_err());
    assert!(Accountant::open(&folder.path().join("no/such/folder"), epsilon(1.0), None).is_err());
}

/// A journal that fails at the n-th charge: that one is not granted, the account is unchanged.
#[test]
fn no_grant_without_a_record() {
    struct Failing(u32);
    impl Journal for Failing {
        fn append(&mut self, _: Entry) -> Result<(), Error> {
            self.0 -= 1;
            if self.0 == 0 {
                return Err(Error::Storage { path: "disk".into(), what: "full".into() });
            }
            Ok(())
        }
    }
    let accountant = Accountant::with_journal(epsilon(1.0), None, Failing(3), []);
    assert!(accountant.reserve(1, pure(0.1)).is_ok());
    assert!(accountant.reserve(1, pure(0.1)).is_ok());
    assert!(matches!(accountant.reserve(1, pure(0.1)), Err(Error::Storage { .. })));
    assert_eq!(accountant.spent_nano(1), 200_000_000);
}

/// Real processes, really killed: the child reserves and writes a byte for every release; afterwards no more was
/// released than is charged.
#[test]
fn killed_processes_never_release_unpaid() {
    if let Ok(path) = std::env::var("LDP_CORE_CHARGES") {
        let path = std::path::PathBuf::from(path);
        let accountant = Accountant::open(&path, epsilon(1e6), None).unwrap();
        let mut released = fs::OpenOptions::new().append(true).create(true).open(path.with_extension("out")).unwrap();
        loop {
            let _granted = accountant.reserve(1, pure(0.001)).unwrap();
            released.write_all(b"x").unwrap();
        }
    }
    let folder = folder();
    let path = folder.path().join("charges");
    for round in 0..6 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "accounting::killed_processes_never_release_unpaid", "--nocapture"])
            .env("LDP_CORE_CHARGES", &path)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let out = path.with_extension("out");
        let length = || fs::metadata(&out).map_or(0, |m| m.len());
        let before = length();
        for _ in 0..1000 {
            if length() > before + 3 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::thread::sleep(std::time::Duration::from_micros(371 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let released = length();
        let charged = Accountant::open(&path, epsilon(1e6), None).unwrap().spent_nano(1) / 1_000_000;
        assert!(released > before, "the child released something");
        assert!(released <= charged, "{released} released, {charged} charged");
    }
}

#[test]
fn only_a_permit_makes_a_report() {
    let mechanism = OneBit::new(epsilon(1.0), Bounds::UNIT).unwrap();
    let mut budget = Budget::new(9, epsilon(1.5), None);
    let mut rng = rng(71);
    let permit = budget.reserve(Loss::of(&mechanism)).unwrap();
    let report = Report::release(&mechanism, permit, Raw::new(&0.5), &mut rng).unwrap();
    assert_eq!((report.user(), report.fingerprint()), (9, mechanism.fingerprint()));
    assert_eq!(mechanism.decode(&report.encode(&mechanism)).as_ref(), Ok(report.payload()));
    // What is left pays for a smaller report only.
    let permit = budget.reserve(pure(0.5)).unwrap();
    let refused = Report::release(&mechanism, permit, Raw::new(&0.5), &mut rng);
    assert!(matches!(refused, Err(Error::Permit { needed: 1_000_000_000, granted: 500_000_000 })));
    // Nor does the same ε without δ pay for a mechanism that spends δ.
    let (delta, whole) = (Delta::new(1e-6).unwrap(), ldp_core::gaussian::Sensitivity::WholeRow);
    let gaussian = ldp_core::GridGaussian::new(epsilon(0.5), delta, 1, Bounds::UNIT, whole).unwrap();
    let permit = Budget::new(9, epsilon(0.5), None).reserve(pure(0.5)).unwrap();
    let refused = Report::release(&gaussian, permit, Raw::new(&[0.5][..]), &mut rng);
    assert!(matches!(refused, Err(Error::Permit { .. })));
    let permit = Budget::new(9, epsilon(0.5), Some(delta)).reserve(Loss::of(&gaussian)).unwrap();
    assert!(Report::release(&gaussian, permit, Raw::new(&[0.5][..]), &mut rng).is_ok());
    assert!(!format!("{:?}", Raw::new(&0.123)).contains("123"));
    assert!(!format!("{:?}", ldp_core::Error::Permit { needed: 1, granted: 0 }).is_empty());
}

#[test]
fn a_memo_replays() {
    let mechanism = RandomizedResponse::new(epsilon(1.0), 50).unwrap();
    let mut memo = Memo::default();
    let mut rng = rng(72);
    let first = *memo.get_or_release((1, "city", 7), || mechanism.randomize(&7, &mut rng)).unwrap();
    for _ in 0..20 {
        let word = rng.next_u64();
        let again = memo.get_or_release((1, "city", 7), || Err(Error::Category { categories: word as u32 })).unwrap();
        assert_eq!(*again, first);
    }
    assert!(memo.get_or_release((1, "city", 8), || Err(Error::Category { categories: 0 })).is_err());
    assert_eq!((memo.len(), memo.is_empty()), (1, false));
}

#[test]
fn public_coin() {
    let encoder = MultiBitEncoder::new(epsilon(5.0), 200, Bounds::UNIT, SampleSize::Optimal).unwrap();
    let coin = PublicCoin::new(99);
    let mut rng = rng(73);
    let mut seen = vec![0_u64; 200];
    for user in 0..20_000 {
        let report = coin.randomize(&encoder, user, &[0.5; 200], &mut rng).unwrap();
        assert!(coin.accepts(&encoder, user, &report));
        report.indices().iter().for_each(|&i| seen[i as usize] += 1);
    }
    crate::statistics::assert_law(&seen, &[1.0 / 200.0; 200], "public indices");
    let report = coin.randomize(&encoder, 1, &[0.5; 200], &mut rng).unwrap();
    assert!(!coin.accepts(&encoder, 2, &report) && !PublicCoin::new(98).accepts(&encoder, 1, &report));
}

#[test]
fn disclosure_names_everything() {
    let deployment = Deployment {
        unit: "one user's age; any age in its place".into(),
        reports_per_day: 1,
        reports_per_lifetime: 4,
        repeated_values: "the first report is replayed".into(),
        generator: "ChaCha12, seeded by the operating system".into(),
        not_protected: "who takes part".into(),
        contact: "privacy@example.org".into(),
    };
    let mechanism = OneBit::new(epsilon(0.5), Bounds::UNIT).unwrap();
    let text = disclosure(&mechanism, deployment).to_string();
    for part in
        ["OneBit", "epsilon a report: 0.5", "for life: 2 ", "any age", "privacy@example.org", "11 bytes", "who takes"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}
