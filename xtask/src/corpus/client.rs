//! Fetches a release with the client of its registry, and makes sure that it is the one that was pinned.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

use super::list::{Client, Release};

/// Clients mostly wait: for the registry, and pip for what it asks of a package.
const AT_A_TIME: usize = 4;

/// Calls `each` with every release, some at a time, and gives what came of it in order.
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
        let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        let finished = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
        finished.flat_map(Result::unwrap_or_default).collect::<Vec<_>>()
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The file of a release in `folder`: it is fetched unless it is there and is the right one.
pub(crate) fn fetch(client: Client, release: &Release, folder: &Path) -> Result<PathBuf> {
    let path = folder.join(&release.file);
    if path.is_file() && sha256(&path)? == release.sha256 {
        return Ok(path);
    }
    let fetched = download(client, &release.package, &release.version, folder)?;
    ensure!(
        fetched.release.sha256 == release.sha256,
        "{} is not the file that was pinned: its SHA-256 is {}, not {}",
        fetched.release.file,
        fetched.release.sha256,
        release.sha256
    );
    fetched.keep(&path)?;
    Ok(path)
}

/// What is served now: the same version from pip, which keeps all, the newest from apt, which does not.
pub(crate) fn renew(client: Client, release: &Release, folder: &Path) -> Result<Release> {
    let path = folder.join(&release.file);
    if client == Client::Pip && path.is_file() && sha256(&path)? == release.sha256 {
        return Ok(release.clone());
    }
    let version = if client == Client::Pip { &release.version } else { "" };
    let fetched = download(client, &release.package, version, folder)?;
    let renewed = fetched.release.clone();
    fetched.keep(&folder.join(&renewed.file))?;
    Ok(renewed)
}

/// A file that is not in its place yet; it goes with the folder if it does not get there.
struct Fetched {
    release: Release,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Fetched {
    fn keep(&self, path: &Path) -> Result<()> {
        std::fs::rename(&self.path, path)
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Downloads a version of a package, or the newest if `version` is empty.
fn download(client: Client, package: &str, version: &str, folder: &Path) -> Result<Fetched> {
    let own = tempfile::Builder::new().prefix(".part-").tempdir_in(folder)?;
    let mut command = match client {
        Client::Pip => {
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
        Client::Apt => {
            let mut apt = Command::new("apt-get");
            apt.args(["download", "--quiet", "--quiet"]).arg(with_version(package, "=", version));
            apt
        }
    };
    let output = command
        .current_dir(own.path())
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let begins = |starts: &'static [&'static str]| {
            said.lines()
                .rfind(move |line| starts.iter().any(|start| line.trim_start().starts_with(start)))
        };
        let reason = begins(&["E:", "ERROR:"]).or_else(|| begins(&["error:"]));
        let reason = reason.map_or("it did not say why", str::trim);
        match client {
            Client::Pip => bail!(
                "pip did not fetch {package} {version} (is the Python package index in reach?): {reason}"
            ),
            Client::Apt => bail!(
                "apt-get did not fetch {package} {version}: {reason}\nDebian serves the current versions only: run \
                 `apt-get update`, and if the version is gone, add --update to pin those that are served"
            ),
        }
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(own.path())? {
        files.push(entry?.path());
    }
    let [path] = files.as_slice() else {
        bail!("{package} {version} came as {} files instead of one", files.len());
    };
    let file =
        path.file_name().and_then(|name| name.to_str()).context("it came under a strange name")?;
    let version = match client {
        Client::Pip => version.to_owned(),
        Client::Apt => {
            debian_version(file).with_context(|| format!("{file} is no Debian package"))?
        }
    };
    let sha256 = sha256(path)?;
    let release = Release { package: package.to_owned(), version, file: file.to_owned(), sha256 };
    Ok(Fetched { release, path: path.clone(), _folder: own })
}

fn with_version(package: &str, sign: &str, version: &str) -> String {
    if version.is_empty() { package.to_owned() } else { format!("{package}{sign}{version}") }
}

/// The version in the name of a file: `NAME_VERSION_ARCHITECTURE.deb`.
fn debian_version(file: &str) -> Option<String> {
    let mut parts = file.strip_suffix(".deb")?.split('_');
    let (Some(_), Some(version), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    Some(version.replace("%3a", ":"))
}

/// The SHA-256 of a file, in hexadecimal digits.
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
            ensure!(release.package != "7", "no seven");
            Ok(release.package.clone())
        });
        for (number, result) in results.iter().enumerate() {
            assert_eq!(result.as_ref().ok(), (number != 7).then(|| number.to_string()).as_ref());
        }
        assert_eq!(results.len(), 20);
    }

    #[test]
    fn what_is_there_is_not_fetched_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x-1.tar.gz"), "abc").unwrap();
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
        let release =
            Release { package: "x".into(), version: "1".into(), file: "x-1.tar.gz".into(), sha256 };
        let path = fetch(Client::Pip, &release, folder.path()).unwrap();
        assert_eq!(path, folder.path().join("x-1.tar.gz"));
        assert_eq!(renew(Client::Pip, &release, folder.path()).unwrap(), release);
    }
}
