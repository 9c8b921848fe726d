//! The CSS properties that decide whether text is visible.

use crate::markup::Tag;

/// Red, green and blue.
pub(crate) type Color = [u8; 3];

/// The visibility properties of an element, each if it is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    is_hidden: bool,
    no_display: Option<bool>,
    invisible: Option<bool>,
    no_size: Option<bool>,
    no_opacity: Option<bool>,
    transparent: Option<bool>,
    far_left: Option<bool>,
    /// Text color.
    pub(crate) color: Option<Color>,
    /// Background color; `None` inside if it is an image or unknown.
    pub(crate) background: Option<Option<Color>>,
}

/// Offset in pixels beyond which text is considered outside the page.
const MIN_OFFSET: f32 = -500.0;

impl Style {
    /// Reads the attributes `style`, `hidden`, `color` and `bgcolor`.
    pub(crate) fn of(tag: &Tag<'_>) -> Self {
        let mut style = Self::default();
        for (name, value) in tag.attributes() {
            match name.to_ascii_lowercase().as_str() {
                "hidden" => style.is_hidden = true,
                "color" => style.color = color(&value),
                "bgcolor" => style.background = Some(color(&value)),
                "style" => style.declarations(&value),
                _ => {}
            }
        }
        style
    }

    /// Returns how the element is hidden, if it is.
    pub(crate) fn hidden(&self) -> Option<&'static str> {
        let is = |property: Option<bool>, how| property.unwrap_or(false).then_some(how);
        (self.is_hidden.then_some("hidden attribute"))
            .or(is(self.no_display, "display: none"))
            .or(is(self.invisible, "visibility: hidden"))
            .or(is(self.no_size, "font size 0"))
            .or(is(self.no_opacity, "opacity 0"))
            .or(is(self.transparent, "transparent"))
            .or(is(self.far_left, "positioned outside the page"))
    }

    /// Returns only the color properties.
    pub(crate) fn colors(self) -> Self {
        Self { color: self.color, background: self.background, ..Self::default() }
    }

    /// Returns this style, overridden by the properties that `stronger` sets.
    pub(crate) fn overridden_by(self, stronger: Self) -> Self {
        Self {
            is_hidden: self.is_hidden || stronger.is_hidden,
            no_display: stronger.no_display.or(self.no_display),
            invisible: stronger.invisible.or(self.invisible),
            no_size: stronger.no_size.or(self.no_size),
            no_opacity: stronger.no_opacity.or(self.no_opacity),
            transparent: stronger.transparent.or(self.transparent),
            far_left: stronger.far_left.or(self.far_left),
            color: stronger.color.or(self.color),
            background: stronger.background.or(self.background),
        }
    }

    /// Adds declarations of the form `name: value; name: value`.
    pub(crate) fn declarations(&mut self, declarations: &str) {
        for declaration in declarations.split(';') {
            let Some((name, value)) = declaration.split_once(':') else { continue };
            let value = value.trim().to_ascii_lowercase();
            let value = value.trim_end_matches("!important").trim_end();
            match name.trim().to_ascii_lowercase().as_str() {
                "display" => self.no_display = Some(value == "none"),
                "visibility" => self.invisible = Some(matches!(value, "hidden" | "collapse")),
                "font-size" => self.no_size = Some(is_zero(value)),
                "opacity" => self.no_opacity = Some(is_zero(value)),
                "left" | "right" | "top" | "margin-left" | "text-indent" if is_far(value) => {
                    self.far_left = Some(true);
                }
                "position" if value == "static" => self.far_left = Some(false),
                "color" => {
                    self.transparent = Some(value == "transparent");
                    self.color = color(value);
                }
                "background" | "background-color" => self.background = Some(color(value)),
                "background-image" => self.background = Some(None),
                _ => {}
            }
        }
    }
}

/// Whether the value is like `-9999px` or `-99em`.
fn is_far(value: &str) -> bool {
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    let scale = match value.get(digits.len()..) {
        Some("em" | "rem" | "ch" | "ex") => 16.0,
        Some("" | "px" | "pt") => 1.0,
        _ => return false,
    };
    digits.parse::<f32>().is_ok_and(|number| number * scale <= MIN_OFFSET)
}

/// Whether the value is like `0`, `0px` or `0.0em`.
fn is_zero(value: &str) -> bool {
    let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    number.parse::<f32>().is_ok_and(|number| number == 0.0)
}

/// Parses `#fff`, `#ffffff`, `rgb(…)`, white and black.
fn color(value: &str) -> Option<Color> {
    let value = value.trim().to_ascii_lowercase();
    if let Some(digits) = value.strip_prefix('#') {
        return hexadecimal(digits);
    }
    if let Some(numbers) = value.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) {
        let mut parts = numbers.split(',').map(|part| part.trim().parse::<u8>().ok());
        return Some([parts.next()??, parts.next()??, parts.next()??]);
    }
    match value.as_str() {
        "white" => Some([255; 3]),
        "black" => Some([0; 3]),
        _ => None,
    }
}

/// Parses a color of three or six hexadecimal digits.
pub(crate) fn hexadecimal(digits: &str) -> Option<Color> {
    let number = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    match digits.len() {
        6 => Some([red, green, blue]),
        3 => Some([(number >> 8) & 15, (number >> 4) & 15, number & 15])
            .map(|digits| digits.map(|digit| u8::try_from(digit * 17).unwrap_or(u8::MAX))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_parsed() {
        assert_eq!(color("#FFF"), Some([255; 3]));
        assert_eq!(color("#fefefe"), Some([254; 3]));
        assert_eq!(color("rgb(1, 2,3)"), Some([1, 2, 3]));
        assert_eq!(color("url(x.png)"), None);
        assert_eq!(color("#é1"), None);
    }
}
