//! Tests of what administrators do with accounts, and of links for people without one.

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use textkin_registry::Exclusions;

use crate::results::{probe, visitor};
use crate::support::{POEM, TestSite, actor, key};

fn page(site: &TestSite, path: &str, secret: Option<&str>) -> (u16, String) {
    let (status, _, bytes) = site.visit("GET", path, secret, String::new());
    (status, String::from_utf8(bytes).unwrap())
}

/// Returns what follows `before` in a page, up to a quotation mark.
fn after<'a>(page: &'a str, before: &str) -> &'a str {
    page.split(before).nth(1).unwrap().split('"').next().unwrap()
}

#[test]
fn an_administrator_creates_a_link_that_sets_a_password_once() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    let own = visitor(&site, &admin, "mia");
    site.service.set_admin(&actor(&site.service, &admin), "mia", true).unwrap();
    let link = || {
        let form = format!("csrf={}&action=reset&user=ben", own.1);
        let (status, _, bytes) = site.visit("POST", "/settings/users", Some(&own.0), form);
        assert_eq!(status, 200);
        let page = String::from_utf8(bytes).unwrap();
        after(&page, "/reset?token=").to_owned()
    };
    let (first, token) = (link(), link());
    assert!(
        page(&site, &format!("/reset?token={token}"), None).1.contains("Choose a new password")
    );
    let reset = |token: &str, password: &str, again: &str| {
        let form = format!("token={token}&password={password}&password_again={again}");
        let (status, to, bytes) = site.visit("POST", "/reset", None, form);
        (status, to, String::from_utf8(bytes).unwrap())
    };
    assert!(reset(&token, "another+password", "other").2.contains("do not match"));
    assert!(reset(&token, "short", "short").2.contains("10"));
    // Only the latest link works.
    assert!(reset(&first, "another+password", "another+password").2.contains("expired"));
    let (status, to, _) = reset(&token, "another+password", "another+password");
    assert_eq!((status, &to[..]), (303, "/?notice=password"));
    assert!(reset(&token, "another+password", "another+password").2.contains("expired"));
    // The session of the old password has ended.
    assert_eq!(site.visit("GET", "/", Some(&ben.0), String::new()).0, 303);
    assert!(site.service.sign_in("ben", "a long password").is_err());
    assert!(site.service.sign_in("ben", "another password").is_ok());
    // Nobody else creates links or changes addresses.
    let eve = visitor(&site, &admin, "eve");
    for action in ["reset", "email"] {
        let form = format!("csrf={}&action={action}&user=ben&email=eve@example.org", eve.1);
        let (status, _, bytes) = site.visit("POST", "/settings/users", Some(&eve.0), form);
        let page = String::from_utf8(bytes).unwrap();
        assert!(status == 403 || page.contains("only administrators"), "{action} {status}");
        assert!(!page.contains("/reset?token="));
    }
}

#[test]
fn an_administrator_changes_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let root = actor(&site.service, &admin);
    visitor(&site, &admin, "ben");
    visitor(&site, &admin, "eve");
    let change = |name: &str, mail: Option<&str>| site.service.change_mail(&root, name, mail);
    change("ben", Some("Ben@example.org")).unwrap();
    assert!(change("eve", Some("ben@example.org")).is_err());
    assert!(change("eve", Some("nonsense")).is_err());
    assert!(change("nobody", Some("a@example.org")).is_err());
    let mail = |name: &str| {
        let accounts = site.service.accounts(&root).unwrap();
        accounts.into_iter().find(|own| own.name == name).unwrap().mail
    };
    assert_eq!((mail("ben").as_deref(), mail("eve")), (Some("ben@example.org"), None));
    change("ben", None).unwrap();
    change("eve", Some("ben@example.org")).unwrap();
    assert_eq!(mail("ben"), None);
}

#[test]
fn the_audit_log_has_the_address_of_the_client() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    visitor(&site, &admin, "ben");
    let peer: std::net::SocketAddr = "203.0.113.7:4000".parse().unwrap();
    let request = Request::post("/login")
        .header("content-type", "application/x-www-form-urlencoded")
        .extension(ConnectInfo(peer))
        .body(Body::from("name=ben&password=a+long+password"))
        .unwrap();
    assert_eq!(site.request(request).status(), 303);
    let log = site.service.audit_log(&actor(&site.service, &admin), 10).unwrap();
    let entry = log.iter().find(|entry| entry.action == "signed in").unwrap();
    assert_eq!(entry.address.as_deref(), Some("203.0.113.7"));
    assert!(log.iter().any(|entry| entry.address.is_none()), "work of the server has no address");
}

#[test]
fn a_result_is_read_by_link_without_an_account_until_it_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    let own = key(&site.service, "ben", false, "admin");
    site.new_repository(&own, "poems", "private", "ben");
    site.register(&own, "poems", "mercy", &format!("{POEM} and more"));
    let address = probe(&site, &ben, POEM);
    let share = |form: &str| {
        let form = format!("csrf={}&{form}", ben.1);
        let (status, _, bytes) =
            site.visit("POST", &format!("{address}/share?min_run=9"), Some(&ben.0), form);
        (status, String::from_utf8(bytes).unwrap())
    };
    let (status, created) = share("days=7");
    assert_eq!(status, 200);
    let link = format!("/shared/{}", after(&created, "/shared/"));
    let request = Request::get(&link).header("accept", "text/html").body(Body::empty()).unwrap();
    let response = site.request(request);
    assert_eq!(response.status(), 200);
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert!(header("content-security-policy").starts_with("default-src 'none'"));
    assert_eq!(
        (header("x-robots-tag"), header("referrer-policy")),
        ("noindex, nofollow".to_owned(), "no-referrer".to_owned())
    );
    let (_, shown) = page(&site, &link, None);
    assert!(shown.contains("gentle rain") && shown.contains("matches shorter than 9 words"));
    for part in ["href=\"/", "action=", "<script", "csrf"] {
        assert!(!shown.contains(part), "{part}");
    }
    // The page of the owner counts the links, and does not show them again.
    let (_, own_page) = page(&site, &address, Some(&ben.0));
    assert!(own_page.contains("1 link works") && !own_page.contains("/shared/"));
    assert_eq!(page(&site, "/shared/guess", None).0, 404);
    // Nobody shares what is not theirs, and not for ever.
    let eve = visitor(&site, &admin, "eve");
    let form = format!("csrf={}&days=7", eve.1);
    assert_eq!(site.visit("POST", &format!("{address}/share"), Some(&eve.0), form).0, 404);
    let ben_actor = actor(&site.service, &own);
    let id = address.rsplit('/').next().unwrap();
    let none = Exclusions::default();
    assert!(site.service.share_result(&ben_actor, id, &none, 91).is_err());
    assert_eq!(share("action=stop&days=7").0, 303);
    assert_eq!(page(&site, &link, None).0, 404);
}
