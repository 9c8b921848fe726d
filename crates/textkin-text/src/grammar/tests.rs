//! Tests of the grammar.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use textkin_core::hash::HashKind;

use super::*;
use crate::selector::Frequencies;

fn chunker_error(text: &str) -> String {
    text.parse::<ChunkerKind>().unwrap_err().to_string()
}

fn selection_error(text: &str) -> String {
    text.parse::<Selection>().unwrap_err().to_string()
}

fn resources() -> Resources {
    let list = vec!["rose".to_owned()];
    Resources {
        lists: [(PathBuf::from("words.txt"), list)].into(),
        frequencies: Some(Frequencies::new(|_| 1)),
    }
}

#[test]
fn every_example_in_the_registry_round_trips_and_is_built() {
    for help in chunkers() {
        let kind: ChunkerKind = help.example.parse().unwrap();
        assert_eq!(kind.to_string(), help.example);
        for hash in HashKind::ALL {
            let _ = kind.build(hash);
        }
        assert!(help.example.starts_with(help.name) && help.syntax.starts_with(help.name));
    }
    for help in selectors() {
        let selection: Selection = help.example.parse().unwrap();
        assert_eq!(selection.to_string(), help.example);
        selection.build(&resources()).map(|_| ()).unwrap();
        assert!(help.example.starts_with(help.name) && help.syntax.starts_with(help.name));
    }
}

#[test]
fn an_unknown_name_suggests_the_nearest_one() {
    assert_eq!(selection_error("winow:8"), "unknown selector 'winow'; did you mean 'winnow'?");
    assert_eq!(
        selection_error("all+halstorm"),
        "unknown selector 'halstorm'; did you mean 'hailstorm'?"
    );
    assert_eq!(chunker_error("sentense"), "unknown chunker 'sentense'; did you mean 'sentence'?");
    assert_eq!(
        selection_error("zzz"),
        "unknown selector 'zzz'; run `textkin strategies` to list them"
    );
    assert_eq!(selection_error(""), "unknown selector ''; run `textkin strategies` to list them");
}

#[test]
fn an_invalid_argument_is_named() {
    assert_eq!(selection_error("winnow:0"), "winnow:0: the window must be at least 1");
    assert_eq!(chunker_error("words:x"), "words:x: 'x' is not a whole number");
    assert_eq!(chunker_error("words:-1"), "words:-1: '-1' is not a whole number");
    assert_eq!(
        chunker_error("words:4294967296"),
        "words:4294967296: the number of words must be at most 4294967295"
    );
    assert_eq!(
        chunker_error("words:8:disjont"),
        "words:8:disjont: unknown variant 'disjont'; write words:K or words:K:disjoint"
    );
}

#[test]
fn a_missing_or_extra_argument_shows_the_syntax() {
    assert_eq!(selection_error("winnow"), "winnow: the window is missing; write winnow:W");
    assert_eq!(selection_error("winnow:"), "winnow:: the window is missing; write winnow:W");
    assert_eq!(
        selection_error("winnow:3:4"),
        "winnow:3:4: unexpected argument '4'; write winnow:W"
    );
    assert_eq!(selection_error("all:3"), "all:3: unexpected argument '3'; write all");
    assert_eq!(chunker_error("word:3"), "word:3: unexpected argument '3'; write word");
    assert_eq!(selection_error("contains"), "contains: the file is missing; write contains:FILE");
    assert_eq!(selection_error("anchor:"), "anchor:: the file is missing; write anchor[:FILE]");
    assert_eq!(selection_error("spex+"), "spex+: missing selector before or after '+'");
}

#[test]
fn defaults_are_filled_in() {
    assert_eq!("words".parse::<ChunkerKind>().unwrap().to_string(), "words:8");
    let prefix: SelectorKind = "rarest-prefix:9:2".parse().unwrap();
    assert_eq!(prefix.to_string(), "rarest-prefix:9");
    assert_eq!(Selection::default().to_string(), "all");
}

