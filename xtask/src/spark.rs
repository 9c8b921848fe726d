//! Benchmark of discovery on Spark against a self-join of the same chunks, and runs that lose a worker.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::{bench, generate, root};

/// Bytes of the collections.
const SIZES: [u64; 3] = [32 << 20, 64 << 20, 128 << 20];

/// Costs of one run.
#[derive(Debug, Deserialize)]
struct SparkRun {
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
        "one master and two workers with one core each on this machine; CPU seconds of all processes; \
        textkin runs with textkin.spark.JAVA_OPTIONS, the self-join without them, which is faster for it; \
        plain is textkin without counters"
    );
    println!(
        "{:>10} {:>12} {:>9} {:>9} {:>9} {:>14} {:>11} {:>13}",
        "text MiB", "", "pairs", "seconds", "CPU s", "shuffle B/B", "Java MiB", "Python MiB"
    );
    for size in SIZES {
        let input = folder.path().join(format!("{size}.jsonl"));
        generate::collection(size, &input)?;
        let mut join_run = None;
        for mode in ["textkin", "plain", "join"] {
            let run = run(&python, mode, &input, &folder.path().join(format!("{mode}-{size}")))?;
            show(mode, &run);
            match mode {
                "textkin" => counted.push(run),
                "plain" => plain.push(run),
                _ => join_run = Some(run),
            }
        }
        if let (Some(join), Some(counted)) = (join_run, counted.last()) {
            let share = counted.cpu_seconds / join.cpu_seconds;
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
            "memory of an executor: spark.executor.memory (here 1 GiB) for Java, and for each of its tasks a \
            Python process with about task_memory (here {mebibytes} MiB) of data"
        );
    }
    Ok(())
}

fn show(mode: &str, run: &SparkRun) {
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

fn run(python: &Path, mode: &str, input: &Path, folder: &Path) -> Result<SparkRun> {
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
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the run '{mode}' failed:\n{stderr}");
    let line = text.lines().last().context("the run printed nothing")?;
    let run = serde_json::from_str(line).with_context(|| format!("unexpected output: {line}"))?;
    std::fs::remove_dir_all(folder)?;
    Ok(run)
}

/// Runs the cluster tests with ten runs that lose a worker, one in every step.
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
    ensure!(status.success(), "a run that lost a worker gave a different result");
    println!("ten runs lost a worker and gave the result of one machine");
    Ok(())
}

/// Creates an environment with Spark and the current package in release mode; returns its Python.
fn environment() -> Result<PathBuf> {
    let root = root()?;
    let folder = root.join("target/spark");
    let python = folder.join("environment/bin/python");
    let wheels = folder.join("wheels");
    let run = |command: &mut Command, failure: &str| -> Result<()> {
        let status = command.current_dir(&root).status().context(failure.to_owned())?;
        ensure!(status.success(), "{failure}");
        Ok(())
    };
    if !python.exists() {
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(folder.join("environment"));
        run(&mut make, "python3 -m venv failed")?;
    }
    let pip = || {
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    };
    let packages = ["maturin>=1.9.4,<2", "pyspark>=4", "pyarrow", "pandas", "pytest"];
    run(
        pip().args(packages),
        "pip cannot install the required packages; is the Python package index reachable?",
    )?;
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let mut build = Command::new(&python);
    build.args(["-m", "maturin", "build", "--release", "--quiet", "--out"]).arg(&wheels);
    run(&mut build, "cannot build the package")?;
    let wheel = std::fs::read_dir(&wheels)?.next().context("maturin built no wheel")??.path();
    run(pip().args(["--force-reinstall", "--no-deps"]).arg(wheel), "cannot install the package")?;
    Ok(python)
}
