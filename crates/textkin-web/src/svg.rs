//! Drawings made on the server: histogram, document strip, pie chart, minimap, reuse timeline.
//!
//! Drawings are SVG with attributes and classes only, since the content security policy forbids
//! inline style. Whatever a colour shows, a number or a pattern shows too, and every mark has a name
//! for screen readers.

use crate::format;
use crate::markup::Markup;
use crate::view::{
    ComparedPassage, Histogram, MarkKind, OriginDocument, PassagePosition, ReuseTimeline, Strip,
};

/// Returns the CSS classes for the colour and pattern of number `index`, counted from 0.
#[must_use]
pub(crate) fn hue(index: usize) -> String {
    format!("c{} l{}", index % 6, (index / 6) % 4)
}

#[expect(clippy::cast_precision_loss, reason = "places in a drawing")]
fn part(value: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { value as f64 * 100.0 / whole as f64 }
}

/// Draws bars that are links, up to `height` pixels high, and the threshold as a line. `unit` is what is
/// counted: `documents`.
#[must_use]
pub(crate) fn histogram(histogram: &Histogram, unit: &str, height: u32) -> Markup {
    let tallest = f64::from(height);
    let mut html = Markup::default();
    let max = histogram.bars.iter().map(|bar| bar.documents).max().unwrap_or(0).max(1);
    html.push(&format!(
        "<svg class=\"histogram\" width=\"100%\" height=\"{}\" role=\"group\" aria-label=\"",
        height + 30
    ));
    html.text(&format!("{unit} by best match in percent")).push("\">");
    for bar in &histogram.bars {
        let height = (part(bar.documents, max) / 100.0 * tallest).max(if bar.documents > 0 {
            2.0
        } else {
            0.0
        });
        let label = format!("{}–{}%: {} {unit}", bar.from, bar.to, format::number(bar.documents));
        let is_below = bar.to <= histogram.threshold;
        if let Some(href) = bar.href.as_ref().filter(|_| bar.documents > 0) {
            html.push("<a href=\"").text(href).push("\" aria-label=\"").text(&label).push("\">");
        } else {
            html.push("<g role=\"img\" aria-label=\"").text(&label).push("\">");
        }
        html.push("<title>").text(&label).push("</title>");
        let (x, width) = (f64::from(bar.from), f64::from(bar.to.saturating_sub(bar.from)));
        let rect = |y: f64, height: f64, class: &str| {
            format!(
                "<rect class=\"{class}\" x=\"{:.2}%\" y=\"{y:.1}\" width=\"{:.2}%\" height=\"{height:.1}\"/>",
                x + 0.15,
                (width - 0.3).max(0.1)
            )
        };
        html.push(&rect(0.0, tallest, "hit"));
        html.push(&rect(tallest - height, height, if is_below { "bar below" } else { "bar" }));
        html.push(if bar.href.is_some() && bar.documents > 0 { "</a>" } else { "</g>" });
    }
    let threshold = histogram.threshold.min(100);
    html.push(&format!(
        "<line class=\"threshold\" x1=\"{threshold}%\" x2=\"{threshold}%\" y1=\"0\" y2=\"{}\"/>",
        height + 6
    ));
    for tick in [0_u32, 20, 40, 60, 80, 100] {
        let anchor = match tick {
            0 => "start",
            100 => "end",
            _ => "middle",
        };
        html.push(&format!(
            "<text class=\"tick\" x=\"{tick}%\" y=\"{}\" text-anchor=\"{anchor}\">{tick}%</text>",
            height + 23
        ));
    }
    html.push("</svg>");
    html
}

/// Draws the whole text as a bar, with each match in the colour and pattern of its source.
#[must_use]
pub(crate) fn strip(strip: &Strip) -> Markup {
    let mut html = Markup::default();
    let found = strip.segments.iter().filter(|segment| matches!(segment.kind, MarkKind::Source(_)));
    let label =
        format!("The text as a bar: {}", format::counted(found.count() as u64, "match", "matches"));
    html.push("<svg class=\"strip\" width=\"100%\" height=\"34\" role=\"img\" aria-label=\"");
    html.text(&label).push("\"><rect class=\"ground\" width=\"100%\" height=\"34\"/>");
    for segment in &strip.segments {
        let x = part(segment.from.min(strip.words), strip.words);
        let width = part(segment.to.min(strip.words), strip.words) - x;
        let place =
            format!("words {}–{}", format::number(segment.from + 1), format::number(segment.to));
        let rect = |class: &str| {
            format!(
                "<rect class=\"{class}\" x=\"{x:.3}%\" width=\"{:.3}%\" height=\"34\"/>",
                width.max(0.12)
            )
        };
        match &segment.kind {
            MarkKind::Source(number) => {
                let index = number.saturating_sub(1);
                let hue = hue(index);
                html.push(&format!("<g class=\"{hue}\"><title>source {number}, {place}</title>"));
                html.push(&rect("run"));
                html.push(&pattern(
                    index,
                    &format!("x=\"{x:.3}%\" width=\"{:.3}%\" height=\"34\"", width.max(0.12)),
                ));
                if width > 1.6 {
                    let middle = x + width / 2.0;
                    html.push(&format!(
                        "<text x=\"{middle:.3}%\" y=\"22\" text-anchor=\"middle\">{number}</text>"
                    ));
                }
                html.push("</g>");
            }
            MarkKind::Excluded(reason) => {
                html.push("<g><title>")
                    .text(&format!("excluded ({reason}), {place}"))
                    .push("</title>");
                html.push(&rect("excluded")).push("</g>");
            }
        }
    }
    html.push("</svg>");
    html
}

