//! Parses a report into its comparisons and the page around them.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;
use textkin::engine::source::decompressed;

/// Maximum size of a report, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// A report.
pub(super) struct ParsedReport {
    /// The comparisons.
    pub(super) comparisons: Vec<Value>,
    /// The whole page, if the report is HTML.
    pub(super) page: Option<String>,
    /// The data about the run, if the report is the HTML report of a run.
    pub(super) run: Option<Value>,
}

/// Reads the text of a report, which may be compressed.
pub(super) fn read_report(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let reader = decompressed(std::fs::File::open(path)?)?;
    reader.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= MAX_BYTES, "the report is larger than 1 GiB");
    String::from_utf8(bytes).ok().context("not a textkin report")
}

impl ParsedReport {
    /// Reads a report: HTML, JSON or JSON lines, which may be compressed.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        Self::new(read_report(path)?)
    }

    /// Parses a report.
    pub(super) fn new(text: String) -> anyhow::Result<Self> {
        if text.trim_start().starts_with('{') {
            let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
            let comparisons: Vec<Value> =
                values.collect::<Result<_, _>>().context("the report is damaged")?;
            let is_report = comparisons.iter().all(|value| value["report"] == "compare");
            anyhow::ensure!(is_report, "not a textkin report");
            return Ok(Self { comparisons, page: None, run: None });
        }
        let begin = text.find("<script type=\"application/json\"");
        let begin = begin.and_then(|tag| Some(tag + text[tag..].find('>')? + 1));
        let begin = begin.context("not a textkin report")?;
        let end = text[begin..].find("</script>").context("the report is cut off")?;
        let json = &text[begin..begin + end];
        let mut report: Value = serde_json::from_str(json).context("the report is damaged")?;
        if report["report"] == "compare" {
            return Ok(Self { comparisons: vec![report], page: Some(text), run: None });
        }
        anyhow::ensure!(report["report"] == "discover", "not a textkin report");
        let Value::Array(comparisons) = report["comparisons"].take() else {
            anyhow::bail!("the report is damaged: it has no comparisons");
        };
        Ok(Self { comparisons, page: Some(text), run: Some(report) })
    }

    /// Returns the digests and ids of all documents of the report.
    pub(super) fn wanted(&self) -> HashSet<String> {
        let sides = self.comparisons.iter().flat_map(|value| [&value["a"], &value["b"]]);
        let texts = sides.flat_map(|side| [side["blake3"].as_str(), side["id"].as_str()]);
        texts.flatten().map(str::to_owned).collect()
    }

    /// Returns the version of textkin that wrote the report.
    pub(super) fn version(&self) -> &str {
        let run_page = self.run.as_ref().or(self.comparisons.first());
        run_page.and_then(|value| value["textkin"].as_str()).unwrap_or("?")
    }
}
