//! What formats that place glyphs on paper (PDF, PostScript) have in common: names and codes of
//! glyphs as characters, widths of fonts that every printer has, and glyphs put together to lines.

pub(crate) mod ascii85;
pub(crate) mod columns;
pub(crate) mod glyph;
pub(crate) mod encoding;
pub(crate) mod layout;
pub(crate) mod matrix;
pub(crate) mod type1;
pub(crate) mod width;
