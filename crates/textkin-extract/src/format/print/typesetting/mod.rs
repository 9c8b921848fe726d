//! Shared parts of formats that place glyphs on pages (PDF, PostScript): glyph names and encodings,
//! widths of the standard fonts, and the layout of glyphs into lines of text.

pub(crate) mod ascii85;
pub(crate) mod columns;
pub(crate) mod glyph;
pub(crate) mod encoding;
pub(crate) mod layout;
pub(crate) mod matrix;
pub(crate) mod type1;
pub(crate) mod width;
