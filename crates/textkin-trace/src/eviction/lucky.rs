//! `lucky`: keeps chunks at the ends of copied blocks, because the block can be estimated from them.
//!
//! When the blocks of a document are known, the score of each of its selected chunks grows:
//! (a) by 1 (a new chunk starts at 1); (b) by ⌊√(b − 2)⌋ if it is the first or the last of a copied
//! block of `b` selected chunks; (c) by 3 if it is the first or the last of its document; (d) by 1 if
//! it is every 7th of its document. (e) When the average score of a bucket reaches 11, its scores
//! are halved. The chunk with the lowest score is evicted.

use std::ops::Range;

use super::halve;

/// The constants of `lucky`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lucky {
    /// Factor of ⌊√(b − 2)⌋, the gain of the ends of a block of `b` chunks: 1 in the paper.
    pub block: u8,
    /// Gain of the first and last chunk of a document: 3 in the paper.
    pub edge: u8,
    /// Step between chunks with a regular gain, `y`: 7 in the paper; 0: none.
    pub every: u16,
    /// Regular gain: 1 in the paper.
    pub regular: u8,
    /// Average score at which all scores of a bucket are halved: 11 in the paper.
    pub limit: u8,
}

impl Lucky {
    /// The constants of the paper.
    pub const DEFAULT: Self = Self { block: 1, edge: 3, every: 7, regular: 1, limit: 11 };

    /// Returns the gain of each selected chunk of a document by rules (a) to (d).
    ///
    /// `is_new` marks chunks that were just stored with a score of 1; `blocks` are the copied blocks,
    /// as ranges of selected chunks.
    pub(crate) fn gains(&self, is_new: &[bool], blocks: &[Range<usize>]) -> Vec<u8> {
        let mut gains: Vec<u8> = is_new.iter().map(|is_new| u8::from(!is_new)).collect();
        for block in blocks {
            let gain = self.block_gain(block.len());
            add(&mut gains, block.start, gain);
            if block.len() > 1 {
                add(&mut gains, block.end - 1, gain);
            }
        }
        if let Some(last) = gains.len().checked_sub(1) {
            add(&mut gains, 0, self.edge);
            if last > 0 {
                add(&mut gains, last, self.edge);
            }
        }
        let every = usize::from(self.every);
        if every > 0 {
            let regular = (every - 1..gains.len()).step_by(every);
            regular.for_each(|position| add(&mut gains, position, self.regular));
        }
        gains
    }

    /// Rule (b).
    fn block_gain(&self, size: usize) -> u8 {
        let root = u8::try_from(size.saturating_sub(2).isqrt()).unwrap_or(u8::MAX);
        root.saturating_mul(self.block)
    }

    /// Rule (e): halves the scores of a bucket if their average has reached the limit.
    pub(crate) fn halve_if_high(&self, scores: &mut [u8]) {
        let sum: u32 = scores.iter().map(|score| u32::from(*score)).sum();
        let limit = u32::from(self.limit) * u32::try_from(scores.len()).unwrap_or(u32::MAX);
        if self.limit > 0 && limit > 0 && sum >= limit {
            halve(scores);
        }
    }
}

impl Default for Lucky {
    fn default() -> Self {
        Self::DEFAULT
    }
}

fn add(scores: &mut [u8], position: usize, gain: u8) {
    if let Some(score) = scores.get_mut(position) {
        *score = score.saturating_add(gain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten selected chunks; 2 to 7 are a copied block, of which 3 was not in the table.
    #[test]
    fn scores_a_to_d_of_a_worked_example() {
        let is_new = [true, true, false, true, false, false, false, false, true, true];
        let gains = Lucky::DEFAULT.gains(&is_new, std::slice::from_ref(&(2..8)));
        // (a) new chunks begin with 1, the others gain 1.
        let a = [0, 0, 1, 0, 1, 1, 1, 1, 0, 0];
        // (b) the block of six: √4 at both its ends.
        let b = [0, 0, 2, 0, 0, 0, 0, 2, 0, 0];
        // (c) the first and the last of the document.
        let c = [3, 0, 0, 0, 0, 0, 0, 0, 0, 3];
        // (d) the seventh.
        let d = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0];
        let expected: Vec<u8> = (0..10).map(|i| a[i] + b[i] + c[i] + d[i]).collect();
        assert_eq!(gains, expected);
    }

    #[test]
    fn the_ends_of_a_block_gain_the_root_of_its_size_less_two() {
        let gains: Vec<u8> = [1, 2, 3, 5, 6, 10, 11, 27, 1_000_000]
            .map(|size| Lucky::DEFAULT.block_gain(size))
            .to_vec();
        assert_eq!(gains, [0, 0, 1, 1, 2, 2, 3, 5, 255]);
    }

    #[test]
    fn a_single_chunk_gains_as_an_end_only_once() {
        assert_eq!(Lucky::DEFAULT.gains(&[true], &[]), [3]);
        assert_eq!(Lucky::DEFAULT.gains(&[false], std::slice::from_ref(&(0..1))), [4]);
        assert!(Lucky::DEFAULT.gains(&[], &[]).is_empty());
    }

    #[test]
    fn e_an_average_of_eleven_halves_the_bucket() {
        let mut scores = [11, 11, 9, 12];
        Lucky::DEFAULT.halve_if_high(&mut scores);
        assert_eq!(scores, [11, 11, 9, 12]);
        scores[2] = 10;
        Lucky::DEFAULT.halve_if_high(&mut scores);
        assert_eq!(scores, [5, 5, 5, 6]);
    }
}
