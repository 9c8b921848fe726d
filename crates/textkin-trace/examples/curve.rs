//! How right each way of tracing is, for eight sizes of memory. Run it through `cargo xtask bench origins`.
//!
//! Arguments: a file of JSON lines; which ways (`best`, `kin`, `all`); the least words of a document.
//!
//! Reads records with `text` and `time`, orders them by time, takes the truth from a tracer without a
//! bound of memory, and prints for each way the share of documents whose dominant origin was told
//! rightly (DO), the same over copies only (DOc), and the share of words rightly called fresh or old
//! (TF). Sizes are those of the paper: shares of the distinct chunks, 14 bytes each. The second half of
//! the stream counts, documents without a clear dominant origin apart.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunked, Tokenizer, Tokens};
use textkin_text::grammar::{ChunkerKind, Resources, Selection};
use textkin_text::selector::select;
use textkin_text::tokenizer::WordTokenizer;
use textkin_trace::{
    Accuracy, ChunkMethod, CopyCount, Estimation, Eviction, Lucky, Memory, Method, Preset,
    Settings, Traced, Tracer,
};

/// Shares of the distinct chunks that fit, in hundredths of a percent: the first row of Table 2.
const SIZES: [u64; 8] = [3420, 1370, 680, 330, 140, 70, 30, 10];

/// How texts are cut and what of them is looked up: names of the paper, chunkers, selectors.
const CUTS: [(&str, &str, &str); 7] = [
    ("All", "words:8", "all"),
    ("NHs", "words:8", "hailstorm+no-overlap"),
    ("4th", "words:8", "every:4"),
    ("NW8", "words:8", "winnow:8+no-overlap"),
    ("NM3", "words:8", "modulo:3+no-overlap"),
    ("Hb3", "break:3:revised", "all"),
    ("Dct8", "dct:8", "all"),
];

/// Selected shares of Table 3 of the paper, in percent: names, chunkers, selectors.
const SHARES: [(&str, &str, &str, f64); 29] = [
    ("4th", "words:8", "every:4", 25.0),
    ("6th", "words:8", "every:6", 17.0),
    ("8th", "words:8", "every:8", 13.0),
    ("NM2", "words:8", "modulo:2+no-overlap", 15.0),
    ("NM3", "words:8", "modulo:3+no-overlap", 15.0),
    ("M4", "words:8", "modulo:4", 25.0),
    ("NM4", "words:8", "modulo:4+no-overlap", 14.0),
    ("M5", "words:8", "modulo:5", 20.0),
    ("NM5", "words:8", "modulo:5+no-overlap", 14.0),
    ("M6", "words:8", "modulo:6", 16.0),
    ("NM6", "words:8", "modulo:6+no-overlap", 12.5),
    ("M7", "words:8", "modulo:7", 14.0),
    ("NM7", "words:8", "modulo:7+no-overlap", 11.0),
    ("M8", "words:8", "modulo:8", 12.0),
    ("NM8", "words:8", "modulo:8+no-overlap", 10.0),
    ("NW5", "words:8", "winnow:5+no-overlap", 16.0),
    ("NW6", "words:8", "winnow:6+no-overlap", 17.0),
    ("NW7", "words:8", "winnow:7+no-overlap", 16.5),
    ("W8", "words:8", "winnow:8", 23.5),
    ("NW8", "words:8", "winnow:8+no-overlap", 17.0),
    ("W9", "words:8", "winnow:9", 21.0),
    ("NW9", "words:8", "winnow:9+no-overlap", 16.0),
    ("NHs", "words:8", "hailstorm+no-overlap", 17.0),
    ("Hb3", "break:3:revised", "all", 20.0),
    ("Hb4", "break:4:revised", "all", 15.0),
    ("Hb5", "break:5:revised", "all", 12.0),
    ("Hb6", "break:6:revised", "all", 10.0),
    ("Hb8", "break:8:revised", "all", 8.0),
    ("Dct8", "dct:8", "all", 8.0),
];

/// A document cut in one way.
struct Cut {
    chunks: Vec<Chunk>,
    selection: Vec<u32>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("a file of JSON lines is needed")?;
    let which = arguments.next().unwrap_or_else(|| "all".to_owned());
    let least = arguments.next().map_or(Ok(45), |least| least.parse())?;
    let texts = read(&path, least)?;
    let all = cut(&texts, "words:8", "all")?;
    let truth = trace(&Settings::exact(), &texts, &all)?;
    let n_chunks: u64 = truth.iter().map(|truth| u64::from(truth.chunks)).sum();
    let mut hashes: Vec<u64> =
        all.iter().flat_map(|cut| cut.chunks.iter().map(|chunk| chunk.hash)).collect();
    drop(all);
    hashes.sort_unstable();
    hashes.dedup();
    let distinct = hashes.len() as u64;
    drop(hashes);
    println!("{} documents, {n_chunks} chunks, {distinct} distinct", texts.len());
    println!("{:34} {}   mean", "share of distinct chunks, %", sizes());
    let sizes = SIZES.map(|size| (distinct * 14 * size / 10_000).max(5_000));
    for (name, chunker, selector) in CUTS {
        let ways = ways(&which, name);
        if ways.is_empty() {
            continue;
        }
        let cuts = cut(&texts, chunker, selector)?;
        for (way, settings) in ways {
            let mut curve = Vec::new();
            for size in sizes {
                let settings = Settings { memory: Memory::Bytes(size), ..settings };
                let said = trace(&settings, &texts, &cuts)?;
                let mut accuracy = Accuracy::default();
                let second_half = truth.iter().zip(&said).skip(truth.len() / 2);
                second_half.for_each(|(truth, said)| accuracy.add(truth, said));
                curve.push(accuracy);
            }
            let scores: Vec<_> = curve.iter().map(Accuracy::scores).collect();
            let show = |what: &str, share: &dyn Fn(usize) -> f64| {
                println!(
                    "{:30} {what:3} {}",
                    format!("{name} {way}"),
                    row(std::array::from_fn(share))
                );
            };
            show("DO", &|size| scores[size].dominant);
            show("DOc", &|size| scores[size].dominant_of_copies);
            show("TF", &|size| scores[size].freshness);
            if way == "kin" {
                let (clear, copied) = curve[0].n_documents();
                println!("{clear} documents counted, {copied} of them copied");
            }
        }
    }
    if which == "all" {
        println!("selected share: here, in the paper, %");
        for (name, chunker, selector, paper) in SHARES {
            let cuts = cut(&texts, chunker, selector)?;
            let selected: usize = cuts.iter().map(|cut| cut.selection.len()).sum();
            println!("{name:5} {:5.1} {paper:5.1}", 100.0 * selected as f64 / n_chunks as f64);
        }
    }
    Ok(())
}

