//! JSON Schemas of the JSON that textkin writes, derived from the types that are written.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::{ClusterLine, ItemLine, LeakLine, LeakStatistics, PassageRow, RemovalLine, Statistics};

/// A kind of output and its schema.
#[derive(Clone, Debug)]
pub struct OutputSchema {
    /// Its name: `pairs`, `clusters`, …
    pub name: &'static str,
    /// The options that write it.
    pub written_by: &'static str,
    /// The JSON Schema of one object.
    pub schema: Schema,
}

/// The schema of `T` as it is written, with all parts in place.
#[must_use]
pub fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>()
}

/// The schemas of the files that this crate writes.
#[must_use]
pub fn output_schemas() -> Vec<OutputSchema> {
    let comparison = crate::compare::json_schema();
    vec![
        OutputSchema {
            name: "pairs",
            written_by: "`discover --out`, `repo add --out`: CSV, JSON lines and Parquet",
            schema: schema_of::<PairLine>(),
        },
        OutputSchema {
            name: "clusters",
            written_by: "`discover --clusters`: JSON lines",
            schema: schema_of::<ClusterWithMembers>(),
        },
        OutputSchema {
            name: "passage-clusters",
            written_by: "`discover --passage-clusters`: JSON lines, CSV and Parquet",
            schema: schema_of::<PassageRow<'_>>(),
        },
        OutputSchema {
            name: "near-copies",
            written_by: "`discover --imatch`: JSON lines",
            schema: schema_of::<NearCopies>(),
        },
        OutputSchema {
            name: "stats",
            written_by: "`discover --stats`: JSON",
            schema: schema_of::<Statistics>(),
        },
        OutputSchema {
            name: "compare",
            written_by: "`compare --format json`: JSON",
            schema: comparison.clone(),
        },
        OutputSchema {
            name: "explain",
            written_by: "`discover --explain`: JSON lines, like `compare` with `pair`",
            schema: comparison,
        },
        OutputSchema {
            name: "dedup-log",
            written_by: "`dedup --log`: JSON lines",
            schema: schema_of::<RemovalLine<'_>>(),
        },
        OutputSchema {
            name: "leaks",
            written_by: "`decontaminate --log`: JSON lines",
            schema: schema_of::<LeakLine<'_>>(),
        },
        OutputSchema {
            name: "items",
            written_by: "`decontaminate --items`: JSON lines",
            schema: schema_of::<ItemLine<'_>>(),
        },
        OutputSchema {
            name: "leak-stats",
            written_by: "`decontaminate --stats`: JSON",
            schema: schema_of::<LeakStatistics>(),
        },
    ]
}

/// A pair of documents that share text.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes rows that `PairRow` writes column by column")]
struct PairLine {
    /// Id of the document that comes first in the input.
    a: String,
    /// Id of the other document.
    b: String,
    /// The score by the selected measure.
    score: f64,
    /// Distinct chunks in both documents.
    shared_chunks: u64,
    /// Number of shared chunks.
    s1: f64,
    /// Shared chunks per word of the shorter document.
    s2: f64,
    /// Shared chunks per word of the mean length.
    s3: f64,
    /// Like `s3`, but a chunk in n documents counts 1 ÷ n.
    s4: f64,
    /// Resemblance: shared chunks divided by the chunks of both.
    ssr: f64,
    /// Covered share of the words of both.
    sscr: f64,
    /// Share of the words of `a` in runs that are also in `b`.
    a_in_b: f64,
    /// Share of the words of `b` in runs that are also in `a`.
    b_in_a: f64,
    /// Words of `a`, after exclusions.
    words_a: u64,
    /// Words of `b`, after exclusions.
    words_b: u64,
    /// Words of the longest run: the longest stretch that shared text covers without a gap, in the document
    /// where it is shorter.
    longest_run: u64,
    /// Why the pair is listed: `exact copy`, `almost all of one is in the other`, `score reaches the
    /// threshold`, `long passage that few documents have` or `passages in other words`. Of several reasons, the first one.
    reason: String,
    /// The score with nothing excluded; only if anything is excluded.
    #[schemars(skip_serializing_if = "Option::is_none")]
    raw_score: Option<f64>,
    /// `exact` for pairs that share identical text, `rewritten` for passages in other words; only with `--rewritten`.
    #[schemars(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// How sure the pair is, from 0 to 1: 1 for identical text; only with `--rewritten`.
    #[schemars(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

/// Documents joined by edges.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes lines that `ClusterWriter` writes field by field")]
struct ClusterWithMembers {
    #[schemars(flatten)]
    line: ClusterLine,
    /// Ids of its documents.
    members: Vec<String>,
}

/// A set of near-copies.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes lines that `ClusterWriter` writes field by field")]
struct NearCopies {
    /// Its number, from 0.
    set: u64,
    /// Number of members.
    size: u64,
    /// Ids of its documents.
    members: Vec<String>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::row::{COLUMNS, RAW_SCORE, REWRITTEN_COLUMNS, samples};

