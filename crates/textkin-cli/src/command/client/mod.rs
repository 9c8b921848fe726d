//! `textkin client`: asks a running server.
//!
//! Files are read here, in any format, and their texts go to the server; `connection` sends.

mod connection;

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde_json::{Value, json};
use textkin::report::terminal;
use textkin::source::{Inputs, SourceSettings};
use textkin::types::{Document, DocumentSink, Problem, Source};

use self::connection::{Server, shown};
use crate::arguments::{
    Client, ClientAlerts, ClientChannel, ClientCommand, ClientExisting, ClientLevel, ClientProbe,
    ClientRegister, ClientState, ClientWatch, Reading,
};
use crate::documents;
use crate::exit::Exit;
use crate::messages::{in_words, print_message};

/// Runs the command.
pub(crate) fn run(arguments: &Client) -> anyhow::Result<Exit> {
    let asking =
        Asking { server: Server::new(&arguments.connection)?, is_json: arguments.connection.json };
    match &arguments.command {
        ClientCommand::Probe(arguments) => asking.probe(arguments),
        ClientCommand::Register(arguments) => asking.register(arguments),
        ClientCommand::Watch(arguments) => asking.watch(arguments),
        ClientCommand::Alerts(arguments) => asking.alerts(arguments),
    }
}

struct Asking {
    server: Server,
    is_json: bool,
}

