//! Tests of the contents of pages.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use textkin_server::{DeliveryConfig, ListenConfig, Service, ServiceLimits};

use crate::results::{probe, visitor};
use crate::support::{POEM, TestSite, actor, key};

fn page(site: &TestSite, path: &str, secret: &str) -> String {
    let (status, _, bytes) = site.visit("GET", path, Some(secret), String::new());
    assert_eq!(status, 200, "{path}");
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_tour_is_shown_until_a_text_was_checked() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    assert!(page(&site, "/", &ben.0).contains("Load the sample collection"));
    let (status, to, _) = site.visit("POST", "/sample", Some(&ben.0), format!("csrf={}", ben.1));
    assert_eq!((status, to.as_str()), (303, "/?notice=sample"));
    let first = page(&site, "/", &ben.0);
    assert!(
        first.contains("Get started in three steps") && first.contains("Owls in the clock tower")
    );
    probe(&site, &ben, POEM);
    assert!(!page(&site, "/", &ben.0).contains("Get started in three steps"));
}

#[test]
fn rules_offer_the_webhooks_of_the_account_and_accept_a_minimum_share() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    let own = key(&site.service, "ben", false, "admin");
    site.new_repository(&own, "drafts", "private", "ben");
    assert!(page(&site, "/alerts/rules", &ben.0).contains("create a webhook first"));
    let hook = json!({ "name": "desk", "url": "https://hooks.example.org/textkin" });
    let hook = site.ask("POST", "/api/v1/webhooks", &own, &hook)["id"].clone();
    let rules = page(&site, "/alerts/rules", &ben.0);
    assert!(rules.contains(&format!("<option value=\"{hook}\">desk</option>")), "{rules}");

    let form = |some: &str| {
        let csrf = &ben.1;
        format!(
            "csrf={csrf}&action=add&repository=drafts&min_level=some&some={some}&high=60&min_words=9\
             &webhook=1&webhook_id={hook}"
        )
    };
    // The lower level has the higher share: the form is shown again as it was filled in.
    let (status, _, bytes) = site.visit("POST", "/alerts/rules", Some(&ben.0), form("70"));
    let again = String::from_utf8(bytes).unwrap();
    assert_eq!(status, 200);
    assert!(
        again.contains("value=\"70\"")
            && again.contains("name=\"min_words\" min=\"0\" value=\"9\"")
    );
    let (status, to, _) = site.visit("POST", "/alerts/rules", Some(&ben.0), form("12.5"));
    assert_eq!((status, to.as_str()), (303, "/alerts/rules?notice=watched"));
    let watch = site.service.watches(&actor(&site.service, &own)).unwrap().remove(0);
    assert_eq!((watch.levels.some, watch.levels.high, watch.min_words), (0.125, 0.6, 9));
    assert_eq!(json!(watch.webhook), hook);
    assert!(page(&site, "/alerts/rules", &ben.0).contains("12.5% of either text"));
}

#[test]
fn administrators_see_when_accounts_last_signed_in() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    visitor(&site, &admin, "ben");
    site.service.new_account(&actor(&site.service, &admin), "eve", None, None, false).unwrap();
    let accounts = site.service.accounts(&actor(&site.service, &admin)).unwrap();
    let seen = |name: &str| accounts.iter().find(|own| own.name == name).unwrap().last_seen;
    assert!(seen("ben").is_some() && seen("eve").is_none());
}

#[test]
fn a_search_may_contain_any_character() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    let own = key(&site.service, "ben", false, "admin");
    site.new_repository(&own, "drafts", "private", "ben");
    site.register(&own, "drafts", "it's", "Some words of a text");
    for query in ["%00", "a%00b", "%27", "%27%27%3B--", "%25", "%EF%BF%BF", "%22"] {
        let found = page(&site, &format!("/search?q={query}"), &ben.0);
        assert_eq!(found.contains("/origins/drafts/it"), query == "%27", "{query}");
        let path = format!("/api/v1/repositories/drafts/documents?q={query}");
        site.ask("GET", &path, &own, &Value::Null);
    }
}

#[test]
fn the_session_cookie_is_secure_if_the_public_url_is_https() {
    for (site, is_secure) in [("https://kin.example.org", true), ("http://127.0.0.1:7070", false)] {
        let folder = tempfile::tempdir().unwrap();
        let config = DeliveryConfig { site: site.to_owned(), ..DeliveryConfig::default() };
        let service = Service::open_with(folder.path(), ServiceLimits::default(), config).unwrap();
        let site = TestSite::serve(service, &ListenConfig::default());
        let admin = key(&site.service, "root", true, "admin");
        let (secret, token) = visitor(&site, &admin, "ben");
        let forms = [
            ("/login", "name=ben&password=a+long+password".to_owned()),
            ("/logout", format!("csrf={token}")),
        ];
        for (path, form) in forms {
            let request = Request::post(path)
                .header("cookie", format!("textkin={secret}"))
                .header("content-type", "application/x-www-form-urlencoded");
            let response = site.request(request.body(Body::from(form)).unwrap());
            let cookie = response.headers()["set-cookie"].to_str().unwrap();
            assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
            assert_eq!(cookie.ends_with("; Secure"), is_secure, "{cookie}");
        }
    }
}

#[test]
fn an_unknown_address_gets_an_error_page() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let (status, _, bytes) = site.visit("GET", "/nowhere", None, String::new());
    let body = String::from_utf8(bytes).unwrap();
    assert_eq!(status, 404);
    assert!(body.starts_with("<!doctype html>") && body.contains("there is no page"), "{body}");
    let (status, body) = site.send("GET", "/nowhere", None, &Value::Null);
    assert!(status == 404 && body.starts_with('{'));
}

#[test]
fn documents_of_a_cluster_are_coloured_by_the_chosen_property() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    site.visit("POST", "/sample", Some(&ben.0), format!("csrf={}", ben.1));
    let groups = |colour: &str| -> Vec<String> {
        let path = format!("/graph/data?repository=sample-news&cluster=0&colour={colour}");
        let data: Value = serde_json::from_str(&page(&site, &path, &ben.0)).unwrap();
        let nodes = data["open"]["nodes"].as_array().unwrap();
        nodes.iter().map(|node| node["group"].as_str().unwrap().to_owned()).collect()
    };
    assert!(groups("source").contains(&"courier".to_owned()));
    assert!(groups("date").iter().all(|year| year == "2026"));
    assert!(groups("repository").iter().all(|name| name == "sample-news"));
}
