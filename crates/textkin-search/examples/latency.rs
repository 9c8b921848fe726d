//! Measures the latency of searches over a generated collection in memory.
//!
//! `cargo run --release -p textkin-search --example latency -- [DOCUMENTS] [QUERY WORDS] [MEASURE]`
//!
//! Times are processor times where Linux reports them, so that other programs do not count. Words follow
//! Zipf's law. A third of the queries contain the text of one document and words of many others; the rest
//! share no text with the collection. Blocks are the blocks of postings read: a file has to decode them,
//! memory does not.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use textkin_core::chunk::mix;
use textkin_core::{CorruptionError, IndexSegment, Length, PostingBlock, PostingList};
use textkin_search::{
    DocumentAddress, MemorySegment, PassageSettings, Query, RankSettings, Ranking, TextReader,
    rank, rank_all, rank_chunks, rank_passages,
};

const WORDS: usize = 300;
const VOCABULARY: f64 = 1_000_000.0;
const N_QUERIES: usize = 60;
/// One chunk in this many is stored.
const CHUNKS: u64 = 16;

static BLOCKS: AtomicU64 = AtomicU64::new(0);

#[expect(clippy::print_stdout, reason = "an example that reports to a terminal")]
fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let n: usize = arguments.next().unwrap_or(200_000);
    let query_words: usize = arguments.next().unwrap_or(1000);
    let only = std::env::args().nth(3);
    let mut random = Random(42);
    let started = Instant::now();
    let mut segment = MemorySegment::default();
    for number in 0..n {
        let words = text(number as u64, WORDS);
        segment.add(&words, &chunks(&words));
    }
    println!("{n} documents of {WORDS} words in {:.1} s", started.elapsed().as_secs_f64());
    let segments = [Counted(segment)];
    let texts: Vec<Vec<u64>> = (0..N_QUERIES)
        .map(|number| {
            let seed = if number % 3 == 0 { random.below(n as u64) } else { u64::MAX / 2 };
            let mut words =
                text(seed + number as u64 * u64::from(number % 3 != 0), WORDS.min(query_words));
            let rest = text(u64::MAX / 3 + number as u64, query_words - words.len());
            words.extend(rest);
            words
        })
        .collect();

    for ranking in Ranking::ALL {
        let n_candidates = only.as_deref().is_none_or(|name| name == ranking.name());
        if ranking == Ranking::Fingerprint || !n_candidates {
            continue;
        }
        let settings = RankSettings { ranking, ..RankSettings::default() };
        report(ranking.name(), &texts, |words| {
            let found = rank(&segments, &Query::new(words.iter().copied()), &settings);
            found.map_or(0, |found| found.documents.len())
        });
    }
    report("fingerprint", &texts, |words| {
        let found = rank_chunks(&segments, &RegeneratedTexts, &chunks(words), None, 20);
        found.map_or(0, |found| found.documents.len())
    });
    report("passages", &texts, |words| {
        let settings = PassageSettings::default();
        rank_passages(&segments, &RegeneratedTexts, words, &settings)
            .map_or(0, |found| found.documents.len())
    });
    let queries: Vec<Query> = texts.iter().map(|words| Query::new(words.iter().copied())).collect();
    let settings = RankSettings { threads: number(2), ..RankSettings::default() };
    let started = Instant::now();
    let done = rank_all(&segments, &queries, &settings).len();
    println!("batch of {done}: {:.1} queries/s", done as f64 / started.elapsed().as_secs_f64());
}

#[expect(clippy::print_stdout, reason = "an example that reports to a terminal")]
fn report(name: &str, texts: &[Vec<u64>], search: impl Fn(&[u64]) -> usize) {
    BLOCKS.store(0, Ordering::Relaxed);
    let mut found = 0;
    let mut times: Vec<f64> = texts
        .iter()
        .map(|words| {
            let started = processor_time();
            found += search(words);
            (processor_time() - started) * 1e3
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    let blocks = BLOCKS.load(Ordering::Relaxed) / texts.len() as u64;
    println!(
        "{name:24} p50 {:8.2} ms  p95 {:8.2} ms  p99 {:8.2} ms  {blocks:7} blocks  {found} found",
        at(50),
        at(95),
        at(99),
    );
}

/// Processor time of this thread, in seconds.
fn processor_time() -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = statistics.split(' ').next().and_then(|first| first.parse().ok());
    nanoseconds.map_or(0.0, |nanoseconds: f64| nanoseconds / 1e9)
}

fn number(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap_or(NonZeroUsize::MIN)
}

/// Regenerates a text from its number instead of reading it.
struct RegeneratedTexts;

impl TextReader for RegeneratedTexts {
    type Error = CorruptionError;

    fn shared_chunks(
        &self,
        address: DocumentAddress,
        query: &[u64],
        _: u32,
    ) -> Result<u32, CorruptionError> {
        let mut own = chunks(&text(u64::from(address.document), WORDS));
        own.sort_unstable();
        own.dedup();
        Ok(own.iter().filter(|chunk| query.binary_search(chunk).is_ok()).map(|_| 1).sum())
    }

    fn words(&self, address: DocumentAddress, words: &mut Vec<u64>) -> Result<(), CorruptionError> {
        words.extend(text(u64::from(address.document), WORDS));
        Ok(())
    }
}

/// Generates the text with this number: words that follow Zipf's law.
fn text(number: u64, length: usize) -> Vec<u64> {
    let mut random = Random(number);
    (0..length)
        .map(|_| {
            let uniform = (random.next() >> 11) as f64 / (1u64 << 53) as f64;
            mix(VOCABULARY.powf(uniform).floor().to_bits())
        })
        .collect()
}

fn chunks(words: &[u64]) -> Vec<u64> {
    let hash = |window: &[u64]| window.iter().fold(7, |hash, word| mix(hash ^ word));
    words.windows(8).map(hash).filter(|hash| hash % CHUNKS == 0).collect()
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// A segment that counts the blocks that are read.
struct Counted(MemorySegment);

impl IndexSegment for Counted {
    fn n_documents(&self) -> u32 {
        self.0.n_documents()
    }

    fn n_live(&self) -> u32 {
        self.0.n_live()
    }

    fn is_live(&self, document: u32) -> bool {
        self.0.is_live(document)
    }

    fn length(&self, document: u32) -> Result<Length, CorruptionError> {
        self.0.length(document)
    }

    fn live_documents(&self, term: u64) -> Result<u32, CorruptionError> {
        self.0.live_documents(term)
    }

    fn postings(&self, term: u64) -> Result<Option<Box<dyn PostingList + '_>>, CorruptionError> {
        let list = self.0.postings(term)?;
        Ok(list.map(|list| Box::new(CountedList(list)) as Box<dyn PostingList>))
    }

    fn documents_with_chunk(
        &self,
        chunk: u64,
        documents: &mut Vec<u32>,
    ) -> Result<(), CorruptionError> {
        self.0.documents_with_chunk(chunk, documents)
    }
}

struct CountedList<'a>(Box<dyn PostingList + 'a>);

impl PostingList for CountedList<'_> {
    fn len(&self) -> u32 {
        self.0.len()
    }

    fn next_block(&mut self, block: &mut PostingBlock) -> Result<bool, CorruptionError> {
        BLOCKS.fetch_add(1, Ordering::Relaxed);
        self.0.next_block(block)
    }

    fn skip_to(&mut self, document: u32) {
        self.0.skip_to(document);
    }
}
