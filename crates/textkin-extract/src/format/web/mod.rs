//! Web pages and what is made of them: XML files, electronic books, web archives.

pub(super) mod epub;
pub(super) mod html;
mod main_content;
pub(super) mod style;
mod style_sheet;
pub(super) mod warc;
pub(super) mod xml;
