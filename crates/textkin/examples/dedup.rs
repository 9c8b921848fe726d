//! Removes documents that others contain: `cargo run --example dedup -- examples/essays.jsonl`.

#![expect(clippy::print_stdout, reason = "this is a program for the terminal")]

use textkin::Dedup;

fn main() -> Result<(), textkin::Error> {
    let cleaned = Dedup::new().threshold(0.9).run_paths(std::env::args().skip(1))?;
    for removed in cleaned.removed() {
        println!(
            "removed {}: {:.0} % in {}",
            removed.id,
            removed.score * 100.0,
            removed.duplicate_of
        );
    }
    for document in cleaned.documents()? {
        let document = document?;
        println!("kept {}: {} bytes", document.id, document.text().map_or(0, str::len));
    }
    Ok(())
}