#[test]
fn file_names_may_contain_colons_and_plus_signs() {
    let selection: Selection = r"contains:C:\a++b+++no-overlap".parse().unwrap();
    let files: Vec<&Path> = selection.files().collect();
    assert_eq!(files, [Path::new(r"C:\a+b+")]);
    assert_eq!(selection.kinds().len(), 2);
}

#[test]
fn missing_resources_are_reported() {
    let error = |text: &str| {
        let selection: Selection = text.parse().unwrap();
        selection.build(&Resources::default()).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(error("contains:x"), "contains:x: the list x has not been loaded");
    let needs_pass = "rarest-collection:5: requires a first pass over the collection";
    assert_eq!(error("all+rarest-collection:5"), needs_pass);
}

#[test]
fn properties_of_a_selection_are_those_of_its_steps() {
    let selection = |text: &str| text.parse::<Selection>().unwrap();
    assert!(selection("all+spex").is_lossless());
    assert!(!selection("spex+modulo:16").is_lossless());
    assert!(selection("spex+modulo:16+anchor").is_context_free());
    assert!(!selection("hailstorm+no-overlap").is_context_free());
    assert!(selection("all+rarest-collection:3").needs_collection());
    assert!(selection("kth-sentence:3+all").build(&resources()).unwrap().needs_structure());
}

fn any_kind() -> impl Strategy<Value = SelectorKind> {
    let number = || any::<NonZeroU32>();
    let file = || ".+".prop_map(|file: String| file);
    prop_oneof![
        Just(SelectorKind::All),
        Just(SelectorKind::Spex),
        Just(SelectorKind::Hailstorm),
        Just(SelectorKind::NoOverlap),
        Just(SelectorKind::Anchor { file: None }),
        number().prop_map(|l| SelectorKind::Modulo { l }),
        number().prop_map(|l| SelectorKind::Every { l }),
        number().prop_map(|window| SelectorKind::Winnow { window }),
        (number(), 0_u64..).prop_map(|(r, seed)| SelectorKind::Random { r, seed }),
        number().prop_map(|r| SelectorKind::First { r }),
        number().prop_map(|r| SelectorKind::FirstSliding { r }),
        number().prop_map(|r| SelectorKind::RarestDocument { r }),
        number().prop_map(|r| SelectorKind::RarestCollection { r }),
        (number(), number()).prop_map(|(r, p)| SelectorKind::RarestPrefix { r, p }),
        file().prop_map(|file| SelectorKind::Anchor { file: Some(file) }),
        number().prop_map(|k| SelectorKind::KthInSentence { k }),
        number().prop_map(|k| SelectorKind::KthSentence { k }),
        number().prop_map(|k| SelectorKind::KthInParagraph { k }),
        number().prop_map(|r| SelectorKind::Lowest { r }),
        file().prop_map(|file| SelectorKind::Contains { file }),
    ]
}

proptest! {
    #[test]
    fn selections_round_trip(
        kinds in prop::collection::vec(any_kind(), 1..5)
    ) {
        let mut kinds = kinds.into_iter();
        let first = Selection::from(kinds.next().unwrap());
        let selection = kinds.fold(first, Selection::then);
        prop_assert_eq!(selection.to_string().parse(), Ok(selection));
    }

    #[test]
    fn chunkers_round_trip(n: NonZeroU32, which in 0_usize..9) {
        let kind = [
            ChunkerKind::Words { k: n },
            ChunkerKind::DisjointWords { k: n },
            ChunkerKind::Chars { k: n },
            ChunkerKind::Sentence,
            ChunkerKind::Break { p: n },
            ChunkerKind::RevisedBreak { p: n },
            ChunkerKind::Dct { p: n },
            ChunkerKind::Word,
            ChunkerKind::Document,
        ][which];
        prop_assert_eq!(kind.to_string().parse(), Ok(kind));
    }

    #[test]
    fn no_text_makes_the_grammar_panic(
        text in "[a-z:+0-9-]*|.*|(words|winnow|anchor|random|break)[:+0-9é]*"
    ) {
        let _ = text.parse::<ChunkerKind>().map_err(|error| error.to_string());
        if let Ok(selection) = text.parse::<Selection>() {
            prop_assert_eq!(selection.to_string().parse(), Ok(selection));
        }
    }
}
