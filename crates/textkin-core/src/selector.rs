//! Selectors: which chunks of a document are kept.

use crate::chunk::Chunked;

/// Chooses which chunks of one document are kept.
///
/// A selector holds settings and never state: the same document gives the same selection in any
/// thread and on any machine. One that must know the whole collection is constructed from the
/// result of an earlier pass.
pub trait Selector: Send + Sync {
    /// Narrows `selection`, the ascending indices into `document.chunks` still selected,
    /// to those this selector keeps, in the same order.
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>);

    /// Whether it needs to know where sentences and paragraphs begin.
    fn needs_structure(&self) -> bool {
        false
    }
}
