//! `cargo xtask dist manifests FOLDER`: fills the templates for package managers with the version and the checksums of
//! the release files in a folder, and writes them to `FOLDER/manifests`.
//!
//! In a template, `{{version}}` and `{{date}}` are those of the release, and `{{sha256 NAME}}` is the checksum of a file
//! whose name may contain `{{version}}`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::archive::CHECKSUMS;
use crate::{root, version};

/// Folders of `packaging` with templates.
const FOLDERS: [&str; 3] = ["conda", "homebrew", "winget"];

/// Fills all templates.
pub(super) fn fill(folder: &Path) -> Result<()> {
    let list = folder.join(CHECKSUMS);
    let list = std::fs::read_to_string(&list)
        .with_context(|| format!("cannot read {}", list.display()))?;
    let values = Values {
        version: version::current()?,
        date: version::date()?.context("CHANGELOG.md has no date for this version")?,
        checksums: checksums(&list),
    };
    for name in FOLDERS {
        let target = folder.join("manifests").join(name);
        std::fs::create_dir_all(&target)?;
        for entry in std::fs::read_dir(root()?.join("packaging").join(name))? {
            let path = entry?.path();
            let template = std::fs::read_to_string(&path)?;
            let filled = values.fill(&template);
            let filled = filled.with_context(|| format!("in {}", path.display()))?;
            let file = target.join(path.file_name().context("a template has no name")?);
            std::fs::write(&file, filled)?;
            println!("{}", file.display());
        }
    }
    Ok(())
}

/// Parses a list of checksums: for each name, the digits.
fn checksums(list: &str) -> BTreeMap<String, String> {
    let parse = |line: &str| {
        let (digits, name) = line.split_once("  ")?;
        Some((name.trim().to_owned(), digits.to_owned()))
    };
    list.lines().filter_map(parse).collect()
}

/// What templates contain.
struct Values {
    version: String,
    date: String,
    checksums: BTreeMap<String, String>,
}

impl Values {
    fn fill(&self, template: &str) -> Result<String> {
        let template = template.replace("{{version}}", &self.version);
        let mut text = template.replace("{{date}}", &self.date);
        while let Some((before, rest)) = text.split_once("{{sha256 ") {
            let (name, after) = rest.split_once("}}").context("{{sha256 has no end")?;
            let digits = self.checksums.get(name).with_context(|| {
                format!("{CHECKSUMS} does not list {name}; build it and update the list")
            })?;
            text = format!("{before}{digits}{after}");
        }
        // Expressions of conda and of GitHub have a `$` or spaces.
        if let Some((_, rest)) = text.split_once("{{").filter(|(_, rest)| !rest.starts_with(' ')) {
            bail!("unknown value: {{{{{}", rest.lines().next().unwrap_or_default());
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values {
        Values {
            version: "1.2.3".to_owned(),
            date: "2026-11-19".to_owned(),
            checksums: checksums("00ff  textkin-1.2.3.tar.gz\n"),
        }
    }

    #[test]
    fn version_date_and_checksums_are_filled_in() {
        let template = "v{{version}} {{date}} {{sha256 textkin-{{version}}.tar.gz}}";
        assert_eq!(values().fill(template).unwrap(), "v1.2.3 2026-11-19 00ff");
        let error = values().fill("{{sha256 other.zip}}").unwrap_err().to_string();
        assert!(error.contains("other.zip"), "{error}");
        assert!(values().fill("{{checksum}}").is_err());
    }

    /// Every file that the templates name is one that `cargo xtask dist` or the release job builds.
    #[test]
    fn templates_name_files_of_a_release() {
        let suffixes = [
            "-aarch64-apple-darwin.tar.gz",
            "-aarch64-unknown-linux-gnu.tar.gz",
            "-source.tar.gz",
            "-x86_64-apple-darwin.tar.gz",
            "-x86_64-pc-windows-msvc.zip",
            "-x86_64-unknown-linux-gnu.tar.gz",
        ];
        let all = suffixes.map(|suffix| (format!("textkin-1.2.3{suffix}"), "00".repeat(32)));
        let values = Values { checksums: BTreeMap::from(all), ..values() };
        for folder in FOLDERS {
            let mut n_templates = 0;
            for entry in std::fs::read_dir(root().unwrap().join("packaging").join(folder)).unwrap()
            {
                let path = entry.unwrap().path();
                let template = std::fs::read_to_string(&path).unwrap();
                let filled = values.fill(&template).unwrap();
                assert!(filled.contains("1.2.3"), "{} names no version", path.display());
                n_templates += 1;
            }
            assert!(n_templates > 0, "{folder}");
        }
    }
}
