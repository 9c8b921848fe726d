//! The editor: judges each document and decides what remains of it.

use textkin_core::{Document, Problem, Span};
use textkin_source::{DocumentEditor, EditDecision};

use super::matcher::{LeakHit, LeakMatcher, MatchBuffer};
use super::rule::Cut;
use crate::dedup::cut::Cuts;
use crate::discover::RunControl;

/// The items that a document contains.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DocumentLeaks {
    /// Number of the document, in input order.
    pub number: u64,
    /// Id of the document.
    pub id: String,
    /// The items that it contains, and those of which it contains at least half, by position.
    pub hits: Vec<LeakHit>,
    /// The text of the document that belongs to each hit.
    pub texts: Vec<String>,
    /// Whether one of the items counts as found and is not public.
    pub is_leak: bool,
    /// The document without the items, if only these are cut.
    pub cut_text: Option<String>,
}

/// The counts of a decontamination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecontaminationCounts {
    /// Documents read.
    pub documents: u64,
    /// Documents that contain an item.
    pub documents_flagged: u64,
    /// Words read.
    pub words: u64,
}

impl std::ops::AddAssign for DecontaminationCounts {
    fn add_assign(&mut self, other: Self) {
        self.documents += other.documents;
        self.documents_flagged += other.documents_flagged;
        self.words += other.words;
    }
}

/// Judges documents one after the other and decides what remains of them.
#[derive(Debug)]
pub struct LeakEditor<'a> {
    matcher: &'a LeakMatcher,
    cut: Cut,
    buffer: MatchBuffer,
    control: &'a RunControl,
    found: EditedDocuments,
}

/// What an editor found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct EditedDocuments {
    /// The documents that contain an item, or nearly; numbers begin with the first document of this editor.
    pub leaks: Vec<DocumentLeaks>,
    /// The documents that could not be read.
    pub problems: Vec<Problem>,
    /// The counts of its documents.
    pub counts: DecontaminationCounts,
}

impl<'a> LeakEditor<'a> {
    /// Creates an editor, which reports its progress in bytes of text.
    #[must_use]
    pub fn new(matcher: &'a LeakMatcher, cut: Cut, control: &'a RunControl) -> Self {
        let (buffer, found) = (matcher.take_buffer(), EditedDocuments::default());
        Self { matcher, cut, buffer, control, found }
    }

    /// Returns what was found.
    #[must_use]
    pub fn finish(self) -> EditedDocuments {
        self.matcher.return_buffer(self.buffer);
        self.found
    }

    /// Adds a document that could not be read.
    pub fn add_problem(&mut self, problem: Problem) {
        self.found.problems.push(problem);
    }

    /// Judges a document and decides what remains of it.
    pub fn edit(&mut self, document: &Document<'_>) -> EditDecision {
        let Self { matcher, cut, buffer, found, .. } = self;
        let number = found.counts.documents;
        found.counts.documents += 1;
        let text = document.text().unwrap_or_default();
        let mut hits = Vec::new();
        matcher.find(text, buffer, &mut hits);
        found.counts.words += buffer.n_words() as u64;
        if hits.is_empty() {
            return EditDecision::Keep;
        }
        let is_leak = |hit: &&LeakHit| hit.reason.is_leak() && !matcher.is_public(hit.item);
        let mut cuts = Cuts::default();
        for hit in hits.iter().filter(is_leak) {
            cuts.insert(with_end_mark(text, hit.range));
        }
        let is_leak = !cuts.is_empty();
        found.counts.documents_flagged += u64::from(is_leak);
        let cut_text = (is_leak && *cut == Cut::Span).then(|| cuts.apply(text));
        let texts = hits.iter().map(|hit| text[hit.range.range()].to_owned()).collect();
        let id = document.id.clone().into_owned();
        found.leaks.push(DocumentLeaks {
            number,
            id,
            hits,
            texts,
            is_leak,
            cut_text: cut_text.clone(),
        });
        match (is_leak, cut_text) {
            (false, _) => EditDecision::Keep,
            (true, Some(text)) => EditDecision::Replace(text),
            (true, None) if *cut == Cut::Document => EditDecision::Drop,
            (true, None) => EditDecision::Keep,
        }
    }
}

impl DocumentEditor for LeakEditor<'_> {
    fn document(&mut self, document: &Document<'_>) -> EditDecision {
        if self.control.stop.is_requested() {
            return EditDecision::Stop;
        }
        let bytes = document.text().map_or(0, str::len) as u64;
        let decision = self.edit(document);
        self.control.progress.advance(bytes);
        decision
    }

    fn problem(&mut self, problem: Problem) {
        self.add_problem(problem);
    }
}

/// Extends a span to the end of its sentence mark.
fn with_end_mark(text: &str, span: Span) -> Span {
    let rest = &text[span.end as usize..];
    let is_mark = |character: char| {
        matches!(character, '.' | '?' | '!' | '。' | '？' | '！' | ')' | '"' | '”' | '’')
    };
    let length = rest.find(|character| !is_mark(character)).unwrap_or(rest.len());
    Span::new(span.start, span.end + u32::try_from(length).unwrap_or(0))
}
