//! Tests that an account learns of private texts of another only what their owner discloses.

use serde_json::{Value, json};

use crate::support::{POEM, TestSite, key};

/// Anna's private repository with her texts, and Ben, who must learn nothing of them.
struct Case {
    site: TestSite,
    anna: String,
    ben: String,
    _folder: tempfile::TempDir,
}

fn case() -> Case {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let anna = key(&site.service, "anna", false, "admin");
    let ben = key(&site.service, "ben", false, "admin");
    site.new_repository(&anna, "secrets", "private", "anna");
    site.register(&anna, "secrets", "mercy", POEM);
    site.register(&anna, "secrets", "mercy2", &format!("Again {POEM}"));
    Case { site, anna, ben, _folder: folder }
}

/// Asserts that the responses to `requests` are the same for the name of a hidden object and for a name
/// that was never used.
fn assert_same(case: &Case, hidden: &str, never: &str, requests: &[(&str, &str, Value)]) {
    for (method, path, body) in requests {
        let of = |name: &str| {
            let put = |text: &str| text.replace("NAME", name);
            let body: Value = serde_json::from_str(&put(&body.to_string())).unwrap();
            let (status, answer) = case.site.send(method, &put(path), Some(&case.ben), &body);
            (status, answer.replace(&format!("'{name}'"), "'NAME'"))
        };
        assert_eq!(of(hidden), of(never), "{method} {path}");
        assert_eq!(of(hidden).0, 404, "{method} {path}");
    }
}

#[test]
fn hidden_objects_are_answered_like_missing_ones() {
    let case = case();
    let requests = [
        ("GET", "/api/v1/repositories/NAME", Value::Null),
        ("PATCH", "/api/v1/repositories/NAME", json!({ "keep_days": 1 })),
        ("DELETE", "/api/v1/repositories/NAME", Value::Null),
        ("POST", "/api/v1/repositories/NAME/purge", json!({ "query": "a" })),
        ("POST", "/api/v1/repositories/NAME/purge-preview", json!({ "query": "a" })),
        ("GET", "/api/v1/repositories/NAME/documents", Value::Null),
        ("GET", "/api/v1/repositories/NAME/documents?q=mercy", Value::Null),
        ("POST", "/api/v1/repositories/NAME/documents", json!({ "id": "mercy", "text": POEM })),
        ("GET", "/api/v1/repositories/NAME/documents/mercy", Value::Null),
        ("DELETE", "/api/v1/repositories/NAME/documents/mercy", Value::Null),
        ("POST", "/api/v1/repositories/NAME/loads?file=a.txt", json!("text")),
        ("POST", "/api/v1/probe", json!({ "text": POEM, "repositories": ["NAME"] })),
        ("POST", "/api/v1/watches", json!({ "repository": "NAME" })),
        ("POST", "/api/v1/keys", json!({ "name": "k", "scopes": ["read"], "repository": "NAME" })),
    ];
    assert_same(&case, "secrets", "nothing", &requests);
    assert_same(&case, "anna:secrets", "anna:nothing", &requests);
    // Ids of objects of others, and ids that do not exist.
    let job = case.site.register(&case.anna, "secrets", "more", "A few more words")["job"].clone();
    let watch = json!({ "repository": "secrets" });
    let watch = case.site.ask("POST", "/api/v1/watches", &case.anna, &watch)["id"].clone();
    let path = "/api/v1/repositories/secrets/documents/more";
    let receipt = case.site.ask("DELETE", path, &case.anna, &Value::Null)["receipt"].clone();
    let keys = case.site.ask("GET", "/api/v1/keys", &case.anna, &Value::Null);
    for (number, path) in [
        (&job, "GET /api/v1/jobs/NAME"),
        (&job, "POST /api/v1/jobs/NAME/retry"),
        (&watch, "DELETE /api/v1/watches/NAME"),
        (&receipt, "GET /api/v1/receipts/NAME"),
        (&keys[0]["id"], "DELETE /api/v1/keys/NAME"),
        (&json!(1), "GET /api/v1/alerts/NAME"),
    ] {
        let (method, path) = path.split_once(' ').unwrap();
        assert_same(&case, &number.to_string(), "987654321", &[(method, path, Value::Null)]);
    }
    let member = [("PUT", "/api/v1/teams/NAME/members/ben", json!({ "role": "reader" }))];
    assert_same(&case, "anna", "nobody", &member);
}

#[test]
fn probes_lists_and_metrics_do_not_count_hidden_documents() {
    let case = case();
    let Case { site, anna, ben, .. } = &case;
    let probe = |key: &str| site.ask("POST", "/api/v1/probe", key, &json!({ "text": POEM }));
    assert_eq!(probe(anna)["total"], 2);
    let nothing = json!({
        "words": 46, "shared_words": 0, "excluded_words": 0, "raw_shared_words": 0, "matches": [],
        "total": 0, "candidates": 0, "examined": 0
    });
    assert_eq!(probe(ben), nothing);
    for path in ["repositories", "alerts", "jobs", "watches"] {
        let list = site.ask("GET", &format!("/api/v1/{path}"), ben, &Value::Null);
        assert_eq!(list, json!([]), "{path}");
    }
    assert_eq!(site.send("GET", "/metrics", Some(ben), &Value::Null).0, 403);
    // Nothing that Ben creates reveals documents and repositories of others.
    site.new_repository(ben, "secrets", "private", "ben");
    let registered = site.register(ben, "secrets", "mercy", POEM);
    assert_eq!(registered["existed"], false);
    assert_eq!(probe(ben)["total"], 1);
    let page = site.ask("GET", "/api/v1/repositories/secrets/documents", ben, &Value::Null);
    assert_eq!((page["documents"].as_array().unwrap().len(), &page["next"]), (1, &Value::Null));
}

#[test]
fn a_disclosed_match_has_no_owner_name_or_length() {
    let case = case();
    let Case { site, anna, ben, .. } = &case;
    // The probe contains all of it, but it covers too little of the probe to be a match.
    let words: Vec<&str> = POEM.split_whitespace().collect();
    site.register(anna, "secrets", "short", &words[30..40].join(" "));
    let change = json!({ "disclosed": true });
    site.ask("PATCH", "/api/v1/repositories/secrets", anna, &change);
    let filler: String = (0..500).map(|n| format!("filler{n} ")).collect();
    let answer =
        site.ask("POST", "/api/v1/probe", ben, &json!({ "text": format!("{filler} {POEM}") }));
    let matches = answer["matches"].as_array().unwrap();
    // One match for the team, whatever the number of documents behind it.
    assert_eq!(matches.len(), 1, "{answer}");
    for found in matches {
        assert_eq!(found["in_another_account"], true);
        for field in [
            "repository",
            "id",
            "title",
            "time",
            "document_in_probe",
            "document_words",
            "document_shared_words",
        ] {
            assert_eq!(found[field], Value::Null, "{field}");
        }
        assert_eq!(found["passages"], json!([]));
    }
    // Documents that are not disclosed are not counted either.
    assert_eq!(
        (&answer["total"], &answer["candidates"], &answer["examined"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert!(!answer.to_string().contains("mercy2"));
}
