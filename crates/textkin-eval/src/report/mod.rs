//! Report of an experiment: a table with the figures of the paper, and plots, as text, CSV, JSON, Markdown and
//! HTML.

mod index;
mod page;
mod plot;
mod table;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub use index::write_index;
pub use plot::{Plot, Series};
pub use table::{ReportCell, ReportRow, ReportTable};

use crate::error::{Error, at};

/// Report of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct ExperimentReport {
    /// Name of the experiment.
    pub experiment: String,
    /// Title of the experiment.
    pub title: String,
    /// Name and size of the collection.
    pub collection: String,
    /// Measured figures.
    pub table: ReportTable,
    /// Notes on the table.
    pub notes: Vec<String>,
    /// Plots of the figures.
    #[serde(skip)]
    pub plots: Vec<Plot>,
    /// Version of textkin.
    pub version: &'static str,
    /// Duration in seconds.
    pub seconds: f64,
}

impl ExperimentReport {
    /// Returns the report as Markdown, without plots.
    #[must_use]
    pub fn markdown(&self) -> String {
        let (name, title, table) = (&self.experiment, &self.title, self.table.markdown());
        let mut markdown = format!("### {name}: {title}\n\nOn {}.\n\n{table}\n", self.collection);
        if self.table.has_paper() {
            markdown.push_str(
                "Figures in brackets are from the paper, measured on its own collection.\n\n",
            );
        }
        for note in &self.notes {
            markdown.push_str(note);
            markdown.push_str("\n\n");
        }
        markdown.truncate(markdown.trim_end().len());
        markdown.push('\n');
        markdown
    }

    /// Writes `NAME.csv`, `NAME.json`, `NAME.md`, `NAME.html` and an SVG file per plot to a folder.
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
            write_file(&path, &content)?;
            paths.push(path);
        }
        Ok(paths)
    }
}

/// Writes a file under a temporary name first, so that no half of it is ever seen.
fn write_file(path: &Path, content: &str) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.part"));
    std::fs::write(&draft, content).map_err(at(&draft))?;
    std::fs::rename(&draft, path).map_err(at(path))
}
