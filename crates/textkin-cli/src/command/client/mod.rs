//! `textkin client`: uses a running server.
//!
//! Reads files in any supported format and sends their texts to the server through `connection`.

mod connection;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use textkin::engine::RunControl;
use textkin::engine::report::terminal;
use textkin::engine::source::{Inputs, SourceSettings};
use textkin::engine::types::number::percent;
use textkin::engine::types::{Document, DocumentSink, Problem, Source};

use self::connection::{Server, printable};
use crate::arguments::{
    Client, ClientAlerts, ClientChannel, ClientCommand, ClientExisting, ClientProbe,
    ClientRegister, ClientStatus, ClientWatch, GlobalOptions, InputOptions, OutputFormat,
};
use crate::documents;
use crate::exit::Exit;
use crate::messages::{error_text, print_message};
use crate::outputs::report_skipped_inputs;
use crate::progress::ProgressDisplay;

/// Runs the command.
pub(crate) fn run(arguments: &Client, global: GlobalOptions) -> anyhow::Result<Exit> {
    let session = ClientSession {
        server: Server::new(&arguments.connection)?,
        is_json: arguments.connection.format == OutputFormat::Json,
        global,
    };
    match &arguments.command {
        ClientCommand::Probe(arguments) => session.probe(arguments),
        ClientCommand::Register(arguments) => session.register(arguments),
        ClientCommand::Watch(arguments) => session.watch(arguments),
        ClientCommand::Alerts(arguments) => session.alerts(arguments),
    }
}

struct ClientSession {
    server: Server,
    is_json: bool,
    global: GlobalOptions,
}

impl ClientSession {
    fn probe(&self, arguments: &ClientProbe) -> anyhow::Result<Exit> {
        let (mut has_found, mut has_failed) = (false, false);
        let repositories = match arguments.repository.is_empty() {
            true => Value::Null,
            false => json!(arguments.repository),
        };
        let mut probe = |text: UploadText| -> anyhow::Result<()> {
            let request = json!({
                "text": text.text, "repositories": repositories, "threshold": arguments.threshold,
            });
            let mut response = self.server.post("/api/v1/probe", &request)?;
            has_found |= !list(&response, "matches").is_empty();
            if self.is_json {
                if let Some(fields) = response.as_object_mut() {
                    fields.insert("file".to_owned(), Value::from(text.id));
                }
                return print_json(&response);
            }
            print_probe(&text.id, &response)
        };
        let n_problems =
            read_texts(&arguments.files, &arguments.input, self.global, &mut |text| {
                let name = text.id.clone();
                if let Err(error) = probe(text) {
                    has_failed = true;
                    print_message(format_args!("textkin: {name}: {}\n", error_text(&error)));
                }
            })?;
        Ok(match (has_failed || n_problems > 0, has_found) {
            (true, _) => Exit::Failed,
            (false, true) => Exit::Found,
            (false, false) => Exit::Nothing,
        })
    }

    fn register(&self, arguments: &ClientRegister) -> anyhow::Result<Exit> {
        let existing = match arguments.existing {
            ClientExisting::Refuse => "refuse",
            ClientExisting::Skip => "skip",
            ClientExisting::Replace => "replace",
        };
        let repository = &arguments.repository;
        let path = format!(
            "/api/v1/repositories/{}/documents?existing={existing}",
            percent_encoded(repository)
        );
        if arguments.watch && !self.is_watched(repository)? {
            self.server.post("/api/v1/watches", &json!({ "repository": repository }))?;
        }
        let (mut n, mut has_failed) = (0u64, false);
        let mut register = |text: UploadText| -> anyhow::Result<()> {
            let new = json!({
                "id": text.id, "text": text.text, "title": text.title, "time": text.time,
            });
            let response = self.server.post(&path, &new)?;
            n += 1;
            if self.is_json {
                return print_json(&response);
            }
            let existed = match response.get("existed").and_then(Value::as_bool) {
                Some(true) => ", already registered",
                _ => "",
            };
            let words = terminal::thousands(number(&response, "words"));
            Ok(terminal::print(&format!("{}: {words} words{existed}\n", text_of(&response, "id")))?)
        };
        let n_problems =
            read_texts(&arguments.files, &arguments.input, self.global, &mut |text| {
                let name = text.id.clone();
                if let Err(error) = register(text) {
                    has_failed = true;
                    print_message(format_args!("textkin: {name}: {}\n", error_text(&error)));
                }
            })?;
        Ok(match (has_failed || n_problems > 0, n) {
            (true, _) => Exit::Failed,
            (false, 0) => Exit::Nothing,
            (false, _) => Exit::Found,
        })
    }

