//! Writes a collection as a folder for `textkin eval --collection`.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use super::page::Page;
use super::truth::SimilarityLevel;

/// Writes documents, pairs and manifest. The manifest is last, because a folder without one is not a collection. Each
/// file gets its name when it is complete.
pub(crate) fn write(
    (name, note): (&str, &str),
    pages: &[Page],
    pairs: &[(usize, usize, SimilarityLevel)],
    folder: &Path,
) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let manifest = folder.join("collection.toml");
    if manifest.exists() {
        std::fs::remove_file(&manifest)?;
    }
    write_file(folder, "docs.jsonl.zst", |out| {
        let mut out = zstd::Encoder::new(out, 9)?;
        out.long_distance_matching(true)?;
        for Page { id, project, release, page, text } in pages {
            // A page that moved to another folder keeps its name; such a pair has no label, but is not unrelated.
            let name = page.rsplit('/').next().unwrap_or_default();
            let record = json!({ "id": id, "project": project, "release": release, "page": page, "name": name, "text": text });
            writeln!(out, "{record}")?;
        }
        out.finish()?;
        Ok(())
    })?;
    write_file(folder, "pairs.tsv", |out| {
        let mut out = std::io::BufWriter::new(out);
        for (a, b, level) in pairs {
            writeln!(out, "{}\t{}\t{}", pages[*a].id, pages[*b].id, level.name())?;
        }
        out.flush()?;
        Ok(())
    })?;
    write_file(folder, "collection.toml", |out| {
        let text = format!(
            "name = {name:?}\nnote = {note:?}\nlicence = \"that of each project\"\n\
             documents = [\"docs.jsonl.zst\"]\nfamilies = [\"project\", \"name\"]\nunlabelled = \"families\"\n\n\
             [[pairs]]\nfile = \"pairs.tsv\"\nrelated = {{ identical = \"exact\", high = \"high\", some = \"some\" }}\n\
             unrelated = [\"low\"]\n"
        );
        out.write_all(text.as_bytes())?;
        Ok(())
    })
}

fn write_file(
    folder: &Path,
    name: &str,
    content: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let path = folder.join(name);
    let new = folder.join(format!(".{name}.new"));
    let write = || -> Result<()> {
        content(&mut File::create(&new)?)?;
        Ok(std::fs::rename(&new, &path)?)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_has_documents_pairs_and_a_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let page = |release: &str| Page {
            id: format!("x/{release}/docs/a.rst"),
            project: "x".to_owned(),
            release: release.to_owned(),
            page: "docs/a".to_owned(),
            text: "one \"two\"\nthree".to_owned(),
        };
        let pages = [page("1"), page("2")];
        for _ in 0..2 {
            write(
                ("x-docs", "a \"note\""),
                &pages,
                &[(0, 1, SimilarityLevel::Identical)],
                folder.path(),
            )
            .unwrap();
        }
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["collection.toml", "docs.jsonl.zst", "pairs.tsv"]);
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert_eq!(read("pairs.tsv"), b"x/1/docs/a.rst\tx/2/docs/a.rst\tidentical\n");
        let documents =
            String::from_utf8(zstd::decode_all(&read("docs.jsonl.zst")[..]).unwrap()).unwrap();
        let record: serde_json::Value =
            serde_json::from_str(documents.lines().next().unwrap()).unwrap();
        assert_eq!((&record["name"], &record["text"]), (&json!("a"), &json!(pages[0].text)));
        let manifest: toml::Value =
            toml::from_str(&String::from_utf8(read("collection.toml")).unwrap()).unwrap();
        assert_eq!(manifest["note"].as_str(), Some("a \"note\""));
    }
}
