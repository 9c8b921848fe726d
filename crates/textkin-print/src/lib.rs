//! Reports on paper.
//!
//! In: a [`PdfReport`], plain data whose words the caller chose. Out: a PDF of A4 pages, with text that
//! can be selected and searched, links from each passage to its source, and nothing that is not in
//! the report: the same report gives the same bytes.
//!
//! `report` is what comes in; `font` the typefaces (those within the program, then those of the
//! system); `shape` turns paragraphs into glyphs, `line` glyphs into lines, from right to left where
//! the text is; `layout` puts lines and rectangles on pages, `compose` says what stands where, and
//! `draw` writes the file.
//!
//! Any text is printed: what no typeface has becomes a box, a word that is longer than a line is
//! broken, and what goes beyond [`MAX_PAGES`] is left out, which the last page says.
//!
//! ```
//! use textkin_print::{Report, pdf};
//!
//! let report = Report { title: "On libraries".to_owned(), ..Report::default() };
//! assert!(pdf(&report)?.starts_with(b"%PDF"));
//! # Ok::<(), textkin_print::Error>(())
//! ```

mod report;
mod palette;
mod font;
mod shape;
mod line;
mod layout;
mod compose;
mod draw;
mod error;

pub use error::Error;
pub use layout::MAX_PAGES;
pub use report::{Annotation, Highlight, PdfReport, SourceRow, StripSegment};

/// The report as a PDF.
///
/// Takes about as long as the text: a thesis of 100,000 words well under a second.
///
/// # Errors
/// If the typefaces within the program cannot be read, or the file cannot be written: neither depends
/// on the report.
pub fn pdf(report: &PdfReport) -> Result<Vec<u8>, Error> {
    let mut fonts = font::Fonts::new()?;
    let pages = compose::pages(report, &mut fonts);
    draw::document(report, &pages, &fonts)
}