    fn is_watched(&self, repository: &str) -> anyhow::Result<bool> {
        let watches = self.server.get("/api/v1/watches")?;
        let watches = watches.as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(watches.iter().any(|watch| watch.get("repository") == Some(&Value::from(repository))))
    }

    fn watch(&self, arguments: &ClientWatch) -> anyhow::Result<Exit> {
        let level = arguments.min_level.name();
        let mut channels = vec!["inbox"];
        channels.extend(arguments.channel.iter().map(|channel| match channel {
            ClientChannel::Mail => "mail",
            ClientChannel::Webhook => "webhook",
        }));
        let watch = json!({
            "repository": arguments.repository, "min_level": level, "channels": channels,
        });
        let watch = self.server.post("/api/v1/watches", &watch)?;
        if self.is_json {
            print_json(&watch)?;
            return Ok(Exit::Found);
        }
        let repository = text_of(&watch, "repository");
        terminal::print(&format!("watching {repository} (watch {})\n", number(&watch, "id")))?;
        Ok(Exit::Found)
    }

    fn alerts(&self, arguments: &ClientAlerts) -> anyhow::Result<Exit> {
        let state = match arguments.status {
            ClientStatus::Open => "&state=open",
            ClientStatus::Handled => "&state=handled",
            ClientStatus::Dismissed => "&state=dismissed",
            ClientStatus::All => "",
        };
        let top = arguments.top;
        let alerts = self.server.get(&format!("/api/v1/alerts?limit={top}{state}"))?;
        let alerts = alerts.as_array().map(Vec::as_slice).unwrap_or_default();
        if self.is_json {
            for alert in alerts {
                print_json(alert)?;
            }
        } else if !alerts.is_empty() {
            let mut table =
                vec![row(["Level", "Registered", "Found in", "Shared", "Of the other"])];
            for alert in alerts {
                let side = |name: &str| alert.get(name).unwrap_or(&Value::Null);
                let address = |side: &Value| {
                    format!("{}/{}", text_of(side, "repository"), text_of(side, "id"))
                };
                let (registered, found) = (side("registered"), side("found"));
                table.push(row([
                    &text_of(alert, "level"),
                    &address(registered),
                    &address(found),
                    &share(number(registered, "shared_words"), number(registered, "words")),
                    &percent(number(found, "shared_words"), number(found, "words")),
                ]));
            }
            terminal::print(&aligned(&table))?;
        }
        Ok(if alerts.is_empty() { Exit::Nothing } else { Exit::Found })
    }
}

fn print_probe(name: &str, response: &Value) -> anyhow::Result<()> {
    let words = number(response, "words");
    let name = printable(name);
    let matches = list(response, "matches");
    if matches.is_empty() {
        let words = terminal::thousands(words);
        return Ok(terminal::print(&format!("{name}: no matches ({words} words)\n"))?);
    }
    let all = share(number(response, "shared_words"), words);
    let mut text = format!("{name}: {all} appear in registered documents\n");
    let mut table = vec![row(["  Level", "Document", "Shared", "Of the other", "Title"])];
    for found in matches {
        let address = match found.get("repository").and_then(Value::as_str) {
            Some(repository) => format!("{}/{}", printable(repository), text_of(found, "id")),
            None => "private match in another account".to_owned(),
        };
        let other = match found.get("document_words").and_then(Value::as_u64) {
            Some(words) => percent(number(found, "document_shared_words"), words),
            None => "n/a".to_owned(),
        };
        table.push(row([
            &format!("  {}", text_of(found, "level")),
            &address,
            &share(number(found, "shared_words"), words),
            &other,
            &text_of(found, "title"),
        ]));
    }
    text.push_str(&aligned(&table));
    Ok(terminal::print(&text)?)
}

