//! The list of a collection in `xtask/corpora`: which releases of which packages, and where their pages are.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// Package manager that downloads releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PackageManager {
    /// Source distributions of the Python package index.
    Pip,
    /// Packages of the Debian that this machine runs.
    Apt,
}

/// A collection to be built.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    /// Description.
    pub(crate) note: String,
    /// Package manager that downloads the releases.
    pub(crate) client: PackageManager,
    /// Extensions of pages.
    pub(crate) extensions: Vec<String>,
    /// Projects.
    pub(crate) projects: Vec<Project>,
}

/// A project with documentation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    /// Its name.
    pub(crate) name: String,
    /// Folders with its pages; an empty name means all.
    pub(crate) folders: Vec<String>,
    /// Folders to exclude.
    #[serde(default)]
    pub(crate) exclude: Vec<String>,
    /// Extensions of its pages, if they differ from those of the list.
    #[serde(default)]
    pub(crate) extensions: Vec<String>,
    /// Its releases, from old to new.
    pub(crate) releases: Vec<Release>,
}

/// A pinned release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Release {
    /// The name of the package.
    pub(crate) package: String,
    /// The version.
    #[serde(default)]
    pub(crate) version: String,
    /// Name of the file.
    #[serde(default)]
    pub(crate) file: String,
    /// SHA-256 of the file in lower-case hexadecimal digits.
    #[serde(default)]
    pub(crate) sha256: String,
}

impl List {
    /// Reads a list.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let list: Self = toml::from_str(text)?;
        ensure!(!list.projects.is_empty(), "the list has no project");
        for release in list.releases() {
            let is_name = |name: &str| {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-._~%".contains(c);
                name.chars().all(is_plain) && !name.starts_with(['-', '.'])
            };
            let Release { package, file, sha256, version } = release;
            ensure!(!package.is_empty() && is_name(package), "'{package}' is not a package name");
            ensure!(is_name(file), "'{file}' is not a file name");
            ensure!(
                !version.starts_with('-') && !version.contains(' '),
                "'{version}' is not a version"
            );
            let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            let is_hash = sha256.len() == 64 && sha256.chars().all(is_digit);
            ensure!(
                is_hash || sha256.is_empty(),
                "the checksum of {package} {version} is not a SHA-256"
            );
        }
        Ok(list)
    }

    /// Returns all releases, in order.
    pub(crate) fn releases(&self) -> impl Iterator<Item = &Release> {
        self.projects.iter().flat_map(|project| &project.releases)
    }

    /// Formats the list for its file.
    pub(crate) fn write(&self, name: &str) -> Result<String> {
        let client = match self.client {
            PackageManager::Pip => "pip",
            PackageManager::Apt => "apt",
        };
        let mut text = format!(
            "# Releases whose documentation makes up the collection `{name}`.\n\
             # `cargo xtask corpus {name} --update` pins current releases.\n\n\
             note = {:?}\nclient = \"{client}\"\nextensions = {:?}\n",
            self.note, self.extensions
        );
        for project in &self.projects {
            // Writing to a string does not fail.
            _ = write!(
                text,
                "\n[[projects]]\nname = {:?}\nfolders = {:?}\n",
                project.name, project.folders
            );
            if !project.exclude.is_empty() {
                _ = writeln!(text, "exclude = {:?}", project.exclude);
            }
            if !project.extensions.is_empty() {
                _ = writeln!(text, "extensions = {:?}", project.extensions);
            }
            _ = writeln!(text, "releases = [");
            for Release { package, version, file, sha256 } in &project.releases {
                _ = writeln!(
                    text,
                    "    {{ package = {package:?}, version = {version:?}, file = {file:?},\n      sha256 = {sha256:?} }},"
                );
            }
            _ = writeln!(text, "]");
        }
        ensure!(
            Self::parse(&text).context("cannot parse the written list")? == *self,
            "the written list differs"
        );
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::LISTS;

    #[test]
    fn the_lists_are_pinned_and_formatted() {
        for (name, text) in LISTS {
            let list = List::parse(text).unwrap();
            assert_eq!(
                list.write(name).unwrap(),
                text,
                "{name}: cargo xtask corpus {name} --update"
            );
            for release in list.releases() {
                assert!(!release.sha256.is_empty() && !release.file.is_empty(), "{release:?}");
            }
            let mut names: Vec<&str> =
                list.projects.iter().map(|project| project.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), list.projects.len(), "{name}: every project once");
        }
    }

    #[test]
    fn invalid_releases_are_rejected() {
        let with = |release: &str| {
            List::parse(&format!(
                "note = \"\"\nclient = \"pip\"\nextensions = []\n[[projects]]\nname = \"x\"\nfolders = []\nreleases = [{release}]"
            ))
        };
        with("{ package = \"x\", version = \"1\" }").unwrap();
        for wrong in [
            "{ package = \"\" }",
            "{ package = \"-r\" }",
            "{ package = \"x\", file = \"../x\" }",
            "{ package = \"x\", file = \"/x\" }",
            "{ package = \"x\", version = \"--pre\" }",
            "{ package = \"x\", sha256 = \"12\" }",
            "{ package = \"x\", more = 1 }",
        ] {
            assert!(with(wrong).is_err(), "{wrong}");
        }
    }
}
