//! A collection as a stream: documents in chronological order, chunked, selected and traced.

use textkin::engine::trace::{Accuracy, DocumentTrace, Memory, Settings as TraceSettings, Tracer};
use textkin::engine::types::hash::HashKind;
use textkin::engine::types::parallel;
use textkin::engine::types::{Chunk, Chunked, Tokens};
use textkin::engine::{Analyzer, Settings, Timestamp};

use super::super::ExperimentContext;
use crate::collection::CollectionDocument;
use crate::error::Error;

/// Minimum words of a document; shorter ones are skipped, as in the paper.
const MIN_WORDS: usize = 45;

/// Maximum documents in a quick run.
const QUICK: usize = 1_200;

/// Bytes of the smallest slot in the paper, the unit of the sizes in its Table 2.
const SLOT: u64 = 14;

/// Memory sizes in hundredths of a percent of the distinct chunks: the first row of Table 2.
const SIZES: [u64; 8] = [3420, 1370, 680, 330, 140, 70, 30, 10];

/// The sizes in most tables of the paper: 5,000, 500 and 50 MB.
const QUICK_SIZES: [u64; 3] = [3420, 330, 30];

/// Chunker and selection.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkSelection {
    /// Name in the paper.
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

    /// The best selection of the paper.
    pub(super) const BEST: Self = Self::new("NHs", "words:8", "hailstorm+no-overlap");
}

/// Chunker and hash function of a stream: those of the selections that are not segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamChunks {
    /// Words per chunk: 8 in most experiments of the paper.
    pub(super) k: u32,
    pub(super) hash: HashKind,
}

impl Default for StreamChunks {
    fn default() -> Self {
        Self { k: 8, hash: HashKind::default() }
    }
}

/// Documents of a stream, and the ground truth about them.
pub(super) struct TraceStream {
    chunks: StreamChunks,
    texts: Vec<Tokens>,
    truth: Vec<DocumentTrace>,
    n_chunks: u64,
    n_distinct: u64,
    sizes: &'static [u64],
    /// Whether the order is chronological.
    has_times: bool,
}

/// Chunks of each document, and the indices of the selected ones.
pub(super) struct SelectedStream(Vec<(Vec<Chunk>, Vec<u32>)>);

impl SelectedStream {
    /// Returns the number of selected chunks of all documents.
    pub(super) fn n_selected(&self) -> u64 {
        self.0.iter().map(|(_, selection)| selection.len() as u64).sum()
    }
}

impl TraceStream {
    /// Reads the collection as a stream and computes its ground truth.
    pub(super) fn new(context: &ExperimentContext<'_>) -> Result<Self, Error> {
        Self::with_chunks(context, StreamChunks::default())
    }

