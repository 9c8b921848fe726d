//! The cap that a user may set: chunks in more than so many documents are set aside.

use textkin_core::{Lists, SharedChunks};

/// What a cap left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capped {
    /// The cap: the most documents a chunk may be in.
    pub max_documents: u32,
    /// Distinct chunks that were in more.
    pub chunks: u64,
    /// Their postings.
    pub postings: u64,
}

/// Sets aside every chunk in more than `max_documents` documents, and says what that was.
///
/// Such a chunk leaves the chunks of its texts too, so that equal texts still resemble each other
/// wholly. Exact copies are known by their digest, whatever the number of documents.
pub fn cap(shared: &mut SharedChunks, max_documents: u32) -> Capped {
    let mut capped = Capped { max_documents, chunks: 0, postings: 0 };
    let mut is_kept = Vec::with_capacity(shared.groups.len());
    for (number, group) in shared.groups.iter_mut().enumerate() {
        is_kept.push(group.documents <= max_documents);
        if group.documents > max_documents {
            capped.chunks += u64::from(group.chunks);
            capped.postings += u64::from(group.chunks) * u64::from(group.documents);
            for &text in shared.texts_of_group.list(number) {
                shared.texts[text as usize].chunks -= group.chunks;
            }
            group.chunks = 0;
        }
    }
    let kept = |group: &u32| is_kept[*group as usize];
    let mut groups_of_text = Lists::new();
    for groups in shared.groups_of_text.iter() {
        groups_of_text.push(groups.iter().copied().filter(kept));
    }
    let mut runs_of_text = Lists::new();
    for runs in shared.runs_of_text.iter() {
        runs_of_text.push(runs.iter().copied().filter(|run| is_kept[run.group as usize]));
    }
    shared.texts_of_group = groups_of_text.transposed(shared.groups.len());
    shared.groups_of_text = groups_of_text;
    shared.runs_of_text = runs_of_text;
    capped
}
