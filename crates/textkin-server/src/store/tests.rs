//! Stores of earlier and of later versions.

use rusqlite::Connection;

use super::*;

/// A store as version 1 made it, with a few rows.
pub(crate) fn store_of_version_1(path: &Path) -> Connection {
    let store = Connection::open(path).unwrap();
    store.execute_batch(SCHEMA).unwrap();
    store.pragma_update(None, "application_id", APPLICATION).unwrap();
    store.pragma_update(None, "user_version", 1).unwrap();
    store
}

/// All that makes up the tables of a store.
fn tables(path: &Path) -> Vec<(String, String)> {
    let store = Connection::open(path).unwrap();
    let sql = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let mut statement = store.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn an_earlier_store_becomes_what_a_new_one_is_and_keeps_its_rows() {
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
fn a_later_store_and_one_of_another_program_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(Store::open(&path).unwrap());
    let store = Connection::open(&path).unwrap();
    store.pragma_update(None, "user_version", VERSION + 1).unwrap();
    drop(store);
    let told = Store::open(&path).unwrap_err().to_string();
    assert!(told.contains("store.db") && told.contains("use a later textkin"), "{told}");
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().pragma_update(None, "application_id", 7).unwrap();
    assert!(Store::open(&other).unwrap_err().to_string().contains("another program"));
}
