//! Rules of publications, on the words of textkin.
//!
//! In: the runs that a text and a document share. Out: places whose share is the one that the publication defines.

use hashbrown::HashMap;

use super::index::RunHit;
use super::items::EvaluationSet;
use super::place::{DocumentWords, ItemText, Place};
use super::rule::Preset;
use super::words::ItemWords;

/// Length of runs of `palm` and `tulu`.
const EIGHT: u32 = 8;

/// Length of runs of `decon`.
const FIVE: u32 = 5;

/// Maximum words between two runs of a place of `decon`.
const MAX_MISSES: u32 = 11;

/// Minimum words of an item of `decon`.
const MIN_WORDS: usize = 20;

/// Equal words at the beginning of a run of `llama`, and maximum number of mismatches after them.
pub(super) const TEN: usize = 10;
const MAX_MISMATCHES: usize = 4;

/// Returns the length of the runs of each text by the rule `gpt3`.
pub(super) fn gpt3_lengths(set: &EvaluationSet, numbers: &[u32], texts: &[ItemText]) -> Vec<usize> {
    let mut by_benchmark: HashMap<&str, Vec<usize>> = HashMap::new();
    let length = |item: usize| texts[numbers[item] as usize].words.hashes.len();
    for (number, item) in set.items().iter().enumerate() {
        by_benchmark.entry(&item.benchmark).or_default().push(length(number));
    }
    by_benchmark.values_mut().for_each(|lengths| {
        lengths.sort_unstable();
        *lengths = vec![lengths[lengths.len() / 20].clamp(8, 13)];
    });
    let of_text = |text: &ItemText| {
        let items = text.items.iter().map(|item| &set.items()[*item as usize]);
        items.map(|item| by_benchmark[&*item.benchmark][0]).min().unwrap_or(13)
    };
    texts.iter().map(of_text).collect()
}

/// Whether a text is long enough for a rule.
pub(super) fn is_judged(preset: Preset, text: &ItemText) -> bool {
    let n_words = text.words.hashes.len();
    match preset {
        Preset::Textkin => true,
        Preset::Gpt3 | Preset::Palm | Preset::Tulu => n_words >= EIGHT as usize,
        Preset::Llama => n_words >= TEN,
        Preset::Decon => n_words >= MIN_WORDS,
    }
}

/// Appends the place of a text in a document, or for `decon` and `llama` each of its places.
pub(super) fn find(
    preset: Preset,
    text: &ItemText,
    document: DocumentWords<'_>,
    hits: &[RunHit],
    places: &mut Vec<Place>,
) {
    match preset {
        Preset::Llama => skip_runs(text, document, hits, places),
        Preset::Decon => {
            let is_near =
                |one: &RunHit, other: &RunHit| other.document - one.document <= MAX_MISSES;
            for cluster in hits.chunk_by(is_near) {
                let bits = |words: &[super::words::ItemWord]| -> f64 {
                    words.iter().map(|word| f64::from(word.bits)).sum()
                };
                let all: f64 = text.words.words.windows(FIVE as usize).map(bits).sum();
                let found: f64 = distinct(cluster)
                    .map(|at| bits(&text.words.words[at as usize..(at + FIVE) as usize]))
                    .sum();
                places.push(Place { share: found / all, ..covered(cluster, FIVE) });
            }
        }
        _ => {
            let place = covered(hits, EIGHT);
            let n_words = text.words.hashes.len();
            let share = match preset {
                Preset::Palm => {
                    distinct(hits).count() as f64 / (n_words - EIGHT as usize + 1) as f64
                }
                _ => place.pairs.len() as f64 / n_words as f64,
            };
            places.push(Place { share, ..place });
        }
    }
}

/// Returns the distinct positions of runs in the text.
fn distinct(hits: &[RunHit]) -> impl Iterator<Item = u32> {
    let mut items: Vec<u32> = hits.iter().map(|hit| hit.item).collect();
    items.sort_unstable();
    items.dedup();
    items.into_iter()
}

/// Returns the place that runs cover: for each word of the text its first position in the document that keeps the
/// order of both.
fn covered(hits: &[RunHit], length: u32) -> Place {
    let mut first: HashMap<u32, u32> = HashMap::new();
    for hit in hits {
        for at in 0..length {
            first.entry(hit.item + at).or_insert(hit.document + at);
        }
    }
    let mut pairs: Vec<(u32, u32)> = first.into_iter().collect();
    pairs.sort_unstable();
    Place { pairs, ..Place::default() }
}

/// Finds the words in runs that begin with ten equal words and have up to four mismatches.
fn skip_runs(
    text: &ItemText,
    document: DocumentWords<'_>,
    hits: &[RunHit],
    places: &mut Vec<Place>,
) {
    let item = &*text.words.hashes;
    let shift = |hit: &RunHit| i64::from(hit.document) - i64::from(hit.item);
    let mut hits = hits.to_vec();
    hits.sort_unstable_by_key(|hit| (shift(hit), hit.item));
    for run in hits.chunk_by(|one, other| shift(one) == shift(other)) {
        let mut is_covered = vec![false; item.len()];
        for hit in run {
            let words =
                item[hit.item as usize..].iter().zip(&document.hashes[hit.document as usize..]);
            let mut mismatches = 0;
            for (at, (word, other)) in words.enumerate() {
                if word == other {
                    is_covered[hit.item as usize + at] = true;
                } else {
                    mismatches += 1;
                    if mismatches > MAX_MISMATCHES {
                        break;
                    }
                }
            }
        }
        let covered = (0u32..).zip(&is_covered).filter(|(_, is_covered)| **is_covered);
        let pair = |(at, _)| Some((at, u32::try_from(i64::from(at) + shift(&run[0])).ok()?));
        let pairs: Vec<(u32, u32)> = covered.filter_map(pair).collect();
        let share = pairs.len() as f64 / item.len() as f64;
        places.push(Place { pairs, share, ..Place::default() });
    }
}

/// Returns the largest share of words of a correct answer after a place; `None` if there is no answer.
pub(super) fn decon_answer(
    answers: &[ItemWords],
    document: DocumentWords<'_>,
    place: &Place,
) -> Option<f64> {
    let share = |answer: &ItemWords| {
        let end = place.words().end;
        let reach = (2 * answer.hashes.len()).max(20);
        let window = &document.hashes[end..(end + reach).min(document.hashes.len())];
        let pairs = answer.hashes.iter().zip(&answer.words);
        let found: f64 = pairs
            .filter(|(hash, _)| window.contains(hash))
            .map(|(_, word)| f64::from(word.bits))
            .sum();
        found / answer.bits()
    };
    answers.iter().map(share).reduce(f64::max)
}
