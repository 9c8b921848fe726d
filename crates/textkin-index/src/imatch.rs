//! I-Match: finds almost exact copies by one digest of the terms that are neither common nor rare.
//!
//! In: the texts of a collection. Out: sets of texts that have the same terms in a band of inverse
//! document frequency. Several random lexicons, each without a third of the terms, make it robust: two
//! texts that differ in a few terms are likely to agree in one of them. It is as cheap as finding exact
//! copies, but it does not measure how much is shared; discovery does. DECO's authors named it as future
//! work.
//!
//! Follows Chowdhury, Frieder, Grossman and McCabe (2002), with the lexicons of Kołcz, Chowdhury and
//! Alspector (2004).

use std::sync::Mutex;

use hashbrown::HashMap;
use textkin_core::DisjointSets;
use textkin_core::chunk::mix;
use textkin_core::parallel::try_for_each;
use xxhash_rust::xxh3::xxh3_128;

use crate::array::Window;
use crate::batch::{Batch, TextAddress, hash_tokens};
use crate::collect::Collection;
use crate::error::Error;
use crate::work::{Progress, Stop};

/// Settings of I-Match: which terms form the digest of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImatchSettings {
    /// Terms below this share of the largest inverse document frequency are too common.
    pub low: f64,
    /// Terms above this share are too rare.
    pub high: f64,
    /// Number of random lexicons in addition to the full one.
    pub lexicons: u32,
    /// Texts with fewer terms in the band have no digest.
    pub min_terms: usize,
}

impl Default for ImatchSettings {
    fn default() -> Self {
        Self { low: 0.2, high: 0.8, lexicons: 5, min_terms: 4 }
    }
}

/// Finds the sets of two or more texts that agree in a digest. Each set is ascending; sets are ordered by
/// their first text.
///
/// Call it before [`find_shared`](crate::find_shared), which consumes the texts.
///
/// # Errors
/// If the temporary file fails or the run is stopped.
pub fn near_copies(
    collection: &Collection,
    settings: ImatchSettings,
    threads: usize,
    progress: &Progress,
    stop: &Stop,
) -> Result<Vec<Vec<TextAddress>>, Error> {
    collection.with_batches(|batches| {
        let counts = document_frequencies(batches, threads, progress, stop)?;
        let band = Band::new(&counts, batches, settings);
        let digests = digests(batches, &band, threads, progress, stop)?;
        Ok(sets(digests))
    })
}

/// Counts the texts that contain each term.
fn document_frequencies(
    batches: &[(u32, Batch)],
    threads: usize,
    progress: &Progress,
    stop: &Stop,
) -> Result<HashMap<u64, u32>, Error> {
    progress.begin("counting terms", batches.len() as u64);
    let tasks: Vec<&Batch> = batches.iter().map(|(_, batch)| batch).collect();
    let counts = try_for_each(
        threads,
        tasks,
        |_| (HashMap::<u64, u32>::new(), Vec::new()),
        |(counts, terms), batch| {
            stop.check()?;
            for_each_text(batch, terms, |_, terms| {
                for &term in terms {
                    *counts.entry(term).or_insert(0) += 1;
                }
            })?;
            progress.advance(1);
            Ok(())
        },
    )?;
    let mut all: HashMap<u64, u32> = HashMap::new();
    for (counts, _) in counts {
        for (term, count) in counts {
            *all.entry(term).or_insert(0) += count;
        }
    }
    Ok(all)
}

/// Calls `each` with the number of every text of `batch` and its distinct terms, ascending.
fn for_each_text(
    batch: &Batch,
    terms: &mut Vec<u64>,
    mut each: impl FnMut(usize, &[u64]),
) -> Result<(), Error> {
    let mut window = Window::default();
    for text in 0..batch.texts.len() {
        hash_tokens(batch.text_bytes(text, &mut window)?, terms);
        terms.sort_unstable();
        terms.dedup();
        each(text, terms);
    }
    Ok(())
}

/// The terms that are neither too common nor too rare.
struct Band<'a> {
    counts: &'a HashMap<u64, u32>,
    /// Minimum and maximum number of texts of a term in the band.
    min_texts: f64,
    max_texts: f64,
    settings: ImatchSettings,
}

impl<'a> Band<'a> {
    fn new(
        counts: &'a HashMap<u64, u32>,
        batches: &[(u32, Batch)],
        settings: ImatchSettings,
    ) -> Self {
        let n_texts: usize = batches.iter().map(|(_, batch)| batch.texts.len()).sum();
        // idf = ln(N/f), its largest value ln(N): a share s of it is met at f = N^(1-s).
        let at = |share: f64| (n_texts as f64).powf(1.0 - share);
        Self { counts, min_texts: at(settings.high), max_texts: at(settings.low), settings }
    }

    fn contains(&self, term: u64) -> bool {
        let count = f64::from(self.counts.get(&term).copied().unwrap_or(0));
        self.min_texts <= count && count <= self.max_texts
    }
}

/// A digest, and the text that has it.
type Digest = (u128, TextAddress);

fn digests(
    batches: &[(u32, Batch)],
    band: &Band<'_>,
    threads: usize,
    progress: &Progress,
    stop: &Stop,
) -> Result<Vec<Digest>, Error> {
    progress.begin("digesting terms", batches.len() as u64);
    let all: Mutex<Vec<Digest>> = Mutex::default();
    try_for_each(
        threads,
        batches.iter().collect(),
        |_| (Vec::new(), Vec::new()),
        |(terms, kept): &mut (Vec<u64>, Vec<u64>), (number, batch)| {
            stop.check()?;
            let mut own_digests = Vec::new();
            for_each_text(batch, terms, |text, terms| {
                let address = TextAddress { batch: *number, text: text as u32 };
                let in_band: Vec<u64> =
                    terms.iter().copied().filter(|&term| band.contains(term)).collect();
                for lexicon in 0..=u64::from(band.settings.lexicons) {
                    kept.clear();
                    let in_lexicon = |term: &u64| {
                        lexicon == 0 || !mix(term.wrapping_add(lexicon)).is_multiple_of(3)
                    };
                    kept.extend(in_band.iter().copied().filter(in_lexicon));
                    if kept.len() >= band.settings.min_terms {
                        kept.push(lexicon);
                        own_digests.push((xxh3_128(bytemuck::cast_slice(kept)), address));
                    }
                }
            })?;
            all.lock().unwrap_or_else(|broken| broken.into_inner()).extend(own_digests);
            progress.advance(1);
            Ok(())
        },
    )?;
    Ok(all.into_inner().unwrap_or_else(|broken| broken.into_inner()))
}

/// Joins texts that agree in a digest.
fn sets(mut digests: Vec<Digest>) -> Vec<Vec<TextAddress>> {
    digests.sort_unstable();
    let mut texts: Vec<TextAddress> = digests.iter().map(|(_, text)| *text).collect();
    texts.sort_unstable();
    texts.dedup();
    let number = |text: &TextAddress| texts.partition_point(|other| other < text) as u32;
    let mut sets = DisjointSets::new(texts.len());
    for pair in digests.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        sets.union(number(&pair[0].1), number(&pair[1].1));
    }
    let mut members: Vec<Vec<TextAddress>> = vec![Vec::new(); texts.len()];
    for (root, text) in sets.into_roots().into_iter().zip(&texts) {
        members[root as usize].push(*text);
    }
    members.retain(|set| set.len() > 1);
    members
}
