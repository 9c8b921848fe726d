//! The key that webhook secrets are encrypted with, in a file of its own beside the store.
//!
//! Deliveries are signed with the secrets, so they must be readable, unlike passwords and API keys, of
//! which digests are enough. Whoever has the store but not the key cannot read them. Each secret is
//! encrypted with XChaCha20-Poly1305 under a random nonce and bound to its account.

use std::io::Write;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use rusqlite::{Transaction, params};

use crate::domain::{AccountId, HookId};
use crate::error::Error;
use crate::store::{Store, files, hex, setting};

/// The file name of the key in the data folder.
pub(crate) const SECRET_KEY_FILE: &str = "secret.key";
const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;

/// The key of webhook secrets. `Debug` does not show it.
#[derive(Clone)]
pub(crate) struct SecretKey([u8; KEY_BYTES]);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SecretKey(…)")
    }
}

impl SecretKey {
    /// Returns the key of a store in its data folder. It is created if the store contains no secret that
    /// needs an earlier key. The inner error says why secrets cannot be read.
    ///
    /// # Errors
    /// If the store or the file cannot be read or written.
    pub(crate) fn of_store(folder: &Path, store: &Store) -> Result<Result<Self, String>, Error> {
        let path = folder.join(SECRET_KEY_FILE);
        let (check_value, n_secrets) =
            store.read(|read| Ok((setting::get(read, setting::SECRET_KEY)?, n_secrets(read)?)))?;
        let key = match (Self::read(&path)?, n_secrets) {
            (Ok(Some(key)), _) if check_value.as_deref() == Some(&key.check_value()) => {
                return Ok(Ok(key));
            }
            (Ok(Some(key)), 0) => key,
            (Ok(None), 0) => Self::create(&path)?,
            (Ok(Some(_)), _) => return Ok(Err(unusable(&path, "belongs to another store"))),
            (Ok(None), _) => return Ok(Err(unusable(&path, "is missing"))),
            (Err(reason), _) => return Ok(Err(unusable(&path, reason))),
        };
        let check_value = key.check_value();
        store.write(move |write| setting::set(write, setting::SECRET_KEY, &check_value))?;
        Ok(Ok(key))
    }

    /// Says why the secrets of a store cannot be read with the key at `path`, if they cannot.
    pub(crate) fn finding(path: &Path, store: &Store) -> Result<Option<String>, Error> {
        let (check_value, n_secrets) =
            store.read(|read| Ok((setting::get(read, setting::SECRET_KEY)?, n_secrets(read)?)))?;
        if n_secrets == 0 {
            return Ok(None);
        }
        Ok(match Self::read(path)? {
            Ok(Some(key)) if check_value.as_deref() == Some(&key.check_value()) => None,
            Ok(Some(_)) => Some(unusable(path, "belongs to another store")),
            Ok(None) => Some(unusable(path, "is missing")),
            Err(reason) => Some(unusable(path, reason)),
        })
    }

