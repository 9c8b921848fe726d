//! The tokenizer compared with a naive implementation, and its guarantees about spans.

use caseless::Caseless;
use proptest::prelude::*;
use textkin_core::chunk::token_hash;
use textkin_core::{Layers, Tokenizer, Tokens};
use unicode_normalization::UnicodeNormalization;

use super::disguise::{Script, is_zero_width, unmasked};
use super::{Normalization, Template, WordTokenizer};

/// The definition: remove, compose, fold, split.
fn naive(text: &str) -> Vec<String> {
    let is_removed = |c: &char| {
        ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'].contains(c)
    };
    let kept: String = text.chars().filter(|c| !is_removed(c)).collect();
    let folded: String = kept.nfkc().default_case_fold().collect();
    let words = folded.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The definition with disguises: remove, compose, split where the folded text does, undo, fold.
fn naive_undisguised(text: &str) -> Vec<String> {
    let is_soft = |c: char| c == '\u{ad}';
    let is_removed = |c: char| is_soft(c) || "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}".contains(c);
    let all: Vec<char> = text.chars().collect();
    let is_out = |c: &&char| is_removed(**c) || is_zero_width(**c);
    let is_plain = |c: Option<&char>| c.is_some_and(|c| Script::of(*c) != Script::Other);
    let kept = all.iter().enumerate().filter(|&(at, &c)| {
        let is_inside = || {
            is_plain(all[..at].iter().rev().find(|c| !is_out(c)))
                && is_plain(all[at..].iter().find(|c| !is_out(c)))
        };
        !(is_removed(c) || is_zero_width(c) && is_inside())
    });
    let composed = kept.map(|(_, c)| *c).collect::<String>().nfkc().collect::<String>();
    let mut words = vec![(String::new(), String::new(), false)];
    for character in composed.chars() {
        let mut given_to = Vec::new();
        for part in std::iter::once(character).default_case_fold() {
            if !part.is_alphanumeric() {
                words.push((String::new(), String::new(), false));
                continue;
            }
            let number = words.len() - 1;
            let (word, folded, _) = &mut words[number];
            folded.push(part);
            if given_to.last() != Some(&number) {
                word.push(character);
                given_to.push(number);
            }
        }
        if given_to.len() > 1 {
            given_to.iter().for_each(|&number| words[number].2 = true);
        }
    }
    let honest = |(word, folded, has_half): (String, String, bool)| match unmasked(&word) {
        Some(honest) if !has_half => {
            honest.chars().default_case_fold().filter(|c| c.is_alphanumeric()).collect()
        }
        _ => folded,
    };
    words.into_iter().map(honest).filter(|word| !word.is_empty()).collect()
}

fn tokenize(steps: &str, text: &str) -> Tokens {
    let normalization: Normalization = steps.parse().unwrap();
    let mut tokens = Tokens::new(Layers::ALL);
    WordTokenizer::new(&normalization).tokenize(text, &mut tokens);
    tokens
}

fn strings(tokens: &Tokens) -> Vec<String> {
    let token = |index| String::from_utf8(tokens.token(index).to_vec()).unwrap();
    (0..tokens.len()).map(token).collect()
}

fn words(steps: &str, text: &str) -> String {
    strings(&tokenize(steps, text)).join(" ")
}

/// Checks the properties of every text.
fn check(text: &str) {
    let tokens = tokenize("nfkc+fold", text);
    assert_eq!(strings(&tokens), naive(text));
    let undisguised = tokenize("nfkc+undisguise+fold", text);
    assert_eq!(strings(&undisguised), naive_undisguised(text));
    let mut bare = Tokens::new(Layers::NONE);
    WordTokenizer::new(&"nfkc+fold".parse().unwrap()).tokenize(text, &mut bare);
    assert_eq!((bare.normalized(), bare.ends()), (tokens.normalized(), tokens.ends()));
    assert_eq!(bare.hashes(), tokens.hashes());
    check_hashes("nfkc+undisguise+fold", text, &undisguised);
    assert_eq!(tokens.spans().len(), tokens.len());
    for index in 0..tokens.len() {
        assert_eq!(tokens.hashes()[index], token_hash(tokens.token(index)));
        let span = tokens.spans()[index];
        let source = text.get(span.range()).expect("spans lie on character boundaries");
        assert!(!source.is_empty());
        if source.is_ascii() {
            assert_eq!(source.to_ascii_lowercase().as_bytes(), tokens.token(index));
        }
        if index > 0 {
            let before = tokens.spans()[index - 1];
            assert!(before.start <= span.start && before.end <= span.end);
            let is_shared = before.end > span.start;
            assert!(!is_shared || naive(source).len() > 1, "{before:?} {span:?}");
        }
    }
}

/// Checks that hashes and spans are the same without the words themselves.
fn check_hashes(steps: &str, text: &str, whole: &Tokens) {
    let mut hashed = Tokens::new(Layers { hashes_only: true, ..Layers::ALL });
    WordTokenizer::new(&steps.parse().unwrap()).tokenize(text, &mut hashed);
    assert_eq!((hashed.hashes(), hashed.spans()), (whole.hashes(), whole.spans()));
    assert_eq!((hashed.len(), hashed.paragraphs()), (whole.len(), whole.paragraphs()));
    assert!(hashed.normalized().is_empty() && hashed.ends().is_empty());
}

#[test]
fn hashes_alone_are_those_of_refined_words() {
    let text = "The boats of the fishermen.\n\nAnd what they caught — nothing, ever.";
    for steps in ["fold+stop:en", "fold+stem:en", "fold"] {
        check_hashes(steps, text, &tokenize(steps, text));
    }
}

#[test]
fn nasty_texts_give_the_tokens_of_the_definition() {
    let long_word = "aB3".repeat(1 << 18);
    let texts = [
        "",
        " ",
        "\0",
        "a\0b",
        "a\r\nb",
        "שלום עולם",
        "مرحبا بالعالم",
        "👩‍👩‍👧 x👍y",
        "e\u{301}a e\u{301}",
        "ῷiὐ iυῷ iῷυ",
        "tехt½ ½tехt ½tехt½",
        "x\u{301}y",
        "한글 \u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
        "가\u{11a8}",
        "ﬁne ﬃ",
        "İstanbul I ı",
        "Straße ẞ",
        "ΣΑΣ σας ΌΣΟΣ",
        "Ｆｕｌｌ１２",
        "½ 1½ … ㎏ ㈱ ﷺ",
        "=\u{338}a a=\u{338} <\u{338}",
        "soft\u{ad}hyphen zero\u{200b}width \u{feff}bom e\u{200d}\u{301}",
        "\u{301}",
        "\u{200b}",
        "\u{200b}\u{301}a",
        "\u{212a}elvin a\u{37e}b a\u{1fef}b",
        "a\u{345}\u{301} ᾳ",
        "เที่ยว ที่",
        "क्षेत्र",
        "\u{1d400}\u{1d401} 𠮷",
        "x²y³",
        "naïve’s café–bar",
        &long_word,
        &format!("{long_word}é {long_word}"),
        &format!(" {long_word} b"),
    ];
    texts.into_iter().for_each(check);
}

#[test]
fn words_at_every_place_around_the_ends_of_blocks_are_found() {
    for pad in (0..140).chain(990..1100).chain(2030..2060) {
        for word in
            ["w", "word", "seventeen-letters", "abcdefghijklmnopqr", "é", "=\u{338}", "we\u{301}"]
        {
            check(&format!("{}{word} x", ".".repeat(pad)));
            check(&format!("{}{word}", "y".repeat(pad)));
            check(&format!("{} {word}", "y ".repeat(pad / 2)));
        }
    }
}

proptest! {
    #[test]
    fn ascii_gives_the_tokens_of_the_definition(text in "[ -~\n\t\0]{0,300}") {
        check(&text);
    }

    #[test]
    fn long_ascii_gives_the_tokens_of_the_definition(text in "([a-zA-Z0-9]{0,40}[ -/]{1,3}){0,150}") {
        check(&text);
    }

    #[test]
    fn any_text_gives_the_tokens_of_the_definition(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn mixed_text_gives_the_tokens_of_the_definition(
        text in "([a-zA-Z =]{0,9}(\\PC|[\u{300}-\u{345}]|[\u{1100}-\u{11ff}]|[\u{2000}-\u{206f}]|\u{ad}|[À-ɏ]){0,3}){0,60}"
    ) {
        check(&text);
    }

    #[test]
    fn marks_and_jamo_give_the_tokens_of_the_definition(
        text in "[a<=>\u{ad}\u{200b}\u{301}\u{338}\u{327}\u{345}\u{1100}\u{1161}\u{11a8}가\u{9be}\u{9c7}ſİßς½…ﷺ\u{3099}か\u{ff9e} ]{0,12}"
    ) {
        check(&text);
    }

    #[test]
    fn words_of_several_scripts_give_the_tokens_of_the_definition(
        text in "[aeioxт рсеоhιυηωßΐῷῶὐᾳ½ŉΑΕ\u{200b}\u{342}\u{301}]{0,12}"
    ) {
        check(&text);
    }

    #[test]
    fn an_ascii_token_is_found_again_in_its_span(text in "[ -~]{0,100}") {
        let tokens = tokenize("nfkc+fold", &text);
        for (index, span) in tokens.spans().iter().enumerate() {
            let again = tokenize("nfkc+fold", &text[span.range()]);
            prop_assert_eq!(again.len(), 1);
            prop_assert_eq!(again.token(0), tokens.token(index));
        }
    }

    #[test]
    fn no_normalization_panics_and_no_token_contains_a_space(text in any::<String>()) {
        for steps in ["none", "ids", "upper", "fold+cjk", "nfkc+cjk+no-quotes+no-bibliography", "nfkc+fold+stop:en+stem:tr"] {
            let tokens = tokenize(steps, &text);
            for token in strings(&tokens) {
                prop_assert!(!token.is_empty() && !token.contains(' '));
            }
        }
    }
}

#[test]
fn every_character_gives_the_tokens_of_the_definition() {
    let mut text = String::new();
    for character in '\0'..=char::MAX {
        text.push(character);
        if u32::from(character) % 64 == 63 {
            check(&text);
            text.clear();
        }
    }
}

#[test]
fn spans_cover_the_original_characters() {
    let text = "Die Straße: zwei\u{ad}mal ½ Cafe\u{301}\u{200b}!";
    let tokens = tokenize("nfkc+fold", text);
    let sources: Vec<&str> = tokens.spans().iter().map(|span| &text[span.range()]).collect();
    assert_eq!(sources, ["Die", "Straße", "zwei\u{ad}mal", "½", "½", "Cafe\u{301}"]);
    assert_eq!(strings(&tokens), ["die", "strasse", "zweimal", "1", "2", "café"]);
}

/// Latin letters and their look-alikes.
const DISGUISED: &[(char, char)] = &[
    ('a', 'а'),
    ('c', 'с'),
    ('e', 'е'),
    ('o', 'о'),
    ('p', 'р'),
    ('x', 'х'),
    ('y', 'у'),
    ('i', 'і'),
    ('s', 'ѕ'),
    ('o', 'ο'),
    ('A', 'А'),
    ('B', 'В'),
    ('H', 'Н'),
    ('T', 'Т'),
    ('M', 'М'),
    ('K', 'Κ'),
];

proptest! {
    #[test]
    fn a_disguised_text_has_the_tokens_of_the_original(
        words in prop::collection::vec("[b-df-hj-np-tv-z]{5,7}", 1..20),
        disguises in prop::collection::vec(
            (prop::sample::select(DISGUISED), 0usize..5,
             prop::sample::select(vec!["", "\u{200b}", "\u{200e}", "\u{ad}", "\u{2060}\u{fe0f}", "\u{202e}"])),
            20,
        ),
    ) {
        let (mut honest, mut disguised) = (String::new(), String::new());
        for (word, ((letter, looks, ), at, hidden)) in words.iter().zip(&disguises)
            .map(|(word, ((letter, looks), at, hidden))| (word, ((*letter, *looks), *at, *hidden)))
        {
            let (head, tail) = word.split_at(at.max(1));
            honest.push_str(&format!("{head}{letter}{tail}. "));
            disguised.push_str(&format!("{head}{hidden}{looks}{hidden}{tail}. "));
        }
        let (honest_tokens, tokens) =
            (tokenize("nfkc+undisguise+fold", &honest), tokenize("nfkc+undisguise+fold", &disguised));
        prop_assert_eq!(strings(&honest_tokens), strings(&tokens));
        prop_assert_eq!(tokens.disguises().n_look_alikes, words.len());
        prop_assert_eq!(honest_tokens.disguises(), &Default::default());
    }

    #[test]
    fn ordinary_text_of_any_language_is_not_a_disguise(
        text in "([a-zA-Z]{1,8} |[а-яА-ЯёЁіїєґ]{1,8}[ ,]|[α-ωΑ-Ωά-ώ]{1,8} |[\u{621}-\u{64a}]{1,6} |[가-힣]{1,4} |[à-ÿ]{1,6}-|[0-9]{1,4} |\u{1f600}\u{fe0f} |\u{200f}){0,40}"
    ) {
        let tokens = tokenize("nfkc+undisguise+fold", &text);
        prop_assert_eq!(strings(&tokens), naive(&text));
        prop_assert_eq!(tokens.disguises(), &Default::default());
    }
}

#[test]
fn disguises_are_counted_with_an_example_and_keep_their_places() {
    let text = "This p\u{200b}ap\u{200d}er is сорied w\u{ad}ord for wоrd";
    let tokens = tokenize("nfkc+undisguise+fold", text);
    assert_eq!(strings(&tokens).join(" "), "this paper is copied word for word");
    assert_eq!(&text[tokens.spans()[3].range()], "сорied");
    let disguises = tokens.disguises();
    assert_eq!((disguises.n_zero_width, disguises.n_look_alikes), (2, 2));
    assert_eq!(disguises.example, "сорied");
    // They are counted whether or not they are undone, and with any other steps.
    assert_eq!(tokenize("none", text).disguises(), disguises);
    assert_eq!(tokenize("nfkc+fold+stop:en", text).disguises(), disguises);
    assert_eq!(words("none", "wоrd"), "wоrd");
}

#[test]
fn a_long_run_of_zero_width_characters_takes_linear_time() {
    let run = "\u{200b}\u{200e}".repeat(200_000);
    assert_eq!(words("nfkc+undisguise+fold", &format!("a{run}b {run} c{run}")), "ab c");
}

#[test]
fn without_steps_words_stay_unchanged() {
    assert_eq!(words("none", "Straße ﬁX cafe\u{301} ABC"), "Straße ﬁX cafe ABC");
}

#[test]
fn numbers_become_one_token() {
    assert_eq!(words("fold+numbers", "In 1999 and ٣٤: b2 7"), "in 0 and 0 b2 0");
}

#[test]
fn ids_capitalises_and_deletes_what_is_not_ascii() {
    assert_eq!(words("ids", "Für 12 Äpfel, ЖЖ naïve gegen"), "0 PFEL NAVE GEGEN");
}

/// The first text of the paper's example 1 and its normalisation. The paper prints WOCHEN for “Woche”.
#[test]
fn ids_normalises_the_example_of_the_paper() {
    let text = "Dieter Rulff ist freier Journalist in Berlin. Nach langen Jahren bei der taz war er zuletzt \
                leitender Redakteur der Wochenzeitung „Die Woche“. Sein Interesse gilt seit langem der \
                Entwicklung der deutschen Innen- und Parteipolitik.";
    let normalised = "DIETER RULFF FREIER JOURNALIST BERLIN LANGEN JAHREN TAZ ZULETZT LEITENDER REDAKTEUR \
                      WOCHENZEITUNG WOCHE INTERESSE GILT SEIT LANGEM ENTWICKLUNG DEUTSCHEN INNEN PARTEIPOLITIK";
    assert_eq!(words("ids", text), normalised);
}

#[test]
fn stop_words_of_a_language_are_dropped() {
    assert_eq!(words("nfkc+fold+stop:en", "The cat and I don't SIT on a mat"), "cat sit mat");
    assert_eq!(words("nfkc+upper+stop:de", "Für das Wetter"), "WETTER");
}

#[test]
fn a_stop_list_is_normalised_as_the_text_is() {
    let normalization =
        Normalization::default().with_stop_list(vec!["Straße".into(), "x-y".into()]);
    let mut tokens = Tokens::new(Layers::NONE);
    WordTokenizer::new(&normalization).tokenize("strasse a STRASSE x b y", &mut tokens);
    assert_eq!(tokens.normalized(), b"a b ");
}

#[test]
fn words_are_stemmed() {
    assert_eq!(words("nfkc+fold+stem:en", "Running connections"), "run connect");
    assert_eq!(words("upper+stem:de", "Automaten"), "AUTOMAT");
}

#[test]
fn scripts_without_spaces_are_cut_into_characters() {
    assert_eq!(words("nfkc+cjk", "我是abc中文 カ\u{3099}ム"), "我 是 abc 中 文 ガ ム");
    assert_eq!(words("nfkc+cjk", "มีปลา"), "มี ป ล า");
    let tokens = tokenize("nfkc+cjk", "a我b");
    assert_eq!(tokens.spans()[1].range(), 1..4);
    assert_eq!(words("nfkc", "我是abc"), "我是abc");
}

#[test]
fn quotations_split_words_and_keep_offsets() {
    let text = "one \"two three\" four";
    let tokens = tokenize("fold+no-quotes", text);
    assert_eq!(strings(&tokens), ["one", "four"]);
    assert_eq!(&text[tokens.spans()[1].range()], "four");
}

#[test]
fn dropped_tokens_leave_sentences_in_place() {
    let tokens = tokenize("fold+stop:en", "The cat. The. And the dog.\n\nThe end");
    assert_eq!(strings(&tokens), ["cat", "dog"]);
    assert_eq!((tokens.sentences(), tokens.paragraphs()), (&[0, 1][..], &[0][..]));
}

#[test]
fn templates_are_removed_after_the_other_steps() {
    let normalization: Normalization = "fold+numbers".parse().unwrap();
    let tokenizer = WordTokenizer::new(&normalization);
    let mut template = Tokens::new(Layers::NONE);
    tokenizer.tokenize("Exercise 1: write code here", &mut template);
    let tokenizer = tokenizer.with_templates(Template::new(4, &[template]));
    let text = "Mine. Exercise 27: Write code! Now";
    let mut tokens = Tokens::new(Layers::ALL);
    tokenizer.tokenize(text, &mut tokens);
    assert_eq!(strings(&tokens), ["mine", "now"]);
    assert_eq!(&text[tokens.spans()[1].range()], "Now");
    assert_eq!(tokens.sentences(), [0, 1]);
}

#[test]
fn exclusions_have_a_span_and_a_reason() {
    let tokens = |text: &str| {
        let mut tokens = Tokens::new(Layers::NONE);
        WordTokenizer::default().tokenize(text, &mut tokens);
        tokens
    };
    let normalization = "no-bibliography+no-quotes+nfkc+fold".parse().unwrap();
    let template = super::Template::new(3, &[tokens("all rights are reserved")]);
    let tokenizer = WordTokenizer::new(&normalization).with_templates(template);
    let text =
        "Mine. All rights \"I said\" are reserved. More of my own words\nReferences\nA (2003)";
    let excluded: Vec<(&str, &str)> = tokenizer
        .excluded(text)
        .iter()
        .map(|excluded| (&text[excluded.span.range()], excluded.reason.name()))
        .collect();
    let expected = [
        ("All rights", "template"),
        ("\"I said\"", "quotation"),
        ("are reserved", "template"),
        ("A (2003)", "bibliography"),
    ];
    assert_eq!(excluded, expected);
    assert!(WordTokenizer::default().excluded(text).is_empty());
}

#[test]
fn disguising_characters_are_marked() {
    // Two Cyrillic letters, a zero-width space, and ordinary Russian and Greek.
    let text = "A cоpied sent\u{200b}enсe, привет, sin α.";
    let mut tokens = Tokens::new(Layers::SPANS);
    WordTokenizer::new(&Normalization::default()).tokenize(text, &mut tokens);
    let spans = &tokens.disguises().spans;
    let marked: Vec<&str> = spans.iter().map(|span| &text[span.range()]).collect();
    assert_eq!(marked, ["о", "\u{200b}", "с"]);
    let mut bare = Tokens::new(Layers::NONE);
    WordTokenizer::new(&Normalization::default()).tokenize(text, &mut bare);
    assert!(bare.disguises().spans.is_empty() && bare.normalized() == tokens.normalized());
}

proptest! {
    #[test]
    fn marks_of_disguises_are_in_order_and_whole_characters(
        text in "[a-cоасеοαﬁ½ⅷ\u{200b}\u{ad}\u{301} .А-Г]{0,40}",
    ) {
        let mut tokens = Tokens::new(Layers::SPANS);
        WordTokenizer::new(&Normalization::default()).tokenize(&text, &mut tokens);
        let disguises = tokens.disguises();
        prop_assert!(disguises.spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
        for span in &disguises.spans {
            prop_assert!(text.get(span.range()).is_some_and(|part| !part.is_empty()));
        }
        let is_disguised = disguises.n_zero_width + disguises.n_look_alikes > 0;
        prop_assert_eq!(is_disguised, !disguises.spans.is_empty());
    }
}

proptest! {
    #[test]
    fn the_words_of_parts_are_those_of_the_text(
        text in "([a-zA-Z]{1,9}(-\n|[ \n]|, )|[0-9 ]{1,4}|é\u{301}|\u{200b}|\u{ad}|½|天|а|[ -~]{0,30}|\n\n){0,80}",
        n_bytes in 1usize..40,
    ) {
        let tokenizer = WordTokenizer::default();
        let mut whole = Tokens::new(Layers::NONE);
        tokenizer.tokenize(&text, &mut whole);
        let (mut words, mut disguises) = (Vec::new(), textkin_core::Disguises::default());
        let mut at = 0;
        for part in tokenizer.parts(&text, n_bytes).unwrap() {
            prop_assert_eq!(part.start, at);
            at = part.end;
            let mut tokens = Tokens::new(Layers::NONE);
            tokenizer.tokenize(&text[part], &mut tokens);
            words.extend_from_slice(tokens.normalized());
            disguises.add(tokens.disguises());
        }
        prop_assert_eq!(at, text.len());
        prop_assert_eq!(words, whole.normalized());
        prop_assert_eq!(disguises.notes(), whole.disguises().notes());
    }
}
