//! `collection.toml`: what a collection consists of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Error, at};
use crate::metric::Degree;

/// What is to be thought of pairs without a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unlabelled {
    /// Nothing.
    #[default]
    Unjudged,
    /// They are no kin.
    Unrelated,
    /// They are no kin if they are of different families.
    Families,
}

/// The parts of a collection.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionManifest {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(default)]
    pub note: String,
    /// Under what terms it may be used.
    #[serde(default)]
    pub licence: String,
    /// Files, folders or patterns of documents, as `textkin discover` takes them.
    #[serde(default)]
    pub documents: Vec<String>,
    /// Files and folders of articles with headers, one a file, or many one after the other as in a mailbox. Their
    /// ids are those of their headers.
    #[serde(default)]
    pub articles: Vec<String>,
    /// Fields whose values together name the family of a document; `path:stem` is the name of a file
    /// without folder and ending.
    #[serde(default)]
    pub families: Vec<String>,
    /// Fields whose values together name the cluster of a document, written as `families` are.
    #[serde(default)]
    pub clusters: Vec<String>,
    /// What is to be thought of pairs without a label.
    #[serde(default)]
    pub unlabelled: Unlabelled,
    /// From this share of its chunks on that the other has too, a pair without a label is left unjudged,
    /// whatever `unlabelled` says: that is reuse which nobody labelled.
    pub unjudged_containment: Option<f64>,
    /// Where articles say which others they answer: what they quote makes them kin.
    pub threads: Option<Threads>,
    /// Files of labelled pairs.
    #[serde(default)]
    pub pairs: Vec<PairFile>,
    /// Files of queries with their relevant documents.
    #[serde(default)]
    pub queries: Vec<QueryFile>,
    /// Files of labels of clusters.
    #[serde(default)]
    pub labels: Vec<LabelFile>,
    /// Files of copied passages.
    #[serde(default)]
    pub passages: Vec<PassageFile>,
}

/// How articles name themselves and those they answer. Two that are linked are kin by the share of the
/// earlier one's lines that the later one quotes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threads {
    /// The field with an article's own name. Articles of the same name are one article, posted to
    /// several groups.
    #[serde(default = "Threads::message")]
    pub message: String,
    /// Fields with the names of articles before it, as a list or as one text.
    #[serde(default = "Threads::references")]
    pub references: Vec<String>,
    /// From this share of quoted lines on, overlap is high.
    #[serde(default = "Threads::high")]
    pub high: f64,
    /// From this share on there is some; linked articles below it are strangers.
    #[serde(default = "Threads::some")]
    pub some: f64,
}

/// A tab-separated file of queries, which are documents too: in each line the id of a query and those of
/// documents that are relevant to it, one or more.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryFile {
    /// The file; may be compressed.
    pub file: String,
    /// Whether the first line is a heading.
    #[serde(default)]
    pub has_heading: bool,
    /// How much relevant documents overlap.
    #[serde(default = "QueryFile::default_degree")]
    pub degree: DegreeName,
    /// Whether documents that are not named are known not to be relevant.
    #[serde(default = "QueryFile::default_completeness")]
    pub is_complete: bool,
}

/// A tab-separated file of labels: which cluster each document belongs to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelFile {
    /// The file; may be compressed.
    pub file: String,
    /// The columns of the id and of the label, counted from 1.
    #[serde(default = "LabelFile::default_columns")]
    pub columns: [usize; 2],
    /// Whether the first line is a heading.
    #[serde(default)]
    pub has_heading: bool,
}

/// A tab-separated file of labelled pairs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairFile {
    /// The file; may be compressed.
    pub file: String,
    /// The columns of the two ids and of the label, counted from 1.
    #[serde(default = "PairFile::default_columns")]
    pub columns: [usize; 3],
    /// Whether the first line is a heading.
    #[serde(default)]
    pub has_heading: bool,
    /// Labels of kin, and how much these overlap: `exact`, `high` or `some`.
    #[serde(default)]
    pub related: BTreeMap<String, DegreeName>,
    /// Labels of pairs that are not kin. Other labels leave a pair without one.
    #[serde(default)]
    pub unrelated: Vec<String>,
}

/// A tab-separated file of copied passages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassageFile {
    /// The file; may be compressed.
    pub file: String,
    /// The columns of: the document that took it, where it begins and how long it is there, the document
    /// from which it is, where it begins and how long it is there; counted from 1. Places are characters.
    pub columns: [usize; 6],
    /// The column of the class of a passage, if there are classes.
    pub class: Option<usize>,
    /// Whether the first line is a heading.
    #[serde(default)]
    pub has_heading: bool,
}

/// The name of a degree in a manifest.
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

/// The name of the manifest of a folder.
const FILE: &str = "collection.toml";

/// Manifests of collections that come without one, by the name of their folder.
pub const BUILT_IN_MANIFESTS: [(&str, &str); 5] = [
    ("newsgroups", include_str!("../../collections/newsgroups.toml")),
    ("pan", include_str!("../../collections/pan.toml")),
    ("pydocs", include_str!("../../collections/pydocs.toml")),
    ("reuters", include_str!("../../collections/reuters.toml")),
    ("shortanswers", include_str!("../../collections/shortanswers.toml")),
];

impl CollectionManifest {
    /// The manifest of a folder: its own, or the one that is known for its name. A file is a collection
    /// of documents of which nothing is known.
    ///
    /// # Errors
    /// If there is none, or it makes no sense.
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
            return Err(wrong("columns are counted from 1".to_owned()));
        }
        if manifest.unlabelled == Unlabelled::Families && manifest.families.is_empty() {
            return Err(wrong("unlabelled = \"families\" needs families = [FIELD…]".to_owned()));
        }
        if manifest.documents.is_empty() && manifest.articles.is_empty() {
            return Err(wrong("documents = [PATH…] or articles = [PATH…] is needed".to_owned()));
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
            let reason =
                format!("threads: some = {some} and high = {high} are not shares in order");
            return Err(wrong(reason));
        }
        Ok(manifest)
    }

    /// The paths of documents, from `folder`.
    #[must_use]
    pub fn documents(&self, folder: &Path) -> Vec<PathBuf> {
        self.documents.iter().map(|document| folder.join(document)).collect()
    }

    /// The paths of articles, from `folder`.
    #[must_use]
    pub fn articles(&self, folder: &Path) -> Vec<PathBuf> {
        self.articles.iter().map(|article| folder.join(article)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_manifest_is_sound() {
        for (name, text) in BUILT_IN_MANIFESTS {
            let manifest = CollectionManifest::parse(text, Path::new(name)).unwrap();
            assert_eq!(manifest.name, name);
            assert!(!manifest.note.is_empty() && !manifest.documents.is_empty());
        }
    }

    #[test]
    fn faults_are_named() {
        let fault =
            |text: &str| CollectionManifest::parse(text, Path::new("x")).unwrap_err().to_string();
        assert!(fault("name = 1").contains("x: "));
        let start = "name = \"a\"\ndocuments = [\"b\"]\n";
        assert!(fault(&format!("{start}unlabelled = \"families\"")).contains("needs families"));
        assert!(
            fault(&format!("{start}[[pairs]]\nfile = \"p\"\ncolumns = [0, 1, 2]"))
                .contains("from 1")
        );
        assert!(fault(&format!("{start}colour = 1")).contains("colour"));
        assert!(fault("name = \"a\"\n").contains("documents = [PATH…] or articles"));
        let shares = fault(&format!("{start}[threads]\nhigh = 0.1\nsome = 0.5"));
        assert!(shares.contains("threads: some = 0.5 and high = 0.1"), "{shares}");
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
