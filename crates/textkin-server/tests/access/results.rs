//! Tests of results and their downloads: only the sender gets them, with the text itself and without
//! anything of private texts in other accounts.

use serde_json::{Value, json};

use crate::support::{POEM, TestSite, actor, key};

const EXPORTS: [&str; 6] =
    ["", "/data", "/export.html", "/export.pdf", "/export.csv", "/export.json"];

/// Signs in a new account; returns the cookie secret and the form token.
pub(crate) fn visitor(site: &TestSite, admin: &str, name: &str) -> (String, String) {
    let admin = actor(&site.service, admin);
    let password = "a long password";
    site.service.new_account(&admin, name, None, Some(password), false).unwrap();
    let secret = site.service.sign_in(name, password).unwrap();
    let (_, token) = site.service.session(&secret).unwrap();
    (secret, token)
}

/// Submits a text like the form does; returns the address of its result.
pub(crate) fn probe(site: &TestSite, (secret, token): &(String, String), text: &str) -> String {
    let field = |name: &str, value: &str| {
        format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body = field("csrf", token) + &field("title", "mine") + &field("text", text) + "--x--\r\n";
    let (status, location, _) = site.visit("POST", "/probe", Some(secret), body);
    assert_eq!(status, 303);
    location.split('?').next().unwrap().to_owned()
}

#[test]
fn only_the_sender_of_a_text_gets_results_and_downloads() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let (ben, eve) = (visitor(&site, &admin, "ben"), visitor(&site, &admin, "eve"));
    let address = probe(&site, &ben, POEM);
    for what in EXPORTS {
        let path = format!("{address}{what}?quotes=1");
        let status = |secret| site.visit("GET", &path, secret, String::new()).0;
        let statuses = [status(Some(&ben.0)), status(Some(&eve.0)), status(None)];
        assert_eq!(statuses, [200, 404, 303], "{path}");
    }
    let bytes = site.visit("GET", &format!("{address}/export.pdf"), Some(&ben.0), String::new()).2;
    assert!(bytes.starts_with(b"%PDF"));
}

#[test]
fn the_text_is_marked_and_private_texts_of_others_are_not_revealed() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let anna = key(&site.service, "anna", false, "admin");
    site.new_repository(&anna, "secrets", "private", "anna");
    site.register(&anna, "secrets", "mercy", &format!("{POEM} and words that only Anna has"));
    let ben = visitor(&site, &admin, "ben");
    let before = probe(&site, &ben, &format!("<b>My own.</b>\n{POEM}"));
    let seen = |address: &str, what: &str| {
        let (status, _, bytes) =
            site.visit("GET", &format!("{address}{what}"), Some(&ben.0), String::new());
        assert_eq!(status, 200);
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let page = seen(&before, "");
    assert!(page.contains("&lt;b&gt;My own.&lt;/b&gt;") && !page.contains("<mark"));
    assert_eq!(json_of(&seen(&before, "/data"))["marks"], json!([]));

    site.ask("PATCH", "/api/v1/repositories/secrets", &anna, &json!({ "disclosed": true }));
    // The matches are kept until the result is recalculated.
    assert!(!seen(&before, "").contains("<mark"));
    let form = format!("csrf={}", ben.1);
    let path = format!("{before}/recalculate");
    assert_eq!(site.visit("POST", &path, Some(&ben.0), form).0, 303);
    for what in ["", "/export.html"] {
        let page = seen(&before, what);
        assert!(page.contains("<a class=\"n\" href=\"#source-1\""), "{page}");
        assert!(
            page.contains("id=\"source-1\"") && page.contains("Private match in another account")
        );
        for secret in ["secrets", "anna", "only Anna has"] {
            assert!(!page.contains(secret), "{secret}");
        }
    }
    // A downloaded file does not link to the server, and its text cannot change that.
    let odd = format!("rel=\"icon\" rel=\"stylesheet\" of a page\n{POEM}");
    let file = seen(&probe(&site, &ben, &odd), "/export.html");
    assert!(file.contains("of a page") && file.contains("<style>"), "{file}");
    for link in ["href=\"/", "src=\"", "action=\"", "<script"] {
        assert!(!file.contains(link), "{link}");
    }
    let text = format!("<b>My own.</b>\n{POEM}");
    let place = |word: &str| text.find(word).unwrap();
    let marks = json_of(&seen(&before, "/data"))["marks"].clone();
    assert_eq!(marks, json!([[place("The quality"), text.len(), 1]]));
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
