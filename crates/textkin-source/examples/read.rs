//! Measures reading speed: `read PATH… [--threads N]`.
//!
//! `cargo run --release -p textkin-source --example read -- FILE.jsonl`

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use textkin_core::{Document, DocumentSink, Problem, Source};
use textkin_source::{Inputs, SourceSettings};

#[derive(Debug, Default)]
struct Count {
    n_documents: u64,
    n_problems: u64,
    text_bytes: u64,
    first_problem: Option<Problem>,
}

impl DocumentSink for Count {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.n_documents += 1;
        self.text_bytes += document.text().map_or(0, str::len) as u64;
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.n_problems += 1;
        self.first_problem.get_or_insert(problem);
        ControlFlow::Continue(())
    }
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> Result<(), textkin_source::Error> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let mut n_threads = 1;
    if let Some(index) = paths.iter().position(|argument| argument == "--threads") {
        n_threads = paths.get(index + 1).and_then(|count| count.parse().ok()).unwrap_or(1);
        paths.drain(index..(index + 2).min(paths.len()));
    }
    let begin = Instant::now();
    let inputs = Inputs::open(&paths, &SourceSettings::default())?;
    let (hidden, links, total) =
        (inputs.skipped_hidden(), inputs.skipped_links(), inputs.total_bytes().unwrap_or(0));
    let inputs = Mutex::new(inputs);
    let next = || inputs.lock().ok().and_then(|mut inputs| inputs.next_piece());
    let counts: Vec<Count> = textkin_core::parallel::run(n_threads, |_| {
        let mut count = Count::default();
        while let Some(piece) = next() {
            piece.read(&mut count);
        }
        count
    });
    let seconds = begin.elapsed().as_secs_f64();
    let sum = |field: fn(&Count) -> u64| counts.iter().map(field).sum::<u64>();
    let (documents, problems) = (sum(|count| count.n_documents), sum(|count| count.n_problems));
    let text = sum(|count| count.text_bytes);
    println!("{documents} documents, {text} bytes of text, {problems} problems");
    println!("{hidden} hidden and {links} links skipped");
    for problem in counts.iter().filter_map(|count| count.first_problem.as_ref()) {
        println!("{problem}");
    }
    println!("{:.3} s, {:.0} MB/s of input", seconds, total as f64 / 1e6 / seconds);
    Ok(())
}
