//! Arguments of `textkin discover`.

use std::path::PathBuf;

use clap::Args;
use textkin::engine::graph::{Clustering, Counting, PassageRules};
use textkin::engine::index::Plan;
use textkin::engine::report::PassageColumns;
use textkin::engine::text::grammar::Selection;
use textkin::engine::types::Measure;
use textkin::engine::types::hash::HashKind;
use textkin::engine::{CopyPolicy, DEFAULT_SELECTOR, ScoredChunks, Threshold};

use super::common::{FormatOptions, MemoryOptions, TempDirOptions, ThreadOptions};
use super::{AnalysisOptions, InputOptions};

/// Find every pair of documents that share text
///
/// Reads files in any supported format, directories, globs, JSON lines, CSV and Parquet (also .gz .zst .xz
/// .bz2), or standard input (-). Prints a summary and the strongest pairs; use --out to write all pairs.
///
/// Exit code: 0 if pairs were found, 1 if there are none, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin discover essays/
  textkin discover 'dump-*.jsonl.zst' --out pairs.csv --clusters clusters.jsonl
  textkin discover answers/ --against library/
  textkin discover essays/ --rewritten --out pairs.csv
  textkin discover a.csv --text-field body --score containment --threshold 0.5 --out graph.graphml
  zcat docs.jsonl.gz | textkin discover - --out - | head")]
pub(crate) struct Discover {
    /// Files, directories, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Find only pairs of a document of INPUT and one of these
    ///
    /// Can be repeated.
    #[arg(long, value_name = "INPUT", conflicts_with = "across", help_heading = "Comparison")]
    pub(crate) against: Vec<PathBuf>,
    /// Find only pairs of documents that differ in this field of their records, such as a newspaper
    #[arg(long, value_name = "FIELD", help_heading = "Comparison", hide_short_help = true)]
    pub(crate) across: Option<String>,
    #[command(flatten)]
    pub(crate) comparison: DiscoverComparison,
    #[command(flatten)]
    pub(crate) output: DiscoverOutput,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    pub(crate) performance: PerformanceOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Comparison")]
pub(crate) struct DiscoverComparison {
    /// Score of a pair (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "SCORE")]
    pub(crate) score: Measure,
    /// Minimum score to list a pair: a number, or T1 to T5 from the DECO paper
    ///
    /// auto is 0.0275 for the score kin, and also lists pairs that share a long passage that few documents have, and
    /// pairs in which almost all of one document is in the other. Boilerplate alone lists no pair.
    #[arg(long, short, default_value_t, value_name = "SCORE", value_parser = Threshold::parse)]
    pub(crate) threshold: Threshold,
    /// Also find pairs that share passages in other words
    ///
    /// The input is read twice.
    #[arg(long, conflicts_with_all = ["against", "across"])]
    pub(crate) rewritten: bool,
    #[command(flatten)]
    pub(crate) analysis: AnalysisOptions,
    /// Which chunks to compare; join selectors with + (see `textkin strategies`)
    #[arg(long, default_value = DEFAULT_SELECTOR, value_name = "SELECTOR", hide_short_help = true)]
    pub(crate) select: Selection,
    /// Score pairs by all their chunks, or by the selected chunks only, as in the DECO paper
    #[arg(long, default_value = "all", value_name = "CHUNKS", value_parser = parse_scored, hide_short_help = true)]
    pub(crate) score_on: ScoredChunks,
    /// Index only the first of exact copies (merge), or each of them like any other text (index)
    #[arg(long, default_value = "merge", value_name = "POLICY", value_parser = parse_policy, hide_short_help = true)]
    pub(crate) exact_copies: CopyPolicy,
    /// Compare near-copies like any other texts (index), or only the first of each set (merge); see --imatch
    ///
    /// I-Match finds the sets. The others of a set are then listed as copies of the first, with its scores.
    #[arg(long, default_value = "index", value_name = "POLICY", value_parser = parse_policy, hide_short_help = true)]
    pub(crate) near_copies: CopyPolicy,
    /// Treat documents with fewer than N words as empty
    #[arg(long, default_value_t = 0, value_name = "N", hide_short_help = true)]
    pub(crate) min_document_words: u32,
    /// Ignore the N most frequent words of the collection (reads the input twice)
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) stop_frequent: Option<usize>,
    /// Hash function for chunks: polynomial, rabin, shift-add-xor, shift-add-xor-32
    #[arg(long, default_value_t, value_name = "HASH", hide_short_help = true)]
    pub(crate) hash: HashKind,
    /// Ignore chunks that occur in more than N documents; the number of ignored chunks is reported
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    pub(crate) max_df: Option<u32>,
    /// How to cluster: dense (boilerplate does not chain documents together) or components
    #[arg(long, default_value_t, value_name = "METHOD", hide_short_help = true)]
    pub(crate) cluster_by: Clustering,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
#[command(group(clap::ArgGroup::new("passages").multiple(true).args(["explain", "html", "passage_clusters"])))]
pub(crate) struct DiscoverOutput {
    /// Write all pairs as .csv .jsonl .parquet .graphml .gexf .dot or .mtx; can be repeated
    ///
    /// Text formats can be compressed (.gz .zst). - writes CSV to standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Vec<PathBuf>,
    /// Write clusters as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) clusters: Option<PathBuf>,
    /// Write each shared passage and every place where it occurs, as .jsonl .csv or .parquet (reads the input twice)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) passage_clusters: Option<PathBuf>,
    /// Columns of --passage-clusters: textkin or passim
    #[arg(
        long,
        default_value_t,
        value_name = "NAMES",
        requires = "passage_clusters",
        hide_short_help = true
    )]
    pub(crate) passage_columns: PassageColumns,
    /// Write the passages each pair shares as JSON lines (reads the input twice)
    #[arg(long, value_name = "FILE")]
    pub(crate) explain: Option<PathBuf>,
    /// Write an HTML report
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Number of strongest pairs to show
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
    /// Join passages that are at most N words apart on both sides
    #[arg(
        long,
        default_value_t = PassageRules::default().max_gap,
        value_name = "N",
        requires = "passages",
        hide_short_help = true
    )]
    pub(crate) max_gap: u32,
    /// Drop passages with fewer than N matching words; the scores of pairs do not change
    #[arg(
        long,
        default_value_t = 0,
        value_name = "N",
        requires = "passages",
        hide_short_help = true
    )]
    pub(crate) min_words: u32,
    /// Refuse to write more than N pairs; use --clusters for a compact result
    #[arg(long, default_value_t = 1_000_000_000, value_name = "N", hide_short_help = true)]
    pub(crate) max_pairs: u64,
    /// Write counts, settings, times and memory as JSON
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) stats: Option<PathBuf>,
    /// Also find near-exact copies with I-Match and write the sets as JSON lines
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) imatch: Option<PathBuf>,
    /// Write an index of shared chunks: fingerprints and the documents that contain them
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) index: Option<PathBuf>,
    /// Store the words of each chunk in the index too
    #[arg(long, requires = "index", hide_short_help = true)]
    pub(crate) index_text: bool,
}

