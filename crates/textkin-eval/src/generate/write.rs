//! A made collection as a folder: documents, truth and manifest, as `textkin eval` reads them.

use std::fmt::Write as _;
use std::path::Path;

use super::{Made, Recipe};
use crate::error::{Error, at};

/// Writes a made collection to a folder, which is new or empty.
///
/// # Errors
/// If there is something in the folder already, or it cannot be written.
pub fn write(made: &Made, recipe: &Recipe, folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(at(folder))?;
    if std::fs::read_dir(folder).map_err(at(folder))?.next().is_some() {
        let reason = "there is something in it already; name a new folder".to_owned();
        return Err(Error::Manifest { path: folder.to_owned(), reason });
    }
    let id = |number: u32| made.documents.get(number as usize).map_or("", |document| &document.id);
    let (mut documents, mut pairs, mut passages) = (String::new(), String::new(), String::new());
    for document in &made.documents {
        let record = serde_json::json!({
            "id": document.id, "time": document.time, "family": document.family, "text": document.text,
        });
        // Writing to a string does not fail.
        _ = writeln!(documents, "{record}");
    }
    for (a, b) in made.kin.iter() {
        _ = writeln!(pairs, "{}\t{}\tkin", id(a), id(b));
    }
    for passage in &made.passages {
        // The language has no letters but those of ASCII: bytes are characters.
        let ((start, end), (from, to)) = (passage.span, passage.source_span);
        let (taker, source) = (id(passage.suspicious), id(passage.source));
        _ = writeln!(
            passages,
            "{taker}\t{start}\t{}\t{source}\t{from}\t{}",
            end - start,
            to - from
        );
    }
    let manifest = format!(
        "name = \"{kind}\"\nnote = \"made by textkin eval generate {kind} --documents {n} --words {words} --edit {edit} \
         --rate {rate} --passage {passage} --seed {seed}\"\nlicence = \"none needed: invented words\"\n\
         documents = [\"documents.jsonl\"]\nfamilies = [\"family\"]\nclusters = [\"family\"]\nunlabelled = \"strangers\"\n\n\
         [[pairs]]\nfile = \"pairs.tsv\"\nkin = {{ kin = \"high\" }}\n\n\
         [[passages]]\nfile = \"passages.tsv\"\ncolumns = [1, 2, 3, 4, 5, 6]\n",
        kind = recipe.kind.name(),
        n = recipe.n_documents,
        words = recipe.words,
        edit = recipe.edit.name(),
        rate = recipe.rate,
        passage = recipe.passage,
        seed = recipe.seed,
    );
    // The manifest comes last: a folder without one is no collection.
    for (name, content) in [
        ("documents.jsonl", documents),
        ("pairs.tsv", pairs),
        ("passages.tsv", passages),
        ("collection.toml", manifest),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, content).map_err(at(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Collection;
    use crate::generate::{Kind, make};

    #[test]
    fn what_is_written_is_read_again() {
        for kind in Kind::ALL {
            let folder = tempfile::tempdir().unwrap();
            let recipe = Recipe { kind, n_documents: 30, ..Recipe::default() };
            let made = make(&recipe);
            write(&made, &recipe, folder.path()).unwrap();
            let (read, direct) =
                (Collection::load(folder.path()).unwrap(), Collection::from(made.clone()));
            assert_eq!(read.texts, direct.texts, "{}", kind.name());
            assert_eq!(
                (read.truth.kin, read.truth.passages, read.truth.clusters.len()),
                (direct.truth.kin, direct.truth.passages, 30)
            );
            assert!(write(&made, &recipe, folder.path()).is_err(), "nothing is overwritten");
        }
    }
}
