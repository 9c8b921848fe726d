//! Tracing of a stream to its origins.

use textkin_core::Span;
use textkin_trace::{Memory, Preset};

use super::options::{ByteSize, OptionValue};
use crate::error::Error;
use crate::streams::{StreamTracer, TopOrigins, TraceSettings};

/// Traces each passage of a stream of texts to the earliest document that contained it, in fixed memory.
///
/// ```
/// use textkin::Tracer;
///
/// let song = "row row row your boat gently down the stream merrily merrily merrily";
/// let mut tracer = Tracer::new("1MiB")?;
/// tracer.feed("song", song)?;
/// let essay = format!("As it goes: {song}!");
/// let traced = tracer.feed("essay", &essay)?;
/// assert_eq!(traced.origin(), Some("song"));
/// let passage = traced.passages().next().expect("the song is copied");
/// assert_eq!((passage.text, passage.origin), (song, Some("song")));
/// # Ok::<(), textkin::Error>(())
/// ```
#[derive(Debug)]
pub struct Tracer {
    tracer: StreamTracer,
}

impl Tracer {
    /// Creates a tracer for the start of a stream, with a limit on its memory such as `"100MiB"`.
    ///
    /// # Errors
    /// If the size is invalid or too small.
    pub fn new(memory: impl OptionValue<ByteSize>) -> Result<Self, Error> {
        let invalid = |reason| Error::InvalidOption {
            option: "memory",
            reason: format!("is invalid: {reason}"),
        };
        let ByteSize(bytes) = memory.into_value().map_err(invalid)?;
        Self::with_settings(&TraceSettings::new(Preset::default(), Memory::Bytes(bytes))?)
    }

    /// Creates a tracer that forgets nothing: its memory grows with the stream.
    ///
    /// # Errors
    /// Never in this version.
    pub fn unlimited() -> Result<Self, Error> {
        Self::with_settings(&TraceSettings::new(Preset::default(), Memory::Unlimited)?)
    }

    /// Creates a tracer with other settings of the engine, such as the methods of the papers.
    ///
    /// # Errors
    /// If a strategy lacks a resource, or the memory limit is too small.
    pub fn with_settings(settings: &TraceSettings) -> Result<Self, Error> {
        Ok(Self { tracer: StreamTracer::new(settings)? })
    }

    /// Returns the origin of each passage of `text`, and remembers the text as `id`.
    ///
    /// # Errors
    /// If the text is longer than 2 GiB.
    pub fn feed<'a>(&mut self, id: &str, text: &'a str) -> Result<TracedDocument<'a>, Error> {
        super::check_length(id, text)?;
        Ok(TracedDocument { text, origins: self.tracer.trace(id, text) })
    }

    /// Returns the `n` most copied documents so far.
    #[must_use]
    pub fn top_origins(&self, n: usize) -> TopOrigins {
        self.tracer.top_origins(n)
    }

    /// Returns the number of documents so far.
    #[must_use]
    pub fn n_documents(&self) -> u64 {
        self.tracer.n_documents()
    }
}

/// A document of a stream and the origins of its passages.
#[derive(Clone, Debug)]
pub struct TracedDocument<'a> {
    text: &'a str,
    origins: crate::streams::DocumentOrigins,
}

/// A copied passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassageOrigin<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its bytes in the document.
    pub span: Span,
    /// The id of the document it came from; `None` if that id was forgotten to save memory.
    pub origin: Option<&'a str>,
}

impl TracedDocument<'_> {
    /// Returns the id of the document that most of this one came from, which is its own id if it is mostly new;
    /// `None` if that id was forgotten to save memory.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        self.origins.dominant_origin.as_deref()
    }

    /// Iterates over the copied passages, in text order.
    pub fn passages(&self) -> impl Iterator<Item = PassageOrigin<'_>> {
        self.origins.blocks.iter().map(|block| PassageOrigin {
            text: &self.text[block.span.range()],
            span: block.span,
            origin: block.origin.as_deref(),
        })
    }

    /// Returns the share of words that are not copied, from 0 to 1.
    #[must_use]
    pub fn fresh(&self) -> f64 {
        let trace = &self.origins.trace;
        if trace.words == 0 { 1.0 } else { f64::from(trace.fresh_words) / f64::from(trace.words) }
    }

    /// Returns everything that the engine found.
    #[must_use]
    pub fn details(&self) -> &crate::streams::DocumentOrigins {
        &self.origins
    }
}
