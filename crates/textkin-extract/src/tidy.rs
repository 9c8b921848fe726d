//! Turns page-oriented text into running text: joins hyphenated words, removes soft hyphens and running
//! heads.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Number of lines at the top and bottom of a page that may be running heads.
const EDGE_LINES: usize = 3;

/// Number of pages on which a line must recur to be a running head.
const MIN_PAGES: usize = 3;

/// Joins pages that are separated by form feeds. Removes running heads and page numbers (the same line,
/// except for numbers, at the edge of at least three pages) and joins words hyphenated at line ends.
///
/// ```
/// use textkin_extract::tidy_pages;
///
/// let pages = "Kin 1\nfirst divi-\nded\u{c}Kin 2\nsecond\u{c}Kin 3\nthird";
/// assert_eq!(tidy_pages(pages), "first divided\nsecond\nthird");
/// ```
pub fn tidy_pages(text: &str) -> String {
    let mut pages: Vec<Vec<&str>> =
        text.split('\u{c}').map(|page| trim_empty(page.lines().collect())).collect();
    pages.retain(|page| !page.is_empty());
    if pages.len() >= MIN_PAGES {
        remove_running_lines(&mut pages);
    }
    let mut joined = String::with_capacity(text.len());
    for page in &pages {
        if !joined.is_empty() {
            let ends = joined.trim_end().ends_with(['.', '!', '?', ':', '。']);
            joined.push_str(if ends { "\n\n" } else { "\n" });
        }
        for (number, line) in page.iter().enumerate() {
            if number > 0 {
                joined.push('\n');
            }
            joined.push_str(line);
        }
    }
    let tidied = match without_soft_hyphens(&joined) {
        Some(clean) => clean,
        None => joined,
    };
    match join_hyphenated(&tidied) {
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => tidied,
    }
}

fn trim_empty(mut lines: Vec<&str>) -> Vec<&str> {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let n_empty = lines.iter().take_while(|line| line.trim().is_empty()).count();
    lines.drain(..n_empty);
    lines
}

/// Removes running lines from the edges of pages, the outermost first, at most [`EDGE_LINES`].
///
/// Keeps them where a page ends early, as at the end of a chapter: no sentence continues there.
fn remove_running_lines(pages: &mut [Vec<&str>]) {
    let mut counts: HashMap<(bool, String), usize> = HashMap::new();
    for page in pages.iter() {
        let filled = || page.iter().filter(|line| !line.trim().is_empty());
        let keys: BTreeSet<(bool, String)> =
            (filled().take(EDGE_LINES).map(|line| (true, key(line))))
                .chain(filled().rev().take(EDGE_LINES).map(|line| (false, key(line))))
                .collect();
        for key in keys {
            *counts.entry(key).or_default() += 1;
        }
    }
    let runs = |top: bool, line: &str| {
        counts.get(&(top, key(line))).is_some_and(|&count| count >= MIN_PAGES)
    };
    let ends_early = early_ends(pages);
    for (number, page) in pages.iter_mut().enumerate() {
        let ended_early = |page: Option<usize>| {
            page.and_then(|page| ends_early.get(page)).is_some_and(|&is_early| is_early)
        };
        let (top, bottom) = (!ended_early(number.checked_sub(1)), !ended_early(Some(number)));
        for _ in 0..EDGE_LINES {
            if top && page.first().is_some_and(|line| runs(true, line)) {
                page.remove(0);
                *page = trim_empty(std::mem::take(page));
            }
            if bottom && page.last().is_some_and(|line| runs(false, line)) {
                page.pop();
                *page = trim_empty(std::mem::take(page));
            }
        }
    }
}

/// Returns which pages have less than half as many lines as most pages.
fn early_ends(pages: &[Vec<&str>]) -> Vec<bool> {
    let filled = |page: &Vec<&str>| page.iter().filter(|line| !line.trim().is_empty()).count();
    let counts: Vec<usize> = pages.iter().map(filled).collect();
    let mut sorted = counts.clone();
    sorted.sort_unstable();
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    counts.into_iter().map(|count| count * 2 < median).collect()
}

/// The constant part of a running line: numbers become a placeholder, white space is collapsed. A
/// section number (`4.13.2`) is kept: it may well appear at the top of many pages.
fn key(line: &str) -> String {
    let mut key = String::new();
    for word in line.split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(if is_roman(word) || is_number(word) { "#" } else { word });
    }
    key
}

/// `7`, `-7-`, `[7]`, `7/20`.
fn is_number(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_whole = |part: &str| !part.is_empty() && part.chars().all(char::is_numeric);
    bare.split('/').count() <= 2 && bare.split('/').all(is_whole)
}

fn is_roman(word: &str) -> bool {
    word.len() <= 8 && word.chars().all(|c| matches!(c, 'i' | 'v' | 'x' | 'l' | 'c'))
}

/// Joins words that are hyphenated at line ends.
///
/// The rest of the text decides whether the hyphen belongs to the word: if the word occurs elsewhere,
/// its spelling there is used; otherwise the hyphen is removed.
pub fn join_hyphenated(text: &str) -> Cow<'_, str> {
    let breaks = hyphen_breaks(text);
    if breaks.is_empty() {
        return Cow::Borrowed(text);
    }
    let words: HashSet<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut joined = String::with_capacity(text.len());
    let mut done = 0;
    for found in breaks {
        let before = text.get(done..found.hyphen).unwrap_or_default();
        joined.push_str(before);
        let left = last_word(&joined).to_lowercase();
        let right = first_word(text.get(found.next..).unwrap_or_default()).to_lowercase();
        let is_compound = !words.contains(&format!("{left}{right}"))
            && words.contains(&format!("{left}-{right}"));
        if is_compound {
            joined.push('-');
        }
        done = found.next;
    }
    joined.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(joined)
}

