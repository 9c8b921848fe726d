//! Tests of the guarantees of each selector.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZeroU32;
use std::path::PathBuf;

use proptest::prelude::*;
use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunked, Tokens};

use super::{Frequencies, select};
use crate::chunker::Words;
use crate::chunker::testing::{any_text, chunks, coverage, numbered, selected, text, tokens};
use crate::grammar::{ChunkerKind, Resources, Selection, selectors};

fn words(k: u32) -> Words {
    Words { k: NonZeroU32::new(k).unwrap(), hash: HashKind::default() }
}

fn resources() -> Resources {
    let list = ["is", "street", "über", "a"].map(str::to_owned).to_vec();
    Resources {
        lists: [(PathBuf::from("words.txt"), list)].into(),
        frequencies: Some(Frequencies::new(|hash| (hash % 5) as u32)),
    }
}

/// Returns the indices of `chunks` that the named selection keeps.
fn keep(selection: &str, tokens: &Tokens, chunks: &[Chunk]) -> Vec<u32> {
    let selector = selection.parse::<Selection>().unwrap().build(&resources()).unwrap();
    select(&*selector, &Chunked { tokens, chunks })
}

/// Returns the texts of the chunks of `k` words that the named selection keeps.
fn kept(selection: &str, document: &str, k: u32) -> Vec<String> {
    let tokens = tokens(document);
    let chunks = chunks(&words(k), &tokens);
    let selection = keep(selection, &tokens, &chunks);
    let document = Chunked { tokens: &tokens, chunks: &chunks };
    selected(&document, &selection).into_iter().map(str::to_owned).collect()
}

fn hashes(chunks: &[Chunk], selection: &[u32]) -> BTreeSet<u64> {
    selection.iter().map(|&index| chunks[index as usize].hash).collect()
}

const LETTERS: &str = "a b c d e f g h i j";

#[test]
fn positional_selectors_use_positions() {
    assert_eq!(kept("all", "a b c", 2), ["a b", "b c"]);
    assert_eq!(kept("spex", "a b c", 2), ["a b", "b c"]);
    assert_eq!(kept("every:4", LETTERS, 2), ["a b", "e f", "i j"]);
    assert_eq!(kept("first:3", LETTERS, 3), ["a b c", "d e f", "g h i"]);
    assert_eq!(kept("first:9", LETTERS, 3), ["a b c", "d e f", "g h i"]);
    assert_eq!(kept("first-sliding:2", LETTERS, 3), ["a b c", "b c d"]);
}

#[test]
fn selectors_compose_left_to_right() {
    assert_eq!(kept("every:2+first-sliding:2", LETTERS, 1), ["a", "c"]);
    assert_eq!(kept("first-sliding:2+every:2", LETTERS, 1), ["a"]);
}

#[test]
fn structural_selectors_use_sentences_and_paragraphs() {
    let document = "one two three. four five six. seven.\neight nine ten. eleven twelve thirteen.";
    assert_eq!(
        kept("kth-in-sentence:2", document, 2),
        ["two three", "five six", "nine ten", "twelve thirteen"]
    );
    assert_eq!(kept("kth-in-sentence:1", document, 1), ["one", "four", "seven", "eight", "eleven"]);
    assert_eq!(kept("kth-sentence:2", document, 1), ["one", "seven", "eleven"]);
    assert_eq!(kept("kth-sentence:99", document, 1), ["one"]);
    assert_eq!(kept("kth-in-paragraph:3", document, 2), ["three four", "ten eleven"]);
    assert!(kept("kth-in-sentence:4", document, 1).is_empty());
}

#[test]
fn the_rarest_in_the_document_are_the_first_that_do_not_repeat() {
    assert_eq!(kept("rarest-document:2", "x a x b x c a", 1), ["b", "c"]);
    assert_eq!(kept("rarest-document:3", "x a x b x c a", 1), ["a", "b", "c"]);
    assert_eq!(kept("rarest-document:9", "x a x", 1), ["x", "a"]);
}

