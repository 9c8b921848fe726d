//! Comparison and discovery give the same counts for the same two texts.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use proptest::prelude::*;
use textkin::engine::source::{InputFormat, Inputs, SourceSettings};
use textkin::engine::types::Overlap;
use textkin::engine::{RunControl, Settings, compare, discover};

fn settings(k: u32, normalize: &str) -> Settings {
    Settings {
        chunk: format!("words:{k}").parse().unwrap(),
        normalization: normalize.parse().unwrap(),
        threshold: 0.0,
        threads: Some(1),
        ..Settings::default()
    }
}

/// Returns the overlap of two texts according to discovery, if they share anything.
fn discovered(a: &str, b: &str, settings: &Settings) -> Option<Overlap> {
    let record = |id: &str, text: &str| serde_json::json!({ "id": id, "text": text }).to_string();
    let lines = format!("{}\n{}\n", record("a", a), record("b", b));
    let source_settings =
        SourceSettings { input_format: Some(InputFormat::Jsonl), ..SourceSettings::default() };
    let mut source =
        Inputs::from_reader("two", std::io::Cursor::new(lines), &source_settings).unwrap();
    let found = discover(&mut source, settings, &RunControl::default()).unwrap();
    found.graph.rows().next().map(|pair| pair.overlap)
}

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["a", "b", "c", "Ä", "½", "x’y", "the", "\"", "”", "“"]);
    let gap = prop::sample::select(vec![" ", ", ", "\n", "\n\n", " \u{200b}", "—"]);
    let literature = prop::bool::weighted(0.2);
    (prop::collection::vec((word, gap), 0..40), literature).prop_map(|(parts, literature)| {
        let text: String = parts.into_iter().flat_map(|(word, gap)| [word, gap]).collect();
        if literature { text + "\nLiterature\na b c a b" } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn comparison_and_discovery_count_the_same(
        a in text(), middle in text(), b in text(), k in 1u32..6,
        normalize in prop::sample::select(vec!["nfkc+fold", "none", "no-quotes+nfkc+fold", "no-bibliography+stop:en"]),
        template in prop::option::of(text()),
    ) {
        let (a, b) = (format!("{a} {middle}"), format!("{middle} {b}"));
        let settings = Settings { templates: template.into_iter().collect(), ..settings(k, normalize) };
        let comparison = compare(&a, &b, &settings, 3).unwrap();
        let overlap = comparison.alignment.overlap;
        match discovered(&a, &b, &settings) {
            Some(expected) => prop_assert_eq!(overlap, expected),
            None => prop_assert_eq!((overlap.shared, overlap.covered_a, overlap.covered_b), (0, 0, 0)),
        }
        let excludes = normalize.contains("no-") || !settings.templates.is_empty();
        prop_assert_eq!(comparison.raw.is_some(), excludes);
        if let Some(raw) = comparison.raw {
            prop_assert!(raw.words_a >= overlap.words_a && raw.words_b >= overlap.words_b);
        }
        for (text, excluded) in [(&a, &comparison.excluded_a), (&b, &comparison.excluded_b)] {
            prop_assert!(excluded.is_sorted_by(|one, next| one.span.end <= next.span.start));
            prop_assert!(excluded.iter().all(|excluded| text.get(excluded.span.range()).is_some()));
        }
    }
}

#[test]
fn spans_are_bytes_of_the_original_texts() {
    let a = "Größer — „schöner“ und weiter, als man es je für möglich hielt: Ende.";
    let b = "Vorher. GRÖSSER, schöner und weiter als man es je für möglich hielt!";
    let comparison = compare(a, b, &settings(8, "nfkc+fold"), 5).unwrap();
    let [passage] = &comparison.alignment.passages[..] else { panic!("{comparison:?}") };
    assert_eq!(&a[passage.a.span.range()], a.strip_suffix(": Ende.").unwrap());
    let expected = b.strip_prefix("Vorher. ").unwrap().strip_suffix('!').unwrap();
    assert_eq!(&b[passage.b.span.range()], expected);
}

#[test]
fn chunks_other_than_runs_of_words_are_rejected() {
    let settings = Settings { chunk: "sentence".parse().unwrap(), ..Settings::default() };
    let error = compare("a", "b", &settings, 5).unwrap_err().to_string();
    assert_eq!(error, "comparing two texts needs chunks of words: use words:K, not sentence");
}
