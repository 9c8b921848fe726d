//! Every step against a naive twin, on random texts of few words.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proptest::prelude::*;
use textkin_core::{Layers, Tokenizer, Tokens};
use textkin_text::tokenizer::WordTokenizer;

use crate::pair::{Side, TextPair, gain};
use crate::range::{best_touching, gap, hull};
use crate::seeds::seeds;
use crate::{Method, RewrittenKind, RewrittenText, align_rewritten};

fn prepared(text: &str, method: &Method) -> RewrittenText {
    let mut tokens = Tokens::new(Layers::SPANS);
    WordTokenizer::default().tokenize(text, &mut tokens);
    RewrittenText::new(text, tokens, method.letters)
}

/// Texts with some rare and many common words.
fn texts() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => (0_u32..6).prop_map(|n| format!("w{n}")),
        4 => (0_u32..60).prop_map(|n| format!("r{n}")),
        1 => Just(".".to_owned()),
        1 => Just("\n\n".to_owned()),
    ];
    prop::collection::vec(word, 0..90).prop_map(|words| words.join(" "))
}

/// What the definitions say, word by word.
struct Naive<'a> {
    method: &'a Method,
    texts: [&'a RewrittenText; 2],
    counts: BTreeMap<u64, [u32; 2]>,
}

impl<'a> Naive<'a> {
    fn new(a: &'a RewrittenText, b: &'a RewrittenText, method: &'a Method) -> Self {
        let mut counts: BTreeMap<u64, [u32; 2]> = BTreeMap::new();
        for (side, text) in [a, b].into_iter().enumerate() {
            for &stem in text.stems() {
                counts.entry(stem).or_default()[side] += 1;
            }
        }
        Self { method, texts: [a, b], counts }
    }

    fn gain(&self, stem: u64, n: usize, max_gain: f32) -> f64 {
        let [n_a, n_b] = self.counts[&stem];
        if n_a == 0 || n_b == 0 {
            return 0.0;
        }
        let n_words = (self.texts[0].n_words() + self.texts[1].n_words()) as f64;
        let share = f64::from(self.method.background_share);
        let rate = share * f64::from(self.method.background)
            + (1.0 - share) * f64::from((n_a + n_b).saturating_sub(2)) / n_words;
        let chance = 1.0 - (-rate * n as f64).exp();
        (0.5 + 0.5 / chance).ln().clamp(0.0, f64::from(max_gain))
    }

    fn near(&self, side: usize, at: usize) -> BTreeSet<u64> {
        let reach = self.method.support_reach as isize;
        let stems = self.texts[side].stems();
        let all = (0..stems.len()).filter(|other| (*other as isize - at as isize).abs() <= reach);
        all.map(|other| stems[other]).collect()
    }

    fn support(&self, a: usize, b: usize) -> f64 {
        let stem = self.texts[0].stems()[a];
        let [n_a, n_b] = self.counts[&stem].map(u64::from);
        let usual = self.gain(stem, 32, self.method.max_gain);
        if usual <= f64::from(self.method.min_supported_gain)
            || n_a * n_b > self.method.max_supported_pairs
        {
            return 1.0;
        }
        let both = self.near(0, a).intersection(&self.near(1, b)).copied().collect::<Vec<_>>();
        let others = both.into_iter().filter(|other| *other != stem);
        let sum: f64 = others.map(|other| self.gain(other, 32, self.method.max_gain)).sum();
        (sum / f64::from(self.method.full_support)).min(f64::from(self.method.max_support))
    }

    fn weight(&self, side: usize, at: usize, range: &Range<usize>, max_gain: f32) -> Option<f64> {
        let stem = self.texts[side].stems()[at];
        let matches = range.clone().filter(|&other| self.texts[1 - side].stems()[other] == stem);
        let support =
            |other| if side == 0 { self.support(at, other) } else { self.support(other, at) };
        let best = matches.map(support).reduce(f64::max)?;
        Some(best * self.gain(stem, range.len(), max_gain))
    }
}

