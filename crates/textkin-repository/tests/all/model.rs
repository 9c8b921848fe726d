//! A model of a repository as plain lists, and its comparison with a real one.

use std::collections::BTreeMap;

use textkin_core::chunk::mix;
use textkin_core::{IndexSegment, Length, PostingBlock};
use textkin_repository::{DocumentAddress, Error, PreparedDocument, Repository, StoredDocument};

use crate::disk::Random;

/// The documents of a repository, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    pub(crate) documents: Vec<PreparedDocument>,
}

impl Model {
    /// Returns every word and chunk, and one that is absent, with the documents that contain it.
    #[expect(clippy::type_complexity, reason = "a plain pair of maps")]
    pub(crate) fn postings(&self) -> (BTreeMap<u64, Vec<(usize, u32)>>, BTreeMap<u64, Vec<usize>>) {
        let mut terms: BTreeMap<u64, Vec<(usize, u32)>> = BTreeMap::from([(5, Vec::new())]);
        let mut chunks: BTreeMap<u64, Vec<usize>> = BTreeMap::from([(5, Vec::new())]);
        for (number, entry) in self.documents.iter().enumerate() {
            for &(term, count) in &entry.terms {
                terms.entry(term).or_default().push((number, count));
            }
            for &chunk in &entry.chunks {
                let documents = chunks.entry(chunk).or_default();
                if documents.last() != Some(&number) {
                    documents.push(number);
                }
            }
        }
        (terms, chunks)
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.documents.retain(|document| document.id != id);
    }
}

/// Returns a document determined by its id, `seed` and `size`.
pub(crate) fn entry(id: &str, seed: u64, size: usize) -> PreparedDocument {
    let mut random = Random(seed);
    let mut content: Vec<u8> = id.bytes().chain([0]).collect();
    for _ in 0..size {
        // Words repeat, so that some occur in many documents.
        let kinds = if size > 1000 {
            4
        } else if random.coin() {
            8
        } else {
            200
        };
        content.push(u8::try_from(random.below(kinds)).expect("the number is small"));
    }
    let optional = |some: bool, text: String| some.then_some(text);
    let (has_time, has_metadata) = (random.coin(), random.coin());
    let length = random.below(40);
    indexed(
        StoredDocument {
            id: id.to_owned(),
            time: optional(has_time, format!("20{:02}-01-01", seed % 100)),
            metadata: optional(has_metadata, format!("{{\"ü\":\"{}\"}}", "x".repeat(length))),
            added: seed >> 3,
            digest: [random.next().to_le_bytes()[0]; 16],
            length: Length::default(),
            bytes: 0,
        },
        content,
    )
}

/// Computes the words and chunks of a stored document.
pub(crate) fn indexed(stored: StoredDocument, content: Vec<u8>) -> PreparedDocument {
    let mut terms: BTreeMap<u64, u32> = BTreeMap::new();
    for byte in &content {
        *terms.entry(term(*byte)).or_default() += 1;
    }
    let chunks = content.windows(3).map(|three| {
        let number = three.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        mix(number + 1_000_000)
    });
    let mut chunks: Vec<u64> = chunks.collect();
    // Short texts keep repeated chunks.
    if chunks.len() > 1000 {
        chunks.sort_unstable();
        chunks.dedup();
    }
    PreparedDocument {
        id: stored.id,
        time: stored.time,
        metadata: stored.metadata,
        added: stored.added,
        digest: stored.digest,
        terms: terms.into_iter().collect(),
        chunks,
        word_pairs: None,
        content,
    }
}

/// The hash of a word.
fn term(byte: u8) -> u64 {
    mix(u64::from(byte) + 77)
}

/// Indexes documents again for a merge.
pub(crate) fn reindex(
    documents: Vec<(StoredDocument, Vec<u8>)>,
) -> Result<Vec<PreparedDocument>, Error> {
    Ok(documents.into_iter().map(|(stored, content)| indexed(stored, content)).collect())
}

/// Returns the words of a document, for its removal.
pub(crate) fn terms_of(entry: &PreparedDocument) -> Vec<u64> {
    entry.terms.iter().map(|term| term.0).collect()
}

