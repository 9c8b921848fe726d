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

/// Returns a long text of sentences, in which every tenth has a passage that `other` names too.
fn book(name: &str, n_sentences: usize) -> String {
    let sentence = |at: usize| match at % 10 {
        0 => format!("Here passage{at} a{at} b{at} c{at} d{at} e{at} f{at} g{at} h{at} ends.\n"),
        _ => format!("{name}{at} has x{name}{at} and y{name}{at} of z{name}{at} only.\n"),
    };
    (0..n_sentences).map(sentence).collect()
}

#[test]
fn books_are_compared_part_by_part() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    let own = key(&site.service, "ben", false, "admin");
    site.new_repository(&own, "library", "public", "ben");
    let texts = [book("one", 9_000), book("two", 9_000)];
    for (id, text) in ["one", "two"].into_iter().zip(&texts) {
        assert!(text.len() > 300_000);
        site.register(&own, "library", id, text);
    }
    let address = |href: &str| href.replace("&amp;", "&");
    let link = |page: &str, which: &str| {
        let at = page.find(&format!("data-more=\"{which}\""))?;
        let href = page[at..].split("href=\"").nth(1)?.split('"').next()?;
        Some(address(href))
    };
    for start in ["/compare?a=library%2Ftwo&b=library%2Fone", "/origins/library/two"] {
        let first = page(&site, start, &ben.0);
        assert!(first.len() < 300_000, "{start} has {} bytes", first.len());
        assert!(link(&first, "earlier").is_none(), "{start} begins with the text");
        assert!(first.contains("two1 has xtwo1") && !first.contains("two8999"), "{start}");
        // Following the links shows the whole text, once.
        let (mut shown, mut next) = (first.matches("xtwo").count(), link(&first, "later"));
        while let Some(href) = next {
            let part = page(&site, &href, &ben.0);
            shown += part.matches("xtwo").count();
            next = link(&part, "later").filter(|_| !part.contains("two8999 has"));
        }
        assert_eq!(shown, 8_100, "{start}");
    }
    // A match far behind is shown with its surroundings, on both sides.
    let far = page(&site, "/compare?a=library%2Ftwo&b=library%2Fone&match=800", &ben.0);
    assert!(far.contains("id=\"a800\"") && far.contains("id=\"b800\"") && far.len() < 300_000);
    assert!(link(&far, "earlier").is_some() && far.contains("700 more matches"), "{far}");
}

/// Prints how long the pages of two books take; the first answer compares them.
#[test]
#[ignore = "measures; run it alone"]
fn pages_of_two_books_of_500_pages_are_timed() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    let own = key(&site.service, "ben", false, "admin");
    site.new_repository(&own, "library", "public", "ben");
    for name in ["one", "two"] {
        site.register(&own, "library", name, &book(name, 60_000));
    }
    let compare = "/compare?a=library%2Ftwo&b=library%2Fone";
    for path in [compare, compare, &format!("{compare}&match=3000"), "/origins/library/two"] {
        let started = std::time::Instant::now();
        let bytes = page(&site, path, &ben.0).len();
        eprintln!("{path}: {:?}, {bytes} bytes", started.elapsed());
    }
}
