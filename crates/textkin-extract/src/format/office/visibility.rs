//! Formatting of office documents, as far as it affects the visibility of text.
//!
//! [`Visibility`] holds the relevant properties of a run of text; [`WordStyles`] holds the styles of a
//! Word document and their parents.

use std::collections::HashMap;

use crate::format::web::style::hexadecimal;
use crate::markup::{Markup, MarkupToken, Tag, local};

/// Maximum font size in half points that is unreadable.
const UNREADABLE_SIZE: u32 = 2;

/// Maximum depth of style inheritance.
pub(crate) const MAX_BASES: usize = 20;

/// The visibility properties of a run of text, each if it is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Visibility {
    pub(crate) is_hidden: Option<bool>,
    pub(crate) is_tiny: Option<bool>,
    pub(crate) is_white: Option<bool>,
    pub(crate) has_background: Option<bool>,
}

impl Visibility {
    /// Applies one property of a run, if it affects visibility.
    pub(crate) fn property(&mut self, tag: &Tag<'_>) {
        match tag.local() {
            "vanish" | "specVanish" => self.is_hidden = Some(is_on(tag)),
            "sz" => self.is_tiny = Some(size(tag) <= UNREADABLE_SIZE),
            "color" => {
                let color = tag.attribute("val").and_then(|value| hexadecimal(&value));
                self.is_white = Some(color == Some([255; 3]));
            }
            "shd" | "highlight" => self.has_background = Some(has_color(tag)),
            _ => {}
        }
    }

    /// Returns these properties, overridden by those that `stronger` sets.
    pub(crate) fn overridden_by(self, stronger: Self) -> Self {
        Self {
            is_hidden: stronger.is_hidden.or(self.is_hidden),
            is_tiny: stronger.is_tiny.or(self.is_tiny),
            is_white: stronger.is_white.or(self.is_white),
            has_background: stronger.has_background.or(self.has_background),
        }
    }

    /// Whether the whole paragraph has a background.
    pub(crate) fn background(is_there: bool) -> Self {
        Self { has_background: is_there.then_some(true), ..Self::default() }
    }

    /// Returns how the text is hidden, if it is. Tables may have their own shading, where white text is
    /// common.
    pub(crate) fn hidden(self, is_in_table: bool) -> Option<&'static str> {
        let is = |property: Option<bool>| property.unwrap_or(false);
        if is(self.is_hidden) {
            Some("formatted as hidden")
        } else if is(self.is_tiny) {
            Some("font size of 1 point or less")
        } else if is(self.is_white) && !is(self.has_background) && !is_in_table {
            Some("white on white")
        } else {
            None
        }
    }
}

/// The styles by id.
#[derive(Debug, Default)]
pub(crate) struct WordStyles(HashMap<String, (Visibility, Option<String>)>);

impl WordStyles {
    /// Reads `word/styles.xml`.
    pub(crate) fn read(source: &str) -> Self {
        let mut styles = HashMap::new();
        let mut id: Option<String> = None;
        let (mut visibility, mut base) = (Visibility::default(), None);
        for token in Markup::xml(source) {
            match token {
                MarkupToken::Open(tag) => match tag.local() {
                    "style" => {
                        id = tag.attribute("styleId").map(|id| id.into_owned());
                        (visibility, base) = (Visibility::default(), None);
                    }
                    "basedOn" => base = tag.attribute("val").map(|base| base.into_owned()),
                    _ => visibility.property(&tag),
                },
                MarkupToken::Close(name) if local(name) == "style" => {
                    if let Some(id) = id.take() {
                        styles.insert(id, (visibility, base.take()));
                    }
                }
                _ => {}
            }
        }
        Self(styles)
    }

    /// Returns the properties of the style that `tag` names.
    pub(crate) fn named(&self, tag: &Tag<'_>) -> Visibility {
        let mut visibility = Visibility::default();
        let mut id = tag.attribute("val").map(|id| id.into_owned());
        for _ in 0..MAX_BASES {
            let Some((own, base)) = id.as_deref().and_then(|id| self.0.get(id)) else { break };
            visibility = own.overridden_by(visibility);
            id.clone_from(base);
        }
        visibility
    }
}

/// A property without a value is on.
fn is_on(tag: &Tag<'_>) -> bool {
    tag.attribute("val").is_none_or(|value| !matches!(&*value, "0" | "false" | "off" | "none"))
}

fn size(tag: &Tag<'_>) -> u32 {
    tag.attribute("val").and_then(|value| value.parse().ok()).unwrap_or(u32::MAX)
}

/// Whether shading or highlighting has a color other than white.
pub(crate) fn has_color(tag: &Tag<'_>) -> bool {
    let color = tag.attribute("fill").or_else(|| tag.attribute("val"));
    color.is_some_and(|color| {
        !["auto", "clear", "none", "FFFFFF", "white"]
            .iter()
            .any(|plain| color.eq_ignore_ascii_case(plain))
    })
}
