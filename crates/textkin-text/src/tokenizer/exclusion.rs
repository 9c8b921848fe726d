//! Excluded parts of a text: quotations and the bibliography.
//!
//! In: a text. Out: the byte ranges that remain, in order. Linear in the length of the text.

use std::ops::Range;

use textkin_core::Exclusion;

use super::Normalization;
use super::unicode::is_removed;

/// Headings of a bibliography, in lower case.
const HEADINGS: &[&str] = &[
    "references",
    "bibliography",
    "works cited",
    "literature",
    "literature cited",
    "sources",
    "literatur",
    "literaturverzeichnis",
    "literaturangaben",
    "quellen",
    "quellenverzeichnis",
    "bibliographie",
    "références",
    "bibliografía",
    "referencias",
    "bibliografia",
    "referências",
    "riferimenti",
    "literatuur",
    "литература",
    "参考文献",
];

/// Opening quotation marks and their closing marks. Single quotes are not listed: they are also apostrophes.
const QUOTES: &[(char, &[char])] = &[
    ('"', &['"']),
    ('“', &['”']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('»', &['«']),
    ('‹', &['›']),
    ('「', &['」']),
    ('『', &['』']),
];

/// Returns the ranges of `text` that are not excluded.
pub(super) fn kept_ranges(normalization: &Normalization, text: &str) -> Vec<Range<usize>> {
    let end = match normalization.no_bibliography {
        true => bibliography(text).unwrap_or(text.len()),
        false => text.len(),
    };
    let quotations = match normalization.no_quotes {
        true => quotations(&text[..end]),
        false => Vec::new(),
    };
    let mut kept = Vec::new();
    let mut start = 0;
    for quoted in quotations {
        kept.push(start..quoted.start);
        start = quoted.end;
    }
    kept.push(start..end);
    kept
}

/// Returns the excluded ranges of `text` with their reasons, ascending.
pub(super) fn excluded_ranges(
    normalization: &Normalization,
    text: &str,
) -> Vec<(Range<usize>, Exclusion)> {
    let kept = kept_ranges(normalization, text);
    let between = kept.windows(2).map(|pair| (pair[0].end..pair[1].start, Exclusion::Quotation));
    let end = kept.last().map_or(0, |last| last.end);
    let rest = (end..text.len(), Exclusion::Bibliography);
    between.chain([rest]).filter(|(range, _)| !range.is_empty()).collect()
}

/// Returns where the text after the bibliography heading begins. The heading is the first line of the second half
/// that consists of such a word, perhaps numbered, marked up or with a colon.
fn bibliography(text: &str) -> Option<usize> {
    let mut end = 0;
    text.split_inclusive('\n').find_map(|line| {
        let start = end;
        end += line.len();
        (start >= text.len() / 2 && is_heading(line)).then_some(end)
    })
}

fn is_heading(line: &str) -> bool {
    const LONGEST: usize = 100;
    if line.len() > LONGEST {
        return false;
    }
    let line: String = line.chars().filter(|&character| !is_removed(character)).collect();
    let is_ornament = |character: char| !character.is_alphabetic();
    HEADINGS.contains(&line.trim_matches(is_ornament).to_lowercase().as_str())
}

/// Returns quotations within one paragraph, marks included, and lines that begin with `>`, ascending.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut quotations: Vec<Range<usize>> = Vec::new();
    let mut unclosed = [0; QUOTES.len()];
    let mut at = 0;
    let mut before = '\n';
    while let Some(character) = text[at..].chars().next() {
        let quotation_end = if character == '>' && before == '\n' {
            Some(at + text[at..].find('\n').unwrap_or(text.len() - at))
        } else {
            closing(text, at, character, before, &mut unclosed)
        };
        let end = quotation_end.unwrap_or(at + character.len_utf8());
        if quotation_end.is_some() {
            quotations.push(at..end);
        }
        before = if quotation_end.is_some() { ' ' } else { character };
        at = end;
    }
    quotations
}

/// Returns the end of the quotation that `mark` opens at byte `at`. `unclosed` stores, for each kind of mark, up to
/// where no closing mark was found, so that no text is searched twice.
fn closing(
    text: &str,
    at: usize,
    mark: char,
    before: char,
    unclosed: &mut [usize; QUOTES.len()],
) -> Option<usize> {
    let kind = QUOTES.iter().position(|(open, _)| *open == mark)?;
    let is_inches = mark == '"' && before.is_alphanumeric();
    if is_inches || at < unclosed[kind] {
        return None;
    }
    let mut in_line_end = false;
    let inner = at + mark.len_utf8();
    for (offset, character) in text[inner..].char_indices() {
        if QUOTES[kind].1.contains(&character) {
            return Some(inner + offset + character.len_utf8());
        }
        if character == '\n' && in_line_end {
            unclosed[kind] = inner + offset;
            return None;
        }
        in_line_end = character == '\n' || in_line_end && character.is_whitespace();
    }
    unclosed[kind] = text.len();
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept<'a>(steps: &str, text: &'a str) -> Vec<&'a str> {
        let normalization: Normalization = steps.parse().unwrap();
        kept_ranges(&normalization, text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn everything_is_kept_by_default() {
        assert_eq!(
            kept("nfkc+fold", "a \"b\" c\n> d\nReferences\nx"),
            ["a \"b\" c\n> d\nReferences\nx"]
        );
    }

    #[test]
    fn quotations_are_excluded_with_their_marks() {
        assert_eq!(
            kept("no-quotes", "a \"b\" c „d“ e «f» g 「h」"),
            ["a ", " c ", " e ", " g ", ""]
        );
    }

    #[test]
    fn an_unclosed_mark_ends_with_its_paragraph() {
        assert_eq!(kept("no-quotes", "a “b c\n\nd ”e 5\" f"), ["a “b c\n\nd ”e 5\" f"]);
    }

    #[test]
    fn lines_that_begin_with_an_angle_are_excluded() {
        assert_eq!(kept("no-quotes", "> x y\nb > c\n>z"), ["", "\nb > c\n", ""]);
    }

    #[test]
    fn many_unclosed_marks_take_linear_time() {
        let text = "„a".repeat(300_000);
        assert_eq!(kept("no-quotes", &text), [&text]);
    }

    #[test]
    fn text_after_the_heading_of_the_bibliography_is_excluded() {
        for heading in
            ["References", "## 7. REFERENCES:", "Literatur\u{ad}verzeichnis", "Works cited"]
        {
            let text = format!("{}\n{heading}\r\n[1] Knuth", "word ".repeat(20));
            let kept = kept("no-bibliography", &text);
            assert!(kept[0].ends_with(&format!("{heading}\r\n")), "{kept:?}");
        }
    }

    #[test]
    fn a_heading_in_the_first_half_or_inside_a_line_excludes_nothing() {
        let text = "References\nmuch more text follows here\nsee the references\n";
        assert_eq!(kept("no-bibliography", text), [text]);
    }
}
