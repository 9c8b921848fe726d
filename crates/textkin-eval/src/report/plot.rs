//! Line plots as SVG: no scripts, system fonts, readable without colours.

use std::fmt::Write as _;

/// One curve of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points, ordered by x.
    pub points: Vec<(f64, f64)>,
}

/// Line plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Title.
    pub title: String,
    /// Label of the x axis.
    pub x: String,
    /// Label of the y axis.
    pub y: String,
    /// Whether the x axis is logarithmic.
    pub is_logarithmic: bool,
    /// The curves.
    pub series: Vec<Series>,
}

/// Right end of the axes.
const RIGHT: f64 = 530.0;
/// Height without a long legend.
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 56.0;
/// Height of a line of the legend.
const LEGEND_LINE: f64 = 20.0;
/// Distance from the axes to the names in the legend.
const LEGEND_INDENT: f64 = 44.0;
/// Minimum width of the legend.
const LEGEND_WIDTH: f64 = 190.0;
/// Upper bound of the width of an average character, so that no name is cut.
const CHARACTER_WIDTH: f64 = 7.5;

/// Colour-blind safe palette, and dashes for black-and-white print.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#444444", "#8b0000"];
const DASHES: [&str; 4] = ["none", "7 3", "2 3", "9 3 2 3"];

impl Plot {
    /// Returns the plot as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let (x_from, x_to) = range(points().map(|point| self.scaled(point.0)));
        let (low, high) = range(points().map(|point| point.1).chain([0.0]));
        let step = step(high - low);
        let (y_from, y_to) = ((low / step).floor() * step, (high / step).ceil() * step);
        let x =
            |value: f64| LEFT + (self.scaled(value) - x_from) / (x_to - x_from) * (RIGHT - LEFT);
        let y = |value: f64| {
            HEIGHT - BOTTOM - (value - y_from) / (y_to - y_from) * (HEIGHT - TOP - BOTTOM)
        };

        let (width, height) = self.size();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{title}\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"22\" font-size=\"14\" font-weight=\"600\">{title}</text>\n",
            title = escape(&self.title)
        );
        let mut tick = y_from;
        while tick <= y_to + step / 2.0 {
            let at = y(tick);
            _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{}</text>",
                RIGHT,
                LEFT - 8.0,
                at + 4.0,
                short(tick, step)
            );
            tick += step;
        }
        for value in self.x_ticks() {
            let at = x(value);
            _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {:.1}v5\" stroke=\"#666\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{}</text>",
                HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 20.0,
                compact(value)
            );
        }
        _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (LEFT + RIGHT) / 2.0,
            HEIGHT - 14.0,
            escape(&self.x),
            (TOP + HEIGHT - BOTTOM) / 2.0,
            escape(&self.y)
        );
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS.get(number % COLOURS.len()).copied().unwrap_or("#000");
            // The ninth curve has the colour of the first but another dash.
            let dash = (number + number / COLOURS.len()) % DASHES.len();
            let dash = DASHES.get(dash).copied().unwrap_or("none");
            let positions = series.points.iter().map(|&(a, b)| format!("{:.1},{:.1}", x(a), y(b)));
            _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
                 stroke-dasharray=\"{dash}\"/>",
                positions.collect::<Vec<_>>().join(" ")
            );
            for &(a, b) in &series.points {
                _ = writeln!(
                    svg,
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                    x(a),
                    y(b)
                );
            }
            let at = TOP + 8.0 + LEGEND_LINE * number as f64;
            _ = writeln!(
                svg,
                "<path d=\"M{:.1} {at:.1}h24\" stroke=\"{colour}\" stroke-width=\"2\" \
                 stroke-dasharray=\"{dash}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                RIGHT + 14.0,
                RIGHT + LEGEND_INDENT,
                at + 4.0,
                escape(&series.name)
            );
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Returns the width and height that fit the title and the whole legend.
    fn size(&self) -> (f64, f64) {
        let width = |text: &str| text.chars().count() as f64 * CHARACTER_WIDTH;
        let names = self.series.iter().map(|series| width(&series.name));
        let legend = LEGEND_INDENT + names.fold(0.0, f64::max);
        let title = LEFT + width(&self.title) * 14.0 / 12.0;
        let legend_height = TOP + 8.0 + LEGEND_LINE * self.series.len() as f64;
        let right = (RIGHT + legend.max(LEGEND_WIDTH)).max(title).ceil();
        (right, HEIGHT.max(legend_height))
    }

    fn scaled(&self, x: f64) -> f64 {
        if self.is_logarithmic { x.max(f64::MIN_POSITIVE).ln() } else { x }
    }

    /// Returns up to ten x values of points.
    fn x_ticks(&self) -> Vec<f64> {
        let mut positions: Vec<f64> = self
            .series
            .iter()
            .flat_map(|series| series.points.iter().map(|point| point.0))
            .collect();
        positions.sort_by(f64::total_cmp);
        positions.dedup();
        let every = positions.len().div_ceil(10).max(1);
        positions.into_iter().step_by(every).collect()
    }
}

