//! The counts of a run.

use textkin_core::SharedChunks;

use crate::documents::Documents;

/// The counts of a run. Exact copies count as documents of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiscoveryCounts {
    /// Documents read.
    pub documents: u64,
    /// Documents without a single token.
    pub empty_documents: u64,
    /// Documents whose tokens are those of an earlier document.
    pub exact_duplicates: u64,
    /// Number of distinct texts that were merged with a near-duplicate.
    pub merged_near_copies: u64,
    /// Tokens of all documents.
    pub words: u64,
    /// Chunks of all documents.
    pub chunks: u64,
    /// Distinct chunks of the collection.
    pub distinct_chunks: u64,
    /// Distinct chunks that occur in two or more documents.
    pub shared_chunks: u64,
    /// Pairs of a shared chunk and a document that contains it.
    pub shared_postings: u64,
    /// Hash collisions that were resolved.
    pub collisions: u64,
    /// Bytes read from disk.
    pub input_bytes: u64,
    /// Bytes of text.
    pub text_bytes: u64,
}

impl DiscoveryCounts {
    pub(crate) fn add_documents(&mut self, documents: &Documents) {
        for entry in documents.entries().filter(|entry| !entry.is_skipped) {
            self.documents += 1;
            self.words += u64::from(entry.words);
            self.empty_documents += u64::from(entry.words == 0);
        }
    }

    pub(crate) fn add_shared(&mut self, shared: &SharedChunks) {
        for group in &shared.groups {
            self.shared_chunks += u64::from(group.chunks);
            self.shared_postings += u64::from(group.chunks) * u64::from(group.documents);
        }
        for (text, entry) in shared.texts.iter().enumerate() {
            self.exact_duplicates += u64::from(entry.copies.saturating_sub(1));
            if entry.copies > 1 {
                let groups = shared.groups_of_text.list(text).iter();
                let elsewhere: u32 =
                    groups.map(|&group| shared.groups[group as usize].chunks).sum();
                let own = u64::from(entry.chunks - elsewhere);
                self.shared_chunks += own;
                self.shared_postings += own * u64::from(entry.copies);
            }
        }
    }
}
