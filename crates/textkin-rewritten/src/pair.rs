//! Two texts together: which words they share, what a match of each is worth, and how its neighbourhood supports it.

use std::ops::Range;

use hashbrown::HashMap;

use crate::method::Method;
use crate::text::RewrittenText;

/// Number of the words that the other text does not have.
const UNSHARED: u32 = u32::MAX;
/// Words of a typical passage, for gains that do not depend on a range.
const TYPICAL_WORDS: f32 = 32.0;

/// One of the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    A,
    B,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// A word that both texts have.
#[derive(Clone, Debug)]
struct Shared {
    /// Expected rate.
    rate: f32,
    /// Gain of a match with a range of [`TYPICAL_WORDS`].
    gain: f32,
    /// The first of its supports, if its matches need any: one per pair of positions.
    supports: Option<usize>,
}

/// The words of one text that the other has, too.
#[derive(Debug)]
struct Words {
    /// Number of each word among the shared, or [`UNSHARED`].
    numbers: Vec<u32>,
    /// Positions of all shared words, by number.
    positions: Vec<u32>,
    /// The first position of each number.
    starts: Vec<usize>,
    /// Rank of each position among those of its word.
    ranks: Vec<u32>,
}

impl Words {
    fn new(numbers: Vec<u32>, n_shared: usize) -> Self {
        let mut starts = vec![0; n_shared + 1];
        for &number in numbers.iter().filter(|number| **number != UNSHARED) {
            starts[number as usize + 1] += 1;
        }
        for number in 0..n_shared {
            starts[number + 1] += starts[number];
        }
        let mut next = starts.clone();
        let mut positions = vec![0; starts[n_shared]];
        let mut ranks = vec![0; numbers.len()];
        for (at, &number) in (0_u32..).zip(&numbers) {
            if number != UNSHARED {
                let number = number as usize;
                positions[next[number]] = at;
                ranks[at as usize] = (next[number] - starts[number]) as u32;
                next[number] += 1;
            }
        }
        Self { numbers, positions, starts, ranks }
    }

    fn of(&self, number: u32) -> &[u32] {
        &self.positions[self.starts[number as usize]..self.starts[number as usize + 1]]
    }
}

/// Two texts together.
#[derive(Debug)]
pub(crate) struct TextPair<'a> {
    pub(crate) method: &'a Method,
    texts: [&'a RewrittenText; 2],
    words: [Words; 2],
    shared: Vec<Shared>,
    /// One more than the support of each pair of positions, or 0 where it is not known yet.
    supports: Vec<f32>,
    /// Gains of matches with a range of the size that is looked at.
    gains: Marks<f32>,
    /// Words of the neighbourhood on one side.
    near: Marks<()>,
    /// Words of the neighbourhoods on both sides that were counted.
    counted: Marks<()>,
}

impl<'a> TextPair<'a> {
    pub(crate) fn new(a: &'a RewrittenText, b: &'a RewrittenText, method: &'a Method) -> Self {
        let mut known: HashMap<u64, (u32, u32)> = HashMap::new();
        for &stem in a.stems() {
            known.entry(stem).or_insert((0, 0)).0 += 1;
        }
        for &stem in b.stems() {
            if let Some(counts) = known.get_mut(&stem) {
                counts.1 += 1;
            }
        }
        let n_words = (a.n_words() + b.n_words()) as f32;
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut shared = Vec::new();
        let mut n_supports = 0;
        let numbers_a: Vec<u32> = a
            .stems()
            .iter()
            .map(|stem| {
                let (n_a, n_b) = known[stem];
                if n_b == 0 {
                    return UNSHARED;
                }
                *numbers.entry(*stem).or_insert_with(|| {
                    let topic = (n_a + n_b).saturating_sub(2) as f32 / n_words;
                    let share = method.background_share;
                    let rate = share * method.background + (1.0 - share) * topic;
                    let gain = gain(rate, TYPICAL_WORDS, method.max_gain);
                    let n_pairs = u64::from(n_a) * u64::from(n_b);
                    let needs =
                        gain > method.min_supported_gain && n_pairs <= method.max_supported_pairs;
                    let supports = needs.then_some(n_supports);
                    n_supports += if needs { n_pairs as usize } else { 0 };
                    shared.push(Shared { rate, gain, supports });
                    (shared.len() - 1) as u32
                })
            })
            .collect();
        let numbers_b = b.stems().iter().map(|stem| numbers.get(stem).copied().unwrap_or(UNSHARED));
        let words =
            [numbers_a, numbers_b.collect()].map(|numbers| Words::new(numbers, shared.len()));
        let n = shared.len();
        Self {
            method,
            texts: [a, b],
            words,
            supports: vec![0.0; n_supports],
            gains: Marks::new(n),
            near: Marks::new(n),
            counted: Marks::new(n),
            shared,
        }
    }

