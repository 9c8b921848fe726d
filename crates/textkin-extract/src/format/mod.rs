//! The formats, one file each, and the one place where a kind becomes its extractor.

mod text;

use crate::{Error, Extractor, Kind};

/// The extractor of `kind`.
pub(crate) fn extractor(kind: Kind) -> Result<&'static dyn Extractor, Error> {
    Ok(match kind {
        Kind::Text => &text::Text,
        Kind::Pdf | Kind::PostScript => return Err(Error::NeedsWorker(kind)),
        _ => return Err(Error::NotText { what: "binary" }),
    })
}
