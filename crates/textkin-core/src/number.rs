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

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn digits_are_grouped_by_three() {
        let given = [0, 12, 999, 1000, 999_999, 1_000_000, u64::MAX];
        let expected =
            ["0", "12", "999", "1,000", "999,999", "1,000,000", "18,446,744,073,709,551,615"];
        assert_eq!(given.map(thousands), expected);
    }
}
