//! Loads a collection: the documents of a manifest, and their labels.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use textkin::engine::source::{Inputs, SourceSettings};
use textkin::engine::types::{Document, DocumentSink, Measure, Problem, Source};
use textkin::engine::{RunControl, Settings, discover};

use super::labels::LabelReader;
use super::threads::ThreadLinks;
use super::{Collection, CollectionDocument, CollectionManifest, GroundTruth, article, threads};
use crate::error::Error;

impl Collection {
    /// Loads the collection in a folder, or a file of documents without labels.
    ///
    /// # Errors
    /// If the folder has no manifest, or a file cannot be read or is invalid.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let manifest = CollectionManifest::of(folder)?;
        let CollectionReader { texts, families, clusters, links, .. } =
            read_documents(&manifest, folder)?;
        let mut truth = GroundTruth {
            unlabelled: manifest.unlabelled,
            families: families.map(|families| families.numbers),
            clusters: clusters.into_iter().flat_map(|all| all.numbers).map(Some).collect(),
            ..GroundTruth::default()
        };
        if let Some(threads) = &manifest.threads {
            threads::judge(&texts, &links, threads, &mut truth);
        }
        let numbers: HashMap<&str, u32> =
            texts.iter().zip(0..).map(|(text, number)| (text.id.as_str(), number)).collect();
        LabelReader { folder, texts: &texts, numbers, truth: &mut truth }.read(&manifest)?;
        let (name, note) = (manifest.name, manifest.note);
        let items = [].into();
        let mut collection = Self { name, note, texts: texts.into(), truth, items };
        if let Some(share) = manifest.unjudged_containment {
            collection.truth.contained = collection.contained(share)?;
        }
        Ok(collection)
    }

    /// Returns the pairs in which at least this share of one document is in the other, ascending.
    fn contained(&self, share: f64) -> Result<Vec<(u32, u32)>, Error> {
        let score = Measure::ChunkContainment;
        let settings = Settings { score, threshold: share, rules: None, ..Settings::default() };
        let found = discover(&mut self.source(), &settings, &RunControl::default())?;
        let pairs = found.graph.rows().map(|pair| (pair.a.min(pair.b), pair.a.max(pair.b)));
        let mut contained: Vec<(u32, u32)> = pairs.collect();
        contained.sort_unstable();
        Ok(contained)
    }
}

/// Collects documents; stops at the first problem, because a missing document would shift the labels.
struct CollectionReader<'a> {
    manifest: &'a CollectionManifest,
    texts: Vec<CollectionDocument>,
    families: Option<FieldGroups<'a>>,
    clusters: Option<FieldGroups<'a>>,
    links: Vec<ThreadLinks>,
    problem: Option<Problem>,
}

/// Groups documents by the values of some fields: equal values get the same number.
struct FieldGroups<'a> {
    fields: &'a [String],
    known: BTreeMap<Vec<String>, u32>,
    numbers: Vec<u32>,
}

impl<'a> FieldGroups<'a> {
    fn by(fields: &'a [String]) -> Option<Self> {
        let new = || Self { fields, known: BTreeMap::new(), numbers: Vec::new() };
        (!fields.is_empty()).then(new)
    }

    fn add(&mut self, fields: &serde_json::Value) {
        let values = self.fields.iter().map(|field| value(fields, field)).collect();
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.numbers.push(*self.known.entry(values).or_insert(next));
    }
}

impl CollectionReader<'_> {
    /// Records the groups and links of a document from its fields.
    fn add_fields(&mut self, fields: &serde_json::Value) {
        for numbered in [&mut self.families, &mut self.clusters].into_iter().flatten() {
            numbered.add(fields);
        }
        if let Some(threads) = &self.manifest.threads {
            let references = threads.references.iter().filter_map(|name| fields.get(name));
            let references = references.flat_map(|value| match value {
                serde_json::Value::Array(list) => {
                    list.iter().filter_map(|one| one.as_str()).collect()
                }
                serde_json::Value::String(text) => article::names(text).collect::<Vec<_>>(),
                _ => Vec::new(),
            });
            let references = references.map(str::to_owned).collect();
            self.links.push(ThreadLinks { name: value(fields, &threads.message), references });
        }
    }
}

impl DocumentSink for CollectionReader<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let metadata = document.metadata.as_deref().unwrap_or("{}");
        self.add_fields(&serde_json::from_str(metadata).unwrap_or_default());
        self.texts.push(CollectionDocument {
            id: document.id.into_owned(),
            time: document.time.map(Into::into),
            text: document.content.into_text().unwrap_or_default().into_owned(),
        });
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problem = Some(problem);
        ControlFlow::Break(())
    }
}

