//! Killed in the middle, started again: the final summary is that of an undisturbed run.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::small_plan;

fn start(plan: &Path, out: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_reproduce"))
        .args(["--jobs", "1", "--spec"])
        .arg(plan)
        .arg("--out")
        .arg(out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn finished_runs(out: &Path) -> usize {
    let text = std::fs::read(out.join("runs.jsonl")).unwrap_or_default();
    text.iter().filter(|&&byte| byte == b'\n').count()
}

#[test]
fn kill_and_go_on_gives_the_summary_of_an_undisturbed_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = small_plan();
    plan.repeats = 3;
    plan.arms.iter_mut().for_each(|arm| arm.spec.training.epochs = 150);
    let file = folder.path().join("plan.toml");
    std::fs::write(&file, plan.to_toml().expect("a plan")).expect("writable");

    let undisturbed = folder.path().join("undisturbed");
    assert!(start(&file, &undisturbed).wait().expect("a child").success());

    let killed = folder.path().join("killed");
    let mut child = start(&file, &killed);
    let began = Instant::now();
    while finished_runs(&killed) < 4 && began.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("SIGKILL");
    assert!(!child.wait().expect("a child").success());
    let before = finished_runs(&killed);
    assert!((4..12).contains(&before), "{before} of 12 runs were finished when the process was killed");
    assert!(!killed.join("summary.md").exists());

    assert!(start(&file, &killed).wait().expect("a child").success());
    assert_eq!(finished_runs(&killed), 12);
    for name in ["summary.md", "summary.csv"] {
        let read = |folder: &Path| std::fs::read_to_string(folder.join(name)).expect("a summary");
        assert_eq!(read(&killed), read(&undisturbed), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_between_epochs_and_keeps_what_is_finished() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = small_plan();
    plan.arms.iter_mut().for_each(|arm| arm.spec.training.epochs = 1_000_000);
    plan.arms[0].spec.training.epochs = 5;
    let file = folder.path().join("plan.toml");
    std::fs::write(&file, plan.to_toml().expect("a plan")).expect("writable");
    let out = folder.path().join("out");
    let mut child = start(&file, &out);
    let began = Instant::now();
    while finished_runs(&out) < 1 && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let status = child.wait().expect("a child");
    assert_eq!(status.code(), Some(130));
    assert_eq!(finished_runs(&out), 1);
}
