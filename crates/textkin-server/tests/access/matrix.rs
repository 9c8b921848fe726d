//! The authorization matrix: the status of every endpoint for every caller.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use textkin_registry::{JobId, StoreFixture};
use textkin_server::{KeyId, NewKey, Role, Scope};

use crate::support::{POEM, TestSite, actor, from, key, key_for};

/// The callers. `anonymous` has no key; `tenant` is invited to the team; `scope` has a key of the owner with another scope, `elsewhere`
/// a key of the owner for another repository; the others have a key with every scope.
const CALLERS: [&str; 10] = [
    "anonymous",
    "tenant",
    "reader",
    "writer",
    "owner",
    "admin",
    "expired",
    "revoked",
    "scope",
    "elsewhere",
];

/// The expected statuses. `drafts` is a private repository, `web` a public one of the same team.
const MATRIX: &str = "
                                                    anon tenant reader writer owner admin expired revoked scope elsewhere
    GET    /healthz                                  200  200    200    200    200   200   200     200     200   200
    GET    /metrics                                  401  403    403    403    403   200   401     401     403   403
    GET    /api/v1/me                                401  200    200    200    200   200   401     401     200   200

    POST   /api/v1/probe                     drafts  401  404    200    200    200   404   401     401     403   404
    POST   /api/v1/probe                     web     401  200    200    200    200   200   401     401     403   404

    GET    /api/v1/repositories                      401  200    200    200    200   200   401     401     403   200
    POST   /api/v1/repositories                      401  404    403    403    201   404   401     401     403   403
    GET    /api/v1/repositories/{name}       drafts  401  404    200    200    200   404   401     401     403   404
    GET    /api/v1/repositories/{name}       web     401  200    200    200    200   200   401     401     403   404
    PATCH  /api/v1/repositories/{name}       drafts  401  404    403    403    200   404   401     401     403   404
    PATCH  /api/v1/repositories/{name}       web     401  403    403    403    200   403   401     401     403   404
    DELETE /api/v1/repositories/{name}       drafts  401  404    403    403    200   404   401     401     403   404
    DELETE /api/v1/repositories/{name}       web     401  403    403    403    200   403   401     401     403   404
    POST   /api/v1/repositories/{name}/purge-preview drafts 401 404 403 403    200   404   401     401     403   404
    POST   /api/v1/repositories/{name}/purge-preview web 401 403 403    403    200   403   401     401     403   404
    POST   /api/v1/repositories/{name}/purge drafts  401  404    403    403    200   404   401     401     403   404
    POST   /api/v1/repositories/{name}/purge web     401  403    403    403    200   403   401     401     403   404
    GET    /api/v1/repositories/{name}/templates drafts 401 404  200    200    200   404   401     401     403   404
    GET    /api/v1/repositories/{name}/templates web 401  200    200    200    200   200   401     401     403   404
    POST   /api/v1/repositories/{name}/templates drafts 401 404  403    403    201   404   401     401     403   404
    POST   /api/v1/repositories/{name}/templates web 401  403    403    403    201   403   401     401     403   404
    DELETE /api/v1/repositories/{name}/templates/{template} drafts 401 404 403 403 204 404 401     401     403   404
    GET    /api/v1/repositories/{name}/stop-phrases drafts 401 404 200  200    200   404   401     401     403   404
    GET    /api/v1/repositories/{name}/stop-phrases web 401 200  200    200    200   200   401     401     403   404
    POST   /api/v1/repositories/{name}/stop-phrases drafts 401 404 403  403    201   404   401     401     403   404
    POST   /api/v1/repositories/{name}/stop-phrases web 401 403  403    403    201   403   401     401     403   404
    DELETE /api/v1/repositories/{name}/stop-phrases/{phrase} drafts 401 404 403 403 204 404 401    401     403   404

    GET    /api/v1/repositories/{name}/documents drafts 401 404  200    200    200   404   401     401     403   404
    GET    /api/v1/repositories/{name}/documents web 401  200    200    200    200   200   401     401     403   404
    POST   /api/v1/repositories/{name}/documents drafts 401 404  403    201    201   404   401     401     403   404
    POST   /api/v1/repositories/{name}/documents web 401  403    403    201    201   403   401     401     403   404
    GET    /api/v1/repositories/{name}/documents/{id} drafts 401 404 200 200   200   404   401     401     403   404
    GET    /api/v1/repositories/{name}/documents/{id} web 401 200 200   200    200   200   401     401     403   404
    DELETE /api/v1/repositories/{name}/documents/{id} drafts 401 404 403 200   200   404   401     401     403   404
    DELETE /api/v1/repositories/{name}/documents/{id} web 401 403 403   200    200   403   401     401     403   404
    GET    /api/v1/repositories/{name}/documents/{id}/passages drafts 401 404 200 200 200 404 401  401     403   404
    GET    /api/v1/repositories/{name}/documents/{id}/passages web 401 200 200 200 200 200 401     401     403   404
    GET    /api/v1/repositories/{name}/reattributions drafts 401 404 200 200   200   404   401     401     403   404
    GET    /api/v1/repositories/{name}/reattributions web 401 200 200   200    200   200   401     401     403   404
    POST   /api/v1/repositories/{name}/loads drafts  401  404    403    202    202   404   401     401     403   404
    POST   /api/v1/repositories/{name}/loads web     401  403    403    202    202   403   401     401     403   404
    GET    /api/v1/receipts/{id}                     401  404    200    200    200   404   401     401     403   404

    GET    /api/v1/watches                           401  200    200    200    200   200   401     401     403   200
    POST   /api/v1/watches                   drafts  401  404    403    201    201   404   401     401     403   404
    POST   /api/v1/watches                   web     401  403    403    201    201   403   401     401     403   404
    DELETE /api/v1/watches/{id}                      401  404    404    404    204   404   401     401     403   404
    PUT    /api/v1/watches/{id}              drafts  401  404    404    404    200   404   401     401     403   404
    GET    /api/v1/alerts                            401  200    200    200    200   200   401     401     403   200
    GET    /api/v1/alerts/{id}                       401  404    200    200    200   404   401     401     403   404
    POST   /api/v1/alerts/change                     401  404    403    204    204   404   401     401     403   404

    GET    /api/v1/questions                         401  200    200    200    200   200   401     401     403   200
    POST   /api/v1/questions                         401  202    404    404    404   202   401     401     403   403
    POST   /api/v1/questions/{id}/handle             401  404    403    204    204   404   401     401     403   404

    GET    /api/v1/webhooks                          401  200    200    200    200   200   401     401     403   403
    POST   /api/v1/webhooks                          401  201    201    201    201   201   401     401     403   403
    DELETE /api/v1/webhooks/{id}                     401  404    404    404    204   404   401     401     403   403
    POST   /api/v1/webhooks/{id}/test                401  404    404    404    200   404   401     401     403   403
    GET    /api/v1/deliveries                        401  200    200    200    200   200   401     401     403   403
    POST   /api/v1/deliveries/{id}/resend            401  404    404    404    200   404   401     401     403   403

    GET    /api/v1/jobs                              401  200    200    200    200   200   401     401     403   200
    GET    /api/v1/jobs/{id}                         401  404    404    404    200   404   401     401     403   404
    DELETE /api/v1/jobs/{id}                         401  404    404    404    204   404   401     401     403   404
    POST   /api/v1/jobs/{id}/retry                   401  404    404    404    200   404   401     401     403   404

    GET    /api/v1/keys                              401  200    200    200    200   200   401     401     403   403
    POST   /api/v1/keys                      drafts  401  404    201    201    201   404   401     401     403   403
    DELETE /api/v1/keys/{id}                         401  404    404    404    204   404   401     401     403   403
    GET    /api/v1/accounts                          401  403    403    403    403   200   401     401     403   403
    POST   /api/v1/accounts                          401  403    403    403    403   201   401     401     403   403
    GET    /api/v1/teams                             401  200    200    200    200   200   401     401     403   403
    POST   /api/v1/teams                             401  201    201    201    201   201   401     401     403   403
    PUT    /api/v1/teams/{team}/members/{account}    401  404    403    403    202   404   401     401     403   403
    DELETE /api/v1/teams/{team}/members/{account}    401  404    204    403    204   404   401     401     403   403
    GET    /api/v1/invitations                       401  200    200    200    200   200   401     401     403   403
    POST   /api/v1/invitations/{team}/accept         401  204    404    404    404   404   401     401     403   403
    DELETE /api/v1/invitations/{team}                401  204    404    404    404   404   401     401     403   403
