//! Explanation: the texts of chosen documents, read again, so that pairs can be shown.
//!
//! A discovery keeps no text. What is to be shown is read a second time: a document is known by its
//! number, since a source gives the same documents in the same order again.

use std::ops::ControlFlow;

use hashbrown::{HashMap, HashSet};
use textkin_core::{Document, DocumentSink, Problem, Source};

use crate::discover::RunControl;
use crate::error::Error;

/// The texts of some documents, by number.
#[derive(Debug, Default)]
pub struct DocumentTexts(HashMap<u32, String>);

impl DocumentTexts {
    /// Reads `source` again and keeps the texts of the documents in `wanted`, of at most
    /// `max_bytes` together.
    ///
    /// # Errors
    /// If they are longer than that, the run is stopped, or the source has become shorter.
    pub fn read(
        source: &mut dyn Source,
        wanted: &HashSet<u32>,
        max_bytes: u64,
        control: &RunControl,
    ) -> Result<Self, Error> {
        control.progress.begin("reading texts again", source.total_bytes().unwrap_or(0));
        let mut kept = Kept { wanted, number: 0, n_bytes: 0, max_bytes, texts: HashMap::new() };
        while let Some(piece) = source.next_piece() {
            if control.stop.is_requested() {
                return Err(Error::Stopped);
            }
            let n_bytes = piece.bytes();
            piece.read(&mut kept);
            control.progress.advance(n_bytes);
            if kept.n_bytes > max_bytes {
                return Err(Error::TooMuchText { max_bytes });
            }
            if kept.texts.len() == wanted.len() {
                return Ok(Self(kept.texts));
            }
        }
        Err(Error::Changed)
    }

    /// The text of a document that was wanted.
    #[must_use]
    pub fn get(&self, document: u32) -> &str {
        self.0.get(&document).map_or("", String::as_str)
    }
}

struct Kept<'a> {
    wanted: &'a HashSet<u32>,
    /// The document that comes next.
    number: u32,
    n_bytes: u64,
    max_bytes: u64,
    texts: HashMap<u32, String>,
}

impl DocumentSink for Kept<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        if self.wanted.contains(&self.number) {
            self.n_bytes += document.text.len() as u64;
            if self.n_bytes > self.max_bytes {
                return ControlFlow::Break(());
            }
            self.texts.insert(self.number, document.text.into_owned());
        }
        self.number += 1;
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        // Told by the first pass.
        ControlFlow::Continue(())
    }
}
