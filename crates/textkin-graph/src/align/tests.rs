//! Compares the alignment with a naive implementation, on random edits and on difficult texts.

use std::collections::BTreeSet;
use std::time::Instant;

use proptest::prelude::*;
use textkin_core::{SegmentKind, Span};

use super::*;

fn tokens(words: &[u32]) -> Tokens {
    let mut tokens = Tokens::new(textkin_core::Layers::SPANS);
    for (at, word) in words.iter().enumerate() {
        let start = at as u32 * 10;
        tokens.push(word.to_string().as_bytes(), Span::new(start, start + 7));
    }
    tokens
}

fn settings(k: u32, max_gap: u32) -> AlignSettings {
    AlignSettings { k: NonZeroU32::new(k).unwrap(), passages: max_gap.into() }
}

fn aligned(a: &[u32], b: &[u32], k: u32, max_gap: u32) -> Alignment {
    align(&tokens(a), &tokens(b), &settings(k, max_gap))
}

/// Aligns without a limit on pairs of positions.
fn unbounded(a: &[u32], b: &[u32], settings: &AlignSettings) -> Alignment {
    let excluded = [vec![false; a.len()], vec![false; b.len()]];
    let excluded = [&excluded[0][..], &excluded[1]];
    align_ordered([&tokens(a), &tokens(b)], excluded, settings, usize::MAX)
}

/// First tokens and words of all chunks, as the oracle test of discovery defines them.
fn naive_chunks(words: &[u32], k: usize) -> Vec<(usize, Vec<u32>)> {
    match words.len() {
        0 => Vec::new(),
        n if n < k => vec![(0, words.to_vec())],
        n => (0..=n - k).map(|first| (first, words[first..first + k].to_vec())).collect(),
    }
}

/// Tokens of `a` in chunks that `b` has too.
fn naive_covered(a: &[u32], b: &[u32], k: usize) -> BTreeSet<usize> {
    let set: BTreeSet<Vec<u32>> = naive_chunks(b, k).into_iter().map(|(_, chunk)| chunk).collect();
    let shared = naive_chunks(a, k).into_iter().filter(|(_, chunk)| set.contains(chunk));
    shared.flat_map(|(first, chunk)| first..first + chunk.len()).collect()
}

/// Runs by the definition: all pairs of positions, the longest free piece first.
fn naive_runs(a: &[u32], b: &[u32], k: usize) -> Vec<Run> {
    let k = if a.len().max(b.len()) < k && a == b { a.len() } else { k };
    // Positions of both texts that lie in a common run of at least k words.
    let mut allowed = BTreeSet::new();
    for (first, position) in (0..a.len()).flat_map(|at| (0..b.len()).map(move |to| (at, to))) {
        if first + k <= a.len()
            && position + k <= b.len()
            && a[first..first + k] == b[position..position + k]
        {
            allowed.extend((0..k).map(|step| (first + step, position + step)));
        }
    }
    let mut runs = Vec::new();
    loop {
        let length = |&(at, to): &(usize, usize)| {
            (0..).take_while(|step| allowed.contains(&(at + step, to + step))).count()
        };
        let best =
            allowed.iter().map(|position| (length(position), std::cmp::Reverse(*position))).max();
        let Some((len, std::cmp::Reverse((at, to)))) = best else { break };
        if len < (k / 2).max(1) {
            break;
        }
        runs.push(Run { a: at, b: to, len });
        allowed.retain(|position| {
            !(at..at + len).contains(&position.0) && !(to..to + len).contains(&position.1)
        });
    }
    runs.sort_unstable();
    runs
}

