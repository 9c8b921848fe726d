//! The verbs, and the grammar of subjects.
//!
//! In: the subject of a message. Out: a [`SubjectCommand`], if it starts with a verb. Case does not
//! matter; prefixes that mail programs add (`Re:`, `Fwd:`, `[list]`) are skipped.

use std::fmt;
use std::str::FromStr;

/// The action that a message requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Store the documents in a repository.
    Register,
    /// Check where the documents already appear, and store nothing.
    Probe,
    /// Store the documents, and notify the sender when they reappear.
    Watch,
    /// Report the status of everything, or of one document or result.
    Status,
    /// Delete a document.
    Remove,
}

impl Verb {
    /// All verbs, in the order in which they are explained.
    pub const ALL: [Self; 5] =
        [Self::Register, Self::Probe, Self::Watch, Self::Status, Self::Remove];

    /// Whether the verb applies to documents in the message.
    pub fn takes_documents(self) -> bool {
        matches!(self, Self::Register | Self::Probe | Self::Watch)
    }

    /// The verb in lower case, as in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Probe => "probe",
            Self::Watch => "watch",
            Self::Status => "status",
            Self::Remove => "remove",
        }
    }
}

impl FromStr for Verb {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|verb| verb.name().eq_ignore_ascii_case(text)).ok_or(())
    }
}

impl fmt::Display for Verb {
    /// In capitals, as in subjects.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name().to_ascii_uppercase())
    }
}

/// The command in a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubjectCommand {
    pub verb: Verb,
    /// The first word after the verb, if it is the name of a repository or document.
    pub name: Option<String>,
    /// Other words after the verb: a title.
    pub title: Option<String>,
}

impl SubjectCommand {
    /// Parses a subject: `VERB`, `VERB name`, `VERB name: title` or `VERB title of words`.
    pub(crate) fn parse(subject: &str) -> Option<Self> {
        let subject = without_prefixes(subject);
        let end = subject.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(subject.len());
        let (verb, rest) = subject.split_at_checked(end)?;
        let verb = verb.parse().ok()?;
        let is_word = rest.chars().next().is_none_or(|c| c.is_whitespace() || c == ':');
        if !is_word {
            return None;
        }
        let title_of =
            |title: &str| Some(title.trim().to_owned()).filter(|title| !title.is_empty());
        if let Some(title) = rest.trim_start().strip_prefix(':') {
            // People write `PROBE: essays` for `PROBE essays`.
            let title = title.trim();
            return Some(match is_name(title) {
                true => Self { verb, name: Some(title.to_owned()), title: None },
                false => Self { verb, name: None, title: title_of(title) },
            });
        }
        let rest = rest.trim();
        let (first, title) = match rest.split_once(": ") {
            Some((first, title)) if is_name(first) => (first, title),
            _ => (rest.strip_suffix(':').unwrap_or(rest), ""),
        };
        Some(match is_name(first) {
            true => Self { verb, name: Some(first.to_owned()), title: title_of(title) },
            false => Self { verb, name: None, title: title_of(rest) },
        })
    }
}

/// Maximum length of repository and document names.
const MAX_NAME_BYTES: usize = 200;

/// Whether a word can be the name of a repository or of a document (`repository/id`).
pub(crate) fn is_name(word: &str) -> bool {
    let is_name_char = |c: char| c.is_alphanumeric() || "._-/@+=#~:".contains(c);
    (1..=MAX_NAME_BYTES).contains(&word.len()) && word.chars().all(is_name_char)
}

/// Removes the prefixes that mail programs add to a subject.
pub(crate) fn without_prefixes(subject: &str) -> &str {
    let mut rest = subject.trim();
    loop {
        let after_tag = rest.strip_prefix('[').and_then(|tag| Some(tag.split_once(']')?.1));
        let after_mark = rest.split_once(':').filter(|(mark, _)| is_reply_prefix(mark));
        let Some(next) = after_tag.or(after_mark.map(|(_, rest)| rest)) else { return rest };
        rest = next.trim_start();
    }
}

/// Whether `mark` is `Re`, `Fwd`, `AW`, `Re[2]` …: prefixes of replies and forwarded mail in several
/// languages.
fn is_reply_prefix(mark: &str) -> bool {
    let word = mark.split(['[', '(']).next().unwrap_or_default().trim();
    let marks =
        ["re", "fw", "fwd", "aw", "wg", "sv", "vs", "tr", "rv", "antw", "odp", "rif", "enc"];
    marks.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(subject: &str) -> Option<(Verb, Option<String>, Option<String>)> {
        SubjectCommand::parse(subject).map(|command| (command.verb, command.name, command.title))
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn subjects_are_parsed() {
        assert_eq!(read("REGISTER"), Some((Verb::Register, None, None)));
        assert_eq!(read("probe essays"), Some((Verb::Probe, some("essays"), None)));
        assert_eq!(read("  Watch  essays  "), Some((Verb::Watch, some("essays"), None)));
        assert_eq!(read("Probe: essays"), Some((Verb::Probe, some("essays"), None)));
        assert_eq!(read("REMOVE essays/17"), Some((Verb::Remove, some("essays/17"), None)));
        assert_eq!(
            read("register essays: On Kin"),
            Some((Verb::Register, some("essays"), some("On Kin")))
        );
        assert_eq!(read("register On Kin"), Some((Verb::Register, None, some("On Kin"))));
        assert_eq!(read("register: On Kin"), Some((Verb::Register, None, some("On Kin"))));
        assert_eq!(read("Re: Fwd: [ann] STATUS 17"), Some((Verb::Status, some("17"), None)));
        assert_eq!(read("Re[2]: AW: status"), Some((Verb::Status, None, None)));
    }

    #[test]
    fn other_subjects_have_no_command() {
        for subject in [
            "",
            "hello",
            "registered",
            "probe-essays",
            "re-register x",
            "[status",
            "Re:",
            "é",
            "please probe",
        ] {
            assert_eq!(read(subject), None, "{subject}");
        }
    }

    proptest! {
        #[test]
        fn any_subject_is_parsed(subject in "\\PC{0,60}|((re|\\[a|\\]|:| |probe|\u{e9}|/){0,12})") {
            if let Some(command) = SubjectCommand::parse(&subject) {
                prop_assert!(command.name.is_none_or(|name| is_name(&name)));
                prop_assert!(command.title.is_none_or(|title| !title.trim().is_empty()));
            }
        }

        #[test]
        fn a_written_command_is_parsed(verb in 0usize..5, name in "[a-z0-9._-]{1,20}", marks in "(Re: |FWD: |\\[list\\] ){0,3}") {
            let verb = Verb::ALL[verb];
            prop_assert_eq!(read(&format!("{marks}{verb} {name}")), Some((verb, Some(name), None)));
        }
    }
}
