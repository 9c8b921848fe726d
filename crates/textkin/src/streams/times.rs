//! Statistics on whether the times of a stream are in order.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// Counts of documents by how their time compares with earlier documents.
///
/// A trace processes documents in the order of the stream. If times go backward, the origin of a
/// passage is the first document that arrived, not the first that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceTimes {
    /// Documents with a valid time.
    pub dated: u64,
    /// Documents without a time.
    pub missing: u64,
    /// Documents with an invalid time.
    pub unreadable: u64,
    /// Documents with the same time as the latest before them, so that their order is uncertain.
    pub equal: u64,
    /// Documents earlier than one before them.
    pub backward: u64,
    /// The first of those: its id, its time, and the latest time before it.
    pub first_backward: Option<(String, String, String)>,
    /// The id and the text of the first invalid time.
    pub first_unreadable: Option<(String, String)>,
    /// The id of the first document without a time.
    pub first_missing: Option<String>,
    /// The latest time so far, in seconds since 1970.
    latest: Option<i64>,
}

impl TraceTimes {
    /// Counts a document and returns its time, if it is valid.
    pub fn count(&mut self, id: &str, time: Option<&str>) -> Option<Timestamp> {
        let Some(time) = time else {
            self.missing += 1;
            self.first_missing.get_or_insert_with(|| id.to_owned());
            return None;
        };
        let Ok(timestamp) = time.parse::<Timestamp>() else {
            self.unreadable += 1;
            self.first_unreadable.get_or_insert_with(|| (id.to_owned(), time.to_owned()));
            return None;
        };
        self.dated += 1;
        match self.latest {
            Some(latest) if timestamp.0 < latest => {
                self.backward += 1;
                let before = || Timestamp(latest).to_string();
                self.first_backward
                    .get_or_insert_with(|| (id.to_owned(), timestamp.to_string(), before()));
            }
            Some(latest) if timestamp.0 == latest => self.equal += 1,
            _ => self.latest = Some(timestamp.0),
        }
        Some(timestamp)
    }

    /// Returns whether the stream is certainly in the order of time.
    #[must_use]
    pub fn is_chronological(&self) -> bool {
        self.missing + self.unreadable + self.equal + self.backward == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_by_order() {
        let mut times = TraceTimes::default();
        let stream = [
            ("a", Some("2020-01-01")),
            ("b", Some("2020-01-02")),
            ("c", Some("2020-01-02T00:00:00Z")),
            ("d", Some("2019")),
            ("e", None),
            ("f", Some("soon")),
            ("g", Some("2020-01-02")),
            ("h", Some("1999")),
            ("i", Some("2021")),
        ];
        assert!(times.is_chronological());
        for (id, time) in stream {
            times.count(id, time);
        }
        assert_eq!((times.dated, times.missing, times.unreadable), (7, 1, 1));
        assert_eq!((times.equal, times.backward), (2, 2));
        let (id, time, before) = times.first_backward.clone().unwrap();
        assert_eq!((id.as_str(), time.as_str()), ("d", "2019-01-01T00:00:00Z"));
        assert_eq!(before, "2020-01-02T00:00:00Z");
        assert_eq!(times.first_missing.as_deref(), Some("e"));
        assert_eq!(times.first_unreadable, Some(("f".to_owned(), "soon".to_owned())));
        assert!(!times.is_chronological());
    }
}
