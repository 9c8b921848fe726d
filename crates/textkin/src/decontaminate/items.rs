//! Evaluation items: what must not be in a training corpus.
//!
//! In: records of benchmarks. Out: an [`EvaluationSet`]. Some formats have one record per option; these are one item.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use serde_json::Value;
use textkin_core::{Document, DocumentSink, Problem, Source, parallel};

use crate::error::Error;

/// A question of a benchmark, with its answers and its passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvaluationItem {
    /// Id of its first record.
    pub id: String,
    /// Name of its benchmark.
    pub benchmark: String,
    /// The question.
    pub question: String,
    /// The answers; of a multiple-choice question all options.
    pub answers: Vec<Answer>,
    /// The text that the question is about.
    pub passage: Option<String>,
    /// Records of a benchmark with the same question, passage and group are options of one item. Records without a
    /// group are one item if their answers are the same too.
    pub group: Option<String>,
}

/// An answer of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its text.
    pub text: String,
    /// Whether it is correct.
    pub is_correct: bool,
}

/// The fields of a record of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemFields {
    /// The question: `question` by default.
    pub question: String,
    /// The answer: `answer` by default. If it is the index or letter of a choice, that choice.
    pub answer: String,
    /// The passage: `passage` by default.
    pub passage: String,
}

impl Default for ItemFields {
    fn default() -> Self {
        let [question, answer, passage] = ["question", "answer", "passage"].map(str::to_owned);
        Self { question, answer, passage }
    }
}

/// The items of all benchmarks.
#[derive(Clone, Debug, Default)]
pub struct EvaluationSet {
    items: Vec<EvaluationItem>,
    /// Items by benchmark, question, passage and group.
    known: HashMap<u128, u32>,
    n_records: u64,
    n_empty: u64,
}

impl EvaluationSet {
    /// Creates a set without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the records of `source`, whose texts are the questions and whose metadata has the other fields.
    /// `benchmark` is the name for records that do not name theirs.
    ///
    /// # Errors
    /// If a record has no question.
    pub fn read(
        &mut self,
        source: &mut dyn Source,
        fields: &ItemFields,
        benchmark: &str,
        threads: usize,
    ) -> Result<(), Error> {
        let queue = Mutex::new((source, 0usize));
        let parts = parallel::run(threads, |_| {
            let mut parts = Vec::new();
            loop {
                let mut taking = queue.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(piece) = taking.0.next_piece() else { return parts };
                let number = taking.1;
                taking.1 += 1;
                drop(taking);
                let mut reader = Reader { fields, benchmark, items: Vec::new(), failure: None };
                piece.read(&mut reader);
                parts.push((number, reader.items, reader.failure));
            }
        });
        let mut parts: Vec<_> = parts.into_iter().flatten().collect();
        parts.sort_unstable_by_key(|(number, ..)| *number);
        for (_, items, failure) in parts {
            items.into_iter().for_each(|item| self.push(item));
            if let Some(problem) = failure {
                let problem = problem.to_string().replace("--text-field", "--question-field");
                return Err(Error::EvaluationRecord { problem });
            }
        }
        Ok(())
    }

    /// Adds an item, or its answers to the item of its group.
    pub fn push(&mut self, item: EvaluationItem) {
        self.n_records += 1;
        if !item.question.chars().any(char::is_alphanumeric) {
            self.n_empty += 1;
            return;
        }
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        let passage = item.passage.as_deref().unwrap_or_default();
        let parts = [&item.benchmark, &item.question, passage].into_iter();
        let answers = item.answers.iter().map(|answer| &*answer.text);
        let group: Vec<&str> = match &item.group {
            Some(group) => vec!["group", group],
            None => answers.collect(),
        };
        for part in parts.chain(group) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let next = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        let number = *self.known.entry(hasher.digest128()).or_insert(next);
        match self.items.get_mut(number as usize) {
            None => self.items.push(item),
            Some(known) => {
                for answer in item.answers {
                    match known.answers.iter_mut().find(|known| known.text == answer.text) {
                        Some(known) => known.is_correct |= answer.is_correct,
                        None => known.answers.push(answer),
                    }
                }
            }
        }
    }

    /// Returns the items.
    #[must_use]
    pub fn items(&self) -> &[EvaluationItem] {
        &self.items
    }

    /// Returns the number of records, those without words and those of known items included.
    #[must_use]
    pub fn n_records(&self) -> u64 {
        self.n_records
    }

    /// Returns the number of records whose question has no words.
    #[must_use]
    pub fn n_empty(&self) -> u64 {
        self.n_empty
    }
}

struct Reader<'a> {
    fields: &'a ItemFields,
    benchmark: &'a str,
    items: Vec<EvaluationItem>,
    failure: Option<Problem>,
}

