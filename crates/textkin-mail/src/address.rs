//! Addresses that are safe to write into an envelope or a header.
//!
//! In: text from a command, a header field or a user. Out: an [`Address`] or an error. An address
//! never contains white space, control characters, quotation marks or anything else with a meaning
//! in a header, so it cannot be used for header injection.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Maximum length of an address (RFC 5321, 4.5.3.1.3).
const MAX_ADDRESS_BYTES: usize = 254;

/// Maximum length of a local part (RFC 5321, 4.5.3.1.1).
const MAX_LOCAL_BYTES: usize = 64;

/// `name@host`, with the host in lower case.
///
/// ```
/// use textkin_mail::Address;
///
/// let address: Address = "Ann@Example.ORG".parse()?;
/// assert_eq!(address.to_string(), "Ann@example.org");
/// assert!("ann@example.org\r\nBcc: all@example.org".parse::<Address>().is_err());
/// # Ok::<(), textkin_mail::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    text: String,
    at: usize,
}

impl Address {
    /// The part before the `@`.
    pub fn local(&self) -> &str {
        self.text.get(..self.at).unwrap_or_default()
    }

    /// The part after the `@`, in lower case.
    pub fn host(&self) -> &str {
        self.text.get(self.at + 1..).unwrap_or_default()
    }

    /// `name@host`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The address in lower case, as used for lookups.
    pub fn folded(&self) -> String {
        self.text.to_lowercase()
    }

    /// Converts to the address type of the mail library.
    pub(crate) fn to_lettre(&self) -> Result<lettre::Address, Error> {
        let address = lettre::Address::new(self.local(), self.host());
        address.map_err(|_| Error::Address(self.text.clone()))
    }

    /// Parses the address in a header field such as `Ann Example <ann@example.org>`; `None` if there
    /// are several.
    pub(crate) fn from_field(field: &str) -> Option<Self> {
        // Quoted parts are display names.
        let bare: String = field.split('"').step_by(2).collect();
        if bare.contains(',') {
            return None;
        }
        let inner = match field.rsplit_once('<') {
            Some((_, after)) => after.split_once('>')?.0,
            None => field,
        };
        inner.trim().parse().ok()
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let error = || Error::Address(text.chars().take(MAX_ADDRESS_BYTES).collect());
        let (local, host) = text.rsplit_once('@').ok_or_else(error)?;
        let is_plain = |c: char| {
            c.is_alphanumeric()
                || ".!#$%&'*+-/=?^_`{|}~".contains(c)
                || !c.is_ascii() && is_visible(c)
        };
        let has_length = text.len() <= MAX_ADDRESS_BYTES && local.len() <= MAX_LOCAL_BYTES;
        if !has_length || local.is_empty() || !local.chars().all(is_plain) {
            return Err(error());
        }
        let address = Self { text: format!("{local}@{}", host.to_lowercase()), at: local.len() };
        // The mail library checks the host.
        address.to_lettre().map_err(|_| error())?;
        Ok(address)
    }
}

/// Whether a non-ASCII character is visible: no space, control or formatting character.
fn is_visible(c: char) -> bool {
    let is_format = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}');
    !(c.is_control() || c.is_whitespace() || is_format)
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_are_parsed() {
        let valid =
            ["a@b.example", "a.b+c@x.y.example", "o'neil@host.example", "grüße@bücher.example"];
        for address in valid {
            assert_eq!(
                address.parse::<Address>().map(|found| found.to_string()).ok().as_deref(),
                Some(address)
            );
        }
        let invalid = [
            "",
            "@",
            "a",
            "a@",
            "@b",
            "a b@c.example",
            "\"a\"@b.example",
            "a@b c",
            "a@b\r\n",
            "a\n@b",
            "<a@b.example>",
            "a,b@c.example",
            "a@b@c.example",
            "a\u{202e}@b.example",
            "a@-",
        ];
        for address in invalid {
            assert!(address.parse::<Address>().is_err(), "{address:?}");
        }
        assert!(format!("{}@b.example", "a".repeat(65)).parse::<Address>().is_err());
    }

    #[test]
    fn header_fields_are_parsed() {
        let parse = |field| Address::from_field(field).map(|address| address.to_string());
        assert_eq!(parse("Ann <ann@b.example>").as_deref(), Some("ann@b.example"));
        assert_eq!(parse("\"<x@y.example>\" <ann@b.example>").as_deref(), Some("ann@b.example"));
        assert_eq!(parse(" ann@b.example ").as_deref(), Some("ann@b.example"));
        assert_eq!(parse("\"Example, Ann\" <ann@b.example>").as_deref(), Some("ann@b.example"));
        assert_eq!(parse("ann@b.example, <eve@e.example>"), None);
        assert_eq!(parse("<"), None);
        assert_eq!(parse("nobody"), None);
    }

    proptest! {
        #[test]
        fn an_address_never_breaks_a_line(text in "\\PC{0,20}@?[a-z.\\-\\r\\n<> \u{2028}]{0,20}") {
            if let Ok(address) = text.parse::<Address>() {
                let shown = address.to_string();
                prop_assert!(!shown.contains(|c: char| c.is_control() || c.is_whitespace()));
                prop_assert!(!shown.contains(['<', '>', ',', ';', '"', ':']) || address.host().starts_with('['));
                prop_assert_eq!(shown.parse::<Address>().ok(), Some(address));
            }
        }
    }
}
