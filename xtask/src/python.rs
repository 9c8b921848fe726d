//! Tests and benchmark of the Python package, in an environment in target/.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{bench, cargo, dist, generate, root};

/// Folder of the environment.
const ENVIRONMENT: &str = "target/python";

/// Environment variable that skips these tests.
const SKIP: &str = "TEXTKIN_SKIP_PYTHON";

/// The cargo command that builds the package: with the profile and the features of the other tests, so that nothing is
/// compiled twice. Features of dependencies also follow from dev-dependencies, which only a build with a test has;
/// `print` is a small one.
const BUILD: [&str; 9] = [
    "build",
    "--locked",
    "--workspace",
    "--all-features",
    "--lib",
    "--test",
    "print",
    "--profile",
    "test",
];

/// Requirement of the Spark tests, in addition to Java.
const SPARK: &str = "pyspark>=4\n";

/// Pages whose Python examples are tested.
const PAGES: [&str; 3] = ["README.md", "book/src/python.md", "book/src/api.md"];

/// Tests the package: doctests, tests, types, and the examples on pages.
pub(crate) fn test() -> Result<()> {
    if std::env::var_os(SKIP).is_some_and(|value| !value.is_empty() && value != "0") {
        eprintln!("*** skipped the tests of the Python package: {SKIP} is set ***");
        return Ok(());
    }
    let Some(python) = interpreter() else {
        eprintln!(
            "*** skipped the tests of the Python package: Python 3.10 or later is missing ***"
        );
        return Ok(());
    };
    let has_java = std::env::var_os("JAVA_HOME").is_some()
        || Command::new("java").arg("-version").output().is_ok();
    let mut requirements = std::fs::read_to_string(root()?.join("python/requirements.txt"))?;
    if has_java {
        requirements.push_str(SPARK);
    }
    let environment = environment(&root()?.join(ENVIRONMENT), &python, &requirements)
        .with_context(|| format!("set {SKIP}=1 to skip the tests of the Python package"))?;
    cargo(&BUILD)?;
    install(&environment)?;
    let root = root()?;
    let package = root.join("python");
    let run_in = |folder: &Path, arguments: &[&str]| -> Result<()> {
        let status = Command::new(in_environment(&environment, "python"))
            .args(arguments)
            .current_dir(folder)
            .status()?;
        ensure!(status.success(), "python {} failed", arguments.join(" "));
        Ok(())
    };
    let run = |arguments: &[&str]| run_in(&package, arguments);
    let tests = ["-m", "pytest", "-q", "--doctest-modules", "textkin", "tests"];
    let without_spark = ["--ignore", "textkin/spark", "--ignore", "tests/spark"];
    run(&[&tests[..], &without_spark[..]].concat())?;
    // In the root of the repository, where the examples are.
    run_in(&root, &[&["-m", "pytest", "-q", "--doctest-glob=*.md"], &PAGES[..]].concat())?;
    let stubtest = ["-m", "mypy.stubtest", "--mypy-config-file", "../pyproject.toml"];
    run(&[&stubtest[..], &["--allowlist", "stubtest.txt", "textkin"][..]].concat())?;
    run(&["-m", "mypy", "--config-file", "../pyproject.toml", "--package", "textkin"])?;
    newcomer(&environment)?;
    if has_java {
        run(&["-m", "pytest", "-q", "tests/spark"])?;
    } else {
        eprintln!("*** skipped the tests of discovery on Spark: Java is missing ***");
    }
    Ok(())
}

/// Compares discovery from a pandas column with the command on the same documents.
pub(crate) fn bench() -> Result<()> {
    let python = interpreter().context("Python 3.10 or later is missing")?;
    let requirements = "pandas>=2.2\npyarrow>=20\nmaturin>=1.9.4,<2\n";
    let environment = environment(&root()?.join(ENVIRONMENT), &python, requirements)?;
    bench::build_command("")?;
    let folder = tempfile::tempdir()?;
    let input = folder.path().join("documents.jsonl");
    generate::collection(110 << 20, &input)?;
    let pip = Command::new(in_environment(&environment, "python"))
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"])
        .args(["--target".as_ref(), folder.path().join("packages").as_os_str()])
        .arg(".")
        .current_dir(root()?)
        .status()?;
    ensure!(pip.success(), "pip cannot install the package");
    let status = Command::new(in_environment(&environment, "python"))
        .arg(root()?.join("xtask/python/bench.py"))
        .arg(bench::target()?.join("textkin"))
        .arg(&input)
        .env("PYTHONPATH", folder.path().join("packages"))
        .status()?;
    ensure!(status.success(), "the benchmark failed");
    Ok(())
}

