//! Dates for the time axis.

use textkin_core::calendar::DateTime;

/// Returns up to five times between `from` and `to`, with their labels, which are as exact as needed to
/// tell them apart.
pub(crate) fn ticks(from: i64, to: i64) -> Vec<(i64, String)> {
    const YEAR: i128 = 31_556_952;
    const DAY: i128 = 86_400;
    let span = i128::from(to) - i128::from(from);
    (0..5)
        .filter_map(|step: i128| i64::try_from(i128::from(from) + span * (2 * step + 1) / 10).ok())
        .map(|at| {
            let DateTime { year, month, day, hour, minute, .. } = DateTime::at(at);
            let label = if span > 8 * YEAR {
                format!("{year}")
            } else if span > YEAR / 4 {
                format!("{year}-{month:02}")
            } else if span > 6 * DAY {
                format!("{year}-{month:02}-{day:02}")
            } else {
                format!("{month:02}-{day:02} {hour:02}:{minute:02}")
            };
            (at, label)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_as_exact_as_the_span_needs() {
        let labels = |from, to| ticks(from, to).into_iter().map(|(_, label)| label);
        let days: Vec<String> = labels(0, 10 * 86_400).collect();
        assert_eq!(days, ["1970-01-02", "1970-01-04", "1970-01-06", "1970-01-08", "1970-01-10"]);
        let hours: Vec<String> = labels(0, 86_400).collect();
        assert_eq!(hours[0], "01-01 02:24");
        assert!(hours.windows(2).all(|pair| pair[0] != pair[1]), "{hours:?}");
        assert_eq!(labels(0, 31_556_952).next().as_deref(), Some("1970-02"));
        assert_eq!(labels(-1, 400_000_000).next().as_deref(), Some("1971"));
        assert_eq!(ticks(i64::MIN, i64::MAX).len(), 5);
    }
}
