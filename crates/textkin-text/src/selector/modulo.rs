//! `modulo:L`: keeps the chunks whose hash is divisible by `L`.
//!
//! Guarantee: context-free: a chunk is kept in all documents that contain it or in none. Keeps about one in
//! `L`; a long passage may have none.
//! Bernstein and Zobel (2006); Broder et al. (1997); Abdel-Hamid et al. (2009).

use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

use super::retain;

/// Keeps the chunks whose hash is divisible by `l`.
#[derive(Clone, Copy, Debug)]
pub struct Modulo {
    /// The divisor.
    pub l: NonZeroU32,
}

impl Selector for Modulo {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let divisor = u64::from(self.l.get());
        retain(document, selection, |chunk| chunk.hash % divisor == 0);
    }
}
