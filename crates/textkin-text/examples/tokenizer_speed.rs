//! Measures the word tokenizer: `cargo run --release --example tokenizer_speed FILE [STEPS]`.
#![expect(clippy::print_stdout, reason = "a measuring tool")]

use std::time::Instant;

use textkin_core::{Layers, Tokenizer, Tokens};
use textkin_text::tokenizer::{Normalization, WordTokenizer};

/// Bytes per call of the tokenizer, about the size of a document.
const DOCUMENT: usize = 16 << 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: tokenizer_speed FILE [STEPS]")?;
    let steps: Normalization =
        arguments.next().as_deref().unwrap_or("nfkc+undisguise+fold").parse()?;
    let text = std::fs::read_to_string(path)?;
    let documents = documents(&text);
    let tokenizer = WordTokenizer::new(&steps);
    let spans = Layers::SPANS;
    let began = Instant::now();
    for (name, layers) in [("tokens", Layers::NONE), ("spans", spans), ("all", Layers::ALL)] {
        let mut tokens = Tokens::new(layers);
        let mut best = f64::INFINITY;
        let mut n_tokens = 0;
        for _ in 0..5 {
            let start = processor_seconds(began);
            n_tokens = 0;
            for document in &documents {
                tokenizer.tokenize(document, &mut tokens);
                n_tokens += tokens.len();
            }
            best = best.min(processor_seconds(began) - start);
        }
        let speed = text.len() as f64 / 1e6 / best;
        println!("{name:8} {speed:8.0} MB/s  {n_tokens} tokens");
    }
    Ok(())
}

/// Splits `text` at spaces into pieces of about [`DOCUMENT`] bytes.
fn documents(text: &str) -> Vec<&str> {
    let mut documents = Vec::new();
    let mut rest = text;
    while rest.len() > DOCUMENT {
        let tail = &rest.as_bytes()[DOCUMENT..];
        let space = tail.iter().position(|&byte| byte == b' ');
        let (document, after) = rest.split_at(space.map_or(rest.len(), |space| DOCUMENT + space));
        documents.push(document);
        rest = after;
    }
    documents.push(rest);
    documents
}

/// Returns the CPU seconds of this process, which do not depend on other load; where the system does not
/// report them, the seconds since `began`.
fn processor_seconds(began: Instant) -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| began.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}
