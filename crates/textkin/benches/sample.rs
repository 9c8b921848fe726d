//! Writes a sample of N eighths of the documents of the input as JSON lines, chosen by a hash of
//! their number. Run it through `cargo xtask bench`: `sample N OUT INPUT…`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use textkin::engine::source::Inputs;
use textkin::engine::types::chunk::mix;
use textkin::engine::types::{Document, DocumentSink, Problem, Source};

struct Sampler {
    parts: u64,
    number: u64,
    out: BufWriter<File>,
    failure: Option<std::io::Error>,
}

impl DocumentSink for Sampler {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.number += 1;
        if mix(self.number) % 8 < self.parts {
            let record = serde_json::json!({ "id": document.id, "text": document.text() });
            if let Err(error) = writeln!(self.out, "{record}") {
                self.failure = Some(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let parts = arguments.next().and_then(|n| n.to_str()?.parse().ok()).ok_or("no N")?;
    let out = BufWriter::new(File::create(arguments.next().ok_or("no OUT")?)?);
    let paths: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let mut source = Inputs::open(&paths, &Default::default())?;
    let mut sampler = Sampler { parts, number: 0, out, failure: None };
    while let Some(piece) = source.next_piece() {
        piece.read(&mut sampler);
        if let Some(error) = sampler.failure {
            return Err(error.into());
        }
    }
    sampler.out.flush()?;
    Ok(())
}
