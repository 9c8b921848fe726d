//! Deduplication against naive oracles: all pairs compared for documents, all runs for passages.
#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and has few documents"
)]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use textkin::engine::source::{InputFormat, Inputs, RewriteOutcome, SourceSettings};
use textkin::engine::text::tokenizer::WordTokenizer;
use textkin::engine::types::{Layers, Measure, Overlap, Tokenizer, Tokens};
use textkin::engine::{
    DedupLevel, DedupSettings, DuplicateMeasure, Duplicates, KeepRule, RunControl, Settings, dedup,
};

/// Returns the texts as JSON lines, with the number modulo five as the time.
fn inputs(texts: &[String]) -> Inputs {
    let mut lines = String::new();
    for (number, text) in texts.iter().enumerate() {
        let time = number % 5;
        let record = serde_json::json!({ "id": number.to_string(), "text": text, "time": time });
        lines.push_str(&format!("{record}\n"));
    }
    let input_format = Some(InputFormat::Jsonl);
    let settings = SourceSettings { piece_bytes: 64, input_format, ..SourceSettings::default() };
    let mut inputs = Inputs::from_reader("test", std::io::Cursor::new(lines), &settings).unwrap();
    inputs.spool(&std::env::temp_dir()).unwrap();
    inputs
}

fn run(
    texts: &[String],
    k: usize,
    cleaning: DedupSettings,
    threads: usize,
) -> (Inputs, Duplicates) {
    let settings = Settings {
        chunk: format!("words:{k}").parse().unwrap(),
        threads: Some(threads),
        ..Settings::default()
    };
    let mut inputs = inputs(texts);
    let found = dedup(&mut inputs, &settings, cleaning, &RunControl::default()).unwrap();
    (inputs, found)
}

/// Returns the texts after deduplication.
fn cleaned(texts: &[String], k: usize, cleaning: DedupSettings) -> Vec<String> {
    let (inputs, found) = run(texts, k, cleaning, 2);
    let control = RunControl::default();
    let mut editor = found.editor(false, &control);
    let mut out = Vec::new();
    for file in inputs.files() {
        assert_eq!(inputs.rewrite(&file, &mut editor, &mut out).unwrap(), RewriteOutcome::Written);
    }
    assert_eq!(editor.take_counts(), found.counts());
    editor.finish().unwrap();
    let text = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record["text"].as_str().unwrap().to_owned()
    };
    String::from_utf8(out).unwrap().lines().map(text).collect()
}

fn words(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric();
    text.split(|c| !is_word(c)).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}

/// Returns the words as textkin tokenizes them.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Tokens::new(Layers::NONE);
    WordTokenizer::new(&Settings::default().normalization).tokenize(text, &mut tokens);
    let words = String::from_utf8(tokens.normalized().to_vec()).unwrap();
    words.split_terminator(' ').map(str::to_owned).collect()
}

/// The texts, compared chunk by chunk and pair by pair.
struct Naive {
    words: Vec<Vec<String>>,
    /// The chunks of each text, numbered, and the words of each of them.
    chunks: Vec<Vec<usize>>,
    lengths: Vec<usize>,
    /// Number of documents that contain each chunk.
    frequency: Vec<usize>,
}

impl Naive {
    fn new(texts: &[String], k: usize) -> Self {
        let words: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
        let mut numbers: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut all = Vec::new();
        let mut lengths = Vec::new();
        for text in &words {
            let chunks = match text.len() {
                0 => Vec::new(),
                n if n < k => vec![text.as_slice()],
                _ => text.windows(k).collect(),
            };
            lengths.push(k.min(text.len()));
            let number = |chunk: &[String]| {
                let next = numbers.len();
                *numbers.entry(chunk.to_vec()).or_insert(next)
            };
            all.push(chunks.into_iter().map(number).collect::<Vec<_>>());
        }
        let mut frequency = vec![0; numbers.len()];
        for text in &all {
            text.iter().collect::<BTreeSet<_>>().into_iter().for_each(|&c| frequency[c] += 1);
        }
        Self { words, chunks: all, lengths, frequency }
    }

