//! Notices: messages about one alert, or about many in a digest.
//!
//! In: plain data about matches. Out: a message. Shares are worded as on the pages:
//! "412 of 1,030 words (40%); 9% of the other text".

use std::fmt;

use textkin_core::MatchLevel;
use textkin_core::number::{counted, percent, thousands};

use crate::incoming::one_line;
use crate::{Address, OutgoingMessage, Purpose};

/// How many words of a text are also in another text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordShare {
    /// Words that are also in the other text.
    pub shared_words: u64,
    /// All words.
    pub words: u64,
}

impl WordShare {
    /// `40%`. 100 % and 0 % are never the result of rounding; a text without words gives `n/a`.
    pub fn percent(self) -> String {
        percent(self.shared_words, self.words)
    }
}

impl fmt::Display for WordShare {
    /// `412 of 1,030 words (40%)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shared, words) = (thousands(self.shared_words), thousands(self.words));
        write!(formatter, "{shared} of {words} words ({})", self.percent())
    }
}

/// A document as shown to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLabel {
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its repository.
    pub repository: String,
    /// Its id in the repository.
    pub id: String,
}

impl fmt::Display for DocumentLabel {
    /// `“Title” (repository/id)`, in one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = one_line(&format!("{}/{}", self.repository, self.id));
        match &self.title {
            Some(title) => write!(formatter, "\u{201c}{}\u{201d} ({name})", one_line(title)),
            None => formatter.write_str(&name),
        }
    }
}

/// An alert: a watched text has reappeared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// How much of it.
    pub level: MatchLevel,
    /// The watched text.
    pub watched: DocumentLabel,
    /// The document in which it reappeared.
    pub found: DocumentLabel,
    /// The words of the watched text that are in the found one.
    pub watched_in_found: WordShare,
    /// The words of the found text that are in the watched one.
    pub found_in_watched: WordShare,
    /// Whether the words were counted from the index alone.
    pub is_bounded: bool,
    /// Date of the found text, or when it was found, for display.
    pub time: String,
    /// Link to the comparison.
    pub link: String,
}

/// Alerts listed in a digest.
const MAX_SHOWN: usize = 50;

/// Returns a message about one alert. `identity` is the same for the same alert; `rules` is the link
/// to the notification settings.
pub fn alert(to: &Address, alert: &Alert, identity: &str, rules: &str) -> OutgoingMessage {
    let Alert { level, watched, found, link, .. } = alert;
    let title = watched.title.as_ref().unwrap_or(&watched.id);
    let percent = alert.watched_in_found.percent();
    let text = format!(
        "A text you watch has reappeared.\n\n{}\n\nCompare both texts: {link}\n\n{}",
        details(alert),
        footer(&watched.repository, rules),
    );
    OutgoingMessage {
        to: to.clone(),
        subject: format!(
            "{level}: \u{201c}{}\u{201d} reappeared in {} ({percent})",
            one_line(title),
            one_line(&found.repository)
        ),
        text,
        purpose: Purpose::Notice,
        identity: identity.to_owned(),
    }
}

/// Returns a message about all alerts since the last digest, strongest first, or `None` if there are
/// no alerts. `inbox` is the link to all alerts.
pub fn digest(
    to: &Address,
    alerts: &[Alert],
    identity: &str,
    inbox: &str,
    rules: &str,
) -> Option<OutgoingMessage> {
    let first = alerts.first()?;
    let mut order: Vec<&Alert> = alerts.iter().collect();
    // The sort is stable.
    order
        .sort_by_key(|alert| std::cmp::Reverse((alert.level, alert.watched_in_found.shared_words)));
    let shown: Vec<_> = order
        .iter()
        .take(MAX_SHOWN)
        .map(|alert| format!("{}\n{}", details(alert), alert.link))
        .collect();
    let mut texts: Vec<(&str, &str)> =
        alerts.iter().map(|alert| (&alert.watched.repository[..], &alert.watched.id[..])).collect();
    texts.sort_unstable();
    texts.dedup();
    // One text in 500 documents is one text.
    let texts = counted(texts.len() as u64, "text", "texts");
    let documents = counted(alerts.len() as u64, "document", "documents");
    let rest = alerts.len().saturating_sub(MAX_SHOWN);
    let more = if rest > 0 { format!("\n\nAnd {rest} more.") } else { String::new() };
    let text = format!(
        "{texts} you watch reappeared in {documents} since the last digest.\n\n{}{more}\n\nAll alerts: {inbox}\n\n{}",
        shown.join("\n\n"),
        footer(&first.watched.repository, rules),
    );
    Some(OutgoingMessage {
        to: to.clone(),
        subject: format!("{texts} reappeared in {documents}"),
        text,
        purpose: Purpose::Notice,
        identity: identity.to_owned(),
    })
}

