//! Stores documents and finds the most similar ones: `cargo run --example search -- FOLDER`, where FOLDER is new.

#![expect(clippy::print_stdout, reason = "this is a program for the terminal")]

use textkin::Repository;

fn main() -> Result<(), textkin::Error> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "songs".to_owned());
    let mut repository = Repository::create(folder)?;
    repository.add([
        ("boat", "row row row your boat gently down the stream"),
        ("star", "twinkle twinkle little star how I wonder what you are"),
    ])?;
    for hit in repository.search("row your boat down the river")? {
        println!("{:.0} %  {}", hit.percent, hit.id);
    }
    Ok(())
}