    /// Returns the overlap of two texts, if they share a chunk.
    fn overlap(&self, a: usize, b: usize) -> Option<Overlap> {
        let set = |text: usize| self.chunks[text].iter().copied().collect::<BTreeSet<usize>>();
        let (in_a, in_b) = (set(a), set(b));
        let shared: Vec<usize> = in_a.intersection(&in_b).copied().collect();
        let covered = |text: usize| {
            let mut covered = vec![false; self.words[text].len()];
            for (start, chunk) in self.chunks[text].iter().enumerate() {
                if shared.binary_search(chunk).is_ok() {
                    covered[start..start + self.lengths[text]].fill(true);
                }
            }
            covered.into_iter().filter(|&is_covered| is_covered).count() as u64
        };
        (!shared.is_empty()).then(|| Overlap {
            shared: shared.len() as u64,
            rarity: shared.iter().map(|&chunk| 1.0 / self.frequency[chunk] as f64).sum(),
            words_a: self.words[a].len() as u64,
            words_b: self.words[b].len() as u64,
            chunks_a: in_a.len() as u64,
            chunks_b: in_b.len() as u64,
            covered_a: covered(a),
            covered_b: covered(b),
            // No measure of deduplication uses it.
            longest_run: 0,
        })
    }
}

/// Returns the documents to remove, each with its keeper and score.
fn oracle(texts: &[String], k: usize, cleaning: DedupSettings) -> BTreeMap<u32, (u32, f64)> {
    let DedupLevel::Document { measure, threshold } = cleaning.level else { unreachable!() };
    let naive = Naive::new(texts, k);
    let texts = &naive.words;
    let commonness = |a: usize| {
        let chunks: BTreeSet<usize> = naive.chunks[a].iter().copied().collect();
        let others: usize = chunks.iter().map(|&chunk| naive.frequency[chunk] - 1).sum();
        others as f64 / (chunks.len().max(1) as f64).sqrt()
    };
    let mut order: Vec<usize> = (0..texts.len()).collect();
    match cleaning.keep {
        KeepRule::First => {}
        KeepRule::Last => order.reverse(),
        KeepRule::Longest => order.sort_by_key(|&a| std::cmp::Reverse(texts[a].len())),
        KeepRule::Field => order.sort_by_key(|&a| std::cmp::Reverse(a % 5)),
        KeepRule::Best => {
            order.sort_by(|&a, &b| commonness(b).total_cmp(&commonness(a)));
        }
    }
    let mut kept: Vec<usize> = Vec::new();
    let mut removed = BTreeMap::new();
    for &a in &order {
        let copy = kept.iter().find(|&&b| texts[a] == texts[b] && !texts[a].is_empty());
        if let Some(&copy) = copy {
            removed.insert(a as u32, (copy as u32, 1.0));
            continue;
        }
        let mut best: Option<(usize, f64)> = None;
        for &b in &kept {
            let Some(overlap) = naive.overlap(a, b) else { continue };
            let score = match measure {
                DuplicateMeasure::Containment => overlap.a_in_b(),
                DuplicateMeasure::Score(measure) => measure.score(&overlap),
            };
            if score >= threshold && best.is_none_or(|(_, highest)| score > highest) {
                best = Some((b, score));
            }
        }
        match best {
            Some((b, score)) => {
                removed.insert(a as u32, (b as u32, score));
            }
            None => kept.push(a),
        }
    }
    removed
}

/// Generates texts of few words, so that chunks repeat, with copies and concatenations.
fn collections() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "E", "Ä", "1", "x-y", "天地"]);
    let separator = prop::sample::select(vec![" ", ", ", "\n", "\r\n\r\n", ". ", " (", "—", ";"]);
    let text = prop::collection::vec((word, separator), 0..30).prop_map(|parts| {
        parts.into_iter().flat_map(|(word, gap)| [word, gap]).collect::<String>()
    });
    (prop::collection::vec(text, 0..10), prop::collection::vec((0usize..10, 0usize..10), 0..6))
        .prop_map(|(mut texts, joins)| {
            for (a, b) in joins {
                if let (Some(a), Some(b)) = (texts.get(a).cloned(), texts.get(b).cloned()) {
                    texts.push(a.clone());
                    texts.push(format!("{a} {b}"));
                }
            }
            texts
        })
}

