//! The archive: the program with manual pages, completions and licences, as `.tar.gz` (for Windows as `.zip`), and the
//! checksums of all files of a release.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

use super::{Release, dependencies, licences, target};
use crate::root;

/// Shells, and the names of their completion files.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "textkin.bash"),
    ("elvish", "textkin.elv"),
    ("fish", "textkin.fish"),
    ("powershell", "textkin.ps1"),
    ("zsh", "_textkin"),
];
/// Files of the repository that are in the archive.
const PAGES: [&str; 4] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// Name of the list of checksums.
pub(super) const CHECKSUMS: &str = "SHA256SUMS";

/// Writes manual pages, completions and licences to the folder from which archive and package take them.
pub(super) fn stage(release: &Release) -> Result<()> {
    let folder = stage_folder()?;
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let completions = folder.join("completions");
    std::fs::create_dir_all(&completions)?;
    let program = release.program()?;
    super::output(Command::new(&program).args(["man", "--out"]).arg(folder.join("man")))?;
    for (shell, name) in SHELLS {
        let script = super::output(Command::new(&program).args(["completions", shell]))?;
        std::fs::write(completions.join(name), script)?;
    }
    let found = dependencies::of_program(&release.platform.triple)?;
    std::fs::write(folder.join("THIRD-PARTY.txt"), licences::text(&found.others)?)?;
    Ok(())
}

/// Builds the archive.
pub(super) fn archive(release: &Release) -> Result<()> {
    let name = format!("textkin-{}-{}", release.version, release.platform.triple);
    let mut entries = vec![Entry::program(release.program()?)?];
    for page in PAGES {
        entries.push(Entry::file(root()?.join(page), page.to_owned()));
    }
    let stage = stage_folder()?;
    entries.push(Entry::file(stage.join("THIRD-PARTY.txt"), "THIRD-PARTY.txt".to_owned()));
    for folder in ["completions", "man"] {
        for entry in std::fs::read_dir(stage.join(folder))? {
            let entry = entry?;
            let file = entry.file_name().to_string_lossy().into_owned();
            entries.push(Entry::file(entry.path(), format!("{folder}/{file}")));
        }
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let is_zip = release.platform.is_windows();
    let path = release.folder.join(format!("{name}.{}", if is_zip { "zip" } else { "tar.gz" }));
    match is_zip {
        true => write_zip(&path, &name, &entries)?,
        false => write_tar(&path, &name, &entries, commit_seconds()?)?,
    }
    println!("{}: {:.1} MB", path.display(), std::fs::metadata(&path)?.len() as f64 / 1e6);
    Ok(())
}

/// Lists the checksums of all files of a release, in the form that `sha256sum --check` reads.
pub(super) fn checksums(folder: &Path) -> Result<()> {
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && name != CHECKSUMS {
            lines.push(format!("{}  {name}\n", digest(&entry.path())?));
        }
    }
    // In the order of the names, which begin at the same column.
    lines.sort_by(|a, b| a[64..].cmp(&b[64..]));
    std::fs::write(folder.join(CHECKSUMS), lines.concat())?;
    print!("{}", lines.concat());
    Ok(())
}

/// Returns the SHA-256 of a file, in hexadecimal digits.
pub(super) fn digest(path: &Path) -> Result<String> {
    let mut digest = Sha256::new();
    std::io::copy(&mut File::open(path)?, &mut digest)
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the folder of [`stage`]; `[package.metadata.deb]` names it too.
fn stage_folder() -> Result<PathBuf> {
    Ok(target()?.join("dist-stage"))
}

/// A file in an archive.
struct Entry {
    path: PathBuf,
    name: String,
    is_program: bool,
}

impl Entry {
    fn file(path: PathBuf, name: String) -> Self {
        Self { path, name, is_program: false }
    }

    fn program(path: PathBuf) -> Result<Self> {
        let name = path.file_name().context("the program has no name")?.to_string_lossy();
        Ok(Self { name: name.into_owned(), path, is_program: true })
    }
}

/// Writes the same bytes for the same files, on every machine and at any time.
fn write_tar(path: &Path, root: &str, entries: &[Entry], seconds: u64) -> Result<()> {
    let compressed = GzEncoder::new(File::create(path)?, Compression::best());
    let mut archive = tar::Builder::new(compressed);
    for Entry { path, name, is_program } in entries {
        let bytes = std::fs::read(path)?;
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(if *is_program { 0o755 } else { 0o644 });
        header.set_mtime(seconds);
        archive.append_data(&mut header, format!("{root}/{name}"), bytes.as_slice())?;
    }
    archive.into_inner()?.finish()?;
    Ok(())
}

fn write_zip(path: &Path, root: &str, entries: &[Entry]) -> Result<()> {
    let mut archive = zip::ZipWriter::new(File::create(path)?);
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(9));
    for Entry { path, name, is_program } in entries {
        let mode = if *is_program { 0o755 } else { 0o644 };
        archive.start_file(format!("{root}/{name}"), options.unix_permissions(mode))?;
        archive.write_all(&std::fs::read(path)?)?;
    }
    archive.finish()?;
    Ok(())
}

/// Returns the time of the commit, in seconds.
fn commit_seconds() -> Result<u64> {
    let mut log = Command::new("git");
    log.args(["log", "-1", "--format=%ct"]).current_dir(root()?);
    super::output(&mut log)?.trim().parse().context("git reports no time of the commit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_the_same_bytes_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("textkin"), "program").unwrap();
        let entries = [Entry::program(path("textkin")).unwrap()];
        for name in ["a.tar.gz", "b.tar.gz"] {
            write_tar(&path(name), "textkin-1", &entries, 1_000_000_000).unwrap();
        }
        assert_eq!(digest(&path("a.tar.gz")).unwrap(), digest(&path("b.tar.gz")).unwrap());
        let file = flate2::read::GzDecoder::new(File::open(path("a.tar.gz")).unwrap());
        let mut archive = tar::Archive::new(file);
        let entry = archive.entries().unwrap().next().unwrap().unwrap();
        assert_eq!(entry.path().unwrap().to_str(), Some("textkin-1/textkin"));
        assert_eq!(entry.header().mode().unwrap(), 0o755);
    }

    #[test]
    fn a_zip_archive_contains_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("textkin.exe"), "program").unwrap();
        let entries = [Entry::program(path("textkin.exe")).unwrap()];
        write_zip(&path("a.zip"), "textkin-1", &entries).unwrap();
        let mut archive = zip::ZipArchive::new(File::open(path("a.zip")).unwrap()).unwrap();
        assert_eq!(archive.len(), 1);
        assert!(archive.by_name("textkin-1/textkin.exe").unwrap().is_file());
    }

    #[test]
    fn checksums_are_those_of_sha256sum() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("b"), "abc").unwrap();
        std::fs::write(folder.path().join("a"), "").unwrap();
        checksums(folder.path()).unwrap();
        let list = std::fs::read_to_string(folder.path().join(CHECKSUMS)).unwrap();
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n\
                        ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n";
        assert_eq!(list, expected);
    }
}