#[test]
fn the_rarest_in_the_collection_are_chosen_by_its_frequencies() {
    let tokens = tokens("common rare usual");
    let chunks = chunks(&words(1), &tokens);
    let counts: HashMap<u64, u32> = chunks.iter().map(|chunk| chunk.hash).zip([9, 1, 5]).collect();
    let resources = Resources { frequencies: Some(counts.into()), ..Resources::default() };
    let selection: Selection = "rarest-collection:2".parse().unwrap();
    let selector = selection.build(&resources).unwrap();
    let document = Chunked { tokens: &tokens, chunks: &chunks };
    assert_eq!(selected(&document, &select(&*selector, &document)), ["rare", "usual"]);
}

#[test]
fn the_rarest_prefixes_are_counted_over_all_words() {
    let document = "state of stars stop order to zero";
    assert_eq!(kept("rarest-prefix:4", document, 1), ["of", "order", "to", "zero"]);
    assert_eq!(kept("rarest-prefix:1:1", document, 1).len(), 1);
    assert!(["to", "zero"].contains(&kept("rarest-prefix:1:1", document, 1)[0].as_str()));
}

#[test]
fn anchors_and_listed_words_are_found() {
    assert_eq!(kept("anchor", "the actual plan it was", 2), ["actual plan", "plan it"]);
    assert_eq!(kept("anchor:words.txt", "she is about streets", 1), ["is", "about", "streets"]);
    assert_eq!(kept("contains:words.txt", "one two is three four", 2), ["two is", "is three"]);
    let anchors: HashSet<&str> = super::Anchor::COMMON.into();
    assert_eq!(anchors.len(), 35);
    assert!(!anchors.contains("th") && !anchors.contains("it"));
    assert!(anchors.iter().all(|anchor| anchor.len() == 2));
}

#[test]
fn winnow_keeps_the_rightmost_of_equal_ones() {
    let tokens = tokens("same same same same same");
    let chunks = chunks(&words(1), &tokens);
    assert_eq!(keep("winnow:3", &tokens, &chunks), [2, 3, 4]);
    assert_eq!(keep("winnow:99", &tokens, &chunks), [4]);
}

#[test]
fn the_seed_changes_a_random_selection() {
    let tokens = numbered(1000);
    let chunks = chunks(&words(2), &tokens);
    let of = |selection| keep(selection, &tokens, &chunks);
    assert_eq!(of("random:50"), of("random:50:0"));
    assert_ne!(of("random:50"), of("random:50:1"));
    let halves = of("random:500").iter().filter(|&&index| index < 500).count();
    assert!((200..300).contains(&halves));
}

#[test]
fn hailstorm_keeps_about_two_in_k() {
    let tokens = numbered(20_000);
    let chunks = chunks(&words(8), &tokens);
    let n = keep("hailstorm", &tokens, &chunks).len();
    assert!((4700..5300).contains(&n), "{n} of 20000");
    let without_overlap = keep("hailstorm+no-overlap", &tokens, &chunks).len();
    assert!(without_overlap < n);
}

#[test]
fn no_selector_fails_on_degenerate_documents() {
    let same = "same ".repeat(3000);
    for document in ["", "x", "\n\n.", "über", &same] {
        let tokens = tokens(document);
        for chunker in ["words:8", "word", "chars:5", "sentence", "break:3", "dct:2", "document"] {
            let chunker = chunker.parse::<ChunkerKind>().unwrap().build(HashKind::default());
            let chunks = chunks(&*chunker, &tokens);
            for help in selectors() {
                let kept = keep(help.example, &tokens, &chunks);
                assert!(kept.len() <= chunks.len());
            }
        }
    }
}

/// Quadratic work on 100 000 chunks would take minutes.
#[test]
fn large_documents_take_linear_time() {
    let same = tokens(&"same ".repeat(100_000));
    for tokens in [numbered(100_000), same] {
        let chunks = chunks(&words(50), &tokens);
        let started = std::time::Instant::now();
        for help in selectors() {
            let _ = keep(help.example, &tokens, &chunks);
        }
        let _ = keep("winnow:50000", &tokens, &chunks);
        let long = self::chunks(&words(40_000), &tokens);
        let _ = keep("hailstorm+no-overlap", &tokens, &long);
        assert!(started.elapsed().as_secs() < 20);
    }
}

