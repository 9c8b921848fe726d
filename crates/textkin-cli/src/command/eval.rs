//! `textkin eval`: experiments by name, and collections to run them on.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use textkin::RunControl;
use textkin::report::terminal;
use textkin_eval::collection::Collection;
use textkin_eval::experiment::{ALL, Experiment};
use textkin_eval::generate::{self, SyntheticSettings};
use textkin_eval::report::ExperimentReport;

use crate::arguments::{Eval, EvalCommand, EvalMeans, Generate};
use crate::exit::Exit;
use crate::interrupt;
use crate::messages::print_message;
use crate::progress::Shown;

/// Runs the command.
pub(crate) fn run(arguments: &Eval) -> anyhow::Result<Exit> {
    match &arguments.command {
        EvalCommand::List => list(),
        EvalCommand::Run(run) => {
            let mut experiments: Vec<Experiment> = Vec::new();
            let mut is_group = false;
            for name in &run.names {
                let named = Experiment::named(name)?;
                is_group |= named.len() > 1;
                for one in named {
                    if experiments.iter().all(|other| other.name != one.name) {
                        experiments.push(one);
                    }
                }
            }
            // Of a group, what the collection is not for is passed over.
            experiment(&experiments, &run.means, run.means.quick, is_group)
        }
        EvalCommand::All(all) => experiment(&ALL, &all.means, !all.means.full, true),
        EvalCommand::Generate(arguments) => generate(arguments),
    }
}

fn list() -> anyhow::Result<Exit> {
    let mut text =
        String::from("Experiments of textkin eval run; the first word is the paper.\n\n");
    for experiment in ALL {
        writeln!(text, "{:<16} {}", experiment.name, experiment.title)?;
        writeln!(text, "{:<16} needs {}", "", experiment.requirement.name())?;
    }
    text.push_str(
        "\ndeco: Bernstein and Zobel 2006. hoad: Hoad and Zobel 2003. ids: Kupietz 2005.\n\
         origin: Abdel-Hamid et al. 2009. scam: Shivakumar and Garcia-Molina 1996.\n\
         truth: pairs, clusters and passages that people labelled; synthetic: generated collections whose truth is known.\n\
         The last two are not from a paper.\n",
    );
    terminal::print(&text)?;
    Ok(Exit::Found)
}

/// Runs experiments one after the other, on every collection.
fn experiment(
    experiments: &[Experiment],
    means: &EvalMeans,
    is_quick: bool,
    passes_over: bool,
) -> anyhow::Result<Exit> {
    let watch = Arc::new(RunControl::default());
    // What experiments store goes away when they end, which they do soon when asked.
    let is_busy = Arc::new(AtomicBool::new(true));
    interrupt::listen_unless(&watch, &is_busy)?;
    let shown = Shown::begin(&watch, means.quiet);
    let ended = every(experiments, means, (is_quick, passes_over), &watch);
    is_busy.store(false, Ordering::Release);
    drop(shown);
    ended
}

fn every(
    experiments: &[Experiment],
    means: &EvalMeans,
    (is_quick, passes_over): (bool, bool),
    watch: &RunControl,
) -> anyhow::Result<Exit> {
    let mut collections = Vec::new();
    for folder in &means.collection {
        watch.progress.begin("reading", 0);
        collections.push(Some(Collection::load(folder)?));
    }
    if collections.is_empty() {
        collections.push(None);
    }
    let has_many = collections.len() > 1;
    for collection in &collections {
        for one in experiments {
            let report = match one.run(collection.as_ref(), is_quick, means.seed, watch) {
                Ok(report) => report,
                Err(error @ textkin_eval::Error::RequirementNotMet { .. }) if passes_over => {
                    print_message(format_args!("textkin: passed over: {error}\n"));
                    continue;
                }
                // So that the exit code is that of the engine's error.
                Err(textkin_eval::Error::Engine(error)) => return Err(error.into()),
                Err(error) => return Err(error.into()),
            };
            show(&report)?;
            if let Some(out) = &means.out {
                let name = collection.as_ref().map(|collection| collection.name.as_str());
                let folder = match name {
                    Some(name) if has_many => out.join(name),
                    _ => out.clone(),
                };
                report.write(&folder)?;
            }
        }
    }
    if let Some(out) = &means.out {
        print_message(format_args!("textkin: results are in {}\n", out.display()));
    }
    Ok(Exit::Found)
}

fn show(report: &ExperimentReport) -> anyhow::Result<()> {
    let mut text = format!("{}: {}\n", report.experiment, report.title);
    writeln!(text, "on {}; {:.1} s\n", report.collection, report.seconds)?;
    text.push_str(&report.table.text());
    text.push('\n');
    if report.table.has_paper() {
        text.push_str("Figures in brackets are from the paper, measured on its own collection.\n");
    }
    for note in &report.notes {
        writeln!(text, "{note}")?;
    }
    text.push('\n');
    terminal::print(&text)?;
    Ok(())
}

fn generate(arguments: &Generate) -> anyhow::Result<Exit> {
    let settings = SyntheticSettings {
        kind: arguments.kind,
        n_documents: arguments.documents as usize,
        words: arguments.words as usize,
        edit: arguments.edit,
        rate: arguments.rate,
        passage: arguments.passage as usize,
        seed: arguments.seed,
    };
    let synthetic = generate::generate(&settings);
    generate::write(&synthetic, &settings, &arguments.out)?;
    print_message(format_args!(
        "textkin: {} documents, {} related pairs, {} copied passages in {}\n",
        synthetic.documents.len(),
        synthetic.related.len(),
        synthetic.passages.len(),
        arguments.out.display()
    ));
    Ok(Exit::Found)
}
