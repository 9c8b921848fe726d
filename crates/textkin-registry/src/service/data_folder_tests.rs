//! Tests of the data folder: stores and indexes that do not belong together, and upgrades.

use std::path::Path;

use textkin::engine::{RepositoryWriter, Settings};

use super::tests::{POEM, actor, register, repository};
use super::*;
use crate::matching::index::PartitionKind;
use crate::store::{setting, store_id};

/// Creates a data folder with a document in each of a private, a private fingerprints-only and a public
/// repository.
fn fill(folder: &Path, name: &str) {
    let service = Service::open(folder, ServiceLimits::default()).unwrap();
    let anna = actor(&service, "anna", "admin");
    repository(&service, &anna, "poems", Visibility::Private);
    repository(&service, &anna, "news", Visibility::Public);
    let new = r#"{"name": "prints", "visibility": "private", "keep_text": false}"#;
    service.new_repository(&anna, &serde_json::from_str(new).unwrap()).unwrap();
    for repository in ["poems", "news", "prints"] {
        register(&service, &anna, repository, name, &format!("{name} {POEM}"));
    }
    for kind in PartitionKind::ALL {
        service.flush(kind).unwrap();
    }
}

/// Returns what is wrong, without the permissions, which the tests do not set.
fn findings(folder: &Path) -> Vec<String> {
    let mut findings = check_data(folder).unwrap().findings;
    findings.retain(|finding| !finding.contains("permissions"));
    findings
}

fn refusal(folder: &Path) -> String {
    Service::open(folder, ServiceLimits::default()).unwrap_err().to_string()
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn a_store_that_does_not_belong_to_the_index_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (folder.path().join("own"), folder.path().join("other"));
    fill(&own, "mine");
    fill(&other, "theirs");
    let store = std::fs::read(own.join(STORE)).unwrap();
    let put = |bytes: Option<&[u8]>| {
        for name in ["textkin.db", "textkin.db-wal", "textkin.db-shm"] {
            let _ = std::fs::remove_file(own.join(name));
        }
        if let Some(bytes) = bytes {
            std::fs::write(own.join(STORE), bytes).unwrap();
        }
    };
    put(None);
    assert!(refusal(&own).contains("missing or empty"), "{}", refusal(&own));
    assert!(!own.join(STORE).exists());
    let key = NewKey {
        name: "key".to_owned(),
        scopes: vec![crate::domain::Scope::Admin],
        repository: None,
        days: None,
        addresses: None,
    };
    assert!(new_key_in(&own, "anna", false, &key).is_err());
    put(Some(b""));
    assert!(check_data(&own).unwrap_err().to_string().contains("missing or empty"));
    assert_eq!(std::fs::metadata(own.join(STORE)).unwrap().len(), 0);
    assert!(refusal(&own).contains("missing or empty"));
    let foreign = std::fs::read(other.join(STORE)).unwrap();
    put(Some(&foreign));
    assert!(refusal(&own).contains("another store"), "{}", refusal(&own));
    let found = findings(&own);
    assert!(found.iter().any(|finding| finding.contains("another store")), "{found:?}");
    // The numbers of the documents are the same, their texts are not.
    assert!(found.iter().any(|finding| finding.contains("another text")), "{found:?}");
    put(Some(&store));
    assert_eq!(findings(&own), Vec::<String>::new());
    Service::open(&own, ServiceLimits::default()).unwrap();
    std::fs::remove_dir_all(own.join("index")).unwrap();
    assert!(refusal(&own).contains("missing or was replaced"), "{}", refusal(&own));
}

#[test]
fn damaged_origin_tables_are_found() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), "mine");
    std::fs::write(folder.path().join("origins").join("2.state"), "not a table").unwrap();
    let findings = findings(folder.path());
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].contains("2.state"), "{findings:?}");
}

#[test]
fn an_index_with_two_partitions_is_split_by_repository() {
    let folder = tempfile::tempdir().unwrap();
    let (new, old) = (folder.path().join("new"), folder.path().join("old"));
    fill(&new, "mine");
    copy_folder(&new, &old);
    let index = old.join("index");
    let merge = |name: &str, parts: &[&str]| {
        let keeps_text = name == "texts";
        let settings = Settings::default();
        let mut writer =
            RepositoryWriter::create(&index.join(name), &settings, keeps_text).unwrap();
        for part in parts {
            let part = index.join(part);
            let from = textkin::Repository::open(&part).unwrap();
            let places: Vec<_> = from.storage().addresses().collect();
            writer.copy(&from, &places).unwrap();
            std::fs::remove_dir_all(part).unwrap();
        }
    };
    merge("texts", &["private-1", "public-texts"]);
    merge("fingerprints", &["private-3"]);
    std::fs::remove_file(index.join(store_id::MARKER)).unwrap();
    let store = Store::open(&old.join(STORE)).unwrap();
    store.write(|write| setting::set(write, "index_unmarked", "upgraded")).unwrap();
    drop(store);
    // A crash during the upgrade leaves both.
    copy_folder(&new.join("index").join("private-1"), &index.join("private-1"));
    let service = Service::open(&old, ServiceLimits::default()).unwrap();
    let mut folders: Vec<String> = std::fs::read_dir(&index)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort_unstable();
    assert_eq!(folders, ["STORE", "private-1", "private-3", "public-texts"]);
    let anna = actor(&service, "anna", "admin");
    let request = serde_json::json!({ "text": POEM });
    let found = service.probe(&anna, &serde_json::from_value(request).unwrap()).unwrap();
    let mut repositories: Vec<_> =
        found.matches.iter().map(|found| found.repository.clone().unwrap()).collect();
    repositories.sort_unstable();
    assert_eq!(repositories, ["news", "poems", "prints"]);
    drop(service);
    assert_eq!(findings(&old), Vec::<String>::new());
}

#[test]
fn a_deleted_private_repository_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), "mine");
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let anna = actor(&service, "anna", "admin");
    let files = folder.path().join("index").join("private-1");
    assert!(files.is_dir());
    service.delete_repository(&anna, "poems").unwrap();
    service.erase().unwrap();
    assert!(!files.exists());
    // A repository that was deleted just before a crash.
    service.delete_repository(&anna, "prints").unwrap();
    drop(service);
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    assert!(!folder.path().join("index").join("private-3").exists());
    service.erase().unwrap();
}
