//! `collection.toml`: the manifest of a collection.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Error, at};
use crate::metric::Degree;

/// Judgement of pairs without a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unlabelled {
    /// They are unjudged.
    #[default]
    Unjudged,
    /// They are unrelated.
    Unrelated,
    /// They are unrelated if their families differ, otherwise unjudged.
    Families,
}

/// Manifest of a collection.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionManifest {
    /// Name of the collection.
    pub name: String,
    /// Description of the collection.
    #[serde(default)]
    pub note: String,
    /// Licence of the documents.
    #[serde(default)]
    pub licence: String,
    /// Files, folders or patterns of documents, as for `textkin discover`.
    #[serde(default)]
    pub documents: Vec<String>,
    /// Files and folders of articles with headers, one per file or many in a mailbox. Their ids come from
    /// the headers.
    #[serde(default)]
    pub articles: Vec<String>,
    /// Fields whose values together identify the family of a document; `path:stem` is a file name without
    /// directory and extension.
    #[serde(default)]
    pub families: Vec<String>,
    /// Fields whose values together identify the cluster of a document, written like `families`.
    #[serde(default)]
    pub clusters: Vec<String>,
    /// Judgement of pairs without a label.
    #[serde(default)]
    pub unlabelled: Unlabelled,
    /// Minimum containment at which a pair without a label stays unjudged, whatever `unlabelled` says: such
    /// a pair is probably unlabelled reuse.
    pub unjudged_containment: Option<f64>,
    /// Fields that link articles of a thread; linked articles are related by what they quote.
    pub threads: Option<Threads>,
    /// Files of labelled pairs.
    #[serde(default)]
    pub pairs: Vec<PairFile>,
    /// Files of queries with their relevant documents.
    #[serde(default)]
    pub queries: Vec<QueryFile>,
    /// Files of cluster labels.
    #[serde(default)]
    pub labels: Vec<LabelFile>,
    /// Files of copied passages.
    #[serde(default)]
    pub passages: Vec<PassageFile>,
}

/// Links between articles of a thread. The overlap of two linked articles is the share of the lines of the
/// earlier one that the later one quotes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threads {
    /// Field with the id of an article. Articles with the same id are one article, posted to several
    /// groups.
    #[serde(default = "Threads::message")]
    pub message: String,
    /// Fields with the ids of earlier articles, as a list or as one text.
    #[serde(default = "Threads::references")]
    pub references: Vec<String>,
    /// Minimum share of quoted lines for high overlap.
    #[serde(default = "Threads::high")]
    pub high: f64,
    /// Minimum share for some overlap; linked articles below it are unrelated.
    #[serde(default = "Threads::some")]
    pub some: f64,
}

/// Tab-separated file of queries: each line has the document id of a query, followed by the ids of one or
/// more relevant documents.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryFile {
    /// Path of the file, which may be compressed.
    pub file: String,
    /// Whether the first line is a header.
    #[serde(default)]
    pub has_heading: bool,
    /// Overlap of relevant documents.
    #[serde(default = "QueryFile::default_degree")]
    pub degree: DegreeName,
    /// Whether all other documents are known to be irrelevant.
    #[serde(default = "QueryFile::default_completeness")]
    pub is_complete: bool,
}

/// Tab-separated file of cluster labels.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelFile {
    /// Path of the file, which may be compressed.
    pub file: String,
    /// Columns of the id and the label, counted from 1.
    #[serde(default = "LabelFile::default_columns")]
    pub columns: [usize; 2],
    /// Whether the first line is a header.
    #[serde(default)]
    pub has_heading: bool,
}

/// Tab-separated file of labelled pairs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairFile {
    /// Path of the file, which may be compressed.
    pub file: String,
    /// Columns of the two ids and the label, counted from 1.
    #[serde(default = "PairFile::default_columns")]
    pub columns: [usize; 3],
    /// Whether the first line is a header.
    #[serde(default)]
    pub has_heading: bool,
    /// Labels of related pairs, and their overlap: `exact`, `high` or `some`.
    #[serde(default)]
    pub related: BTreeMap<String, DegreeName>,
    /// Labels of unrelated pairs. Pairs with any other label count as unlabelled.
    #[serde(default)]
    pub unrelated: Vec<String>,
    /// Whether the labels are classes of copying, from the first document of a line to the second, that
    /// `truth.classes` predicts.
    #[serde(default)]
    pub has_classes: bool,
}

