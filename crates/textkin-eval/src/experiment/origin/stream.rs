//! A collection as a stream: its documents in order of time, cut in one way or another, and traced.

use textkin::trace::{Accuracy, DocumentTrace, Memory, Settings as TraceSettings, Tracer};
use textkin::types::{Chunk, Chunked, Tokens};
use textkin::{Analyzer, Settings, Timestamp};

use super::super::ExperimentContext;
use crate::collection::CollectionDocument;
use crate::error::Error;

/// Documents of fewer words are left out, as in the paper.
const MIN_WORDS: usize = 45;

/// So many documents make a first impression.
const QUICK: usize = 1_200;

/// Bytes of a chunk in the paper's smallest slot, by which its Table 2 tells sizes.
const SLOT: u64 = 14;

/// Shares of the distinct chunks that fit, in hundredths of a percent: the first row of Table 2.
const SIZES: [u64; 8] = [3420, 1370, 680, 330, 140, 70, 30, 10];

/// Those of them that the paper prints in most tables, for 5,000, 500 and 50 MB.
const QUICK_SIZES: [u64; 3] = [3420, 330, 30];

/// How texts are cut, and which chunks are looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkSelection {
    /// The paper's name for it.
    pub(super) name: &'static str,
    pub(super) chunk: &'static str,
    pub(super) select: &'static str,
}

impl ChunkSelection {
    pub(super) const fn new(name: &'static str, chunk: &'static str, select: &'static str) -> Self {
        Self { name, chunk, select }
    }

    /// Every run of eight words.
    pub(super) const ALL: Self = Self::new("All", "words:8", "all");

    /// The paper's best.
    pub(super) const BEST: Self = Self::new("NHs", "words:8", "hailstorm+no-overlap");
}

/// The documents of a stream, and the truth about them.
pub(super) struct TraceStream {
    texts: Vec<Tokens>,
    truth: Vec<DocumentTrace>,
    n_chunks: u64,
    n_distinct: u64,
    sizes: &'static [u64],
    /// Whether the order is that of time.
    has_times: bool,
}

/// Documents cut in one way: chunks, and which of them are selected.
pub(super) struct SelectedStream(Vec<(Vec<Chunk>, Vec<u32>)>);

impl SelectedStream {
    /// Selected chunks of all documents.
    pub(super) fn n_selected(&self) -> u64 {
        self.0.iter().map(|(_, selection)| selection.len() as u64).sum()
    }
}

impl TraceStream {
    /// The collection of the lab as a stream.
    pub(super) fn new(context: &ExperimentContext<'_>) -> Result<Self, Error> {
        context.set_stage("the truth");
        let analyzer = Analyzer::new(&Settings::default())?;
        let (order, has_times) = in_order(&context.collection().texts);
        let tokens = order.into_iter().map(|text| {
            let mut tokens = analyzer.tokens();
            analyzer.tokenize(&text.text, &mut tokens);
            tokens
        });
        let n = if context.is_quick { QUICK } else { usize::MAX };
        let texts = tokens.filter(|tokens| tokens.len() >= MIN_WORDS).take(n).collect();
        let sizes = if context.is_quick { &QUICK_SIZES[..] } else { &SIZES[..] };
        let mut stream =
            Self { texts, truth: Vec::new(), n_chunks: 0, n_distinct: 0, sizes, has_times };
        let all = stream.cut(context, ChunkSelection::ALL)?;
        stream.truth = stream.traced(context, &all, &TraceSettings::exact())?;
        let mut hashes: Vec<u64> =
            all.0.iter().flat_map(|(chunks, _)| chunks.iter().map(|chunk| chunk.hash)).collect();
        stream.n_chunks = hashes.len() as u64;
        hashes.sort_unstable();
        hashes.dedup();
        stream.n_distinct = hashes.len() as u64;
        Ok(stream)
    }

    /// Cuts all documents in one way.
    pub(super) fn cut(
        &self,
        context: &ExperimentContext<'_>,
        cut: ChunkSelection,
    ) -> Result<SelectedStream, Error> {
        context.check_stopped()?;
        let settings = Settings {
            chunk: cut.chunk.parse().map_err(textkin::Error::from)?,
            select: cut.select.parse().map_err(textkin::Error::from)?,
            ..Settings::default()
        };
        let analyzer = Analyzer::new(&settings)?;
        let one = |tokens: &Tokens| {
            let (mut chunks, mut selection) = (Vec::new(), Vec::new());
            analyzer.chunk(tokens, &mut chunks, &mut selection);
            (chunks, selection)
        };
        Ok(SelectedStream(self.texts.iter().map(one).collect()))
    }

