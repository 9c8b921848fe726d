//! Compares textkin with other packages on the same documents and machine.
//!
//! The peers run as their documentation recommends (`xtask/peers`), one at a time; then textkin. `truth` computes the
//! exact pairs independently, and the pairs and clusters that each program reports are compared with them.

mod input;
mod install;
mod peer;
mod process;
mod reported;
mod table;
mod truth;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::bench;
use crate::sets::SetKind;
use input::{Input, Limit};
use peer::{Peer, Setting};
use process::Cost;
use reported::{Accuracy, ReportedDuplicates};
use table::{percent, thousands};
use truth::{Classes, Similarity, Truth};

/// Seconds; shorter runs are repeated, and the best counts.
const SHORT: f64 = 20.0;
/// Number of runs if they are short.
const RUNS: usize = 3;

/// Arguments of the task.
#[derive(Debug)]
struct PeersArguments {
    path: Option<PathBuf>,
    only: Vec<String>,
    limit: Limit,
    time_limit: Duration,
}

/// A row of the table.
struct Line {
    name: String,
    outcome: Result<Outcome>,
}

/// Result of a run.
struct Outcome {
    cost: Cost,
    reported: ReportedDuplicates,
    /// Sets that the program compares, if they are not runs of eight words.
    compared_sets: Option<SetKind>,
    /// Whether a reported pair is wrong.
    is_false: Box<dyn Fn(Similarity) -> bool>,
}

/// Compares textkin with its peers.
pub(crate) fn peers(arguments: &[&str]) -> Result<()> {
    let request = PeersArguments::parse(arguments)?;
    bench::build_command("lab")?;
    let folder = bench::target()?.with_file_name("peers");
    std::fs::create_dir_all(&folder)?;
    let source = match &request.path {
        Some(path) => path.clone(),
        None => generated(&folder)?,
    };
    let input = Input::prepare(&source, request.limit, folder.join("input.jsonl"))?;
    let mut lines = Vec::new();
    for peer in peer::ALL.iter().filter(|peer| request.wants(peer.name)) {
        eprintln!("{} {}: installing with pip, if missing …", peer.name, peer.version);
        let installed = match install::install(peer, &folder) {
            Ok(installed) => installed,
            Err(error) => {
                lines.push(Line { name: peer.name.to_owned(), outcome: Err(error) });
                continue;
            }
        };
        for setting in peer.settings {
            let name = format!("{} {}", peer.name, setting.name);
            let paths = (&input, folder.as_path());
            let outcome = run_peer(peer, setting, &installed, paths, request.time_limit);
            lines.push(Line { name, outcome });
        }
    }
    if request.wants("textkin") {
        lines.extend(run_textkin(&input, &folder, request.time_limit));
    }
    print(&lines, &input, request.time_limit);
    Ok(())
}

