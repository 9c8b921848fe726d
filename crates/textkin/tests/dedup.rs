//! Cleaning against naive oracles: all pairs compared for documents, all runs for passages.
#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "a test may fail loudly, and has few documents"
)]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use textkin::core::Measure;
use textkin::source::{Format, Inputs, Rewritten, SourceSettings};
use textkin::{Cleaning, Duplicates, Keep, Level, Likeness, Settings, Watch, dedup};

/// The texts as JSON lines, the number of each as its time.
fn inputs(texts: &[String]) -> Inputs {
    let mut lines = String::new();
    for (number, text) in texts.iter().enumerate() {
        let time = number % 5;
        let record = serde_json::json!({ "id": number.to_string(), "text": text, "time": time });
        lines.push_str(&format!("{record}\n"));
    }
    let input_format = Some(Format::Jsonl);
    let settings = SourceSettings { piece_bytes: 64, input_format, ..SourceSettings::default() };
    let mut inputs = Inputs::from_reader("test", std::io::Cursor::new(lines), &settings).unwrap();
    inputs.spool(&std::env::temp_dir()).unwrap();
    inputs
}

fn run(texts: &[String], k: usize, cleaning: Cleaning, threads: usize) -> (Inputs, Duplicates) {
    let settings = Settings {
        chunk: format!("words:{k}").parse().unwrap(),
        threads: Some(threads),
        ..Settings::default()
    };
    let mut inputs = inputs(texts);
    let found = dedup(&mut inputs, &settings, cleaning, &Watch::default()).unwrap();
    (inputs, found)
}

