//! Formats numbers with the fewest digits that read back as the same `f64`, without an exponent
//! between 1e-5 and 1e15.

/// Appends `value` with a decimal point (`1.0`, `0.5`); `NaN`, `inf` and `-inf` as such.
pub(crate) fn push_decimal(value: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(zmij::Buffer::new().format(value).as_bytes());
}

/// Appends `value`, whole numbers without a decimal point (`1`, `0.5`).
#[inline]
pub(crate) fn push_plain(value: f64, out: &mut Vec<u8>) {
    // Fast path: nearly every whole number in a row is 0 or 1.
    if value == 1.0 {
        return out.push(b'1');
    }
    if value.to_bits() == 0 {
        return out.push(b'0');
    }
    push_decimal(value, out);
    if out.ends_with(b".0") {
        out.truncate(out.len() - 2);
    }
}

/// Appends `value`.
#[inline]
pub(crate) fn push_integer(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(value: f64) -> String {
        let mut out = Vec::new();
        push_plain(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn whole_numbers_have_no_decimal_point_and_small_ones_no_exponent() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (10.0, "10"),
            (0.5, "0.5"),
            (1e-5, "0.00001"),
            (999_999_999_999_999.0, "999999999999999"),
            (1.0 / 3.0, "0.3333333333333333"),
            (-0.0, "-0"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(plain(value), text);
        }
    }

    proptest! {
        #[test]
        fn every_number_reads_back_exactly(value in any::<f64>()) {
            let back: f64 = plain(value).parse().unwrap();
            prop_assert!(back.to_bits() == value.to_bits() || (back.is_nan() && value.is_nan()));
        }

        #[test]
        fn no_exponent_from_1e_minus_5_to_1e15(value in 1e-5..1e15) {
            prop_assert!(!plain(value).contains('e'));
        }
    }
}