/// Ranges of the passages of `runs` by the definition.
fn naive_passages(runs: &[Run], max_gap: usize) -> Vec<[usize; 4]> {
    let mut passages: Vec<[usize; 4]> = Vec::new();
    for run in runs {
        let is_between =
            |from: usize, to: usize| runs.iter().any(|other| from <= other.b && other.b < to);
        match passages.last_mut() {
            Some([_, a_end, _, b_end])
                if run.a - *a_end <= max_gap
                    && run.b >= *b_end
                    && run.b - *b_end <= max_gap
                    && !is_between(*b_end, run.b) =>
            {
                (*a_end, *b_end) = (run.a + run.len, run.b + run.len);
            }
            _ => passages.push([run.a, run.a + run.len, run.b, run.b + run.len]),
        }
    }
    passages
}

fn ranges(alignment: &Alignment) -> Vec<[usize; 4]> {
    let range = |passage: &Passage| {
        [passage.a.first, passage.a.end(), passage.b.first, passage.b.end()].map(|end| end as usize)
    };
    alignment.passages.iter().map(range).collect()
}

/// Tokens in runs and repeats of each side.
fn explained(alignment: &Alignment) -> [BTreeSet<usize>; 2] {
    let range = |word_span: WordSpan| word_span.first as usize..word_span.end() as usize;
    let segments = alignment.passages.iter().flat_map(|passage| &passage.segments);
    let same: Vec<_> = segments.filter(|segment| segment.kind == SegmentKind::Same).collect();
    let a = same
        .iter()
        .map(|segment| segment.a)
        .chain(alignment.repeats_a.iter().map(|repeat| repeat.here));
    let b = same
        .iter()
        .map(|segment| segment.b)
        .chain(alignment.repeats_b.iter().map(|repeat| repeat.here));
    [a.flat_map(range).collect(), b.flat_map(range).collect()]
}

/// Checks what holds for any two texts.
fn check(a: &[u32], b: &[u32], k: u32, max_gap: u32, alignment: &Alignment) {
    let covered = [naive_covered(a, b, k as usize), naive_covered(b, a, k as usize)];
    assert_eq!(explained(alignment), covered, "runs and repeats cover exactly the covered tokens");
    let overlap = alignment.overlap;
    assert_eq!(
        [overlap.covered_a, overlap.covered_b],
        covered.each_ref().map(|side| side.len() as u64)
    );
    let sets = [a, b].map(|words| {
        naive_chunks(words, k as usize).into_iter().map(|(_, chunk)| chunk).collect::<BTreeSet<_>>()
    });
    assert_eq!([overlap.chunks_a, overlap.chunks_b], sets.each_ref().map(|set| set.len() as u64));
    assert_eq!(overlap.shared, sets[0].intersection(&sets[1]).count() as u64);
    let mut bridged = [BTreeSet::new(), BTreeSet::new()];
    let mut owners = [vec![0; a.len()], vec![0; b.len()]];
    for passage in &alignment.passages {
        let mut at = [passage.a.first, passage.b.first];
        let mut matched = 0;
        for segment in &passage.segments {
            assert_eq!([segment.a.first, segment.b.first], at, "segments follow one another");
            at = [segment.a.end(), segment.b.end()];
            let [words_a, words_b] = [(a, segment.a), (b, segment.b)]
                .map(|(words, side)| &words[side.first as usize..side.end() as usize]);
            match segment.kind {
                SegmentKind::Same | SegmentKind::Kept => assert_eq!(words_a, words_b),
                SegmentKind::Changed => {
                    assert!(words_a.len() + words_b.len() > 0 && words_a != words_b)
                }
            }
            if segment.kind == SegmentKind::Same {
                matched += segment.a.count;
            } else {
                assert!(segment.a.count.max(segment.b.count) <= max_gap);
                bridged[0].extend(segment.a.first as usize..segment.a.end() as usize);
                bridged[1].extend(segment.b.first as usize..segment.b.end() as usize);
            }
            for (owner, side) in owners.iter_mut().zip([segment.a, segment.b]) {
                owner[side.first as usize..side.end() as usize].iter_mut().for_each(|n| *n += 1);
                if side.count > 0 {
                    assert_eq!(
                        (side.span.start, side.span.end),
                        (side.first * 10, side.end() * 10 - 3)
                    );
                }
            }
        }
        assert_eq!(at, [passage.a.end(), passage.b.end()], "segments fill the passage");
        assert_eq!(matched, passage.matched);
    }
    let in_order: Vec<_> = alignment.passages.iter().filter(|passage| !passage.is_moved).collect();
    assert!(in_order.is_sorted_by_key(|passage| passage.b.first));
    assert!(!in_order.is_empty() || alignment.passages.is_empty());
    assert!(owners.iter().flatten().all(|&n| n <= 1), "no token belongs to two passages");
    assert!(alignment.passages.is_sorted_by_key(|passage| passage.a.first));
    let uncovered = [0, 1].map(|side| bridged[side].difference(&covered[side]).count() as u64);
    assert_eq!([alignment.bridged.a, alignment.bridged.b], uncovered);
    for (words, others, repeats) in [(a, b, &alignment.repeats_a), (b, a, &alignment.repeats_b)] {
        for repeat in repeats {
            let [here, there] = [(words, repeat.here), (others, repeat.there)]
                .map(|(words, side)| &words[side.first as usize..side.end() as usize]);
            assert_eq!(here, there, "a repeat occurs at its position");
        }
    }
}

