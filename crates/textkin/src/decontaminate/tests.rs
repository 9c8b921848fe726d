//! Tests of the rules and of the fast paths.

use proptest::prelude::*;

use super::align::Aligner;
use super::*;

const EGGS: &str = "Janet’s ducks lay 16 eggs per day. She eats three for breakfast every morning and bakes muffins for \
    her friends every day with four. How much in dollars does she make every day at the farmers' market?";

const SHORT: &str = "Which gas is the most abundant in the atmosphere?";

fn item(question: &str, answers: &[&str]) -> EvaluationItem {
    let answer = |(number, text): (usize, &&str)| Answer {
        text: (*text).to_owned(),
        is_correct: number == 0,
    };
    EvaluationItem {
        id: question.to_owned(),
        benchmark: "quiz".to_owned(),
        question: question.to_owned(),
        answers: answers.iter().enumerate().map(answer).collect(),
        ..EvaluationItem::default()
    }
}

fn matcher(items: impl IntoIterator<Item = EvaluationItem>, preset: Preset) -> LeakMatcher {
    let mut set = EvaluationSet::new();
    items.into_iter().for_each(|item| set.push(item));
    LeakMatcher::new(set.into(), preset, [], 1)
}

/// The strongest reason of an item in a text.
fn reason(matcher: &LeakMatcher, text: &str) -> Option<LeakReason> {
    let mut hits = Vec::new();
    matcher.find(text, &mut MatchBuffer::default(), &mut hits);
    hits.iter().map(|hit| hit.reason).min_by_key(|reason| (!reason.is_leak(), *reason))
}

fn is_leak(matcher: &LeakMatcher, text: &str) -> bool {
    reason(matcher, text).is_some_and(LeakReason::is_leak)
}

