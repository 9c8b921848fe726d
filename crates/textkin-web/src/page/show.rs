//! The functions of [`crate::format`] and [`crate::svg`] as templates call them: by value or by
//! reference, since templates pass fields by reference and sums by value. Functions that return
//! markup return [`Safe`].

use std::borrow::Borrow;

use askama::filters::Safe;

pub(super) use crate::format::segment;

use crate::markup::Markup;
use crate::view::{
    ComparedPassage, Histogram, MarkedText, OriginDocument, ReuseTimeline, Strip, TextPiece,
};
use crate::{format, svg, text};

pub(super) fn number(value: impl Borrow<u64>) -> String {
    format::number(*value.borrow())
}

pub(super) fn counted(value: impl Borrow<u64>, one: &str, many: &str) -> String {
    format::counted(*value.borrow(), one, many)
}

pub(super) fn words(value: impl Borrow<u64>) -> String {
    format::words(*value.borrow())
}

pub(super) fn documents(value: impl Borrow<u64>) -> String {
    format::documents(*value.borrow())
}

pub(super) fn percent(part: impl Borrow<u64>, whole: impl Borrow<u64>) -> String {
    format::percent(*part.borrow(), *whole.borrow())
}

pub(super) fn score(value: impl Borrow<f64>) -> String {
    format::score(*value.borrow())
}

pub(super) fn bytes(value: impl Borrow<u64>) -> String {
    format::bytes(*value.borrow())
}

pub(super) fn hue(index: impl Borrow<usize>) -> String {
    svg::hue(*index.borrow())
}

pub(super) fn time(iso: &str) -> Safe<Markup> {
    Safe(format::time(iso))
}

pub(super) fn date(iso: &Option<String>) -> Safe<Markup> {
    Safe(format::date(iso))
}

pub(super) fn maybe_time(iso: &Option<String>) -> Safe<Markup> {
    Safe(format::maybe_time(iso))
}

pub(super) fn histogram(histogram: &Histogram, unit: &str, height: u32) -> Safe<Markup> {
    Safe(svg::histogram(histogram, unit, height))
}

pub(super) fn strip(strip: &Strip) -> Safe<Markup> {
    Safe(svg::strip(strip))
}

pub(super) fn minimap(
    side: &str,
    words: impl Borrow<u64>,
    matches: &[ComparedPassage],
) -> Safe<Markup> {
    Safe(svg::minimap(side, *words.borrow(), matches))
}

pub(super) fn pie(document: &OriginDocument) -> Safe<Markup> {
    Safe(svg::pie(document))
}

pub(super) fn timeline(timeline: &ReuseTimeline) -> Safe<Markup> {
    Safe(svg::timeline(timeline))
}

pub(super) fn compared(side: &str, pieces: &[TextPiece]) -> Safe<Markup> {
    Safe(text::compared(side, pieces))
}

pub(super) fn excerpt(pieces: &[TextPiece]) -> Safe<Markup> {
    Safe(text::excerpt(pieces))
}

pub(super) fn full_text(text: &MarkedText) -> Safe<Markup> {
    Safe(crate::full_text::render(text))
}

pub(super) fn origins(document: &OriginDocument) -> Safe<Markup> {
    Safe(text::origins(document))
}

/// Returns the value of `aria-current` for the entry `name` when `tab` is open.
pub(super) fn current(name: &str, tab: &str) -> &'static str {
    if name == tab { "page" } else { "false" }
}
