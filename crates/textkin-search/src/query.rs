//! Queries: the words of a text with their counts, without stop words.

use textkin_core::Length;

/// A word of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// The hash of the word.
    pub hash: u64,
    /// How often the query contains it: f_qt.
    pub count: u32,
}

/// The words of a query, and the stop words, which do not count on either side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    terms: Vec<QueryTerm>,
    stop_words: Vec<u64>,
    length: Length,
}

impl Query {
    /// Creates a query from the hashes of its words, in any order.
    pub fn new(words: impl IntoIterator<Item = u64>) -> Self {
        Self::with_stop_words(words, [])
    }

    /// Creates a query with stop words, which count neither in the query nor in the length of a
    /// document.
    pub fn with_stop_words(
        words: impl IntoIterator<Item = u64>,
        stop_words: impl IntoIterator<Item = u64>,
    ) -> Self {
        let mut stop_words: Vec<u64> = stop_words.into_iter().collect();
        stop_words.sort_unstable();
        stop_words.dedup();
        let counts = |hash: &u64| stop_words.binary_search(hash).is_err();
        let mut hashes: Vec<u64> = words.into_iter().filter(counts).collect();
        hashes.sort_unstable();
        let terms: Vec<QueryTerm> = hashes
            .chunk_by(|a, b| a == b)
            .map(|same| QueryTerm {
                hash: same[0],
                count: u32::try_from(same.len()).unwrap_or(u32::MAX),
            })
            .collect();
        let length = Length::of(terms.iter().map(|term| term.count));
        Self { terms, stop_words, length }
    }

    /// Its distinct words, in order of their hashes.
    #[must_use]
    pub fn terms(&self) -> &[QueryTerm] {
        &self.terms
    }

    /// The stop words, ascending.
    #[must_use]
    pub fn stop_words(&self) -> &[u64] {
        &self.stop_words
    }

    /// Its length without stop words.
    #[must_use]
    pub fn length(&self) -> &Length {
        &self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_stop_words_are_not() {
        let query = Query::with_stop_words([9, 4, 9, 7, 9], [7, 8, 7]);
        let terms = [QueryTerm { hash: 4, count: 1 }, QueryTerm { hash: 9, count: 3 }];
        assert_eq!(query.terms(), terms);
        assert_eq!((query.length().words, query.length().terms), (4, 2));
        assert_eq!(query.stop_words(), [7, 8]);
    }
}
