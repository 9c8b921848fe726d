//! Ids: one type per noun, so that the id of one is never taken for that of another.
//!
//! In JSON, paths and the store an id is a plain number.

use std::fmt;
use std::num::{NonZeroU32, ParseIntError, TryFromIntError};
use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Reads and writes an id as the number in it.
macro_rules! as_number {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIntError;

            fn from_str(number: &str) -> Result<Self, Self::Err> {
                number.parse().map(Self)
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                FromSql::column_result(value).map(Self)
            }
        }
    };
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
        )]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// Returns the id with a number.
            #[must_use]
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// Returns the number.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        as_number!($name);
    )*};
}

ids! {
    /// The ID of an account.
    AccountId;
    /// The ID of a team.
    TeamId;
    /// The ID of an API key.
    KeyId;
    /// The ID of a job.
    JobId;
    /// The ID of a watch.
    WatchId;
    /// The ID of an alert.
    AlertId;
    /// The ID of a webhook.
    HookId;
    /// The ID of a delivery.
    DeliveryId;
    /// The ID of a removal receipt.
    ReceiptId;
    /// The ID of a template.
    TemplateId;
    /// The ID of a stop phrase.
    StopPhraseId;
    /// The ID of a contact request.
    ContactRequestId;
    /// The ID of a changed origin.
    ReattributionId;
    /// The ID of a message that was received by mail.
    MessageId;
}

/// The number of a document, which is not its ID in the repository.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(try_from = "i64")]
pub struct DocumentId(u64);

as_number!(DocumentId);

impl DocumentId {
    /// Returns the document with a number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the number before; `None` for 0.
    pub(crate) fn previous(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }
}

/// The store has numbers up to `i64::MAX`, so requests may not name greater ones.
impl TryFrom<i64> for DocumentId {
    type Error = TryFromIntError;

    fn try_from(number: i64) -> Result<Self, Self::Error> {
        number.try_into().map(Self)
    }
}

/// The id of a repository, also in the index. It is never 0, so that the index needs only four bytes per
/// document for an optional id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RepositoryId(NonZeroU32);

as_number!(RepositoryId);

const _: () = assert!(size_of::<Option<RepositoryId>>() == 4, "no room for a flag");

impl RepositoryId {
    /// Returns the id with a number; `None` for 0.
    pub(crate) fn new(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// Returns the number.
    pub(crate) fn get(self) -> u32 {
        self.0.get()
    }
}
