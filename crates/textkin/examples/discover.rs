//! Finds the documents that share text: `cargo run --example discover -- examples/notes`.

#![expect(clippy::print_stdout, reason = "this is a program for the terminal")]

use textkin::Discover;

fn main() -> Result<(), textkin::Error> {
    let found = Discover::new().threshold(0.1).run_paths(std::env::args().skip(1))?;
    for pair in found.pairs() {
        println!("{:.2}  {}  {}", pair.score, pair.a, pair.b);
    }
    for cluster in found.clusters() {
        println!("cluster: {}", cluster.members.join(", "));
    }
    if let Some(pair) = found.pairs().next() {
        for passage in found.explain(pair.a, pair.b)?.passages() {
            println!("both contain: {}", passage.a);
        }
    }
    Ok(())
}
