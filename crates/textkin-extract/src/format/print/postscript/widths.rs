//! Cache of measured glyph widths, by font and code.

use std::collections::BTreeMap;

/// Maximum cached glyphs; others are measured every time.
const MAX: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Widths(BTreeMap<(usize, u8), f64>);

impl Widths {
    pub(super) fn get(&self, font: usize, code: u8) -> Option<f64> {
        self.0.get(&(font, code)).copied()
    }

    pub(super) fn insert(&mut self, font: usize, code: u8, width: f64) {
        if self.0.len() < MAX {
            self.0.insert((font, code), width);
        }
    }

    /// Returns the widths of one font.
    pub(super) fn range_of(&self, font: usize) -> impl Iterator<Item = f64> {
        self.0.range((font, 0)..=(font, u8::MAX)).map(|(_, width)| *width)
    }
}
