//! Teams: nobody becomes a member without accepting, and members can leave.

use serde_json::{Value, json};

use crate::results::visitor;
use crate::support::{POEM, TestSite, actor, key};

/// Mal, who owns the team `traps` with a private repository `essays`, and Vic, whom he invites.
struct Case {
    site: TestSite,
    mal: String,
    vic: String,
    _folder: tempfile::TempDir,
}

fn case() -> Case {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let mal = key(&site.service, "mal", false, "admin");
    let vic = key(&site.service, "vic", false, "admin");
    site.ask("POST", "/api/v1/teams", &mal, &json!({ "name": "traps" }));
    site.new_repository(&mal, "essays", "private", "traps");
    Case { site, mal, vic, _folder: folder }
}

impl Case {
    fn send(&self, method: &str, path: &str, key: &str, body: &Value) -> (u16, String) {
        self.site.send(method, &format!("/api/v1/{path}"), Some(key), body)
    }

    fn invite(&self, role: &str) {
        let (status, answer) =
            self.send("PUT", "teams/traps/members/vic", &self.mal, &json!({ "role": role }));
        assert_eq!(status, 202, "{answer}");
    }

    fn accept(&self) {
        assert_eq!(self.send("POST", "invitations/traps/accept", &self.vic, &Value::Null).0, 204);
    }

    /// Returns the names of the members of `traps` and of the accounts invited to it.
    fn members(&self) -> (Vec<String>, Vec<String>) {
        let teams = self.site.ask("GET", "/api/v1/teams", &self.mal, &Value::Null);
        let team = teams.as_array().unwrap().iter().find(|team| team["name"] == "traps").unwrap();
        let names = |field: &str| {
            let members = team[field].as_array().unwrap().iter();
            members.map(|member| member["account"].as_str().unwrap().to_owned()).collect()
        };
        (names("members"), names("invited"))
    }
}

#[test]
fn an_account_becomes_a_member_only_by_accepting_an_invitation() {
    let case = case();
    case.site.register(&case.mal, "essays", "one", POEM);
    case.invite("writer");
    assert_eq!(case.members(), (vec!["mal".to_owned()], vec!["vic".to_owned()]));
    // The invitation shows the team, the role and who sent it, and gives no access.
    let mut invitations = case.site.ask("GET", "/api/v1/invitations", &case.vic, &Value::Null);
    assert!(invitations[0]["created"].take().as_i64().unwrap() > 0);
    let expected =
        json!([{ "team": "traps", "role": "writer", "invited_by": "mal", "created": null }]);
    assert_eq!(invitations, expected);
    let teams = case.site.ask("GET", "/api/v1/teams", &case.vic, &Value::Null);
    assert_eq!(teams.as_array().unwrap().len(), 1, "{teams}");
    for path in ["repositories/traps:essays", "repositories/essays/documents"] {
        assert_eq!(case.send("GET", path, &case.vic, &Value::Null).0, 404, "{path}");
    }
    for (method, path) in
        [("PUT", "teams/traps/members/vic"), ("DELETE", "teams/traps/members/mal")]
    {
        let body = if method == "PUT" { json!({ "role": "owner" }) } else { Value::Null };
        assert_eq!(case.send(method, path, &case.vic, &body).0, 404, "{path}");
    }
    let found = case.site.ask("POST", "/api/v1/probe", &case.vic, &json!({ "text": POEM }));
    assert_eq!(found["total"], 0);

    assert_eq!(case.send("DELETE", "invitations/traps", &case.vic, &Value::Null).0, 204);
    assert_eq!(case.members(), (vec!["mal".to_owned()], vec![]));
    // The same answer as for a team that does not exist.
    for team in ["traps", "nothing"] {
        let path = format!("invitations/{team}/accept");
        let (status, answer) = case.send("POST", &path, &case.vic, &Value::Null);
        assert!(status == 404 && answer.contains("there is no invitation to the team"), "{answer}");
    }
    case.invite("reader");
    case.invite("writer");
    case.accept();
    assert_eq!(case.members(), (vec!["mal".to_owned(), "vic".to_owned()], vec![]));
    case.site.register(&case.vic, "traps:essays", "two", "Some words of a text");
    // The role of a member is changed at once.
    let reader = json!({ "role": "reader" });
    assert_eq!(case.send("PUT", "teams/traps/members/vic", &case.mal, &reader).0, 204);
    // Owners can withdraw an invitation.
    let eve = key(&case.site.service, "eve", false, "admin");
    case.send("PUT", "teams/traps/members/eve", &case.mal, &reader);
    assert_eq!(case.send("DELETE", "teams/traps/members/eve", &case.mal, &Value::Null).0, 204);
    assert_eq!(case.site.ask("GET", "/api/v1/invitations", &eve, &Value::Null), json!([]));
}

