//! Queries: the words of a text, counted, without those that are to be left out.

use textkin_core::Length;

/// A word of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// The hash of the word.
    pub hash: u64,
    /// How often the query has it: f_qt.
    pub count: u32,
}

/// The words of a query, and the words that do not count on either side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    terms: Vec<QueryTerm>,
    stop: Vec<u64>,
    length: Length,
}

impl Query {
    /// The query with these words, given by their hashes in any order.
    pub fn new(words: impl IntoIterator<Item = u64>) -> Self {
        Self::with_stop_words(words, [])
    }

    /// The query with these words, where the words in `stop` do not count: neither in the query
    /// nor in the length of a document.
    pub fn with_stop_words(
        words: impl IntoIterator<Item = u64>,
        stop: impl IntoIterator<Item = u64>,
    ) -> Self {
        let mut stop: Vec<u64> = stop.into_iter().collect();
        stop.sort_unstable();
        stop.dedup();
        let counts = |hash: &u64| stop.binary_search(hash).is_err();
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
        Self { terms, stop, length }
    }

    /// Its different words, in order of their hashes.
    #[must_use]
    pub fn terms(&self) -> &[QueryTerm] {
        &self.terms
    }

    /// The words that do not count, ascending.
    #[must_use]
    pub fn stop(&self) -> &[u64] {
        &self.stop
    }

    /// Its length, without the words that do not count.
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
        assert_eq!(query.stop(), [7, 8]);
    }
}