    /// What a tracer says of every document.
    pub(super) fn traced(
        &self,
        context: &ExperimentContext<'_>,
        cut: &SelectedStream,
        settings: &TraceSettings,
    ) -> Result<Vec<DocumentTrace>, Error> {
        let mut tracer = Tracer::new(settings).map_err(textkin::Error::from)?;
        let mut said = Vec::with_capacity(self.texts.len());
        for (tokens, (chunks, selection)) in self.texts.iter().zip(&cut.0) {
            context.check_stopped()?;
            said.push(tracer.trace(&Chunked { tokens, chunks }, selection));
        }
        Ok(said)
    }

    /// What is true and what is said of the documents that count: those of the second half.
    pub(super) fn judged<'a>(
        &'a self,
        said: &'a [DocumentTrace],
    ) -> impl Iterator<Item = (&'a DocumentTrace, &'a DocumentTrace)> {
        self.truth.iter().zip(said).skip(self.truth.len() / 2)
    }

    /// How right a tracer is with each size of memory; sizes are shared among all cores.
    pub(super) fn curve(
        &self,
        context: &ExperimentContext<'_>,
        cut: &SelectedStream,
        settings: &TraceSettings,
    ) -> Result<Vec<Accuracy>, Error> {
        let one = |size: u64| {
            let settings = TraceSettings { memory: self.memory(size), ..*settings };
            let said = self.traced(context, cut, &settings)?;
            let mut accuracy = Accuracy::default();
            self.judged(&said).for_each(|(truth, said)| accuracy.add(truth, said));
            Ok(accuracy)
        };
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = self.sizes.len().div_ceil(n_threads);
        let several = |sizes: &[u64]| sizes.iter().map(|size| one(*size)).collect::<Vec<_>>();
        let parts: Vec<Vec<Result<Accuracy, Error>>> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                self.sizes.chunks(share).map(|sizes| scope.spawn(|| several(sizes))).collect();
            let joined = threads.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            joined.collect()
        });
        parts.into_iter().flatten().collect()
    }

    /// The memory of a size.
    pub(super) fn memory(&self, size: u64) -> Memory {
        Memory::Bytes((self.n_distinct * SLOT * size / 10_000).max(5_000))
    }

    /// Sizes of memory, in hundredths of a percent of the distinct chunks, the largest first.
    pub(super) fn sizes(&self) -> &'static [u64] {
        self.sizes
    }

    /// All chunks of eight words.
    pub(super) fn n_chunks(&self) -> u64 {
        self.n_chunks
    }

    /// What must be said with any figure of it.
    pub(super) fn note(&self) -> String {
        let mut accuracy = Accuracy::default();
        self.judged(&self.truth).for_each(|(truth, said)| accuracy.add(truth, said));
        let (clear, copied) = accuracy.n_documents();
        let order = match self.has_times {
            true => "in order of time",
            false => "in the order they are given, since not all have a time",
        };
        format!(
            "{} documents of {MIN_WORDS} words and more, {order}; {} chunks, {} of them distinct. The second half \
             counts, but for documents without a clear dominant origin: {clear} documents, {copied} of them copied. Sizes of \
             memory are the paper's: so many percent of the distinct chunks, {SLOT} bytes each.",
            self.texts.len(),
            self.n_chunks,
            self.n_distinct,
        )
    }
}

/// Documents in order of time, if all of them have one.
fn in_order(texts: &[CollectionDocument]) -> (Vec<&CollectionDocument>, bool) {
    // A short number is no moment, but an order.
    let number = |time: &str| time.parse::<i64>().ok();
    let timestamp = |time: &str| time.parse().ok().map(|Timestamp(seconds)| seconds);
    let keys = |key: &dyn Fn(&str) -> Option<i64>| {
        texts
            .iter()
            .map(|text| Some((key(text.time.as_deref()?)?, text)))
            .collect::<Option<Vec<_>>>()
    };
    let keyed = keys(&number).or_else(|| keys(&timestamp));
    match keyed {
        Some(mut keyed) => {
            keyed.sort_by_key(|(time, _)| *time);
            (keyed.into_iter().map(|(_, text)| text).collect(), true)
        }
        None => (texts.iter().collect(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(id: &str, time: Option<&str>) -> CollectionDocument {
        CollectionDocument { id: id.to_owned(), time: time.map(str::to_owned), text: String::new() }
    }

    #[test]
    fn documents_come_in_order_of_time_or_as_they_are() {
        let ids = |texts: &[CollectionDocument]| {
            in_order(texts).0.iter().map(|text| text.id.clone()).collect::<Vec<_>>().join("")
        };
        let mut texts = vec![
            text("a", Some("2001-01-01")),
            text("b", Some("2000-05-05T10:00:00Z")),
            text("c", Some("2000-05-05T09:00:00Z")),
        ];
        assert_eq!(ids(&texts), "cba");
        texts.push(text("d", None));
        assert_eq!(ids(&texts), "abcd");
        assert_eq!(ids(&[text("a", Some("1")), text("b", Some("0")), text("c", Some("1"))]), "bac");
    }
}
