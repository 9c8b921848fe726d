//! `textkin repo`: creates, changes and inspects repositories.

mod change;
mod inspect;
mod preview;

use std::path::Path;

use anyhow::Context;
use textkin::Repository;
use textkin::engine::report::terminal;
use textkin::engine::{RepositoryWriter, Settings};

use crate::arguments::{GlobalOptions, OutputFormat, Repo, RepoCommand, RepoCreate, WriteOptions};
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(arguments: &Repo, global: GlobalOptions) -> anyhow::Result<Exit> {
    match &arguments.command {
        RepoCommand::Create(arguments) => create(arguments, global),
        RepoCommand::Add(arguments) => change::add(arguments, false, global),
        RepoCommand::Replace(arguments) => change::add(arguments, true, global),
        RepoCommand::Remove(arguments) => change::remove(arguments, global),
        RepoCommand::Compact(arguments) => change::compact(arguments, global),
        RepoCommand::List(arguments) => inspect::list(arguments, global),
        RepoCommand::Info(arguments) => inspect::info(arguments),
        RepoCommand::Check(arguments) => inspect::check(arguments, global),
        RepoCommand::Export(arguments) => inspect::export(arguments, global),
    }
}

fn create(arguments: &RepoCreate, global: GlobalOptions) -> anyhow::Result<Exit> {
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
    if !arguments.stop_list.stop_list.is_empty() {
        settings.normalization =
            settings.normalization.with_stop_list(arguments.stop_list.words()?);
    }
    for path in arguments.select.files() {
        settings.resources.lists.insert(path.to_owned(), words(read(path)?));
    }
    let writer = match arguments.rewritten {
        true => RepositoryWriter::create_rewritten(&arguments.folder, &settings)?,
        false => {
            RepositoryWriter::create(&arguments.folder, &settings, !arguments.fingerprints_only)?
        }
    };
    let repository = writer.repository();
    if arguments.format.format == OutputFormat::Json {
        let value = serde_json::json!({
            "repository": arguments.folder.display().to_string(),
            "created_with": repository.config(),
        });
        terminal::print(&format!("{value}\n"))?;
    } else if !global.quiet {
        let settings = settings_line(&repository);
        terminal::print(&format!("created {} ({settings})\n", arguments.folder.display()))?;
    }
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
    if config.rewritten {
        text += ", rewritten text indexed";
    }
    text
}

fn settings(performance: &WriteOptions) -> Settings {
    Settings {
        memory: performance.memory,
        threads: performance.threads.threads.map(usize::from),
        ..Settings::default()
    }
}
