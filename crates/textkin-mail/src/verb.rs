//! The verbs, and the grammar of subjects.
//!
//! In: the subject of a message. Out: an [`SubjectCommand`], if it begins with a verb. Case does not
//! matter; what mail programs put in front (`Re:`, `Fwd:`, `[list]`) is passed over.

use std::fmt;
use std::str::FromStr;

/// What a message asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Keep these documents in a repository.
    Register,
    /// Say where these documents occur already, and keep nothing.
    Probe,
    /// Keep these documents, and tell when they reappear.
    Watch,
    /// Say how it stands: with everything, or with one document or result.
    Status,
    /// Withdraw a document.
    Remove,
}

impl Verb {
    /// All verbs, in the order in which they are explained.
    pub const ALL: [Self; 5] =
        [Self::Register, Self::Probe, Self::Watch, Self::Status, Self::Remove];

    /// Whether the verb is said of documents that come with the message.
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

/// What a subject says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubjectCommand {
    pub verb: Verb,
    /// The first word after the verb, where it is a name: of a repository, or of a document.
    pub name: Option<String>,
    /// Words that are no name: a title.
    pub title: Option<String>,
}

impl SubjectCommand {
    /// Reads a subject: `VERB`, `VERB name`, `VERB name: title` or `VERB title of words`.
    pub(crate) fn read(subject: &str) -> Option<Self> {
        let subject = bare(subject);
        let end = subject.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(subject.len());
        let (verb, rest) = subject.split_at_checked(end)?;
        let verb = verb.parse().ok()?;
        let is_word = rest.chars().next().is_none_or(|c| c.is_whitespace() || c == ':');
        if !is_word {
            return None;
        }
        let titled = |title: &str| Some(title.trim().to_owned()).filter(|title| !title.is_empty());
        if let Some(title) = rest.trim_start().strip_prefix(':') {
            // `PROBE: essays` is written by people who mean `PROBE essays`.
            let title = title.trim();
            return Some(match is_name(title) {
                true => Self { verb, name: Some(title.to_owned()), title: None },
                false => Self { verb, name: None, title: titled(title) },
            });
        }
        let rest = rest.trim();
        let (first, title) = match rest.split_once(": ") {
            Some((first, title)) if is_name(first) => (first, title),
            _ => (rest.strip_suffix(':').unwrap_or(rest), ""),
        };
        Some(match is_name(first) {
            true => Self { verb, name: Some(first.to_owned()), title: titled(title) },
            false => Self { verb, name: None, title: titled(rest) },
        })
    }
}

/// Names of repositories and documents are no longer.
const MAX_NAME_BYTES: usize = 200;

/// Whether a word can be the name of a repository or of a document (`repository/id`).
pub(crate) fn is_name(word: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || "._-/@+=#~:".contains(c);
    (1..=MAX_NAME_BYTES).contains(&word.len()) && word.chars().all(is_of_name)
}

/// A subject without what mail programs put in front of it.
pub(crate) fn bare(subject: &str) -> &str {
    let mut rest = subject.trim();
    loop {
        let after_tag = rest.strip_prefix('[').and_then(|tag| Some(tag.split_once(']')?.1));
        let after_mark = rest.split_once(':').filter(|(mark, _)| is_reply_mark(mark));
        let Some(next) = after_tag.or(after_mark.map(|(_, rest)| rest)) else { return rest };
        rest = next.trim_start();
    }
}

/// `Re`, `Fwd`, `AW`, `Re[2]` …: marks of answers and of mail passed on, in a few languages.
fn is_reply_mark(mark: &str) -> bool {
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
        SubjectCommand::read(subject).map(|order| (order.verb, order.name, order.title))
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn subjects_are_read() {
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
    fn other_subjects_are_not() {
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
        fn every_subject_ends(subject in "\\PC{0,60}|((re|\\[a|\\]|:| |probe|\u{e9}|/){0,12})") {
            if let Some(order) = SubjectCommand::read(&subject) {
                prop_assert!(order.name.is_none_or(|name| is_name(&name)));
                prop_assert!(order.title.is_none_or(|title| !title.trim().is_empty()));
            }
        }

        #[test]
        fn what_is_written_is_read(verb in 0usize..5, name in "[a-z0-9._-]{1,20}", marks in "(Re: |FWD: |\\[list\\] ){0,3}") {
            let verb = Verb::ALL[verb];
            prop_assert_eq!(read(&format!("{marks}{verb} {name}")), Some((verb, Some(name), None)));
        }
    }
}