fn check_both_ways(a: &[u32], b: &[u32], k: u32, max_gap: u32) -> Alignment {
    let alignment = aligned(a, b, k, max_gap);
    check(a, b, k, max_gap, &alignment);
    let other = aligned(b, a, k, max_gap);
    check(b, a, k, max_gap, &other);
    let mirror = mirrored(other);
    if a != b {
        assert_eq!(mirror, alignment, "align(b, a) is the mirror of align(a, b)");
    }
    alignment
}

/// A text and a version of it after some edits; few different words make chunks repeat.
fn edited() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    let alphabet = prop::sample::select(vec![1u32, 2, 4, 1000]);
    alphabet.prop_flat_map(|alphabet| {
        let words = move |max| prop::collection::vec(0..alphabet, 0..max);
        let edit = (0usize..4, 0usize..80, 0usize..30, 0usize..80, words(6));
        (words(80), prop::collection::vec(edit, 0..8)).prop_map(|(text, edits)| {
            let mut other = text.clone();
            for (kind, at, len, to, words) in edits {
                let at = at.min(other.len());
                let range = at..(at + len).min(other.len());
                match kind {
                    0 => drop(other.splice(at..at, words)),
                    1 => drop(other.drain(range)),
                    2 => drop(other.splice(at..(at + words.len()).min(other.len()), words)),
                    _ => {
                        let moved: Vec<u32> = other.drain(range).collect();
                        let to = to.min(other.len());
                        other.splice(to..to, moved);
                    }
                }
            }
            (text, other)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn excluded_words_are_listed_but_never_count(
        (a, b) in edited(),
        k in 1u32..6,
        max_gap in 0u32..6,
        ends in prop::collection::vec((0u32..60, 0u32..20), 0..4),
    ) {
        let mut at = 0;
        let excluded: Vec<TokenRange> = ends.iter().map(|&(gap, len)| {
            let start = at + gap;
            at = start + len;
            TokenRange { start, end: at }
        }).collect();
        // The other text has fewer excluded words.
        let (excluded_a, excluded_b) = (&excluded[..], &excluded[..excluded.len() / 2]);
        let settings = settings(k, max_gap);
        let all = align(&tokens(&a), &tokens(&b), &settings);
        let left = align_excluding(&tokens(&a), &tokens(&b), [excluded_a, excluded_b], &settings);
        let is_in = |excluded: &[TokenRange], token: usize| {
            excluded.iter().any(|range| (range.start..range.end).contains(&(token as u32)))
        };
        let kept = |tokens: BTreeSet<usize>, excluded: &[TokenRange]| -> BTreeSet<usize> {
            tokens.into_iter().filter(|&token| !is_in(excluded, token)).collect()
        };
        let covered_a = kept(naive_covered(&a, &b, k as usize), excluded_a);
        let covered_b = kept(naive_covered(&b, &a, k as usize), excluded_b);
        prop_assert_eq!(left.overlap.covered_a, covered_a.len() as u64);
        prop_assert_eq!(left.overlap.covered_b, covered_b.len() as u64);
        prop_assert_eq!(left.overlap.words_a, kept((0..a.len()).collect(), excluded_a).len() as u64);
        let [explained_a, explained_b] = explained(&left);
        prop_assert_eq!(kept(explained_a, excluded_a), covered_a);
        prop_assert_eq!(kept(explained_b, excluded_b), covered_b);
        // Both lists together are the passages of the whole texts.
        let position = |passage: &Passage| (passage.a, passage.b);
        let mut positions: Vec<_> = left.passages.iter().chain(&left.excluded_passages).map(position).collect();
        positions.sort_by_key(|(a, _)| a.first);
        prop_assert_eq!(positions, all.passages.iter().map(position).collect::<Vec<_>>());
        for passage in &left.excluded_passages {
            for segment in passage.segments.iter().filter(|segment| segment.kind == SegmentKind::Same) {
                for (excluded, side) in [(excluded_a, segment.a), (excluded_b, segment.b)] {
                    prop_assert!((side.first..side.end()).all(|token| is_in(excluded, token as usize)));
                }
            }
        }
        let mirror = align_excluding(&tokens(&b), &tokens(&a), [excluded_b, excluded_a], &settings);
        if a != b {
            prop_assert_eq!(mirrored(mirror), left);
        }
    }

    #[test]
    fn passages_equal_those_of_the_naive_implementation((a, b) in edited(), k in 1u32..10, max_gap in 0u32..8) {
        let (a, b) = if (a.len(), tokens(&a).normalized()) > (b.len(), tokens(&b).normalized()) { (b, a) } else { (a, b) };
        let alignment = unbounded(&a, &b, &settings(k, max_gap));
        check(&a, &b, k, max_gap, &alignment);
        let runs = naive_runs(&a, &b, k as usize);
        prop_assert_eq!(ranges(&alignment), naive_passages(&runs, max_gap as usize));
    }

    #[test]
    fn coverage_is_exact_in_both_directions((a, b) in edited(), k in 1u32..10, max_gap in 0u32..8) {
        check_both_ways(&a, &b, k, max_gap);
    }

    #[test]
    fn kept_words_of_a_gap_are_a_longest_common_subsequence(
        a in prop::collection::vec(0u32..4, 0..9), b in prop::collection::vec(0u32..4, 0..9),
    ) {
        let kept: usize = passages::common_subsequence(&a, &b).iter().map(|run| run.len).sum();
        let is_within = |part: &[u32]| {
            let mut rest = b.iter();
            part.iter().all(|word| rest.any(|other| other == word))
        };
        let subset = |bits: u32| -> Vec<u32> {
            a.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &word)| word).collect()
        };
        let longest = (0..1u32 << a.len()).map(subset).filter(|part| is_within(part)).map(|part| part.len()).max();
        prop_assert_eq!(Some(kept), longest);
    }
}

#[test]
fn texts_with_no_word_or_one_word_are_aligned() {
    assert_eq!(check_both_ways(&[], &[], 8, 5).passages, []);
    assert_eq!(check_both_ways(&[1], &[], 8, 5).passages, []);
    assert_eq!(check_both_ways(&[1], &[2], 8, 5).passages, []);
    assert_eq!(ranges(&check_both_ways(&[1], &[1], 8, 5)), [[0, 1, 0, 1]]);
}

#[test]
fn a_text_shorter_than_a_chunk_is_shared_as_a_whole_or_not_at_all() {
    assert_eq!(ranges(&check_both_ways(&[1, 2, 3], &[1, 2, 3], 8, 5)), [[0, 3, 0, 3]]);
    assert_eq!(check_both_ways(&[1, 2, 3], &[1, 2, 3, 4], 8, 5).passages, []);
    assert_eq!(check_both_ways(&[1, 2, 3], &(1..20).collect::<Vec<_>>(), 8, 5).passages, []);
}

#[test]
fn an_edit_of_few_words_is_bridged_and_equal_words_in_it_are_kept() {
    let a: Vec<u32> = (0..30).collect();
    let mut b = a.clone();
    b.splice(12..15, [100, 13, 101, 102]);
    let alignment = check_both_ways(&a, &b, 8, 5);
    let kinds: Vec<_> = alignment.passages[0].segments.iter().map(|segment| segment.kind).collect();
    use SegmentKind::{Changed, Kept, Same};
    assert_eq!(kinds, [Same, Changed, Kept, Changed, Same]);
    assert_eq!((alignment.passages[0].matched, alignment.bridged), (27, Bridged { a: 3, b: 4 }));
    assert_eq!(check_both_ways(&a, &b, 8, 3).passages.len(), 2);
}

#[test]
fn moved_text_makes_passages_that_cross() {
    let a: Vec<u32> = (0..60).collect();
    let b: Vec<u32> = (30..60).chain(0..30).collect();
    assert_eq!(ranges(&check_both_ways(&a, &b, 8, 5)), [[0, 30, 30, 60], [30, 60, 0, 30]]);
}

#[test]
fn passages_outside_the_order_of_most_words_are_moved() {
    let a: Vec<u32> = (0..100).collect();
    let b: Vec<u32> = (60..80).chain(0..60).chain([500; 10]).chain(80..100).collect();
    let moved = |alignment: &Alignment| -> Vec<bool> {
        alignment.passages.iter().map(|passage| passage.is_moved).collect()
    };
    assert_eq!(moved(&check_both_ways(&a, &b, 8, 5)), [false, true, false]);
    assert_eq!(moved(&aligned(&b, &a, 8, 5)), [true, false, false]);
}

#[test]
fn text_that_occurs_once_on_one_side_is_one_passage_and_otherwise_a_repeat() {
    let block: Vec<u32> = (0..10).collect();
    let a = [&block[..], &[50], &block, &[51], &block].concat();
    let b = [&[60], &block[..]].concat();
    let alignment = check_both_ways(&a, &b, 8, 5);
    assert_eq!(alignment.passages.len(), 1);
    assert_eq!(alignment.repeats_a.len(), 2);
    assert_eq!((alignment.overlap.covered_a, alignment.overlap.covered_b), (30, 10));
}

#[test]
fn hashes_that_collide_do_not_make_words_equal() {
    let mut a = Tokens::default();
    let mut b = Tokens::default();
    for (tokens, word) in [(&mut a, b"x"), (&mut b, b"y")] {
        for _ in 0..10 {
            tokens.buffer().extend_from_slice(word);
            tokens.finish_token(7, Span::default());
        }
    }
    assert_eq!(align(&a, &b, &AlignSettings::default()).overlap.shared, 0);
}

/// Large texts in which every chunk repeats must not take quadratic time or memory.
#[test]
fn much_repeated_text_is_aligned_in_linear_time() {
    let n = 100_000u32;
    let same = vec![1; n as usize];
    let one_more = vec![1; n as usize + 1];
    let blocks = |marker: u32| -> Vec<u32> {
        (0..n).map(|at| if at % 9 == 8 { marker + at } else { at % 9 }).collect()
    };
    let period = |p: u32, shift: u32| -> Vec<u32> { (0..n).map(|at| (at + shift) % p).collect() };
    let broken = |p: u32| -> Vec<u32> {
        (0..n).map(|at| if at % 1009 == 0 { n + at } else { (at + at / 1009) % p }).collect()
    };
    let with_end: Vec<u32> = same.iter().copied().chain(0..20).collect();
    let cases = [
        (same.clone(), one_more),
        (with_end, same),
        (blocks(n), blocks(3 * n)),
        (period(2, 0), period(2, 1)),
        (period(300, 0), period(300, 7)),
        (period(300, 0), broken(300)),
        (broken(50), broken(51)),
    ];
    for (number, (a, b)) in cases.iter().enumerate() {
        let begun = Instant::now();
        let alignment = aligned(a, b, 8, 5);
        let seconds = begun.elapsed().as_secs_f64();
        println!("case {number}: {seconds:.2} s, {} passages", alignment.passages.len());
        let words = explained(&alignment).map(|side| side.len() as u64);
        assert_eq!(words, [alignment.overlap.covered_a, alignment.overlap.covered_b]);
        assert!(seconds < 20.0, "case {number} took {seconds} s");
    }
}

#[test]
fn planted_words_are_explained() {
    let mut state = 7u32;
    let mut dice = move |n: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % n
    };
    let a: Vec<u32> = (0..20_000).map(|_| dice(3000)).collect();
    let mut b: Vec<u32> = (0..5000).map(|_| dice(3000)).collect();
    let mut planted = BTreeSet::new();
    for _ in 0..100 {
        let (from, len, to) =
            (dice(19_800) as usize, 20 + dice(100) as usize, dice(b.len() as u32) as usize);
        // Into free text: pieces of an earlier passage may be too short to find.
        let mut words = a[from..from + len].to_vec();
        if len > 60 {
            words[len / 2] = 9999;
        }
        planted.extend(from..from + len);
        let to = if to.is_multiple_of(2) { 0 } else { b.len() };
        b.splice(to..to, words);
    }
    let alignment = aligned(&a, &b, 8, 5);
    let [found, _] = explained(&alignment);
    let share = planted.intersection(&found).count() as f64 / planted.len() as f64;
    assert!(share >= 0.99, "{share}");
}

