//! Reads the documents and labels that a manifest names.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use textkin::core::{Document, DocumentSink, Problem, Source};
use textkin::source::{Inputs, SourceSettings, decompressed};

use super::{Collection, Manifest, PairFile, PassageFile, Text, Truth};
use crate::error::{Error, at};
use crate::metric::{Degree, Detection};

impl Collection {
    /// The collection in a folder.
    ///
    /// # Errors
    /// If it has no manifest, or a file cannot be read or makes no sense.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let manifest = Manifest::of(folder)?;
        let Gathered { texts, families, .. } = read_documents(&manifest, folder)?;
        let numbers: HashMap<&str, u32> =
            texts.iter().zip(0..).map(|(text, number)| (text.id.as_str(), number)).collect();
        let mut truth = Truth { unlabelled: manifest.unlabelled, ..Truth::default() };
        for file in &manifest.pairs {
            read_pairs(&folder.join(&file.file), file, &numbers, &mut truth)?;
        }
        for file in &manifest.passages {
            let passages = (&texts[..], &numbers);
            read_passages(&folder.join(&file.file), file, passages, &mut truth.passages)?;
        }
        truth.families = (!manifest.families.is_empty()).then_some(families);
        let (name, note) = (manifest.name, manifest.note);
        Ok(Self { name, note, texts: texts.into(), truth })
    }
}

/// Gathers documents; the first problem ends the reading, since labels would point elsewhere.
struct Gathered<'a> {
    texts: Vec<Text>,
    families: Vec<u32>,
    fields: &'a [String],
    known: BTreeMap<Vec<String>, u32>,
    problem: Option<Problem>,
}

impl DocumentSink for Gathered<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        if !self.fields.is_empty() {
            let metadata = document.metadata.as_deref().unwrap_or("{}");
            let fields: serde_json::Value = serde_json::from_str(metadata).unwrap_or_default();
            let family = self.fields.iter().map(|field| value(&fields, field)).collect();
            let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
            self.families.push(*self.known.entry(family).or_insert(next));
        }
        self.texts.push(Text {
            id: document.id.into_owned(),
            time: document.time.map(Into::into),
            text: document.text.into_owned(),
        });
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problem = Some(problem);
        ControlFlow::Break(())
    }
}

/// The value of a field, as text; of `NAME:stem` the file name without folder and ending.
fn value(fields: &serde_json::Value, field: &str) -> String {
    let (name, is_stem) = field.strip_suffix(":stem").map_or((field, false), |name| (name, true));
    let value = match fields.get(name) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    if !is_stem {
        return value;
    }
    let stem = Path::new(&value).file_stem();
    stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read_documents<'a>(manifest: &'a Manifest, folder: &Path) -> Result<Gathered<'a>, Error> {
    let settings = SourceSettings {
        keeps_metadata: !manifest.families.is_empty(),
        ..SourceSettings::default()
    };
    let paths = manifest.documents(folder);
    let mut inputs = Inputs::open(&paths, &settings).map_err(textkin::Error::from)?;
    let mut gathered = Gathered {
        texts: Vec::new(),
        families: Vec::new(),
        fields: &manifest.families,
        known: BTreeMap::new(),
        problem: None,
    };
    while let Some(piece) = inputs.next_piece() {
        piece.read(&mut gathered);
        if let Some(problem) = gathered.problem.take() {
            let (path, reason) = (PathBuf::from(&problem.path), problem.reason);
            return Err(match problem.line {
                Some(line) => Error::Label { path, line, reason },
                None => Error::Manifest { path, reason },
            });
        }
    }
    Ok(gathered)
}

/// Calls `each` with the columns of every line.
fn read_lines(
    path: &Path,
    has_heading: bool,
    mut each: impl FnMut(&[&str]) -> Result<(), String>,
) -> Result<(), Error> {
    let file = std::fs::File::open(path).and_then(decompressed).map_err(at(path))?;
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(at(path))?;
        if line.is_empty() || (has_heading && number == 1) {
            continue;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        let wrong = |reason| Error::Label { path: path.to_owned(), line: number, reason };
        each(&columns).map_err(wrong)?;
    }
    Ok(())
}

fn column<'l>(columns: &[&'l str], number: usize) -> Result<&'l str, String> {
    let value = number.checked_sub(1).and_then(|index| columns.get(index));
    value.copied().ok_or_else(|| format!("there is no column {number}"))
}

fn read_pairs(
    path: &Path,
    file: &PairFile,
    numbers: &HashMap<&str, u32>,
    truth: &mut Truth,
) -> Result<(), Error> {
    read_lines(path, file.has_heading, |columns| {
        let [a, b, label] = file.columns;
        let number = |at: usize| {
            let id = column(columns, at)?;
            numbers.get(id).copied().ok_or_else(|| format!("there is no document '{id}'"))
        };
        let (a, b, label) = (number(a)?, number(b)?, column(columns, label)?);
        if a == b {
            return Err("a document is labelled with itself".to_owned());
        }
        if let Some(&degree) = file.kin.get(label) {
            let entry = truth.kin.entry((a.min(b), a.max(b))).or_insert(Degree::Some);
            *entry = (*entry).max(degree.into());
        } else if file.strangers.iter().any(|name| name == label) {
            truth.strangers.insert(a, b);
        }
        Ok(())
    })
}