/// Returns a second rectangle with the pattern of number `index`; the first six have none.
fn pattern(index: usize, place: &str) -> String {
    match (index / 6) % 4 {
        0 => String::new(),
        style => format!("<rect class=\"pattern\" fill=\"url(#pattern-{style})\" {place}/>"),
    }
}

/// Draws a text from top to bottom as a narrow bar with its matches.
#[must_use]
pub(crate) fn minimap(side: &str, words: u64, matches: &[ComparedPassage]) -> Markup {
    let mut html = Markup::default();
    html.push("<svg class=\"map\" data-map=\"")
        .text(side)
        .push("\" width=\"16\" height=\"100%\" aria-hidden=\"true\">");
    for (index, found) in largest(matches) {
        let place: PassagePosition = if side == "a" { found.a } else { found.b };
        let y = part(place.first_word.min(words), words);
        let height = part(place.words, words).clamp(0.4, 100.0);
        html.push(&format!(
            "<rect class=\"{}\" data-index=\"{index}\" x=\"0\" width=\"16\" y=\"{y:.3}%\" height=\"{height:.3}%\"/>",
            hue(index)
        ));
    }
    html.push("<rect class=\"sight\" width=\"16\" height=\"0\"/></svg>");
    html
}

/// Returns the matches that a minimap shows, in order: those with the most words.
fn largest(matches: &[ComparedPassage]) -> Vec<(usize, &ComparedPassage)> {
    const MAX_DRAWN: usize = 400;
    let mut drawn: Vec<(usize, &ComparedPassage)> = matches.iter().enumerate().collect();
    drawn.sort_by_key(|(index, found)| (std::cmp::Reverse(found.words), *index));
    drawn.truncate(MAX_DRAWN);
    drawn.sort_by_key(|(index, _)| *index);
    drawn
}

/// Draws original, reused and unclear words as a pie chart.
#[must_use]
pub(crate) fn pie(document: &OriginDocument) -> Markup {
    let parts = [
        ("original", document.original),
        ("reused", document.reused),
        ("unclear", document.unclear),
    ];
    let whole: u64 = parts.iter().map(|(_, words)| words).sum();
    let labels: Vec<String> = parts
        .iter()
        .filter(|(_, words)| *words > 0)
        .map(|(name, words)| format!("{name} {}", format::percent(*words, whole)))
        .collect();
    let mut html = Markup::default();
    html.push("<svg class=\"pie\" viewBox=\"-1.05 -1.05 2.1 2.1\" width=\"120\" height=\"120\" role=\"img\" aria-label=\"");
    html.text(&if labels.is_empty() { "no words".to_owned() } else { labels.join(", ") })
        .push("\">");
    let mut from = 0.0_f64;
    for (name, words) in parts {
        let to = from + part(words, whole) / 100.0;
        if words == whole && words > 0 {
            html.push(&format!("<circle class=\"{name}\" r=\"1\"/>"));
        } else if words > 0 {
            let point = |share: f64| {
                let angle = share * std::f64::consts::TAU;
                (angle.sin(), -angle.cos())
            };
            let ((x1, y1), (x2, y2)) = (point(from), point(to));
            let large = u8::from(to - from > 0.5);
            html.push(&format!(
                "<path class=\"{name}\" d=\"M0,0 L{x1:.4},{y1:.4} A1,1 0 {large} 1 {x2:.4},{y2:.4} Z\"/>"
            ));
        }
        from = to;
    }
    if whole == 0 {
        html.push("<circle class=\"none\" r=\"1\"/>");
    }
    html.push("</svg>");
    html
}