/// Returns the value of a field as text; for `NAME:stem`, the file name without directory and extension.
fn value(fields: &serde_json::Value, field: &str) -> String {
    let (name, is_stem) = field.strip_suffix(":stem").map_or((field, false), |name| (name, true));
    let value = match fields.get(name) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    if !is_stem {
        return value;
    }
    let stem = Path::new(&value).file_stem();
    stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read_documents<'a>(
    manifest: &'a CollectionManifest,
    folder: &Path,
) -> Result<CollectionReader<'a>, Error> {
    let (families, clusters) =
        (FieldGroups::by(&manifest.families), FieldGroups::by(&manifest.clusters));
    let keeps_metadata = families.is_some() || clusters.is_some() || manifest.threads.is_some();
    let mut reader = CollectionReader {
        manifest,
        texts: Vec::new(),
        families,
        clusters,
        links: Vec::new(),
        problem: None,
    };
    if !manifest.documents.is_empty() {
        let settings = SourceSettings { keeps_metadata, ..SourceSettings::default() };
        let paths = manifest.documents(folder);
        let mut inputs = Inputs::open(&paths, &settings).map_err(textkin::Error::from)?;
        while let Some(piece) = inputs.next_piece() {
            piece.read(&mut reader);
            if let Some(problem) = reader.problem.take() {
                let (path, reason) = (PathBuf::from(&problem.path), problem.reason);
                return Err(match problem.line {
                    Some(line) => Error::Label { path, line, reason },
                    None => Error::CollectionManifest { path, reason },
                });
            }
        }
    }
    for article in article::read(&manifest.articles(folder))? {
        for numbered in [&mut reader.families, &mut reader.clusters].into_iter().flatten() {
            numbered.add(&serde_json::Value::Null);
        }
        reader.texts.push(article.text);
        if manifest.threads.is_some() {
            reader.links.push(article.links);
        }
    }
    Ok(reader)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Judgement;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    const MANIFEST: &str = "name = \"tiny\"\ndocuments = [\"d.jsonl\"]\nfamilies = [\"path:stem\"]\n\
        unlabelled = \"families\"\n[[pairs]]\nfile = \"p.tsv\"\nrelated = { same = \"exact\" }\n\
        unrelated = [\"other\"]\n[[passages]]\nfile = \"s.tsv\"\ncolumns = [1, 2, 3, 4, 5, 6]\n";
    const DOCUMENTS: &str = "{\"id\":\"a\",\"path\":\"x/one.txt\",\"text\":\"éa b\"}\n\
        {\"id\":\"b\",\"path\":\"one.html\",\"text\":\"éa b\"}\n\
        {\"id\":\"c\",\"path\":\"two\",\"text\":\"c\"}\n{\"id\":\"d\",\"path\":\"one\",\"text\":\"d\"}\n";

    #[test]
    fn documents_labels_and_passages_are_read() {
        let (pairs, spans) = ("b\ta\tsame\nb\td\tother\na\td\tstrange\n", "b\t1\t3\ta\t0\t2\n");
        let files = [("collection.toml", MANIFEST), ("d.jsonl", DOCUMENTS), ("p.tsv", pairs)];
        let folder = folder(&[&files[..], &[("s.tsv", spans)]].concat());
        let collection = Collection::load(folder.path()).unwrap();
        assert_eq!((collection.name.as_str(), collection.texts.len()), ("tiny", 4));
        let truth = &collection.truth;
        let judged = [(0, 1), (1, 3), (0, 3), (0, 2)].map(|(a, b)| truth.judge(a, b));
        use Judgement::{Related, Unjudged, Unrelated};
        assert_eq!(judged, [Related, Unrelated, Unjudged, Unrelated]);
        let passage = truth.passages[0];
        assert_eq!((passage.suspicious, passage.span), (1, (2, 5)));
        assert_eq!((passage.source, passage.source_span), (0, (0, 3)));
    }

    const ANSWERS: &str = "{\"id\":\"a\",\"m\":\"<1>\",\"text\":\"one line\\ntwo lines\"}\n\
        {\"id\":\"b\",\"m\":\"<2>\",\"r\":[\"<1>\"],\"text\":\"> one line\\nno\"}\n\
        {\"id\":\"c\",\"m\":\"<3>\",\"s\":\"see <1>\",\"text\":\"yes\"}\n";

    #[test]
    fn articles_are_linked_by_fields_and_by_headers() {
        let threads = "[threads]\nmessage = \"m\"\nreferences = [\"r\", \"s\"]\n";
        let manifest =
            format!("name = \"n\"\ndocuments = [\"d.jsonl\"]\narticles = [\"a.txt\"]\n{threads}");
        let article = "Message-ID: <4>\nReferences: <3> <2>\n\n>> one line\n";
        let files =
            [("collection.toml", manifest.as_str()), ("d.jsonl", ANSWERS), ("a.txt", article)];
        let collection = Collection::load(folder(&files).path()).unwrap();
        assert_eq!(collection.texts[3].id, "<4>");
        let judged =
            [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)].map(|(a, b)| collection.truth.judge(a, b));
        use Judgement::{Related, Unjudged, Unrelated};
        assert_eq!(judged, [Related, Unrelated, Related, Unrelated, Unjudged]);
    }

    #[test]
    fn queries_and_labels_of_clusters_are_read() {
        let manifest = "name = \"q\"\ndocuments = [\"d.jsonl\"]\n[[queries]]\nfile = \"q.tsv\"\n\
            degree = \"some\"\n[[labels]]\nfile = \"l.tsv\"\n";
        let load = |queries: &str, labels: &str| {
            let files = [("collection.toml", manifest), ("d.jsonl", DOCUMENTS)];
            let own = [("q.tsv", queries), ("l.tsv", labels)];
            Collection::load(folder(&[&files[..], &own[..]].concat()).path())
        };
        let collection = load("a\tb\tc\na\td\n", "a\tx\nb\ty\nd\tx\n").unwrap();
        let truth = &collection.truth;
        assert_eq!(truth.clusters, [Some(0), Some(1), None, Some(0)]);
        assert_eq!((truth.related.len(), truth.related[&(0, 3)]), (3, crate::metric::Degree::Some));
        assert_eq!(collection.queries(9, 1), [0]);
        let judged = [(0, 1), (1, 2)].map(|(a, b)| truth.judge(a, b));
        assert_eq!(judged, [Judgement::Related, Judgement::Unjudged]);
        for (queries, labels, reason) in [
            ("a\n", "", "q.tsv:1: query without relevant documents"),
            ("a\ta\n", "", "q.tsv:1: query listed as relevant to itself"),
            ("a\tb\nz\tb\n", "", "q.tsv:2: unknown document 'z'"),
            ("", "a\n", "l.tsv:1: missing column 2"),
            ("", "a\tx\na\ty\n", "l.tsv:2: document 'a' is already in another cluster"),
        ] {
            let error = load(queries, labels).unwrap_err().to_string();
            assert!(error.ends_with(reason), "{error}");
        }
        let none = load("a\tb\n", "").unwrap().truth;
        assert!(none.clusters.is_empty() && none.complete.contains(&0));
        assert_eq!(none.judge(0, 2), Judgement::Unrelated);
    }

    #[test]
    fn unlabelled_pairs_with_high_containment_stay_unjudged() {
        let words = "one two three four five six seven eight nine ten";
        let line = |id: &str, text: &str| {
            format!("{{\"id\":\"{id}\",\"f\":\"{id}\",\"text\":\"{text}\"}}\n")
        };
        let documents = [line("a", words), line("b", &format!("{words} more")), line("c", "else")];
        let manifest = "name = \"h\"\ndocuments = [\"d.jsonl\"]\nfamilies = [\"f\"]\nunlabelled = \"families\"\n";
        let load = |manifest: &str| {
            let files = [("collection.toml", manifest), ("d.jsonl", &documents.concat())];
            let truth = Collection::load(folder(&files).path()).unwrap().truth;
            [(0, 1), (0, 2)].map(|(a, b)| truth.judge(a, b))
        };
        use Judgement::{Unjudged, Unrelated};
        assert_eq!(load(manifest), [Unrelated, Unrelated]);
        assert_eq!(load(&format!("{manifest}unjudged_containment = 0.5\n")), [Unjudged, Unrelated]);
    }

    #[test]
    fn a_file_is_a_collection_without_labels() {
        let folder = folder(&[("d.part.jsonl", DOCUMENTS)]);
        let collection = Collection::load(&folder.path().join("d.part.jsonl")).unwrap();
        assert_eq!((collection.name.as_str(), collection.texts.len()), ("d", 4));
        assert_eq!(collection.truth.judge(0, 1), Judgement::Unjudged);
    }

    #[test]
    fn errors_name_file_and_line() {
        for (pairs, spans, reason) in [
            ("a\tb\tsame\na\tx\tsame\n", "", "p.tsv:2: unknown document 'x'"),
            ("a\tb\n", "", "p.tsv:1: missing column 3"),
            ("a\ta\tsame\n", "", "p.tsv:1: a document is paired with itself"),
            ("", "a\t0\t9\tb\t0\t1\n", "s.tsv:1: the passage ends after the end of document 'a'"),
            ("", "a\t0\tx\tb\t0\t1\n", "s.tsv:1: 'x' is not a position in a text"),
        ] {
            let folder = folder(&[
                ("collection.toml", MANIFEST),
                ("d.jsonl", DOCUMENTS),
                ("p.tsv", pairs),
                ("s.tsv", spans),
            ]);
            let error = Collection::load(folder.path()).unwrap_err().to_string();
            assert!(error.ends_with(reason), "{error}");
        }
    }
}