/// Alignment with `min_words` by the definition: passages and repeats of the whole alignment that are long enough,
/// and what they cover.
fn naive_long(whole: &Alignment, min_words: u32) -> (Vec<[usize; 4]>, [BTreeSet<usize>; 2]) {
    let mut long = whole.clone();
    long.passages.retain(|passage| passage.matched >= min_words);
    long.repeats_a.retain(|repeat| repeat.here.count >= min_words);
    long.repeats_b.retain(|repeat| repeat.here.count >= min_words);
    (ranges(&long), explained(&long))
}

proptest! {
    #[test]
    fn short_passages_are_dropped_and_do_not_count(
        a in prop::collection::vec(0u32..4, 0..60),
        b in prop::collection::vec(0u32..4, 0..60),
        k in 1u32..5,
        max_gap in 0u32..4,
        min_words in 0u32..12,
    ) {
        let rules = PassageRules { max_gap, min_words };
        let settings = AlignSettings { passages: rules, ..settings(k, max_gap) };
        let long = align(&tokens(&a), &tokens(&b), &settings);
        let whole = aligned(&a, &b, k, max_gap);
        let (passages, covered) = naive_long(&whole, min_words);
        prop_assert_eq!(ranges(&long), passages);
        prop_assert_eq!(explained(&long), covered.clone());
        let counted = [long.overlap.covered_a, long.overlap.covered_b];
        prop_assert_eq!(counted, covered.map(|side| side.len() as u64));
        // Chunks are what discovery counts.
        prop_assert_eq!(long.overlap.shared, whole.overlap.shared);
        let in_order: Vec<_> = long.passages.iter().filter(|passage| !passage.is_moved).collect();
        prop_assert!(!in_order.is_empty() || long.passages.is_empty());
        let mirror = mirrored(align(&tokens(&b), &tokens(&a), &settings));
        if a != b {
            prop_assert_eq!(mirror, long);
        }
    }
}
