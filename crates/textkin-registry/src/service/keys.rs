//! API keys: access to an account, limited by scopes, time, repository and client address.

use std::net::IpAddr;

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::{AccountId, Action, Actor, KeyId, RepositoryId, Scope};
use crate::error::Error;
use crate::service::accounts::{actor, audit, check_name, insert_account};
use crate::service::repositories::check_days;
use crate::service::{Service, secrets};
use crate::store::accounts::{self, NewAccount};
use crate::store::keys::{self, NewKeyRow};
use crate::store::{Store, now};

/// The interval in which the last use of a key is stored, in seconds, so that not every request writes.
const USED_EVERY: i64 = 60;
/// The start of every key.
const KEY_PREFIX: &str = "tk_";

/// A new API key.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// Its name.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// Its scopes.
    #[schema(min_items = 1)]
    pub scopes: Vec<Scope>,
    /// The only repository it gives access to.
    #[serde(default)]
    pub repository: Option<String>,
    /// Days until it expires; absent: it does not expire.
    #[serde(default)]
    #[schema(maximum = 36500)]
    pub days: Option<u32>,
    /// Client addresses or ranges like `192.0.2.0/24`, separated by commas; absent: any address.
    #[serde(default)]
    pub addresses: Option<String>,
}

/// An API key, without its secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct KeyView {
    /// Its id.
    pub id: KeyId,
    /// Its name.
    pub name: String,
    /// Its scopes, separated by commas.
    pub scopes: String,
    /// The only repository it gives access to.
    pub repository: Option<String>,
    /// The client addresses it may be used from.
    pub addresses: Option<String>,
    /// When it was created, in seconds since 1970.
    pub created: i64,
    /// When it expires, in seconds since 1970.
    pub expires: Option<i64>,
    /// When it was last used, in seconds since 1970.
    pub used: Option<i64>,
    /// When it was revoked, in seconds since 1970.
    pub revoked: Option<i64>,
    /// The secret; only in the response to its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Service {
    /// Returns the actor of an API key that is used from an address.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] if the key is unknown, expired, revoked, or not allowed from there.
    pub fn key(&self, key: &str, from: Option<IpAddr>) -> Result<Actor, Error> {
        let digest = secrets::digest(key);
        let now = now();
        let (record, actor) = self.store.read(|read| {
            let record = keys::find(read, &digest, now)?;
            let record = record.ok_or(Error::Unauthenticated)?;
            let scopes = Scope::parse_all(&record.scopes)?;
            let actor = actor(read, record.account, Some(scopes), record.repository)?;
            Ok((record, actor))
        })?;
        if let Some(addresses) = &record.addresses {
            let allowed = parse_addresses(addresses)?;
            if !from.is_some_and(|from| allowed.iter().any(|range| range.contains(from))) {
                return Err(Error::Unauthenticated);
            }
        }
        if now - record.used >= USED_EVERY {
            self.store.write_soon(move |write| keys::set_used(write, record.id, now))?;
        }
        Ok(actor)
    }

    /// Creates an API key for the actor's account.
    ///
    /// # Errors
    /// If the actor lacks the permission, or may not see the repository.
    pub fn new_key(&self, actor: &Actor, new: &NewKey) -> Result<KeyView, Error> {
        actor.require(Action::ManageAccount)?;
        let repository = match &new.repository {
            Some(name) => Some(self.store.read(|read| Self::resolve(read, actor, name))?.id),
            None => None,
        };
        self.insert_key(actor.account, new, repository)
    }

    /// Creates an API key for the account called `name`, which is created if it is missing, and becomes an
    /// administrator if `is_admin`. No permission is checked: the caller has access to the data folder.
    ///
    /// # Errors
    /// If the store fails, or the requested key is invalid.
    pub fn new_key_for(&self, name: &str, is_admin: bool, new: &NewKey) -> Result<KeyView, Error> {
        new_key_in(&self.store, name, is_admin, new)
    }

    fn insert_key(
        &self,
        account: AccountId,
        new: &NewKey,
        repository: Option<RepositoryId>,
    ) -> Result<KeyView, Error> {
        insert_key(&self.store, new, repository, move |_| Ok(account))
    }

    /// Returns the keys of the actor's account.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn keys(&self, actor: &Actor) -> Result<Vec<KeyView>, Error> {
        actor.require(Action::ManageAccount)?;
        self.store.read(|read| keys::list(read, actor))
    }

    /// Revokes a key of the actor's account.
    ///
    /// # Errors
    /// If it does not exist, or the actor lacks the permission.
    pub fn revoke_key(&self, actor: &Actor, id: KeyId) -> Result<(), Error> {
        actor.require(Action::ManageAccount)?;
        let account = actor.account;
        self.store.write(move |write| match keys::revoke(write, account, id, now())? {
            false => Err(Error::not_found("key", &id.to_string())),
            true => audit(write, Some(account), "key revoked", &id.to_string()),
        })
    }
}

