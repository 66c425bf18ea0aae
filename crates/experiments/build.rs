//! Notes the compiler's version, for the records.

fn main() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = std::process::Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=COMPILER_VERSION={}", version.trim());
    println!("cargo::rerun-if-changed=build.rs");
}