/// Generates texts that are hard to cut: joined emoji, combining marks, right-to-left text,
/// invisible characters, line ends of all kinds.
fn difficult_collections() -> impl Strategy<Value = Vec<String>> {
    let part = prop::sample::select(vec![
        "a",
        "b",
        "שלום",
        "مرحبا",
        "e\u{301}",
        "\u{200d}",
        "\u{200b}",
        "\u{feff}",
        "👩\u{200d}👩",
        "👍🏽",
        "ﬁ",
        "x\u{ad}y",
        "天地",
        "ไทย",
        "\u{202e}",
        "\u{2028}",
        "1.5",
        "don't",
        "\r\n",
        "\r",
        "\n\n",
        "\u{a0}",
        " ",
        " ",
        " ",
        "\t",
        "-",
        "_",
        "…",
        "»",
        "\0",
    ]);
    let text = prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat());
    (prop::collection::vec(text, 0..6), prop::collection::vec((0usize..6, 0usize..6), 0..5))
        .prop_map(|(mut texts, joins)| {
            for (a, b) in joins {
                if let (Some(a), Some(b)) = (texts.get(a).cloned(), texts.get(b).cloned()) {
                    texts.push(format!("{a} {b}"));
                    texts.push(format!("{b}\r\n\r\n{a}"));
                }
            }
            texts
        })
}

/// Generates the same texts without words of several tokens, which the oracle does not support.
fn plain_collections() -> impl Strategy<Value = Vec<String>> {
    let plain = |text: String| text.replace("x-y", "x").replace("天地", "z");
    collections().prop_map(move |texts| texts.into_iter().map(plain).collect())
}

fn keeps() -> impl Strategy<Value = KeepRule> {
    prop::sample::select(vec![KeepRule::First, KeepRule::Last, KeepRule::Longest, KeepRule::Field])
}

fn likenesses() -> impl Strategy<Value = DuplicateMeasure> {
    let scores = prop::sample::select(Measure::ALL.to_vec()).prop_map(DuplicateMeasure::Score);
    prop_oneof![Just(DuplicateMeasure::Containment), scores]
}

