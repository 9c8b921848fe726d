//! `textkin eval`: runs experiments and generates collections for them.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use textkin::engine::RunControl;
use textkin::engine::report::terminal;
use textkin_eval::collection::Collection;
use textkin_eval::experiment::{ALL, Experiment};
use textkin_eval::generate::{self, SyntheticSettings};
use textkin_eval::report::ExperimentReport;

use crate::arguments::{
    Eval, EvalCommand, EvalGenerate, EvalOptions, FormatOptions, GlobalOptions, OutputFormat,
};
use crate::exit::Exit;
use crate::interrupt;
use crate::messages::print_message;
use crate::progress::ProgressDisplay;

/// Runs the command.
pub(crate) fn run(arguments: &Eval, global: GlobalOptions) -> anyhow::Result<Exit> {
    match &arguments.command {
        EvalCommand::List(arguments) => list(arguments.format),
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
            // Skip experiments of a group that the collection is not suitable for.
            let choice = (run.options.quick, is_group);
            run_experiments(&experiments, &run.options, choice, global)
        }
        EvalCommand::All(all) => {
            run_experiments(&ALL, &all.options, (!all.options.full, true), global)
        }
        EvalCommand::Generate(arguments) => generate(arguments, global),
    }
}

fn list(format: FormatOptions) -> anyhow::Result<Exit> {
    if format.format == OutputFormat::Json {
        for experiment in ALL {
            let line = serde_json::json!({
                "name": experiment.name,
                "title": experiment.title,
                "needs": experiment.requirement.name(),
            });
            terminal::print(&format!("{line}\n"))?;
        }
        return Ok(Exit::Found);
    }
    let mut text =
        String::from("Experiments for textkin eval run; the part before the dot is the paper.\n\n");
    for experiment in ALL {
        writeln!(text, "{:<16} {}", experiment.name, experiment.title)?;
        writeln!(text, "{:<16} needs {}", "", experiment.requirement.name())?;
    }
    text.push_str(
        "\ndeco: Bernstein and Zobel 2006. hoad: Hoad and Zobel 2003. ids: Kupietz 2005.\n\
         origin: Abdel-Hamid et al. 2009. scam: Shivakumar and Garcia-Molina 1996.\n\
         truth: labelled pairs, clusters and passages; synthetic: generated collections and planted items (both without a paper).\n",
    );
    terminal::print(&text)?;
    Ok(Exit::Found)
}

/// Runs experiments one after the other on every collection.
fn run_experiments(
    experiments: &[Experiment],
    options: &EvalOptions,
    choice: (bool, bool),
    global: GlobalOptions,
) -> anyhow::Result<Exit> {
    let run_control = Arc::new(RunControl::default());
    // Experiments remove their temporary files when they end, which is soon after Ctrl-C.
    let is_busy = Arc::new(AtomicBool::new(true));
    interrupt::listen_and_wait(&run_control, &is_busy)?;
    let display = ProgressDisplay::start(&run_control, global);
    let result = run_each(experiments, options, choice, &run_control, global);
    is_busy.store(false, Ordering::Release);
    drop(display);
    result
}

fn run_each(
    experiments: &[Experiment],
    options: &EvalOptions,
    (is_quick, skips_unsuitable): (bool, bool),
    run_control: &RunControl,
    global: GlobalOptions,
) -> anyhow::Result<Exit> {
    let mut collections = Vec::new();
    let items: Arc<[textkin::EvaluationItem]> = match options.against.is_empty() {
        true => [].into(),
        false => textkin::Decontaminate::new().against_paths(&options.against)?.items().into(),
    };
    for folder in &options.collection {
        run_control.progress.begin("reading", 0);
        let items = Arc::clone(&items);
        collections.push(Some(Collection { items, ..Collection::load(folder)? }));
    }
    anyhow::ensure!(
        items.is_empty() || !collections.is_empty(),
        "--against plants items in the documents of a --collection; add one"
    );
    for folder in &options.background {
        let background = Collection::load(folder)?;
        collections.iter_mut().flatten().for_each(|one| one.add_background(&background));
    }
    if collections.is_empty() {
        collections.push(None);
    }
    let has_many = collections.len() > 1;
    for collection in &collections {
        for one in experiments {
            let report = match one.run(collection.as_ref(), is_quick, options.seed, run_control) {
                Ok(report) => report,
                Err(error @ textkin_eval::Error::RequirementNotMet { .. }) if skips_unsuitable => {
                    print_message(format_args!("textkin: skipped: {error}\n"));
                    continue;
                }
                // The exit code depends on the error of the engine.
                Err(textkin_eval::Error::Engine(error)) => return Err(error.into()),
                Err(error) => return Err(error.into()),
            };
            show(&report, options.format)?;
            if let Some(out) = &options.out {
                let name = collection.as_ref().map(|collection| collection.name.as_str());
                let folder = match name {
                    Some(name) if has_many => out.join(name),
                    _ => out.clone(),
                };
                report.write(&folder)?;
            }
        }
    }
    if let Some(out) = options.out.as_ref().filter(|out| out.is_dir()) {
        let index = textkin_eval::report::write_index(out)?;
        if !global.quiet {
            print_message(format_args!("textkin: results are in {}\n", index.display()));
        }
    }
    Ok(Exit::Found)
}

fn show(report: &ExperimentReport, format: FormatOptions) -> anyhow::Result<()> {
    if format.format == OutputFormat::Json {
        return Ok(terminal::print(&format!("{}\n", serde_json::to_string(report)?))?);
    }
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

fn generate(arguments: &EvalGenerate, global: GlobalOptions) -> anyhow::Result<Exit> {
    let settings = SyntheticSettings {
        kind: arguments.kind,
        n_documents: arguments.documents as usize,
        words: arguments.words as usize,
        edit: arguments.edit,
        rate: arguments.rate,
        passage: arguments.passage as usize,
        seed: arguments.seed,
    };
    let collection = generate::generate(&settings);
    generate::write(&collection, &settings, &arguments.out)?;
    if global.quiet {
        return Ok(Exit::Found);
    }
    print_message(format_args!(
        "textkin: wrote {} documents with {} related pairs and {} copied passages to {}\n",
        collection.documents.len(),
        collection.related.len(),
        collection.passages.len(),
        arguments.out.display()
    ));
    Ok(Exit::Found)
}
