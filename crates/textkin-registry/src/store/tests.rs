//! Tests of stores with earlier and later versions.

use rusqlite::{Connection, params};

use super::secret_key::SecretKey;
use super::*;
use crate::domain::AccountId;

/// Creates a store of version 1.
pub(crate) fn store_of_version_1(path: &Path) -> Connection {
    let store = Connection::open(path).unwrap();
    store.execute_batch(SCHEMA).unwrap();
    store.pragma_update(None, "application_id", APPLICATION).unwrap();
    store.pragma_update(None, "user_version", 1).unwrap();
    store
}

/// Creates a store of version 1 in which the account anna has a repository with a document.
pub(crate) fn store_of_version_1_with_document(
    path: &Path,
    repository: &str,
    id: &str,
    text: &str,
) -> Connection {
    let store = store_of_version_1(path);
    store
        .execute_batch(
            "INSERT INTO account (id, name, created) VALUES (1, 'anna', 7);
             INSERT INTO team (id, name, created) VALUES (1, 'anna', 7);
             INSERT INTO member (team, account, role) VALUES (1, 1, 'owner');",
        )
        .unwrap();
    let words = text.split_whitespace().count();
    let sql = "INSERT INTO repository (id, team, name, visibility, created, documents, words)
               VALUES (1, 1, ?1, 'private', 7, 1, ?2)";
    store.execute(sql, params![repository, words]).unwrap();
    let sql = "INSERT INTO document (number, repository, id, words, bytes, digest, added)
               VALUES (1, 1, ?1, ?2, ?3, ?4, 7)";
    let digest = *blake3::hash(text.as_bytes()).as_bytes();
    store.execute(sql, params![id, words, text.len(), digest]).unwrap();
    let sql = "INSERT INTO pending (number, shelf, text) VALUES (1, 0, ?1)";
    store.execute(sql, [crate::service::pack(text).unwrap()]).unwrap();
    store
}

/// Changes the mail address of an account.
pub(crate) fn set_mail(
    write: &Transaction<'_>,
    account: AccountId,
    mail: Option<&str>,
) -> Result<(), Error> {
    write.execute("UPDATE account SET mail = ?2 WHERE id = ?1", params![account, mail])?;
    Ok(())
}

/// Makes a repository private.
pub(crate) fn make_private(write: &Transaction<'_>, repository: &str) -> Result<(), Error> {
    write.execute("UPDATE repository SET visibility = 'private' WHERE name = ?1", [repository])?;
    Ok(())
}

/// Replaces the kept matches of all results.
pub(crate) fn set_matches(write: &Transaction<'_>, matches: Option<&[u8]>) -> Result<(), Error> {
    write.execute("UPDATE result SET matches = ?1", [matches])?;
    Ok(())
}

/// Returns the schema of a store.
fn tables(path: &Path) -> Vec<(String, String)> {
    let store = Connection::open(path).unwrap();
    let sql = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let mut statement = store.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn an_upgraded_store_has_the_schema_of_a_new_one_and_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.db"), folder.path().join("new.db"));
    let store = store_of_version_1(&old);
    store
        .execute_batch(
            "INSERT INTO account (id, name, created) VALUES (1, 'anna', 7);
             INSERT INTO hook (account, url, secret, created) VALUES (1, 'https://a.example/', 's', 7);",
        )
        .unwrap();
    drop(store);
    for path in [&old, &new] {
        drop(Store::open(path).unwrap());
    }
    assert_eq!(tables(&old), tables(&new));
    let store = Store::open(&old).unwrap();
    let row = store.read(|read| {
        let sql =
            "SELECT account.name, hook.name, url FROM hook JOIN account ON account.id = account";
        Ok(read.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?)
    });
    let row: (String, String, String) = row.unwrap();
    assert_eq!(row, ("anna".into(), String::new(), "https://a.example/".into()));
}

/// Whether a file of a folder contains some bytes.
fn any_file_contains(folder: &Path, bytes: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let contents = std::fs::read(entry.unwrap().path()).unwrap();
        contents.windows(bytes.len()).any(|window| window == bytes)
    })
}

#[test]
fn an_upgrade_encrypts_webhook_secrets_and_removes_the_setup_token() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("textkin.db");
    let (secret, token) = ("a-very-secret-webhook-secret", "a-very-secret-setup-token");
    store_of_version_1(&path)
        .execute_batch(&format!(
            "INSERT INTO account (id, name, created) VALUES (1, 'anna', 7);
             INSERT INTO hook (account, url, secret, created) VALUES (1, 'https://a/', '{secret}', 7);
             INSERT INTO setting (name, value) VALUES ('setup', '{token}');"
        ))
        .unwrap();
    assert!(any_file_contains(folder.path(), secret.as_bytes()));
    assert!(any_file_contains(folder.path(), token.as_bytes()));
    let store = Store::open(&path).unwrap();
    // While the store is open: the journal has no copy either.
    assert!(!any_file_contains(folder.path(), secret.as_bytes()));
    assert!(!any_file_contains(folder.path(), token.as_bytes()));
    let sealed = store.read(|read| {
        Ok(read.query_row("SELECT secret FROM hook", [], |row| row.get::<_, String>(0))?)
    });
    let key = SecretKey::of_store(folder.path(), &store).unwrap().unwrap();
    assert_eq!(key.open(&sealed.unwrap(), AccountId::new(1)).unwrap(), secret);
    // Without the key, with a damaged one and with that of another store.
    let key_file = folder.path().join("secret.key");
    let original = std::fs::read(&key_file).unwrap();
    std::fs::remove_file(&key_file).unwrap();
    for (contents, expected) in [
        (None, "is missing"),
        (Some(vec![1; 31]), "is damaged"),
        (Some(vec![1; 32]), "another store"),
    ] {
        if let Some(contents) = contents {
            std::fs::write(&key_file, contents).unwrap();
        }
        let reason = SecretKey::of_store(folder.path(), &store).unwrap().unwrap_err();
        assert!(reason.contains("secret.key") && reason.contains(expected), "{reason}");
        assert_eq!(SecretKey::finding(&key_file, &store).unwrap(), Some(reason));
    }
    std::fs::write(&key_file, original).unwrap();
    assert!(SecretKey::of_store(folder.path(), &store).unwrap().is_ok());
    // A store without secrets needs no earlier key.
    store.write(|write| Ok(write.execute("DELETE FROM hook", [])?)).unwrap();
    std::fs::remove_file(&key_file).unwrap();
    assert!(SecretKey::of_store(folder.path(), &store).unwrap().is_ok() && key_file.is_file());
}

#[test]
fn stores_of_later_versions_and_of_other_programs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(Store::open(&path).unwrap());
    let store = Connection::open(&path).unwrap();
    store.pragma_update(None, "user_version", VERSION + 1).unwrap();
    drop(store);
    let message = Store::open(&path).unwrap_err().to_string();
    assert!(message.contains("store.db") && message.contains("use a later textkin"), "{message}");
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().pragma_update(None, "application_id", 7).unwrap();
    assert!(Store::open(&other).unwrap_err().to_string().contains("another program"));
}

/// Limits the store to its current size, as a full disk does, or ends the limit.
pub(crate) fn limit_size(store: &Store, is_limited: bool) -> Result<(), Error> {
    store.write(move |write| {
        let pages: i64 = match is_limited {
            true => write.pragma_query_value(None, "page_count", |row| row.get(0))?,
            false => i64::from(i32::MAX),
        };
        let sql = format!("PRAGMA max_page_count = {pages}");
        Ok(write.query_row(&sql, [], |_| Ok(()))?)
    })
}
