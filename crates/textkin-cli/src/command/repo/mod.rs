//! `textkin repo`: creates, changes and inspects repositories.

mod change;
mod inspect;

use std::path::Path;

use anyhow::Context;
use textkin::{Repository, RepositoryWriter, Settings};

use crate::arguments::{Repo, RepoCommand, RepoCreate, WritePerformanceOptions};
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(arguments: &Repo) -> anyhow::Result<Exit> {
    match &arguments.command {
        RepoCommand::Create(arguments) => create(arguments),
        RepoCommand::Add(arguments) => change::add(arguments, false),
        RepoCommand::Replace(arguments) => change::add(arguments, true),
        RepoCommand::Remove(arguments) => change::remove(arguments),
        RepoCommand::Compact(arguments) => change::compact(arguments),
        RepoCommand::List(arguments) => inspect::list(arguments),
        RepoCommand::Info(arguments) => inspect::info(arguments),
        RepoCommand::Check(arguments) => inspect::check(&arguments.folder),
        RepoCommand::Export(arguments) => inspect::export(arguments),
    }
}

fn create(arguments: &RepoCreate) -> anyhow::Result<Exit> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut settings = Settings {
        normalization: arguments.normalize.clone(),
        chunk: arguments.chunk,
        select: arguments.select.clone(),
        hash: arguments.hash,
        templates: arguments.template.iter().map(|path| read(path)).collect::<Result<_, _>>()?,
        ..Settings::default()
    };
    if let Some(path) = &arguments.stop_list {
        settings.normalization = settings.normalization.with_stop_list(words(read(path)?));
    }
    for path in arguments.select.files() {
        settings.resources.lists.insert(path.to_owned(), words(read(path)?));
    }
    let writer =
        RepositoryWriter::create(&arguments.folder, &settings, !arguments.fingerprints_only)?;
    textkin::report::terminal::print(&format!(
        "created {} ({})\n",
        arguments.folder.display(),
        settings_line(&writer.repository())
    ))?;
    Ok(Exit::Found)
}

/// Returns the settings of a repository in one line.
fn settings_line(repository: &Repository) -> String {
    let config = repository.config();
    let mut text = format!(
        "--chunk {} --select {} --normalize {} --hash {}",
        config.analysis.chunk, config.select, config.analysis.normalize, config.analysis.hash
    );
    if !config.analysis.stop_list.is_empty() {
        text += &format!(", {} stop words", config.analysis.stop_list.len());
    }
    if !config.template_texts.is_empty() {
        text += &format!(", {} templates", config.template_texts.len());
    }
    text += if config.keeps_text { ", texts stored" } else { ", fingerprints only" };
    text
}

fn settings(performance: &WritePerformanceOptions) -> Settings {
    Settings {
        memory: performance.memory,
        threads: performance.threads.map(usize::from),
        ..Settings::default()
    }
}