fn read_passages(
    path: &Path,
    file: &PassageFile,
    (texts, numbers): (&[Text], &HashMap<&str, u32>),
    passages: &mut Vec<Detection>,
) -> Result<(), Error> {
    read_lines(path, file.has_heading, |columns| {
        let side = |[id, start, length]: [usize; 3]| {
            let id = column(columns, id)?;
            let number = *numbers.get(id).ok_or_else(|| format!("there is no document '{id}'"))?;
            let place = |at: usize| {
                let value = column(columns, at)?;
                value.parse::<usize>().map_err(|_| format!("'{value}' is no place in a text"))
            };
            let text = texts.get(number as usize).map_or("", |text| &text.text);
            let span = bytes_of(text, place(start)?, place(length)?)
                .ok_or_else(|| format!("the passage ends behind the end of '{id}'"))?;
            Ok::<_, String>((number, span))
        };
        let [id, start, length, source, source_start, source_length] = file.columns;
        let (suspicious, span) = side([id, start, length])?;
        let (source, source_span) = side([source, source_start, source_length])?;
        passages.push(Detection { suspicious, source, span, source_span });
        Ok(())
    })
}

/// The bytes of `length` characters from the character `start` on.
fn bytes_of(text: &str, start: usize, length: usize) -> Option<(usize, usize)> {
    let mut places = text.char_indices().map(|(place, _)| place).chain([text.len()]);
    let first = places.nth(start)?;
    let end = if length == 0 { first } else { places.nth(length - 1)? };
    Some((first, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Judgement;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    const MANIFEST: &str = "name = \"tiny\"\ndocuments = [\"d.jsonl\"]\nfamilies = [\"path:stem\"]\n\
        unlabelled = \"families\"\n[[pairs]]\nfile = \"p.tsv\"\nkin = { same = \"exact\" }\n\
        strangers = [\"other\"]\n[[passages]]\nfile = \"s.tsv\"\ncolumns = [1, 2, 3, 4, 5, 6]\n";
    const DOCUMENTS: &str = "{\"id\":\"a\",\"path\":\"x/one.txt\",\"text\":\"éa b\"}\n\
        {\"id\":\"b\",\"path\":\"one.html\",\"text\":\"éa b\"}\n\
        {\"id\":\"c\",\"path\":\"two\",\"text\":\"c\"}\n{\"id\":\"d\",\"path\":\"one\",\"text\":\"d\"}\n";

    #[test]
    fn documents_labels_and_passages_are_read() {
        let (pairs, spans) = ("b\ta\tsame\nb\td\tother\na\td\tstrange\n", "b\t1\t3\ta\t0\t2\n");
        let files = [("collection.toml", MANIFEST), ("d.jsonl", DOCUMENTS), ("p.tsv", pairs)];
        let folder = folder(&[&files[..], &[("s.tsv", spans)]].concat());
        let collection = Collection::load(folder.path()).unwrap();
        assert_eq!((collection.name.as_str(), collection.texts.len()), ("tiny", 4));
        let truth = &collection.truth;
        let judged = [(0, 1), (1, 3), (0, 3), (0, 2)].map(|(a, b)| truth.judge(a, b));
        use Judgement::{Kin, Strangers, Unjudged};
        assert_eq!(judged, [Kin, Strangers, Unjudged, Strangers]);
        let passage = truth.passages[0];
        assert_eq!((passage.suspicious, passage.span), (1, (2, 5)));
        assert_eq!((passage.source, passage.source_span), (0, (0, 3)));
    }

    #[test]
    fn faults_name_file_and_line() {
        for (pairs, spans, reason) in [
            ("a\tb\tsame\na\tx\tsame\n", "", "p.tsv:2: there is no document 'x'"),
            ("a\tb\n", "", "p.tsv:1: there is no column 3"),
            ("a\ta\tsame\n", "", "p.tsv:1: a document is labelled with itself"),
            ("", "a\t0\t9\tb\t0\t1\n", "s.tsv:1: the passage ends behind the end of 'a'"),
            ("", "a\t0\tx\tb\t0\t1\n", "s.tsv:1: 'x' is no place in a text"),
        ] {
            let folder = folder(&[
                ("collection.toml", MANIFEST),
                ("d.jsonl", DOCUMENTS),
                ("p.tsv", pairs),
                ("s.tsv", spans),
            ]);
            let error = Collection::load(folder.path()).unwrap_err().to_string();
            assert!(error.ends_with(reason), "{error}");
        }
    }
}
