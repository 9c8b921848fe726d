//! The Python package: its tests, in an environment of their own below target/, and what it costs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{bench, cargo, generate, root};

/// Says that the package is not to be tested.
const SKIP: &str = "TEXTKIN_SKIP_PYTHON";

/// What Spark needs beside Java.
const SPARK: &str = "pyspark>=4\n";

/// Tests the package: doctests, tests, types.
pub(crate) fn test() -> Result<()> {
    if std::env::var_os(SKIP).is_some_and(|value| !value.is_empty() && value != "0") {
        eprintln!("*** the Python package is NOT tested: {SKIP} is set ***");
        return Ok(());
    }
    let Some(python) = interpreter() else {
        eprintln!("*** the Python package is NOT tested: there is no python3 of 3.10 or later ***");
        return Ok(());
    };
    let has_java = std::env::var_os("JAVA_HOME").is_some()
        || Command::new("java").arg("-version").output().is_ok();
    let mut wanted = std::fs::read_to_string(root()?.join("python/requirements.txt"))?;
    if has_java {
        wanted.push_str(SPARK);
    }
    let environment = environment(&python, &wanted)?;
    // The profile of the tests before: what they have compiled is not compiled again.
    cargo(&["build", "--locked", "--package", "textkin-py", "--profile", "test"])?;
    install(&environment)?;
    let package = root()?.join("python");
    let run = |arguments: &[&str]| -> Result<()> {
        let status = Command::new(in_environment(&environment, "python"))
            .args(arguments)
            .current_dir(&package)
            .status()?;
        ensure!(status.success(), "python {} failed", arguments.join(" "));
        Ok(())
    };
    let tests = ["-m", "pytest", "-q", "--doctest-modules", "textkin", "tests"];
    let but_spark = ["--ignore", "textkin/spark", "--ignore", "tests/spark"];
    run(&[&tests[..], &but_spark[..]].concat())?;
    let stubtest = ["-m", "mypy.stubtest", "--mypy-config-file", "../pyproject.toml"];
    run(&[&stubtest[..], &["--allowlist", "stubtest.txt", "textkin"][..]].concat())?;
    run(&["-m", "mypy", "--config-file", "../pyproject.toml", "--package", "textkin"])?;
    if has_java {
        run(&["-m", "pytest", "-q", "tests/spark"])?;
    } else {
        eprintln!("*** discovery on Spark is NOT tested: there is no Java ***");
    }
    Ok(())
}

/// How long discovery takes from a column of pandas, beside the command on the same documents.
pub(crate) fn bench() -> Result<()> {
    let python = interpreter().context("there is no python3 of 3.10 or later")?;
    let environment = environment(&python, "pandas>=2.2\npyarrow>=20\nmaturin>=1.9.4,<2\n")?;
    bench::build_command()?;
    let folder = tempfile::tempdir()?;
    let input = folder.path().join("documents.jsonl");
    generate::collection(110 << 20, &input)?;
    let pip = Command::new(in_environment(&environment, "python"))
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"])
        .args(["--target".as_ref(), folder.path().join("packages").as_os_str()])
        .arg(".")
        .current_dir(root()?)
        .status()?;
    ensure!(pip.success(), "pip could not install the package");
    let status = Command::new(in_environment(&environment, "python"))
        .arg(root()?.join("xtask/python/bench.py"))
        .arg(bench::target()?.join("textkin"))
        .arg(&input)
        .env("PYTHONPATH", folder.path().join("packages"))
        .status()?;
    ensure!(status.success(), "the measurement failed");
    Ok(())
}

/// A Python that is new enough.
fn interpreter() -> Option<PathBuf> {
    let is_new = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    ["python3", "python"].into_iter().map(PathBuf::from).find(|python| {
        let checked = Command::new(python).args(["-c", is_new]).output();
        checked.is_ok_and(|checked| checked.status.success())
    })
}

/// The environment with the packages `wanted`, which is made or changed if it is not as it should be.
fn environment(python: &Path, wanted: &str) -> Result<PathBuf> {
    let folder = root()?.join("target/python");
    let stamp = folder.join("requirements.txt");
    let has_all = |there: String| wanted.lines().all(|line| there.lines().any(|l| l == line));
    if std::fs::read_to_string(&stamp).is_ok_and(has_all) {
        return Ok(folder);
    }
    if !in_environment(&folder, "python").exists() {
        println!("making an environment for Python in {}", folder.display());
        let made = Command::new(python).args(["-m", "venv"]).arg(&folder).status()?;
        ensure!(made.success(), "python -m venv failed");
    }
    let list = folder.join("wanted.txt");
    std::fs::write(&list, wanted)?;
    let pip = Command::new(in_environment(&folder, "python"))
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(&list)
        .status()?;
    ensure!(
        pip.success(),
        "pip could not install what the tests of the Python package use (python/requirements.txt); \
         {SKIP}=1 leaves these tests out"
    );
    std::fs::rename(&list, &stamp)?;
    Ok(folder)
}

/// Puts the compiled part into the package, and the package on the path of the environment.
fn install(environment: &Path) -> Result<()> {
    let name = format!("{}_textkin{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let built = bench::target()?.with_file_name("debug").join(name);
    let package = root()?.join("python");
    let ending = if cfg!(windows) { "pyd" } else { "abi3.so" };
    let place = package.join("textkin").join(format!("_textkin.{ending}"));
    // Removed first: a process that runs keeps the one that it has.
    if place.exists() {
        std::fs::remove_file(&place)?;
    }
    std::fs::copy(&built, &place).with_context(|| format!("cannot copy {}", built.display()))?;
    let site = "import site; print(site.getsitepackages()[0])";
    let told = Command::new(in_environment(environment, "python")).args(["-c", site]).output()?;
    let site = String::from_utf8(told.stdout).context("a path that is no text")?;
    let path = package.to_str().context("a path that is no text")?;
    std::fs::write(Path::new(site.trim()).join("textkin.pth"), format!("{path}\n"))?;
    Ok(())
}

/// A program of an environment.
fn in_environment(environment: &Path, name: &str) -> PathBuf {
    match cfg!(windows) {
        true => environment.join("Scripts").join(format!("{name}.exe")),
        false => environment.join("bin").join(name),
    }
}
