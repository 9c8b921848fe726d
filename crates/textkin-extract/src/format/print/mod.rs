//! Pages for a printer: glyphs with positions instead of words.

pub(crate) mod dvi;
#[cfg(feature = "pdf")]
pub(crate) mod pdf;
pub(crate) mod pdf_growth;
pub(crate) mod postscript;
mod typesetting;
