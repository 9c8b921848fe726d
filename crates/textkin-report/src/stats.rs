//! Counts and times of a run, written as `stats.json`.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, NoteLine, Output};

/// Statistics of one run. Field order is the order in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Statistics {
    /// Documents read, including empty ones.
    pub documents: u64,
    /// Documents without words.
    pub empty_documents: u64,
    /// Documents that could not be read and were skipped.
    pub problems: u64,
    /// Documents with the same text as an earlier one.
    pub exact_duplicates: u64,
    /// Documents that I-Match considers near copies of an earlier one; `null` if not requested.
    pub near_copies: Option<u64>,
    /// Words of all documents.
    pub words: u64,
    /// Chunks of all documents, with repetition.
    pub chunks: u64,
    /// Distinct chunks.
    pub distinct_chunks: u64,
    /// Distinct chunks in at least two documents.
    pub shared_chunks: u64,
    /// Sum over the shared chunks of the number of documents that contain them.
    pub shared_postings: u64,
    /// Pairs of documents that share at least one chunk, if counted.
    pub pairs: Option<u64>,
    /// Pairs that reached the threshold.
    pub edges: u64,
    /// Pairs that share passages in other words; only with `--rewritten`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten_pairs: Option<u64>,
    /// Clusters of at least two documents.
    pub clusters: u64,
    /// The algorithm for finding shared chunks.
    pub plan: String,
    /// The measure.
    pub score: String,
    /// The minimum score of an edge.
    pub threshold: f64,
    /// The chunker.
    pub chunk: String,
    /// The selector.
    pub select: String,
    /// The stages of the run, in order.
    pub stages: Vec<StageTime>,
    /// Wall-clock time of the whole run.
    pub seconds: f64,
    /// Peak memory of the process.
    pub peak_rss_bytes: u64,
    /// Bytes read.
    pub input_bytes: u64,
    /// Chunks excluded by `--max-df`; `null` if there is no such limit.
    pub capped: Option<CappedChunks>,
    /// Notes on documents: hidden text, disguised words, missing parts.
    pub notes: Vec<NoteLine>,
    /// The version of textkin.
    pub version: String,
}

/// Time and bytes of one stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct StageTime {
    /// Name of the stage.
    pub name: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Bytes read, written or held in memory, depending on the stage.
    pub bytes: u64,
}

/// Chunks excluded because too many documents contain them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CappedChunks {
    /// Maximum number of documents that may contain a chunk.
    pub max_df: u64,
    /// Distinct chunks excluded.
    pub chunks: u64,
    /// Their postings.
    pub postings: u64,
}

/// Writes `statistics` as indented JSON. The file appears only once it is complete; `-` is standard
/// output.
///
/// # Errors
/// When it cannot be written.
pub fn write_stats(path: &Path, statistics: &impl Serialize) -> Result<(), Error> {
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
    fn the_fields_are_in_the_documented_order() {
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
