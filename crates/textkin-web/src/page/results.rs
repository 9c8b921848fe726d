//! The page of a result, and the part of it that changes with the exclusions.

use askama::Template;
use serde::Serialize;

use super::results_pdf::{facts, report};
use super::show as fmt;
use crate::full_text::{self, MarkSpan};
use crate::view::{NavItem, PageFrame, ResultState, Results};

/// `GET /results/{id}`.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "results.html")]
pub struct ResultsPage<'a> {
    /// The frame around the page.
    pub frame: &'a PageFrame,
    /// The content of the page.
    pub view: &'a Results,
}

/// The part that changes with the exclusions: score, strip and sources.
#[derive(Template)]
#[template(path = "results-found.html")]
struct ResultsFragment<'a> {
    frame: &'a PageFrame,
    view: &'a Results,
}

/// The page as a standalone file.
#[derive(Template)]
#[template(path = "results-standalone.html")]
struct StandaloneResults<'a> {
    frame: &'a PageFrame,
    view: &'a Results,
    facts: Vec<String>,
}

/// The response of `/results/{id}/data`.
#[derive(Serialize)]
struct ResultsData<'a> {
    /// The part of the page that changes, as HTML.
    html: String,
    /// The query of the view, for the address bar.
    query: &'a str,
    /// The score in words, for screen readers.
    summary: String,
    /// The marks in the text; the text itself is not sent again.
    marks: Vec<MarkSpan<'a>>,
}

impl ResultsPage<'_> {
    /// Renders the page as HTML.
    ///
    /// # Errors
    /// None in practice: writing to a string does not fail.
    pub fn render(&self) -> Result<String, askama::Error> {
        Template::render(self)
    }

    /// Renders the page as a file that needs no server: `GET /results/{id}/export.html`.
    ///
    /// # Errors
    /// None in practice: writing to a string does not fail.
    pub fn standalone(&self) -> Result<String, askama::Error> {
        let view = &Results { is_standalone: true, ..self.view.clone() };
        StandaloneResults { frame: self.frame, view, facts: facts(view) }.render()
    }

    /// Renders the page as PDF: `GET /results/{id}/export.pdf`. Takes up to seconds for very long
    /// texts.
    ///
    /// # Errors
    /// If the PDF cannot be written, which does not depend on the view.
    pub fn pdf(&self) -> Result<Vec<u8>, textkin_print::Error> {
        textkin_print::pdf(&report(self.view))
    }

    /// Renders the part of the page that changes, as JSON: `GET /results/{id}/data`.
    ///
    /// # Errors
    /// None in practice: writing to a string does not fail.
    pub fn data(&self) -> Result<String, askama::Error> {
        let html = ResultsFragment { frame: self.frame, view: self.view }.render()?;
        let view = self.view;
        let summary = format!("{} ({})", view.share.counts(), view.share.percent());
        let marks = view.text.as_ref().map(full_text::mark_spans).unwrap_or_default();
        let data = ResultsData { html, query: &view.query, summary, marks };
        serde_json::to_string(&data).map_err(askama::Error::custom)
    }
}
