//! Dates of the Gregorian calendar, extended to all years, in UTC.
//!
//! Crate `jiff` computes them for its years; this module extends it to all times: the calendar repeats
//! every 400 years.

use jiff::civil;
use jiff::tz::Offset;

/// Years after which the calendar repeats.
const CYCLE_YEARS: i64 = 400;

/// The length of [`CYCLE_YEARS`].
const CYCLE_SECONDS: i64 = 146_097 * 86_400;

/// A date and a time of day in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    /// The year; the year before 1 is 0.
    pub year: i64,
    /// The month, from 1.
    pub month: i8,
    /// The day of the month, from 1.
    pub day: i8,
    /// The hour, from 0.
    pub hour: i8,
    /// The minute, from 0.
    pub minute: i8,
    /// The second, from 0 to 59.
    pub second: i8,
}

impl DateTime {
    /// Returns the date and time of day `seconds` after the beginning of 1970.
    ///
    /// ```
    /// use textkin_core::calendar::DateTime;
    ///
    /// let leap_day = DateTime::at(951_782_400);
    /// assert_eq!((leap_day.year, leap_day.month, leap_day.day), (2000, 2, 29));
    /// ```
    #[must_use]
    pub fn at(seconds: i64) -> Self {
        let cycles = seconds.div_euclid(CYCLE_SECONDS);
        let timestamp = jiff::Timestamp::from_second(seconds.rem_euclid(CYCLE_SECONDS))
            .expect("the cycle since 1970 is in the range of jiff");
        let time = Offset::UTC.to_datetime(timestamp);
        Self {
            year: i64::from(time.year()) + CYCLE_YEARS * cycles,
            month: time.month(),
            day: time.day(),
            hour: time.hour(),
            minute: time.minute(),
            second: time.second(),
        }
    }
}

/// Returns the seconds from the beginning of 1970 to a day, or `None` if there is no such day or it is
/// too far away.
///
/// ```
/// use textkin_core::calendar::seconds_to_day;
///
/// assert_eq!(seconds_to_day(1970, 1, 2), Some(86_400));
/// assert_eq!(seconds_to_day(2023, 2, 29), None);
/// ```
#[must_use]
pub fn seconds_to_day(year: i64, month: i8, day: i8) -> Option<i64> {
    let cycles = year.checked_sub(1970)?.div_euclid(CYCLE_YEARS);
    let year = i16::try_from(year - CYCLE_YEARS * cycles).ok()?;
    let midnight = civil::Date::new(year, month, day).ok()?.at(0, 0, 0, 0);
    let timestamp = Offset::UTC.to_timestamp(midnight).ok()?;
    cycles.checked_mul(CYCLE_SECONDS)?.checked_add(timestamp.as_second())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Counts day by day.
    fn plain(seconds: i64) -> (i64, i8, i8) {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for _ in 0..seconds / 86_400 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + i8::from(is_leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        (year, month, day)
    }

    fn date(seconds: i64) -> (i64, i8, i8) {
        let time = DateTime::at(seconds);
        (time.year, time.month, time.day)
    }

    #[test]
    fn dates_before_1970_and_in_distant_years_are_correct() {
        assert_eq!(date(-1), (1969, 12, 31));
        assert_eq!(date(-86_400 * 365 * 70 - 86_400 * 17), (1900, 1, 1));
        assert_eq!(date(1_709_208_000_000), (56132, 8, 24));
        assert_eq!(seconds_to_day(9999, 12, 31), Some(253_402_214_400));
        let _ = (date(i64::MAX), date(i64::MIN));
        assert_eq!(seconds_to_day(i64::MAX, 1, 1), None);
        assert_eq!(seconds_to_day(i64::MIN, 1, 1), None);
    }

    proptest! {
        #[test]
        fn dates_agree_with_counting_days(seconds in 0_i64..8_000_000_000) {
            prop_assert_eq!(date(seconds), plain(seconds));
        }

        #[test]
        fn times_consist_of_their_day_and_time_of_day(seconds in any::<i64>()) {
            let time = DateTime::at(seconds);
            let midnight = seconds_to_day(time.year, time.month, time.day);
            prop_assume!(midnight.is_some());
            let clock = [(time.hour, 3600), (time.minute, 60), (time.second, 1)];
            let of_day: i64 = clock.iter().map(|(number, unit)| i64::from(*number) * unit).sum();
            prop_assert_eq!(midnight.unwrap() + of_day, seconds);
        }
    }
}
