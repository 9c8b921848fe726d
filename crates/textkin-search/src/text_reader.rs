//! Access to the stored texts of documents.

use textkin_core::CorruptionError;

use textkin_core::DocumentAddress;

/// Reads stored texts for a search, which requests as few as possible.
pub trait TextReader: Sync {
    /// Error while reading a text.
    type Error: From<CorruptionError> + Send;

    /// Counts the chunks of the query that a document contains. `chunks` are ascending and distinct.
    /// `max_shared` is the upper bound from the postings, which may have false positives; without a stored
    /// text, it is the best answer.
    ///
    /// # Errors
    /// If the text cannot be read.
    fn shared_chunks(
        &self,
        address: DocumentAddress,
        chunks: &[u64],
        max_shared: u32,
    ) -> Result<u32, Self::Error>;

    /// Appends the hashes of the words of a document, in the order of the text.
    ///
    /// # Errors
    /// If the text cannot be read.
    fn words(&self, address: DocumentAddress, words: &mut Vec<u64>) -> Result<(), Self::Error>;

    /// Calls `take` with the index of each address and the words of its document. Addresses are ascending,
    /// so that neighbouring texts can be read together.
    ///
    /// # Errors
    /// If a text cannot be read.
    fn for_each_words(
        &self,
        addresses: &[DocumentAddress],
        take: &mut dyn FnMut(usize, &[u64]),
    ) -> Result<(), Self::Error> {
        let mut words = Vec::new();
        for (number, &address) in addresses.iter().enumerate() {
            words.clear();
            self.words(address, &mut words)?;
            take(number, &words);
        }
        Ok(())
    }
}
