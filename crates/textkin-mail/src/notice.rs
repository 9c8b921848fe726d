//! Notices: an alert, or many of them in a digest, in words.
//!
//! In: plain data of what was found. Out: a message. Shares are said in the words of every screen:
//! "412 of 1,030 words, 40%; 9% of the other".

use std::fmt;

use crate::incoming::one_line;
use crate::{Address, OutgoingMessage, Purpose};

/// How much of a text reappeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlertLevel {
    /// A part.
    Some,
    /// Most of it.
    High,
    /// All of it.
    Exact,
}

impl fmt::Display for AlertLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Some => "Some",
            Self::High => "High",
            Self::Exact => "Exact",
        })
    }
}

/// The words of a text that are in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordShare {
    /// Words that are in the other.
    pub shared_words: u64,
    /// All words.
    pub words: u64,
}

impl WordShare {
    /// `40%`; all and nothing are said only of all and nothing, and `n/a` of a text without words.
    pub fn percent(self) -> String {
        let Self { shared_words, words } = self;
        let (shared, all) = (u128::from(shared_words), u128::from(words));
        if all == 0 {
            return "n/a".to_owned();
        }
        match (shared * 200 + all) / (all * 2) {
            0 if shared > 0 => "<1%".to_owned(),
            100 if shared < all => ">99%".to_owned(),
            percent => format!("{percent}%"),
        }
    }
}

impl fmt::Display for WordShare {
    /// `412 of 1,030 words, 40%`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shared, words) = (thousands(self.shared_words), thousands(self.words));
        write!(formatter, "{shared} of {words} words, {}", self.percent())
    }
}

/// A document, as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLabel {
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its repository.
    pub repository: String,
    /// Its name there.
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

/// A watched text has reappeared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// How much of it.
    pub level: AlertLevel,
    /// The watched text.
    pub watched: DocumentLabel,
    /// Where it reappeared.
    pub found: DocumentLabel,
    /// The words of the watched text that are in the found one.
    pub watched_in_found: WordShare,
    /// The words of the found text that are in the watched one.
    pub found_in_watched: WordShare,
    /// When the found text is from or was found, as people read it.
    pub time: String,
    /// Where to see both.
    pub link: String,
}

/// The alerts of a digest that are told one by one.
const MAX_SHOWN: usize = 50;

/// A message about one alert. `identity` is the same for the same alert; `rules` is where the
/// reader says what to be told.
pub fn alert(to: &Address, alert: &Alert, identity: &str, rules: &str) -> OutgoingMessage {
    let Alert { level, watched, found, link, .. } = alert;
    let title = watched.title.as_ref().unwrap_or(&watched.id);
    let percent = alert.watched_in_found.percent();
    let text = format!(
        "A text that you watch has reappeared.\n\n{}\n\nSee both side by side: {link}\n\n{}",
        facts(alert),
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

/// A message about the alerts since the last one, strongest first; `inbox` is where all of them
/// are. None where there are none.
pub fn digest(
    to: &Address,
    alerts: &[Alert],
    identity: &str,
    inbox: &str,
    rules: &str,
) -> Option<OutgoingMessage> {
    let first = alerts.first()?;
    let mut order: Vec<&Alert> = alerts.iter().collect();
    // Of equals the order stays.
    order
        .sort_by_key(|alert| std::cmp::Reverse((alert.level, alert.watched_in_found.shared_words)));
    let shown: Vec<_> = order
        .iter()
        .take(MAX_SHOWN)
        .map(|alert| format!("{}\n{}", facts(alert), alert.link))
        .collect();
    let n_alerts = u64::try_from(alerts.len()).unwrap_or(u64::MAX);
    let (count, noun) = (thousands(n_alerts), if n_alerts == 1 { "text" } else { "texts" });
    let rest = alerts.len().saturating_sub(MAX_SHOWN);
    let more = if rest > 0 { format!("\n\nAnd {rest} more.") } else { String::new() };
    let text = format!(
        "{count} {noun} that you watch reappeared since the last digest.\n\n{}{more}\n\nAll alerts: {inbox}\n\n{}",
        shown.join("\n\n"),
        footer(&first.watched.repository, rules),
    );
    Some(OutgoingMessage {
        to: to.clone(),
        subject: format!("{count} {noun} reappeared"),
        text,
        purpose: Purpose::Notice,
        identity: identity.to_owned(),
    })
}

/// What is known of an alert, a line each.
fn facts(alert: &Alert) -> String {
    let Alert { level, watched, found, watched_in_found, found_in_watched, time, .. } = alert;
    format!(
        "Your text: {watched}\nReappeared in: {found}, {}\nShared: {watched_in_found}; {} of the other\nLevel: {level}",
        one_line(time),
        found_in_watched.percent(),
    )
}

fn footer(repository: &str, rules: &str) -> String {
    let repository = one_line(repository);
    format!(
        "-- \nYou get this because you watch {repository}. Change what you are told, or stop it: {rules}\n"
    )
}

/// `1,030`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(level: AlertLevel, shared_words: u64) -> Alert {
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
            time: "16 November 2026".to_owned(),
            link: "https://kin.example/alerts/1".to_owned(),
        }
    }

    #[test]
    fn shares_are_said_as_on_every_screen() {
        let percent = |shared_words, words| WordShare { shared_words, words }.percent();
        assert_eq!(
            WordShare { shared_words: 412, words: 1030 }.to_string(),
            "412 of 1,030 words, 40%"
        );
        assert_eq!(percent(0, 0), "n/a");
        assert_eq!(percent(0, 9), "0%");
        assert_eq!(percent(1, 1000), "<1%");
        assert_eq!(percent(999, 1000), ">99%");
        assert_eq!(percent(u64::MAX, u64::MAX), "100%");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn an_alert_says_all() {
        let to = "ann@a.example".parse().unwrap();
        let message = alert(&to, &found(AlertLevel::High, 412), "a1", "https://kin.example/rules");
        assert_eq!(message.subject, "High: \u{201c}On Kin Bcc: x\u{201d} reappeared in feed (40%)");
        assert_eq!(
            message.text,
            "A text that you watch has reappeared.\n\n\
             Your text: \u{201c}On Kin Bcc: x\u{201d} (essays/17)\n\
             Reappeared in: \u{201c}News\u{201d} (feed/17), 16 November 2026\n\
             Shared: 412 of 1,030 words, 40%; 9% of the other\n\
             Level: High\n\n\
             See both side by side: https://kin.example/alerts/1\n\n\
             -- \nYou get this because you watch essays. Change what you are told, or stop it: https://kin.example/rules\n"
        );
    }

    #[test]
    fn a_digest_begins_with_the_strongest() {
        let to = "ann@a.example".parse().unwrap();
        let mut alerts = vec![found(AlertLevel::Some, 60); 60];
        alerts.push(found(AlertLevel::Exact, 1030));
        let message =
            digest(&to, &alerts, "d1", "https://kin.example/alerts", "https://kin.example/rules")
                .unwrap();
        assert_eq!(message.subject, "61 texts reappeared");
        assert!(message.text.contains("And 11 more."));
        assert!(
            message.text.find("Level: Exact").unwrap() < message.text.find("Level: Some").unwrap()
        );
        assert_eq!(digest(&to, &[], "d1", "", ""), None);
    }
}
