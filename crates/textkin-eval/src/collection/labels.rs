//! Reads the label files of a manifest: pairs, queries, clusters, passages.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::path::Path;

use textkin::engine::source::decompressed;

use super::{
    CollectionDocument, CollectionManifest, GroundTruth, LabelFile, PairClass, PairFile,
    PassageFile, QueryFile,
};
use crate::error::{Error, at};
use crate::metric::{Degree, Detection};

/// Reads labels of documents into a ground truth.
pub(super) struct LabelReader<'a> {
    pub(super) folder: &'a Path,
    pub(super) texts: &'a [CollectionDocument],
    /// Document numbers by id.
    pub(super) numbers: HashMap<&'a str, u32>,
    pub(super) truth: &'a mut GroundTruth,
}

impl LabelReader<'_> {
    /// Reads all label files of the manifest.
    pub(super) fn read(mut self, manifest: &CollectionManifest) -> Result<(), Error> {
        for file in &manifest.pairs {
            self.read_pairs(file)?;
        }
        for file in &manifest.queries {
            self.read_queries(file)?;
        }
        for file in &manifest.labels {
            self.read_clusters(file)?;
        }
        for file in &manifest.passages {
            self.read_passages(file)?;
        }
        Ok(())
    }

    fn read_pairs(&mut self, file: &PairFile) -> Result<(), Error> {
        let Self { numbers, truth, .. } = self;
        read_lines(&self.folder.join(&file.file), file.has_heading, |columns| {
            let [a, b, label] = file.columns;
            let (a, b) =
                (number(numbers, column(columns, a)?)?, number(numbers, column(columns, b)?)?);
            let label = column(columns, label)?;
            if a == b {
                return Err("a document is paired with itself".to_owned());
            }
            let degree = file.related.get(label);
            let is_unrelated = file.unrelated.iter().any(|name| name == label);
            if let Some(&degree) = degree {
                add_related(truth, a, b, degree.into());
            } else if is_unrelated {
                truth.unrelated.insert(a, b);
            }
            if file.has_classes && (degree.is_some() || is_unrelated) {
                let (class, is_related) = (label.to_owned(), degree.is_some());
                truth.pair_classes.push(PairClass { source: a, copy: b, class, is_related });
            }
            Ok(())
        })
    }

    fn read_queries(&mut self, file: &QueryFile) -> Result<(), Error> {
        let Self { numbers, truth, .. } = self;
        read_lines(&self.folder.join(&file.file), file.has_heading, |columns| {
            let [query, relevant @ ..] = columns else { return Ok(()) };
            let query = number(numbers, query)?;
            if relevant.is_empty() {
                return Err("query without relevant documents".to_owned());
            }
            for id in relevant {
                let document = number(numbers, id)?;
                if document == query {
                    return Err("query listed as relevant to itself".to_owned());
                }
                add_related(truth, query, document, file.degree.into());
            }
            if file.is_complete {
                truth.complete.insert(query);
            }
            Ok(())
        })
    }

    fn read_clusters(&mut self, file: &LabelFile) -> Result<(), Error> {
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        let mut clusters = vec![None; self.texts.len()];
        let numbers = &self.numbers;
        read_lines(&self.folder.join(&file.file), file.has_heading, |columns| {
            let [id, label] = file.columns;
            let (id, label) = (column(columns, id)?, column(columns, label)?);
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let cluster = *known.entry(label.to_owned()).or_insert(next);
            let position = clusters.get_mut(number(numbers, id)? as usize);
            match position {
                Some(Some(other)) if *other != cluster => {
                    Err(format!("document '{id}' is already in another cluster"))
                }
                position => {
                    position.into_iter().for_each(|position| *position = Some(cluster));
                    Ok(())
                }
            }
        })?;
        if !known.is_empty() {
            self.truth.clusters = clusters;
        }
        Ok(())
    }

    fn read_passages(&mut self, file: &PassageFile) -> Result<(), Error> {
        let Self { numbers, texts, truth, .. } = self;
        read_lines(&self.folder.join(&file.file), file.has_heading, |columns| {
            let side = |[id, start, length]: [usize; 3]| {
                let id = column(columns, id)?;
                let document = number(numbers, id)?;
                let position = |at: usize| {
                    let value = column(columns, at)?;
                    value
                        .parse::<usize>()
                        .map_err(|_| format!("'{value}' is not a position in a text"))
                };
                let text = texts.get(document as usize).map_or("", |text| &text.text);
                let span = bytes_of(text, position(start)?, position(length)?)
                    .ok_or_else(|| format!("the passage ends after the end of document '{id}'"))?;
                Ok::<_, String>((document, span))
            };
            let [id, start, length, source, source_start, source_length] = file.columns;
            let (suspicious, span) = side([id, start, length])?;
            let (source, source_span) = side([source, source_start, source_length])?;
            let class = file.class.map(|class| column(columns, class)).transpose()?;
            truth.passages.push(Detection { suspicious, source, span, source_span });
            truth.classes.push(class.unwrap_or_default().to_owned());
            Ok(())
        })
    }
}

fn number(numbers: &HashMap<&str, u32>, id: &str) -> Result<u32, String> {
    numbers.get(id).copied().ok_or_else(|| format!("unknown document '{id}'"))
}

/// Adds a related pair; of two degrees, the higher one counts.
fn add_related(truth: &mut GroundTruth, a: u32, b: u32, degree: Degree) {
    let entry = truth.related.entry((a.min(b), a.max(b))).or_insert(degree);
    *entry = (*entry).max(degree);
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
    value.copied().ok_or_else(|| format!("missing column {number}"))
}

/// Returns the byte range of `length` characters starting at character `start`.
fn bytes_of(text: &str, start: usize, length: usize) -> Option<(usize, usize)> {
    let mut positions = text.char_indices().map(|(position, _)| position).chain([text.len()]);
    let first = positions.nth(start)?;
    let end = if length == 0 { first } else { positions.nth(length - 1)? };
    Some((first, end))
}