    pub(crate) fn text(&self, side: Side) -> &'a RewrittenText {
        self.texts[side as usize]
    }

    pub(crate) fn n_words(&self, side: Side) -> usize {
        self.texts[side as usize].n_words()
    }

    /// The number of words that both texts have.
    pub(crate) fn n_shared(&self) -> usize {
        self.shared.len()
    }

    /// The number of the word at `at` among the shared, if it is one.
    pub(crate) fn number(&self, side: Side, at: usize) -> Option<usize> {
        let number = self.words[side as usize].numbers[at];
        (number != UNSHARED).then_some(number as usize)
    }

    /// The gain of a match with a range of a usual length.
    pub(crate) fn typical_gain(&self, number: usize) -> f32 {
        self.shared[number].gain
    }

    /// Whether a match of the word `number` counts by its support.
    pub(crate) fn needs_support(&self, number: usize) -> bool {
        self.shared[number].supports.is_some()
    }

    /// Forgets the gains of another range.
    pub(crate) fn begin_range(&mut self) {
        self.gains.clear();
    }

    /// The weight of the word at `at` against the words `range` of the other text, since
    /// [`TextPair::begin_range`] always the same range and `max_gain`: its gain times the best
    /// support of a match in the range. `None` if the range does not have the word.
    pub(crate) fn weight(
        &mut self,
        side: Side,
        at: usize,
        range: &Range<usize>,
        max_gain: f32,
    ) -> Option<f32> {
        let number = self.number(side, at)?;
        let others = self.positions_in(side.other(), number, range);
        if others.is_empty() {
            return None;
        }
        let gain = match self.gains.get(number) {
            Some(gain) => gain,
            None => {
                let gain = gain(self.shared[number].rate, range.len() as f32, max_gain);
                self.gains.set(number, gain);
                gain
            }
        };
        Some(gain * self.best_support(side, at, number, others).0)
    }

    /// The best support of a match of the word at `at` with the words `range` of the other text, and the position of
    /// that match.
    pub(crate) fn best_match(
        &mut self,
        side: Side,
        at: usize,
        range: &Range<usize>,
    ) -> Option<(f32, usize)> {
        let number = self.number(side, at)?;
        let others = self.positions_in(side.other(), number, range);
        if others.is_empty() {
            return None;
        }
        let (support, index) = self.best_support(side, at, number, others);
        Some((support, self.words[side.other() as usize].positions[index] as usize))
    }

    /// Where the positions of a word that lie in `range` are in the list of all positions.
    fn positions_in(&self, side: Side, number: usize, range: &Range<usize>) -> Range<usize> {
        let words = &self.words[side as usize];
        let (start, positions) = (words.starts[number], words.of(number as u32));
        let first = positions.partition_point(|&at| (at as usize) < range.start);
        let n = positions[first..].partition_point(|&at| (at as usize) < range.end);
        start + first..start + first + n
    }

    /// The best support of a match of the word at `at` with one of the positions `others` of the list, and its index.
    fn best_support(
        &mut self,
        side: Side,
        at: usize,
        number: usize,
        others: Range<usize>,
    ) -> (f32, usize) {
        let Some(first) = self.shared[number].supports else { return (1.0, others.start) };
        let other = side.other() as usize;
        let n_b = self.words[Side::B as usize].of(number as u32).len();
        let (rank, start) =
            (self.words[side as usize].ranks[at] as usize, self.words[other].starts[number]);
        let mut is_marked = false;
        let mut best = (0.0_f32, others.start);
        for index in others {
            let other_rank = index - start;
            let slot = first
                + match side {
                    Side::A => rank * n_b + other_rank,
                    Side::B => other_rank * n_b + rank,
                };
            if self.supports[slot] == 0.0 {
                if !is_marked {
                    self.mark_near(side, at);
                    is_marked = true;
                }
                let there = self.words[other].positions[index] as usize;
                self.supports[slot] = 1.0 + self.support(side.other(), there, number);
            }
            let support = self.supports[slot] - 1.0;
            if support > best.0 {
                best = (support, index);
            }
        }
        best
    }

    /// The words around `at`, itself included.
    fn neighbourhood(&self, side: Side, at: usize) -> Range<usize> {
        let reach = self.method.support_reach;
        at.saturating_sub(reach)..(at + reach + 1).min(self.n_words(side))
    }

    fn mark_near(&mut self, side: Side, at: usize) {
        self.near.clear();
        for &number in &self.words[side as usize].numbers[self.neighbourhood(side, at)] {
            if number != UNSHARED {
                self.near.set(number as usize, ());
            }
        }
    }

    /// The support of a match of the word `number` at `at`, whose neighbourhood on the other side is marked.
    fn support(&mut self, side: Side, at: usize, number: usize) -> f32 {
        self.counted.clear();
        self.counted.set(number, ());
        let mut sum = 0.0;
        for &other in &self.words[side as usize].numbers[self.neighbourhood(side, at)] {
            if other == UNSHARED {
                continue;
            }
            let other = other as usize;
            if self.near.get(other).is_some() && self.counted.get(other).is_none() {
                self.counted.set(other, ());
                sum += self.shared[other].gain;
            }
        }
        (sum / self.method.full_support).min(self.method.max_support)
    }
}

/// The gain of a matched word of the given rate: how much likelier it is in a rewritten passage than by chance in a
/// range of `n` words.
pub(crate) fn gain(rate: f32, n: f32, max_gain: f32) -> f32 {
    let chance = -(-rate * n).exp_m1();
    (0.5 + 0.5 / chance).ln().clamp(0.0, max_gain)
}

/// Values of some of the shared words, forgotten all at once.
#[derive(Debug)]
struct Marks<T> {
    values: Vec<(u32, T)>,
    epoch: u32,
}

impl<T: Copy + Default> Marks<T> {
    fn new(n: usize) -> Self {
        Self { values: vec![(0, T::default()); n], epoch: 1 }
    }

    fn clear(&mut self) {
        if self.epoch == u32::MAX {
            self.values.fill((0, T::default()));
            self.epoch = 0;
        }
        self.epoch += 1;
    }

    fn set(&mut self, at: usize, value: T) {
        self.values[at] = (self.epoch, value);
    }

    fn get(&self, at: usize) -> Option<T> {
        let (epoch, value) = self.values[at];
        (epoch == self.epoch).then_some(value)
    }
}