";

struct Row {
    method: String,
    path: String,
    repository: Option<String>,
    statuses: Vec<u16>,
}

fn rows() -> Vec<Row> {
    let lines = MATRIX.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines
        .filter(|words| words.len() > 2 && words[1].starts_with('/'))
        .map(|words| {
            let rest = &words[2..];
            let has_repository = rest[0].parse::<u16>().is_err();
            let statuses = &rest[usize::from(has_repository)..];
            let statuses: Vec<u16> =
                statuses.iter().map(|status| status.parse().unwrap()).collect();
            assert_eq!(statuses.len(), CALLERS.len(), "{words:?}");
            Row {
                method: words[0].to_owned(),
                path: words[1].to_owned(),
                repository: has_repository.then(|| rest[0].to_owned()),
                statuses,
            }
        })
        .collect()
}

/// The keys of the callers, and the ids in paths.
struct Fixture {
    keys: BTreeMap<&'static str, String>,
    probe_key: String,
    read_key: String,
    numbers: BTreeMap<&'static str, i64>,
}

/// Fills a folder with a team, its repositories, and one object of every kind.
fn prepare(folder: &Path) -> Fixture {
    let site = TestSite::open(folder);
    let service = &site.service;
    let mut keys = BTreeMap::new();
    for (caller, account) in
        [("tenant", "omar"), ("reader", "rita"), ("writer", "walt"), ("owner", "olga")]
    {
        keys.insert(caller, key(service, account, false, "admin"));
    }
    keys.insert("admin", key(service, "ada", true, "admin"));
    let owner = keys["owner"].clone();
    let olga = actor(service, &owner);
    service.new_team(&olga, "staff").unwrap();
    let olga = actor(service, &owner);
    for (account, role) in [("rita", Role::Reader), ("walt", Role::Writer)] {
        service.set_member(&olga, "staff", account, role).unwrap();
        let member = if role == Role::Reader { "reader" } else { "writer" };
        service.answer_invitation(&actor(service, &keys[member]), "staff", true).unwrap();
    }
    // The tenant is invited and has not answered, which gives no access.
    service.set_member(&olga, "staff", "omar", Role::Owner).unwrap();
    for (name, visibility) in [("drafts", "private"), ("elsewhere", "private"), ("web", "public")] {
        site.new_repository(&owner, name, visibility, "staff");
    }
    let disclosed = json!({ "disclosed": true });
    site.ask("PATCH", "/api/v1/repositories/drafts", &owner, &disclosed);
    let template = json!({ "name": "cover", "text": POEM });
    site.ask("POST", "/api/v1/repositories/drafts/templates", &owner, &template);
    let phrase = json!({ "phrase": "all rights reserved" });
    site.ask("POST", "/api/v1/repositories/drafts/stop-phrases", &owner, &phrase);
    let watch = site.ask("POST", "/api/v1/watches", &owner, &json!({ "repository": "drafts" }));
    let job = site.register(&owner, "drafts", "one", POEM)["job"].as_i64().unwrap();
    site.register(&owner, "web", "one", &format!("They say: {POEM}"));
    site.register(&owner, "drafts", "gone", "Some words that nobody needs");
    let gone = "/api/v1/repositories/drafts/documents/gone";
    let receipt = site.ask("DELETE", gone, &owner, &Value::Null);
    site.work(&keys["admin"]);
    let alerts = site.ask("GET", "/api/v1/alerts", &owner, &Value::Null);
    assert_eq!(alerts.as_array().unwrap().len(), 1, "{alerts}");

    keys.insert("expired", key_for(service, "olga", false, "admin", Some(0)));
    let revoked = key(service, "olga", false, "admin");
    let spare = site.ask("GET", "/api/v1/keys", &owner, &Value::Null)[0]["id"].as_i64().unwrap();
    service.revoke_key(&olga, KeyId::new(spare)).unwrap();
    keys.insert("revoked", revoked);
    let elsewhere =
        from::<NewKey>(json!({ "name": "e", "scopes": [Scope::Admin], "repository": "elsewhere" }));
    keys.insert("elsewhere", service.new_key(&olga, &elsewhere).unwrap().key.unwrap());
    let spare = from::<NewKey>(json!({ "name": "spare", "scopes": ["read"] }));
    let spare = service.new_key(&olga, &spare).unwrap().id;
    let numbers = BTreeMap::from([
        ("receipts", receipt["receipt"].as_i64().unwrap()),
        ("watches", watch["id"].as_i64().unwrap()),
        ("alerts", alerts[0]["id"].as_i64().unwrap()),
        ("jobs", job),
        ("keys", spare.get()),
        ("webhooks", 1),
        ("questions", 1),
        ("deliveries", 1),
    ]);
    let (probe_key, read_key) =
        (key(service, "olga", false, "probe"), key(service, "olga", false, "read"));
    drop(site);
    // Nothing makes a job fail on purpose, or creates a delivery without sending it.
    let store = StoreFixture::open(folder).unwrap();
    store.fail_job(JobId::new(job)).unwrap();
    store.add_messages("olga", "omar", "one").unwrap();
    Fixture { keys, probe_key, read_key, numbers }
}