/// Returns as an error the first difference between a repository and a model, or a failed read.
pub(crate) fn difference(repository: &Repository, model: &Model) -> Result<(), String> {
    let ids = stored_ids(repository).map_err(|error| error.to_string())?;
    let expected: Vec<&str> = model.documents.iter().map(|entry| entry.id.as_str()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    same("ids", &ids, &expected)?;
    compare(repository, model).map_err(|error| error.to_string())?
}

/// Returns the ids of a repository, in order.
pub(crate) fn stored_ids(repository: &Repository) -> Result<Vec<String>, Error> {
    let id = |address: DocumentAddress| Ok(repository.document(address)?.id);
    repository.addresses().map(id).collect()
}

type Comparison = Result<(), String>;

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Comparison {
    match found == expected {
        true => Ok(()),
        false => {
            let shown = format!("{what}: expected {expected:?}, found {found:?}");
            Err(shown.chars().take(600).collect())
        }
    }
}

/// Compares everything; the outer error is a failed read.
fn compare(repository: &Repository, model: &Model) -> Result<Comparison, Error> {
    let addresses: Vec<DocumentAddress> = repository.addresses().collect();
    let n_documents = usize::try_from(repository.n_documents()).unwrap_or(usize::MAX);
    let mut compared = same("number", &n_documents, &model.documents.len());
    for (address, entry) in addresses.iter().zip(&model.documents) {
        let stored = repository.document(*address)?;
        let mut terms = entry.terms.clone();
        terms.sort_unstable();
        let counts = terms.iter().map(|term| term.1);
        let expected = StoredDocument {
            id: entry.id.clone(),
            time: entry.time.clone(),
            metadata: entry.metadata.clone(),
            added: entry.added,
            digest: entry.digest,
            length: Length::of(counts),
            bytes: u32::try_from(entry.content.len()).unwrap_or(u32::MAX),
        };
        let found = repository.find(&entry.id)?;
        let length = repository.segment(*address).length(address.document)?;
        compared = compared
            .and(same("address", &found, &Some(*address)))
            .and(same("length", &length, &expected.length))
            .and(same("stored", &stored, &expected));
        let content = repository.content(*address)?;
        compared = compared.and(same("content", &content, &entry.content));
    }
    compared = compared.and(same("no such id", &repository.find("never")?, &None));
    // Every word and every chunk, and some that are absent.
    let (terms, chunks) = model.postings();
    let numbers: BTreeMap<DocumentAddress, usize> = addresses.into_iter().zip(0..).collect();
    for (term, expected) in &terms {
        let (count, found) = postings(repository, &numbers, *term)?;
        compared = compared
            .and(same("live documents", &count, &(expected.len() as u64)))
            .and(same("postings", &found, expected));
    }
    for (chunk, expected) in &chunks {
        compared = compared.and(same(
            "documents of a chunk",
            &documents_of(repository, &numbers, *chunk)?,
            expected,
        ));
    }
    Ok(compared)
}

/// Returns the number of documents with a word, and each of them with its number of occurrences.
pub(crate) fn postings(
    repository: &Repository,
    numbers: &BTreeMap<DocumentAddress, usize>,
    term: u64,
) -> Result<(u64, Vec<(usize, u32)>), Error> {
    let (mut all, mut block, mut live) = (Vec::new(), PostingBlock::default(), 0);
    for (segment, part) in (0u32..).zip(repository.segments()) {
        live += u64::from(part.live_documents(term)?);
        let Some(mut list) = part.postings(term)? else { continue };
        while list.next_block(&mut block)? {
            for (&document, &count) in block.documents.iter().zip(&block.counts) {
                if part.is_live(document) {
                    let number = numbers.get(&DocumentAddress { segment, document });
                    all.push((number.copied().unwrap_or(usize::MAX), count));
                }
            }
        }
    }
    Ok((live, all))
}

/// Returns the documents with a chunk.
pub(crate) fn documents_of(
    repository: &Repository,
    numbers: &BTreeMap<DocumentAddress, usize>,
    chunk: u64,
) -> Result<Vec<usize>, Error> {
    let mut all = Vec::new();
    for (segment, part) in (0u32..).zip(repository.segments()) {
        let mut documents = Vec::new();
        part.documents_with_chunk(chunk, &mut documents)?;
        let number = |document| numbers.get(&DocumentAddress { segment, document }).copied();
        all.extend(documents.into_iter().map(|document| number(document).unwrap_or(usize::MAX)));
    }
    Ok(all)
}