fn document(measure: DuplicateMeasure, threshold: f64, keep: KeepRule) -> DedupSettings {
    DedupSettings { level: DedupLevel::Document { measure, threshold }, keep }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn removed_documents_equal_those_of_the_oracle(
        texts in plain_collections(),
        k in 1usize..4,
        keep in keeps(),
        measure in likenesses(),
        // No score equals these values, so that rounding has no effect.
        threshold in prop::sample::select(vec![0.300_17, 0.500_17, 0.900_17, 1.0]),
        threads in 1usize..3,
    ) {
        let cleaning = document(measure, threshold, keep);
        let (_, found) = run(&texts, k, cleaning, threads);
        let expected = oracle(&texts, k, cleaning);
        let is_rounded = matches!(measure, DuplicateMeasure::Score(Measure::S4 | Measure::Kin));
        prop_assume!(!is_rounded || threshold < 1.0);
        let documents: Vec<u32> = found.removed.iter().map(|removal| removal.document).collect();
        prop_assert_eq!(&documents, &expected.keys().copied().collect::<Vec<_>>());
        for removal in &found.removed {
            let (keeper, score) = expected[&removal.document];
            prop_assert!((removal.score - score).abs() < 1e-9);
            prop_assert!(is_rounded || (removal.duplicate_of, removal.score) == (keeper, score));
        }
    }

    #[test]
    fn keep_best_equals_the_oracle(texts in plain_collections(), k in 1usize..3, threads in 1usize..3) {
        let cleaning = document(DuplicateMeasure::Score(Measure::S1), 2.0, KeepRule::Best);
        let (_, found) = run(&texts, k, cleaning, threads);
        let found: BTreeMap<u32, (u32, f64)> = found.removed.iter().map(|removal| (removal.document, (removal.duplicate_of, removal.score))).collect();
        prop_assert_eq!(found, oracle(&texts, k, cleaning));
    }

    #[test]
    fn deduplicating_documents_twice_changes_nothing(texts in collections(), keep in prop_oneof![keeps(), Just(KeepRule::Best)]) {
        let cleaning = document(DuplicateMeasure::Containment, 0.8, keep);
        let once = cleaned(&texts, 2, cleaning);
        if matches!(keep, KeepRule::First | KeepRule::Longest) {
            prop_assert_eq!(&cleaned(&once, 2, cleaning), &once);
        }
        prop_assert!(once.len() <= texts.len());
    }

    #[test]
    fn removed_passages_leave_whole_words_and_no_repeated_run(texts in collections(), n in 1u32..5, keep in keeps()) {
        let cleaning = DedupSettings { level: DedupLevel::Passage { min_words: n }, keep };
        let once = cleaned(&texts, 8, cleaning);
        prop_assert_eq!(once.len(), texts.len(), "no record is lost");
        for (old, new) in texts.iter().zip(&once) {
            // The remaining words are words of the original, in order.
            let pieces = |text: &str| -> Vec<String> { text.split(|c: char| c.is_whitespace() || ",.(—;".contains(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect() };
            let mut rest = pieces(old).into_iter();
            for word in pieces(new) {
                let is_present = rest.any(|old| old == word || word.chars().all(|c| "天地".contains(c)) && old.contains(&word));
                prop_assert!(is_present, "{:?} of {:?} in {:?}", word, new, old);
            }
        }
        prop_assert_eq!(&cleaned(&once, 8, cleaning), &once, "a second run changes nothing");
    }

    #[test]
    fn difficult_texts_are_cut_between_words(
        texts in difficult_collections(),
        n in 1u32..5,
        is_line in any::<bool>(),
        keep in keeps(),
    ) {
        let level = match is_line {
            true => DedupLevel::Line { min_words: n },
            false => DedupLevel::Passage { min_words: n },
        };
        let cleaning = DedupSettings { level, keep };
        let once = cleaned(&texts, 8, cleaning);
        prop_assert_eq!(once.len(), texts.len(), "no record is lost");
        for (old, new) in texts.iter().zip(&once) {
            // The remaining characters are in the original, in order; only spaces may be added.
            let mut rest = old.chars();
            for character in new.chars() {
                prop_assert!(character == ' ' || rest.any(|c| c == character), "{:?} of {:?}", new, old);
            }
            // Every remaining word was a word of the original.
            let mut old_words = tokens(old).into_iter();
            for word in tokens(new) {
                prop_assert!(old_words.any(|old| old == word), "{:?} of {:?} in {:?}", word, new, old);
            }
        }
        prop_assert_eq!(&cleaned(&once, 8, cleaning), &once, "a second run changes nothing");
    }

    #[test]
    fn removals_do_not_depend_on_threads(texts in collections(), n in 1u32..4, keep in keeps()) {
        for level in [DedupLevel::Passage { min_words: n }, DedupLevel::Line { min_words: n }] {
            let cleaning = DedupSettings { level, keep };
            let (_, one) = run(&texts, 8, cleaning, 1);
            let (_, many) = run(&texts, 8, cleaning, 3);
            prop_assert_eq!(one.removed, many.removed);
        }
    }

    #[test]
    fn removed_lines_occurred_before(texts in plain_collections(), n in 1u32..4) {
        let cleaning = DedupSettings { level: DedupLevel::Line { min_words: n }, keep: KeepRule::First };
        let once = cleaned(&texts, 8, cleaning);
        prop_assert_eq!(once.len(), texts.len(), "no record is lost");
        let mut seen = BTreeSet::new();
        for line in once.iter().flat_map(|text| text.lines()) {
            let line = words(line);
            if line.len() >= n as usize {
                prop_assert!(seen.insert(line));
            }
        }
        for (old, new) in texts.iter().zip(&once) {
            let mut lines = old.lines();
            prop_assert!(new.lines().all(|line| lines.any(|old| old == line)), "{:?} {:?}", old, new);
        }
        prop_assert_eq!(&cleaned(&once, 8, cleaning), &once, "a second run changes nothing");
    }
}

#[test]
fn a_repeated_passage_is_removed_with_the_position_of_its_keeper() {
    let shared = "seven grey geese crossed the frozen lake";
    let texts = [
        format!("First: {shared}. The end."),
        format!("Then it snowed.\n\n\"{}!\"\n\nNobody saw it.", shared.to_uppercase()),
    ];
    let cleaning =
        DedupSettings { level: DedupLevel::Passage { min_words: 5 }, keep: KeepRule::First };
    let once = cleaned(&texts, 8, cleaning);
    assert_eq!(once, [texts[0].as_str(), "Then it snowed.\n\nNobody saw it."]);
    let (_, found) = run(&texts, 8, cleaning, 1);
    let removal = found.removed[0];
    let part = removal.part.unwrap();
    assert_eq!((removal.document, removal.duplicate_of, removal.words), (1, 0, 7));
    assert_eq!(texts[1][part.span.range()].to_lowercase(), shared);
    assert_eq!((part.word, part.keeper_position), (3, 1));
}

#[test]
fn documents_without_words_are_kept_and_short_copies_removed() {
    let texts = ["", "?!", "yes", "", "Yes.", "no"].map(str::to_owned);
    let cleaning = document(DuplicateMeasure::Containment, 0.9, KeepRule::First);
    assert_eq!(cleaned(&texts, 8, cleaning), ["", "?!", "yes", "", "no"]);
}

#[test]
fn keep_best_prefers_the_document_with_most_in_common() {
    let middle = "one two three four five six seven eight nine ten";
    let texts = [
        format!("{middle} x1 x2"),
        format!("y1 y2 {middle}"),
        middle.to_owned(),
        "something else".to_owned(),
    ];
    let cleaning = document(DuplicateMeasure::Score(Measure::Ssr), 0.5, KeepRule::Best);
    let (_, found) = run(&texts, 3, cleaning, 1);
    let removed: Vec<(u32, u32)> =
        found.removed.iter().map(|removal| (removal.document, removal.duplicate_of)).collect();
    assert_eq!(removed, [(0, 2), (1, 2)]);
}

#[test]
fn a_contained_document_is_removed_only_after_the_longer_one() {
    let short = "one two three four five six seven eight".to_owned();
    let long = format!("{short} and quite some more of it that is nowhere else to be found");
    let texts = [short, long.clone()];
    let keep = |keep| document(DuplicateMeasure::Containment, 0.9, keep);
    assert_eq!(cleaned(&texts, 4, keep(KeepRule::First)).len(), 2);
    assert_eq!(cleaned(&texts, 4, keep(KeepRule::Longest)), [long]);
}

#[test]
fn normalizations_that_equate_words_are_rejected() {
    let settings =
        |steps: &str| Settings { normalization: steps.parse().unwrap(), ..Settings::default() };
    let cleaning =
        DedupSettings { level: DedupLevel::Line { min_words: 1 }, keep: KeepRule::First };
    for steps in ["nfkc+fold+stop:en", "fold+no-quotes", "numbers", "stem:en"] {
        let found = dedup(&mut inputs(&[]), &settings(steps), cleaning, &RunControl::default());
        assert!(matches!(found, Err(textkin::Error::UnsafeNormalization)), "{steps}");
    }
    let best = DedupSettings { keep: KeepRule::Best, ..cleaning };
    let found = dedup(&mut inputs(&[]), &Settings::default(), best, &RunControl::default());
    assert!(matches!(found, Err(textkin::Error::BestNeedsDocuments)));
}

/// Returns variants of one base text: each with its own changes, some with shared changes, some far
/// from the base, so that several are kept.
fn family(n: usize) -> Vec<String> {
    let mut state = 7u64;
    let mut random = move |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let base: Vec<u64> = (0..60).collect();
    let text = |number: usize| {
        let mut words = base.clone();
        for _ in 0..random(9) {
            let at = random(60) as usize;
            words[at] = 100 + random(if number.is_multiple_of(3) { 4 } else { 100_000 });
        }
        words.truncate(20 + random(41) as usize);
        words.extend((0..random(12)).map(|_| 1_000_000 + random(1_000_000)));
        words.iter().map(|word| format!("w{word} ")).collect::<String>()
    };
    (0..n).map(text).collect()
}

#[test]
fn a_large_family_equals_the_oracle() {
    let texts = family(1060);
    let likenesses = [
        DuplicateMeasure::Containment,
        DuplicateMeasure::Score(Measure::Ssr),
        DuplicateMeasure::Score(Measure::Containment),
    ];
    for (measure, threshold) in likenesses.into_iter().zip([0.8, 0.6, 0.9]) {
        let cleaning = document(measure, threshold, KeepRule::First);
        let (_, found) = run(&texts, 3, cleaning, 2);
        let n_removed = found.removed.len();
        assert!((50..1050).contains(&n_removed), "{n_removed} removed");
        let found: BTreeMap<u32, (u32, f64)> =
            found.removed.iter().map(|r| (r.document, (r.duplicate_of, r.score))).collect();
        assert_eq!(found, oracle(&texts, 3, cleaning));
    }
}

/// Generates texts that repeat runs of consecutive words of one another.
fn repeating() -> impl Strategy<Value = Vec<String>> {
    let run = (0usize..400, 1usize..60);
    let text = prop::collection::vec(run, 0..6);
    prop::collection::vec(text, 1..40).prop_map(|texts| {
        let text = |runs: Vec<(usize, usize)>| -> String {
            let words = runs.into_iter().map(|(from, n)| {
                let words = (from..from + n).map(|word| format!("w{word}")).collect::<Vec<_>>();
                words.join(if from % 3 == 0 { "\n" } else { " " }) + "\n"
            });
            words.collect()
        };
        texts.into_iter().map(text).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn removals_do_not_depend_on_memory(
        texts in repeating(),
        min_words in 1u32..6,
        keep in prop::sample::select(vec![KeepRule::First, KeepRule::Last, KeepRule::Longest, KeepRule::Field]),
    ) {
        for level in [DedupLevel::Passage { min_words }, DedupLevel::Line { min_words }] {
            let found = |memory: Option<u64>| {
                let settings = Settings { memory, threads: Some(2), ..Settings::default() };
                let mut inputs = inputs(&texts);
                let cleaning = DedupSettings { level, keep };
                let found = dedup(&mut inputs, &settings, cleaning, &RunControl::default()).unwrap();
                let control = RunControl::default();
                let mut editor = found.editor(false, &control);
                let mut out = Vec::new();
                for file in inputs.files() {
                    inputs.rewrite(&file, &mut editor, &mut out).unwrap();
                }
                drop(editor);
                (found.removed, out)
            };
            let expected = found(None);
            for memory in [0, 10_000, 60_000, 1 << 20] {
                prop_assert_eq!(&found(Some(memory)), &expected, "{} bytes", memory);
            }
        }
    }
}

#[test]
fn duplicates_are_found_in_text_larger_than_memory() {
    // Most repeated text is known only from disk.
    let text = |seed: usize| -> String {
        (0..3_000).map(|n| format!("w{}\n", (seed % 20) * 3_000 + n)).collect()
    };
    let texts: Vec<String> = (0..40).map(text).collect();
    for level in [DedupLevel::Passage { min_words: 8 }, DedupLevel::Line { min_words: 1 }] {
        for keep in [KeepRule::First, KeepRule::Last] {
            let settings = Settings { memory: Some(200_000), ..Settings::default() };
            let cleaning = DedupSettings { level, keep };
            let found =
                dedup(&mut inputs(&texts), &settings, cleaning, &RunControl::default()).unwrap();
            assert_eq!(found.counts().words_removed, 60_000, "{cleaning:?}");
            assert!(
                found
                    .removed
                    .iter()
                    .all(|removal| removal.duplicate_of.abs_diff(removal.document) == 20)
            );
        }
    }
}