fn sizes() -> String {
    let cells: Vec<String> =
        SIZES.iter().map(|size| format!("{:6.2}", *size as f64 / 100.0)).collect();
    cells.join(" ")
}

fn row(shares: [f64; 8]) -> String {
    let mean = shares.iter().sum::<f64>() / 8.0;
    let cells: Vec<String> =
        shares.iter().chain([&mean]).map(|share| format!("{:6.2}", 100.0 * share)).collect();
    cells.join(" ")
}

/// The ways to be measured with a cut.
fn ways(which: &str, cut: &str) -> Vec<(String, Settings)> {
    let memory = Memory::Unlimited;
    let paper = |method: ChunkMethod| Settings {
        method: Method::Chunks(method),
        ..Preset::Paper.settings(memory)
    };
    let of = |eviction: Eviction, estimation: Estimation| {
        let method = ChunkMethod { eviction, estimation, ..ChunkMethod::default() };
        (format!("{eviction} {estimation}"), paper(method))
    };
    let (none, best) = (Estimation::None, Estimation::BridgingExpansion);
    let (counting, lucky) =
        (Eviction::CopyCount(CopyCount::DEFAULT), Eviction::Lucky(Lucky::DEFAULT));
    let mut ways = Vec::new();
    if which == "all" {
        // Versions A and B of the paper; for its best cut, all evictions and estimations.
        ways.push(of(Eviction::Random, none));
        if cut == "NHs" {
            ways.extend([Eviction::Lru, counting, lucky].map(|eviction| of(eviction, none)));
            for eviction in [counting, lucky] {
                ways.push(of(eviction, Estimation::Expansion));
                ways.push(of(eviction, Estimation::Bridging));
            }
            ways.push(of(counting, best));
        }
    }
    if which == "all" || (which == "best" && cut == "NHs") {
        ways.push(of(lucky, best));
    }
    if cut == "NHs" {
        if which != "kin" {
            let small = ChunkMethod {
                eviction: Eviction::Lucky(Lucky { limit: 4, ..Lucky::DEFAULT }),
                tag_bytes: 3,
                origin_bytes: 4,
                stores_estimated: true,
                ..ChunkMethod::default()
            };
            ways.push(("in 11 bytes, limit 4".to_owned(), paper(small)));
        }
        ways.push(("kin".to_owned(), Preset::Kin.settings(memory)));
    }
    ways
}

fn trace(
    settings: &Settings,
    texts: &[Tokens],
    cuts: &[Cut],
) -> Result<Vec<Traced>, textkin_trace::Error> {
    let mut tracer = Tracer::new(settings)?;
    let trace = |(tokens, cut): (&Tokens, &Cut)| {
        tracer.trace(&Chunked { tokens, chunks: &cut.chunks }, &cut.selection)
    };
    Ok(texts.iter().zip(cuts).map(trace).collect())
}

fn cut(texts: &[Tokens], chunker: &str, selector: &str) -> Result<Vec<Cut>, Box<dyn Error>> {
    let chunker = chunker.parse::<ChunkerKind>()?.build(HashKind::default());
    let selector = selector.parse::<Selection>()?.build(&Resources::default())?;
    let cut = |tokens: &Tokens| {
        let mut chunks = Vec::new();
        chunker.chunk(tokens, &mut chunks);
        let selection = select(&*selector, &Chunked { tokens, chunks: &chunks });
        Cut { chunks, selection }
    };
    Ok(texts.iter().map(cut).collect())
}

fn read(path: &str, least: usize) -> Result<Vec<Tokens>, Box<dyn Error>> {
    let mut lines = Vec::new();
    for line in BufReader::new(File::open(path)?).lines() {
        let line: serde_json::Value = serde_json::from_str(&line?)?;
        let text = line["text"].as_str().ok_or("a line has no text")?.to_owned();
        lines.push((line["time"].to_string(), text));
    }
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    let tokenizer = WordTokenizer::default();
    let tokenize = |(_, text): (String, String)| {
        let mut tokens = Tokens::default();
        tokenizer.tokenize(&text, &mut tokens);
        tokens
    };
    let texts = lines.into_iter().map(tokenize);
    Ok(texts.filter(|tokens: &Tokens| tokens.len() >= least).collect())
}
