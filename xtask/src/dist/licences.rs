//! The licences of everything in the program, as one text: each licence once, below the packages that it covers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::dependencies::Dependency;

/// How deep below the folder of a package licences are looked for: those of C libraries are in folders of their own.
const MAX_DEPTH: usize = 3;

const HEAD: &str = "\
textkin contains the packages below. Each section lists packages and the licence that came with them.
The licence of textkin itself is in LICENSE-MIT and LICENSE-APACHE.
";

/// Returns the text for these packages.
pub(super) fn text(packages: &[Dependency]) -> Result<String> {
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for package in packages.iter().filter(|package| !package.name.starts_with("textkin")) {
        let licence = package.licence.as_deref().unwrap_or("no SPDX expression");
        let name = format!("{} {} ({licence})", package.name, package.version);
        let mut files = Vec::new();
        find(&package.folder, MAX_DEPTH, &mut files)
            .with_context(|| format!("cannot read {}", package.folder.display()))?;
        for file in &files {
            let text = String::from_utf8_lossy(&std::fs::read(file)?).replace('\r', "");
            sections.entry(text.trim().to_owned()).or_default().push(name.clone());
        }
        if files.is_empty() {
            let repository = package.repository.as_deref().unwrap_or("no repository");
            without.push(format!("{name}: {repository}"));
        }
    }
    let mut text = HEAD.to_owned();
    if !without.is_empty() {
        write!(text, "\nPackages without a file of their licence:\n\n{}\n", without.join("\n"))?;
    }
    for (licence, mut names) in sections {
        names.dedup();
        write!(text, "\n{}\n\n{}\n\n{licence}\n", "=".repeat(80), names.join("\n"))?;
    }
    Ok(text)
}

/// Finds files with licences in a folder and below it.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if kind.is_dir() && depth > 0 && name != "NODE_MODULES" {
            find(&path, depth - 1, found)?;
        } else if kind.is_file() && is_licence(&name) {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether a file with this name, in capitals, contains a licence or a notice.
fn is_licence(name: &str) -> bool {
    let kinds = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
    let is_code =
        [".RS", ".C", ".H", ".PY", ".JSON", ".HTML"].iter().any(|end| name.ends_with(end));
    !is_code && kinds.iter().any(|kind| name.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn package(name: &str, folder: &Path) -> Dependency {
        Dependency {
            kind: "cargo",
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: Some("MIT".to_owned()),
            repository: None,
            digest: None,
            folder: folder.to_owned(),
            needs: BTreeSet::new(),
        }
    }

    #[test]
    fn each_licence_is_listed_once_with_all_its_packages() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a", "b/c_code", "none"] {
            std::fs::create_dir_all(path(name)).unwrap();
        }
        std::fs::write(path("a/LICENSE-MIT"), "do what you like\n").unwrap();
        std::fs::write(path("b/c_code/COPYING"), "do what you like").unwrap();
        std::fs::write(path("b/license.rs"), "mod license;").unwrap();
        let packages = ["a", "b", "none"].map(|name| package(name, &path(name)));
        let text = text(&packages).unwrap();
        assert_eq!(text.matches("do what you like").count(), 1);
        assert!(text.contains("a 1.0.0 (MIT)\nb 1.0.0 (MIT)\n\ndo what"), "{text}");
        assert!(text.contains("none 1.0.0 (MIT): no repository"), "{text}");
        assert!(!text.contains("mod license"));
    }
}
