//! Formats numbers, shares and times the same way on every page.

pub use textkin_core::number::{counted, percent, thousands as number};

use crate::markup::Markup;

/// Returns `1 word` or `1,030 words`.
#[must_use]
pub fn words(value: u64) -> String {
    counted(value, "word", "words")
}

/// Returns `1 document` or `7 documents`.
#[must_use]
pub fn documents(value: u64) -> String {
    counted(value, "document", "documents")
}

/// Formats a score in 0..=1 like [`percent`]; NaN and infinity are `n/a`.
#[must_use]
pub fn score(value: f64) -> String {
    if !value.is_finite() {
        return "n/a".to_owned();
    }
    let rounded = (value.clamp(0.0, 1.0) * 100.0).round();
    if rounded < 1.0 && value > 0.0 {
        "<1%".to_owned()
    } else if rounded >= 100.0 && value < 1.0 {
        ">99%".to_owned()
    } else {
        format!("{rounded}%")
    }
}

/// Returns `12 MB` or `4.5 GB`.
#[must_use]
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let (mut unit, mut scale) = (0, 1_u64);
    while unit + 1 < UNITS.len() && value / scale >= 1000 {
        unit += 1;
        scale *= 1000;
    }
    let tenths = value / (scale / 10).max(1);
    if unit > 0 && tenths < 100 && !tenths.is_multiple_of(10) {
        format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
    } else {
        format!("{} {}", value / scale, UNITS[unit])
    }
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns `16 Nov 2026` for `2026-11-16…` and `Nov 2026` for `2026-11`; anything else unchanged.
#[must_use]
pub fn day(iso: &str) -> String {
    let date = iso.split(['T', ' ']).next().unwrap_or(iso);
    let mut parts = date.splitn(3, '-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let is_year = year.is_some_and(|year| year.len() == 4 && is_digits(year));
    let month = month.and_then(|month| month.parse::<usize>().ok());
    let month = month.and_then(|month| MONTHS.get(month.wrapping_sub(1)));
    match (year, month, day) {
        (Some(year), Some(month), None) if is_year => format!("{month} {year}"),
        (Some(year), Some(month), Some(day)) if is_year && day.len() == 2 && is_digits(day) => {
            format!("{} {month} {year}", day.trim_start_matches('0'))
        }
        _ => iso.to_owned(),
    }
}

/// Returns `16 Nov 2026, 12:00` for `2026-11-16T12:00:00Z`; like [`day`] without a time of day.
#[must_use]
pub fn timestamp(iso: &str) -> String {
    let clock = iso.split_once(['T', ' ']).map(|(_, clock)| clock);
    let is_clock = |clock: &&str| match clock.as_bytes() {
        [a, b, b':', c, d, ..] => [a, b, c, d].iter().all(|digit| digit.is_ascii_digit()),
        _ => false,
    };
    match clock.filter(is_clock) {
        Some(clock) => format!("{}, {}", day(iso), &clock[..5]),
        None => day(iso),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a time as a `time` element, with the full time as its tooltip.
#[must_use]
pub fn time(iso: &str) -> Markup {
    time_element(iso, &timestamp(iso))
}

/// Returns the date of a document as a `time` element, or “undated”.
#[must_use]
pub fn date(iso: &Option<String>) -> Markup {
    match iso.as_deref().map(str::trim).filter(|iso| !iso.is_empty()) {
        Some(iso) => time_element(iso, &day(iso)),
        None => Markup::raw("<span class=\"soft\">undated</span>"),
    }
}

/// Returns a time as a `time` element, or “never”.
#[must_use]
pub fn maybe_time(iso: &Option<String>) -> Markup {
    match iso {
        Some(iso) => time(iso),
        None => Markup::raw("<span class=\"soft\">never</span>"),
    }
}

fn time_element(iso: &str, shown: &str) -> Markup {
    let mut html = Markup::default();
    if shown == iso {
        html.text(iso);
    } else {
        html.push("<time datetime=\"").text(iso).push("\" title=\"").text(iso).push("\">");
        html.text(shown).push("</time>");
    }
    html
}

/// Encodes a segment of a path or query: everything but letters, digits and `-._~` becomes `%XX`.
#[must_use]
pub fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_have_separators() {
        let formatted: Vec<String> =
            [0, 999, 1000, 1030, 1_234_567].into_iter().map(number).collect();
        assert_eq!(formatted, ["0", "999", "1,000", "1,030", "1,234,567"]);
        assert_eq!((words(1), documents(7)), ("1 word".to_owned(), "7 documents".to_owned()));
    }

    #[test]
    fn scores_are_all_or_none_only_if_exact() {
        assert_eq!(
            (score(0.999), score(0.001), score(f64::NAN)),
            (">99%".into(), "<1%".into(), "n/a".into())
        );
    }

    #[test]
    fn times_are_shown_as_people_write_them() {
        assert_eq!(timestamp("2026-11-16T12:05:09Z"), "16 Nov 2026, 12:05");
        assert_eq!(timestamp("2026-11-06"), "6 Nov 2026");
        assert_eq!(
            (day("2021-05"), day("2021"), day("soon")),
            ("May 2021".into(), "2021".into(), "soon".into())
        );
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(
            (bytes(999), bytes(4_500_000), bytes(100_000_000)),
            ("999 bytes".into(), "4.5 MB".into(), "100 MB".into())
        );
    }

    proptest! {
        #[test]
        fn any_text_can_be_formatted_as_a_time(text in ".*") {
            let _ = timestamp(&text);
            prop_assert!(segment(&text).bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"'));
        }
    }
}
