//! A made collection as a folder: documents, truth and manifest, as `textkin eval` reads them.

use std::fmt::Write as _;
use std::path::Path;

use super::{SyntheticCollection, SyntheticSettings};
use crate::error::{Error, at};

/// Writes a made collection to a folder, which is new or empty.
///
/// # Errors
/// If there is something in the folder already, or it cannot be written.
pub fn write(
    synthetic: &SyntheticCollection,
    settings: &SyntheticSettings,
    folder: &Path,
) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(at(folder))?;
    if std::fs::read_dir(folder).map_err(at(folder))?.next().is_some() {
        let reason = "there is something in it already; name a new folder".to_owned();
        return Err(Error::CollectionManifest { path: folder.to_owned(), reason });
    }
    let id =
        |number: u32| synthetic.documents.get(number as usize).map_or("", |document| &document.id);
    let (mut documents, mut pairs, mut passages) = (String::new(), String::new(), String::new());
    for document in &synthetic.documents {
        let record = serde_json::json!({
            "id": document.id, "time": document.time, "family": document.family, "text": document.text,
        });
        // Writing to a string does not fail.
        _ = writeln!(documents, "{record}");
    }
    for (a, b) in synthetic.related.iter() {
        _ = writeln!(pairs, "{}\t{}\trelated", id(a), id(b));
    }
    for passage in &synthetic.passages {
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
         documents = [\"documents.jsonl\"]\nfamilies = [\"family\"]\nclusters = [\"family\"]\nunlabelled = \"unrelated\"\n\n\
         [[pairs]]\nfile = \"pairs.tsv\"\nrelated = {{ related = \"high\" }}\n\n\
         [[passages]]\nfile = \"passages.tsv\"\ncolumns = [1, 2, 3, 4, 5, 6]\n",
        kind = settings.kind.name(),
        n = settings.n_documents,
        words = settings.words,
        edit = settings.edit.name(),
        rate = settings.rate,
        passage = settings.passage,
        seed = settings.seed,
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
    use crate::generate::{SyntheticKind, generate};

    #[test]
    fn what_is_written_is_read_again() {
        for kind in SyntheticKind::ALL {
            let folder = tempfile::tempdir().unwrap();
            let settings =
                SyntheticSettings { kind, n_documents: 30, ..SyntheticSettings::default() };
            let synthetic = generate(&settings);
            write(&synthetic, &settings, folder.path()).unwrap();
            let (read, direct) =
                (Collection::load(folder.path()).unwrap(), Collection::from(synthetic.clone()));
            assert_eq!(read.texts, direct.texts, "{}", kind.name());
            assert_eq!(
                (read.truth.related, read.truth.passages, read.truth.clusters.len()),
                (direct.truth.related, direct.truth.passages, 30)
            );
            assert!(write(&synthetic, &settings, folder.path()).is_err(), "nothing is overwritten");
        }
    }
}