    fn properties(schema: &Schema) -> BTreeSet<String> {
        schema.get("properties").unwrap().as_object().unwrap().keys().cloned().collect()
    }

    fn schema(name: &str) -> Schema {
        output_schemas().into_iter().find(|schema| schema.name == name).unwrap().schema
    }

    #[test]
    fn pairs_have_the_columns_of_a_row() {
        let columns =
            COLUMNS.into_iter().chain([RAW_SCORE]).chain(REWRITTEN_COLUMNS).map(str::to_owned);
        assert_eq!(properties(&schema("pairs")), columns.collect());
    }

    #[test]
    fn passages_have_the_columns_of_a_row() {
        let columns = crate::PassageColumns::Textkin.columns().iter();
        let names = columns.map(|(name, _)| (*name).to_owned());
        assert_eq!(properties(&schema("passage-clusters")), names.collect());
    }

    #[test]
    fn written_lines_have_the_fields_of_their_schema() {
        let keys = |line: &[u8]| -> BTreeSet<String> {
            let value: serde_json::Value = serde_json::from_slice(line).unwrap();
            value.as_object().unwrap().keys().cloned().collect()
        };
        let row = samples::written("x.jsonl", &[samples::row("a", "b")]);
        let mut expected = properties(&schema("pairs"));
        for extra in [RAW_SCORE].iter().chain(&REWRITTEN_COLUMNS) {
            expected.remove(*extra);
        }
        assert_eq!(keys(&row), expected);

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clusters.jsonl");
        let mut writer = crate::ClusterWriter::create(&path).unwrap();
        let line = ClusterLine { cluster: 0, size: 1, density: 1.0, weakest: 0.5 };
        writer.cluster(&line, ["a"]).unwrap();
        writer.set(0, 1, ["a"]).unwrap();
        writer.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(keys(lines[0].as_bytes()), properties(&schema("clusters")));
        assert_eq!(keys(lines[1].as_bytes()), properties(&schema("near-copies")));

        let path = folder.path().join("removed.jsonl");
        let mut writer = crate::RemovalWriter::create(&path).unwrap();
        let part = Some(crate::RemovedPart { start: 0, end: 1, word: 0, kept_at: 0 });
        let line = RemovalLine { document: "b", duplicate_of: "a", score: 1.0, words: 1, part };
        writer.removal(&line).unwrap();
        writer.finish().unwrap();
        assert_eq!(keys(&std::fs::read(&path).unwrap()), properties(&schema("dedup-log")));
    }

    #[test]
    fn every_field_is_described() {
        fn check(name: &str, value: &serde_json::Value) {
            let properties = value.get("properties").and_then(|properties| properties.as_object());
            for (field, property) in properties.into_iter().flatten() {
                assert!(
                    property.get("description").is_some(),
                    "{name}: {field} has no description"
                );
                check(name, property);
                check(name, property.get("items").unwrap_or(&serde_json::Value::Null));
            }
        }
        for output in output_schemas() {
            check(output.name, output.schema.as_value());
        }
    }
}
