//! The lower bound for every benchmark: reads, tokenizes and hashes every chunk of the input once,
//! on two threads, and keeps nothing. Prints one JSON object. Run it through `cargo xtask bench`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use textkin::engine::source::Inputs;
use textkin::engine::text::tokenizer::WordTokenizer;
use textkin::engine::types::chunk::RollingHash;
use textkin::engine::types::{Document, DocumentSink, Layers, Problem, Source, Tokenizer, Tokens};

struct Hasher {
    tokenizer: WordTokenizer,
    tokens: Tokens,
    sum: u64,
    n_chunks: u64,
}

impl DocumentSink for Hasher {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.tokenizer.tokenize(document.text().unwrap_or_default(), &mut self.tokens);
        let (sum, n_chunks) = (&mut self.sum, &mut self.n_chunks);
        RollingHash::new(8).hash_all(self.tokens.hashes(), |hash| {
            *sum = sum.wrapping_add(hash);
            *n_chunks += 1;
        });
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[expect(clippy::print_stdout, reason = "the result is read from standard output")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let start = Instant::now();
    let source = Mutex::new(Inputs::open(&paths, &Default::default())?);
    let (bytes, chunks, sum) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let tokenizer = WordTokenizer::default();
                let tokens = Tokens::new(Layers::NONE);
                let mut hasher = Hasher { tokenizer, tokens, sum: 0, n_chunks: 0 };
                loop {
                    let next = source.lock().map(|mut source| source.next_piece());
                    let Ok(Some(piece)) = next else { break };
                    bytes.fetch_add(piece.bytes(), Ordering::Relaxed);
                    piece.read(&mut hasher);
                }
                chunks.fetch_add(hasher.n_chunks, Ordering::Relaxed);
                sum.fetch_add(hasher.sum, Ordering::Relaxed);
            });
        }
    });
    println!(
        "{{\"seconds\":{},\"bytes\":{},\"chunks\":{},\"sum\":{}}}",
        start.elapsed().as_secs_f64(),
        bytes.into_inner(),
        chunks.into_inner(),
        sum.into_inner()
    );
    Ok(())
}