#[test]
fn members_can_leave_and_the_last_owner_cannot() {
    let case = case();
    let leave = |name: &str, key: &str| {
        case.send("DELETE", &format!("teams/traps/members/{name}"), key, &Value::Null)
    };
    case.invite("reader");
    case.accept();
    assert_eq!(leave("vic", &case.vic).0, 204);
    assert_eq!(case.members().0, ["mal"]);
    let (status, answer) = leave("mal", &case.mal);
    assert!(status == 409 && answer.contains("last owner"), "{answer}");
    let writer = json!({ "role": "writer" });
    let (status, answer) = case.send("PUT", "teams/traps/members/mal", &case.mal, &writer);
    assert!(status == 409 && answer.contains("last owner"), "{answer}");
    assert_eq!(leave("nobody", &case.mal).0, 404);

    case.invite("owner");
    case.accept();
    // What a former owner sent is withdrawn.
    let eve = key(&case.site.service, "eve", false, "admin");
    case.send("PUT", "teams/traps/members/eve", &case.vic, &json!({ "role": "owner" }));
    assert_eq!(leave("vic", &case.mal).0, 204);
    assert_eq!(case.site.ask("GET", "/api/v1/invitations", &eve, &Value::Null), json!([]));

    // An account stays the owner of its own team, even if others own it too.
    case.send("PUT", "teams/vic/members/mal", &case.vic, &json!({ "role": "owner" }));
    assert_eq!(case.send("POST", "invitations/vic/accept", &case.mal, &Value::Null).0, 204);
    for key in [&case.mal, &case.vic] {
        let (status, answer) = case.send("DELETE", "teams/vic/members/vic", key, &Value::Null);
        assert!(status == 409 && answer.contains("own team"), "{answer}");
    }
}

