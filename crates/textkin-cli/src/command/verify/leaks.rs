//! Checks the log of `textkin decontaminate` against the documents.
//!
//! For each line: the document exists, has the text at the stated position, and has the same words as the question in
//! each stated stretch, in the stated order.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};
use textkin::engine::report::terminal;
use textkin::engine::source::Inputs;
use textkin::engine::text::tokenizer::{Normalization, WordTokenizer};
use textkin::engine::types::{Document, DocumentSink, Layers, Problem, Source, Tokenizer, Tokens};

use super::report::read_report;
use crate::arguments::{OutputFormat, Verify};
use crate::exit::Exit;
use crate::messages::print_message;
use crate::outputs::{ignore_broken_pipe, write_result};

/// Returns the lines of a log of `textkin decontaminate`; `None` if the report is another one.
pub(super) fn read_log(path: &Path) -> anyhow::Result<Option<Vec<Value>>> {
    let text = read_report(path)?;
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let is_hit = |value: &Value| value.get("benchmark").is_some() && value.get("spans").is_some();
    match values.next() {
        Some(Ok(first)) if is_hit(&first) => {
            let rest = values.collect::<Result<Vec<_>, _>>().context("the log is damaged")?;
            Ok(Some(std::iter::once(first).chain(rest).collect()))
        }
        _ => Ok(None),
    }
}

/// Checks all lines of a log.
pub(super) fn verify(
    lines: &[Value],
    inputs: &mut Inputs,
    arguments: &Verify,
    quiet: bool,
) -> anyhow::Result<Exit> {
    let mut checker = Checker::default();
    for (number, line) in lines.iter().enumerate() {
        let id = line["document"].as_str().context("the log is damaged: a line has no document")?;
        checker.by_document.entry(id.to_owned()).or_default().push((number, line));
    }
    checker.verdicts = vec![vec!["no document has this id".to_owned()]; lines.len()];
    while let Some(piece) = inputs.next_piece() {
        piece.read(&mut checker);
    }
    if let Some(problem) = checker.problems.first().filter(|_| arguments.input.strict) {
        return Err(textkin::Error::Problem(problem.clone()).into());
    }
    for problem in &checker.problems {
        print_message(format_args!("textkin: {problem}\n"));
    }
    let n_failed = checker.verdicts.iter().filter(|faults| !faults.is_empty()).count();
    let text = match arguments.format.format {
        OutputFormat::Json => {
            let hits = lines.iter().zip(&checker.verdicts).map(|(line, faults)| {
                json!({ "document": line["document"], "item": line["item"], "faults": faults })
            });
            format!("{}\n", json!({ "valid": n_failed == 0, "hits": hits.collect::<Vec<_>>() }))
        }
        OutputFormat::Text => {
            let mut text = String::new();
            for (line, faults) in lines.iter().zip(&checker.verdicts) {
                for fault in faults {
                    let (document, item) = (line["document"].as_str(), line["item"].as_str());
                    let (document, item) = (document.unwrap_or("?"), item.unwrap_or("?"));
                    let _ =
                        writeln!(text, "✗ {document}, item {item}: {}", terminal::fit(fault, 200));
                }
            }
            let _ = match n_failed {
                0 => writeln!(text, "log valid: {} hits", lines.len()),
                _ => writeln!(text, "log invalid: {n_failed} of {} hits failed", lines.len()),
            };
            text
        }
    };
    if !(quiet && n_failed == 0) || arguments.format.format == OutputFormat::Json {
        ignore_broken_pipe(write_result(arguments.out.path(), &text))?;
    }
    Ok(if n_failed == 0 { Exit::Found } else { Exit::Nothing })
}

/// Checks documents as they are read.
#[derive(Default)]
struct Checker<'a> {
    /// Lines and their numbers.
    by_document: HashMap<String, Vec<(usize, &'a Value)>>,
    /// The faults of each line.
    verdicts: Vec<Vec<String>>,
    problems: Vec<Problem>,
}

impl DocumentSink for Checker<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        for (number, line) in self.by_document.get(&*document.id).into_iter().flatten() {
            self.verdicts[*number] = faults(line, document.text().unwrap_or_default());
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems.push(problem);
        ControlFlow::Continue(())
    }
}

/// Returns what is wrong with a line.
fn faults(line: &Value, document: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let slice = |text: &'_ str, range: &Value, begin: &str, end: &str| -> Option<Range<usize>> {
        let bound = |name: &str| range[name].as_u64().and_then(|bound| usize::try_from(bound).ok());
        let range = bound(begin)?..bound(end)?;
        text.get(range.clone())?;
        Some(range)
    };
    match slice(document, line, "start", "end") {
        Some(range) if Some(&document[range.clone()]) == line["text"].as_str() => {}
        _ => faults.push("the document has another text at this position".to_owned()),
    }
    let question = line["question"].as_str().unwrap_or_default();
    let mut covered = 0;
    let mut last = 0;
    for span in line["spans"].as_array().into_iter().flatten() {
        let found = slice(document, span, "start", "end");
        let asked = slice(question, span, "question_start", "question_end");
        let (Some(found), Some(asked)) = (found, asked) else {
            faults.push("a stretch is outside of the text".to_owned());
            continue;
        };
        if words(&document[found]) != words(&question[asked.clone()]) {
            faults.push(format!("other words in place of '{}'", &question[asked.clone()]));
        }
        if asked.start < last {
            faults.push("stretches are not in the order of the question".to_owned());
        }
        last = asked.end;
        covered += words(&question[asked]).len();
    }
    if covered == 0 {
        faults.push("no stretch of the question is stated".to_owned());
    }
    let is_share = |name: &str| match &line[name] {
        Value::Null => name != "share",
        value => value.as_f64().is_some_and(|share| (0.0..=1.0 + 1e-9).contains(&share)),
    };
    for name in ["share", "answer_share", "passage_share"] {
        if !is_share(name) {
            faults.push(format!("{name} is not a share"));
        }
    }
    faults
}

/// Returns the words of a text as they are compared.
fn words(text: &str) -> Vec<u64> {
    let normalization: Normalization =
        textkin::engine::ITEM_NORMALIZATION.parse().expect("the steps exist");
    let mut tokens = Tokens::new(Layers { hashes_only: true, ..Layers::NONE });
    WordTokenizer::new(&normalization).tokenize(text, &mut tokens);
    tokens.hashes().to_vec()
}
