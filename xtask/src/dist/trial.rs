//! Tries the files of a release as newcomers do: in systems without Rust and without a compiler.
//!
//! `dist test` uses empty Debian systems in folders (debootstrap, as root): the package and the wheel on Debian 12, the
//! program of the archive on Debian 11, whose glibc is old. `dist newcomer` installs the wheel in an empty environment
//! and runs what the README shows, without a network.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::{files, output, run, target};
use crate::{python, root, version};

/// Time limit from the install command to the first result.
const LIMIT: Duration = Duration::from_secs(60);
/// What the first result has to contain.
const FIRST_RESULT: &str = "4 pairs with score";
/// Packages of Debian that a system with Python has.
const PYTHON: [&str; 2] = ["python3-venv", "ca-certificates"];

/// `cargo xtask dist test`
pub(super) fn trial() -> Result<()> {
    let (folder, version) = (files()?, version::current()?);
    let triple = super::Platform::of_host()?.triple;
    let mut failed = Vec::new();
    let mut check = |name: &str, trial: &dyn Fn() -> Result<Duration>| match trial() {
        Ok(time) if time <= LIMIT => println!("ok      {name}: {:.1} s", time.as_secs_f64()),
        Ok(time) => failed.push(format!("{name}: {:.0} s, at most 60 s", time.as_secs_f64())),
        Err(error) => failed.push(format!("{name}: {error:#}")),
    };
    check("the package on Debian 12", &|| {
        try_package(&find(&folder, &format!("textkin_{version}"), ".deb")?)
    });
    check("the wheel on Debian 12", &|| try_wheel(&wheel(&folder, &version)?));
    check("the archive on Debian 11", &|| {
        try_archive(&find(&folder, &format!("textkin-{version}-{triple}"), ".tar.gz")?)
    });
    ensure!(failed.is_empty(), "failed:\n{}", failed.join("\n"));
    Ok(())
}

/// Downloads what a wheel requires: the only step that uses the network. Returns the folder.
pub(crate) fn download_requirements(wheel: &Path) -> Result<PathBuf> {
    let python = python::interpreter().context("Python 3.10 or later is missing")?;
    let downloads = target()?.join("dist-tools/wheels");
    std::fs::create_dir_all(&downloads)?;
    let mut download = Command::new(&python);
    download.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"]);
    download.args(["--only-binary", ":all:", "--dest"]).arg(&downloads).arg(wheel);
    run(&mut download).context("pip cannot download what the wheel requires")?;
    Ok(downloads)
}

