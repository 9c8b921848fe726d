//! Measures a repository: speed of adding, size on disk, and search latency.
//!
//! `repository_speed DOCUMENTS [FILE…]`: uses synthetic documents of 300 words with natural word
//! frequencies, or the documents of the files. Prints one line for each figure.
#![expect(clippy::print_stdout, reason = "this is a tool for the terminal")]

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use textkin::engine::index::KeepChunks;
use textkin::engine::repository_format::Sizes;
use textkin::engine::search::Ranking;
use textkin::engine::source::{Inputs, SourceSettings};
use textkin::engine::types::{Document, DocumentSink, Piece, Problem, Source};
use textkin::engine::{RepositoryWriter, RunControl, SearchSettings, Searcher, Settings, discover};
use textkin::{ExistingPolicy, Repository};

/// Number of words of a synthetic document.
const WORDS: usize = 300;
/// Number of distinct words of the language.
const VOCABULARY: u64 = 200_000;
/// Number of documents of a piece.
const PIECE: u64 = 500;
/// Number of queries of each length.
const QUERIES: usize = 200;

/// The argument that runs only the searches, in an existing repository.
const SEARCHING: &str = "searching";

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == SEARCHING).is_some() {
        let folder =
            PathBuf::from(arguments.next().ok_or("missing argument: folder of the repository")?);
        let n: u64 = arguments.next().ok_or("missing argument: number of documents")?.parse()?;
        let files: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
        return search(n, &files, &folder);
    }
    let n: u64 = arguments.next().ok_or("missing argument: number of documents")?.parse()?;
    let files: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let folder =
        std::env::temp_dir().join(format!("textkin-repository-speed-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let measured = measure(n, &files, &folder);
    std::fs::remove_dir_all(&folder)?;
    measured
}

fn source(n: u64, files: &[PathBuf]) -> Outcome<Box<dyn Source>> {
    match files {
        [] => Ok(Box::new(Synthetic { next: 0, end: n })),
        files => Ok(Box::new(Inputs::open(files, &SourceSettings::default())?)),
    }
}

fn measure(n: u64, files: &[PathBuf], folder: &Path) -> Outcome<()> {
    let control = RunControl::default();
    let settings = Settings::default();
    let full = folder.join("full");
    let mut writer = RepositoryWriter::create(&full, &settings, true)?;
    let start = Instant::now();
    let added = writer.add(&mut *source(n, files)?, ExistingPolicy::Refuse, true, &control)?;
    let seconds = start.elapsed().as_secs_f64();
    let (bytes, documents) = (added.text_bytes as f64, added.commit.added as f64);
    println!("documents                    {:>12}", added.commit.added);
    println!("text                         {:>12.1} MB", bytes / 1e6);
    println!(
        "add in bulk                  {:>12.1} MB/s (goal: at least 20)",
        bytes / 1e6 / seconds
    );
    println!("                             {:>12.0} documents/s", documents / seconds);
    println!("peak RSS while adding        {:>12.0} MB", status("VmHWM") / 1e6);
    println!(
        "disk / text, all chunks      {:>12.2} (goal: at most 1.2)",
        disk(&full)? as f64 / bytes
    );
    let repository = writer.repository();
    let segments = repository.storage().segments();
    let sizes: Sizes = segments.iter().map(|segment| segment.sizes()).sum();
    for (what, part) in [
        ("texts", sizes.content),
        ("other fields", sizes.metadata),
        ("ids, lengths and digests", sizes.documents),
        ("postings of words", sizes.terms),
        ("postings of chunks", sizes.chunks),
        ("checksums and headers", sizes.rest),
    ] {
        println!("  {what:<27}{:>12.3}", part as f64 / bytes);
    }
    let each = |part: u64, of: u64| part as f64 / of.max(1) as f64;
    println!("bytes of text / word         {:>12.2}", bytes / sizes.words.max(1) as f64);
    println!("distinct words / words       {:>12.2}", each(sizes.term_postings, sizes.words));
    println!("bits / word of a document    {:>12.1}", 8.0 * each(sizes.terms, sizes.term_postings));
    println!(
        "bits / chunk of a document   {:>12.1}",
        8.0 * each(sizes.chunks, sizes.chunk_postings)
    );
    println!("segments                     {:>12}", segments.len());

    let mut times = Vec::new();
    for number in 0..20 {
        let mut one = Inputs::from_reader(
            &format!("single-{number}"),
            std::io::Cursor::new(document(u64::MAX / 2 + number).into_bytes()),
            &SourceSettings::default(),
        )?;
        let start = Instant::now();
        writer.add(&mut one, ExistingPolicy::Refuse, true, &control)?;
        times.push(start.elapsed().as_secs_f64());
        // As the command-line program does after it reported the addition.
        writer.merge()?;
    }
    let [median, _, worst] = percentiles(&mut times);
    println!(
        "add one document, durable    {:>12.1} ms median, {:.1} ms worst (goal: at most 20)",
        median * 1e3,
        worst * 1e3
    );
    drop(writer);
    // In a separate process, so that the memory of adding is not counted.
    let mut searching = Command::new(std::env::current_exe()?);
    let status = searching.arg(SEARCHING).arg(&full).arg(n.to_string()).args(files).status()?;
    if !status.success() {
        return Err("searching failed".into());
    }

    for (name, select, keeps_text) in [
        ("hailstorm", "hailstorm", true),
        ("all chunks, no text", "all", false),
        ("hailstorm, no text", "hailstorm", false),
    ] {
        // A tenth of the documents is enough here.
        let part = folder.join(name);
        let settings = Settings { select: select.parse()?, ..Settings::default() };
        let mut writer = RepositoryWriter::create(&part, &settings, keeps_text)?;
        let n = if files.is_empty() { (n / 10).max(1000) } else { n };
        writer.add(&mut *source(n, files)?, ExistingPolicy::Refuse, true, &control)?;
        let mut size = TextSize(0);
        let mut again = source(n, files)?;
        while let Some(piece) = again.next_piece() {
            piece.read(&mut size);
        }
        println!(
            "{:<29}{:>12.2}",
            format!("disk / text, {name}"),
            disk(&part)? as f64 / size.0 as f64
        );
        drop(writer);
        std::fs::remove_dir_all(&part)?;
    }
    shared_only(n, files)
}

/// Measures the size of an index of the chunks that two or more documents share.
fn shared_only(n: u64, files: &[PathBuf]) -> Outcome<()> {
    let n = if files.is_empty() { (n / 10).max(1000) } else { n };
    let settings = Settings { keep_chunks: KeepChunks::Fingerprints, ..Settings::default() };
    let found = discover(&mut *source(n, files)?, &settings, &RunControl::default())?;
    let shared = found.shared.as_ref().ok_or("the discovery kept no chunks")?;
    let mut size = ByteCounter(0);
    shared.write(&found.documents, &mut size)?;
    let text = found.counts.text_bytes as f64;
    println!("{:<29}{:>12.2}", "disk / text, shared only", size.0 as f64 / text);
    Ok(())
}

/// Counts the bytes that are written.
struct ByteCounter(u64);

impl std::io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn search(n: u64, files: &[PathBuf], folder: &Path) -> Outcome<()> {
    let texts = sample(n, files)?;
    let mut own = 0.0;
    for ranking in [Ranking::Fingerprint, Ranking::Identity5, Ranking::Kin, Ranking::Cosine] {
        let settings = SearchSettings {
            rankings: vec![ranking],
            threads: NonZeroUsize::new(2).unwrap_or(NonZeroUsize::MIN),
            ..SearchSettings::default()
        };
        let repository = Repository::open(folder)?;
        let searcher = Searcher::new(&repository, settings)?;
        for words in [300, 1000, 10_000] {
            let queries: Vec<String> =
                (0..QUERIES).map(|number| query(&texts, number, words)).collect();
            let queries =
                if ranking == Ranking::Cosine { &queries[..QUERIES / 10] } else { &queries[..] };
            // Warm up, so that every page has been read before.
            for query in queries {
                searcher.search(query)?;
            }
            let mut times = Vec::new();
            for query in queries {
                let start = Instant::now();
                searcher.search(query)?;
                times.push(start.elapsed().as_secs_f64());
                own = f64::max(own, status("RssAnon"));
            }
            let [p50, p95, p99] = percentiles(&mut times);
            let goal = match (ranking, words) {
                (Ranking::Fingerprint, 1000) => " (goal: p99 at most 20)",
                (Ranking::Identity5, 1000) => " (goal: p99 at most 150)",
                _ => "",
            };
            println!(
                "{:<29}{:>12.1} ms p50, {:.1} p95, {:.1} p99{goal}",
                format!("{ranking}, {words} words"),
                p50 * 1e3,
                p95 * 1e3,
                p99 * 1e3
            );
        }
    }
    println!("private memory in searches   {:>12.0} MB (goal: at most 200)", own / 1e6);
    Ok(())
}

/// Returns some of the documents, to build queries from.
fn sample(n: u64, files: &[PathBuf]) -> Outcome<Vec<String>> {
    if files.is_empty() {
        return Ok((0..200).map(|number| document(number * n.max(200) / 200)).collect());
    }
    let mut sample = TextSample { texts: Vec::new(), number: 0 };
    let mut source = source(n, files)?;
    while let Some(piece) = source.next_piece() {
        piece.read(&mut sample);
    }
    Ok(sample.texts)
}

/// Builds a query of `words` words of stored documents, a hundred from each, with every twentieth
/// word replaced.
fn query(texts: &[String], number: usize, words: usize) -> String {
    let mut query = String::new();
    let mut n = 0;
    for text in texts.iter().cycle().skip(number) {
        for (position, word) in text.split_whitespace().take(100).enumerate() {
            query.push_str(if position % 20 == 19 { "unheardof" } else { word });
            query.push(' ');
            n += 1;
            if n == words {
                return query;
            }
        }
    }
    query
}

/// Returns the 50th, 95th and 99th percentiles.
fn percentiles(times: &mut [f64]) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    [50, 95, 99].map(|percent| times[(times.len() * percent / 100).min(times.len() - 1)])
}

