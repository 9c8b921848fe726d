//! Shows what two texts share: `cargo run --example compare`.

#![expect(clippy::print_stdout, reason = "this is a program for the terminal")]

use textkin::Compare;

fn main() -> Result<(), textkin::Error> {
    let a = "The keeper lit the lamp every evening at six, and the boats came home by its light.";
    let b = "We read that the keeper lit the lamp every evening at six, until the storm.";
    let comparison = Compare::new().run(a, b)?;
    println!("{:.0} % of A is in B", comparison.a_in_b() * 100.0);
    println!("{:.0} % of B is in A", comparison.b_in_a() * 100.0);
    for passage in comparison.passages() {
        println!("{} words: {}", passage.words, passage.a);
    }
    Ok(())
}
