//! Who may import whom, as a table over `cargo metadata`. `docs/architecture.md` shows the same table.

use anyhow::{Context, Result, bail};

use crate::process::cargo;

/// One crate's permitted imports of our own crates, and third-party crates that only it may name.
struct Layer {
    package: &'static str,
    imports: &'static [&'static str],
    tests_also: &'static [&'static str],
    keeps: &'static [&'static str],
}

const LAYERS: [Layer; 9] = [
    Layer { package: "ldp-core", imports: &[], tests_also: &[], keeps: &[] },
    Layer { package: "graph-denoise", imports: &[], tests_also: &[], keeps: &[] },
    Layer {
        package: "veritas-defense",
        imports: &["ldp-core", "graph-denoise"],
        tests_also: &["graph-datasets"],
        keeps: &[],
    },
    Layer {
        package: "gnn-models",
        imports: &["graph-denoise"],
        tests_also: &["graph-datasets"],
        keeps: &["burn", "burn-cubecl", "cubecl"],
    },
    Layer { package: "graph-datasets", imports: &["graph-denoise"], tests_also: &[], keeps: &["zip"] },
    Layer {
        package: "experiments",
        imports: &["ldp-core", "graph-denoise", "veritas-defense", "gnn-models", "graph-datasets"],
        tests_also: &[],
        keeps: &[],
    },
    Layer { package: "examples", imports: &["experiments"], tests_also: &["experiments"], keeps: &[] },
    Layer {
        package: "benches",
        imports: &["ldp-core", "graph-denoise", "veritas-defense", "gnn-models", "graph-datasets"],
        tests_also: &["ldp-core", "graph-denoise", "veritas-defense", "gnn-models", "graph-datasets"],
        keeps: &["criterion"],
    },
    Layer { package: "xtask", imports: &[], tests_also: &[], keeps: &[] },
];

/// The table as Markdown.
pub(crate) fn table() -> String {
    let list = |names: &[&str]| if names.is_empty() { "–".to_owned() } else { names.join(", ") };
    let mut text =
        String::from("| crate | may import | tests may also import | keeps to itself |\n|---|---|---|---|\n");
    for layer in &LAYERS {
        let more: Vec<_> = layer.tests_also.iter().filter(|name| !layer.imports.contains(name)).copied().collect();
        text += &format!("| {} | {} | {} | {} |\n", layer.package, list(layer.imports), list(&more), list(layer.keeps));
    }
    text
}

/// Fails on the first import that the table does not permit, and on a crate that the table does not know.
pub(crate) fn check() -> Result<()> {
    let output = cargo().args(["metadata", "--format-version", "1", "--no-deps"]).output()?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let faults = faults(&metadata);
    if !faults.is_empty() {
        bail!("layers:\n  {}", faults.join("\n  "));
    }
    eprintln!("✔ layers: {} crates import only what the table permits", LAYERS.len());
    Ok(())
}

fn faults(metadata: &serde_json::Value) -> Vec<String> {
    let mut faults = Vec::new();
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ours: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(layer) = LAYERS.iter().find(|layer| layer.package == name) else {
            faults.push(format!("{name} is not in the table of layers"));
            continue;
        };
        for dependency in package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let imported = dependency["name"].as_str().unwrap_or_default();
            let in_tests = dependency["kind"] == "dev";
            let permitted = layer.imports.contains(&imported) || (in_tests && layer.tests_also.contains(&imported));
            if ours.contains(&imported) && !permitted {
                faults.push(format!("{name} must not import {imported}"));
            }
            if let Some(owner) = LAYERS.iter().find(|owner| owner.keeps.contains(&imported))
                && owner.package != name
            {
                faults.push(format!("{name} must not name {imported}: {} keeps it to itself", owner.package));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::faults;

    fn metadata(package: &str, dependency: &str, kind: Option<&str>) -> serde_json::Value {
        json!({ "packages": [
            { "name": package, "dependencies": [{ "name": dependency, "kind": kind }] },
            { "name": "graph-datasets", "dependencies": [] },
        ]})
    }

    #[test]
    fn an_upward_import_is_a_fault() {
        assert_eq!(faults(&metadata("gnn-models", "graph-datasets", None)).len(), 1);
        assert!(faults(&metadata("gnn-models", "graph-datasets", Some("dev"))).is_empty());
    }

    #[test]
    fn burn_and_unknown_crates_are_faults() {
        assert_eq!(faults(&metadata("experiments", "burn", None)).len(), 1);
        assert_eq!(faults(&metadata("graph-utils", "rayon", None)).len(), 1);
    }
}
