//! The formats, one module each, in folders by what they are for, and the extractor of each kind.

mod text;
mod markup;
mod web;
mod edition;
mod office;
mod mail;
mod print;
mod archive;
mod package;
mod unknown;

pub use mail::mime;
pub(crate) use print::dvi::BEGINNING as DVI;
#[cfg(feature = "pdf")]
pub use print::pdf::pdf_text;
pub use print::pdf_growth::check_pdf_growth;
pub use print::postscript::postscript_text;
pub(crate) use unknown::is_old_word;
pub use unknown::legacy_office;

use crate::{Error, Extractor, FileKind};

/// Returns the extractor of `kind`.
pub(crate) fn extractor(kind: FileKind) -> Result<&'static dyn Extractor, Error> {
    Ok(match kind {
        FileKind::Text => &text::Text,
        FileKind::Html => &web::html::Html,
        FileKind::Xml => &web::xml::Xml,
        FileKind::Markdown => &markup::markdown::Markdown,
        FileKind::Latex => &markup::latex::Latex,
        FileKind::Roff => &markup::roff::Roff,
        FileKind::Rtf => &office::rtf::Rtf,
        FileKind::Doc => &office::doc::Doc,
        FileKind::Docx => &office::docx::Docx,
        FileKind::Pptx => &office::pptx::Pptx,
        FileKind::Xlsx => &office::xlsx::Xlsx,
        FileKind::Odt => &office::odt::Odt,
        FileKind::Epub => &web::epub::Epub,
        FileKind::Email => &mail::email::Email,
        FileKind::Mbox => &mail::mbox::Mbox,
        FileKind::Warc => &web::warc::Warc,
        FileKind::Zip => &archive::zip::Zip,
        FileKind::Tar => &archive::tar::Tar,
        FileKind::Gzip => &archive::compressed::Compressed(FileKind::Gzip),
        FileKind::Zstd => &archive::compressed::Compressed(FileKind::Zstd),
        FileKind::Xz => &archive::compressed::Compressed(FileKind::Xz),
        FileKind::Bzip2 => &archive::compressed::Compressed(FileKind::Bzip2),
        FileKind::Dvi => &print::dvi::Dvi,
        FileKind::Pdf | FileKind::PostScript => return Err(Error::NeedsWorker(kind)),
        _ => &unknown::Unknown,
    })
}
