//! Documents of every format, made by the tests: the same words come out, and hostile files end
//! within their limits.

#![expect(clippy::unwrap_used, reason = "what makes documents for tests may fail a test")]

mod made;
mod snares;
mod mutants;
mod golden;
mod hostile;
mod paper;
mod hostile_paper;
mod corpora;
