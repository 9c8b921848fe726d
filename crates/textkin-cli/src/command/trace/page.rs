//! `--html`: one document of the stream, with its passages tinted by origin.

use std::ops::Range;
use std::path::PathBuf;

use textkin::DocumentOrigins;
use textkin::report::{OriginPage, OriginPassage, Output, origin_page};

use crate::arguments::TraceMeans;

/// The document to be shown, as far as is known.
#[derive(Debug)]
pub(super) struct Page {
    path: PathBuf,
    /// None for the one with the most old words.
    wanted: Option<String>,
    shown: Option<Shown>,
}

#[derive(Debug)]
struct Shown {
    id: String,
    time: Option<String>,
    text: String,
    said: DocumentOrigins,
}

impl Page {
    /// What was asked for.
    pub(super) fn new(means: &TraceMeans) -> anyhow::Result<Option<Self>> {
        let Some(path) = means.html.clone() else { return Ok(None) };
        // A wrong path fails now, not at the end.
        drop(Output::create(&path)?);
        Ok(Some(Self { path, wanted: means.html_document.clone(), shown: None }))
    }

    /// Keeps a document if it is to be shown rather than those before it.
    pub(super) fn consider(
        &mut self,
        id: &str,
        time: Option<&str>,
        text: &str,
        said: &DocumentOrigins,
    ) {
        let old = |said: &DocumentOrigins| said.trace.copied_words;
        let is_shown = match (&self.wanted, &self.shown) {
            (Some(wanted), _) => wanted == id,
            (None, None) => true,
            // While nothing is copied, the last one.
            (None, Some(shown)) => old(said) > old(&shown.said) || old(&shown.said) == 0,
        };
        if is_shown {
            let (id, time) = (id.to_owned(), time.map(str::to_owned));
            self.shown = Some(Shown { id, time, text: text.to_owned(), said: said.clone() });
        }
    }

    /// Writes the page.
    pub(super) fn write(self, settings: &[(String, String)]) -> anyhow::Result<()> {
        let Some(Shown { id, time, text, said }) = self.shown else {
            match self.wanted {
                Some(wanted) => {
                    anyhow::bail!("no document '{wanted}' came in this run to be shown")
                }
                None => anyhow::bail!("no document came in this run to be shown"),
            }
        };
        let traced = &said.trace;
        let mut shown_to = 0;
        let mut passages = Vec::new();
        for (block, place) in traced.blocks.iter().zip(&said.blocks) {
            // Each word is shown in one passage only.
            let words = block.start.max(shown_to)..block.end;
            shown_to = shown_to.max(block.end);
            let length = u64::from(words.end.saturating_sub(words.start));
            passages.push(OriginPassage {
                span: place.span,
                number: block.origin,
                name: place.origin.as_deref().map(str::to_owned),
                words: length.saturating_sub(words_of(&traced.new, &words)),
                estimated: words_of(&traced.estimated, &words),
            });
        }
        let page = origin_page(&OriginPage {
            version: env!("CARGO_PKG_VERSION"),
            id: &id,
            number: said.trace.number,
            time: time.as_deref(),
            text: &text,
            words: u64::from(said.trace.words),
            new_words: u64::from(said.trace.new_words),
            passages: &passages,
            estimated: &said.estimated_spans,
            settings,
        });
        let mut out = Output::create(&self.path)?;
        out.write(page.as_bytes())?;
        Ok(out.finish()?)
    }
}

/// Words of runs that lie in `words`.
fn words_of(runs: &[(u32, u32)], words: &Range<u32>) -> u64 {
    let from = runs.partition_point(|run| run.1 <= words.start);
    let within = runs[from..].iter().take_while(|run| run.0 < words.end);
    within.map(|run| u64::from(run.1.min(words.end).saturating_sub(run.0.max(words.start)))).sum()
}