/// Returns the minimum and maximum value, widened if they are equal.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let (from, to) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), value| {
        (from.min(value), to.max(value))
    });
    match (from.is_finite(), to > from) {
        (false, _) => (0.0, 1.0),
        (true, false) => (from - 0.5, from + 0.5),
        (true, true) => (from, to),
    }
}

/// Returns a round step that divides a length into about five.
fn step(length: f64) -> f64 {
    let rough = (length / 5.0).max(1e-9);
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough)
}

fn short(value: f64, step: f64) -> String {
    let digits = [(1.0, 0), (0.1, 1), (0.01, 2)].iter().find(|(min, _)| step >= *min);
    format!("{:.*}", digits.map_or(3, |(_, digits)| *digits), value + 0.0)
}

fn compact(value: f64) -> String {
    match value.abs() {
        v if v >= 1e6 => format!("{}M", trim(value / 1e6)),
        v if v >= 1e4 => format!("{}k", trim(value / 1e3)),
        _ => trim(value),
    }
}

fn trim(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Escapes text for HTML and SVG.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(series: Vec<Series>) -> Plot {
        let (x, y) = ("rate".to_owned(), "recall".to_owned());
        Plot { title: "a < b".to_owned(), x, y, is_logarithmic: false, series }
    }

    #[test]
    fn names_are_escaped_and_every_point_is_drawn() {
        let name = "<script>".to_owned();
        let svg = plot(vec![Series { name, points: vec![(0.0, 1.0), (0.5, 0.2)] }]).svg();
        assert!(!svg.contains("<script>") && svg.contains("a &lt; b"));
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn names_in_the_legend_are_complete_and_fit() {
        let name = "one hit without refinement (textkin's default, not in the paper)";
        let series = |_| Series { name: name.to_owned(), points: vec![(0.0, 1.0)] };
        let plot = plot((0..30).map(series).collect());
        let svg = plot.svg();
        assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 30);
        let (width, height) = plot.size();
        assert!(width > RIGHT + LEGEND_INDENT + 7.0 * name.len() as f64, "{width}");
        assert!(height >= TOP + 30.0 * LEGEND_LINE, "{height}");
        assert!(svg.contains(&format!("viewBox=\"0 0 {width} {height}\"")), "{svg}");
    }

    #[test]
    fn empty_and_single_point_plots_are_valid() {
        for points in [vec![], vec![(3.0, 4.0)], vec![(1.0, 0.0), (2.0, 0.0)]] {
            let svg = plot(vec![Series { name: String::new(), points }]).svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([1.0, 0.7, 100.0, 37.0].map(step), [0.2, 0.2, 20.0, 10.0]);
        assert_eq!([20_000.0, 0.25, 3.0].map(compact), ["20k", "0.25", "3"]);
    }
}