/// `cargo xtask dist newcomer WHEEL`
pub(crate) fn newcomer(wheel: &Path) -> Result<()> {
    let wheel = std::path::absolute(wheel)?;
    ensure!(wheel.exists(), "{} does not exist", wheel.display());
    let python = python::interpreter().context("Python 3.10 or later is missing")?;
    let folder = tempfile::tempdir()?;
    let downloads = download_requirements(&wheel)?;
    let start = Instant::now();
    let environment = folder.path().join("environment");
    run(Command::new(&python).args(["-m", "venv"]).arg(&environment))?;
    let python = python::in_environment(&environment, "python");
    let mut install = without_network(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(["--no-index", "--find-links"]).arg(&downloads).arg(&wheel);
    run(install.env_remove("PIP_FIND_LINKS")).context("pip cannot install the wheel")?;
    println!("installed in {:.1} s", start.elapsed().as_secs_f64());
    let script = root()?.join("packaging/newcomer.py");
    run(without_network(&python).arg(script).arg(root()?))
}

/// Returns a command that has no network, where the system has a way to take it away.
fn without_network(program: &Path) -> Command {
    let can_unshare = Command::new("unshare")
        .args(["--net", "--map-root-user", "true"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !can_unshare {
        return Command::new(program);
    }
    let mut command = Command::new("unshare");
    command.args(["--net", "--map-root-user"]).arg(program);
    command
}

/// Returns the wheel of this version.
pub(super) fn wheel(folder: &Path, version: &str) -> Result<PathBuf> {
    find(folder, &format!("textkin-{version}-cp"), ".whl")
}

/// Finds the one file with this beginning and end.
fn find(folder: &Path, start: &str, end: &str) -> Result<PathBuf> {
    let entries = std::fs::read_dir(folder).with_context(|| {
        format!("cannot read {}; run `cargo xtask dist` first", folder.display())
    })?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(start) && name.ends_with(end) {
            found.push(entry.path());
        }
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => bail!("no {start}*{end} in {}; run `cargo xtask dist` first", folder.display()),
        _ => bail!("several {start}*{end} in {}; delete the old ones", folder.display()),
    }
}

/// Installs the package and returns the time until the first result; then checks what else it contains.
fn try_package(package: &Path) -> Result<Duration> {
    let system = System::new("bookworm", &[])?;
    system.copy(package, "textkin.deb")?;
    let start = Instant::now();
    system.run("apt-get install --yes --quiet --no-install-recommends ./textkin.deb")?;
    system.first_result("textkin discover examples/notes")?;
    let time = start.elapsed();
    for path in [
        "/usr/share/man/man1/textkin.1.gz",
        "/usr/share/bash-completion/completions/textkin",
        "/lib/systemd/system/textkin.service",
        "/usr/lib/sysusers.d/textkin.conf",
        "/usr/share/doc/textkin/copyright",
    ] {
        let resolved = format!("test -e {path} || test -e /usr{path}");
        system.run(&resolved).with_context(|| format!("the package has no {path}"))?;
    }
    system.run(
        "textkin --version && textkin measures >/dev/null && textkin eval --help >/dev/null",
    )?;
    system.serves("textkin")?;
    system.run("apt-get purge --yes --quiet textkin && ! command -v textkin")?;
    Ok(time)
}

/// Installs the wheel with pip, which downloads what it requires, and returns the time until the first result.
fn try_wheel(wheel: &Path) -> Result<Duration> {
    let system = System::new("bookworm", &PYTHON)?;
    let name = wheel.file_name().context("the wheel has no name")?.to_string_lossy().into_owned();
    system.copy(wheel, &name)?;
    system.copy(&root()?.join("packaging/newcomer.py"), "newcomer.py")?;
    system.copy(&root()?.join("README.md"), "README.md")?;
    system.run("python3 -m venv environment")?;
    let start = Instant::now();
    system.run(&format!("environment/bin/pip install --quiet ./{name}"))?;
    system.first_result("environment/bin/textkin discover examples/notes")?;
    let time = start.elapsed();
    system.run("environment/bin/python newcomer.py .")?;
    Ok(time)
}

/// Unpacks the archive on the oldest Debian and returns the time until the first result.
fn try_archive(archive: &Path) -> Result<Duration> {
    let system = System::new("bullseye", &[])?;
    system.copy(archive, "textkin.tar.gz")?;
    let start = Instant::now();
    system.run("mkdir textkin && tar -xzf textkin.tar.gz -C textkin --strip-components 1")?;
    system.first_result("textkin/textkin discover examples/notes")?;
    let time = start.elapsed();
    system.serves("textkin/textkin")?;
    Ok(time)
}

/// A Debian system in a folder, a copy that is deleted afterwards. Commands run in `/trial`, which has the examples.
struct System {
    folder: tempfile::TempDir,
}

impl System {
    /// Copies an empty system of this release with these packages; creates it first if necessary.
    fn new(release: &str, packages: &[&str]) -> Result<Self> {
        let kind = if packages.is_empty() { "" } else { "-python" };
        let original = target()?.join(format!("dist-systems/{release}{kind}"));
        if !original.join("ready").exists() {
            println!("creating an empty Debian ({release}) in {}", original.display());
            if original.exists() {
                std::fs::remove_dir_all(&original)?;
            }
            std::fs::create_dir_all(&original)?;
            let mut bootstrap = Command::new("debootstrap");
            bootstrap.arg("--variant=minbase");
            if !packages.is_empty() {
                bootstrap.arg(format!("--include={}", packages.join(",")));
            }
            let bootstrap = bootstrap.arg(release).arg(&original);
            output(bootstrap).context(
                "cannot create an empty Debian; this needs the program debootstrap and root",
            )?;
            std::fs::write(original.join("ready"), "")?;
        }
        let folder = tempfile::Builder::new().prefix("system-").tempdir_in(target()?)?;
        let mut copy = Command::new("cp");
        copy.args(["--archive", "--reflink=auto"]).arg(original.join(".")).arg(folder.path());
        run(&mut copy)?;
        let system = Self { folder };
        for compiler in ["cc", "gcc", "clang", "rustc", "cargo"] {
            ensure!(
                system.run(&format!("! command -v {compiler}")).is_ok(),
                "the system has {compiler}, so that the trial shows nothing"
            );
        }
        // How this machine reaches the network.
        for file in
            ["etc/resolv.conf", "etc/hosts", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt"]
        {
            let (from, to) = (Path::new("/").join(file), system.folder.path().join(file));
            if from.exists() && to.parent().is_some_and(Path::exists) {
                std::fs::copy(from, to)?;
            }
        }
        let mut examples = Command::new("cp");
        examples.arg("--recursive").arg(root()?.join("examples"));
        run(examples.arg(system.folder.path().join("trial")))?;
        Ok(system)
    }

    /// Copies a file into the folder of the trial.
    fn copy(&self, file: &Path, name: &str) -> Result<()> {
        std::fs::copy(file, self.folder.path().join("trial").join(name))?;
        Ok(())
    }

    /// Runs a command of the shell in the system and returns what it printed.
    fn run(&self, command: &str) -> Result<String> {
        let trial = self.folder.path().join("trial");
        std::fs::create_dir_all(trial)?;
        let mut shell = Command::new("chroot");
        shell
            .arg(self.folder.path())
            .args(["/bin/sh", "-ec"])
            .arg(format!("cd /trial; {command}"))
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("LC_ALL", "C.UTF-8")
            .env("PIP_CERT", "/etc/ssl/certs/ca-certificates.crt")
            .env_remove("TMPDIR");
        output(&mut shell)
    }

    /// Runs a command whose output must contain the first result.
    fn first_result(&self, command: &str) -> Result<()> {
        let printed = self.run(command)?;
        ensure!(printed.contains(FIRST_RESULT), "{command} printed:\n{printed}");
        Ok(())
    }

    /// Checks that the server starts and answers, with its scripts.
    fn serves(&self, program: &str) -> Result<()> {
        let script = format!(
            "{program} serve --data data --listen 127.0.0.1:0 >log 2>&1 & server=$!; \
             for n in $(seq 100); do grep -q http log && break; sleep 0.1; done; \
             kill $server; wait $server || true; cat log"
        );
        let printed = self.run(&script)?;
        ensure!(printed.contains("http://127.0.0.1:"), "the server printed:\n{printed}");
        ensure!(!printed.contains("xtask web"), "the pages have no scripts:\n{printed}");
        Ok(())
    }
}
