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
const EIGHT: usize = 8;

/// Length of runs of `decon`.
const FIVE: usize = 5;

/// Maximum words between two runs of a place of `decon`.
const MAX_MISSES: u32 = 11;

/// Minimum words of an item of `decon`.
const MIN_WORDS: usize = 20;

/// Length of a run of `llama`, and its maximum number of mismatches.
const SKIP_RUN: (usize, usize) = (10, 4);

/// Returns the length of the runs of each text by the rule `gpt3`.
pub(super) fn gpt3_lengths(set: &EvaluationSet, numbers: &[u32], texts: &[ItemText]) -> Vec<usize> {
    let mut by_benchmark: HashMap<&str, Vec<usize>> = HashMap::new();
    let length = |item: usize| texts[numbers[item] as usize].words.hashes.len();
    for (number, item) in set.items().iter().enumerate() {
        by_benchmark.entry(&item.benchmark).or_default().push(length(number));
    }
    for lengths in by_benchmark.values_mut() {
        lengths.sort_unstable();
        *lengths = vec![lengths[lengths.len() / 20].clamp(8, 13)];
    }
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
        Preset::Gpt3 | Preset::Palm | Preset::Tulu => n_words >= EIGHT,
        Preset::Llama => n_words >= SKIP_RUN.0,
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
            let is_near = |one: &RunHit, other: &RunHit| other.document - one.document <= MAX_MISSES;
            for cluster in hits.chunk_by(is_near) {
                let bits = |words: &[super::words::ItemWord]| -> f64 {
                    words.iter().map(|word| f64::from(word.bits)).sum()
                };
                let all: f64 = text.words.words.windows(FIVE).map(bits).sum();
                let found: f64 = distinct(cluster)
                    .map(|at| bits(&text.words.words[at as usize..at as usize + FIVE]))
                    .sum();
                places.push(Place { share: found / all, ..covered(cluster, FIVE) });
            }
        }
        _ => {
            let length = if preset == Preset::Gpt3 { 1 } else { EIGHT };
            let place = covered(hits, length);
            let n_words = text.words.hashes.len();
            let share = match preset {
                Preset::Palm => {
                    distinct(hits).count() as f64 / (n_words - EIGHT + 1) as f64
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
fn covered(hits: &[RunHit], length: usize) -> Place {
    let mut first: HashMap<u32, u32> = HashMap::new();
    for hit in hits {
        for at in 0..length as u32 {
            first.entry(hit.item + at).or_insert(hit.document + at);
        }
    }
    let mut pairs: Vec<(u32, u32)> = first.into_iter().collect();
    pairs.sort_unstable();
    Place { pairs, ..Place::default() }
}

/// Finds the words that are in runs of ten with up to four mismatches.
fn skip_runs(
    text: &ItemText,
    document: DocumentWords<'_>,
    hits: &[RunHit],
    places: &mut Vec<Place>,
) {
    let (run, mismatches) = SKIP_RUN;
    let mut shifts: Vec<i64> =
        hits.iter().map(|hit| i64::from(hit.document) - i64::from(hit.item)).collect();
    shifts.sort_unstable();
    shifts.dedup();
    let item = &*text.words.hashes;
    for shift in shifts {
        let other = |at: usize| {
            let at = usize::try_from(at as i64 + shift).ok()?;
            document.hashes.get(at).copied()
        };
        let is_equal: Vec<bool> = (0..item.len()).map(|at| other(at) == Some(item[at])).collect();
        let mut is_covered = vec![false; item.len()];
        for (at, words) in is_equal.windows(run).enumerate() {
            if words.iter().filter(|is_equal| !**is_equal).count() <= mismatches {
                is_covered[at..at + run].fill(true);
            }
        }
        let n_covered = is_covered.iter().filter(|is_covered| **is_covered).count();
        let pairs = (0u32..).zip(is_equal.iter().zip(&is_covered));
        let pairs = pairs.filter(|(_, (is_equal, is_covered))| **is_equal && **is_covered);
        let pairs: Vec<(u32, u32)> = pairs
            .filter_map(|(at, _)| Some((at, u32::try_from(i64::from(at) + shift).ok()?)))
            .collect();
        let share = n_covered as f64 / item.len() as f64;
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
