//! Writes pairs, clusters and statistics for people, spreadsheets and graph tools.
//!
//! In: [`PairRow`]s and their documents, clusters, comparisons and counts. Out: files that appear only
//! once they are complete, HTML reports ([`run_page`](fn@run_page), [`comparison_page`],
//! [`origin_page`](fn@origin_page)), and text for a terminal ([`terminal`]). Nothing here scores,
//! sorts or filters; rows are written in the order they come in. [`open`] chooses a [`PairWriter`] by
//! the extension of the path.
//!
//! ```
//! use textkin_core::{Overlap, Reason};
//! use textkin_report::{PairRow, Vertex, WriterSettings, open};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("pairs.csv");
//! let overlap = Overlap { shared: 1, chunks_a: 1, chunks_b: 1, words_a: 8, words_b: 8, ..Overlap::default() };
//! let row = PairRow { a: "x.txt", b: "y.txt", a_index: 0, b_index: 1, score: 0.5, overlap, reason: Reason::Score, raw_score: None, confidence: None };
//! let vertices = [("x.txt", 0), ("y.txt", 1)];
//!
//! let mut writer = open(&path, &WriterSettings::default())?;
//! writer.begin(&mut vertices.into_iter().map(|(id, index)| Vertex { index, id, words: 8, time: None }))?;
//! writer.pairs(&[row])?;
//! writer.finish()?;
//! assert!(std::fs::read_to_string(&path)?.starts_with("a,b,score,"));
//! # Ok(())
//! # }
//! ```

mod resumable;
mod error;
mod folder;
mod number;
mod output;
mod row;

mod csv;
mod dot;
mod format;
mod gexf;
mod graph;
mod graphml;
mod jsonl;
mod matrix;
#[cfg(feature = "parquet")]
mod parquet;
mod xml;

mod clusters;
#[cfg(feature = "parquet")]
mod columns;
mod leaks;
mod passages;
mod removals;
mod schema;
mod stats;
mod notes;

mod compare;
mod origin_page;
mod run_page;

mod label;
pub mod terminal;

pub use clusters::{ClusterLine, ClusterWriter};
#[cfg(feature = "parquet")]
pub use columns::PairColumns;
pub use compare::{
    ComparedText, Comparison, ComparisonSettings, Detail, RewrittenDocuments, RewrittenMatch,
    RewrittenMatches, RunPair, SameWord, WithText, comparison_json, comparison_page,
    render_comparison, rewritten_section,
};
pub use csv::{CsvWriter, csv_field, format_csv_header, format_csv_rows};
pub use error::Error;
pub use folder::OutputFolder;
pub use format::{Compression, Format, WriterSettings, open};
pub use graph::GraphWriter;
pub use jsonl::{JsonlWriter, format_jsonl_rows};
pub use leaks::{BenchmarkCount, ItemLine, LeakLine, LeakSpan, LeakStatistics, LineWriter};
pub use matrix::MatrixWriter;
pub use notes::{NoteLine, notes_text};
pub use origin_page::{OriginPage, OriginPassage, origin_page};
pub use output::{Output, OutputFile, remove_unfinished};
#[cfg(feature = "parquet")]
pub use parquet::ParquetWriter;
#[cfg(feature = "parquet")]
pub use passages::PassageTable;
pub use passages::{PassageColumns, PassageRow, PassageWriter};
pub use removals::{RemovalLine, RemovalWriter, RemovedPart};
pub use resumable::ResumableFile;
pub use row::{
    COLUMNS, ExtraColumns, NEAR_DUPLICATE, PairRow, PairWriter, RAW_SCORE, REWRITTEN_COLUMNS,
    Vertex,
};
pub use run_page::{DocumentNames, PairPassages, RunPage, RunPairs, pair_html, run_page};
pub use schema::{OutputSchema, output_schemas, schema_of};
pub use stats::{CappedChunks, StageTime, Statistics, write_stats};
