//! Tests of the alerts inbox: groups, changes of many, rules, and evidence.

use serde_json::{Value, json};
use textkin_server::AlertState;

use crate::results::visitor;
use crate::support::{POEM, TestSite, actor, key};

struct Case {
    site: TestSite,
    folder: tempfile::TempDir,
    ben: (String, String),
    own: String,
    admin: String,
}

impl Case {
    fn page(&self, path: &str) -> String {
        let (status, _, bytes) = self.site.visit("GET", path, Some(&self.ben.0), String::new());
        assert_eq!(status, 200, "{path}");
        String::from_utf8(bytes).unwrap()
    }

    fn post(&self, path: &str, form: &str) -> String {
        let form = format!("csrf={}&{form}", self.ben.1);
        let (status, to, bytes) = self.site.visit("POST", path, Some(&self.ben.0), form);
        assert_eq!(status, 303, "{path}: {}", String::from_utf8_lossy(&bytes));
        to
    }

    /// Opens the same folder again: workers run once per service.
    fn again(self) -> Self {
        let Self { site, folder, ben, own, admin } = self;
        drop(site);
        Self { site: TestSite::open(folder.path()), folder, ben, own, admin }
    }
}

/// Two watched texts; one reappears in five public documents, the other in one.
fn case() -> Case {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    let own = key(&site.service, "ben", false, "admin");
    site.new_repository(&own, "drafts", "private", "ben");
    site.new_repository(&own, "web", "public", "ben");
    let other = "Another text with words of its own that somebody copied into a single document";
    site.register(&own, "drafts", "poem", POEM);
    site.register(&own, "drafts", "other", other);
    site.ask("POST", "/api/v1/watches", &own, &json!({ "repository": "drafts" }));
    for copy in 0..5 {
        site.register(&own, "web", &format!("copy-{copy}"), &format!("Copy {copy}: {POEM}"));
    }
    site.register(&own, "web", "single", &format!("Look: {other}"));
    site.work(&admin);
    Case { site, folder, ben, own, admin }.again()
}

#[test]
fn alerts_are_grouped_by_text_and_changed_together() {
    let case = case();
    let page = case.page("/alerts");
    assert_eq!(page.matches("<section class=\"card group\">").count(), 2);
    assert!(page.contains("reappeared in 5 documents") && page.contains("Show all 5"), "{page}");
    // Three of five are shown, and the only one of the other text.
    assert_eq!(page.matches("data-alert=").count(), 4);
    let one = case.page("/alerts?state=open&text=drafts%2Fpoem");
    assert_eq!(one.matches("data-alert=").count(), 5);
    case.post("/alerts/bulk", "action=handle&text=drafts%2Fpoem");
    let counts = || {
        let counts = case.site.service.alert_counts(&actor(&case.site.service, &case.own)).unwrap();
        (counts.open, counts.done)
    };
    assert_eq!(counts(), (1, 5));
    assert!(case.page("/alerts?state=done").contains("reappeared in 5 documents"));
    case.post("/alerts/bulk", "action=dismiss&everything=1");
    assert_eq!(counts(), (0, 6));
    // Who may only read the team changes nothing, and others see nothing.
    let eve = actor(&case.site.service, &key(&case.site.service, "eve", false, "admin"));
    let all = case.site.service.change_open_alerts(&eve, None, AlertState::Handled);
    assert_eq!(all.unwrap(), 0);
    assert!(
        case.site
            .service
            .change_open_alerts(&eve, Some(("drafts", "poem")), AlertState::Handled)
            .is_err()
    );
}

#[test]
fn an_alert_and_its_evidence_outlive_the_copy() {
    let case = case();
    let alerts = || case.site.ask("GET", "/api/v1/alerts", &case.own, &Value::Null);
    let n_before = alerts().as_array().unwrap().len();
    for id in ["copy-0", "copy-1", "single"] {
        let path = format!("/api/v1/repositories/web/documents/{id}");
        case.site.ask("DELETE", &path, &case.own, &Value::Null);
    }
    let after = alerts();
    let after = after.as_array().unwrap();
    assert_eq!(after.len(), n_before);
    let single = after.iter().find(|alert| alert["found"]["id"] == "single").unwrap();
    assert_eq!(
        (&single["found_is_deleted"], &single["found"]["repository"]),
        (&json!(true), &json!("web"))
    );
    assert_eq!(single["registered"]["shared_words"], single["registered"]["words"]);
    let passage = &single["passages"][0];
    assert_eq!(passage["span"]["start"], 0);
    assert!(passage["words"].as_u64().unwrap() >= 14);
    let page = case.page("/alerts?text=drafts%2Fother");
    assert!(page.contains("deleted since") && page.contains("somebody copied into"), "{page}");
    assert!(!page.contains("/origins/web/single") && !page.contains("Compare side by side"));
    // The watched text is the account's own: with it goes what was found of it.
    case.site.ask("DELETE", "/api/v1/repositories/drafts/documents/other", &case.own, &Value::Null);
    assert_eq!(alerts().as_array().unwrap().len(), n_before - 1);
}

#[test]
fn rules_are_edited_and_ask_for_a_minimum_of_words() {
    let case = case();
    let rules = case.page("/alerts/rules");
    assert!(rules.contains("name=\"min_words\" min=\"0\" value=\"50\""), "{rules}");
    let id = case.site.service.watches(&actor(&case.site.service, &case.own)).unwrap()[0].id;
    let form = case.page(&format!("/alerts/rules?edit={id}"));
    assert!(form.contains("Edit rule") && form.contains("value=\"change\""));
    let fields = format!(
        "action=change&watch={id}&repository=drafts&min_level=some&some=5&high=50&min_words=45&inbox=1"
    );
    assert_eq!(case.post("/alerts/rules", &fields), "/alerts/rules?notice=changed");
    let rule = case.site.service.watches(&actor(&case.site.service, &case.own)).unwrap().remove(0);
    assert_eq!((rule.id, rule.min_words), (id, 45));
    // Ten words of a longer text are too few; a shorter text that reappears whole is enough.
    let case = case.again();
    case.site.register(
        &case.own,
        "drafts",
        "short",
        "Only twelve words are in this short text, and all are copied",
    );
    let few: Vec<&str> = POEM.split(' ').take(30).collect();
    case.site.register(&case.own, "web", "few", &few.join(" "));
    case.site.register(
        &case.own,
        "web",
        "whole",
        "They wrote: Only twelve words are in this short text, and all are copied",
    );
    case.site.work(&case.admin);
    let case = case.again();
    let alerts = case.site.ask("GET", "/api/v1/alerts", &case.own, &Value::Null);
    let found: Vec<&str> = alerts
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|alert| alert["found"]["id"].as_str())
        .collect();
    assert!(found.contains(&"whole") && !found.contains(&"few"), "{found:?}");
}
