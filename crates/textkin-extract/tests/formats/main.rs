//! Documents of every format, made by the tests: the same words come out, and hostile files end
//! within their limits.

#![expect(clippy::unwrap_used, reason = "what makes documents for tests may fail a test")]

mod samples;
mod self_references;
mod mutants;
mod golden;
mod hostile;
mod pdf_postscript;
mod hostile_pdf_postscript;
mod corpora;
