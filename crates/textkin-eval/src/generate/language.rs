//! Random text with natural statistics: words by the Zipf–Mandelbrot law, sentences and paragraphs.

use textkin::engine::types::Random;

/// Number of words of the language.
const N_WORDS: usize = 30_000;

/// Constants of the Zipf–Mandelbrot law: the frequency of rank r is proportional to 1/(r + 2.7)^1.05.
const SHIFT: f64 = 2.7;
const EXPONENT: f64 = 1.05;

const ONSETS: [&str; 16] =
    ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "sh"];
const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ea"];
const CODAS: [&str; 8] = ["", "", "", "n", "r", "s", "l", "nd"];

/// Language of invented words with natural frequencies.
#[derive(Clone, Debug)]
pub struct Language {
    words: Vec<String>,
    /// Cumulative frequency up to each rank.
    cumulative: Vec<f64>,
}

impl Language {
    /// Creates the language of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x6c61_6e67);
        let mut seen = std::collections::HashSet::with_capacity(N_WORDS);
        let mut words = Vec::with_capacity(N_WORDS);
        while words.len() < N_WORDS {
            let word = word(&mut random, words.len());
            if seen.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut total = 0.0;
        let weight = |rank: usize| (rank as f64 + SHIFT).powf(-EXPONENT);
        let mut cumulative: Vec<f64> = (1..=N_WORDS)
            .map(|rank| {
                total += weight(rank);
                total
            })
            .collect();
        for share in &mut cumulative {
            *share /= total;
        }
        Self { words, cumulative }
    }

    /// Returns a random word according to its frequency.
    pub fn word(&self, random: &mut Random) -> &str {
        let point = random.unit();
        let rank = self.cumulative.partition_point(|share| *share <= point);
        self.words.get(rank.min(N_WORDS - 1)).map_or("", String::as_str)
    }

    /// Returns `n` words, with punctuation, capitals and paragraph breaks.
    pub fn text(&self, n: usize, random: &mut Random) -> Vec<String> {
        let mut words = Vec::with_capacity(n);
        let mut left = 0;
        while words.len() < n {
            let is_first = left == 0;
            if is_first {
                left = 4 + random.below(10) + random.below(14);
            }
            let mut word = self.word(random).to_owned();
            if is_first {
                word = capital(&word);
            }
            left -= 1;
            if left == 0 || words.len() + 1 == n {
                word.push_str(if random.below(12) == 0 { "?" } else { "." });
                if random.below(6) == 0 {
                    word.push_str("\n\n");
                }
            } else if random.below(10) == 0 {
                word.push(',');
            }
            words.push(word);
        }
        words
    }
}

/// Returns a pronounceable word; common words are short.
fn word(random: &mut Random, rank: usize) -> String {
    let longest = match rank {
        0..100 => 1,
        100..2_000 => 2,
        _ => 4,
    };
    let n_syllables = 1 + random.below(longest);
    let mut word = String::new();
    for _ in 0..n_syllables.max(if rank >= 2_000 { 2 } else { 1 }) {
        for part in [&ONSETS[..], &VOWELS[..], &CODAS[..]] {
            word.push_str(part.get(random.below(part.len())).copied().unwrap_or_default());
        }
    }
    word
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Joins words to a text, and returns the byte range of each word.
pub(crate) fn join(words: &[String]) -> (String, Vec<(usize, usize)>) {
    let mut text = String::new();
    let mut spans = Vec::with_capacity(words.len());
    for word in words {
        if !(text.is_empty() || text.ends_with('\n')) {
            text.push(' ');
        }
        spans.push((text.len(), text.len() + word.trim_end().len()));
        text.push_str(word);
    }
    text.truncate(text.trim_end().len());
    (text, spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_languages() {
        let text = |seed| Language::new(seed).text(200, &mut Random::new(3));
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
        assert_eq!(text(1).len(), 200);
    }

    #[test]
    fn the_commonest_words_make_half_of_a_text() {
        let language = Language::new(1);
        let mut random = Random::new(9);
        let mut common = 0;
        let commonest: std::collections::HashSet<&str> =
            language.words.iter().take(150).map(String::as_str).collect();
        for _ in 0..20_000 {
            common += usize::from(commonest.contains(language.word(&mut random)));
        }
        assert!((8_000..12_500).contains(&common), "{common}");
    }

    #[test]
    fn a_text_has_sentences_and_paragraphs() {
        let (text, spans) = join(&Language::new(1).text(2_000, &mut Random::new(1)));
        assert!(spans.iter().all(|&(start, end)| start < end && !text[start..end].contains(' ')));
        let n_sentences = text.matches(['.', '?']).count();
        assert!((80..200).contains(&n_sentences), "{n_sentences}");
        assert!(text.matches("\n\n").count() > 8 && text.starts_with(char::is_uppercase));
    }
}
