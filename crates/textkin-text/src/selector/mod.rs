//! Chunks to a selection.