proptest! {
    #[test]
    fn weights_are_as_defined(
        a in texts(),
        b in texts(),
        ranges in prop::collection::vec((any::<prop::sample::Index>(), 1_usize..60, any::<bool>()), 1..4),
    ) {
        let method = Method { max_supported_pairs: 40, ..Method::default() };
        let (a, b) = (prepared(&a, &method), prepared(&b, &method));
        let naive = Naive::new(&a, &b, &method);
        let mut pair = TextPair::new(&a, &b, &method);
        for (start, len, is_a) in ranges {
            let (side, index) = if is_a { (Side::A, 0) } else { (Side::B, 1) };
            let n_other = pair.n_words(side.other());
            if n_other == 0 {
                continue;
            }
            let start = start.index(n_other);
            let range = start..(start + len).min(n_other);
            pair.begin_range();
            for at in 0..pair.n_words(side) {
                let weight = pair.weight(side, at, &range, method.max_gain);
                let expected = naive.weight(index, at, &range, method.max_gain);
                prop_assert_eq!(weight.is_some(), expected.is_some());
                let (weight, expected) = (f64::from(weight.unwrap_or(0.0)), expected.unwrap_or(0.0));
                prop_assert!((weight - expected).abs() < 1e-3, "{} and {}", weight, expected);
            }
        }
    }

    #[test]
    fn seeds_are_all_pairs_of_windows_with_enough_in_common(a in texts(), b in texts()) {
        let method = Method::default();
        let (a, b) = (prepared(&a, &method), prepared(&b, &method));
        let naive = Naive::new(&a, &b, &method);
        let window = |text: &RewrittenText, start: usize| -> BTreeSet<u64> {
            text.stems()[start..(start + method.window).min(text.n_words())].iter().copied().collect()
        };
        let mut expected = BTreeMap::new();
        for start_a in (0..a.n_words()).step_by(method.window / 2) {
            for start_b in (0..b.n_words()).step_by(method.window / 2) {
                let words = window(&a, start_a);
                let gains = words.intersection(&window(&b, start_b)).copied().map(|stem| {
                    naive.gain(stem, 32, method.max_gain)
                }).filter(|gain| *gain > f64::from(method.min_window_gain)).collect::<Vec<_>>();
                let sum: f64 = gains.iter().sum();
                if sum >= f64::from(method.min_window_sum) {
                    expected.insert((start_a, start_b), sum);
                }
            }
        }
        let found = seeds(&TextPair::new(&a, &b, &method));
        prop_assert!(found.is_sorted_by(|x, y| x.sum >= y.sum));
        prop_assert_eq!(found.len(), expected.len());
        for seed in found {
            prop_assert!((f64::from(seed.sum) - expected[&(seed.a, seed.b)]).abs() < 1e-3);
        }
    }

    #[test]
    fn the_best_range_is_the_best_of_all(
        weights in prop::collection::vec(-3_i32..5, 1..24),
        borders in prop::collection::vec(0_u8..4, 25),
        ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let weights: Vec<f32> = weights.into_iter().map(|weight| weight as f32).collect();
        let (x, y) = (ends.0.index(weights.len()), ends.1.index(weights.len()));
        let old = x.min(y)..x.max(y) + 1;
        let value = |range: &Range<usize>| {
            let sum: f32 = weights[range.clone()].iter().sum();
            sum - f32::from(borders[range.start]) - f32::from(borders[range.end])
        };
        let (best, sum) = best_touching(&weights, |at| f32::from(borders[at]), &old);
        prop_assert_eq!(value(&best), sum);
        prop_assert!(best.start < old.end && best.end > old.start && !best.is_empty());
        for start in 0..old.end {
            for end in start.max(old.start) + 1..=weights.len() {
                prop_assert!(value(&(start..end)) <= sum);
            }
        }
    }

    #[test]
    fn passages_lie_in_the_texts_and_in_the_first_do_not_overlap(
        a in "(([a-c ]|river|stone|valley|green|walks|evening|.|\n|日本){0,40} ){0,6}",
        b in "(([a-c ]|river|stone|valley|green|walks|evening|.|\n|日本){0,40} ){0,6}",
    ) {
        let method = Method { min_sum: 10.0, min_words_b: 3, min_side: 4.0, ..Method::default() };
        let (text_a, text_b) = (prepared(&a, &method), prepared(&b, &method));
        let mut end = 0;
        for passage in align_rewritten(&text_a, &text_b, &method) {
            prop_assert!(passage.a.start >= end && passage.a.end <= text_a.n_words());
            prop_assert!(!passage.b.is_empty() && passage.b.end <= text_b.n_words());
            prop_assert!(a.get(passage.a_span.range()).is_some());
            prop_assert!(b.get(passage.b_span.range()).is_some());
            end = passage.a.end;
        }
    }
}

