//! A report as it is read again: the comparisons in it, and the page around them.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;
use textkin::source::decompressed;

/// The largest report that is read.
const LARGEST: u64 = 1 << 30;

/// A report.
pub(super) struct Report {
    /// The comparisons in it.
    pub(super) comparisons: Vec<Value>,
    /// The page as a whole, if it is one.
    pub(super) page: Option<String>,
    /// What the page of a run says of the run, if it is one.
    pub(super) run: Option<Value>,
}

impl Report {
    /// Reads a report: a page, JSON, or JSON lines; compressed or not.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let mut bytes = Vec::new();
        let reader = decompressed(std::fs::File::open(path)?)?;
        reader.take(LARGEST + 1).read_to_end(&mut bytes)?;
        anyhow::ensure!(bytes.len() as u64 <= LARGEST, "it is larger than 1 GiB");
        Self::new(String::from_utf8(bytes).ok().context("this is no report of textkin")?)
    }

    /// A report as it was written.
    pub(super) fn new(text: String) -> anyhow::Result<Self> {
        if text.trim_start().starts_with('{') {
            let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
            let comparisons: Vec<Value> =
                values.collect::<Result<_, _>>().context("the report is damaged")?;
            let is_report = comparisons.iter().all(|value| value["report"] == "compare");
            anyhow::ensure!(is_report, "this is no report of textkin");
            return Ok(Self { comparisons, page: None, run: None });
        }
        let begin = text.find("<script type=\"application/json\"");
        let begin = begin.and_then(|tag| Some(tag + text[tag..].find('>')? + 1));
        let begin = begin.context("this is no report of textkin")?;
        let end = text[begin..].find("</script>").context("the report is cut off")?;
        let json = &text[begin..begin + end];
        let mut report: Value = serde_json::from_str(json).context("the report is damaged")?;
        if report["report"] == "compare" {
            return Ok(Self { comparisons: vec![report], page: Some(text), run: None });
        }
        anyhow::ensure!(report["report"] == "discover", "this is no report of textkin");
        let Value::Array(comparisons) = report["comparisons"].take() else {
            anyhow::bail!("the report is damaged: it has no comparisons");
        };
        Ok(Self { comparisons, page: Some(text), run: Some(report) })
    }

    /// The digests and the names of all texts that the report speaks of.
    pub(super) fn wanted(&self) -> HashSet<String> {
        let sides = self.comparisons.iter().flat_map(|value| [&value["a"], &value["b"]]);
        let texts = sides.flat_map(|side| [side["blake3"].as_str(), side["id"].as_str()]);
        texts.flatten().map(str::to_owned).collect()
    }

    /// The version that made it.
    pub(super) fn version(&self) -> &str {
        let whole = self.run.as_ref().or(self.comparisons.first());
        whole.and_then(|value| value["textkin"].as_str()).unwrap_or("?")
    }
}
