//! Numbers as people read them.

/// Formats `1234567` as `1,234,567`.
///
/// ```
/// assert_eq!(textkin_core::number::thousands(1_234_567), "1,234,567");
/// ```
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun: `1 document`, `1,234 documents`.
///
/// ```
/// assert_eq!(textkin_core::number::counted(7, "copy", "copies"), "7 copies");
/// ```
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count), if count == 1 { one } else { many })
}

/// Formats a share as `40%`, or `n/a` if `whole` is 0. Only all is 100%, and only none is 0%: a share
/// that would round there is `>99%` or `<1%`.
///
/// ```
/// assert_eq!(textkin_core::number::percent(412, 1030), "40%");
/// ```
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "n/a".to_owned();
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    match (part * 200 + whole) / (whole * 2) {
        0 if part > 0 => "<1%".to_owned(),
        rounded if rounded >= 100 && part < whole => ">99%".to_owned(),
        rounded => format!("{}%", rounded.min(100)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let given = [0, 12, 999, 1000, 999_999, 1_000_000, u64::MAX];
        let expected =
            ["0", "12", "999", "1,000", "999,999", "1,000,000", "18,446,744,073,709,551,615"];
        assert_eq!(given.map(thousands), expected);
    }
    #[test]
    fn only_one_is_singular() {
        let documents = |count| counted(count, "document", "documents");
        assert_eq!([0, 1, 2].map(documents), ["0 documents", "1 document", "2 documents"]);
        assert_eq!(documents(1234), "1,234 documents");
    }

    #[test]
    fn only_all_is_all_and_only_none_is_none() {
        assert_eq!(percent(412, 1030), "40%");
        assert_eq!(percent(1, 100_000), "<1%");
        assert_eq!(percent(99_999, 100_000), ">99%");
        assert_eq!((percent(0, 9), percent(9, 9)), ("0%".to_owned(), "100%".to_owned()));
        assert_eq!(percent(0, 0), "n/a");
        assert_eq!(percent(u64::MAX, u64::MAX), "100%");
    }

    proptest! {
        #[test]
        fn percentages_agree_with_plain_arithmetic(part in 0_u64..5000, whole in 1_u64..5000) {
            let part = part.min(whole);
            let plain = ((part as f64 / whole as f64) * 100.0).round();
            let formatted = percent(part, whole);
            if !formatted.starts_with(['<', '>']) {
                let shown: f64 = formatted.trim_end_matches('%').parse().unwrap();
                prop_assert!((shown - plain).abs() <= 1.0);
            }
        }
    }
}
