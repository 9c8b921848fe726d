//! Texts without documents: those of documents that were skipped because of their ids, after their texts were
//! indexed.
//!
//! In: shared chunks. Out: the same without these texts, as if they had not been read.

use std::sync::Arc;

use textkin_core::{Lists, SharedChunks};

/// Returns the number of distinct chunks that only texts without documents have.
pub(crate) fn skipped_chunks(shared: &SharedChunks) -> u64 {
    let skipped = shared.texts.iter().enumerate().filter(|(_, entry)| entry.copies == 0);
    let own = skipped.map(|(text, entry)| {
        let groups = shared.groups_of_text.list(text).iter();
        let shared: u32 = groups.map(|&group| shared.groups[group as usize].chunks).sum();
        u64::from(entry.chunks - shared)
    });
    let groups = shared.groups.iter().filter(|group| group.documents == 0);
    own.sum::<u64>() + groups.map(|group| u64::from(group.chunks)).sum::<u64>()
}

/// Removes texts without documents, and groups that are then in one text only. The numbers of texts and groups
/// do not change.
pub(crate) fn without_skipped(shared: Arc<SharedChunks>) -> Arc<SharedChunks> {
    if shared.texts.iter().all(|entry| entry.copies > 0) {
        return shared;
    }
    let has_documents = |text: &&u32| shared.texts[**text as usize].copies > 0;
    let is_shared = |texts: &[u32]| texts.iter().filter(has_documents).count() > 1;
    let is_kept: Vec<bool> = shared.texts_of_group.iter().map(is_shared).collect();
    let mut groups = shared.groups.clone();
    for (group, _) in groups.iter_mut().zip(&is_kept).filter(|(_, is_kept)| !**is_kept) {
        (group.chunks, group.documents) = (0, 0);
    }
    let (mut groups_of_text, mut runs_of_text) = (Lists::new(), Lists::new());
    for (text, entry) in shared.texts.iter().enumerate() {
        let is_wanted = |group: u32| entry.copies > 0 && is_kept[group as usize];
        let of_text = shared.groups_of_text.list(text).iter().copied();
        groups_of_text.push(of_text.filter(|&group| is_wanted(group)));
        let runs = shared.runs_of_text.list(text).iter().copied();
        runs_of_text.push(runs.filter(|run| is_wanted(run.group)));
    }
    let selected_of_group = shared.selected_of_group.as_ref().map(|lists| {
        let mut selected = Lists::new();
        for (texts, is_kept) in lists.iter().zip(&is_kept) {
            selected.push(texts.iter().filter(has_documents).filter(|_| *is_kept).copied());
        }
        selected
    });
    Arc::new(SharedChunks {
        texts: shared.texts.clone(),
        texts_of_group: groups_of_text.transposed(groups.len()),
        groups,
        groups_of_text,
        runs_of_text,
        selected_of_group,
    })
}
