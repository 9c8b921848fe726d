//! The formats, one module each, and the extractor of each kind.

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

pub use unknown::legacy_office;

use crate::{Error, Extractor, FileKind};

/// Returns the extractor of `kind`.
pub(crate) fn extractor(kind: FileKind) -> Result<&'static dyn Extractor, Error> {
    Ok(match kind {
        FileKind::Text => &text::Text,
        FileKind::Html => &html::Html,
        FileKind::Xml => &xml::Xml,
        FileKind::Markdown => &markdown::Markdown,
        FileKind::Latex => &latex::Latex,
        FileKind::Roff => &roff::Roff,
        FileKind::Rtf => &rtf::Rtf,
        FileKind::Docx => &docx::Docx,
        FileKind::Pptx => &pptx::Pptx,
        FileKind::Xlsx => &xlsx::Xlsx,
        FileKind::Odt => &odt::Odt,
        FileKind::Epub => &epub::Epub,
        FileKind::Email => &email::Email,
        FileKind::Mbox => &mbox::Mbox,
        FileKind::Warc => &warc::Warc,
        FileKind::Zip => &zip::Zip,
        FileKind::Tar => &tar::Tar,
        FileKind::Gzip => &compressed::Compressed(FileKind::Gzip),
        FileKind::Zstd => &compressed::Compressed(FileKind::Zstd),
        FileKind::Xz => &compressed::Compressed(FileKind::Xz),
        FileKind::Bzip2 => &compressed::Compressed(FileKind::Bzip2),
        FileKind::Pdf | FileKind::PostScript => return Err(Error::NeedsWorker(kind)),
        _ => &unknown::Unknown,
    })
}