    /// Reads the collection as a stream of these chunks.
    pub(super) fn with_chunks(
        context: &ExperimentContext<'_>,
        chunks: StreamChunks,
    ) -> Result<Self, Error> {
        context.set_stage("computing the ground truth");
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
            Self { chunks, texts, truth: Vec::new(), n_chunks: 0, n_distinct: 0, sizes, has_times };
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

    /// Chunks all documents and selects chunks.
    pub(super) fn cut(
        &self,
        context: &ExperimentContext<'_>,
        cut: ChunkSelection,
    ) -> Result<SelectedStream, Error> {
        context.check_stopped()?;
        let chunk = cut.chunk.replace("words:8", &format!("words:{}", self.chunks.k));
        let settings = Settings {
            chunk: chunk.parse().map_err(textkin::Error::from)?,
            hash: self.chunks.hash,
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

    /// Traces every document.
    pub(super) fn traced(
        &self,
        context: &ExperimentContext<'_>,
        cut: &SelectedStream,
        settings: &TraceSettings,
    ) -> Result<Vec<DocumentTrace>, Error> {
        let mut traces = Vec::with_capacity(self.texts.len());
        self.trace_each(context, cut, settings, |_, trace, _| traces.push(trace))?;
        Ok(traces)
    }

    /// Traces every document, and calls `each` with the indices of its selected chunks, its result and the tracer.
    pub(super) fn trace_each(
        &self,
        context: &ExperimentContext<'_>,
        cut: &SelectedStream,
        settings: &TraceSettings,
        mut each: impl FnMut(&[u32], DocumentTrace, &Tracer),
    ) -> Result<(), Error> {
        let mut tracer = Tracer::new(settings).map_err(textkin::Error::from)?;
        for (tokens, (chunks, selection)) in self.texts.iter().zip(&cut.0) {
            context.check_stopped()?;
            let trace = tracer.trace(&Chunked { tokens, chunks }, selection);
            each(selection, trace, &tracer);
        }
        Ok(())
    }

    /// Returns the exact origin of every chunk of each document; `None` for new chunks.
    pub(super) fn exact_origins(
        &self,
        context: &ExperimentContext<'_>,
    ) -> Result<Vec<Vec<Option<u64>>>, Error> {
        let all = self.cut(context, ChunkSelection::ALL)?;
        let mut origins = Vec::with_capacity(self.texts.len());
        self.trace_each(context, &all, &TraceSettings::exact(), |_, _, tracer| {
            origins.push(tracer.chunk_origins().map(|chunk| chunk.origin).collect());
        })?;
        Ok(origins)
    }

    /// Returns the ground truth of every document.
    pub(super) fn truth(&self) -> &[DocumentTrace] {
        &self.truth
    }

    /// Returns the ground truth and the result of each document that counts: those of the second half.
    pub(super) fn judged<'a>(
        &'a self,
        traces: &'a [DocumentTrace],
    ) -> impl Iterator<Item = (&'a DocumentTrace, &'a DocumentTrace)> {
        self.truth.iter().zip(traces).skip(self.truth.len() / 2)
    }

    /// Computes the accuracy of a tracer for each memory size, in parallel.
    pub(super) fn curve(
        &self,
        context: &ExperimentContext<'_>,
        cut: &SelectedStream,
        settings: &TraceSettings,
    ) -> Result<Vec<Accuracy>, Error> {
        let one = |size: u64| {
            let settings = TraceSettings { memory: self.memory(size), ..*settings };
            let traces = self.traced(context, cut, &settings)?;
            let mut accuracy = Accuracy::default();
            self.judged(&traces).for_each(|(truth, traces)| accuracy.add(truth, traces));
            Ok(accuracy)
        };
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
        parallel::map(self.sizes, n_threads, |size| one(*size)).into_iter().collect()
    }

    /// Returns the memory of a size.
    pub(super) fn memory(&self, size: u64) -> Memory {
        Memory::Bytes((self.n_distinct * SLOT * size / 10_000).max(5_000))
    }

    /// Returns the memory sizes in hundredths of a percent of the distinct chunks, largest first.
    pub(super) fn sizes(&self) -> &'static [u64] {
        self.sizes
    }

    /// Returns the number of chunks.
    pub(super) fn n_chunks(&self) -> u64 {
        self.n_chunks
    }

    /// Returns the note for every table of this stream.
    pub(super) fn note(&self) -> String {
        let mut accuracy = Accuracy::default();
        self.judged(&self.truth).for_each(|(truth, traces)| accuracy.add(truth, traces));
        let (clear, copied) = accuracy.n_documents();
        let order = match self.has_times {
            true => "in chronological order",
            false => "in their given order, since some have no time",
        };
        format!(
            "{} documents of at least {MIN_WORDS} words, {order}; {} chunks, {} of them distinct. Scores cover the second \
             half without documents that have no clear dominant origin: {clear} documents, {copied} of them copied. Memory \
             sizes are those of the paper: percentages of the distinct chunks, {SLOT} bytes each.",
            self.texts.len(),
            self.n_chunks,
            self.n_distinct,
        )
    }
}

/// Returns the documents in chronological order if all have a time, otherwise in their given order.
fn in_order(texts: &[CollectionDocument]) -> (Vec<&CollectionDocument>, bool) {
    // A short number is not a timestamp, but defines an order.
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
    fn documents_are_sorted_by_time_if_all_have_one() {
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
