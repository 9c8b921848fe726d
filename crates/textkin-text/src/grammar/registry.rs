//! Registry of strategies, for `textkin strategies` and for suggestions in errors.
//!
//! Guarantee: every example is valid; every strategy has an entry.

use textkin_core::name::nearest;

use super::Error;

/// Help for one strategy, as shown by `textkin strategies`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrategyHelp {
    /// Name of the strategy.
    pub name: &'static str,
    /// Name with arguments; optional ones in brackets.
    pub syntax: &'static str,
    /// Valid example.
    pub example: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// Publication that describes it.
    pub source: &'static str,
}

const fn help(
    [name, syntax, example]: [&'static str; 3],
    summary: &'static str,
    source: &'static str,
) -> StrategyHelp {
    StrategyHelp { name, syntax, example, summary, source }
}

const DECO: &str = "Bernstein and Zobel 2006";
const HOAD: &str = "Hoad and Zobel 2003";
const ORIGIN: &str = "Abdel-Hamid et al. 2009";
const SCAM: &str = "Shivakumar and Garcia-Molina 1996";

#[rustfmt::skip]
static CHUNKERS: &[StrategyHelp] = &[
    help(["words", "words[:K]", "words:8"], "every run of K consecutive words, overlapping (default 8)", "Broder et al. 1997"),
    help(["words", "words:K:disjoint", "words:8:disjoint"], "runs of K words, one after the other", HOAD),
    help(["chars", "chars:K", "chars:50"], "every run of K consecutive characters, overlapping", "Manber 1994"),
    help(["sentence", "sentence", "sentence"], "each sentence", "Brin et al. 1995"),
    help(["break", "break:P", "break:10"], "segments that end at a word whose hash is divisible by P", SCAM),
    help(["break", "break:P:revised", "break:10:revised"], "as break:P, without segments of fewer than P words", "Seo and Croft 2008"),
    help(["dct", "dct:P", "dct:8"], "segments of break:P:revised, hashed so that small edits often do not matter", "Seo and Croft 2008"),
    help(["word", "word", "word"], "each word", SCAM),
    help(["document", "document", "document"], "the whole document", SCAM),
];

#[rustfmt::skip]
static SELECTORS: &[StrategyHelp] = &[
    help(["all", "all", "all"], "every chunk (full fingerprinting)", HOAD),
    help(["spex", "spex", "spex"], "chunks with only repeated sub-chunks in the collection; lossless for discovery", DECO),
    help(["modulo", "modulo:L", "modulo:16"], "chunks whose hash is divisible by L; context-free", DECO),
    help(["every", "every:L", "every:4"], "every L-th chunk", ORIGIN),
    help(["winnow", "winnow:W", "winnow:8"], "the smallest hash of each W consecutive chunks", "Schleimer et al. 2003"),
    help(["hailstorm", "hailstorm", "hailstorm"], "chunks that begin or end with their smallest word hash; context-free, covers every word", ORIGIN),
    help(["random", "random:R[:SEED]", "random:100"], "R chunks at random", HOAD),
    help(["first", "first:R", "first:100"], "the first R chunks that do not overlap", HOAD),
    help(["first-sliding", "first-sliding:R", "first-sliding:100"], "the first R chunks", HOAD),
    help(["rarest-document", "rarest-document:R", "rarest-document:100"], "the R chunks rarest in the document", HOAD),
    help(["rarest-collection", "rarest-collection:R", "rarest-collection:100"], "the R chunks rarest in the collection; needs an extra pass", HOAD),
    help(["rarest-prefix", "rarest-prefix:R[:P]", "rarest-prefix:100"], "the R chunks whose first P characters (default 2) begin the fewest words", HOAD),
    help(["anchor", "anchor[:FILE]", "anchor"], "chunks that begin with one of 35 pairs of letters, or one listed in FILE; context-free", "Manber 1994"),
    help(["kth-in-sentence", "kth-in-sentence:K", "kth-in-sentence:2"], "chunks that begin with the K-th word of a sentence", HOAD),
    help(["kth-sentence", "kth-sentence:K", "kth-sentence:3"], "chunks that begin every K-th sentence", HOAD),
    help(["kth-in-paragraph", "kth-in-paragraph:K", "kth-in-paragraph:2"], "chunks that begin with the K-th word of a paragraph", HOAD),
    help(["lowest", "lowest:R", "lowest:100"], "the R lowest hash values (bottom-R sketch)", "Heintze 1996"),
    help(["contains", "contains:FILE", "contains:words.txt"], "chunks that contain a word listed in FILE; context-free", DECO),
    help(["no-overlap", "no-overlap", "no-overlap"], "drops chunks whose words are all covered by other selected chunks", ORIGIN),
];

/// Returns all chunkers, in display order.
#[must_use]
pub fn chunkers() -> &'static [StrategyHelp] {
    CHUNKERS
}

/// Returns all selectors, in display order.
#[must_use]
pub fn selectors() -> &'static [StrategyHelp] {
    SELECTORS
}

/// Returns the error for a name that is not in `strategies`.
pub(super) fn unknown_name(
    stage: &'static str,
    name: &str,
    strategies: &'static [StrategyHelp],
) -> Error {
    let suggestion = nearest(name, strategies.iter().map(|help| help.name));
    Error::UnknownName { stage, name: name.to_owned(), suggestion }
}