/// Draws lanes over time: a dot for each document, a line for reused words.
#[must_use]
pub(crate) fn timeline(timeline: &ReuseTimeline) -> Markup {
    const LANE: usize = 44;
    const TOP: usize = 8;
    let mut html = Markup::default();
    let height = TOP + timeline.lanes.len().max(1) * LANE + 26;
    let dots: usize = timeline.lanes.iter().map(|lane| lane.dots.len()).sum();
    html.push(&format!(
        "<svg class=\"stream\" width=\"100%\" height=\"{height}\" role=\"group\" data-from=\"{}\" data-to=\"{}\" aria-label=\"",
        timeline.from, timeline.to
    ));
    html.text(&format!(
        "Timeline of {} in {}",
        format::documents(dots as u64),
        format::counted(timeline.lanes.len() as u64, "lane", "lanes")
    ))
    .push("\">");
    #[expect(clippy::cast_precision_loss, reason = "places in a drawing")]
    let x = |at: i64| {
        let span = (i128::from(timeline.to) - i128::from(timeline.from)).max(1) as f64;
        let share = (i128::from(at) - i128::from(timeline.from)) as f64 / span;
        2.0 + share.clamp(0.0, 1.0) * 96.0
    };
    let y = |lane: usize| TOP + lane * LANE + 26;
    for (index, lane) in timeline.lanes.iter().enumerate() {
        let at = y(index);
        html.push(&format!("<line class=\"lane\" x1=\"0\" x2=\"100%\" y1=\"{at}\" y2=\"{at}\"/>"));
        html.push(&format!("<text class=\"lane\" x=\"0\" y=\"{}\">", at - 12))
            .text(&lane.name)
            .push("</text>");
    }
    for line in &timeline.lines {
        let find = |(lane, place): (usize, usize)| {
            timeline
                .lanes
                .get(lane)
                .and_then(|found| found.dots.get(place))
                .map(|dot| (x(dot.at), y(lane)))
        };
        let (Some((x1, y1)), Some((x2, y2))) = (find(line.from), find(line.to)) else { continue };
        html.push(&format!(
            "<line class=\"reuse\" x1=\"{x1:.2}%\" y1=\"{y1}\" x2=\"{x2:.2}%\" y2=\"{y2}\" stroke-width=\"{}\"><title>{} reused</title></line>",
            1 + line.words.max(1).ilog10(),
            format::words(line.words)
        ));
    }
    for (index, lane) in timeline.lanes.iter().enumerate() {
        for dot in &lane.dots {
            let radius = 3 + dot.words.max(1).ilog10();
            html.push("<a href=\"")
                .text(&dot.href)
                .push("\" aria-label=\"")
                .text(&dot.label)
                .push("\"><title>");
            html.text(&format!("{}, {}", dot.label, format::words(dot.words))).push("</title>");
            html.push(&format!(
                "<circle class=\"{}\" cx=\"{:.2}%\" cy=\"{}\" r=\"{radius}\"/></a>",
                hue(index),
                x(dot.at),
                y(index)
            ));
        }
    }
    let ticks =
        (timeline.from != timeline.to).then(|| crate::calendar::ticks(timeline.from, timeline.to));
    for (at, label) in ticks.unwrap_or_default() {
        html.push(&format!(
            "<text class=\"tick\" x=\"{:.2}%\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            x(at),
            height - 6
        ));
    }
    html.push("</svg>");
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Bar, Dot, Lane, ReuseLine, StripSegment};

    #[test]
    fn only_bars_with_documents_are_links() {
        let bar =
            |documents| Bar { from: 40, to: 45, documents, href: Some("/?slice=40".to_owned()) };
        let drawn =
            histogram(&Histogram { bars: vec![bar(0), bar(3)], threshold: 5 }, "documents", 120);
        assert_eq!(drawn.as_str().matches("<a href").count(), 1);
        assert!(drawn.as_str().contains("40–45%: 3 documents"));
    }

    #[test]
    fn segments_beyond_the_end_stay_inside_the_strip() {
        let segments = vec![StripSegment { from: 5, to: 500, kind: MarkKind::Source(7) }];
        let drawn = strip(&Strip { words: 10, segments });
        assert!(drawn.as_str().contains("x=\"50.000%\" width=\"50.000%\""));
        assert!(drawn.as_str().contains("pattern-1"));
        assert!(strip(&Strip::default()).as_str().contains("0 matches"));
    }

    #[test]
    fn a_timeline_of_a_single_time_is_drawn() {
        let dot = Dot { at: i64::MAX, ..Dot::default() };
        let lanes = vec![Lane { name: "a".to_owned(), dots: vec![dot.clone(), dot] }];
        let lines = vec![
            ReuseLine { from: (0, 0), to: (0, 1), words: 9 },
            ReuseLine { from: (9, 9), ..ReuseLine::default() },
        ];
        let drawn = timeline(&ReuseTimeline { from: i64::MAX, to: i64::MAX, lanes, lines });
        assert_eq!(drawn.as_str().matches("<line class=\"reuse\"").count(), 1);
    }
}
