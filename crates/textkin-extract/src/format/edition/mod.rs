//! Editions and scans in XML and HTML: TEI, and the output of text recognition (ALTO, PAGE, hOCR).

pub(super) mod ocr;
pub(super) mod tei;