impl DocumentSink for Reader<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let question = document.text().unwrap_or_default().to_owned();
        let metadata = document.metadata.as_deref().unwrap_or("{}");
        let record: Value = serde_json::from_str(metadata).unwrap_or_default();
        let mut answers = answers(&record, &self.fields.answer);
        let mut group = None;
        if let Some(&Value::Bool(is_correct)) = record.get("is_correct") {
            answers.iter_mut().for_each(|answer| answer.is_correct = is_correct);
            let number = record.get("eval_instance_index").map(Value::to_string);
            group = Some(number.unwrap_or_default());
        }
        let passage = record.get(&self.fields.passage).and_then(Value::as_str);
        let benchmark = ["eval_key", "benchmark"]
            .into_iter()
            .find_map(|field| record.get(field).and_then(Value::as_str).map(str::to_owned));
        self.items.push(EvaluationItem {
            benchmark: benchmark.unwrap_or_else(|| self.benchmark.to_owned()),
            id: document.id.into_owned(),
            question,
            answers,
            group,
            passage: passage.filter(|passage| !passage.is_empty()).map(str::to_owned),
        });
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.failure = Some(problem);
        ControlFlow::Break(())
    }
}

/// Returns the answers of a record: a text, a list of texts, or the index or letter of a choice.
fn answers(record: &Value, field: &str) -> Vec<Answer> {
    let texts = |value: &Value| -> Vec<String> {
        let list = match value {
            Value::Object(fields) => fields.get("text").unwrap_or(&Value::Null),
            other => other,
        };
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        match list {
            Value::Array(list) => list.iter().filter_map(text).collect(),
            other => text(other).into_iter().collect(),
        }
    };
    let choices = ["choices", "options"].into_iter().find_map(|name| record.get(name));
    let choices = choices.map(texts).unwrap_or_default();
    let names = [field, "answerKey"];
    let value = names.into_iter().find_map(|name| record.get(name)).unwrap_or(&Value::Null);
    let chosen = chosen(value).filter(|&choice| choice < choices.len());
    if choices.is_empty() || chosen.is_none() {
        let listed = choices.into_iter().map(|text| Answer { text, is_correct: false });
        let stated = texts(value).into_iter().map(|text| Answer { text, is_correct: true });
        return stated.chain(listed).collect();
    }
    let answer = |(number, text)| Answer { text, is_correct: Some(number) == chosen };
    choices.into_iter().enumerate().map(answer).collect()
}

/// Returns the choice that an answer names by its index or letter.
fn chosen(answer: &Value) -> Option<usize> {
    match answer {
        Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
        Value::String(text) => match text.as_bytes() {
            &[letter @ (b'A'..=b'Z')] => Some(usize::from(letter - b'A')),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(question: &str, answer: &str, is_correct: bool) -> EvaluationItem {
        EvaluationItem {
            benchmark: "quiz".to_owned(),
            question: question.to_owned(),
            answers: vec![Answer { text: answer.to_owned(), is_correct }],
            group: Some(String::new()),
            ..EvaluationItem::default()
        }
    }

    #[test]
    fn records_of_one_question_are_one_item() {
        let mut set = EvaluationSet::new();
        set.push(item("What is rain?", "fire", false));
        set.push(item("What is rain?", "water", true));
        set.push(item("What is rain?", "water", true));
        set.push(item("What is snow?", "water", true));
        set.push(item(" … ", "water", true));
        assert_eq!((set.items().len(), set.n_records(), set.n_empty()), (2, 5, 1));
        let answers: Vec<_> = set.items()[0]
            .answers
            .iter()
            .map(|answer| (&*answer.text, answer.is_correct))
            .collect();
        assert_eq!(answers, [("fire", false), ("water", true)]);
    }

    #[test]
    fn answers_are_texts_or_name_a_choice() {
        let cases = [
            (r#"{"answer":"x"}"#, vec![("x", true)]),
            (r#"{"answer":["x","y"]}"#, vec![("x", true), ("y", true)]),
            (r#"{"answer":1,"choices":["a","b"]}"#, vec![("a", false), ("b", true)]),
            (r#"{"answerKey":"A","choices":{"text":["a","b"]}}"#, vec![("a", true), ("b", false)]),
            (
                r#"{"answer":"c","choices":["a","b"]}"#,
                vec![("c", true), ("a", false), ("b", false)],
            ),
            (r#"{"answer":18}"#, vec![("18", true)]),
            (r#"{}"#, vec![]),
        ];
        for (record, expected) in cases {
            let found = answers(&serde_json::from_str(record).unwrap(), "answer");
            let found: Vec<_> =
                found.iter().map(|answer| (&*answer.text, answer.is_correct)).collect();
            assert_eq!(found, expected, "{record}");
        }
    }
}