/// What is left of the texts.
fn cleaned(texts: &[String], k: usize, cleaning: Cleaning) -> Vec<String> {
    let (inputs, found) = run(texts, k, cleaning, 2);
    let watch = Watch::default();
    let mut editor = found.editor(false, &watch);
    let mut out = Vec::new();
    for file in inputs.files() {
        assert_eq!(inputs.rewrite(&file, &mut editor, &mut out).unwrap(), Rewritten::Written);
    }
    assert_eq!(editor.take_tally(), found.tally());
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

fn chunks(words: &[String], k: usize) -> Vec<&[String]> {
    match words.len() {
        0 => Vec::new(),
        n if n < k => vec![words],
        _ => words.windows(k).collect(),
    }
}

/// The share of the words of `a` that lie in chunks of `b`, if there are any.
fn held(a: &[String], b: &[String], k: usize) -> Option<f64> {
    let others: BTreeSet<&[String]> = chunks(b, k).into_iter().collect();
    let mut covered = BTreeSet::new();
    for (start, chunk) in chunks(a, k).into_iter().enumerate() {
        if others.contains(chunk) {
            covered.extend(start..start + chunk.len());
        }
    }
    (!covered.is_empty()).then(|| covered.len() as f64 / a.len() as f64)
}

fn ssr(a: &[String], b: &[String], k: usize) -> Option<f64> {
    let a: BTreeSet<&[String]> = chunks(a, k).into_iter().collect();
    let b: BTreeSet<&[String]> = chunks(b, k).into_iter().collect();
    let shared = a.intersection(&b).count();
    (shared > 0).then(|| shared as f64 / (a.len() + b.len() - shared) as f64)
}

/// What goes, what holds it, and how much of it.
fn oracle(texts: &[String], k: usize, cleaning: Cleaning) -> BTreeMap<u32, (u32, f64)> {
    let Level::Document { likeness, threshold } = cleaning.level else { unreachable!() };
    let texts: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    let likeness = |a: usize, b: usize| match likeness {
        Likeness::Held => held(&texts[a], &texts[b], k),
        Likeness::Score(_) => ssr(&texts[a], &texts[b], k),
    };
    let mut order: Vec<usize> = (0..texts.len()).collect();
    match cleaning.keep {
        Keep::First => {}
        Keep::Last => order.reverse(),
        Keep::Longest => order.sort_by_key(|&a| std::cmp::Reverse(texts[a].len())),
        Keep::Field => order.sort_by_key(|&a| std::cmp::Reverse(a % 5)),
        Keep::Best => unreachable!(),
    }
    let mut kept: Vec<usize> = Vec::new();
    let mut gone = BTreeMap::new();
    for &a in &order {
        let copy = kept.iter().find(|&&b| texts[a] == texts[b] && !texts[a].is_empty());
        if let Some(&copy) = copy {
            gone.insert(a as u32, (copy as u32, 1.0));
            continue;
        }
        let mut best: Option<(usize, f64)> = None;
        for &b in &kept {
            let Some(score) = likeness(a, b) else { continue };
            if score >= threshold && best.is_none_or(|(_, most)| score > most) {
                best = Some((b, score));
            }
        }
        match best {
            Some((b, score)) => {
                gone.insert(a as u32, (b as u32, score));
            }
            None => kept.push(a),
        }
    }
    gone
}

/// Texts over few words, so that chunks repeat, with copies and parts of one another.
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

/// The same without words of several tokens, which the oracle does not know.
fn plain_collections() -> impl Strategy<Value = Vec<String>> {
    let plain = |text: String| text.replace("x-y", "x").replace("天地", "z");
    collections().prop_map(move |texts| texts.into_iter().map(plain).collect())
}

fn keeps() -> impl Strategy<Value = Keep> {
    prop::sample::select(vec![Keep::First, Keep::Last, Keep::Longest, Keep::Field])
}

fn document(likeness: Likeness, threshold: f64, keep: Keep) -> Cleaning {
    Cleaning { level: Level::Document { likeness, threshold }, keep }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn exactly_the_documents_go_that_the_oracle_names(
        texts in plain_collections(),
        k in 1usize..4,
        keep in keeps(),
        likeness in prop::sample::select(vec![Likeness::Held, Likeness::Score(Measure::Ssr)]),
        threshold in prop::sample::select(vec![0.3, 0.5, 0.9, 1.0]),
        threads in 1usize..3,
    ) {
        let cleaning = document(likeness, threshold, keep);
        let (_, found) = run(&texts, k, cleaning, threads);
        let found: BTreeMap<u32, (u32, f64)> = found.removed.iter().map(|removal| (removal.document, (removal.duplicate_of, removal.score))).collect();
        prop_assert_eq!(found, oracle(&texts, k, cleaning));
    }

    #[test]
    fn cleaning_documents_twice_changes_nothing_more(texts in collections(), keep in prop_oneof![keeps(), Just(Keep::Best)]) {
        let cleaning = document(Likeness::Held, 0.8, keep);
        let once = cleaned(&texts, 2, cleaning);
        if matches!(keep, Keep::First | Keep::Longest) {
            prop_assert_eq!(&cleaned(&once, 2, cleaning), &once);
        }
        prop_assert!(once.len() <= texts.len());
    }

    #[test]
    fn cut_passages_leave_whole_words_and_no_run_twice(texts in collections(), n in 1u32..5, keep in keeps()) {
        let cleaning = Cleaning { level: Level::Passage { min_words: n }, keep };
        let once = cleaned(&texts, 8, cleaning);
        prop_assert_eq!(once.len(), texts.len(), "no record is lost");
        for (old, new) in texts.iter().zip(&once) {
            // Words as they are written, in their order, none of them new.
            let pieces = |text: &str| -> Vec<String> { text.split(|c: char| c.is_whitespace() || ",.(—;".contains(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect() };
            let mut rest = pieces(old).into_iter();
            for word in pieces(new) {
                let is_there = rest.any(|old| old == word || word.chars().all(|c| "天地".contains(c)) && old.contains(&word));
                prop_assert!(is_there, "{:?} of {:?} in {:?}", word, new, old);
            }
        }
        prop_assert_eq!(&cleaned(&once, 8, cleaning), &once, "once is enough");
    }

    #[test]
    fn cut_lines_are_those_that_were_there_before(texts in plain_collections(), n in 1u32..4) {
        let cleaning = Cleaning { level: Level::Line { min_words: n }, keep: Keep::First };
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
        prop_assert_eq!(&cleaned(&once, 8, cleaning), &once, "once is enough");
    }
}

#[test]
fn a_passage_goes_where_it_stands_again_and_says_where_it_stays() {
    let shared = "seven grey geese crossed the frozen lake";
    let texts = [
        format!("First: {shared}. The end."),
        format!("Then it snowed.\n\n\"{}!\"\n\nNobody saw it.", shared.to_uppercase()),
    ];
    let cleaning = Cleaning { level: Level::Passage { min_words: 5 }, keep: Keep::First };
    let once = cleaned(&texts, 8, cleaning);
    assert_eq!(once, [texts[0].as_str(), "Then it snowed.\n\nNobody saw it."]);
    let (_, found) = run(&texts, 8, cleaning, 1);
    let removal = found.removed[0];
    let place = removal.place.unwrap();
    assert_eq!((removal.document, removal.duplicate_of, removal.words), (1, 0, 7));
    assert_eq!(texts[1][place.span.range()].to_lowercase(), shared);
    assert_eq!((place.word, place.stays_at), (3, 1));
}

#[test]
fn documents_without_words_stay_and_short_copies_go() {
    let texts = ["", "?!", "yes", "", "Yes.", "no"].map(str::to_owned);
    let cleaning = document(Likeness::Held, 0.9, Keep::First);
    assert_eq!(cleaned(&texts, 8, cleaning), ["", "?!", "yes", "", "no"]);
}

#[test]
fn the_best_of_several_has_the_most_in_common_with_all() {
    let middle = "one two three four five six seven eight nine ten";
    let texts = [
        format!("{middle} x1 x2"),
        format!("y1 y2 {middle}"),
        middle.to_owned(),
        "something else".to_owned(),
    ];
    let cleaning = document(Likeness::Score(Measure::Ssr), 0.5, Keep::Best);
    let (_, found) = run(&texts, 3, cleaning, 1);
    let gone: Vec<(u32, u32)> =
        found.removed.iter().map(|removal| (removal.document, removal.duplicate_of)).collect();
    assert_eq!(gone, [(0, 2), (1, 2)]);
}

#[test]
fn a_document_that_is_wholly_in_a_longer_one_goes_only_after_it() {
    let short = "one two three four five six seven eight".to_owned();
    let long = format!("{short} and quite some more of it that is nowhere else to be found");
    let texts = [short, long.clone()];
    let keep = |keep| document(Likeness::Held, 0.9, keep);
    assert_eq!(cleaned(&texts, 4, keep(Keep::First)).len(), 2);
    assert_eq!(cleaned(&texts, 4, keep(Keep::Longest)), [long]);
}

#[test]
fn what_would_cut_words_that_are_not_the_same_is_refused() {
    let settings =
        |steps: &str| Settings { normalization: steps.parse().unwrap(), ..Settings::default() };
    let cleaning = Cleaning { level: Level::Line { min_words: 1 }, keep: Keep::First };
    for steps in ["nfkc+fold+stop:en", "fold+no-quotes", "numbers", "stem:en"] {
        let found = dedup(&mut inputs(&[]), &settings(steps), cleaning, &Watch::default());
        assert!(matches!(found, Err(textkin::Error::OtherWords)), "{steps}");
    }
    let best = Cleaning { keep: Keep::Best, ..cleaning };
    let found = dedup(&mut inputs(&[]), &Settings::default(), best, &Watch::default());
    assert!(matches!(found, Err(textkin::Error::BestOfParts)));
}

#[test]
fn too_many_pairs_are_an_error_and_never_a_wrong_result() {
    let texts =
        ["one two three four", "one two three five", "zero one two three"].map(str::to_owned);
    let settings =
        Settings { chunk: "words:2".parse().unwrap(), most_blocks: Some(0), ..Settings::default() };
    let found = |likeness| {
        let cleaning = document(likeness, 0.3, Keep::First);
        dedup(&mut inputs(&texts), &settings, cleaning, &Watch::default())
    };
    assert!(matches!(found(Likeness::Held), Err(textkin::Error::TooManyPairs)));
    let by_score = found(Likeness::Score(Measure::Ssr));
    assert!(matches!(by_score, Err(textkin::Error::Unlisted)));
}
