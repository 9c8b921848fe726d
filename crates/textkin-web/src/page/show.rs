//! The functions of [`crate::format`] and [`crate::svg`] as templates call them: by value or by
//! reference, since templates hand over fields by reference and sums by value. What is markup already
//! says so.

use std::borrow::Borrow;

use askama::filters::Safe;

pub(super) use crate::format::segment;

use crate::markup::Html;
use crate::view::{Histogram, MarkedText, Match, OriginDocument, Piece, Stream, Strip};
use crate::{format, svg, text, whole as whole_text};

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

pub(super) fn time(iso: &str) -> Safe<Html> {
    Safe(format::time(iso))
}

pub(super) fn date(iso: &Option<String>) -> Safe<Html> {
    Safe(format::date(iso))
}

pub(super) fn maybe_time(iso: &Option<String>) -> Safe<Html> {
    Safe(format::maybe_time(iso))
}

pub(super) fn histogram(histogram: &Histogram, unit: &str, height: u32) -> Safe<Html> {
    Safe(svg::histogram(histogram, unit, height))
}

pub(super) fn strip(strip: &Strip) -> Safe<Html> {
    Safe(svg::strip(strip))
}

pub(super) fn minimap(side: &str, words: impl Borrow<u64>, matches: &[Match]) -> Safe<Html> {
    Safe(svg::minimap(side, *words.borrow(), matches))
}

pub(super) fn pie(document: &OriginDocument) -> Safe<Html> {
    Safe(svg::pie(document))
}

pub(super) fn stream(stream: &Stream) -> Safe<Html> {
    Safe(svg::stream(stream))
}

pub(super) fn compared(side: &str, pieces: &[Piece]) -> Safe<Html> {
    Safe(text::compared(side, pieces))
}

pub(super) fn excerpt(pieces: &[Piece]) -> Safe<Html> {
    Safe(text::excerpt(pieces))
}

pub(super) fn whole(text: &MarkedText) -> Safe<Html> {
    Safe(whole_text::whole(text))
}

pub(super) fn origins(document: &OriginDocument) -> Safe<Html> {
    Safe(text::origins(document))
}

/// What `aria-current` says of the entry `name` where `tab` is open.
pub(super) fn current(name: &str, tab: &str) -> &'static str {
    if name == tab { "page" } else { "false" }
}
