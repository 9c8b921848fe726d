//! Traces the passages of a stream to the document that had them first: `cargo run --example trace`.

#![expect(clippy::print_stdout, reason = "this is a program for the terminal")]

use textkin::Tracer;

fn main() -> Result<(), textkin::Error> {
    let stream = [
        (
            "wire",
            "The council voted on Tuesday to keep the old library open until the end of next year.",
        ),
        ("paper", "Good news: the council voted on Tuesday to keep the old library open, we hear."),
    ];
    let mut tracer = Tracer::new("1MiB")?;
    for (id, text) in stream {
        let traced = tracer.feed(id, text)?;
        println!("{id}: {:.0} % new", traced.fresh() * 100.0);
        for passage in traced.passages() {
            println!(
                "  from {}: {}",
                passage.origin.unwrap_or("a forgotten document"),
                passage.text
            );
        }
    }
    Ok(())
}