impl PeersArguments {
    fn parse(arguments: &[&str]) -> Result<Self> {
        let mut request = Self {
            path: None,
            only: Vec::new(),
            limit: Limit::None,
            time_limit: Duration::from_secs(15 * 60),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().with_context(|| format!("{argument} needs a value"));
            match *argument {
                "--only" => {
                    let name = *value()?;
                    let mut names = peer::ALL.iter().map(|peer| peer.name).chain(["textkin"]);
                    if !names.any(|known| known == name) {
                        bail!(
                            "unknown peer '{name}'; choose rensa, gaoya, datasketch, text-dedup or textkin"
                        );
                    }
                    request.only.push(name.to_owned());
                }
                "--limit" => {
                    let text = *value()?;
                    request.limit = match text.parse() {
                        Ok(n) => Limit::Documents(n),
                        Err(_) => Limit::Bytes(crate::bytes(text)?),
                    };
                }
                "--time-limit" => {
                    let text = *value()?;
                    let minutes: u64 = text
                        .parse()
                        .with_context(|| format!("expected a number of minutes, got '{text}'"))?;
                    request.time_limit = Duration::from_secs(minutes.saturating_mul(60));
                }
                option if option.starts_with('-') => bail!("unknown option '{option}'"),
                path if request.path.is_none() => request.path = Some(PathBuf::from(path)),
                path => bail!("unexpected argument '{path}'; compare one file at a time"),
            }
        }
        Ok(request)
    }

    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

/// Returns a generated collection: chains of versions.
fn generated(folder: &Path) -> Result<PathBuf> {
    let collection = folder.join("generated-versions");
    let documents = collection.join("documents.jsonl");
    if !documents.exists() {
        eprintln!("generating a collection of versions");
        let mut generate = Command::new(bench::target()?.join("textkin"));
        generate.args([
            "eval",
            "generate",
            "versions",
            "--documents",
            "12000",
            "--words",
            "600",
            "--rate",
            "0.01",
        ]);
        let status =
            generate.arg("--out").arg(&collection).stdout(std::process::Stdio::null()).status()?;
        anyhow::ensure!(status.success(), "textkin eval generate failed");
    }
    Ok(documents)
}

/// Returns the best of several runs, or the first if it is long.
fn best(
    name: &str,
    mut command: impl FnMut() -> Command,
    limit: Duration,
    log: &Path,
) -> Result<Cost> {
    let mut best: Option<Cost> = None;
    for _ in 0..RUNS {
        eprintln!("{name}: running …");
        let cost = process::run(&mut command(), limit, log)?;
        eprintln!("{name}: {:.2} s", cost.seconds);
        best = Some(best.filter(|best| best.seconds <= cost.seconds).unwrap_or(cost));
        if cost.seconds > SHORT {
            break;
        }
    }
    best.context("the program was not run")
}

fn run_peer(
    peer: &Peer,
    setting: &'static Setting,
    installed: &install::PeerEnvironment,
    (input, folder): (&Input, &Path),
    limit: Duration,
) -> Result<Outcome> {
    let name = format!("{} {}", peer.name, setting.name);
    let output = folder.join("reported.txt");
    let command = || {
        let mut command = Command::new(&installed.python);
        command.arg(&installed.script).arg(&input.path).arg(&output).arg(setting.name);
        command
    };
    let cost = best(&name, command, limit, &folder.join(format!("{}.log", peer.name)))?;
    Ok(Outcome {
        cost,
        reported: ReportedDuplicates::read(&output)?,
        compared_sets: Some(setting.sets),
        is_false: Box::new(|similarity| similarity.jaccard < setting.threshold),
    })
}

/// Runs textkin with the threshold of the exact pairs, and with its defaults.
fn run_textkin(input: &Input, folder: &Path, limit: Duration) -> Vec<Line> {
    let contained = |similarity: Similarity| similarity.containment < 0.5;
    let shares_nothing = |similarity: Similarity| similarity.jaccard == 0.0;
    vec![
        textkin(
            "C ≥ 0.5",
            &["--score", "chunk-containment", "--threshold", "0.5"],
            contained,
            (input, folder),
            limit,
        ),
        textkin("default", &[], shares_nothing, (input, folder), limit),
    ]
}

fn textkin(
    name: &str,
    options: &[&str],
    is_false: impl Fn(Similarity) -> bool + 'static,
    (input, folder): (&Input, &Path),
    limit: Duration,
) -> Line {
    let name = format!("textkin {name}");
    let run = || {
        let (program, output) = (bench::target()?.join("textkin"), folder.join("pairs.csv"));
        let command = || {
            let mut command = Command::new(&program);
            command.arg("discover").arg(&input.path).arg("--quiet").args(options);
            command.arg("--out").arg(&output);
            command
        };
        let cost = best(&name, command, limit, &folder.join("textkin.log"))?;
        let numbers: HashMap<&str, u32> = input.ids.iter().map(String::as_str).zip(0..).collect();
        let reported = ReportedDuplicates::read_csv(&output, &numbers)?;
        Ok(Outcome { cost, reported, compared_sets: None, is_false: Box::new(is_false) })
    };
    let outcome = run();
    Line { name, outcome }
}

fn print(lines: &[Line], input: &Input, time_limit: Duration) {
    let texts = || input.texts.iter().map(String::as_str);
    let chunks = Classes::new(SetKind::EightWords, texts());
    let n_classes = chunks.sizes.len();
    let mut shown = 0;
    let truth = Truth::new(&chunks, |done| {
        let tenths = done * 10 / n_classes.max(1);
        if tenths > shown {
            shown = tenths;
            eprintln!("exact pairs: {} % of the documents", tenths * 10);
        }
    });
    let mut own_sets: HashMap<SetKind, Classes> = HashMap::new();
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    for Line { name, outcome } in lines {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                rows.push(vec![name.clone(), format!("{error:#}")]);
                continue;
            }
        };
        let sets = outcome
            .compared_sets
            .map(|sets| &*own_sets.entry(sets).or_insert_with(|| Classes::new(sets, texts())));
        let mut row = cost_cells(name, outcome.cost, input.bytes);
        if let Some(kind) = outcome.reported.kind() {
            let accuracy =
                Accuracy::new(&outcome.reported, (&truth, &chunks), sets, &outcome.is_false);
            row.extend([kind.to_owned(), thousands(accuracy.n_pairs)]);
            row.extend(
                accuracy.recall.map(|recall| recall.map_or_else(|| "–".to_owned(), percent)),
            );
            row.push(accuracy.false_by_its_sets.map_or_else(|| "–".to_owned(), thousands));
            row.push(thousands(accuracy.false_by_chunks));
        } else {
            row.extend(["no", "–", "–", "–", "–", "–", "–"].map(str::to_owned));
        }
        notes.extend(outcome.reported.note(&truth).map(|note| format!("{name}: {note}")));
        rows.push(row);
    }
    println!(
        "{} documents, {:.1} MB. Exact pairs: {} with J ≥ 0.8, {} with J ≥ 0.5, {} with C ≥ 0.5.",
        thousands(input.texts.len() as u64),
        input.bytes as f64 / 1e6,
        thousands(truth.pairs[0]),
        thousands(truth.pairs[1]),
        thousands(truth.pairs[2]),
    );
    println!("{}\n", versions(lines));
    let headings: [&[&str]; 2] = [
        &["", "", "", "", "", "", "", "recall", "recall", "recall", "false by", "false by"],
        &[
            "",
            "s",
            "CPU s",
            "MB/s",
            "MiB",
            "reports",
            "pairs",
            "J ≥ 0.8",
            "J ≥ 0.5",
            "C ≥ 0.5",
            "its sets",
            "8 words",
        ],
    ];
    println!("{}", table::table(&headings, &rows));
    if !notes.is_empty() {
        println!("{}\n", notes.join("\n"));
    }
    println!(
        "J       Jaccard similarity of two documents as sets of runs of eight words\n\
         C       share of the smaller set that is in the other\n\
         s       elapsed time with reading and writing; the best of {RUNS} if less than {SHORT} s; limit {} min\n\
         CPU s   CPU time of all cores; MB/s is relative to elapsed time\n\
         MiB     peak memory of the program and its children\n\
         recall  reported pairs in percent of the exact pairs\n\
         false   reported pairs below the threshold: by the sets that the program itself compares, and by\n        \
                 runs of eight words; for the default of textkin, pairs that share no run",
        time_limit.as_secs() / 60,
    );
}

