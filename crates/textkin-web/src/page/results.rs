//! The page of a result, and the part of it that changes with the panel.

use askama::Template;
use serde::Serialize;

use super::results_pdf::{facts, report};
use super::show as fmt;
use crate::view::{Frame, Place, ResultState, Results};
use crate::whole;

/// `GET /results/{id}`.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "results.html")]
pub struct ResultsPage<'a> {
    /// What stands around the page.
    pub frame: &'a Frame,
    /// What the page shows.
    pub view: &'a Results,
}

/// The part that changes with the panel.
#[derive(Template)]
#[template(path = "results-found.html")]
struct Found<'a> {
    frame: &'a Frame,
    view: &'a Results,
}

/// The page as a file by itself.
#[derive(Template)]
#[template(path = "results-alone.html")]
struct Alone<'a> {
    frame: &'a Frame,
    view: &'a Results,
    facts: Vec<String>,
}

/// What `/results/{id}/data` answers.
#[derive(Serialize)]
struct Data<'a> {
    /// The part of the page that changes, as HTML.
    html: String,
    /// The query of the view, for the address bar.
    query: &'a str,
    /// What a screen reader is told.
    said: String,
    /// What is marked in the text, which itself is not sent again.
    marks: Vec<whole::Place<'a>>,
}

impl ResultsPage<'_> {
    /// The page as HTML.
    ///
    /// # Errors
    /// None that is known: writing to a string does not fail.
    pub fn render(&self) -> Result<String, askama::Error> {
        Template::render(self)
    }

    /// What `GET /results/{id}/export.html` answers: what the page says in a file that needs no server.
    ///
    /// # Errors
    /// None that is known: writing to a string does not fail.
    pub fn by_itself(&self) -> Result<String, askama::Error> {
        let view = &Results { is_alone: true, ..self.view.clone() };
        Alone { frame: self.frame, view, facts: facts(view) }.render()
    }

    /// What `GET /results/{id}/export.pdf` answers: what the page says, on paper. Takes up to seconds
    /// for very long texts.
    ///
    /// # Errors
    /// If the PDF cannot be written, which does not depend on the view.
    pub fn pdf(&self) -> Result<Vec<u8>, textkin_print::Error> {
        textkin_print::pdf(&report(self.view))
    }

    /// What `GET /results/{id}/data` answers, as JSON: the part of the page that changes.
    ///
    /// # Errors
    /// None that is known: writing to a string does not fail.
    pub fn data(&self) -> Result<String, askama::Error> {
        let html = Found { frame: self.frame, view: self.view }.render()?;
        let view = self.view;
        let said = format!("{}, {}", view.share.percent(), view.share.counts());
        let marks = view.text.as_ref().map(whole::places).unwrap_or_default();
        let data = Data { html, query: &view.query, said, marks };
        serde_json::to_string(&data).map_err(askama::Error::custom)
    }
}
