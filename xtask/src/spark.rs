//! Discovery on Spark, measured beside a self-join of the same chunks, and with workers that die.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::{bench, generate, root};

/// Bytes of the collections, each twice the one before.
const SIZES: [u64; 3] = [32 << 20, 64 << 20, 128 << 20];

/// What one run took.
#[derive(Debug, Deserialize)]
struct Run {
    text_bytes: f64,
    pairs: u64,
    seconds: f64,
    cpu_seconds: f64,
    java_peak: f64,
    python_peak: f64,
    task_memory: f64,
    shuffle_bytes: f64,
}

/// Runs textkin, textkin without counters, and the self-join on three sizes.
pub(crate) fn bench(arguments: &[&str]) -> Result<()> {
    let python = environment()?;
    match arguments {
        ["--kill"] => return kill(&python),
        [] => {}
        _ => bail!("cargo xtask bench spark [--kill]"),
    }
    let folder = tempfile::tempdir()?;
    let mut plain = Vec::new();
    let mut counted = Vec::new();
    println!(
        "a master and two workers of one core each on this machine; CPU seconds of all processes; \
        textkin with the options of Java that suit it (textkin.spark.JAVA_OPTIONS), the self-join \
        without them, which suits that; plain is textkin without counters"
    );
    println!(
        "{:>10} {:>12} {:>9} {:>9} {:>9} {:>14} {:>11} {:>13}",
        "text MiB", "", "pairs", "seconds", "CPU s", "shuffle B/B", "Java MiB", "Python MiB"
    );
    for size in SIZES {
        let input = folder.path().join(format!("{size}.jsonl"));
        generate::collection(size, &input)?;
        let mut of_join = None;
        for mode in ["textkin", "plain", "join"] {
            let run = run(&python, mode, &input, &folder.path().join(format!("{mode}-{size}")))?;
            show(mode, &run);
            match mode {
                "textkin" => counted.push(run),
                "plain" => plain.push(run),
                _ => of_join = Some(run),
            }
        }
        if let (Some(join), Some(own)) = (of_join, counted.last()) {
            let share = own.cpu_seconds / join.cpu_seconds;
            println!("{:>38} CPU seconds / self-join {share:.2} (goal: at most 0.5)", "");
        }
    }
    for (name, runs) in [("textkin", &counted), ("plain", &plain)] {
        let points: Vec<(f64, f64)> =
            runs.iter().map(|run| (run.text_bytes, run.shuffle_bytes)).collect();
        println!(
            "{name:<9} shuffle bytes grow with text to the power of {:.2}",
            bench::slope(&points)
        );
        let points: Vec<(f64, f64)> =
            runs.iter().map(|run| (run.text_bytes, run.cpu_seconds)).collect();
        println!(
            "{name:<9} CPU seconds grow with text to the power of   {:.2}",
            bench::slope(&points)
        );
    }
    if let Some(run) = counted.first() {
        let mebibytes = run.task_memory / f64::from(1 << 20);
        println!(
            "memory of an executor: spark.executor.memory (here 1 GiB) for Java, and for each of its \
            tasks a Python process that holds about task_memory (here {mebibytes} MiB) beside itself"
        );
    }
    Ok(())
}

fn show(mode: &str, run: &Run) {
    let mebibytes = |bytes: f64| bytes / f64::from(1 << 20);
    println!(
        "{:>10.1} {:>12} {:>9} {:>9.1} {:>9.1} {:>14.2} {:>11.0} {:>13.0}",
        mebibytes(run.text_bytes),
        mode,
        run.pairs,
        run.seconds,
        run.cpu_seconds,
        run.shuffle_bytes / run.text_bytes,
        mebibytes(run.java_peak),
        mebibytes(run.python_peak),
    );
}

fn run(python: &Path, mode: &str, input: &Path, folder: &Path) -> Result<Run> {
    let root = root()?;
    let output = Command::new(python)
        .arg(root.join("xtask/spark/bench.py"))
        .args([Path::new(mode), input, folder])
        .env("PYTHONPATH", root.join("python/tests/spark"))
        .env("SPARK_LOCAL_IP", "127.0.0.1")
        .current_dir(root.join("target"))
        .stderr(Stdio::piped())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the run '{mode}' failed:\n{told}");
    let line = text.lines().last().context("the run said nothing")?;
    let run = serde_json::from_str(line).with_context(|| format!("the run said: {line}"))?;
    std::fs::remove_dir_all(folder)?;
    Ok(run)
}

/// Ten runs that lose a worker, one in every step: the tests of the cluster, all of them.
fn kill(python: &Path) -> Result<()> {
    let root = root()?;
    let status = Command::new(python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null"])
        .arg("--rootdir")
        .arg(root.join("target"))
        .arg(root.join("python/tests/spark/test_cluster.py"))
        .args(["-k", "dies"])
        .env("TEXTKIN_SPARK_KILLS", "10")
        .current_dir(root.join("target"))
        .status()?;
    ensure!(status.success(), "a run that lost a worker gave something else");
    println!("ten runs lost a worker, and gave what one machine gives");
    Ok(())
}

/// An environment with Spark and the package as it is now, built for release.
fn environment() -> Result<PathBuf> {
    let root = root()?;
    let folder = root.join("target/spark");
    let python = folder.join("environment/bin/python");
    let wheels = folder.join("wheels");
    let done = |command: &mut Command, what: &str| -> Result<()> {
        let status = command.current_dir(&root).status().context(what.to_owned())?;
        ensure!(status.success(), "{what}");
        Ok(())
    };
    if !python.exists() {
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(folder.join("environment"));
        done(&mut make, "python3 makes no environment")?;
    }
    let pip = || {
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    };
    let packages = ["maturin>=1.9.4,<2", "pyspark>=4", "pyarrow", "pandas", "pytest"];
    done(
        pip().args(packages),
        "pip cannot install what is needed (is the package index in reach?)",
    )?;
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let mut build = Command::new(&python);
    build.args(["-m", "maturin", "build", "--release", "--quiet", "--out"]).arg(&wheels);
    done(&mut build, "the package does not build")?;
    let wheel = std::fs::read_dir(&wheels)?.next().context("there is no wheel")??.path();
    done(
        pip().args(["--force-reinstall", "--no-deps"]).arg(wheel),
        "the package does not install",
    )?;
    Ok(python)
}