/// The details of an alert, one per line.
fn details(alert: &Alert) -> String {
    let Alert { level, watched, found, watched_in_found, found_in_watched, time, .. } = alert;
    let bounded = match alert.is_bounded {
        true => {
            "\nThe words were counted from the index; there are too many matches to compare each word by word."
        }
        false => "",
    };
    format!(
        "Your text: {watched}\nReappeared in: {found}, {}\nShared: {watched_in_found}; {} of the other text\nLevel: {level}{bounded}",
        one_line(time),
        found_in_watched.percent(),
    )
}

fn footer(repository: &str, rules: &str) -> String {
    let repository = one_line(repository);
    format!(
        "-- \nYou receive this because you watch {repository}. Change or stop these notifications: {rules}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert_of(level: MatchLevel, shared_words: u64) -> Alert {
        let label = |title: &str, repository: &str| DocumentLabel {
            title: Some(title.to_owned()),
            repository: repository.to_owned(),
            id: "17".to_owned(),
        };
        Alert {
            level,
            watched: label("On Kin\r\nBcc: x", "essays"),
            found: label("News", "feed"),
            watched_in_found: WordShare { shared_words, words: 1030 },
            found_in_watched: WordShare { shared_words: 400, words: 4500 },
            is_bounded: false,
            time: "16 November 2026".to_owned(),
            link: "https://kin.example/alerts/1".to_owned(),
        }
    }

    #[test]
    fn shares_are_worded_as_on_the_pages() {
        let percent = |shared_words, words| WordShare { shared_words, words }.percent();
        assert_eq!(
            WordShare { shared_words: 412, words: 1030 }.to_string(),
            "412 of 1,030 words (40%)"
        );
        assert_eq!(percent(0, 0), "n/a");
        assert_eq!(percent(0, 9), "0%");
        assert_eq!(percent(1, 1000), "<1%");
        assert_eq!(percent(999, 1000), ">99%");
        assert_eq!(percent(u64::MAX, u64::MAX), "100%");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn an_alert_message_has_all_details() {
        let to = "ann@a.example".parse().unwrap();
        let message =
            alert(&to, &alert_of(MatchLevel::High, 412), "a1", "https://kin.example/rules");
        assert_eq!(message.subject, "High: \u{201c}On Kin Bcc: x\u{201d} reappeared in feed (40%)");
        assert_eq!(
            message.text,
            "A text you watch has reappeared.\n\n\
             Your text: \u{201c}On Kin Bcc: x\u{201d} (essays/17)\n\
             Reappeared in: \u{201c}News\u{201d} (feed/17), 16 November 2026\n\
             Shared: 412 of 1,030 words (40%); 9% of the other text\n\
             Level: High\n\n\
             Compare both texts: https://kin.example/alerts/1\n\n\
             -- \nYou receive this because you watch essays. Change or stop these notifications: https://kin.example/rules\n"
        );
    }

    #[test]
    fn a_digest_lists_the_strongest_first() {
        let to = "ann@a.example".parse().unwrap();
        let mut alerts = vec![alert_of(MatchLevel::Some, 60); 60];
        alerts.push(alert_of(MatchLevel::Exact, 1030));
        let message =
            digest(&to, &alerts, "d1", "https://kin.example/alerts", "https://kin.example/rules")
                .unwrap();
        assert_eq!(message.subject, "1 text reappeared in 61 documents");
        assert!(message.text.contains("And 11 more."));
        assert!(
            message.text.find("Level: Exact").unwrap() < message.text.find("Level: Some").unwrap()
        );
        assert_eq!(digest(&to, &[], "d1", "", ""), None);
    }
}
