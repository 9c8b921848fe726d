//! Downloads a release with the package manager of its registry, and checks that it is the pinned one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

use super::list::{PackageManager, Release};

/// Number of parallel downloads; package managers mostly wait for the network.
const MAX_PARALLEL: usize = 4;

/// Calls `each` with every release, several in parallel, and returns the results in order.
pub(crate) fn all<T: Send>(
    releases: &[&Release],
    each: impl Fn(&Release) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(release) = releases.get(number) else { return results };
            results.push((number, each(release)));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            eprintln!("{done}/{} {} {}", releases.len(), release.package, release.version);
        }
    };
    let mut results = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..MAX_PARALLEL).map(|_| scope.spawn(work)).collect();
        let finished = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
        finished.flat_map(Result::unwrap_or_default).collect::<Vec<_>>()
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Returns the file of a release in `folder`; downloads it unless it exists with the right checksum.
pub(crate) fn fetch(client: PackageManager, release: &Release, folder: &Path) -> Result<PathBuf> {
    let path = folder.join(&release.file);
    if path.is_file() && sha256(&path)? == release.sha256 {
        return Ok(path);
    }
    let fetched = download(client, &release.package, &release.version, folder)?;
    ensure!(
        fetched.release.sha256 == release.sha256,
        "{} differs from the pinned file: SHA-256 is {}, expected {}",
        fetched.release.file,
        fetched.release.sha256,
        release.sha256
    );
    fetched.keep(&path)?;
    Ok(path)
}

/// Returns the release that is available now: the same version from pip, which keeps all, the newest from apt, which
/// does not.
pub(crate) fn renew(client: PackageManager, release: &Release, folder: &Path) -> Result<Release> {
    let path = folder.join(&release.file);
    if client == PackageManager::Pip && path.is_file() && sha256(&path)? == release.sha256 {
        return Ok(release.clone());
    }
    let version = if client == PackageManager::Pip { &release.version } else { "" };
    let fetched = download(client, &release.package, version, folder)?;
    let renewed = fetched.release.clone();
    fetched.keep(&folder.join(&renewed.file))?;
    Ok(renewed)
}

/// A downloaded file in a temporary folder, until it is kept.
struct Download {
    release: Release,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Download {
    fn keep(&self, path: &Path) -> Result<()> {
        std::fs::rename(&self.path, path)
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Downloads a version of a package, or the newest if `version` is empty.
fn download(
    client: PackageManager,
    package: &str,
    version: &str,
    folder: &Path,
) -> Result<Download> {
    let temporary = tempfile::Builder::new().prefix(".part-").tempdir_in(folder)?;
    let mut command = match client {
        PackageManager::Pip => {
            let mut pip = Command::new("python3");
            pip.args([
                "-m",
                "pip",
                "download",
                "--disable-pip-version-check",
                "--no-input",
                "--quiet",
            ]);
            pip.args(["--no-deps", "--no-binary", package, "--dest", "."]);
            pip.arg(with_version(package, "==", version));
            pip
        }
        PackageManager::Apt => {
            let mut apt = Command::new("apt-get");
            apt.args(["download", "--quiet", "--quiet"]).arg(with_version(package, "=", version));
            apt
        }
    };
    let output = command
        .current_dir(temporary.path())
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let begins = |starts: &'static [&'static str]| {
            stderr
                .lines()
                .rfind(move |line| starts.iter().any(|start| line.trim_start().starts_with(start)))
        };
        let reason = begins(&["E:", "ERROR:"]).or_else(|| begins(&["error:"]));
        let reason = reason.map_or("no reason given", str::trim);
        match client {
            PackageManager::Pip => bail!(
                "pip cannot download {package} {version} (is the Python package index reachable?): {reason}"
            ),
            PackageManager::Apt => bail!(
                "apt-get cannot download {package} {version}: {reason}\nDebian offers current versions only: run \
                 `apt-get update`; if the version is no longer available, pin current ones with --update"
            ),
        }
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(temporary.path())? {
        files.push(entry?.path());
    }
    let [path] = files.as_slice() else {
        bail!("{package} {version}: expected one file, got {}", files.len());
    };
    let file = path
        .file_name()
        .and_then(|name| name.to_str())
        .context("the name of the downloaded file is not valid UTF-8")?;
    let version = match client {
        PackageManager::Pip => version.to_owned(),
        PackageManager::Apt => debian_version(file)
            .with_context(|| format!("{file} is not the name of a Debian package"))?,
    };
    let sha256 = sha256(path)?;
    let release = Release { package: package.to_owned(), version, file: file.to_owned(), sha256 };
    Ok(Download { release, path: path.clone(), _folder: temporary })
}

fn with_version(package: &str, sign: &str, version: &str) -> String {
    if version.is_empty() { package.to_owned() } else { format!("{package}{sign}{version}") }
}

/// Returns the version in the name of a file: `NAME_VERSION_ARCHITECTURE.deb`.
fn debian_version(file: &str) -> Option<String> {
    let mut parts = file.strip_suffix(".deb")?.split('_');
    let (Some(_), Some(version), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    Some(version.replace("%3a", ":"))
}

/// Returns the SHA-256 of a file in hexadecimal digits.
fn sha256(path: &Path) -> Result<String> {
    let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut hasher = Sha256::new();
    std::io::copy(&mut file, &mut hasher)?;
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_names() {
        let version = debian_version("git-doc_1%3a2.39.5-0+deb12u3_all.deb");
        assert_eq!(version.as_deref(), Some("1:2.39.5-0+deb12u3"));
        for wrong in ["git-doc.deb", "a_b_c.tar", "a_b_c_d.deb"] {
            assert_eq!(debian_version(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn results_are_in_order() {
        let releases: Vec<Release> = (0..20)
            .map(|number| Release { package: number.to_string(), ..Release::default() })
            .collect();
        let results = all(&releases.iter().collect::<Vec<_>>(), |release| {
            ensure!(release.package != "7", "not seven");
            Ok(release.package.clone())
        });
        for (number, result) in results.iter().enumerate() {
            assert_eq!(result.as_ref().ok(), (number != 7).then(|| number.to_string()).as_ref());
        }
        assert_eq!(results.len(), 20);
    }

    #[test]
    fn existing_files_are_not_downloaded_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x-1.tar.gz"), "abc").unwrap();
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
        let release =
            Release { package: "x".into(), version: "1".into(), file: "x-1.tar.gz".into(), sha256 };
        let path = fetch(PackageManager::Pip, &release, folder.path()).unwrap();
        assert_eq!(path, folder.path().join("x-1.tar.gz"));
        assert_eq!(renew(PackageManager::Pip, &release, folder.path()).unwrap(), release);
    }
}