/// Creates an API key in a store that a server may be using.
pub(crate) fn new_key_in(
    store: &Store,
    name: &str,
    is_admin: bool,
    new: &NewKey,
) -> Result<KeyView, Error> {
    check_name("account", name)?;
    if new.repository.is_some() {
        return Err(Error::Invalid(
            "a key for one repository must be created by its account".to_owned(),
        ));
    }
    let name = name.to_owned();
    insert_key(store, new, None, move |write| match accounts::by_name(write, &name)? {
        Some(account) => {
            if is_admin && !account.is_admin {
                accounts::set_admin(write, &name, true)?;
                audit(write, None, "administrator added", &name)?;
            }
            Ok(account.id)
        }
        None => {
            let (mail, password) = (None, None);
            insert_account(write, &NewAccount { name: &name, mail, password, is_admin })
        }
    })
}

fn insert_key(
    store: &Store,
    new: &NewKey,
    repository: Option<RepositoryId>,
    account: impl FnOnce(&Transaction<'_>) -> Result<AccountId, Error> + Send + 'static,
) -> Result<KeyView, Error> {
    check_days("days", new.days)?;
    if !(1..=100).contains(&new.name.chars().count()) || new.scopes.is_empty() {
        return Err(Error::Invalid(
            "a key needs a name of 1 to 100 characters and at least one scope".to_owned(),
        ));
    }
    if let Some(addresses) = &new.addresses {
        parse_addresses(addresses)?;
    }
    let new = new.clone();
    let key = format!("{KEY_PREFIX}{}", secrets::secret()?);
    let digest = secrets::digest(&key);
    store.write(move |write| {
        let account = account(write)?;
        let created = now();
        let expires = new.days.map(|days| created + i64::from(days) * 24 * 3600);
        let scopes = Scope::join(&new.scopes);
        let row = NewKeyRow {
            account,
            name: &new.name,
            digest: &digest,
            scopes: &scopes,
            repository,
            addresses: new.addresses.as_deref(),
            created,
            expires,
        };
        let id = keys::insert(write, &row)?;
        audit(write, Some(account), "key created", &format!("{id} with {scopes}"))?;
        Ok(KeyView {
            id,
            name: new.name,
            scopes,
            repository: new.repository,
            addresses: new.addresses,
            created,
            expires,
            used: None,
            revoked: None,
            key: Some(key),
        })
    })
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AddressRange {
    base: IpAddr,
    bits: u8,
}

impl AddressRange {
    fn contains(self, address: IpAddr) -> bool {
        let number = |address: IpAddr| match address {
            IpAddr::V4(v4) => (u128::from(v4.to_bits()) << 96, true),
            IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
                Some(v4) => (u128::from(v4.to_bits()) << 96, true),
                None => (v6.to_bits(), false),
            },
        };
        let ((base, is_v4), (other, other_is_v4)) = (number(self.base), number(address));
        let differ = (base ^ other).leading_zeros();
        is_v4 == other_is_v4 && differ >= u32::from(self.bits)
    }
}

fn parse_addresses(addresses: &str) -> Result<Vec<AddressRange>, Error> {
    let invalid = |part: &str| {
        let part: String = part.chars().take(50).collect();
        Error::Invalid(format!("'{part}' is not an address or a range; write it like 192.0.2.0/24"))
    };
    let parts = addresses.split([',', ' ']).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (base, bits) = part.split_once('/').unwrap_or((part, ""));
            let base: IpAddr = base.parse().map_err(|_| invalid(part))?;
            let max_bits = if base.is_ipv4() { 32 } else { 128 };
            let bits =
                if bits.is_empty() { max_bits } else { bits.parse().map_err(|_| invalid(part))? };
            match bits <= max_bits {
                true => Ok(AddressRange { base, bits }),
                false => Err(invalid(part)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_contain_their_addresses() {
        let ranges = parse_addresses("192.0.2.0/24, 2001:db8::/32 10.1.2.3").unwrap();
        let contains = |address: &str| {
            let address = address.parse().unwrap();
            ranges.iter().any(|range| range.contains(address))
        };
        assert!(contains("192.0.2.255") && contains("2001:db8:ffff::1") && contains("10.1.2.3"));
        assert!(contains("::ffff:192.0.2.1"));
        assert!(!contains("192.0.3.0") && !contains("2001:db9::") && !contains("10.1.2.4"));
        for invalid in ["x", "1.2.3.4/33", "1.2.3/8", "::/129", "1.2.3.4/-1"] {
            assert!(parse_addresses(invalid).is_err(), "{invalid}");
        }
        assert!(parse_addresses("0.0.0.0/0").unwrap()[0].contains("9.9.9.9".parse().unwrap()));
    }
}
