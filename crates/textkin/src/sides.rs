//! Sides by a metadata field: documents with different values are on different sides.
//!
//! In: the metadata of each document, a JSON object. Out: a number for each value, in order of appearance.

use hashbrown::HashMap;
use serde_json::Value;

use crate::error::Error;

/// The values of a field in the documents of one piece.
#[derive(Debug, Default)]
pub(crate) struct FieldValues {
    /// The distinct values, as JSON; empty for documents without the field.
    values: Vec<String>,
    numbers: HashMap<String, u32>,
    /// The number of the value of each document.
    of_document: Vec<u32>,
    /// The fields of the first document with metadata, for an error.
    names: Option<String>,
}

impl FieldValues {
    /// Adds the value of `name` in `metadata`; a name with dots is a path into nested objects.
    pub(crate) fn push(&mut self, name: &str, metadata: Option<&str>) {
        let object: Option<Value> = metadata.and_then(|json| serde_json::from_str(json).ok());
        if let (None, Some(Value::Object(fields))) = (&self.names, &object) {
            self.names = Some(fields.keys().cloned().collect::<Vec<_>>().join(", "));
        }
        let value = object.as_ref().and_then(|object| {
            object
                .get(name)
                .or_else(|| name.split('.').try_fold(object, |inner, key| inner.get(key)))
        });
        let value =
            value.filter(|value| !value.is_null()).map(Value::to_string).unwrap_or_default();
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry_ref(&value).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        self.of_document.push(number);
    }
}

/// Returns the side of each document of all pieces, which are in input order.
///
/// # Errors
/// If no document has the field.
pub(crate) fn sides_of_values(
    name: &str,
    pieces: impl Iterator<Item = FieldValues>,
) -> Result<Vec<u32>, Error> {
    let (mut numbers, mut sides): (HashMap<String, u32>, Vec<u32>) = Default::default();
    let mut names = None;
    for piece in pieces {
        let number = |value: String| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(value).or_insert(next)
        };
        let of_value: Vec<u32> = piece.values.into_iter().map(number).collect();
        sides.extend(piece.of_document.into_iter().map(|value| of_value[value as usize]));
        names = names.or(piece.names);
    }
    if !sides.is_empty() && numbers.keys().all(String::is_empty) {
        let fields = names.unwrap_or_else(|| "none".to_owned());
        return Err(Error::InvalidOption {
            option: "across",
            reason: format!("names the field '{name}', which no document has; fields: {fields}"),
        });
    }
    Ok(sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_side_and_missing_ones_too() {
        let mut pieces = [FieldValues::default(), FieldValues::default()];
        for (piece, metadata) in [
            (0, Some("{\"paper\":\"Times\"}")),
            (0, None),
            (0, Some("{\"paper\":\"Post\"}")),
            (1, Some("{\"other\":1}")),
            (1, Some("{\"paper\":\"Post\",\"other\":1}")),
            (1, Some("{\"paper\":null}")),
        ] {
            pieces[piece].push("paper", metadata);
        }
        assert_eq!(sides_of_values("paper", pieces.into_iter()).unwrap(), [0, 1, 2, 1, 2, 1]);
    }

    #[test]
    fn nested_fields_are_named_by_a_path() {
        let mut values = FieldValues::default();
        values.push("meta.paper", Some("{\"meta\":{\"paper\":7}}"));
        values.push("meta.paper", Some("{\"meta.paper\":7}"));
        assert_eq!(sides_of_values("meta.paper", [values].into_iter()).unwrap(), [0, 0]);
    }

    #[test]
    fn a_field_that_no_document_has_is_an_error() {
        let mut values = FieldValues::default();
        values.push("newspaper", Some("{\"paper\":\"Times\",\"year\":1}"));
        let error = sides_of_values("newspaper", [values].into_iter()).unwrap_err();
        let expected =
            "across names the field 'newspaper', which no document has; fields: paper, year";
        assert_eq!(error.to_string(), expected);
    }
}
