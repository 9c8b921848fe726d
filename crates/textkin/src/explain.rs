//! The texts of selected documents, read in a second pass to show the passages of pairs.
//!
//! A discovery keeps no texts. The second pass identifies documents by number, since a source
//! returns the same documents in the same order again.

use std::ops::ControlFlow;

use hashbrown::{HashMap, HashSet};
use textkin_core::{Document, DocumentSink, Problem, Rewind};

use crate::discover::RunControl;
use crate::error::Error;

/// The texts of selected documents, by number.
#[derive(Debug, Default)]
pub struct DocumentTexts(HashMap<u32, String>);

impl DocumentTexts {
    /// Reads `source` again and keeps the texts of the documents in `wanted`, up to `max_bytes` in
    /// total.
    ///
    /// # Errors
    /// If the texts are longer or not stored, the run is stopped, or the source cannot be read again or now
    /// has fewer documents.
    pub fn read(
        source: &dyn Rewind,
        wanted: &HashSet<u32>,
        max_bytes: u64,
        control: &RunControl,
    ) -> Result<Self, Error> {
        let mut source = source.rewind()?;
        control.progress.begin("rereading texts", source.total_bytes().unwrap_or(0));
        let mut sink = WantedTexts {
            wanted,
            number: 0,
            n_bytes: 0,
            max_bytes,
            texts: HashMap::new(),
            without_text: None,
        };
        while let Some(piece) = source.next_piece() {
            if control.stop.is_requested() {
                return Err(Error::Stopped);
            }
            let n_bytes = piece.bytes();
            piece.read(&mut sink);
            control.progress.advance(n_bytes);
            if let Some(id) = sink.without_text {
                return Err(Error::Document(format!("the text of '{id}' is not stored")));
            }
            if sink.n_bytes > max_bytes {
                return Err(Error::TooMuchText { max_bytes });
            }
            if sink.texts.len() == wanted.len() {
                return Ok(Self(sink.texts));
            }
        }
        Err(Error::InputShrank)
    }

    /// Returns the text of a selected document; empty for others.
    #[must_use]
    pub fn get(&self, document: u32) -> &str {
        self.0.get(&document).map_or("", String::as_str)
    }
}

struct WantedTexts<'a> {
    wanted: &'a HashSet<u32>,
    /// The number of the next document.
    number: u32,
    n_bytes: u64,
    max_bytes: u64,
    texts: HashMap<u32, String>,
    /// A document whose text is not stored.
    without_text: Option<String>,
}

impl DocumentSink for WantedTexts<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        if self.wanted.contains(&self.number) {
            let Some(text) = document.content.into_text() else {
                self.without_text = Some(document.id.into_owned());
                return ControlFlow::Break(());
            };
            self.n_bytes += text.len() as u64;
            if self.n_bytes > self.max_bytes {
                return ControlFlow::Break(());
            }
            self.texts.insert(self.number, text.into_owned());
        }
        self.number += 1;
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        // The first pass reported it.
        ControlFlow::Continue(())
    }
}
