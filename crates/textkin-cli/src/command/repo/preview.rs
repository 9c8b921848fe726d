//! `textkin repo add --dry-run`: reads the inputs and shows what would be added.

use std::collections::HashSet;
use std::ops::ControlFlow;

use serde_json::json;
use textkin::engine::RunControl;
use textkin::engine::report::terminal::{self, counted};
use textkin::engine::source::Inputs;
use textkin::engine::types::{Document, DocumentSink, Problem, Source};
use textkin::{ExistingPolicy, Repository};

use crate::arguments::{GlobalOptions, OutputFormat, RepoAdd};
use crate::exit::Exit;
use crate::messages::print_message;

/// What adding documents would do.
pub(super) struct Preview {
    repository: Repository,
    existing: ExistingPolicy,
    is_strict: bool,
    seen: HashSet<String>,
    added: u64,
    replaced: u64,
    skipped: u64,
    problems: u64,
    text_bytes: u64,
    failure: Option<anyhow::Error>,
}

impl Preview {
    pub(super) fn new(arguments: &RepoAdd, existing: ExistingPolicy) -> anyhow::Result<Self> {
        Ok(Self {
            repository: Repository::open(&arguments.folder)?,
            existing,
            is_strict: arguments.input.strict,
            seen: HashSet::new(),
            added: 0,
            replaced: 0,
            skipped: 0,
            problems: 0,
            text_bytes: 0,
            failure: None,
        })
    }

    /// Reads all documents of `inputs`.
    pub(super) fn read(
        &mut self,
        inputs: &mut Inputs,
        run_control: &RunControl,
    ) -> anyhow::Result<()> {
        run_control.progress.begin("reading", inputs.total_bytes().unwrap_or(0));
        while self.failure.is_none()
            && let Some(piece) = inputs.next_piece()
        {
            let bytes = piece.bytes();
            piece.read(self);
            run_control.progress.advance(bytes);
            if run_control.stop.is_requested() {
                return Err(textkin::Error::Stopped.into());
            }
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Returns whether the inputs had no document and no problem.
    pub(super) fn is_empty(&self) -> bool {
        self.added + self.skipped + self.problems == 0
    }

    /// Prints the result.
    pub(super) fn show(self, arguments: &RepoAdd, global: GlobalOptions) -> anyhow::Result<Exit> {
        if arguments.output.format.format == OutputFormat::Json {
            let value = json!({
                "dry_run": true,
                "added": self.added,
                "replaced": self.replaced,
                "skipped": self.skipped,
                "problems": self.problems,
                "text_bytes": self.text_bytes,
            });
            terminal::print(&format!("{value}\n"))?;
        } else if !global.quiet {
            let documents = counted(self.added, "document", "documents");
            let mut text =
                format!("would add {documents} with {}", terminal::bytes(self.text_bytes as f64));
            for (n, one, many) in [
                (self.replaced, "replaced", "replaced"),
                (self.skipped, "skipped", "skipped"),
                (self.problems, "problem", "problems"),
            ] {
                if n > 0 {
                    text.push_str(&format!(", {}", counted(n, one, many)));
                }
            }
            terminal::print(&format!("{text}\n"))?;
        }
        Ok(match (self.added, self.problems) {
            (1.., _) => Exit::Found,
            (0, 0) => Exit::Nothing,
            _ => Exit::Failed,
        })
    }

    fn add(&mut self, document: &Document<'_>) -> anyhow::Result<()> {
        let is_stored = self.repository.storage().find(&document.id)?.is_some();
        let is_new = self.seen.insert(document.id.to_string());
        match (is_new, is_stored, self.existing) {
            (false, _, ExistingPolicy::Skip) | (_, true, ExistingPolicy::Skip) => self.skipped += 1,
            (false, ..) | (true, true, ExistingPolicy::Refuse) => {
                self.problems += 1;
                let problem = match is_new {
                    true => Problem {
                        path: document.id.to_string(),
                        line: None,
                        reason: "the id already exists; use --existing replace or --existing skip"
                            .to_owned(),
                    },
                    false => Problem::duplicate_id(document.id.clone()),
                };
                anyhow::ensure!(!self.is_strict, "{problem}");
                print_message(format_args!("textkin: {problem}\n"));
            }
            (true, is_stored, _) => {
                self.added += 1;
                self.replaced += u64::from(is_stored);
                self.text_bytes += document.text().map_or(0, str::len) as u64;
            }
        }
        Ok(())
    }

    fn next(&self) -> ControlFlow<()> {
        if self.failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl DocumentSink for Preview {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        if let Err(error) = self.add(&document) {
            self.failure = Some(error);
        }
        self.next()
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems += 1;
        if self.is_strict {
            self.failure = Some(textkin::Error::Problem(problem).into());
        } else {
            print_message(format_args!("textkin: {problem}\n"));
        }
        self.next()
    }
}
