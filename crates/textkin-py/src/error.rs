//! Errors as exceptions, with the messages of the command line.

use pyo3::PyErr;

mod exceptions {
    #![allow(missing_docs, unreachable_pub, reason = "the macro writes no documentation")]
    pyo3::import_exception!(textkin._errors, Error);
    pyo3::import_exception!(textkin._errors, SettingError);
    pyo3::import_exception!(textkin._errors, DataError);
    pyo3::import_exception!(textkin._errors, DataTypeError);
}

pub(crate) use exceptions::{DataError, DataTypeError, Error, SettingError};

/// Converts an error of `textkin` to an exception.
pub(crate) fn from_textkin(error: &textkin::Error) -> PyErr {
    let message = in_python(&full_message(error));
    match error {
        textkin::Error::Strategy(_)
        | textkin::Error::NotWordChunks(_)
        | textkin::Error::InvalidOption { .. }
        | textkin::Error::WordList { .. } => SettingError::new_err(message),
        textkin::Error::Problem(found) => DataError::new_err(format!(
            "{}; with strict=False such documents are skipped and listed in .problems",
            problem(found)
        )),
        textkin::Error::Source(_) | textkin::Error::Rewind(_) => DataError::new_err(message),
        _ => Error::new_err(message),
    }
}

/// Returns an exception for an invalid setting.
pub(crate) fn setting(name: &str, reason: &dyn std::fmt::Display) -> PyErr {
    SettingError::new_err(in_python(&format!("{name}: {reason}")))
}

/// Returns the message for a document that could not be read or added.
pub(crate) fn problem(problem: &textkin::engine::types::Problem) -> String {
    in_python(&problem.to_string())
}

/// Returns the message of an error and of its causes.
pub(crate) fn full_message(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !message.contains(&more) {
            message.push_str(": ");
            message.push_str(&more);
        }
        cause = error.source();
    }
    message
}

/// Options whose value is a name that follows them in messages.
const OPTIONS_WITH_NAMES: [&str; 5] = ["existing", "preset", "evict", "estimate", "input-format"];

/// Replaces options of the command line by Python arguments: `--max-df` by `max_df`, `--existing replace` by
/// `existing="replace"`.
pub(crate) fn in_python(message: &str) -> String {
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let mut parts = message.split("--");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter| !is_name(letter)).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let is_option = out.is_empty() || out.ends_with([' ', '(', '`']);
        if name.is_empty() || !is_option {
            out.push_str("--");
            out.push_str(part);
            continue;
        }
        // Columns of tables and fields of records have the same argument.
        let argument = name.strip_suffix("-field").unwrap_or(name);
        out.push_str(&argument.replace('-', "_"));
        match rest.strip_prefix(' ').filter(|_| OPTIONS_WITH_NAMES.contains(&name)) {
            Some(rest) => {
                let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
                let (value, rest) = rest.split_at(end);
                out.push_str(&format!("=\"{value}\"{rest}"));
            }
            None => out.push_str(rest),
        }
    }
    out
}