/// A document to send to the server.
struct UploadText {
    id: String,
    title: Option<String>,
    time: Option<String>,
    text: String,
}

/// Passes the documents of files to `take`. Prints problems and returns their number.
fn read_texts(
    files: &[PathBuf],
    options: &InputOptions,
    global: GlobalOptions,
    take: &mut dyn FnMut(UploadText),
) -> anyhow::Result<usize> {
    let settings =
        SourceSettings { keeps_metadata: true, ..documents::collection_settings(options) };
    let mut inputs = Inputs::open(files, &settings).map_err(textkin::Error::from)?;
    let run_control = Arc::new(RunControl::default());
    let display = ProgressDisplay::start_beside(&run_control, global, Path::new("-"));
    run_control.progress.begin("reading", inputs.total_bytes().unwrap_or(0));
    let mut sink = UploadSink { take, is_strict: options.strict, n_problems: 0, failure: None };
    while sink.failure.is_none()
        && let Some(piece) = inputs.next_piece()
    {
        let bytes = piece.bytes();
        piece.read(&mut sink);
        run_control.progress.advance(bytes);
    }
    drop(display);
    if !global.quiet {
        report_skipped_inputs(&inputs);
    }
    sink.failure.map_or(Ok(sink.n_problems), |problem| Err(textkin::Error::Problem(problem).into()))
}

struct UploadSink<'a> {
    take: &'a mut dyn FnMut(UploadText),
    is_strict: bool,
    n_problems: usize,
    failure: Option<Problem>,
}

impl DocumentSink for UploadSink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let metadata: Option<Value> =
            document.metadata.as_deref().and_then(|metadata| serde_json::from_str(metadata).ok());
        let title = metadata.as_ref().and_then(|metadata| metadata.get("title")?.as_str());
        (self.take)(UploadText {
            id: document.id.to_string(),
            title: title.map(printable),
            time: document.time.as_deref().map(printable),
            text: document.content.into_text().unwrap_or_default().into_owned(),
        });
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.n_problems += 1;
        if self.is_strict {
            self.failure = Some(problem);
            return ControlFlow::Break(());
        }
        print_message(format_args!("textkin: {problem}\n"));
        ControlFlow::Continue(())
    }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}

fn text_of(value: &Value, name: &str) -> String {
    printable(value.get(name).and_then(Value::as_str).unwrap_or_default())
}

/// `412 of 1,030 words (40%)`.
fn share(shared: u64, words: u64) -> String {
    let (a, b) = (terminal::thousands(shared), terminal::thousands(words));
    format!("{a} of {b} words ({})", percent(shared, words))
}

fn row(cells: [&str; 5]) -> [String; 5] {
    cells.map(str::to_owned)
}

/// Formats rows as aligned columns.
fn aligned(rows: &[[String; 5]]) -> String {
    let mut widths = [0; 5];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut cells = String::new();
        for (width, cell) in widths.iter().zip(row) {
            let pad = width - cell.chars().count();
            cells.push_str(cell);
            cells.extend(std::iter::repeat_n(' ', pad + 2));
        }
        text.push_str(cells.trim_end());
        text.push('\n');
    }
    text
}

fn print_json(value: &Value) -> anyhow::Result<()> {
    Ok(terminal::print(&format!("{value}\n"))?)
}

/// Percent-encodes a name as a component of a path.
fn percent_encoded(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let part = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_shares_and_tables_are_formatted() {
        assert_eq!(percent_encoded("a b/ü"), "a%20b%2F%C3%BC");
        assert_eq!(share(412, 1030), "412 of 1,030 words (40%)");
        assert_eq!(
            (percent(1, 1000), percent(999, 1000), percent(0, 0)),
            ("<1%".into(), ">99%".into(), "n/a".into())
        );
        let rows = [row(["a", "bb", "c", "", "d"]), row(["aaa", "b", "", "", ""])];
        assert_eq!(aligned(&rows), "a    bb  c    d\naaa  b\n");
    }
}
