//! How right each way of tracing is, for eight sizes of memory.
//!
//! `cargo run --release -p textkin-trace --example curve -- stream.jsonl [all|best|kin] [least words]`
//!
//! Reads JSON lines with `id`, `text` and `time`, orders them by time, takes the truth from a tracer
//! without a bound of memory, and prints for each way the share of documents whose dominant origin
//! was told rightly (DO), the same over copies only (DOc), and the share of words rightly called
//! fresh or old (TF). Sizes are those of the paper: shares of the distinct chunks, 14 bytes each.
//! The second half of the stream counts, documents without a clear dominant origin apart.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZeroU32;
use std::time::Instant;

use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunked, Chunker, Tokenizer, Tokens};
use textkin_text::chunker::Words;
use textkin_text::grammar::{Resources, Selection};
use textkin_text::selector::select;
use textkin_text::tokenizer::WordTokenizer;
use textkin_trace::{
    Accuracy, ChunkMethod, Estimation, Eviction, Lucky, Memory, Method, Preset, Settings, Traced,
    Tracer,
};

/// Shares of the distinct chunks that fit, in hundredths of a percent: the first row of Table 2.
const SIZES: [u64; 8] = [3420, 1370, 680, 330, 140, 70, 30, 10];

struct Document {
    tokens: Tokens,
    chunks: Vec<Chunk>,
    selection: Vec<u32>,
}

impl Document {
    fn chunked(&self) -> Chunked<'_> {
        Chunked { tokens: &self.tokens, chunks: &self.chunks }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("a file of JSON lines is needed")?;
    let which = arguments.next().unwrap_or_else(|| "all".to_owned());
    let least = arguments.next().map_or(Ok(45), |least| least.parse())?;
    let documents = read(&path, least)?;
    let mut exact = Tracer::new(&Settings::exact())?;
    let truth: Vec<Traced> = documents
        .iter()
        .map(|document| {
            let n_chunks = u32::try_from(document.chunks.len()).unwrap_or(u32::MAX);
            exact.trace(&document.chunked(), &(0..n_chunks).collect::<Vec<u32>>())
        })
        .collect();
    let n_chunks: u64 = truth.iter().map(|truth| u64::from(truth.chunks)).sum();
    let mut hashes: Vec<u64> =
        documents.iter().flat_map(|document| document.chunks.iter().map(|c| c.hash)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let distinct = hashes.len() as u64;
    println!("{path}: {} documents, {n_chunks} chunks, {distinct} distinct", documents.len());
    println!("{:34} {}", "share of distinct chunks, %", row(SIZES.map(|size| size as f64 / 1e4)));
    let sizes = SIZES.map(|size| (distinct * 14 * size / 10_000).max(5_000));
    for (name, settings) in ways(&which) {
        let started = Instant::now();
        let mut curve = Vec::new();
        for size in sizes {
            let settings = Settings { memory: Memory::Bytes(size), ..settings };
            curve.push(measure(&settings, &documents, &truth)?);
        }
        let scores: Vec<_> = curve.iter().map(Accuracy::scores).collect();
        let show = |what: &str, share: &dyn Fn(usize) -> f64| {
            println!("{name:30} {what:3} {}", row(std::array::from_fn(share)));
        };
        show("DO", &|size| scores[size].dominant);
        show("DOc", &|size| scores[size].dominant_of_copies);
        show("TF", &|size| scores[size].freshness);
        let seconds = started.elapsed().as_secs_f64();
        let (clear, copied) = curve[0].n_documents();
        let ssr = 100.0 * scores[0].selected;
        println!("{:30} ssr {ssr:.1} %, {clear} documents, {copied} copied, {seconds:.1} s", "");
    }
    Ok(())
}

fn row(shares: [f64; 8]) -> String {
    let mean = shares.iter().sum::<f64>() / 8.0;
    let cells: Vec<String> =
        shares.iter().chain([&mean]).map(|share| format!("{:6.2}", 100.0 * share)).collect();
    cells.join(" ")
}

fn ways(which: &str) -> Vec<(String, Settings)> {
    let memory = Memory::Unlimited;
    let paper = |method: ChunkMethod| Settings {
        method: Method::Chunks(method),
        ..Preset::Paper.settings(memory)
    };
    let mut ways = Vec::new();
    if which == "all" {
        for eviction in Eviction::ALL {
            for estimation in Estimation::ALL {
                let method = ChunkMethod { eviction, estimation, ..ChunkMethod::default() };
                ways.push((format!("{eviction} {estimation}"), paper(method)));
            }
        }
    }
    if which != "kin" {
        ways.push(("preset paper".to_owned(), Preset::Paper.settings(memory)));
        let small = ChunkMethod {
            eviction: Eviction::Lucky(Lucky { limit: 4, ..Lucky::DEFAULT }),
            tag_bytes: 3,
            origin_bytes: 4,
            stores_estimated: true,
            ..ChunkMethod::default()
        };
        ways.push(("paper in 11 bytes, limit 4".to_owned(), paper(small)));
    }
    ways.push(("preset kin".to_owned(), Preset::Kin.settings(memory)));
    ways
}

fn measure(
    settings: &Settings,
    documents: &[Document],
    truth: &[Traced],
) -> Result<Accuracy, textkin_trace::Error> {
    let mut tracer = Tracer::new(settings)?;
    let mut accuracy = Accuracy::default();
    for (place, (document, truth)) in documents.iter().zip(truth).enumerate() {
        let said = tracer.trace(&document.chunked(), &document.selection);
        if place >= documents.len() / 2 {
            accuracy.add(truth, &said);
        }
    }
    Ok(accuracy)
}

fn read(path: &str, least: usize) -> Result<Vec<Document>, Box<dyn Error>> {
    let mut lines = Vec::new();
    for line in BufReader::new(File::open(path)?).lines() {
        let line: serde_json::Value = serde_json::from_str(&line?)?;
        let text = line["text"].as_str().ok_or("a line has no text")?.to_owned();
        lines.push((line["time"].to_string(), text));
    }
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    let tokenizer = WordTokenizer::default();
    let k = NonZeroU32::new(8).ok_or("chunks have words")?;
    let chunker = Words { k, hash: HashKind::default() };
    let selector = Preset::Paper.selection().parse::<Selection>()?.build(&Resources::default())?;
    let mut documents = Vec::new();
    for (_, text) in lines {
        let mut tokens = Tokens::default();
        tokenizer.tokenize(&text, &mut tokens);
        if tokens.len() < least {
            continue;
        }
        let mut chunks = Vec::new();
        chunker.chunk(&tokens, &mut chunks);
        let document = Chunked { tokens: &tokens, chunks: &chunks };
        let selection = select(&*selector, &document);
        documents.push(Document { tokens, chunks, selection });
    }
    Ok(documents)
}
