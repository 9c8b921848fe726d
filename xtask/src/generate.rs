//! Generated collection: random text with known reuse.
//!
//! Words follow Zipf's law. One document in five is new text around a passage of an earlier one,
//! one in twenty is an edited copy, one in a hundred an exact copy; one in ten ends with a notice
//! that many documents share. The same size gives the same bytes.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

/// Number of recent documents that others can copy from.
const REMEMBERED: usize = 2000;

/// Writes about `bytes` bytes of JSON lines to `file`.
pub(crate) fn collection(bytes: u64, file: &Path) -> Result<()> {
    let out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let notice: Vec<u32> = (0..150).map(|_| random.word()).collect();
    let mut earlier: VecDeque<Vec<u32>> = VecDeque::new();
    let (mut written, mut number) = (0u64, 0u64);
    let mut line = String::new();
    while written < bytes {
        let document = document(&mut random, &earlier, &notice);
        line.clear();
        line.push_str(&format!("{{\"id\":\"d{number}\",\"text\":\""));
        for (index, word) in document.iter().enumerate() {
            line.push(if index % 15 == 14 { '.' } else { ' ' });
            spell(*word, &mut line);
        }
        line.push_str("\"}\n");
        out.write_all(line.as_bytes())?;
        written += line.len() as u64;
        number += 1;
        earlier.push_back(document);
        if earlier.len() > REMEMBERED {
            earlier.pop_front();
        }
    }
    out.flush()?;
    Ok(())
}

/// Writes `n` questions with answers as JSON lines to `file`. They are not in [`collection`].
pub(crate) fn items(n: usize, file: &Path) -> Result<()> {
    let out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    let mut random = Random::new(n as u64);
    for _ in 0..n {
        let mut text = |words: usize| {
            let mut text = String::new();
            for _ in 0..words {
                text.push(' ');
                spell(random.word(), &mut text);
            }
            text
        };
        let lengths = [8, 12, 20, 30, 45, 80];
        let drawn = text(1).len();
        let question = text(lengths[drawn % lengths.len()]);
        writeln!(out, "{{\"question\":\"{question}?\",\"answer\":\"{}\"}}", text(4))?;
    }
    out.flush()?;
    Ok(())
}

fn document(random: &mut Random, earlier: &VecDeque<Vec<u32>>, notice: &[u32]) -> Vec<u32> {
    let mut words: Vec<u32> = (0..200 + random.below(1200)).map(|_| random.word()).collect();
    if !earlier.is_empty() {
        let source = &earlier[random.index(earlier.len())];
        match random.below(100) {
            0 => words.clone_from(source),
            1..=5 => {
                words.clone_from(source);
                for _ in 0..words.len() / 40 {
                    let position = random.index(words.len());
                    words[position] = random.word();
                }
            }
            6..=25 => {
                let length = (30 + random.index(200)).min(source.len());
                let start = random.index(source.len() - length + 1);
                let position = random.index(words.len());
                words.splice(position..position, source[start..start + length].iter().copied());
            }
            _ => {}
        }
    }
    if random.below(10) == 0 {
        words.extend_from_slice(notice);
    }
    words
}

/// Writes word number `number` in letters.
pub(crate) fn spell(mut number: u32, line: &mut String) {
    const SYLLABLES: [&str; 16] = [
        "ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wu",
        "za",
    ];
    loop {
        line.push_str(SYLLABLES[(number % 16) as usize]);
        number /= 16;
        if number == 0 {
            return;
        }
    }
}

/// Random numbers by SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed);
        random.0 = random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let value = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Returns an index below `n`.
    pub(crate) fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.below(n as u64)).unwrap_or(0)
    }

    /// Returns the number of a word; frequency falls with rank.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is smaller than the vocabulary"
    )]
    pub(crate) fn word(&mut self) -> u32 {
        const VOCABULARY: f64 = 200_000.0;
        let uniform = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        VOCABULARY.powf(uniform) as u32
    }
}
