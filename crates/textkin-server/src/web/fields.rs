//! The fields of a form or a query.

use textkin_registry::Error;

/// Fields in the order they were sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(pub(super) Vec<(String, String)>);

impl Fields {
    /// Returns the first value of a field; empty if there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str())
    }

    /// Returns the trimmed value of a field, unless it is empty.
    pub(super) fn non_empty(&self, name: &str) -> Option<&str> {
        Some(self.get(name).trim()).filter(|value| !value.is_empty())
    }

    /// Returns all values of a field.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns a field as a number, if it is one.
    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.non_empty(name).and_then(|value| value.parse().ok())
    }

    /// Returns the id in a field.
    ///
    /// # Errors
    /// If it is not an id; `what` names the noun.
    pub(super) fn id<T: std::str::FromStr>(&self, name: &str, what: &str) -> Result<T, Error> {
        self.number(name).ok_or_else(|| Error::not_found(what, self.get(name)))
    }

    /// Returns a field as a number, unless it is empty.
    ///
    /// # Errors
    /// If it is not a number, or out of range.
    pub(super) fn checked_number<T: std::str::FromStr>(
        &self,
        name: &str,
        label: &str,
    ) -> Result<Option<T>, Error> {
        let number = self.non_empty(name).map(|value| {
            let shown: String = value.chars().take(40).collect();
            let invalid =
                format!("{label} must be a whole number that is not too large, got {shown}");
            value.parse().map_err(|_| Error::Invalid(invalid))
        });
        number.transpose()
    }

    /// Returns whether a checkbox is checked.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.non_empty(name).is_some_and(|value| value != "0" && value != "false")
    }
}
