//! Parsing and printing of times and durations.

use std::fmt;
use std::str::FromStr;

use textkin_core::calendar::{DateTime, seconds_to_day};

/// A point in time, in seconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// The error of parsing a [`Timestamp`]; contains the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseTimestampError(String);

impl fmt::Display for ParseTimestampError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "'{}' is not a time; write 2024, 2024-01, 2024-01-31, 2024-01-31T13:45:00Z or seconds since 1970",
            self.0
        )
    }
}

impl std::error::Error for ParseTimestampError {}

impl Timestamp {
    /// Returns the current time.
    #[must_use]
    pub fn now() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self(since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX)))
    }

    /// Returns the time `seconds` earlier.
    #[must_use]
    pub fn before(self, seconds: u64) -> Self {
        Self(self.0.saturating_sub(i64::try_from(seconds).unwrap_or(i64::MAX)))
    }
}

impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    /// Parses a year, a month, a day, or a date with a time of day and an optional zone (UTC by
    /// default). Missing parts default to the earliest time. A number of five digits or more is
    /// seconds since 1970.
    fn from_str(text: &str) -> Result<Self, ParseTimestampError> {
        let invalid = || ParseTimestampError(text.to_owned());
        let text = text.trim();
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.len() >= 5 && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            let whole = text.split('.').next().unwrap_or_default();
            return whole.parse().map(Self).map_err(|_| invalid());
        }
        let (date, time) = match text.find(['T', 't', ' ']) {
            Some(at) => (&text[..at], Some(text[at + 1..].trim())),
            None => (text, None),
        };
        let mut parts = date.split('-');
        let mut next = |default: i64| match parts.next() {
            None => Ok(default),
            Some(part) => number(part).ok_or_else(invalid),
        };
        let (year, month, day) = (next(-1)?, next(1)?, next(1)?);
        let is_date = (1..=9999).contains(&year) && parts.next().is_none();
        let midnight = match (i8::try_from(month), i8::try_from(day)) {
            (Ok(month), Ok(day)) if is_date => seconds_to_day(year, month, day),
            _ => None,
        };
        let midnight = midnight.ok_or_else(invalid)?;
        let seconds = match time {
            None => 0,
            Some(time) => seconds_of_day(time).ok_or_else(invalid)?,
        };
        Ok(Self(midnight + seconds))
    }
}

/// Parses a number of one to four digits.
fn number(text: &str) -> Option<i64> {
    let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Parses `13:45`, `13:45:00` or `13:45:00.25`, each with an optional `Z` or `+02:00`, into seconds
/// since midnight UTC.
fn seconds_of_day(text: &str) -> Option<i64> {
    let (clock, zone) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => (text[..at].trim_end(), &text[at..]),
        None => (text, "Z"),
    };
    let mut parts = clock.split(':');
    let (hours, minutes) = (number(parts.next()?)?, number(parts.next()?)?);
    let seconds = match parts.next() {
        None => 0,
        Some(seconds) => number(seconds.split(['.', ',']).next()?)?,
    };
    if parts.next().is_some() || hours > 24 || minutes > 59 || seconds > 60 {
        return None;
    }
    Some(hours * 3600 + minutes * 60 + seconds - offset(zone)?)
}

fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = zone.split_at(1);
    let digits: String = rest.chars().filter(|letter| *letter != ':').collect();
    let (hours, minutes) = match digits.len() {
        2 => (number(&digits)?, 0),
        4 => (number(&digits[..2])?, number(&digits[2..])?),
        _ => return None,
    };
    let seconds = hours * 3600 + minutes * 60;
    Some(if sign == "-" { -seconds } else { seconds })
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DateTime { year, month, day, hour, minute, second } = DateTime::at(self.0);
        write!(formatter, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Parses a duration such as `90s`, `15m`, `12h`, `30d`, `2w` or `1y` into seconds.
///
/// # Errors
/// A message, if `text` is not a duration.
pub fn parse_age(text: &str) -> Result<u64, String> {
    let invalid = || {
        format!("'{text}' is not a duration; write a number and s, m, h, d, w or y, such as 30d")
    };
    let at = text.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(invalid)?;
    let number: u64 = text[..at].parse().map_err(|_| invalid())?;
    let unit = match &text[at..] {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        "y" => 365 * 86_400,
        _ => return Err(invalid()),
    };
    number.checked_mul(unit).ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_parsed() {
        let cases = [
            ("1970", 0),
            ("1970-01-02", 86_400),
            ("2000-03", 951_868_800),
            ("2024-02-29T12:00:00Z", 1_709_208_000),
            ("2024-02-29 12:00", 1_709_208_000),
            ("2024-02-29T14:00:00.25+02:00", 1_709_208_000),
            ("2024-02-29T07:30:00-0430", 1_709_208_000),
            ("1709208000", 1_709_208_000),
            ("1969-12-31T23:59:59Z", -1),
        ];
        for (text, seconds) in cases {
            assert_eq!(text.parse(), Ok(Timestamp(seconds)), "{text}");
        }
        for text in
            ["", "yesterday", "2023-02-29", "2024-13", "2024-01-01T25:00", "2024-1-1-1", "99-é"]
        {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn days_exist_from_year_1_to_9999() {
        for (text, seconds) in [
            ("1", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("1900-2-28", -2_203_977_600),
        ] {
            assert_eq!(text.parse(), Ok(Timestamp(seconds)), "{text}");
        }
        for text in
            ["0", "0000-01-01", "1900-02-29", "2024-00-01", "2024-01-00", "2024-300", "2024-01-300"]
        {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
        assert_eq!(Timestamp(1_709_208_000_000).to_string(), "56132-08-24T00:00:00Z");
    }

    #[test]
    fn ages_have_units() {
        assert_eq!(parse_age("30d"), Ok(2_592_000));
        assert_eq!(parse_age("90s"), Ok(90));
        assert!(parse_age("30").is_err() && parse_age("d").is_err() && parse_age("").is_err());
    }

    proptest! {
        #[test]
        fn printed_times_are_parsed_back(seconds in -60_000_000_000i64..250_000_000_000) {
            let timestamp = Timestamp(seconds);
            prop_assert_eq!(timestamp.to_string().parse(), Ok(timestamp));
        }

        #[test]
        fn any_text_can_be_parsed(text in "\\PC{0,30}") {
            let _ = text.parse::<Timestamp>();
            let _ = parse_age(&text);
        }
    }
}