fn cost_cells(name: &str, cost: Cost, bytes: u64) -> Vec<String> {
    let mebibytes = |bytes: u64| format!("{:.0}", bytes as f64 / f64::from(1 << 20));
    vec![
        name.to_owned(),
        format!("{:.2}", cost.seconds),
        cost.processor_seconds.map_or_else(|| "–".to_owned(), |seconds| format!("{seconds:.2}")),
        format!("{:.1}", bytes as f64 / 1e6 / cost.seconds),
        cost.peak_bytes.map_or_else(|| "–".to_owned(), mebibytes),
    ]
}

/// Returns the peers in the table, with their versions.
fn versions(lines: &[Line]) -> String {
    let is_in = |peer: &&Peer| lines.iter().any(|line| line.name.starts_with(peer.name));
    let versions = peer::ALL.iter().filter(is_in);
    let versions: Vec<String> =
        versions.map(|peer| format!("{} {}", peer.name, peer.version)).collect();
    versions.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let request = PeersArguments::parse(&[
            "a.jsonl",
            "--only",
            "gaoya",
            "--limit",
            "5",
            "--time-limit",
            "2",
        ])
        .unwrap();
        assert_eq!(request.path.as_deref(), Some(Path::new("a.jsonl")));
        assert!(request.wants("gaoya") && !request.wants("rensa") && !request.wants("textkin"));
        assert_eq!((request.limit, request.time_limit.as_secs()), (Limit::Documents(5), 120));
        assert_eq!(
            PeersArguments::parse(&["--limit", "5MiB"]).unwrap().limit,
            Limit::Bytes(5 << 20)
        );
        for wrong in [
            &["--only", "x"][..],
            &["--only"],
            &["--fast"],
            &["a", "b"],
            &["--limit", "x"],
            &["--time-limit", "x"],
        ] {
            assert!(PeersArguments::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
