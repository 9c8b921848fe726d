//! Documents of every format, made by the tests: the same words come out, and hostile files end
//! within their limits.

mod made;
mod golden;
mod hostile;
mod corpora;
