//! The formats, one file each, and the one place where a kind becomes its extractor.

mod text;
mod html;
mod style;
mod style_sheet;
mod main_content;
mod xlsx;
mod xml;
mod markdown;
mod latex;
mod roff;
mod rtf;
mod package;
mod visibility;
mod docx;
mod pptx;
mod odt;
mod epub;
mod email;
mod mbox;
mod warc;
mod zip;
mod tar;
mod compressed;
#[cfg(feature = "pdf")]
pub(crate) mod pdf;
pub(crate) mod postscript;
mod unknown;

pub use unknown::old_office;

use crate::{Error, Extractor, Kind};

/// The extractor of `kind`.
pub(crate) fn extractor(kind: Kind) -> Result<&'static dyn Extractor, Error> {
    Ok(match kind {
        Kind::Text => &text::Text,
        Kind::Html => &html::Html,
        Kind::Xml => &xml::Xml,
        Kind::Markdown => &markdown::Markdown,
        Kind::Latex => &latex::Latex,
        Kind::Roff => &roff::Roff,
        Kind::Rtf => &rtf::Rtf,
        Kind::Docx => &docx::Docx,
        Kind::Pptx => &pptx::Pptx,
        Kind::Xlsx => &xlsx::Xlsx,
        Kind::Odt => &odt::Odt,
        Kind::Epub => &epub::Epub,
        Kind::Email => &email::Email,
        Kind::Mbox => &mbox::Mbox,
        Kind::Warc => &warc::Warc,
        Kind::Zip => &zip::Zip,
        Kind::Tar => &tar::Tar,
        Kind::Gzip => &compressed::Compressed(Kind::Gzip),
        Kind::Zstd => &compressed::Compressed(Kind::Zstd),
        Kind::Xz => &compressed::Compressed(Kind::Xz),
        Kind::Bzip2 => &compressed::Compressed(Kind::Bzip2),
        Kind::Pdf | Kind::PostScript => return Err(Error::NeedsWorker(kind)),
        _ => &unknown::Unknown,
    })
}
