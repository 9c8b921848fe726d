//! Checks that each crate compiles without its features, with each of them alone, and with the default ones.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{cargo, cargo_command};

/// Checks all features of the workspace.
pub(crate) fn check() -> Result<()> {
    for (package, features) in packages()? {
        let check = ["check", "--quiet", "--locked", "--package", &package];
        println!("{package} without features");
        cargo(&[&check[..], &["--no-default-features"]].concat())?;
        for feature in &features {
            println!("{package} with {feature}");
            cargo(&[&check[..], &["--no-default-features", "--features", feature]].concat())?;
        }
    }
    Ok(())
}

/// Returns the crates with features, and the features of each.
fn packages() -> Result<Vec<(String, Vec<String>)>> {
    let metadata = ["metadata", "--no-deps", "--locked", "--format-version", "1"];
    let output = cargo_command()?.args(metadata).output()?;
    ensure!(output.status.success(), "cargo metadata failed");
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let features_of = |package: &Value| -> Option<(String, Vec<String>)> {
        let features: Vec<String> = package["features"].as_object()?.keys().cloned().collect();
        let name = package["name"].as_str()?.to_owned();
        (!features.is_empty()).then_some((name, features))
    };
    Ok(packages.iter().filter_map(features_of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_with_features_are_found() {
        let packages = packages().unwrap();
        let of = |name: &str| packages.iter().find(|(found, _)| found == name);
        let (_, command) = of("textkin-cli").unwrap();
        assert!(["server", "client", "lab"].iter().all(|name| command.iter().any(|f| f == name)));
        assert!(of("textkin-graph").is_none());
    }
}