    /// Reads a key; `None` if there is no file. The inner error says what is wrong with its contents.
    fn read(path: &Path) -> Result<Result<Option<Self>, &'static str>, Error> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(match bytes.try_into() {
                Ok(bytes) => Ok(Some(Self(bytes))),
                Err(_) => Err("is damaged: a key has 32 bytes"),
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Ok(None)),
            Err(error) => Err(Error::Store { path: path.to_owned(), reason: error.to_string() }),
        }
    }

    /// Creates a key; it is on disk when this returns.
    fn create(path: &Path) -> Result<Self, Error> {
        let key = Self(random()?);
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&key.0)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        files::sync_folder(folder)?;
        Ok(key)
    }

    /// A value that tells keys apart and does not reveal them.
    fn check_value(&self) -> String {
        hex(&blake3::derive_key("textkin 2026-11-18 check value of secret.key", &self.0)[..16])
    }

    /// Encrypts a secret of an account.
    pub(crate) fn seal(&self, secret: &str, account: AccountId) -> Result<String, Error> {
        let nonce: [u8; NONCE_BYTES] = random()?;
        let payload = Payload { msg: secret.as_bytes(), aad: &context(account) };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| Error::Invalid("the secret is too long".to_owned()))?;
        Ok(URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat()))
    }

    /// Decrypts a secret of an account.
    pub(crate) fn open(&self, sealed: &str, account: AccountId) -> Result<String, Error> {
        let failed = || {
            let reason =
                "a webhook secret cannot be decrypted; delete the webhook and create it again";
            Error::Store { path: PathBuf::from(SECRET_KEY_FILE), reason: reason.to_owned() }
        };
        let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| failed())?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or_else(failed)?;
        let payload = Payload { msg: sealed, aad: &context(account) };
        let opened = self.cipher().decrypt(&XNonce::from(*nonce), payload);
        String::from_utf8(opened.map_err(|_| failed())?).map_err(|_| failed())
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.0.into())
    }
}

/// What a secret is bound to: copied to another account, it cannot be decrypted.
fn context(account: AccountId) -> Vec<u8> {
    [&b"textkin webhook secret of account "[..], &account.get().to_le_bytes()].concat()
}

fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes)
}

fn unusable(path: &Path, reason: &str) -> String {
    format!(
        "the key of the webhook secrets, {}, {reason}; put the original file there and restart the \
         server, or delete all webhooks, restart and create them again",
        path.display()
    )
}

fn n_secrets(read: &Transaction<'_>) -> Result<u64, Error> {
    Ok(read.prepare_cached("SELECT count(*) FROM hook")?.query_row([], |row| row.get(0))?)
}

/// Encrypts the secrets of a store of version 3 or earlier, which are readable in it.
pub(super) fn seal_all(write: &Transaction<'_>, folder: &Path) -> Result<(), Error> {
    let secrets: Vec<(HookId, AccountId, String)> = {
        let mut statement = write.prepare("SELECT id, account, secret FROM hook")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    if secrets.is_empty() {
        return Ok(());
    }
    let path = folder.join(SECRET_KEY_FILE);
    // A key may be there from an upgrade that was interrupted before its commit.
    let key = match SecretKey::read(&path)? {
        Ok(Some(key)) => key,
        Ok(None) => SecretKey::create(&path)?,
        Err(reason) => {
            let reason = format!("the key {reason}; remove it and start again");
            return Err(Error::Store { path, reason });
        }
    };
    let mut statement = write.prepare("UPDATE hook SET secret = ?2 WHERE id = ?1")?;
    for (id, account, secret) in secrets {
        statement.execute(params![id, key.seal(&secret, account)?])?;
    }
    setting::set(write, setting::SECRET_KEY, &key.check_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_decrypted_only_with_their_key_and_for_their_account() {
        let (key, other) = (SecretKey([7; 32]), SecretKey([8; 32]));
        let sealed = key.seal("a secret of somebody", AccountId::new(3)).unwrap();
        assert!(!sealed.contains("secret"));
        assert_ne!(sealed, key.seal("a secret of somebody", AccountId::new(3)).unwrap());
        assert_eq!(key.open(&sealed, AccountId::new(3)).unwrap(), "a secret of somebody");
        let first = if sealed.starts_with('A') { 'B' } else { 'A' };
        let damaged = format!("{first}{}", &sealed[1..]);
        for (key, sealed, account) in [
            (&other, &*sealed, 3),
            (&key, &*sealed, 4),
            (&key, &*damaged, 3),
            (&key, "x", 3),
            (&key, "", 3),
        ] {
            let message = key.open(sealed, AccountId::new(account)).unwrap_err().to_string();
            assert!(message.contains("secret.key"), "{message}");
        }
        assert_ne!(key.check_value(), other.check_value());
        assert_eq!(format!("{key:?}"), "SecretKey(…)");
    }
}
