//! Sides: parts of a collection, of which only documents of different parts form pairs.
//!
//! In: shared chunks, and the side of each document. Out: the same shared chunks with a text for each
//! side that has it, so that every text, and every class of texts, belongs to one side. Counting then
//! skips all pairs within a side at once. Equal texts of different sides have one *origin*; their pairs
//! are not counted but listed as copies.

use std::sync::Arc;

use textkin_core::{Lists, SharedChunks};

use crate::graph::{Kind, pairs_among};

/// Shared chunks whose texts belong to one side each.
pub(crate) struct SidedChunks {
    pub(crate) shared: SharedChunks,
    /// The text of each document; `None` for one without tokens.
    pub(crate) text_of_document: Vec<Option<u32>>,
    pub(crate) sides: Sides,
}

/// The sides of documents and texts.
#[derive(Clone, Debug)]
pub(crate) struct Sides {
    /// The side of each document.
    pub(crate) of_document: Arc<[Option<u32>]>,
    /// The side of each text.
    pub(crate) of_text: Vec<u32>,
    /// The origin of each text.
    pub(crate) origin_of_text: Vec<u32>,
    /// The origin of the text of each document; `None` for one without tokens.
    pub(crate) origin_of_document: Arc<[Option<u32>]>,
    /// The documents of each origin, ascending.
    pub(crate) documents_of_origin: Lists<u32>,
    /// The texts of each origin, one for each side.
    pub(crate) texts_of_origin: Lists<u32>,
    /// Pairs of documents of different sides that have the same origin, for each origin.
    pub(crate) copy_pairs: Vec<u64>,
}

impl Sides {
    /// Number of documents that have the words of `text`, on all sides.
    pub(crate) fn n_copies(&self, text: usize) -> u32 {
        self.documents_of_origin.list(self.origin_of_text[text] as usize).len() as u32
    }

    /// Number of pairs of a block of copies.
    pub(crate) fn n_copy_pairs(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Copies { text } => self.copy_pairs[text as usize],
            Kind::Across { .. } | Kind::Within { .. } => 0,
        }
    }
}

impl SidedChunks {
    /// Splits the texts of `shared` by side. `text_of_document` holds the text of each document and
    /// `side_of_document` its side.
    pub(crate) fn new(
        shared: &SharedChunks,
        text_of_document: Arc<[Option<u32>]>,
        side_of_document: &[u32],
    ) -> Self {
        let mut of_documents = Lists::new();
        for text in text_of_document.iter() {
            of_documents.push(*text);
        }
        let documents_of_origin = of_documents.transposed(shared.texts.len());
        let (mut texts, mut of_text, mut origin_of_text) = (Vec::new(), Vec::new(), Vec::new());
        let (mut groups_of_text, mut runs_of_text) = (Lists::new(), Lists::new());
        let mut texts_of_origin = Lists::new();
        let mut new_texts: Vec<Option<u32>> = vec![None; text_of_document.len()];
        let mut copy_pairs = Vec::with_capacity(shared.texts.len());
        let mut by_side: Vec<(u32, u32)> = Vec::new();
        for (origin, entry) in shared.texts.iter().enumerate() {
            let documents = documents_of_origin.list(origin);
            by_side.clear();
            by_side.extend(documents.iter().map(|&one| (side_of_document[one as usize], one)));
            by_side.sort_unstable();
            let first = texts.len() as u32;
            let mut pairs = pairs_among(documents.len() as u64);
            for copies in by_side.chunk_by(|(a, _), (b, _)| a == b) {
                let text = texts.len() as u32;
                texts.push(textkin_core::TextEntry { copies: copies.len() as u32, ..*entry });
                of_text.push(copies[0].0);
                origin_of_text.push(origin as u32);
                groups_of_text.push(shared.groups_of_text.list(origin).iter().copied());
                runs_of_text.push(shared.runs_of_text.list(origin).iter().copied());
                for (_, document) in copies {
                    new_texts[*document as usize] = Some(text);
                }
                pairs -= pairs_among(copies.len() as u64);
            }
            copy_pairs.push(pairs);
            texts_of_origin.push(first..texts.len() as u32);
        }
        let split = |lists: &Lists<u32>| {
            let mut split = Lists::new();
            for origins in lists.iter() {
                let texts = |&origin: &u32| texts_of_origin.list(origin as usize).iter().copied();
                split.push(origins.iter().flat_map(texts));
            }
            split
        };
        let shared = SharedChunks {
            groups: shared.groups.clone(),
            texts_of_group: split(&shared.texts_of_group),
            selected_of_group: shared.selected_of_group.as_ref().map(split),
            texts,
            groups_of_text,
            runs_of_text,
        };
        let sides = Sides {
            of_document: side_of_document.iter().copied().map(Some).collect(),
            of_text,
            origin_of_text,
            origin_of_document: text_of_document,
            documents_of_origin,
            texts_of_origin,
            copy_pairs,
        };
        Self { shared, text_of_document: new_texts, sides }
    }
}