fn parse_scored(text: &str) -> Result<ScoredChunks, String> {
    let found = ScoredChunks::ALL.into_iter().find(|scored| scored.name() == text);
    found.ok_or_else(|| format!("expected all or selected, got '{text}'"))
}

fn parse_policy(text: &str) -> Result<CopyPolicy, String> {
    let found = CopyPolicy::ALL.into_iter().find(|policy| policy.name() == text);
    found.ok_or_else(|| format!("expected merge or index, got '{text}'"))
}

impl DiscoverOutput {
    /// Returns which passages are shown and count.
    pub(crate) fn passage_rules(&self) -> PassageRules {
        PassageRules { max_gap: self.max_gap, min_words: self.min_words }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Performance (does not affect results)")]
pub(crate) struct PerformanceOptions {
    #[command(flatten)]
    pub(crate) threads: ThreadOptions,
    #[command(flatten)]
    pub(crate) memory: MemoryOptions,
    #[command(flatten)]
    pub(crate) temp_dir: TempDirOptions,
    /// Algorithm for finding shared chunks
    ///
    /// auto, sort (in memory), spex (counters first), spex-iterated (as in the DECO paper), spill (on disk)
    #[arg(long, default_value = "auto", value_name = "PLAN", hide_short_help = true)]
    pub(crate) plan: Plan,
    /// How to count pairs: exact, or probabilistic as in the DECO paper
    #[arg(long, default_value = "exact", value_name = "METHOD", hide_short_help = true)]
    pub(crate) count: Counting,
}
