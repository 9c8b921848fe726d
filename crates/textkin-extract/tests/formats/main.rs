//! Sample documents of every format give the same words, and hostile files stay within their limits.

#![expect(clippy::unwrap_used, reason = "builders of samples may panic")]

mod samples;
mod self_references;
mod mutants;
mod old_formats;
mod golden;
mod hostile;
mod pdf_postscript;
mod hostile_pdf_postscript;
mod corpora;
