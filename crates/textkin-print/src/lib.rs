//! Writes result reports as PDF.
//!
//! In: a [`PdfReport`], plain data whose wording the caller chooses. Out: a PDF of A4 pages with text
//! that can be selected and searched, and links from each passage to its source. The same report
//! gives the same bytes.
//!
//! `report` holds the input; `font` the typefaces (embedded ones, then those of the system); `shape`
//! turns paragraphs into glyph runs and `line` breaks them into lines, including right-to-left text;
//! `layout` places lines and rectangles on pages, `compose` decides what goes where, and `draw`
//! writes the file.
//!
//! Any text can be printed: a character that no typeface has becomes a box, a word longer than a line
//! is broken, and text beyond [`MAX_PAGES`] is cut, which the last page states.
//!
//! ```
//! use textkin_print::{PdfReport, pdf};
//!
//! let report = PdfReport { title: "On libraries".to_owned(), ..PdfReport::default() };
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

pub use compose::MAX_TEXT;
pub use error::Error;
pub use layout::MAX_PAGES;
pub use report::{Annotation, Highlight, PdfReport, SourceRow, StripSegment};

/// Renders the report as a PDF.
///
/// Time is proportional to the text: well under a second for a thesis of 100,000 words.
///
/// # Errors
/// If the embedded typefaces cannot be read, or the file cannot be written. Neither depends on the
/// report.
pub fn pdf(report: &PdfReport) -> Result<Vec<u8>, Error> {
    let mut fonts = font::Fonts::new()?;
    let pages = compose::pages(report, &mut fonts);
    draw::document(report, &pages, &fonts)
}
