//! API keys: for some of what an account may do, for a while, from some addresses.

use std::net::IpAddr;

use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::{actor, audit, check_name, insert_account};
use super::repositories::check_days;
use super::{Service, secrets};
use crate::access::{Actor, Scope};
use crate::error::Error;
use crate::store::now;

/// A key counts as used so many seconds after it was, so that not every request is a write.
const USED_EVERY: i64 = 60;
/// The start of every key.
const KEY_PREFIX: &str = "tk_";

/// A new API key.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// What it is called.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// What it is for.
    #[schema(min_items = 1)]
    pub scopes: Vec<Scope>,
    /// The only repository it is for.
    #[serde(default)]
    pub repository: Option<String>,
    /// Days until it expires; it does not if there is none.
    #[serde(default)]
    #[schema(maximum = 36500)]
    pub days: Option<u32>,
    /// Addresses it may come from, as `192.0.2.0/24` separated by commas; any if there is none.
    #[serde(default)]
    pub addresses: Option<String>,
}

/// An API key, without its secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct KeyView {
    /// Its number.
    pub id: i64,
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub scopes: String,
    /// The only repository it is for.
    pub repository: Option<String>,
    /// Addresses it may come from.
    pub addresses: Option<String>,
    /// When it was made, in seconds since 1970.
    pub created: i64,
    /// When it expires.
    pub expires: Option<i64>,
    /// When it was last used.
    pub used: Option<i64>,
    /// When it was revoked.
    pub revoked: Option<i64>,
    /// The secret; only in the answer to making it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Service {
    /// Who comes with an API key from an address.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] if it is none, or it does not work any more or from there.
    pub fn key(&self, key: &str, from: Option<IpAddr>) -> Result<Actor, Error> {
        struct KeyRow {
            id: i64,
            account: i64,
            scopes: String,
            repository: Option<i64>,
            addresses: Option<String>,
            used: i64,
        }
        let digest = secrets::digest(key);
        let now = now();
        let (record, actor) = self.store.read(|read| {
            let sql = "SELECT api_key.id, account, scopes, repository, addresses, used
                       FROM api_key JOIN account ON account.id = account
                       WHERE digest = ?1 AND revoked IS NULL AND NOT is_off
                         AND (expires IS NULL OR expires > ?2)";
            let row = |row: &rusqlite::Row<'_>| {
                Ok(KeyRow {
                    id: row.get(0)?,
                    account: row.get(1)?,
                    scopes: row.get(2)?,
                    repository: row.get(3)?,
                    addresses: row.get(4)?,
                    used: row.get::<_, Option<i64>>(5)?.unwrap_or(0),
                })
            };
            let mut statement = read.prepare_cached(sql)?;
            let record = statement.query_row(params![digest, now], row).optional()?;
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
            self.store.write_soon(move |write| {
                write.execute("UPDATE api_key SET used = ?2 WHERE id = ?1", [record.id, now])?;
                Ok(())
            })?;
        }
        Ok(actor)
    }

    /// Makes an API key for the actor's account.
    ///
    /// # Errors
    /// If the actor may not, or asks for more than it has.
    pub fn new_key(&self, actor: &Actor, new: &NewKey) -> Result<KeyView, Error> {
        actor.require_scope(Scope::Admin)?;
        actor.require_whole_account()?;
        let repository = match &new.repository {
            Some(name) => Some(self.store.read(|read| Self::resolve(read, actor, name))?.id),
            None => None,
        };
        self.insert_key(actor.account, new, repository)
    }

    /// Makes an API key for the account called `name`, which is made if it is missing: for whoever
    /// has the folder of the data.
    ///
    /// # Errors
    /// If the store fails, or the key asked for makes no sense.
    pub fn new_key_for(&self, name: &str, is_admin: bool, new: &NewKey) -> Result<KeyView, Error> {
        new_key_in(&self.store, name, is_admin, new)
    }

    fn insert_key(
        &self,
        account: i64,
        new: &NewKey,
        repository: Option<i64>,
    ) -> Result<KeyView, Error> {
        insert_key(&self.store, new, repository, move |_| Ok(account))
    }

    /// The keys of the actor's account.
    ///
    /// # Errors
    /// If the actor may not.
    pub fn keys(&self, actor: &Actor) -> Result<Vec<KeyView>, Error> {
        actor.require_scope(Scope::Admin)?;
        actor.require_whole_account()?;
        self.store.read(|read| {
            let sql = "SELECT api_key.id, api_key.name, scopes, repository.name, addresses,
                              api_key.created, expires, used, revoked
                       FROM api_key LEFT JOIN repository ON repository.id = repository
                       WHERE account = ?1 ORDER BY api_key.id DESC";
            let mut statement = read.prepare_cached(sql)?;
            let rows = statement.query_map([actor.account], |row| {
                Ok(KeyView {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    scopes: row.get(2)?,
                    repository: row.get(3)?,
                    addresses: row.get(4)?,
                    created: row.get(5)?,
                    expires: row.get(6)?,
                    used: row.get(7)?,
                    revoked: row.get(8)?,
                    key: None,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Revokes a key of the actor's account.
    ///
    /// # Errors
    /// If there is none, or the actor may not.
    pub fn revoke_key(&self, actor: &Actor, id: i64) -> Result<(), Error> {
        actor.require_scope(Scope::Admin)?;
        actor.require_whole_account()?;
        let account = actor.account;
        self.store.write(move |write| {
            let sql = "UPDATE api_key SET revoked = ?3
                       WHERE id = ?1 AND account = ?2 AND revoked IS NULL";
            match write.execute(sql, [id, account, now()])? {
                0 => Err(Error::not_found("key", &id.to_string())),
                _ => audit(write, Some(account), "key revoked", &id.to_string()),
            }
        })
    }
}

/// Makes an API key in a store that a server may be using.
pub(crate) fn new_key_in(
    store: &crate::store::Store,
    name: &str,
    is_admin: bool,
    new: &NewKey,
) -> Result<KeyView, Error> {
    check_name("account", name)?;
    if new.repository.is_some() {
        return Err(Error::Invalid("keys for one repository are made by its account".to_owned()));
    }
    let name = name.to_owned();
    insert_key(store, new, None, move |write| {
        let sql = "SELECT id FROM account WHERE name = ?1";
        let record = write.query_row(sql, [&name], |row| row.get(0)).optional()?;
        match record {
            Some(account) => Ok(account),
            None => insert_account(write, &name, None, None, is_admin),
        }
    })
}

fn insert_key(
    store: &crate::store::Store,
    new: &NewKey,
    repository: Option<i64>,
    account: impl FnOnce(&Transaction<'_>) -> Result<i64, Error> + Send + 'static,
) -> Result<KeyView, Error> {
    check_days(new.days)?;
    if !(1..=100).contains(&new.name.chars().count()) || new.scopes.is_empty() {
        return Err(Error::Invalid("a key has a name of 1 to 100 letters, and scopes".to_owned()));
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
        let sql = "INSERT INTO api_key
                       (account, name, digest, scopes, repository, addresses, created, expires)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id";
        let row =
            params![account, new.name, digest, scopes, repository, new.addresses, created, expires];
        let id: i64 = write.query_row(sql, row, |row| row.get(0))?;
        audit(write, Some(account), "key made", &format!("{id} for {scopes}"))?;
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
    let strange = |part: &str| {
        let part: String = part.chars().take(50).collect();
        Error::Invalid(format!("'{part}' is no address or range like 192.0.2.0/24"))
    };
    let parts = addresses.split([',', ' ']).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (base, bits) = part.split_once('/').unwrap_or((part, ""));
            let base: IpAddr = base.parse().map_err(|_| strange(part))?;
            let max_bits = if base.is_ipv4() { 32 } else { 128 };
            let bits =
                if bits.is_empty() { max_bits } else { bits.parse().map_err(|_| strange(part))? };
            match bits <= max_bits {
                true => Ok(AddressRange { base, bits }),
                false => Err(strange(part)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_their_addresses() {
        let ranges = parse_addresses("192.0.2.0/24, 2001:db8::/32 10.1.2.3").unwrap();
        let holds = |address: &str| {
            let address = address.parse().unwrap();
            ranges.iter().any(|range| range.contains(address))
        };
        assert!(holds("192.0.2.255") && holds("2001:db8:ffff::1") && holds("10.1.2.3"));
        assert!(holds("::ffff:192.0.2.1"));
        assert!(!holds("192.0.3.0") && !holds("2001:db9::") && !holds("10.1.2.4"));
        for strange in ["x", "1.2.3.4/33", "1.2.3/8", "::/129", "1.2.3.4/-1"] {
            assert!(parse_addresses(strange).is_err(), "{strange}");
        }
        assert!(parse_addresses("0.0.0.0/0").unwrap()[0].contains("9.9.9.9".parse().unwrap()));
    }
}
