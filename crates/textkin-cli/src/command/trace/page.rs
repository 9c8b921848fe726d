//! `--html`: shows one document of the stream with its passages colored by origin.

use std::ops::Range;
use std::path::PathBuf;

use textkin::engine::DocumentOrigins;
use textkin::engine::report::{OriginPage, OriginPassage, Output, origin_page};

use crate::arguments::TraceOptions;

/// The HTML report and the document to show in it.
#[derive(Debug)]
pub(super) struct TracePage {
    path: PathBuf,
    /// The requested id; `None` for the document with the most copied words.
    wanted: Option<String>,
    shown: Option<ShownDocument>,
}

#[derive(Debug)]
struct ShownDocument {
    id: String,
    time: Option<String>,
    text: String,
    origins: DocumentOrigins,
}

impl TracePage {
    /// Creates the report if the options request it.
    pub(super) fn new(options: &TraceOptions) -> anyhow::Result<Option<Self>> {
        let Some(path) = options.html.clone() else { return Ok(None) };
        // Fail at the start, not at the end, if the path cannot be written.
        drop(Output::create(&path)?);
        Ok(Some(Self { path, wanted: options.html_document.clone(), shown: None }))
    }

    /// Keeps a document if it is to be shown instead of an earlier one.
    pub(super) fn consider(
        &mut self,
        id: &str,
        time: Option<&str>,
        text: &str,
        origins: &DocumentOrigins,
    ) {
        let old = |origins: &DocumentOrigins| origins.trace.old_words;
        let is_shown = match (&self.wanted, &self.shown) {
            (Some(wanted), _) => wanted == id,
            (None, None) => true,
            // As long as nothing was copied, the last document.
            (None, Some(shown)) => old(origins) > old(&shown.origins) || old(&shown.origins) == 0,
        };
        if is_shown {
            let (id, time) = (id.to_owned(), time.map(str::to_owned));
            self.shown =
                Some(ShownDocument { id, time, text: text.to_owned(), origins: origins.clone() });
        }
    }

    /// Writes the page.
    pub(super) fn write(self, settings: &[(String, String)]) -> anyhow::Result<()> {
        let Some(ShownDocument { id, time, text, origins }) = self.shown else {
            match self.wanted {
                Some(wanted) => {
                    anyhow::bail!("the input has no document '{wanted}' to show")
                }
                None => anyhow::bail!("the input has no document to show"),
            }
        };
        let trace = &origins.trace;
        let mut shown_to = 0;
        let mut passages = Vec::new();
        for (block, place) in trace.blocks.iter().zip(&origins.blocks) {
            // Each word belongs to one passage only.
            let words = block.start.max(shown_to)..block.end;
            shown_to = shown_to.max(block.end);
            let length = u64::from(words.end.saturating_sub(words.start));
            passages.push(OriginPassage {
                span: place.span,
                number: block.origin,
                name: place.origin.as_deref().map(str::to_owned),
                words: length.saturating_sub(words_of(&trace.fresh, &words)),
                estimated: words_of(&trace.estimated, &words),
            });
        }
        let page = origin_page(&OriginPage {
            version: env!("CARGO_PKG_VERSION"),
            id: &id,
            number: origins.trace.number,
            time: time.as_deref(),
            text: &text,
            words: u64::from(origins.trace.words),
            fresh_words: u64::from(origins.trace.fresh_words),
            passages: &passages,
            estimated: &origins.estimated_spans,
            settings,
        });
        let mut out = Output::create(&self.path)?;
        out.write(page.as_bytes())?;
        Ok(out.finish()?)
    }
}

/// Counts the words of runs inside `words`.
fn words_of(runs: &[(u32, u32)], words: &Range<u32>) -> u64 {
    let from = runs.partition_point(|run| run.1 <= words.start);
    let within = runs[from..].iter().take_while(|run| run.0 < words.end);
    within.map(|run| u64::from(run.1.min(words.end).saturating_sub(run.0.max(words.start)))).sum()
}
