//! What a run counted and how long it took, as `stats.json`.

use std::path::Path;

use serde::Serialize;

use crate::{Error, NoteLine, Output};

/// The figures of one run. Field order is the order in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// Documents read, empty ones too.
    pub documents: u64,
    /// Documents without a token.
    pub empty_documents: u64,
    /// Documents that failed while the run went on.
    pub problems: u64,
    /// Documents whose text is that of an earlier one.
    pub exact_duplicates: u64,
    /// Documents that I-Match takes for almost a copy of an earlier one; `null` if not asked.
    pub near_copies: Option<u64>,
    /// Tokens of all documents.
    pub words: u64,
    /// Chunks of all documents, with repetition.
    pub chunks: u64,
    /// Different chunks.
    pub distinct_chunks: u64,
    /// Different chunks that are in at least two documents.
    pub shared_chunks: u64,
    /// Sum over the shared chunks of the documents that hold them.
    pub shared_postings: u64,
    /// Pairs of documents that share at least one chunk, where they were counted.
    pub pairs: Option<u64>,
    /// Pairs that reached the threshold.
    pub edges: u64,
    /// Clusters of at least two documents.
    pub clusters: u64,
    /// How the shared chunks were found.
    pub plan: String,
    /// The measure.
    pub score: String,
    /// The least score of an edge.
    pub threshold: f64,
    /// The chunker.
    pub chunk: String,
    /// The selector.
    pub select: String,
    /// The parts of the run, in order.
    pub stages: Vec<StageTime>,
    /// The whole run, on the clock.
    pub seconds: f64,
    /// The most memory the process held.
    pub peak_rss_bytes: u64,
    /// Bytes read.
    pub input_bytes: u64,
    /// What a cap of the user left out; `null` if nothing was.
    pub capped: Option<CappedChunks>,
    /// What is worth knowing about documents: hidden text and other disguises, parts missing.
    pub notes: Vec<NoteLine>,
    /// The version of textkin.
    pub version: String,
}

/// One part of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StageTime {
    /// What it does.
    pub name: String,
    /// How long it took, on the clock.
    pub seconds: f64,
    /// Bytes it read, wrote or held: what its name suggests.
    pub bytes: u64,
}

/// Chunks left out because more documents than the user wanted hold them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CappedChunks {
    /// The largest number of documents a chunk may be in.
    pub max_df: u64,
    /// Different chunks left out.
    pub chunks: u64,
    /// Their postings.
    pub postings: u64,
}

/// Writes `statistics` as indented JSON; the file appears whole or not at all, `-` is standard
/// output.
///
/// # Errors
/// When it cannot be written.
pub fn write_stats(path: &Path, statistics: &Statistics) -> Result<(), Error> {
    let mut text = serde_json::to_vec_pretty(statistics)
        .map_err(|error| Error::write(path, std::io::Error::from(error)))?;
    text.push(b'\n');
    let mut output = Output::create(path)?;
    output.write(&text)?;
    output.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_stand_in_the_order_of_the_contract() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("stats.json");
        let stages = vec![StageTime { name: "read".into(), seconds: 0.5, bytes: 10 }];
        let capped = Some(CappedChunks { max_df: 9, chunks: 1, postings: 10 });
        let statistics = Statistics { stages, capped, pairs: None, ..Statistics::default() };
        write_stats(&path, &statistics).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let names = [
            "documents",
            "empty_documents",
            "problems",
            "exact_duplicates",
            "near_copies",
            "words",
            "chunks",
            "distinct_chunks",
            "shared_chunks",
            "shared_postings",
            "pairs",
            "edges",
            "clusters",
            "plan",
            "score",
            "threshold",
            "chunk",
            "select",
            "stages",
            "seconds",
            "peak_rss_bytes",
            "input_bytes",
            "capped",
            "notes",
            "version",
        ];
        let found: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("  \"")?.split_once('"'))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(found, names);
        assert!(text.contains("\"pairs\": null"));
        assert!(text.contains("\"max_df\": 9"));
    }
}
