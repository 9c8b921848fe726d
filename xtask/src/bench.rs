//! Benchmarks: figures as ratios to a baseline measured in the same minute.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{cargo, generate, root};

/// Number of runs; each figure is the best of them.
const RUNS: usize = 3;

/// Measures discovery against the floor, and its growth over parts of the input.
pub(crate) fn discover(paths: &[&str]) -> Result<()> {
    build()?;
    let folder = tempfile::tempdir()?;
    let full: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let mut floor = f64::INFINITY;
    let mut run = DiscoverRun::default();
    // Alternating, so that both run under the same conditions.
    for _ in 0..RUNS {
        floor = floor.min(run_floor(&full)?);
        run = run.better(run_discover(&full, folder.path(), &[])?);
    }
    let bytes = run.input_bytes as f64;
    println!("input                {:>10.1} MB", bytes / 1e6);
    println!("documents            {:>10}", run.documents);
    println!("pairs written        {:>10}", run.edges);
    println!("floor                {:>10.1} MB/s", bytes / 1e6 / floor);
    println!("discover             {:>10.1} MB/s", bytes / 1e6 / run.seconds);
    println!("time / floor         {:>10.2}   (goal: at most 4)", run.seconds / floor);
    println!("peak RSS / input     {:>10.2}   (goal: at most 4)", run.peak_rss as f64 / bytes);
    println!("stages               {}", run.stages);
    let mut points = Vec::new();
    for parts in [1, 2, 4] {
        let part = folder.path().join(format!("part{parts}.jsonl"));
        let mut sample = Command::new(example("sample")?);
        let status = sample.arg(parts.to_string()).arg(&part).args(&full).status()?;
        ensure!(status.success(), "sampling failed");
        let mut best = DiscoverRun::default();
        for _ in 0..RUNS {
            best = best.better(run_discover(std::slice::from_ref(&part), folder.path(), &[])?);
        }
        println!(
            "{parts}/8 of the documents {:>10.2} s for {:.1} MB",
            best.seconds,
            best.input_bytes as f64 / 1e6
        );
        points.push((best.input_bytes as f64, best.seconds));
        std::fs::remove_file(part)?;
    }
    println!("all documents        {:>10.2} s", run.seconds);
    points.push((bytes, run.seconds));
    println!("growth exponent      {:>10.2}   (goal: at most 1.1)", slope(&points));
    Ok(())
}

/// Measures discovery of a collection ten times as large as its memory.
pub(crate) fn memory(limit: u64) -> Result<()> {
    build()?;
    let folder = tempfile::tempdir()?;
    let input = folder.path().join("generated.jsonl");
    generate::collection(limit * 10, &input)?;
    let inputs = [input];
    let unlimited = run_discover(&inputs, folder.path(), &["--plan", "sort"])?;
    let pairs = std::fs::read(folder.path().join("pairs.csv"))?;
    let limited = run_discover(&inputs, folder.path(), &["--memory", &limit.to_string()])?;
    let is_same = pairs == std::fs::read(folder.path().join("pairs.csv"))?;
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    println!("input                {:>10.0} MiB", mebibytes(unlimited.input_bytes));
    println!("pairs written        {:>10}", unlimited.edges);
    println!(
        "unlimited            {:>10.2} s, {:.0} MiB peak RSS",
        unlimited.seconds,
        mebibytes(unlimited.peak_rss)
    );
    println!(
        "within {:>5.0} MiB     {:>10.2} s, {:.0} MiB peak RSS (goal: at most {:.0})",
        mebibytes(limit),
        limited.seconds,
        mebibytes(limited.peak_rss),
        mebibytes(limit) + 150.0
    );
    println!(
        "time / unlimited     {:>10.2}   (goal: at most 2.5)",
        limited.seconds / unlimited.seconds
    );
    println!("stages               {}", limited.stages);
    println!("same bytes written   {:>10}", if is_same { "yes" } else { "NO" });
    ensure!(is_same, "the result depends on the memory limit");
    Ok(())
}

/// Measures repositories of these numbers of documents.
pub(crate) fn repository(sizes: &[&str]) -> Result<()> {
    cargo(&["build", "--release", "--locked", "--package", "textkin", "--examples"])?;
    for (number, size) in sizes.iter().enumerate() {
        if number > 0 {
            println!();
        }
        let status = Command::new(example("repository_speed")?).arg(size).status()?;
        ensure!(status.success(), "the repository of {size} documents failed");
    }
    Ok(())
}

/// Measures tracing against the floor, for both presets.
pub(crate) fn trace(paths: &[&str]) -> Result<()> {
    cargo(&["build", "--release", "--locked", "--package", "textkin", "--example", "trace_speed"])?;
    let folder = tempfile::tempdir()?;
    let mut inputs: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    if inputs.is_empty() {
        inputs.push(folder.path().join("generated.jsonl"));
        generate::collection(256 << 20, &inputs[0])?;
    }
    for preset in ["kin", "paper"] {
        let mut speed = Command::new(example("trace_speed")?);
        let status = speed.arg((1_u64 << 30).to_string()).arg(preset).args(&inputs).status()?;
        ensure!(status.success(), "tracing failed");
    }
    Ok(())
}

/// Size of the corpus and number of items that are generated to measure decontamination.
const CORPUS: (u64, usize) = (500_000_000, 86_000);