/// Returns a Python of version 3.10 or later.
pub(crate) fn interpreter() -> Option<PathBuf> {
    let is_new = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    ["python3", "python"].into_iter().map(PathBuf::from).find(|python| {
        let checked = Command::new(python).args(["-c", is_new]).output();
        checked.is_ok_and(|checked| checked.status.success())
    })
}

/// Returns the environment in `folder` with these packages; creates or updates it if necessary.
pub(crate) fn environment(folder: &Path, python: &Path, requirements: &str) -> Result<PathBuf> {
    let stamp = folder.join("requirements.txt");
    let has_all =
        |installed: String| requirements.lines().all(|line| installed.lines().any(|l| l == line));
    if std::fs::read_to_string(&stamp).is_ok_and(has_all) {
        return Ok(folder.to_owned());
    }
    if !in_environment(folder, "python").exists() {
        println!("creating a Python environment in {}", folder.display());
        let created = Command::new(python).args(["-m", "venv"]).arg(folder).status()?;
        ensure!(created.success(), "python -m venv failed");
    }
    let list = folder.join("new-requirements.txt");
    std::fs::write(&list, requirements)?;
    let pip = Command::new(in_environment(folder, "python"))
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(&list)
        .status()?;
    ensure!(pip.success(), "pip cannot install: {}", requirements.trim().replace('\n', ", "));
    std::fs::rename(&list, &stamp)?;
    Ok(folder.to_owned())
}

/// Installs the package as a wheel in an empty environment, and runs the README's lines of Python and its commands.
fn newcomer(environment: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let output = Command::new(in_environment(environment, "python"))
        .arg(root()?.join("xtask/python/wheel.py"))
        .arg(built()?)
        .arg(folder.path())
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let wheel = String::from_utf8(output.stdout).context("the path of the wheel is not UTF-8")?;
    let wheel = Path::new(wheel.trim());
    if let Err(error) = dist::download_requirements(wheel) {
        eprintln!("*** skipped a newcomer's first minutes: {error:#} ***");
        return Ok(());
    }
    dist::newcomer(wheel)
}

/// Returns the path of the compiled part.
fn built() -> Result<PathBuf> {
    let name = format!("{}_textkin{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    Ok(bench::target()?.with_file_name("debug").join(name))
}

/// Copies the compiled part into the package, and adds the package to the path of the environment.
fn install(environment: &Path) -> Result<()> {
    let built = built()?;
    let package = root()?.join("python");
    let extension = if cfg!(windows) { "pyd" } else { "abi3.so" };
    let target = package.join("textkin").join(format!("_textkin.{extension}"));
    // Removed first, so that running processes keep their copy.
    if target.exists() {
        std::fs::remove_file(&target)?;
    }
    std::fs::copy(&built, &target).with_context(|| format!("cannot copy {}", built.display()))?;
    let site = "import site; print(site.getsitepackages()[0])";
    let output = Command::new(in_environment(environment, "python")).args(["-c", site]).output()?;
    let site = String::from_utf8(output.stdout).context("the path of the packages is not UTF-8")?;
    let path = package.to_str().context("the path of the workspace is not UTF-8")?;
    std::fs::write(Path::new(site.trim()).join("textkin.pth"), format!("{path}\n"))?;
    Ok(())
}

/// Returns the path of a program in an environment.
pub(crate) fn in_environment(environment: &Path, name: &str) -> PathBuf {
    match cfg!(windows) {
        true => environment.join("Scripts").join(format!("{name}.exe")),
        false => environment.join("bin").join(name),
    }
}