#[test]
fn names_mean_the_repository_of_the_own_team_first() {
    let case = case();
    case.site.new_repository(&case.vic, "essays", "private", "vic");
    case.site.register(&case.vic, "essays", "hers", POEM);
    case.site.register(&case.mal, "essays", "his", &format!("Again {POEM}"));
    case.invite("owner");
    case.accept();
    let read = |name: &str| {
        case.site.ask("GET", &format!("/api/v1/repositories/{name}"), &case.vic, &Value::Null)
    };
    assert_eq!(read("essays")["team"], "vic");
    assert_eq!(read("traps:essays")["team"], "traps");
    // Answers name each so that the name leads back to it.
    let list = case.site.ask("GET", "/api/v1/repositories", &case.vic, &Value::Null);
    let names: Vec<&Value> = list.as_array().unwrap().iter().map(|own| &own["name"]).collect();
    assert_eq!(names, ["traps:essays", "essays"]);
    let found = case.site.ask("POST", "/api/v1/probe", &case.vic, &json!({ "text": POEM }));
    let found = found["matches"].as_array().unwrap().iter();
    let mut found: Vec<String> =
        found.map(|found| format!("{} {}", found["repository"], found["id"])).collect();
    found.sort();
    assert_eq!(found, [r#""essays" "hers""#, r#""traps:essays" "his""#]);
    // Two other teams: only then is the name ambiguous.
    case.site.ask("POST", "/api/v1/teams", &case.vic, &json!({ "name": "press" }));
    case.site.new_repository(&case.vic, "notes", "private", "press");
    assert_eq!(read("notes")["name"], "notes");
    case.site.new_repository(&case.mal, "notes", "private", "traps");
    let (status, answer) = case.send("GET", "repositories/notes", &case.vic, &Value::Null);
    assert!(status == 409 && answer.contains("write team:notes"), "{answer}");
    assert_eq!(read("press:notes")["name"], "press:notes");
}

#[test]
fn pages_show_invitations_and_answer_them() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let (mal, vic) = (visitor(&site, &admin, "mal"), visitor(&site, &admin, "vic"));
    let page = |path: &str, who: &(String, String)| {
        String::from_utf8(site.visit("GET", path, Some(&who.0), String::new()).2).unwrap()
    };
    let post = |who: &(String, String), form: &str| {
        let form = format!("csrf={}&{form}", who.1);
        let (status, to, _) = site.visit("POST", "/settings/teams", Some(&who.0), form);
        (status, to)
    };
    post(&mal, "action=add&team=traps");
    let invited = (303, "/settings/teams?notice=invited".to_owned());
    assert_eq!(post(&mal, "action=set&team=traps&name=vic&role=writer"), invited);
    assert!(page("/settings/teams", &mal).contains("Withdraw the invitation of vic to traps"));
    for path in ["/", "/settings/teams"] {
        let page = page(path, &vic);
        assert!(page.contains("invites you") && page.contains("Accept the invitation to traps"));
    }
    post(&vic, "action=accept&team=traps");
    let teams = page("/settings/teams", &vic);
    assert!(teams.contains("Leave traps") && !teams.contains("Leave vic"), "{teams}");
    assert!(!page("/", &vic).contains("invites you"));
    assert_eq!(post(&vic, "action=leave&team=traps").0, 303);
    let vic = key(&site.service, "vic", false, "admin");
    assert_eq!(site.service.teams(&actor(&site.service, &vic)).unwrap().len(), 1);
}

#[test]
fn the_page_lists_what_a_member_could_see_before_the_invitation_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let (ann, bob) = (visitor(&site, &admin, "ann"), visitor(&site, &admin, "bob"));
    let own = key(&site.service, "ann", false, "admin");
    for name in ["essays", "books"] {
        site.new_repository(&own, name, "private", "ann");
    }
    let post = |form: &str| {
        let form = format!("csrf={}&{form}", ann.1);
        let (status, to, body) =
            site.visit("POST", "/repositories/essays/members", Some(&ann.0), form);
        (status, to, String::from_utf8(body).unwrap())
    };
    let invitations = || {
        site.service.invitations(&actor(&site.service, &key(&site.service, "bob", false, "admin")))
    };
    let (status, _, page) = post("action=set&name=bob&role=reader");
    assert_eq!(status, 200);
    assert!(
        page.contains("with access to 2 repositories") && page.contains("<bdi>books</bdi>"),
        "{page}"
    );
    assert!(invitations().unwrap().is_empty());
    let (status, to, _) = post("action=set&name=bob&role=reader&confirm=1");
    assert_eq!((status, &to[..]), (303, "/repositories/essays?notice=invited"));
    assert_eq!(invitations().unwrap().len(), 1);
    // The role of a member is changed at once: it sees nothing more.
    let form = format!("csrf={}&action=accept&team=ann", bob.1);
    site.visit("POST", "/settings/teams", Some(&bob.0), form);
    assert_eq!(post("action=set&name=bob&role=writer").1, "/repositories/essays?notice=saved");
    assert!(post("action=set&name=nobody&role=reader&confirm=1").2.contains("there is no account"));
}
