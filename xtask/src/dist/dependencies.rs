//! What the program contains: crates, packages of npm in the scripts of the pages, and who needs whom.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{cargo_command, root};

/// Crates that are needed at build time only, but whose data are in the program.
const EMBEDDED: [&str; 2] = ["dejavu", "stop-words"];

/// A crate or a package of npm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    /// The kind of package, as package URLs name it: `cargo` or `npm`.
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX expression.
    pub(super) licence: Option<String>,
    pub(super) repository: Option<String>,
    /// Name of a hash function and the digest of the package, in hexadecimal digits.
    pub(super) digest: Option<(&'static str, String)>,
    /// Folder with its files.
    pub(super) folder: PathBuf,
    /// Names with versions of what it needs itself.
    pub(super) needs: BTreeSet<String>,
}

impl Dependency {
    /// Returns the package URL, which identifies a package everywhere.
    pub(super) fn package_url(&self) -> String {
        // In such a URL, the `@` of a scope is written as its code.
        format!("pkg:{}/{}@{}", self.kind, self.name.replace('@', "%40"), self.version)
    }
}

/// The program and what it contains.
#[derive(Debug)]
pub(super) struct Dependencies {
    /// The crate of the program.
    pub(super) program: Dependency,
    /// Everything else, by name and version.
    pub(super) others: Vec<Dependency>,
}

/// Returns what the program for this platform contains.
pub(super) fn of_program(triple: &str) -> Result<Dependencies> {
    let mut tree = cargo_command()?;
    tree.args(["tree", "--locked", "--package", "textkin-cli", "--features", super::FEATURES])
        .args(["--target", triple, "--edges", "normal,no-proc-macro"])
        .args(["--prefix", "depth", "--format", " {p}"]);
    let needs = parse_tree(&super::output(&mut tree)?)?;
    let mut metadata = cargo_command()?;
    metadata.args(["metadata", "--locked", "--all-features", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&super::output(&mut metadata)?)?;
    let digests = digests(&std::fs::read_to_string(root()?.join("Cargo.lock"))?)?;
    let mut crates = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let text = |field: &str| package[field].as_str().map(str::to_owned);
        let name = text("name").context("a package has no name")?;
        let version = text("version").context("a package has no version")?;
        let id = format!("{name}@{version}");
        let is_embedded = EMBEDDED.contains(&name.as_str());
        let Some(needs) = needs.get(&id).cloned().or(is_embedded.then(BTreeSet::new)) else {
            continue;
        };
        let manifest = PathBuf::from(text("manifest_path").unwrap_or_default());
        crates.push(Dependency {
            kind: "cargo",
            // Older manifests separate alternatives by a slash.
            licence: text("license").map(|licence| licence.replace('/', " OR ")),
            repository: text("repository"),
            digest: digests.get(&id).map(|digest| ("SHA-256", digest.clone())),
            folder: manifest.parent().map(PathBuf::from).unwrap_or_default(),
            name,
            version,
            needs,
        });
    }
    let program = crates.iter().position(|package| package.name == "textkin-cli");
    let program = crates.swap_remove(program.context("the tree does not contain textkin-cli")?);
    crates.extend(of_pages()?);
    crates.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(Dependencies { program, others: crates })
}

/// Parses what `cargo tree --prefix depth` prints: for each crate, what it needs.
fn parse_tree(text: &str) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut path: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let depth: usize = words.next().unwrap_or_default().parse().context("no depth")?;
        let name = words.next().context("a line of the tree has no crate")?;
        let version = words.next().context("a line of the tree has no version")?;
        let id = format!("{name}@{}", version.trim_start_matches('v'));
        path.truncate(depth);
        if let Some(parent) = path.last() {
            needs.entry(parent.clone()).or_default().insert(id.clone());
        }
        needs.entry(id.clone()).or_default();
        path.push(id);
    }
    Ok(needs)
}

/// Returns the digests in a lock file, by name and version.
fn digests(lock: &str) -> Result<BTreeMap<String, String>> {
    let lock: toml::Table = toml::from_str(lock)?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let digest = |package: &toml::Value| {
        let text = |field: &str| package.get(field)?.as_str();
        Some((format!("{}@{}", text("name")?, text("version")?), text("checksum")?.to_owned()))
    };
    Ok(packages.into_iter().flatten().filter_map(digest).collect())
}

/// Returns the packages of npm that the scripts of the pages contain.
fn of_pages() -> Result<Vec<Dependency>> {
    let folder = root()?.join("crates/textkin-web/frontend");
    let lock = std::fs::read_to_string(folder.join("package-lock.json"))?;
    let lock: Value = serde_json::from_str(&lock)?;
    let packages = lock["packages"].as_object().context("the lock file of npm has no packages")?;
    let mut found = Vec::new();
    for (path, package) in packages {
        let Some((_, name)) = path.rsplit_once("node_modules/") else { continue };
        if package["dev"].as_bool().unwrap_or(false) {
            continue;
        }
        let text = |field: &str| package[field].as_str().map(str::to_owned);
        found.push(Dependency {
            kind: "npm",
            name: name.to_owned(),
            version: text("version").context("a package of npm has no version")?,
            licence: text("license"),
            repository: None,
            digest: None,
            folder: folder.join(path),
            needs: BTreeSet::new(),
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_gives_what_each_crate_needs() {
        let text = "0 a v1.0.0 (/x)\n1 b v2.0.0\n2 c v3.0.0\n1 c v3.0.0 (*)\n";
        let needs = parse_tree(text).unwrap();
        assert_eq!(Vec::from_iter(&needs["a@1.0.0"]), ["b@2.0.0", "c@3.0.0"]);
        assert_eq!(Vec::from_iter(&needs["b@2.0.0"]), ["c@3.0.0"]);
        assert!(needs["c@3.0.0"].is_empty());
    }

    #[test]
    fn the_program_contains_crates_scripts_and_typefaces_but_no_build_tools() {
        let found = of_program("x86_64-unknown-linux-gnu").unwrap();
        assert_eq!(found.program.name, "textkin-cli");
        let has = |name: &str| found.others.iter().any(|package| package.name == name);
        for name in ["textkin-core", "zstd-sys", "axum", "sigma", "dejavu", "stop-words"] {
            assert!(has(name), "{name}");
        }
        for name in ["cc", "proptest", "vite", "serde_derive", "xtask", "pyo3"] {
            assert!(!has(name), "{name}");
        }
        let zstd = found.others.iter().find(|package| package.name == "zstd-sys").unwrap();
        assert!(zstd.package_url().starts_with("pkg:cargo/zstd-sys@"));
        assert_eq!(zstd.digest.as_ref().unwrap().1.len(), 64);
    }
}
