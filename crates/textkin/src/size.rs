//! Parsing of sizes such as `1GiB`.

/// Parses a number of bytes: `1073741824`, `1GiB`, `500MB`, `1.5G`. `kB`, `MB`, `GB` and `TB` are
/// decimal, all other units binary.
///
/// # Errors
/// A message, if `text` is not a size.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 =
        number.parse().map_err(|_| format!("'{text}' is not a size; write it like 1GiB"))?;
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1000,
        "mb" => 1000 * 1000,
        "gb" => 1000 * 1000 * 1000,
        "tb" => 1000 * 1000 * 1000 * 1000,
        _ => {
            return Err(format!("unknown unit '{unit}'; use KiB, MiB, GiB, TiB, kB, MB, GB or TB"));
        }
    };
    let bytes = number * factor as f64;
    if bytes < 1.0 || bytes >= u64::MAX as f64 {
        return Err(format!("'{text}' is out of range"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_are_parsed_with_and_without_units() {
        assert_eq!(parse_size("1GiB"), Ok(1 << 30));
        assert_eq!(parse_size("8 MiB"), Ok(8 << 20));
        assert_eq!(parse_size("1.5k"), Ok(1536));
        assert_eq!(parse_size("500MB"), Ok(500_000_000));
        assert_eq!(parse_size("4096"), Ok(4096));
    }

    #[test]
    fn invalid_sizes_are_rejected() {
        for text in ["", "GiB", "1 parsec", "0", "-1", "1e99", "99999999999TiB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