/// Measures decontamination against the floor. `paths` are a corpus and evaluation sets; none generates both.
pub(crate) fn decontaminate(paths: &[&str]) -> Result<()> {
    build()?;
    let folder = tempfile::tempdir()?;
    let mut paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    if paths.is_empty() {
        paths = ["corpus.jsonl", "items.jsonl"].map(|name| folder.path().join(name)).to_vec();
        generate::collection(CORPUS.0, &paths[0])?;
        generate::items(CORPUS.1, &paths[1])?;
    }
    let (corpus, items) = (&paths[..1], &paths[1..]);
    let bytes = std::fs::metadata(&corpus[0])?.len() as f64;
    let (mut floor, mut seconds, mut best) = (f64::INFINITY, f64::INFINITY, Value::Null);
    // Alternating, so that both run under the same conditions.
    for _ in 0..RUNS {
        floor = floor.min(run_floor(corpus)?);
        let mut command = Command::new(target()?.join("textkin"));
        command.arg("decontaminate").args(corpus).args(["--quiet", "--threads", "2"]);
        command.args(items.iter().flat_map(|item| [Path::new("--against"), item.as_path()]));
        for (option, name) in
            [("--out", "clean.jsonl"), ("--log", "hits.jsonl"), ("--stats", "stats.json")]
        {
            command.arg(option).arg(folder.path().join(name));
        }
        ensure!(matches!(command.status()?.code(), Some(0 | 1)), "decontaminate failed");
        let stats: Value =
            serde_json::from_slice(&std::fs::read(folder.path().join("stats.json"))?)?;
        let time = stats["seconds"].as_f64().context("decontaminate did not report its time")?;
        if time < seconds {
            (seconds, best) = (time, stats);
        }
    }
    let peak = best["peak_rss_bytes"].as_u64().unwrap_or(0);
    println!("corpus               {:>10.1} MB", bytes / 1e6);
    println!("items                {:>10}", best["items"]);
    println!("documents flagged    {:>10}", best["documents_flagged"]);
    println!("floor                {:>10.1} MB/s", bytes / 1e6 / floor);
    println!("decontaminate        {:>10.1} MB/s   (goal: at least 200)", bytes / 1e6 / seconds);
    println!("time / floor         {:>10.2}", seconds / floor);
    println!("peak RSS             {:>10.1} MB   (goal: at most 1000)", peak as f64 / 1e6);
    Ok(())
}

/// Experiments that measure the accuracy of origins.
const ORIGINS: [&str; 4] =
    ["origin.table3", "origin.table4-7", "origin.table8", "origin.table9-10"];

/// Measures the accuracy of origins on each file.
pub(crate) fn origins(paths: &[&str]) -> Result<()> {
    build_command("lab")?;
    for path in paths {
        println!("{path}");
        let mut eval = Command::new(target()?.join("textkin"));
        let status =
            eval.args(["eval", "run"]).args(ORIGINS).arg("--collection").arg(path).status()?;
        ensure!(status.success(), "cannot measure {path}");
    }
    Ok(())
}

/// Builds the command in release mode, with these features.
pub(crate) fn build_command(features: &str) -> Result<()> {
    let build = ["build", "--release", "--locked", "--package", "textkin-cli", "--features"];
    cargo(&[&build[..], &[features]].concat())
}

fn build() -> Result<()> {
    build_command("")?;
    cargo(&["build", "--release", "--locked", "--package", "textkin", "--examples"])
}

/// Returns the directory of release builds.
pub(crate) fn target() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    Ok(target.unwrap_or(root()?.join("target")).join("release"))
}

fn example(name: &str) -> Result<PathBuf> {
    Ok(target()?.join("examples").join(name))
}

fn run_floor(paths: &[PathBuf]) -> Result<f64> {
    let output = Command::new(example("floor")?).args(paths).output()?;
    ensure!(output.status.success(), "the floor failed");
    let result: Value = serde_json::from_slice(&output.stdout)?;
    result["seconds"].as_f64().context("the floor did not report its time")
}

/// Costs and results of one run.
#[derive(Clone, Debug)]
struct DiscoverRun {
    seconds: f64,
    peak_rss: u64,
    input_bytes: u64,
    documents: u64,
    edges: u64,
    stages: String,
}

impl Default for DiscoverRun {
    fn default() -> Self {
        let seconds = f64::INFINITY;
        Self { seconds, peak_rss: 0, input_bytes: 0, documents: 0, edges: 0, stages: String::new() }
    }
}

impl DiscoverRun {
    fn better(self, other: Self) -> Self {
        if other.seconds < self.seconds { other } else { self }
    }
}

fn run_discover(paths: &[PathBuf], folder: &Path, options: &[&str]) -> Result<DiscoverRun> {
    let stats = folder.join("stats.json");
    let status = Command::new(target()?.join("textkin"))
        .arg("discover")
        .args(paths)
        .args(["--quiet", "--threads", "2"])
        .args(options)
        .arg("--out")
        .arg(folder.join("pairs.csv"))
        .arg("--stats")
        .arg(&stats)
        .status()?;
    ensure!(matches!(status.code(), Some(0 | 1)), "discover failed");
    let stats: Value = serde_json::from_slice(&std::fs::read(stats)?)?;
    let number = |name: &str| stats[name].as_u64().unwrap_or(0);
    let stage = |stage: &Value| {
        let seconds = stage["seconds"].as_f64().unwrap_or(0.0);
        format!("{} {seconds:.2} s", stage["name"].as_str().unwrap_or("?"))
    };
    let stages: Vec<String> = stats["stages"].as_array().into_iter().flatten().map(stage).collect();
    Ok(DiscoverRun {
        seconds: stats["seconds"].as_f64().context("discover did not report its time")?,
        peak_rss: number("peak_rss_bytes"),
        input_bytes: number("input_bytes"),
        documents: number("documents"),
        edges: number("edges"),
        stages: stages.join(", "),
    })
}

/// Returns the slope of the line through the logarithms of `points`: the exponent of growth.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mean_x, mean_y) =
        (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
}
