//! Tests of stores with earlier and later versions.

use rusqlite::Connection;

use super::*;

/// Creates a store of version 1.
pub(crate) fn store_of_version_1(path: &Path) -> Connection {
    let store = Connection::open(path).unwrap();
    store.execute_batch(SCHEMA).unwrap();
    store.pragma_update(None, "application_id", APPLICATION).unwrap();
    store.pragma_update(None, "user_version", 1).unwrap();
    store
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
