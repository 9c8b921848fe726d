//! The functions of [`crate::format`] and [`crate::svg`] as templates call them: by value or by
//! reference, since templates hand over fields by reference and sums by value.

use std::borrow::Borrow;

pub(super) use crate::format::{date, maybe_time, segment, time};

use crate::format;
use crate::markup::Html;
use crate::view::Match;

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
    crate::svg::hue(*index.borrow())
}

pub(super) fn minimap(side: &str, words: impl Borrow<u64>, matches: &[Match]) -> Html {
    crate::svg::minimap(side, *words.borrow(), matches)
}

/// What `aria-current` says of the entry `name` where `tab` is open.
pub(super) fn current(name: &str, tab: &str) -> &'static str {
    if name == tab { "page" } else { "false" }
}
