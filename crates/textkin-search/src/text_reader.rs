//! What only the texts of the documents can tell.

use textkin_core::CorruptionError;

use textkin_core::DocumentAddress;

/// Reads stored texts for a search, which asks for as few as it can.
pub trait TextReader: Sync {
    /// Why a text cannot be read.
    type Error: From<CorruptionError> + Send;

    /// How many of the query's chunks a document has. `chunks` are ascending, each once;
    /// `at_most` is what the postings say, in which some holders may be false. Where there is no
    /// text, `at_most` is the best answer.
    ///
    /// # Errors
    /// If the text cannot be read.
    fn shared_chunks(
        &self,
        address: DocumentAddress,
        chunks: &[u64],
        at_most: u32,
    ) -> Result<u32, Self::Error>;

    /// Appends the hashes of the words of a document, in the order of the text.
    ///
    /// # Errors
    /// If the text cannot be read.
    fn words(&self, address: DocumentAddress, words: &mut Vec<u64>) -> Result<(), Self::Error>;

    /// Gives the words of each document to `take`, with its number in `addresses`. These are ascending,
    /// so that what lies side by side can be read at once.
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
