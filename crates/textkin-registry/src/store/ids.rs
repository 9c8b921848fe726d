//! New ids: numbers that reveal nothing about the activity of other accounts.
//!
//! An id starts with the time in milliseconds and ends with random bits. Ids ascend in the order in which
//! rows are inserted, fit the 53 bits of a JSON number, and the distance of two of them depends on the
//! time between them, not on how many rows others inserted.

use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use crate::error::Error;

/// Random bits at the end of an id.
const RANDOM_BITS: u32 = 12;
/// The start of the clock of ids, in milliseconds since 1970: 2020-01-01.
const EPOCH_MS: u64 = 1_577_836_800_000;
/// Ids that follow each other within a millisecond differ by 1 to this number.
const MAX_STEP: u64 = 16;

/// The tables whose ids are shown outside.
const TABLES: [&str; 11] = [
    "api_key",
    "job",
    "watch",
    "alert",
    "hook",
    "delivery",
    "receipt",
    "template",
    "stop_phrase",
    "question",
    "reattribution",
];

/// Adds the function `new_id()` to a connection that writes.
pub(super) fn add_function(connection: &Connection) -> Result<(), Error> {
    let mut last = 0u64;
    for table in TABLES {
        let sql = format!("SELECT ifnull(max(id), 0) FROM {table}");
        last = last.max(connection.query_row(&sql, [], |row| row.get(0))?);
    }
    let last = Mutex::new(last);
    connection.create_scalar_function("new_id", 0, FunctionFlags::SQLITE_UTF8, move |_| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut random = [0; 4];
        getrandom::fill(&mut random)
            .map_err(|error| rusqlite::Error::UserFunctionError(error.to_string().into()))?;
        *last = next_id(*last, milliseconds(), u64::from(u32::from_le_bytes(random)));
        Ok(*last)
    })?;
    Ok(())
}

fn milliseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX).saturating_sub(EPOCH_MS)
}

/// Returns the id after `last`, at a time in milliseconds. It is larger than `last` even if the clock went
/// back.
fn next_id(last: u64, milliseconds: u64, random: u64) -> u64 {
    let by_time = (milliseconds << RANDOM_BITS) | (random % (1 << RANDOM_BITS));
    match by_time > last {
        true => by_time,
        false => last + 1 + random % MAX_STEP,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_ascend_whatever_the_clock_does(steps in prop::collection::vec((0u64..1 << 40, any::<u64>()), 1..50)) {
            let mut last = 0;
            for (milliseconds, random) in steps {
                let id = next_id(last, milliseconds, random);
                prop_assert!(id > last);
                last = id;
            }
        }
    }

    #[test]
    fn ids_fit_the_numbers_of_json_for_sixty_years() {
        let sixty_years = 60 * 366 * 24 * 3600 * 1000;
        assert!(next_id(0, sixty_years, u64::MAX) < 1 << 53);
    }

    #[test]
    fn the_distance_of_ids_depends_on_time_and_not_on_rows_between_them() {
        let (first, second) = (next_id(0, 5_000, 1), next_id(0, 6_000, 1));
        let mut last = first;
        for at in 5_001..6_000 {
            last = next_id(last, at, 3);
        }
        assert_eq!(next_id(last, 6_000, 1), second);
    }
}