impl Asking {
    fn probe(&self, arguments: &ClientProbe) -> anyhow::Result<Exit> {
        let (mut has_found, mut has_failed) = (false, false);
        let repositories = match arguments.repository.is_empty() {
            true => Value::Null,
            false => json!(arguments.repository),
        };
        let mut probe = |text: Text| -> anyhow::Result<()> {
            let request = json!({
                "text": text.text, "repositories": repositories, "threshold": arguments.threshold,
            });
            let mut answer = self.server.post("/api/v1/probe", &request)?;
            has_found |= !list(&answer, "matches").is_empty();
            if self.is_json {
                if let Some(fields) = answer.as_object_mut() {
                    fields.insert("file".to_owned(), Value::from(text.id));
                }
                return line(&answer);
            }
            print_probe(&text.id, &answer)
        };
        let n_problems = texts(&arguments.files, &arguments.reading, &mut |text| {
            let name = text.id.clone();
            if let Err(error) = probe(text) {
                has_failed = true;
                print_message(format_args!("textkin: {name}: {}\n", in_words(&error)));
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
        let place =
            format!("/api/v1/repositories/{}/documents?existing={existing}", in_path(repository));
        if arguments.watch && !self.is_watched(repository)? {
            self.server.post("/api/v1/watches", &json!({ "repository": repository }))?;
        }
        let (mut n, mut has_failed) = (0u64, false);
        let mut register = |text: Text| -> anyhow::Result<()> {
            let new = json!({
                "id": text.id, "text": text.text, "title": text.title, "time": text.time,
            });
            let answer = self.server.post(&place, &new)?;
            n += 1;
            if self.is_json {
                return line(&answer);
            }
            let was = match answer.get("existed").and_then(Value::as_bool) {
                Some(true) => ", was there already",
                _ => "",
            };
            let words = terminal::thousands(number(&answer, "words"));
            Ok(terminal::print(&format!("{}: {words} words{was}\n", text_of(&answer, "id")))?)
        };
        let n_problems = texts(&arguments.files, &arguments.reading, &mut |text| {
            let name = text.id.clone();
            if let Err(error) = register(text) {
                has_failed = true;
                print_message(format_args!("textkin: {name}: {}\n", in_words(&error)));
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
        let level = match arguments.min_level {
            ClientLevel::Some => "some",
            ClientLevel::High => "high",
            ClientLevel::Exact => "exact",
        };
        let mut channels = vec!["inbox"];
        channels.extend(arguments.channel.iter().map(|channel| match channel {
            ClientChannel::Mail => "mail",
            ClientChannel::Webhook => "webhook",
        }));
        let watch = json!({
            "repository": arguments.repository, "min_level": level, "channels": channels,
        });
        let made = self.server.post("/api/v1/watches", &watch)?;
        if self.is_json {
            line(&made)?;
            return Ok(Exit::Found);
        }
        let repository = text_of(&made, "repository");
        terminal::print(&format!("{repository} is watched (watch {})\n", number(&made, "id")))?;
        Ok(Exit::Found)
    }

    fn alerts(&self, arguments: &ClientAlerts) -> anyhow::Result<Exit> {
        let state = match arguments.state {
            ClientState::Open => "&state=open",
            ClientState::Handled => "&state=handled",
            ClientState::Dismissed => "&state=dismissed",
            ClientState::All => "",
        };
        let limit = arguments.limit;
        let alerts = self.server.get(&format!("/api/v1/alerts?limit={limit}{state}"))?;
        let alerts = alerts.as_array().map(Vec::as_slice).unwrap_or_default();
        if self.is_json {
            for alert in alerts {
                line(alert)?;
            }
        } else if !alerts.is_empty() {
            let mut table =
                vec![row(["Level", "Registered", "Found in", "Shared", "Of the other"])];
            for alert in alerts {
                let side = |name: &str| alert.get(name).unwrap_or(&Value::Null);
                let place = |side: &Value| {
                    format!("{}/{}", text_of(side, "repository"), text_of(side, "id"))
                };
                let (registered, found) = (side("registered"), side("found"));
                table.push(row([
                    &text_of(alert, "level"),
                    &place(registered),
                    &place(found),
                    &share(number(registered, "shared_words"), number(registered, "words")),
                    &percent(number(found, "shared_words"), number(found, "words")),
                ]));
            }
            terminal::print(&aligned(&table))?;
        }
        Ok(if alerts.is_empty() { Exit::Nothing } else { Exit::Found })
    }
}

fn print_probe(name: &str, answer: &Value) -> anyhow::Result<()> {
    let words = number(answer, "words");
    let name = shown(name);
    let matches = list(answer, "matches");
    if matches.is_empty() {
        let words = terminal::thousands(words);
        return Ok(terminal::print(&format!("{name}: found nowhere ({words} words)\n"))?);
    }
    let all = share(number(answer, "shared_words"), words);
    let mut text = format!("{name}: {all}, stand in registered documents\n");
    let mut table = vec![row(["  Level", "Document", "Shared", "Of the other", "Title"])];
    for found in matches {
        let place = match found.get("repository").and_then(Value::as_str) {
            Some(repository) => format!("{}/{}", shown(repository), text_of(found, "id")),
            None => "held by another owner".to_owned(),
        };
        let other = match found.get("document_words").and_then(Value::as_u64) {
            Some(words) => percent(number(found, "document_shared_words"), words),
            None => "n/a".to_owned(),
        };
        table.push(row([
            &format!("  {}", text_of(found, "level")),
            &place,
            &share(number(found, "shared_words"), words),
            &other,
            &text_of(found, "title"),
        ]));
    }
    text.push_str(&aligned(&table));
    Ok(terminal::print(&text)?)
}

/// A document that was read here.
struct Text {
    id: String,
    title: Option<String>,
    time: Option<String>,
    text: String,
}

/// Gives the documents of files to `take`; tells problems, and how many there were.
fn texts(
    files: &[PathBuf],
    reading: &Reading,
    take: &mut dyn FnMut(Text),
) -> anyhow::Result<usize> {
    let settings = SourceSettings { keeps_metadata: true, ..documents::source_settings(reading) };
    let mut inputs = Inputs::open(files, &settings).map_err(textkin::Error::from)?;
    let mut sink = Sink { take, n_problems: 0 };
    while let Some(piece) = inputs.next_piece() {
        piece.read(&mut sink);
    }
    Ok(sink.n_problems)
}

struct Sink<'a> {
    take: &'a mut dyn FnMut(Text),
    n_problems: usize,
}

impl DocumentSink for Sink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let metadata: Option<Value> =
            document.metadata.as_deref().and_then(|metadata| serde_json::from_str(metadata).ok());
        let title = metadata.as_ref().and_then(|metadata| metadata.get("title")?.as_str());
        (self.take)(Text {
            id: document.id.to_string(),
            title: title.map(shown),
            time: document.time.as_deref().map(shown),
            text: document.text.into_owned(),
        });
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.n_problems += 1;
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
    shown(value.get(name).and_then(Value::as_str).unwrap_or_default())
}

/// `412 of 1,030 words, 40%`.
fn share(shared: u64, words: u64) -> String {
    let (a, b) = (terminal::thousands(shared), terminal::thousands(words));
    format!("{a} of {b} words, {}", percent(shared, words))
}

/// Everything and nothing are said only of everything and nothing.
fn percent(shared: u64, words: u64) -> String {
    let (shared, words) = (u128::from(shared), u128::from(words));
    if words == 0 {
        return "n/a".to_owned();
    }
    match (shared * 200 + words) / (words * 2) {
        0 if shared > 0 => "<1%".to_owned(),
        100 if shared < words => ">99%".to_owned(),
        percent => format!("{percent}%"),
    }
}

fn row(cells: [&str; 5]) -> [String; 5] {
    cells.map(str::to_owned)
}

/// Rows as lines with columns below one another.
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

fn line(value: &Value) -> anyhow::Result<()> {
    Ok(terminal::print(&format!("{value}\n"))?)
}

/// A name as a part of a path.
fn in_path(name: &str) -> String {
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
    fn names_shares_and_tables_are_written() {
        assert_eq!(in_path("a b/ü"), "a%20b%2F%C3%BC");
        assert_eq!(share(412, 1030), "412 of 1,030 words, 40%");
        assert_eq!(
            (percent(1, 1000), percent(999, 1000), percent(0, 0)),
            ("<1%".into(), ">99%".into(), "n/a".into())
        );
        let rows = [row(["a", "bb", "c", "", "d"]), row(["aaa", "b", "", "", ""])];
        assert_eq!(aligned(&rows), "a    bb  c    d\naaa  b\n");
    }
}
