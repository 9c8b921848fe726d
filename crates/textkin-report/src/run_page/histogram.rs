//! A histogram of pairs by score.

use std::fmt::Write as _;

use super::{threshold_text, write_text};
use crate::terminal::{counted, score_text, thousands};

/// Number of bars.
const BARS: usize = 50;
/// Size of the picture in its own units.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 220.0;
/// Space for the labels below and above.
const BELOW: f64 = 26.0;
const ABOVE: f64 = 22.0;

/// Counts of pairs by score.
#[derive(Debug)]
pub(super) struct Histogram {
    /// The score at the right end.
    end: f64,
    bars: [u64; BARS],
}

impl Histogram {
    /// Creates a histogram for scores up to `highest`.
    pub(super) fn new(highest: f64) -> Self {
        let end = if highest.is_finite() && highest > 1.0 { round_up(highest) } else { 1.0 };
        Self { end, bars: [0; BARS] }
    }

    pub(super) fn add(&mut self, score: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "a float cast saturates")]
        #[expect(clippy::cast_sign_loss, reason = "a score is not negative")]
        let bar = (score / self.end * BARS as f64) as usize;
        self.bars[bar.min(BARS - 1)] += 1;
    }

    /// Writes the histogram as SVG, with the threshold.
    pub(super) fn draw(&self, score: &str, threshold: f64, page: &mut String) {
        let max_count = self.bars.iter().copied().max().unwrap_or(0);
        if max_count == 0 {
            page.push_str("<p>No pairs to show.</p>");
            return;
        }
        let is_logarithmic = max_count > 50;
        let scaled = |count: u64| {
            let count = count as f64;
            if is_logarithmic { (count + 1.0).ln() } else { count }
        };
        let floor = HEIGHT - BELOW;
        let max_height = floor - ABOVE;
        // Writing to a string does not fail.
        let _ = write!(
            page,
            "<svg class=\"histogram\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"Number of pairs by score\">"
        );
        let width = WIDTH / BARS as f64;
        for (bar, &count) in self.bars.iter().enumerate().filter(|(_, count)| **count > 0) {
            let height = (scaled(count) / scaled(max_count) * max_height).max(2.0);
            let (from, to) = (self.at(bar), self.at(bar + 1));
            let _ = write!(
                page,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\">\
                 <title>{}: score {} to {}</title></rect>",
                bar as f64 * width + 1.0,
                floor - height,
                width - 2.0,
                counted(count, "pair", "pairs"),
                score_at(from),
                score_at(to)
            );
        }
        let _ = write!(page, "<path class=\"axis\" d=\"M0,{floor}H{WIDTH}\"/>");
        for tick in 0..=5 {
            let share = f64::from(tick) / 5.0;
            let anchor = match tick {
                0 => "start",
                5 => "end",
                _ => "middle",
            };
            let _ = write!(
                page,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
                share * WIDTH,
                HEIGHT - 6.0,
                score_at(share * self.end)
            );
        }
        let x = (threshold / self.end).clamp(0.0, 1.0) * WIDTH;
        let (anchor, shift) = if x > WIDTH / 2.0 { ("end", -6.0) } else { ("start", 6.0) };
        let _ = write!(
            page,
            "<path class=\"threshold\" d=\"M{x:.1},0V{floor}\"/>\
             <text class=\"threshold\" x=\"{:.1}\" y=\"14\" text-anchor=\"{anchor}\">threshold {}</text>\
             </svg><p class=\"note\">Number of pairs by score (",
            x + shift,
            threshold_text(threshold)
        );
        write_text(score, page);
        let _ = write!(page, "). The tallest bar has {}.", counted(max_count, "pair", "pairs"));
        if is_logarithmic {
            page.push_str(" Heights are on a logarithmic scale, so that small counts are visible.");
        }
        page.push_str("</p>");
        self.table(page);
    }

    /// Writes the same data as a table, for screen readers.
    fn table(&self, page: &mut String) {
        page.push_str(
            "<details class=\"numbers\"><summary>Show as a table</summary>\
             <table><thead><tr><th>Score from</th><th>Score to</th><th>Pairs</th></tr></thead><tbody>",
        );
        for (bar, &count) in self.bars.iter().enumerate().rev().filter(|(_, count)| **count > 0) {
            let _ = write!(
                page,
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                score_at(self.at(bar)),
                score_at(self.at(bar + 1)),
                thousands(count)
            );
        }
        page.push_str("</tbody></table></details>");
    }

    /// The score at the start of a bar.
    fn at(&self, bar: usize) -> f64 {
        self.end * bar as f64 / BARS as f64
    }
}

/// Formats a score on the axis.
fn score_at(score: f64) -> String {
    if score == 0.0 { "0".to_owned() } else { score_text(score) }
}

/// The smallest round number that is not less than `number`.
fn round_up(number: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 < number {
        power *= 10.0;
    }
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|&end| end >= number)
        .unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_belongs_to_a_bar() {
        let mut histogram = Histogram::new(12.5);
        for score in [0.0, 0.02, 1.0, 12.5, f64::INFINITY] {
            histogram.add(score);
        }
        assert_eq!(histogram.bars.iter().sum::<u64>(), 5);
        assert_eq!(histogram.at(BARS), 20.0);
    }

    #[test]
    fn the_threshold_and_the_counts_are_shown() {
        let mut histogram = Histogram::new(0.9);
        (0..60).for_each(|_| histogram.add(0.25));
        histogram.add(0.9);
        let mut page = String::new();
        histogram.draw("kin", 0.02, &mut page);
        assert!(page.contains("threshold 0.02") && page.contains("60 pairs: score 0.24 to 0.26"));
        assert!(page.contains("logarithmic"));
    }
}
