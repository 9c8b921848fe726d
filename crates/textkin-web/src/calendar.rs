//! Converts seconds since 1970 to dates, for the time axis.

/// Returns year, month and day of a time, in the Gregorian calendar.
///
/// Days are counted from 1 March of year 0, so that the leap day is the last day of a year.
pub(crate) fn date(seconds: i64) -> (i64, u32, u32) {
    let days = seconds.div_euclid(86_400) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, u32::try_from(month).unwrap_or(1), u32::try_from(day).unwrap_or(1))
}

/// Returns up to five times between `from` and `to`, with their labels.
pub(crate) fn ticks(from: i64, to: i64) -> Vec<(i64, String)> {
    const YEAR: i128 = 31_556_952;
    let span = i128::from(to) - i128::from(from);
    (0..5)
        .filter_map(|step: i128| i64::try_from(i128::from(from) + span * (2 * step + 1) / 10).ok())
        .map(|at| {
            let (year, month, day) = date(at);
            let label = if span > 8 * YEAR {
                format!("{year}")
            } else if span > YEAR / 4 {
                format!("{year}-{month:02}")
            } else {
                format!("{year}-{month:02}-{day:02}")
            };
            (at, label)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Counts day by day.
    fn plain(seconds: i64) -> (i64, u32, u32) {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for _ in 0..seconds / 86_400 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + u32::from(is_leap),
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

    #[test]
    fn dates_before_the_epoch_are_correct() {
        assert_eq!(date(-1), (1969, 12, 31));
        assert_eq!(date(-86_400 * 365 * 70 - 86_400 * 17), (1900, 1, 1));
        let _ = (date(i64::MAX), date(i64::MIN), ticks(i64::MIN, i64::MAX));
    }

    proptest! {
        #[test]
        fn dates_agree_with_counting_days(seconds in 0_i64..8_000_000_000) {
            prop_assert_eq!(date(seconds), plain(seconds));
        }
    }
}