fn wrapped(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().unwrap();
        if last.len() + word.len() >= width {
            lines.push(word.to_owned());
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    lines.join("\n")
}

#[test]
fn long_questions_are_found_however_they_are_embedded() {
    let matcher = matcher([item(EGGS, &["18"])], Preset::Textkin);
    let around = "something else that is written about the weather of last week ".repeat(40);
    let marked = EGGS.replace(" eggs per", " <b>eggs</b> per").replace(". She", ".\n\n* She");
    let spelled = EGGS.replace("farmers' market", "farmers market").replace('’', "'");
    for text in [
        EGGS.to_owned(),
        format!("{around}{EGGS} {around}"),
        wrapped(&format!("{around}{EGGS} {around}"), 30),
        marked,
        spelled,
        EGGS.to_uppercase(),
    ] {
        assert_eq!(reason(&matcher, &text), Some(LeakReason::Question), "{text}");
    }
}

#[test]
fn other_numbers_and_other_content_are_other_questions() {
    let matcher = matcher([item(EGGS, &["18"])], Preset::Textkin);
    for text in [
        EGGS.replace("16", "25"),
        EGGS.replace("ducks lay 16", "16 ducks lay 25"),
        EGGS.replace("ducks", "hens"),
        EGGS.replace("Janet", "Maria"),
        EGGS.replace("market", "harbour"),
    ] {
        assert_eq!(reason(&matcher, &text), Some(LeakReason::Contradicted), "{text}");
    }
    let first = EGGS.split_once("How").unwrap().0;
    assert_eq!(reason(&matcher, first), Some(LeakReason::TooLittle));
}

#[test]
fn short_questions_need_their_answer() {
    let matcher = matcher([item(SHORT, &["nitrogen", "oxygen"])], Preset::Textkin);
    assert!(is_leak(&matcher, &format!("Q: {SHORT}\nA: Nitrogen")));
    assert!(is_leak(&matcher, &format!("{SHORT} (a) argon (b) nitrogen")));
    assert_eq!(reason(&matcher, SHORT), Some(LeakReason::Unconfirmed));
    let far = format!("{SHORT} {} nitrogen", "and so on ".repeat(50));
    assert_eq!(reason(&matcher, &far), Some(LeakReason::Unconfirmed));
    let other = SHORT.replace("gas", "metal");
    assert!(!is_leak(&matcher, &format!("{other} Nitrogen")));
}

#[test]
fn passages_do_not_condemn_without_their_question() {
    let passage = "The plan of the township has four communities around the park, and the area for administration is \
        to the southwest of the area for culture.";
    let question = "Which of the following can be derived from this?";
    let with_passage = EvaluationItem {
        passage: Some(passage.to_owned()),
        ..item(question, &["the park is north"])
    };
    let matcher = matcher([with_passage, item(SHORT, &["nitrogen"])], Preset::Textkin);
    assert!(!is_leak(&matcher, passage));
    assert!(!is_leak(&matcher, question));
    assert_eq!(
        reason(&matcher, &format!("{passage}\n{question}")),
        Some(LeakReason::QuestionAndPassage)
    );
    assert_eq!(
        reason(&matcher, &format!("{question} (A) The park is north.")),
        Some(LeakReason::QuestionAndAnswer)
    );
    // A passage inside the question.
    let inside =
        format!("{passage} {passage} Which area is to the southwest of the area for culture?");
    let matcher = super::tests::matcher([item(&inside, &["administration"])], Preset::Textkin);
    assert_eq!(reason(&matcher, &format!("{passage} {passage}")), Some(LeakReason::TooLittle));
    assert!(is_leak(&matcher, &inside));
}

#[test]
fn scripts_without_spaces_are_compared_by_characters() {
    let question = "小明有十六个鸡蛋，每天早上吃三个，还用四个烤松饼，剩下的卖到市场，每个两元，他每天赚多少钱？";
    let matcher = matcher([item(question, &["十八元"])], Preset::Textkin);
    let wrapped: String = question
        .chars()
        .enumerate()
        .flat_map(|(at, letter)| (at % 10 == 9).then_some('\n').into_iter().chain([letter]))
        .collect();
    assert!(is_leak(&matcher, &format!("题目：{wrapped}答案是")));
    assert!(!is_leak(&matcher, &question.replace("松饼", "面包")));
}

#[test]
fn published_rules_differ_where_their_publications_do() {
    let words: Vec<String> = (0..40).map(|number| format!("w{number}")).collect();
    let question = words.join(" ");
    let judged = |preset, text: &str| is_leak(&matcher([item(&question, &[])], preset), text);
    let first = |n: usize| words[..n].join(" ");
    // 13 words are one run of 13, 6 of 33 runs of 8, and a third of the words.
    for (preset, n_min) in [
        (Preset::Gpt3, 13),
        // 24 of the 33 runs of 8 words.
        (Preset::Palm, 31),
        (Preset::Llama, 32),
        (Preset::Tulu, 21),
    ] {
        assert!(judged(preset, &first(n_min)), "{preset} {n_min}");
        assert!(!judged(preset, &first(n_min - 1)), "{preset} {n_min}");
    }
    // Runs of 12 equal words with a mismatch between them.
    let word = |(at, word)| if at % 13 == 12 { "x" } else { word };
    let skipped: Vec<&str> = words.iter().map(String::as_str).enumerate().map(word).collect();
    assert!(judged(Preset::Llama, &skipped.join(" ")));
    assert!(!judged(Preset::Gpt3, &skipped.join(" ")));
    // Between 25 and 50 words, the share falls from 1 to 0.815.
    assert!(judged(Preset::Decon, &question));
    assert!(!judged(Preset::Decon, &first(35)));
}

#[test]
fn every_hit_has_equal_words_on_both_sides() {
    let matcher = matcher([item(EGGS, &["18"])], Preset::Textkin);
    let text = format!("before {} after", EGGS.replace("16 eggs", "16 large eggs"));
    let mut hits = Vec::new();
    matcher.find(&text, &mut MatchBuffer::default(), &mut hits);
    let hit = &hits[0];
    assert_eq!(hit.spans.len(), 2);
    for (found, question) in &hit.spans {
        assert_eq!(&text[found.range()], &EGGS[question.range()]);
    }
    assert!(text[hit.range.range()].starts_with("Janet"));
}

#[test]
fn items_are_counted_by_what_was_found() {
    let items = [
        item(EGGS, &["18"]),
        item(SHORT, &["nitrogen"]),
        item("Why?", &[]),
        item("Is it rain or snow that falls?", &[]),
    ];
    let matcher = matcher(items, Preset::Textkin);
    let control = RunControl::default();
    let mut editor = LeakEditor::new(&matcher, Cut::Span, &control);
    let texts = [format!("Before. {EGGS} After. {EGGS}"), SHORT.to_owned(), "nothing".to_owned()];
    for (number, text) in texts.iter().enumerate() {
        let document = Document::new(number.to_string(), text.as_str());
        let decision = editor.edit(&document);
        let expected = match number {
            0 => textkin_source::EditDecision::Replace("Before.  After. ".to_owned()),
            _ => textkin_source::EditDecision::Keep,
        };
        assert_eq!(decision, expected);
    }
    let found = editor.finish();
    assert_eq!((found.counts.documents, found.counts.documents_flagged), (3, 1));
    let mut tally = LeakTally::new(&matcher);
    tally.add(&found.leaks);
    let statuses: Vec<_> = tally.counts().iter().map(ItemCount::status).collect();
    let expected =
        [ItemStatus::Leaked, ItemStatus::Partial, ItemStatus::TooShort, ItemStatus::Clean];
    assert_eq!(statuses, expected);
    assert_eq!(tally.counts()[0].documents, 1);
}

/// The value of the best alignment: all ways to pair words in order.
fn best_value(item: &[u64], document: &[u64], is_begun: bool) -> i32 {
    let Some((first, rest)) = item.split_first() else { return 0 };
    let mut best = best_value(rest, document, is_begun);
    for (at, word) in document.iter().enumerate() {
        if word == first {
            let gap = if is_begun && at > 0 { 12 + 2 * i32::try_from(at).unwrap() } else { 0 };
            best = best.max(16 - gap + best_value(rest, &document[at + 1..], true));
        }
    }
    best
}

proptest! {
    #[test]
    fn alignments_are_the_best_ones(
        item in prop::collection::vec(0u64..4, 0..7),
        document in prop::collection::vec(0u64..4, 0..10),
    ) {
        let mut pairs = Vec::new();
        Aligner::default().align(&item, &document, &mut pairs);
        for (one, other) in &pairs {
            prop_assert_eq!(item[*one as usize], document[*other as usize]);
        }
        let mut value = 16 * i32::try_from(pairs.len()).unwrap();
        for pair in pairs.windows(2) {
            prop_assert!(pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
            let gap = pair[1].1 as i32 - pair[0].1 as i32 - 1;
            value -= if gap > 0 { 12 + 2 * gap } else { 0 };
        }
        prop_assert_eq!(value, best_value(&item, &document, false));
    }
}
