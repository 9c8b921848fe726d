//! The limits that no option changes, as the book lists them.

use std::time::Duration;

use textkin::engine::types::number::thousands as number;

use crate::serve::MAX_HEAD;
use crate::{ListenConfig, attempts, bodies};
use textkin_registry::limits;

/// Returns what is limited and how, in the order of the page.
pub fn fixed_limits() -> Vec<(&'static str, String)> {
    let listen = ListenConfig::default();
    vec![
        (
            "reading one upload, in a process of its own",
            format!(
                "{} of memory, {}; {} while somebody waits",
                size(limits::READ_LIMITS.memory),
                time(limits::READ_LIMITS.time),
                time(limits::INTERACTIVE_READ_LIMITS.time)
            ),
        ),
        (
            "origins of a public repository",
            format!(
                "a table of {}, {} tables at a time",
                size(limits::ORIGINS_MEMORY),
                limits::MAX_TRACERS
            ),
        ),
        (
            "a result as PDF",
            format!(
                "the first {} of text and {} pages; the last page says so",
                size(textkin_web::MAX_PDF_TEXT as u64),
                number(textkin_web::MAX_PDF_PAGES as u64)
            ),
        ),
        (
            "the graph of a repository",
            format!("its latest {} documents", number(limits::MAX_GRAPH_DOCUMENTS as u64)),
        ),
        (
            "connections",
            format!(
                "{}, {} from one address; request headers within {} and {}",
                number(listen.connections as u64),
                number(listen.connections_per_address as u64),
                time(listen.head_time),
                size(MAX_HEAD as u64)
            ),
        ),
        (
            "a request body without a text or a file",
            format!("{}; {} before sign-in", size(bodies::MAX_FORM), size(bodies::MAX_ANONYMOUS)),
        ),
        (
            "sending a request body",
            format!(
                "{} before sign-in; at least {} per second after it",
                time(listen.anonymous_body_time),
                size(listen.min_body_rate)
            ),
        ),
        (
            "request bodies in memory, all together",
            format!("{}; further requests get status 503", size(listen.body_memory as u64)),
        ),
        (
            "failed sign-ins",
            format!(
                "{} of one account at one address within {}; {} of one account at all addresses and {} at \
                 one address, unless the account has signed in there before",
                attempts::MAX,
                time(attempts::WITHIN),
                attempts::MAX_OF_ACCOUNT,
                attempts::MAX_AT_ADDRESS
            ),
        ),
        (
            "requests with a wrong key per address",
            format!("{} within {}", attempts::MAX, time(attempts::WITHIN)),
        ),
        (
            "filters of the index",
            format!(
                "{}, enough for two million documents of 300 words; lookups beyond it read the files",
                size(limits::MAX_FILTER_BYTES as u64)
            ),
        ),
        (
            "merging files of the index",
            format!("{} of memory; larger files stay as they are", size(limits::MAX_MERGE_BYTES)),
        ),
        ("retention and purge rules", format!("{} days", number(u64::from(limits::MAX_DAYS)))),
    ]
}

/// A number of bytes in the largest unit that divides it.
pub(crate) fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.iter().find(|(shift, _)| bytes.trailing_zeros() >= *shift) {
        Some((shift, unit)) => format!("{} {unit}", number(bytes >> shift)),
        None => format!("{} bytes", number(bytes)),
    }
}

fn time(duration: Duration) -> String {
    match duration.as_secs() {
        3600 => "one hour".to_owned(),
        60 => "one minute".to_owned(),
        seconds => format!("{seconds} s"),
    }
}
