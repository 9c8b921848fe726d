//! The few properties of inline styles that decide whether text is seen.

use crate::markup::Tag;

/// Red, green and blue.
pub(crate) type Color = [u8; 3];

/// What the attributes of a tag say about visibility.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// How the element is hidden, if it is.
    pub(crate) hidden: Option<&'static str>,
    /// The colour of text.
    pub(crate) color: Option<Color>,
    /// The colour behind it.
    pub(crate) background: Option<Color>,
}

impl Style {
    /// Reads `style`, `hidden`, `color` and `bgcolor`.
    pub(crate) fn of(tag: &Tag<'_>) -> Self {
        let mut style = Self::default();
        for (name, value) in tag.attributes() {
            match name.to_ascii_lowercase().as_str() {
                "hidden" => style.hidden = Some("hidden attribute"),
                "color" => style.color = color(&value),
                "bgcolor" => style.background = color(&value),
                "style" => style.declarations(&value),
                _ => {}
            }
        }
        style
    }

    fn declarations(&mut self, declarations: &str) {
        for declaration in declarations.split(';') {
            let Some((name, value)) = declaration.split_once(':') else { continue };
            let value = value.trim().to_ascii_lowercase();
            let value = value.trim_end_matches("!important").trim_end();
            match name.trim().to_ascii_lowercase().as_str() {
                "display" if value == "none" => self.hidden = Some("display: none"),
                "visibility" if matches!(value, "hidden" | "collapse") => {
                    self.hidden = Some("visibility: hidden");
                }
                "font-size" if is_zero(value) => self.hidden = Some("font size 0"),
                "opacity" if is_zero(value) => self.hidden = Some("opacity 0"),
                "color" if value == "transparent" => self.hidden = Some("transparent"),
                "color" => self.color = color(value),
                "background" | "background-color" => self.background = color(value),
                _ => {}
            }
        }
    }
}

/// `0`, `0px`, `0.0em` and the like.
fn is_zero(value: &str) -> bool {
    let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    number.parse::<f32>().is_ok_and(|number| number == 0.0)
}

/// `#fff`, `#ffffff`, `rgb(…)`, white and black.
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

/// A colour of three or six hexadecimal digits.
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
    fn colours_are_read() {
        assert_eq!(color("#FFF"), Some([255; 3]));
        assert_eq!(color("#fefefe"), Some([254; 3]));
        assert_eq!(color("rgb(1, 2,3)"), Some([1, 2, 3]));
        assert_eq!(color("url(x.png)"), None);
        assert_eq!(color("#é1"), None);
    }
}