fn disk(folder: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// Returns a value of `/proc/self/status` in bytes; 0 if there is none.
fn status(name: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    number.unwrap_or(0.0) * 1024.0
}

struct TextSize(u64);

impl DocumentSink for TextSize {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.0 += document.text().map_or(0, str::len) as u64;
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

struct TextSample {
    texts: Vec<String>,
    number: u64,
}

impl DocumentSink for TextSample {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.number += 1;
        if self.number.is_multiple_of(97) && self.texts.len() < 500 {
            self.texts.extend(document.content.into_text().map(|text| text.into_owned()));
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A source of synthetic documents, which are made when they are read: all of them would not fit in memory.
struct Synthetic {
    next: u64,
    end: u64,
}

impl Source for Synthetic {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        let start = self.next;
        self.next = (start + PIECE).min(self.end);
        (start < self.next).then(|| Box::new(SyntheticPiece(start, self.next)) as Box<dyn Piece>)
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.end)
    }
}

struct SyntheticPiece(u64, u64);

impl Piece for SyntheticPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        for number in self.0..self.1 {
            let document = Document::new(format!("document-{number:07}"), document(number));
            if sink.document(document).is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.1 - self.0
    }
}

/// Returns the text of a synthetic document: sentences of words with Zipf frequencies, three of ten
/// of them repeated from the same document. So a word has 5.9 bytes and 56 % of the words of a
/// document are distinct, as in newsgroups (6.0 bytes, 51 %) and Reuters news (5.9 bytes, 58 %). No
/// phrase is repeated, and documents share chunks only by chance.
fn document(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        textkin::engine::types::chunk::mix(state)
    };
    let mut text = String::with_capacity(WORDS * 7);
    let mut ranks: Vec<u64> = Vec::with_capacity(WORDS);
    for position in 0..WORDS {
        let mut chance = || (next() >> 11) as f64 / (1u64 << 53) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small rank")]
        let rank = match chance() < 0.3 && position > 0 {
            true => ranks[(chance() * position as f64) as usize],
            false => ((VOCABULARY as f64).powf(chance()) - 1.0) as u64,
        };
        ranks.push(rank);
        word(rank, &mut text);
        text.push_str(if position % 17 == 16 { ". " } else { " " });
    }
    text
}

/// Appends the word of a rank; frequent words are short.
fn word(mut rank: u64, text: &mut String) {
    const SYLLABLES: [&str; 32] = [
        "an", "be", "co", "di", "en", "fa", "go", "hu", "in", "jo", "ka", "lo", "me", "no", "or",
        "pi", "qua", "re", "st", "to", "un", "ve", "wi", "xi", "ya", "ze", "tion", "ing", "ment",
        "er", "al", "th",
    ];
    loop {
        text.push_str(SYLLABLES[usize::try_from(rank % 32).unwrap_or(0)]);
        rank /= 32;
        if rank == 0 {
            return;
        }
        rank -= 1;
    }
}