/// A hyphen at the end of a line, and where the word continues.
struct HyphenBreak {
    hyphen: usize,
    next: usize,
}

/// Finds a letter, a hyphen and a line end that are followed by a lower-case letter.
fn hyphen_breaks(text: &str) -> Vec<HyphenBreak> {
    let mut breaks = Vec::new();
    for newline in memchr::memchr_iter(b'\n', text.as_bytes()) {
        let before = text.get(..newline).unwrap_or_default();
        let before = before.trim_end_matches(['\r', ' ', '\t']);
        let Some(hyphen_char @ ('-' | '\u{2010}')) = before.chars().next_back() else { continue };
        let hyphen = before.len() - hyphen_char.len_utf8();
        let word = before.get(..hyphen).unwrap_or_default();
        if !word.chars().next_back().is_some_and(char::is_alphabetic) {
            continue;
        }
        let after = text.get(newline + 1..).unwrap_or_default();
        let rest = after.trim_start_matches([' ', '\t']);
        if rest.chars().next().is_some_and(char::is_lowercase) {
            breaks.push(HyphenBreak { hyphen, next: text.len() - rest.len() });
        }
    }
    breaks
}

/// Longer words are not looked up.
const MAX_WORD_CHARACTERS: usize = 60;

fn last_word(text: &str) -> &str {
    let is_inside = |&(_, c): &(usize, char)| c.is_alphanumeric() || c == '-';
    let word = text.char_indices().rev().take(MAX_WORD_CHARACTERS).take_while(is_inside);
    let start = word.last().map_or(text.len(), |(at, _)| at);
    text.get(start..).unwrap_or_default()
}

fn first_word(text: &str) -> &str {
    let is_inside = |&(_, c): &(usize, char)| c.is_alphanumeric();
    let word = text.char_indices().take(MAX_WORD_CHARACTERS).take_while(is_inside);
    let end = word.last().map_or(0, |(at, c)| at + c.len_utf8());
    text.get(..end).unwrap_or_default()
}

/// Removes soft hyphens and joins words that one divides at a line end; `None` if there are none.
pub(crate) fn without_soft_hyphens(text: &str) -> Option<String> {
    if !text.contains('\u{ad}') {
        return None;
    }
    let mut clean = String::with_capacity(text.len());
    let mut parts = text.split('\u{ad}');
    clean.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let rest = part.strip_prefix("\r\n").or_else(|| part.strip_prefix('\n'));
        clean.push_str(rest.map_or(part, |rest| rest.trim_start_matches([' ', '\t'])));
    }
    Some(clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hyphenated_words_are_joined_and_compounds_keep_their_hyphen() {
        assert_eq!(join_hyphenated("an exam-\n  ple"), "an example");
        assert_eq!(join_hyphenated("well-known: well-\nknown"), "well-known: well-known");
        assert_eq!(join_hyphenated("1-\n2 a-\nB x -\ny"), "1-\n2 a-\nB x -\ny");
    }

    #[test]
    fn soft_hyphens_are_removed() {
        assert_eq!(without_soft_hyphens("ex\u{ad}am\u{ad}\n ple").as_deref(), Some("example"));
        assert_eq!(without_soft_hyphens("example"), None);
    }

    #[test]
    fn running_heads_and_page_numbers_are_removed() {
        let page =
            |n: usize, text: &str| format!("\n  The Book   Chapter {n}\n\n{text}\n\n   - {n} -\n");
        let text = [page(1, "one\nanother"), page(2, "two"), page(3, "three.")].join("\u{c}");
        assert_eq!(tidy_pages(&text), "one\nanother\ntwo\nthree.");
    }

    #[test]
    fn two_pages_are_not_enough_for_a_running_head() {
        assert_eq!(tidy_pages("a\nb\u{c}a\nc"), "a\nb\na\nc");
    }

    #[test]
    fn section_numbers_are_not_page_numbers() {
        let page = |(n, text): (usize, &str)| format!("Kin {n}/3\n4.13.{n}\n{text}");
        let text = [(1, "one"), (2, "two"), (3, "three")].map(page).join("\u{c}");
        assert_eq!(tidy_pages(&text), "4.13.1\none\n4.13.2\ntwo\n4.13.3\nthree");
    }

    #[test]
    fn running_lines_are_kept_where_a_page_ends_early() {
        let page =
            |n: usize, lines: usize| format!("{}- {n} -", format!("line {n}x\n").repeat(lines));
        let text = [page(1, 9), page(2, 9), page(3, 2), page(4, 9), page(5, 9)].join("\u{c}");
        let tidy = tidy_pages(&text);
        let marks: Vec<&str> = tidy.lines().filter(|line| line.starts_with('-')).collect();
        assert_eq!(marks, ["- 3 -"]);
    }

    proptest! {
            #[test]
            fn any_text_is_accepted(text in "[a-z0-9 \n\u{c}\u{ad}é-]{0,200}") {
                let tidy = tidy_pages(&text);
    let n_pages = text.matches('\u{c}').count();
                let has_feeds = tidy.contains('\u{c}');
                prop_assert!(!has_feeds && tidy.len() <= text.len() + n_pages);
            }
        }
}
