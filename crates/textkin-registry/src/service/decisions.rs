//! Decisions: what a team concluded about two texts.

use crate::domain::{Action, Actor};
use crate::error::Error;
use crate::service::Service;
use crate::store::decisions;

/// The maximum number of characters of a note.
const MAX_NOTE: usize = 10_000;

/// A decision about two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDecision {
    /// The name of its state.
    pub state: String,
    /// A note.
    pub note: String,
    /// Who made it.
    pub by: String,
    /// When, in seconds since 1970.
    pub at: i64,
}

/// The start of the digest of a text, which identifies it in decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextDigest(i64);

impl TextDigest {
    /// Returns the digest of a text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self::from_hash(&blake3::hash(text.as_bytes()))
    }

    /// Returns the digest of a document, as it is shown; `None` if it is not a digest.
    #[must_use]
    pub fn from_hex(digest: &str) -> Option<Self> {
        blake3::Hash::from_hex(digest).ok().map(|hash| Self::from_hash(&hash))
    }

    fn from_hash(hash: &blake3::Hash) -> Self {
        let mut first = [0; 8];
        first.copy_from_slice(&hash.as_bytes()[..8]);
        Self(i64::from_le_bytes(first))
    }
}

impl Service {
    /// Returns the latest decision of the actor's teams about two texts, given by their digests.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn decision(
        &self,
        actor: &Actor,
        [a, b]: [TextDigest; 2],
    ) -> Result<Option<StoredDecision>, Error> {
        self.store.read(|read| decisions::latest(read, actor.account, [a.0, b.0]))
    }

    /// Stores a decision about two texts, given by their digests, for the actor's own team.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn decide(
        &self,
        actor: &Actor,
        [a, b]: [TextDigest; 2],
        state: &str,
        note: &str,
    ) -> Result<(), Error> {
        actor.require(Action::ChangeOwn)?;
        let (pair, account) = ([a.0, b.0], actor.account);
        let (state, note) = (state.to_owned(), note.chars().take(MAX_NOTE).collect::<String>());
        self.store.write(move |write| decisions::insert(write, account, pair, &state, &note))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_and_its_stored_digest_are_the_same() {
        let hex = blake3::hash(b"the quality of mercy").to_hex();
        let of_text = TextDigest::of_text("the quality of mercy");
        assert_eq!(TextDigest::from_hex(&hex), Some(of_text));
        assert_eq!(TextDigest::from_hex("rubbish"), None);
    }
}
