//! Conditions on stored documents: `author=Swift`, `time<2020`, `words>=1000`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use textkin_repository::StoredDocument;

use crate::timestamp::Timestamp;

/// A condition on one field of a document: `id`, `time`, `added`, `words`, or a metadata field
/// (nested fields are joined by dots).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    field: String,
    operator: Operator,
    value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Contains,
}

/// The operators and their symbols, longer ones first.
const OPERATORS: [(&str, Operator); 7] = [
    ("!=", Operator::Unequal),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::More),
    ("~", Operator::Contains),
];

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let position = |&(sign, operator): &(&str, Operator)| {
            text.find(sign).map(|at| (at, std::cmp::Reverse(sign.len()), operator))
        };
        let first = OPERATORS.iter().filter_map(position).min_by_key(|found| (found.0, found.1));
        match first {
            Some((at @ 1.., std::cmp::Reverse(len), operator)) => Ok(Self {
                field: text[..at].trim().to_owned(),
                operator,
                value: text[at + len..].trim().to_owned(),
            }),
            _ => Err(format!(
                "'{text}' is not a condition; write FIELD=VALUE, or !=, <, <=, >, >= or ~ (contains) instead of ="
            )),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign =
            OPERATORS.iter().find(|entry| entry.1 == self.operator).map_or("", |entry| entry.0);
        write!(formatter, "{}{sign}{}", self.field, self.value)
    }
}

impl Condition {
    /// Returns whether a document meets the condition. A missing field meets only `!=`. Text fields
    /// are equal only if their characters are: 007 is not 7.
    #[must_use]
    pub fn is_met(&self, document: &StoredDocument) -> bool {
        let Some(field) = field(document, &self.field) else {
            return self.operator == Operator::Unequal;
        };
        let value = field.value.as_str();
        let order = || compare(value, &self.value);
        let is_equal = || match field.is_text {
            true => value == self.value,
            false => order() == Ordering::Equal,
        };
        match self.operator {
            Operator::Equal => is_equal(),
            Operator::Unequal => !is_equal(),
            Operator::Less => order() == Ordering::Less,
            Operator::AtMost => order() != Ordering::Greater,
            Operator::More => order() == Ordering::Greater,
            Operator::AtLeast => order() != Ordering::Less,
            Operator::Contains => value.contains(&self.value),
        }
    }
}

/// Returns when a document was written, or else added; `None` if its time is invalid.
pub(crate) fn written_or_added(document: &StoredDocument) -> Option<Timestamp> {
    match &document.time {
        Some(time) => time.parse().ok(),
        None => i64::try_from(document.added).ok().map(Timestamp),
    }
}

/// Compares as numbers, else as times, else as text.
fn compare(a: &str, b: &str) -> Ordering {
    if let (Ok(a), Ok(b)) = (a.parse::<f64>(), b.parse::<f64>()) {
        return a.total_cmp(&b);
    }
    match (a.parse::<Timestamp>(), b.parse::<Timestamp>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        _ => a.cmp(b),
    }
}

/// The value of a field.
struct Field {
    value: String,
    /// Whether the value is text, rather than a number or a time.
    is_text: bool,
}

fn field(document: &StoredDocument, name: &str) -> Option<Field> {
    let (value, is_text) = match name {
        "id" => (document.id.clone(), true),
        "time" => (document.time.clone()?, false),
        "added" => (Timestamp(i64::try_from(document.added).ok()?).to_string(), false),
        "words" => (document.length.words.to_string(), false),
        _ => {
            let metadata = serde_json::from_str(document.metadata.as_deref()?).ok()?;
            let mut value: &serde_json::Value = &metadata;
            for part in name.split('.') {
                value = value.get(part)?;
            }
            match value {
                serde_json::Value::String(text) => (text.clone(), true),
                serde_json::Value::Null => return None,
                other => (other.to_string(), false),
            }
        }
    };
    Some(Field { value, is_text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> StoredDocument {
        StoredDocument {
            id: "a1".to_owned(),
            time: Some("2019-05-01T10:00:00+02:00".to_owned()),
            metadata: Some(
                r#"{"author":"Swift","stars":10,"a":{"b":true},"none":null,"code":"007"}"#
                    .to_owned(),
            ),
            added: 1_700_000_000,
            digest: [0; 16],
            length: textkin_core::Length { words: 1500, ..Default::default() },
            bytes: 9000,
        }
    }

    #[test]
    fn conditions_apply_to_every_field() {
        let met = [
            "id=a1",
            "id!=a2",
            "id~1",
            "author=Swift",
            "author<Twain",
            "stars>9",
            "stars<=10.0",
            "a.b=true",
            "time<2020",
            "time>=2019-05-01T08:00:00Z",
            "added>2023",
            "words>=1500",
            "nothing!=1",
            "none!=x",
            "code=007",
            "code!=7",
            "code<8",
            "stars=10.0",
        ];
        for text in met {
            let condition: Condition = text.parse().expect(text);
            assert!(condition.is_met(&document()), "{text}");
            assert_eq!(condition.to_string(), text);
        }
        for text in [
            "id=a2",
            "author~x",
            "stars<9",
            "time>2020",
            "nothing=1",
            "none=x",
            "a=1",
            "words<2",
            "code=7",
        ] {
            let condition: Condition = text.parse().expect(text);
            assert!(!condition.is_met(&document()), "{text}");
        }
        for text in ["", "author", "=1", "<"] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
    }
}
