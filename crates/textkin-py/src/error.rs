//! Errors as exceptions, in the words of the command line.

use pyo3::PyErr;

mod exceptions {
    #![allow(missing_docs, unreachable_pub, reason = "the macro writes no documentation")]
    pyo3::import_exception!(textkin._errors, Error);
    pyo3::import_exception!(textkin._errors, SettingError);
    pyo3::import_exception!(textkin._errors, DataError);
    pyo3::import_exception!(textkin._errors, DataTypeError);
}

pub(crate) use exceptions::{DataError, DataTypeError, Error, SettingError};

/// What the façade says, as an exception.
pub(crate) fn of_textkin(error: &textkin::Error) -> PyErr {
    let words = in_python(&in_words(error));
    match error {
        textkin::Error::Strategy(_) | textkin::Error::NotWordChunks(_) => {
            SettingError::new_err(words)
        }
        textkin::Error::Problem(problem) => DataError::new_err(format!(
            "{problem}; with strict=False such documents are left out and listed in .problems"
        )),
        textkin::Error::Source(_) => DataError::new_err(words),
        _ => Error::new_err(words),
    }
}

/// A setting that cannot be, with what is said about it.
pub(crate) fn setting(name: &str, words: &dyn std::fmt::Display) -> PyErr {
    SettingError::new_err(in_python(&format!("{name}: {words}")))
}

/// An error and its causes.
pub(crate) fn in_words(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words.push_str(": ");
            words.push_str(&more);
        }
        cause = error.source();
    }
    words
}

/// Options of the command line as the arguments of the same name: `--max-df` is `max_df=`.
pub(crate) fn in_python(words: &str) -> String {
    let mut parts = words.split("--");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        let end = part.find(|letter| !is_name(letter)).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if name.is_empty() {
            out.push_str("--");
        } else {
            out.push_str(&name.replace('-', "_"));
            out.push('=');
        }
        out.push_str(rest);
    }
    out
}
