//! The list of a collection: which releases of which packages, and where their pages lie. It is kept in
//! `xtask/corpora`; what it names is not.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The ordinary client of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Client {
    /// Source distributions of the Python package index.
    Pip,
    /// Packages of the Debian that this machine runs.
    Apt,
}

/// A collection to be built.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    /// What it is.
    pub(crate) note: String,
    /// Who fetches the packages.
    pub(crate) client: Client,
    /// What the names of pages end with.
    pub(crate) endings: Vec<String>,
    /// What is documented.
    pub(crate) projects: Vec<Project>,
}

/// Something with documentation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    /// Its name.
    pub(crate) name: String,
    /// The folders of its pages; an empty name is all.
    pub(crate) folders: Vec<String>,
    /// Folders among them that are left out.
    #[serde(default)]
    pub(crate) without: Vec<String>,
    /// What the names of its pages end with, if that is not as with the others.
    #[serde(default)]
    pub(crate) endings: Vec<String>,
    /// Its releases, from old to new.
    pub(crate) releases: Vec<Release>,
}

/// A release that is pinned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Release {
    /// The name of the package.
    pub(crate) package: String,
    /// The version.
    #[serde(default)]
    pub(crate) version: String,
    /// The file that the registry serves.
    #[serde(default)]
    pub(crate) file: String,
    /// Its SHA-256, in small hexadecimal digits.
    #[serde(default)]
    pub(crate) sha256: String,
}

impl List {
    /// Reads a list.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let list: Self = toml::from_str(text)?;
        ensure!(!list.projects.is_empty(), "it names no project");
        for release in list.releases() {
            let is_name = |name: &str| {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-._~%".contains(c);
                name.chars().all(is_plain) && !name.starts_with(['-', '.'])
            };
            let Release { package, file, sha256, version } = release;
            ensure!(!package.is_empty() && is_name(package), "'{package}' names no package");
            ensure!(is_name(file), "'{file}' names no file");
            ensure!(
                !version.starts_with('-') && !version.contains(' '),
                "'{version}' is no version"
            );
            let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            let is_hash = sha256.len() == 64 && sha256.chars().all(is_digit);
            ensure!(is_hash || sha256.is_empty(), "the checksum of {package} {version} is none");
        }
        Ok(list)
    }

    /// All releases, in order.
    pub(crate) fn releases(&self) -> impl Iterator<Item = &Release> {
        self.projects.iter().flat_map(|project| &project.releases)
    }

    /// The list as it is kept.
    pub(crate) fn write(&self, name: &str) -> Result<String> {
        let client = match self.client {
            Client::Pip => "pip",
            Client::Apt => "apt",
        };
        let mut text = format!(
            "# Releases whose documentation makes the collection `{name}`. `cargo xtask corpus {name} --update` rewrites\n\
             # this list with what the registry serves now.\n\n\
             note = {:?}\nclient = \"{client}\"\nendings = {:?}\n",
            self.note, self.endings
        );
        for project in &self.projects {
            // Writing to a string does not fail.
            _ = write!(
                text,
                "\n[[projects]]\nname = {:?}\nfolders = {:?}\n",
                project.name, project.folders
            );
            if !project.without.is_empty() {
                _ = writeln!(text, "without = {:?}", project.without);
            }
            if !project.endings.is_empty() {
                _ = writeln!(text, "endings = {:?}", project.endings);
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
            Self::parse(&text).context("the list cannot be read again")? == *self,
            "the list changed"
        );
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::LISTS;

    #[test]
    fn the_lists_are_pinned_and_kept_as_they_are_written() {
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
    fn what_names_no_package_is_refused() {
        let with = |release: &str| {
            List::parse(&format!(
                "note = \"\"\nclient = \"pip\"\nendings = []\n[[projects]]\nname = \"x\"\nfolders = []\nreleases = [{release}]"
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
