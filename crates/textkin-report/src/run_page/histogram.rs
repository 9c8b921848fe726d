//! How many pairs have which score, as a picture.

use std::fmt::Write as _;

use super::{shown, threshold_text};
use crate::terminal::{counted, score_text, thousands};

/// Bars of the picture.
const BARS: usize = 50;
/// The picture in its own units.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 220.0;
/// Room for the numbers below and above.
const BELOW: f64 = 26.0;
const ABOVE: f64 = 22.0;

/// Pairs counted by score.
#[derive(Debug)]
pub(super) struct Histogram {
    /// The score at the right end.
    end: f64,
    bars: [u64; BARS],
}

impl Histogram {
    /// For scores of at most `highest`.
    pub(super) fn new(highest: f64) -> Self {
        let end = if highest.is_finite() && highest > 1.0 { nice(highest) } else { 1.0 };
        Self { end, bars: [0; BARS] }
    }

    pub(super) fn add(&mut self, score: f64) {
        #[expect(clippy::cast_possible_truncation, reason = "a float cast saturates")]
        #[expect(clippy::cast_sign_loss, reason = "a score is not negative")]
        let bar = (score / self.end * BARS as f64) as usize;
        self.bars[bar.min(BARS - 1)] += 1;
    }

    /// Writes the picture as SVG, with the threshold.
    pub(super) fn draw(&self, score: &str, threshold: f64, page: &mut String) {
        let most = self.bars.iter().copied().max().unwrap_or(0);
        if most == 0 {
            page.push_str("<p>There are no pairs to count.</p>");
            return;
        }
        let is_logarithmic = most > 50;
        let scaled = |count: u64| {
            let count = count as f64;
            if is_logarithmic { (count + 1.0).ln() } else { count }
        };
        let floor = HEIGHT - BELOW;
        let room = floor - ABOVE;
        // Writing to a string does not fail.
        let _ = write!(
            page,
            "<svg class=\"histogram\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"Pairs by score\">"
        );
        let width = WIDTH / BARS as f64;
        for (bar, &count) in self.bars.iter().enumerate().filter(|(_, count)| **count > 0) {
            let height = (scaled(count) / scaled(most) * room).max(2.0);
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
             </svg><p class=\"note\">Score (",
            x + shift,
            threshold_text(threshold)
        );
        shown(score, page);
        let _ = write!(
            page,
            ") from left to right; the highest bar is {}.",
            counted(most, "pair", "pairs")
        );
        if is_logarithmic {
            page.push_str(" Heights are logarithmic, so that small counts can be seen.");
        }
        page.push_str("</p>");
        self.table(page);
    }

    /// The same in numbers, for those who do not see the picture.
    fn table(&self, page: &mut String) {
        page.push_str(
            "<details class=\"numbers\"><summary>The same in numbers</summary>\
             <table><thead><tr><th>Score from</th><th>to</th><th>Pairs</th></tr></thead><tbody>",
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

    /// The score where a bar begins.
    fn at(&self, bar: usize) -> f64 {
        self.end * bar as f64 / BARS as f64
    }
}

/// A place on the axis.
fn score_at(score: f64) -> String {
    if score == 0.0 { "0".to_owned() } else { score_text(score) }
}

/// The least round number that is not less than `number`.
fn nice(number: f64) -> f64 {
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
    fn every_score_has_a_bar() {
        let mut histogram = Histogram::new(12.5);
        for score in [0.0, 0.02, 1.0, 12.5, f64::INFINITY] {
            histogram.add(score);
        }
        assert_eq!(histogram.bars.iter().sum::<u64>(), 5);
        assert_eq!(histogram.at(BARS), 20.0);
    }

    #[test]
    fn the_threshold_is_marked_and_the_counts_are_there() {
        let mut histogram = Histogram::new(0.9);
        (0..60).for_each(|_| histogram.add(0.25));
        histogram.add(0.9);
        let mut page = String::new();
        histogram.draw("kin", 0.02, &mut page);
        assert!(page.contains("threshold 0.02") && page.contains("60 pairs: score 0.24 to 0.26"));
        assert!(page.contains("logarithmic"));
    }
}