fn any_selection() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        (0..selectors().len()).prop_map(|index| selectors()[index].example.to_owned()),
        (
            prop::sample::select(vec!["modulo", "every", "winnow", "random", "first", "lowest"]),
            1..9
        )
            .prop_map(|(name, n)| format!("{name}:{n}")),
    ];
    prop::collection::vec(one, 1..4).prop_map(|parts| parts.join("+"))
}

fn any_chunker() -> impl Strategy<Value = ChunkerKind> {
    let names = ["words:3", "words:2:disjoint", "chars:4", "sentence", "break:2", "dct:2"];
    prop::sample::select(names.map(|name| name.parse().unwrap()).to_vec())
}

proptest! {
    #[test]
    fn every_selection_is_an_ascending_subset(
        document in any_text(60), selection in any_selection(), chunker in any_chunker(),
    ) {
        let tokens = tokens(&document);
        let chunks = chunks(&*chunker.build(HashKind::default()), &tokens);
        let kept = keep(&selection, &tokens, &chunks);
        prop_assert!(kept.is_sorted_by(|a, b| a < b));
        prop_assert!(kept.iter().all(|&index| (index as usize) < chunks.len()));
        prop_assert_eq!(&kept, &keep(&selection, &tokens, &chunks));
        let first = selection.rsplit_once('+').map_or("all", |(before, _)| before);
        let before: HashSet<u32> = keep(first, &tokens, &chunks).into_iter().collect();
        prop_assert!(kept.iter().all(|index| before.contains(index)));
    }

    #[test]
    fn winnow_keeps_exactly_the_smallest_of_each_window(document in any_text(60), w in 1_usize..12) {
        let tokens = tokens(&document);
        let chunks = chunks(&words(2), &tokens);
        let smallest = |window: &[u32]| {
            *window.iter().rev().min_by_key(|&&index| chunks[index as usize].hash).unwrap()
        };
        let all = keep("all", &tokens, &chunks);
        let naive: BTreeSet<u32> = match w.min(all.len()) {
            0 => BTreeSet::new(),
            window => all.windows(window).map(smallest).collect(),
        };
        let kept = keep(&format!("winnow:{w}"), &tokens, &chunks);
        prop_assert_eq!(kept, naive.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn hailstorm_equals_its_definition(document in any_text(60), chunker in any_chunker()) {
        let tokens = tokens(&document);
        let chunks = chunks(&*chunker.build(HashKind::default()), &tokens);
        let at_an_end = |chunk: &Chunk| {
            let hashes = &tokens.hashes()[chunk.first as usize..(chunk.first + chunk.count) as usize];
            let keys: Vec<u64> = hashes.iter().map(|hash| hash >> 32).collect();
            let smallest = keys.iter().min();
            smallest == keys.first() || smallest == keys.last()
        };
        let all = keep("all", &tokens, &chunks);
        let naive: Vec<u32> =
            all.into_iter().filter(|&index| at_an_end(&chunks[index as usize])).collect();
        prop_assert_eq!(keep("hailstorm", &tokens, &chunks), naive);
    }

    #[test]
    fn implicit_runs_are_selected_like_listed_chunks(
        document in any_text(700), k in prop_oneof![1_u32..12, 60_u32..70],
    ) {
        let tokens = tokens(&document);
        let chunks = chunks(&words(k), &tokens);
        for name in [
            "all", "hailstorm", "no-overlap", "hailstorm+no-overlap", "no-overlap+hailstorm",
            "hailstorm+hailstorm+all",
        ] {
            let selector = name.parse::<Selection>().unwrap().build(&resources()).unwrap();
            prop_assert!(selector.selects_runs(), "{}", name);
            let mut selection = keep("all", &tokens, &chunks);
            selector.select_runs(&tokens, k as usize, &mut selection);
            prop_assert_eq!(selection, keep(name, &tokens, &chunks), "{}", name);
        }
        let other = "hailstorm+winnow:4".parse::<Selection>().unwrap().build(&resources()).unwrap();
        prop_assert!(!other.selects_runs());
    }

    #[test]
    fn hailstorm_covers_every_token_except_the_outermost(document in any_text(80), k in 1_u32..9) {
        let tokens = tokens(&document);
        let chunks = chunks(&words(k), &tokens);
        for selection in ["hailstorm", "hailstorm+no-overlap"] {
            let kept = keep(selection, &tokens, &chunks);
            let kept = kept.into_iter().map(|index| chunks[index as usize]);
            let covered = coverage(tokens.len(), kept);
            let edge = k as usize - 1;
            for (token, times) in covered.iter().enumerate() {
                let inner = token >= edge && token + edge < tokens.len();
                prop_assert!(!inner || *times > 0);
            }
        }
    }

    #[test]
    fn no_overlap_keeps_the_coverage_and_only_what_it_needs(
        document in any_text(60), before in any_selection(), k in 1_u32..7,
    ) {
        let tokens = tokens(&document);
        let chunks = chunks(&words(k), &tokens);
        let cover = |kept: &[u32]| {
            coverage(tokens.len(), kept.iter().map(|&index| chunks[index as usize]))
        };
        let kept = keep(&format!("{before}+no-overlap"), &tokens, &chunks);
        let after = cover(&kept);
        for (before, after) in cover(&keep(&before, &tokens, &chunks)).iter().zip(&after) {
            prop_assert_eq!(*before > 0, *after > 0);
        }
        for index in kept {
            let chunk = chunks[index as usize];
            let own = &after[chunk.first as usize..(chunk.first + chunk.count) as usize];
            prop_assert!(own.contains(&1));
        }
    }

    #[test]
    fn context_free_selectors_judge_a_chunk_alike_everywhere(
        one in any_text(40), other in any_text(40), k in 1_u32..5,
    ) {
        for selection in ["modulo:3", "hailstorm", "anchor", "contains:words.txt", "hailstorm+modulo:2"] {
            prop_assert!(selection.parse::<Selection>().unwrap().is_context_free());
            let mut verdicts: HashMap<String, bool> = HashMap::new();
            for document in [&one, &other] {
                let tokens = tokens(document);
                let chunks = chunks(&words(k), &tokens);
                let kept: HashSet<u32> = keep(selection, &tokens, &chunks).into_iter().collect();
                for (index, chunk) in (0_u32..).zip(&chunks) {
                    let verdict = kept.contains(&index);
                    let key = text(&tokens, chunk).to_owned();
                    prop_assert_eq!(*verdicts.entry(key).or_insert(verdict), verdict);
                }
            }
        }
    }

    #[test]
    fn fixed_resolutions_are_met(document in any_text(60), r in 1_usize..30) {
        let tokens = tokens(&document);
        let chunks = chunks(&words(2), &tokens);
        let distinct: BTreeSet<u64> = chunks.iter().map(|chunk| chunk.hash).collect();
        let of = |name: &str| keep(&format!("{name}:{r}"), &tokens, &chunks);
        for name in ["random", "first-sliding"] {
            prop_assert_eq!(of(name).len(), r.min(chunks.len()));
        }
        for name in ["lowest", "rarest-document", "rarest-collection", "rarest-prefix"] {
            prop_assert_eq!(of(name).len(), r.min(distinct.len()));
            prop_assert_eq!(hashes(&chunks, &of(name)).len(), r.min(distinct.len()));
        }
        prop_assert_eq!(of("first").len(), r.min(tokens.len() / 2).max(chunks.len().min(1)));
        let lowest: BTreeSet<u64> = distinct.into_iter().take(r).collect();
        prop_assert_eq!(hashes(&chunks, &of("lowest")), lowest);
    }
}
