//! Documents of office programs.

pub(super) mod doc;
pub(super) mod docx;
pub(super) mod odt;
pub(super) mod pptx;
pub(super) mod rtf;
mod visibility;
pub(super) mod xlsx;
