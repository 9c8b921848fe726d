//! What an experiment found: a table beside the paper's figures, and a plot, in forms for people and
//! programs.

mod page;
mod plot;
mod table;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub use plot::{Plot, Series};
pub use table::{ReportCell, ReportRow, ReportTable};

use crate::error::{Error, at};

/// What an experiment found.
#[derive(Clone, Debug, Serialize)]
pub struct ExperimentReport {
    /// The name of the experiment.
    pub experiment: String,
    /// What it is.
    pub title: String,
    /// The collection it ran on, and its size.
    pub collection: String,
    /// What was measured.
    pub table: ReportTable,
    /// What must be said with it.
    pub notes: Vec<String>,
    /// The figures as pictures.
    #[serde(skip)]
    pub plots: Vec<Plot>,
    /// The version of textkin.
    pub version: &'static str,
    /// How long it took.
    pub seconds: f64,
}

impl ExperimentReport {
    /// The report in Markdown, without plots.
    #[must_use]
    pub fn markdown(&self) -> String {
        let (name, title, table) = (&self.experiment, &self.title, self.table.markdown());
        let mut markdown = format!("### {name}: {title}\n\nOn {}.\n\n{table}\n", self.collection);
        if self.table.has_paper() {
            markdown.push_str("In brackets: the paper's own figures, on its own collection.\n\n");
        }
        for note in &self.notes {
            markdown.push_str(note);
            markdown.push_str("\n\n");
        }
        markdown.truncate(markdown.trim_end().len());
        markdown.push('\n');
        markdown
    }

    /// Writes `NAME.csv`, `NAME.json`, `NAME.md`, `NAME.html` and a picture for each plot to a folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, Error> {
        std::fs::create_dir_all(folder).map_err(at(folder))?;
        let mut files = vec![
            ("csv".to_owned(), self.table.csv()),
            ("json".to_owned(), serde_json::to_string_pretty(self).unwrap_or_default() + "\n"),
            ("md".to_owned(), self.markdown()),
            ("html".to_owned(), page::page(self)),
        ];
        for (number, plot) in (1..).zip(&self.plots) {
            files.push((
                if number == 1 { "svg".to_owned() } else { format!("{number}.svg") },
                plot.svg(),
            ));
        }
        let mut paths = Vec::new();
        for (ending, content) in files {
            let path = folder.join(format!("{}.{ending}", self.experiment));
            let draft = folder.join(format!(".{}.{ending}.part", self.experiment));
            std::fs::write(&draft, content).map_err(at(&draft))?;
            std::fs::rename(&draft, &path).map_err(at(&path))?;
            paths.push(path);
        }
        Ok(paths)
    }
}
