//! Input of all programs: one file of JSON lines with an id and a text.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// How much of a collection to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// All of it.
    None,
    /// The first documents.
    Documents(usize),
    /// The documents in the first bytes.
    Bytes(u64),
}

/// Documents, in order.
#[derive(Debug, Default)]
pub(crate) struct Input {
    /// The file that all programs read.
    pub(crate) path: PathBuf,
    /// Its bytes.
    pub(crate) bytes: u64,
    /// The ids.
    pub(crate) ids: Vec<String>,
    /// The texts.
    pub(crate) texts: Vec<String>,
}

impl Input {
    /// Reads `source` and writes the documents within the limit to `path`. Documents keep their ids if these are unique;
    /// otherwise they are numbered.
    pub(crate) fn prepare(source: &Path, limit: Limit, path: PathBuf) -> Result<Self> {
        let file = std::fs::File::open(source)
            .with_context(|| format!("cannot read {}", source.display()))?;
        let mut input = Self { path, ..Self::default() };
        let mut read = 0;
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let at = || format!("{}:{number}", source.display());
            let line = line.with_context(at)?;
            read += line.len() as u64 + 1;
            let is_enough = match limit {
                Limit::None => false,
                Limit::Documents(n) => input.texts.len() >= n,
                Limit::Bytes(n) => read > n,
            };
            if is_enough {
                break;
            }
            if line.trim().is_empty() {
                continue;
            }
            let record: Value = serde_json::from_str(&line).with_context(|| {
                format!("{} is not JSON; the bench reads plain JSON lines", at())
            })?;
            let text = record["text"].as_str().with_context(|| format!("{} has no text", at()))?;
            input.texts.push(text.to_owned());
            input.ids.push(match &record["id"] {
                Value::String(id) => id.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            });
        }
        ensure!(!input.texts.is_empty(), "{} has no documents", source.display());
        let distinct: HashSet<&String> = input.ids.iter().collect();
        if distinct.len() < input.ids.len() || distinct.contains(&String::new()) {
            input.ids = (0..input.texts.len()).map(|number| number.to_string()).collect();
        }
        input.write()?;
        Ok(input)
    }

    fn write(&mut self) -> Result<()> {
        let file = std::fs::File::create(&self.path)
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        let mut out = BufWriter::new(file);
        for (id, text) in self.ids.iter().zip(&self.texts) {
            writeln!(out, "{}", json!({ "id": id, "text": text }))?;
        }
        out.flush()?;
        self.bytes = std::fs::metadata(&self.path)?.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepare(content: &str, limit: Limit) -> Result<Input> {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("c.jsonl");
        std::fs::write(&source, content).unwrap();
        Input::prepare(&source, limit, folder.path().join("input.jsonl"))
    }

    const TWO: &str = "{\"id\":\"a\",\"text\":\"x\"}\n\n{\"id\":2,\"text\":\"y\",\"more\":1}\n";

    #[test]
    fn documents_keep_unique_ids() {
        let input = prepare(TWO, Limit::None).unwrap();
        assert_eq!(
            (input.ids, input.texts),
            (vec!["a".to_owned(), "2".to_owned()], vec!["x".to_owned(), "y".to_owned()])
        );
        let same =
            prepare("{\"id\":1,\"text\":\"x\"}\n{\"id\":1,\"text\":\"y\"}\n", Limit::None).unwrap();
        assert_eq!(same.ids, ["0", "1"]);
        assert_eq!(prepare("{\"text\":\"x\"}\n", Limit::None).unwrap().ids, ["0"]);
    }

    #[test]
    fn limits_are_respected() {
        assert_eq!(prepare(TWO, Limit::Documents(1)).unwrap().texts, ["x"]);
        assert_eq!(prepare(TWO, Limit::Bytes(23)).unwrap().texts, ["x"]);
        assert_eq!(prepare(TWO, Limit::Bytes(1000)).unwrap().texts.len(), 2);
    }

    #[test]
    fn errors_name_file_and_line() {
        for (content, reason) in [
            ("x\n", "c.jsonl:1 is not JSON"),
            ("{}\n", "c.jsonl:1 has no text"),
            ("", "has no documents"),
        ] {
            let error = prepare(content, Limit::None).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
