//! Measures the speed of tracing on one thread, relative to the floor: the same texts only
//! tokenized and hashed. Run it through `cargo xtask bench trace`.
//!
//! Arguments: bytes of memory, preset, files.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use textkin::engine::source::Inputs;
use textkin::engine::text::tokenizer::WordTokenizer;
use textkin::engine::trace::{Memory, Preset};
use textkin::engine::types::chunk::RollingHash;
use textkin::engine::types::{Document, DocumentSink, Layers, Problem, Source, Tokenizer, Tokens};
use textkin::engine::{StreamTracer, TraceSettings};

/// The allocator of the command-line program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Each figure is the best of this many runs.
const RUNS: usize = 10;
/// Number of parts of the stream that are timed separately.
const PARTS: usize = 10;

#[derive(Default)]
struct Texts {
    documents: Vec<(String, String)>,
    bytes: usize,
}

impl DocumentSink for Texts {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let text = document.content.into_text().unwrap_or_default();
        self.bytes += text.len();
        self.documents.push((document.id.into_owned(), text.into_owned()));
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Times each part of the stream, and returns the total of `each`.
fn timed(texts: &Texts, mut each: impl FnMut(&str, &str) -> u64) -> ([Duration; PARTS], u64) {
    let mut times = [Duration::ZERO; PARTS];
    let (mut bytes, mut counted) = (0, 0);
    let mut start = Instant::now();
    let mut part = 0;
    for (id, text) in &texts.documents {
        counted += each(id, text);
        bytes += text.len();
        if bytes * PARTS >= texts.bytes * (part + 1) && part + 1 < PARTS {
            times[part] = start.elapsed();
            (start, part) = (Instant::now(), part + 1);
        }
    }
    times[part] = start.elapsed();
    (times, counted)
}

#[expect(clippy::print_stdout, reason = "the result is read from standard output")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let memory: u64 = arguments.next().ok_or("missing argument: bytes of memory")?.parse()?;
    let preset: Preset = arguments.next().ok_or("missing argument: preset")?.parse()?;
    let paths: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let mut source = Inputs::open(&paths, &Default::default())?;
    let mut texts = Texts::default();
    while let Some(piece) = source.next_piece() {
        piece.read(&mut texts);
    }
    let tokenizer = WordTokenizer::default();
    let mut tokens = Tokens::new(Layers::NONE);
    let (mut floor, mut trace) = ([Duration::MAX; PARTS], [Duration::MAX; PARTS]);
    let (mut n_chunks, mut old_words) = (0, 0);
    // Alternating, so that both run under the same conditions.
    for _ in 0..RUNS {
        let mut sum = 0_u64;
        let (times, chunks) = timed(&texts, |_, text| {
            tokenizer.tokenize(text, &mut tokens);
            let mut n = 0;
            RollingHash::new(8).hash_all(tokens.hashes(), |hash| {
                sum = sum.wrapping_add(hash);
                n += 1;
            });
            n
        });
        std::hint::black_box(sum);
        floor = best(floor, times);
        n_chunks = chunks;
        let settings = TraceSettings::new(preset, Memory::Bytes(memory))?;
        let mut tracer = StreamTracer::new(&settings)?;
        let (times, old) =
            timed(&texts, |id, text| u64::from(tracer.trace(id, text).trace.old_words));
        trace = best(trace, times);
        old_words = old;
    }
    let seconds = |times: &[Duration]| times.iter().sum::<Duration>().as_secs_f64();
    let megabytes = texts.bytes as f64 / 1e6;
    let (floor_time, trace_time) = (seconds(&floor), seconds(&trace));
    println!("documents            {:>10}", texts.documents.len());
    println!("text                 {megabytes:>10.1} MB, {n_chunks} chunks, {old_words} old words");
    println!("floor                {:>10.1} MB/s", megabytes / floor_time);
    println!(
        "trace ({preset})         {:>10.1} MB/s, {:.1} million chunks/s",
        megabytes / trace_time,
        n_chunks as f64 / 1e6 / trace_time
    );
    println!("time / floor         {:>10.2}   (goal: at most 2.5)", trace_time / floor_time);
    let tenths = |times: &[Duration]| -> Vec<String> {
        let speed = |time: &Duration| megabytes / PARTS as f64 / time.as_secs_f64();
        times.iter().map(|time| format!("{:.0}", speed(time))).collect()
    };
    println!("MB/s by tenths       {}", tenths(&trace).join(" "));
    println!("floor by tenths      {}", tenths(&floor).join(" "));
    let ratios = trace.iter().zip(&floor).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64());
    let ratios: Vec<String> = ratios.map(|ratio| format!("{ratio:.2}")).collect();
    println!("time / floor         {}   (must not grow)", ratios.join(" "));
    Ok(())
}

/// Returns the best time of each part.
fn best(a: [Duration; PARTS], b: [Duration; PARTS]) -> [Duration; PARTS] {
    std::array::from_fn(|part| a[part].min(b[part]))
}