#[test]
fn gains_are_those_of_the_formula() {
    assert!((gain(0.001, 32.0, 5.0) - 2.804).abs() < 1e-2);
    assert_eq!(gain(1e-9, 32.0, 5.0), 5.0);
    assert!(gain(0.5, 1000.0, 5.0) < 1e-6);
}

#[test]
fn gaps_and_hulls() {
    assert_eq!((gap(&(2..5), &(9..12)), gap(&(9..12), &(2..5)), gap(&(2..5), &(4..9))), (4, 4, 0));
    assert_eq!(hull(&(2..5), &(9..12)), 2..12);
}

#[test]
fn a_text_breaks_most_at_blank_lines() {
    let text = prepared("One two, three.\nFour\nfive\nSix\n\nseven", &Method::default());
    assert_eq!(text.breaks(), [3, 0, 1, 2, 1, 2, 3, 3]);
}

const SOURCE: &str = "The lighthouse keeper counted forty ships before the storm broke over the harbour. \
    He had lit the great lamp early, because fishermen had warned him that gulls were flying inland. \
    By midnight the waves struck the lower windows, and his daughter carried the logbook upstairs. \
    In the morning three boats were missing, and the village gathered silently upon the beach.";

/// Words about something else, which differ by `salt`.
fn filler(salt: &str) -> String {
    let words = (0..120).map(|n| format!("{salt}{}", n * 7 % 113));
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_rewritten_passage_is_found_between_unrelated_words() {
    let rewritten = "Before the storm reached the harbour, the keeper of the lighthouse counted some forty \
        ships. Because gulls flew inland, as the fishermen warned, he lit the big lamp early. At midnight \
        waves were striking the lower windows while the daughter carried his logbook up. Next morning \
        three boats missed, and silently the villagers gathered on the beach.";
    let method = Method::default();
    let a = format!("{}\n\n{rewritten}\n\n{}", filler("x"), filler("y"));
    let b = format!("{}\n\n{SOURCE}\n\n{}", filler("p"), filler("q"));
    let found = align_rewritten(&prepared(&a, &method), &prepared(&b, &method), &method);
    assert_eq!(found.len(), 1, "{found:?}");
    let text = &a[found[0].a_span.range()];
    assert_eq!(found[0].kind, RewrittenKind::Rewritten);
    assert!(text.starts_with("Before the storm") && text.ends_with("on the beach"), "{text}");
    assert!(b[found[0].b_span.range()].starts_with("The lighthouse keeper"));
    assert!(found[0].sum > 180.0, "{}", found[0].sum);
}

#[test]
fn texts_on_one_topic_are_not_a_rewritten_passage() {
    let other = "A lighthouse stands above the harbour of our town. Visitors climb its stairs every Sunday, \
        and a retired sailor explains how its lamp was turned by hand. When a storm comes, the fishermen \
        play cards in the tavern and wait. Children collect shells, amber and driftwood on the beach. \
        Ships that pass at night sound their horns twice, which is an old custom here.";
    let method = Method::default();
    let found = align_rewritten(&prepared(other, &method), &prepared(SOURCE, &method), &method);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_long_identical_run_is_exact_and_not_looked_at_again() {
    let method = Method::default();
    let a = format!("{} {SOURCE}", filler("x"));
    let found = align_rewritten(&prepared(&a, &method), &prepared(SOURCE, &method), &method);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!((one.kind, one.sum), (RewrittenKind::Exact, f32::INFINITY));
    assert_eq!(&a[one.a_span.range()], SOURCE.trim_end_matches('.'));
}

#[test]
fn nothing_is_found_in_nothing() {
    let method = Method::default();
    for (a, b) in [("", ""), ("", SOURCE), (SOURCE, ""), ("one", "one")] {
        assert_eq!(align_rewritten(&prepared(a, &method), &prepared(b, &method), &method), []);
    }
}