/// Tab-separated file of copied passages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassageFile {
    /// Path of the file, which may be compressed.
    pub file: String,
    /// Columns, counted from 1: copying document, start and length there; source document, start and length
    /// there. Positions are in characters.
    pub columns: [usize; 6],
    /// Column of the class of a passage, if there are classes.
    pub class: Option<usize>,
    /// Whether the first line is a header.
    #[serde(default)]
    pub has_heading: bool,
}

/// Degree of overlap as written in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DegreeName {
    /// Identical.
    Exact,
    /// Most of one is in the other.
    High,
    /// Small portions are in both.
    Some,
}

impl From<DegreeName> for Degree {
    fn from(name: DegreeName) -> Self {
        match name {
            DegreeName::Exact => Self::Exact,
            DegreeName::High => Self::High,
            DegreeName::Some => Self::Some,
        }
    }
}

impl Threads {
    fn message() -> String {
        "message_id".to_owned()
    }

    fn references() -> Vec<String> {
        vec!["references".to_owned(), "in_reply_to".to_owned()]
    }

    fn high() -> f64 {
        0.5
    }

    fn some() -> f64 {
        0.1
    }
}

impl QueryFile {
    fn default_degree() -> DegreeName {
        DegreeName::High
    }

    fn default_completeness() -> bool {
        true
    }
}

impl LabelFile {
    fn default_columns() -> [usize; 2] {
        [1, 2]
    }
}

impl PairFile {
    fn default_columns() -> [usize; 3] {
        [1, 2, 3]
    }
}

/// File name of a manifest.
const FILE: &str = "collection.toml";

/// Built-in manifests for collections that come without one, by folder name.
pub const BUILT_IN_MANIFESTS: [(&str, &str); 5] = [
    ("newsgroups", include_str!("../../collections/newsgroups.toml")),
    ("pan", include_str!("../../collections/pan.toml")),
    ("pydocs", include_str!("../../collections/pydocs.toml")),
    ("reuters", include_str!("../../collections/reuters.toml")),
    ("shortanswers", include_str!("../../collections/shortanswers.toml")),
];

impl CollectionManifest {
    /// Returns the manifest of a folder: its own, or the built-in one for its name. A file is a collection
    /// without labels.
    ///
    /// # Errors
    /// If there is no manifest, or it is invalid.
    pub fn of(folder: &Path) -> Result<Self, Error> {
        if folder.is_file() {
            return Self::of_file(folder);
        }
        let path = folder.join(FILE);
        if path.exists() {
            let text = std::fs::read_to_string(&path).map_err(at(&path))?;
            return Self::parse(&text, &path);
        }
        let name = folder.file_name().and_then(|name| name.to_str());
        let known = BUILT_IN_MANIFESTS.iter().find(|(known, _)| Some(*known) == name);
        let Some((_, text)) = known.filter(|_| folder.is_dir()) else {
            let known: Vec<&str> = BUILT_IN_MANIFESTS.iter().map(|(name, _)| *name).collect();
            return Err(Error::NotACollection {
                folder: folder.to_owned(),
                known: known.join(", "),
            });
        };
        Self::parse(text, &path)
    }

    fn of_file(path: &Path) -> Result<Self, Error> {
        let whole = std::path::absolute(path).map_err(at(path))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.split('.').next().unwrap_or_default();
        let table = toml::Table::from_iter([
            ("name".to_owned(), name.into()),
            ("documents".to_owned(), vec![whole.to_string_lossy().into_owned()].into()),
        ]);
        let wrong = |error: toml::de::Error| error.to_string();
        let manifest: Result<Self, String> = table.try_into().map_err(wrong);
        manifest.map_err(|reason| Error::CollectionManifest { path: path.to_owned(), reason })
    }

    fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let wrong = |reason: String| Error::CollectionManifest { path: path.to_owned(), reason };
        let manifest: Self = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let columns = manifest.pairs.iter().flat_map(|file| file.columns);
        let columns = columns.chain(manifest.passages.iter().flat_map(|file| file.columns));
        let columns = columns.chain(manifest.passages.iter().filter_map(|file| file.class));
        let columns = columns.chain(manifest.labels.iter().flat_map(|file| file.columns));
        if columns.into_iter().any(|column| column == 0) {
            return Err(wrong("columns are numbered from 1".to_owned()));
        }
        if manifest.unlabelled == Unlabelled::Families && manifest.families.is_empty() {
            return Err(wrong("unlabelled = \"families\" requires families = [FIELD…]".to_owned()));
        }
        if manifest.documents.is_empty() && manifest.articles.is_empty() {
            return Err(wrong("documents = [PATH…] or articles = [PATH…] is required".to_owned()));
        }
        if let Some(share) = manifest.unjudged_containment
            && !(0.0 < share && share <= 1.0)
        {
            return Err(wrong(format!(
                "unjudged_containment must be above 0 and at most 1, got {share}"
            )));
        }
        if let Some(Threads { high, some, .. }) = &manifest.threads
            && !(0.0 < *some && some <= high && *high <= 1.0)
        {
            let reason = format!(
                "threads: 0 < some ≤ high ≤ 1 is required, got some = {some} and high = {high}"
            );
            return Err(wrong(reason));
        }
        Ok(manifest)
    }

    /// Returns the paths of documents, relative to `folder`.
    #[must_use]
    pub fn documents(&self, folder: &Path) -> Vec<PathBuf> {
        self.documents.iter().map(|document| folder.join(document)).collect()
    }

    /// Returns the paths of articles, relative to `folder`.
    #[must_use]
    pub fn articles(&self, folder: &Path) -> Vec<PathBuf> {
        self.articles.iter().map(|article| folder.join(article)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_manifest_is_valid() {
        for (name, text) in BUILT_IN_MANIFESTS {
            let manifest = CollectionManifest::parse(text, Path::new(name)).unwrap();
            assert_eq!(manifest.name, name);
            assert!(!manifest.note.is_empty() && !manifest.documents.is_empty());
        }
    }

    #[test]
    fn errors_name_the_cause() {
        let fault =
            |text: &str| CollectionManifest::parse(text, Path::new("x")).unwrap_err().to_string();
        assert!(fault("name = 1").contains("x: "));
        let start = "name = \"a\"\ndocuments = [\"b\"]\n";
        assert!(fault(&format!("{start}unlabelled = \"families\"")).contains("requires families"));
        assert!(
            fault(&format!("{start}[[pairs]]\nfile = \"p\"\ncolumns = [0, 1, 2]"))
                .contains("from 1")
        );
        assert!(fault(&format!("{start}colour = 1")).contains("colour"));
        assert!(fault("name = \"a\"\n").contains("documents = [PATH…] or articles"));
        let shares = fault(&format!("{start}[threads]\nhigh = 0.1\nsome = 0.5"));
        assert!(shares.contains("got some = 0.5 and high = 0.1"), "{shares}");
        for wrong in [
            "[[labels]]\nfile = \"l\"\ncolumns = [1, 0]",
            "[[passages]]\nfile = \"s\"\ncolumns = [1, 2, 3, 4, 5, 6]\nclass = 0",
        ] {
            assert!(fault(&format!("{start}{wrong}")).contains("from 1"), "{wrong}");
        }
        assert!(fault(&format!("{start}unjudged_containment = 2.0")).contains("at most 1, got 2"));
        let degree = fault(&format!("{start}[[queries]]\nfile = \"q\"\ndegree = \"total\""));
        assert!(degree.contains("line 5") && degree.contains("total"), "{degree}");
        let none = CollectionManifest::of(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(none.contains("no collection.toml") && none.contains("pydocs"), "{none}");
    }
}
