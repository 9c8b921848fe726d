//! What only the texts of the documents can tell.

use textkin_core::Damage;

use crate::top::Place;

/// Reads stored texts for a search, which asks for as few as it can.
pub trait Texts: Sync {
    /// Why a text cannot be read.
    type Error: From<Damage> + Send;

    /// How many of the query's chunks a document has. `chunks` are ascending, each once;
    /// `at_most` is what the postings say, in which some holders may be false. Where there is no
    /// text, `at_most` is the best answer.
    ///
    /// # Errors
    /// If the text cannot be read.
    fn shared_chunks(&self, place: Place, chunks: &[u64], at_most: u32)
    -> Result<u32, Self::Error>;

    /// Appends the hashes of the words of a document, in the order of the text.
    ///
    /// # Errors
    /// If the text cannot be read.
    fn words(&self, place: Place, words: &mut Vec<u64>) -> Result<(), Self::Error>;

    /// Gives the words of each document to `take`, with its number in `places`. These are ascending,
    /// so that what lies side by side can be read at once.
    ///
    /// # Errors
    /// If a text cannot be read.
    fn each_words(
        &self,
        places: &[Place],
        take: &mut dyn FnMut(usize, &[u64]),
    ) -> Result<(), Self::Error> {
        let mut words = Vec::new();
        for (number, &place) in places.iter().enumerate() {
            words.clear();
            self.words(place, &mut words)?;
            take(number, &words);
        }
        Ok(())
    }
}