/// Returns the path and the body of the request of a row.
fn request(row: &Row, fixture: &Fixture) -> (String, Value) {
    let repository = row.repository.as_deref().unwrap_or("drafts");
    let kind = row.path.split('/').nth(3).unwrap_or_default();
    let number = fixture.numbers.get(kind).copied().unwrap_or(0).to_string();
    let id = if kind == "repositories" { "one" } else { &number };
    let account = if row.method == "PUT" { "omar" } else { "rita" };
    let path = row.path.replace("{name}", repository).replace("{id}", id);
    let path = path.replace("{team}", "staff").replace("{account}", account);
    // Each is the first of its kind.
    let path = path.replace("{template}", "1").replace("{phrase}", "1");
    let last = row.path.rsplit('/').next().unwrap();
    let body = match (row.method.as_str(), last) {
        ("POST", "probe") => json!({ "text": POEM, "repositories": [repository] }),
        ("POST", "repositories") => {
            json!({ "name": "created", "visibility": "private", "team": "staff" })
        }
        ("PATCH", _) => json!({ "keep_days": 7 }),
        ("POST", "purge-preview" | "purge") => json!({ "query": "one" }),
        ("POST", "templates") => json!({ "name": "form", "text": POEM }),
        ("POST", "stop-phrases") => json!({ "phrase": "see above" }),
        ("POST", "documents") => json!({ "id": "two", "text": "Words of a text" }),
        ("POST", "loads") => json!("A text as a file"),
        ("POST", "watches") => json!({ "repository": repository }),
        ("POST", "change") => json!({ "alerts": [fixture.numbers["alerts"]], "state": "handled" }),
        ("POST", "keys") => json!({ "name": "k", "scopes": ["read"], "repository": repository }),
        ("POST", "accounts") => json!({ "name": "someone" }),
        ("POST", "webhooks") => json!({ "url": "https://hooks.example.org/textkin" }),
        ("POST", "questions") => json!({ "text": POEM, "note": "May I?" }),
        ("POST", "teams") => json!({ "name": "others" }),
        ("PUT", _) if kind == "watches" => json!({ "repository": repository, "min_words": 50 }),
        ("PUT", _) => json!({ "role": "reader" }),
        _ => Value::Null,
    };
    let path = if last == "loads" { format!("{path}?file=a.txt") } else { path };
    (path, body)
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
fn every_endpoint_returns_the_statuses_of_the_matrix() {
    let folder = tempfile::tempdir().unwrap();
    let template = folder.path().join("template");
    let fixture = prepare(&template);
    let shared = folder.path().join("shared");
    copy_folder(&template, &shared);
    let shared = TestSite::open(&shared);
    let mut faults = Vec::new();
    for (n_row, row) in rows().iter().enumerate() {
        let (path, body) = request(row, &fixture);
        for (&caller, &expected) in CALLERS.iter().zip(&row.statuses) {
            let key = match caller {
                "anonymous" => None,
                "scope" if row.path.ends_with("/probe") => Some(&fixture.read_key),
                "scope" => Some(&fixture.probe_key),
                caller => Some(&fixture.keys[caller]),
            };
            // An allowed change gets its own copy, so that it does not affect other rows.
            let own = (row.method != "GET" && expected < 300).then(|| {
                let own = folder.path().join(format!("{n_row}-{caller}"));
                copy_folder(&template, &own);
                TestSite::open(&own)
            });
            let site = own.as_ref().unwrap_or(&shared);
            let (status, answer) = site.send(&row.method, &path, key.map(String::as_str), &body);
            if status != expected {
                faults.push(format!(
                    "{} {path} for {caller}: {status}, not {expected}: {answer}",
                    row.method
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // Refused requests have changed nothing.
    let store = |folder: &Path| StoreFixture::open(folder).unwrap().counts().unwrap();
    drop(shared);
    assert_eq!(store(&template), store(&folder.path().join("shared")));
}

#[test]
fn every_endpoint_is_in_the_matrix() {
    let description = serde_json::to_value(textkin_server::description()).unwrap();
    let mut described = BTreeSet::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            described.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let tested: BTreeSet<String> =
        rows().iter().map(|row| format!("{} {}", row.method, row.path)).collect();
    let untested: Vec<_> = described.difference(&tested).collect();
    let unknown: Vec<_> = tested.difference(&described).collect();
    assert!(
        untested.is_empty() && unknown.is_empty(),
        "without a row: {untested:?}, unknown: {unknown:?}"
    );
}
