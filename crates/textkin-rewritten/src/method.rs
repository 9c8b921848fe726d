//! The constants of the method. They were chosen on half of the training pairs of PAN 2013.

/// How strongly a text breaks at a place between two words: 0 not at all, 3 at a blank line or an end.
pub(crate) const N_BREAKS: usize = 4;

/// The constants of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Method {
    /// Words in the shortest identical run that is a passage of its own and not looked at again.
    pub exact_words: u32,
    /// Letters at the start of a word that are compared, so that most endings do not matter in any language.
    pub letters: usize,
    /// Rate at which a word is expected where nothing is known about it.
    pub background: f32,
    /// Share of the background in the expected rate of a word; the rest is its rate in the two texts.
    pub background_share: f32,
    /// Highest gain of a word.
    pub max_gain: f32,
    /// Cost of a word of the first text that the range of the second does not have.
    pub cost_a: f32,
    /// Cost of a word of the second text that the range of the first does not have.
    pub cost_b: f32,
    /// The same in the first rounds, in which ranges grow.
    pub growing_cost: f32,
    /// Rounds in which ranges grow.
    pub growing_rounds: u32,
    /// Maximum number of rounds.
    pub rounds: u32,
    /// Loss beyond which a range is not extended further.
    pub max_loss: f32,
    /// What a border of a range costs at a place of each break strength, in the first text.
    pub borders_a: [f32; N_BREAKS],
    /// The same in the second text.
    pub borders_b: [f32; N_BREAKS],
    /// Words on either side of a match whose common words support it.
    pub support_reach: usize,
    /// Sum of gains in the neighbourhood that makes a match count in full.
    pub full_support: f32,
    /// Highest factor by support.
    pub max_support: f32,
    /// Words of lower gain need no support.
    pub min_supported_gain: f32,
    /// A word with more pairs of positions needs no support.
    pub max_supported_pairs: u64,
    /// Words in a window in which passages are sought.
    pub window: usize,
    /// Lowest gain of a word that counts in a window.
    pub min_window_gain: f32,
    /// Lowest sum of gains of two windows in which a passage is sought.
    pub min_window_sum: f32,
    /// Pairs of windows that lead to nothing after which the search ends.
    pub max_failures: u32,
    /// Lowest sum of a passage on either side.
    pub min_side: f32,
    /// Maximum number of words between two passages that are joined.
    pub max_gap: usize,
    /// Share of both sums that the joined passage must reach.
    pub min_joined: f32,
    /// Lowest sum of a passage that is reported.
    pub min_sum: f32,
    /// The same if the texts also share an identical run of `exact_words`.
    pub min_sum_beside_exact: f32,
    /// Words of the first text in the shortest passage that is reported.
    pub min_words_a: usize,
    /// Words of the second text in the shortest passage that is reported.
    pub min_words_b: usize,
    /// Constants of summaries.
    pub summary: SummaryMethod,
}

/// The constants for summaries.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SummaryMethod {
    /// Highest gain of a word.
    pub max_gain: f32,
    /// Cost of a word that the source does not have.
    pub cost: f32,
    /// What a border costs at a place of each break strength.
    pub borders: [f32; N_BREAKS],
    /// Lowest sum.
    pub min_sum: f32,
    /// Maximum number of words.
    pub max_words: usize,
    /// How many times as long as the summary the source is.
    pub min_ratio: f32,
    /// Share of the summary from which identical runs make it a copy.
    pub max_exact: f32,
    /// Lowest support of a match that counts as being in a part of the source.
    pub min_support: f32,
    /// Number of parts of the source.
    pub parts: usize,
    /// Number of parts that must have a supported match.
    pub min_parts: usize,
    /// Share of the summary that a compact passage may explain.
    pub max_compact: f32,
    /// Whether a summary of at least half of the source is one of the whole source, as in PAN's annotations.
    pub whole_source: bool,
}

impl Default for Method {
    fn default() -> Self {
        Self {
            exact_words: 40,
            letters: 6,
            background: 3e-5,
            background_share: 0.4,
            max_gain: 5.0,
            cost_a: 1.4,
            cost_b: 1.4,
            growing_cost: 0.3,
            growing_rounds: 3,
            rounds: 8,
            max_loss: 60.0,
            borders_a: [3.0, 2.0, 0.5, 0.0],
            borders_b: [8.0, 2.0, 0.5, 0.0],
            support_reach: 12,
            full_support: 12.0,
            max_support: 1.2,
            min_supported_gain: 0.3,
            max_supported_pairs: 2000,
            window: 32,
            min_window_gain: 0.7,
            min_window_sum: 9.0,
            max_failures: 20,
            min_side: 15.0,
            max_gap: 40,
            min_joined: 0.5,
            min_sum: 60.0,
            min_sum_beside_exact: 250.0,
            min_words_a: 4,
            min_words_b: 30,
            summary: SummaryMethod {
                max_gain: 3.0,
                cost: 0.5,
                borders: [3.0, 3.0, 1.0, 0.0],
                min_sum: 22.0,
                max_words: 200,
                min_ratio: 2.5,
                max_exact: 0.4,
                min_support: 0.72,
                parts: 8,
                min_parts: 4,
                max_compact: 0.75,
                whole_source: false,
            },
        }
    }
}
