//! Keys, webhooks and server settings.

use textkin_web::view::*;

use super::Flavour;

pub(crate) fn keys(flavour: &Flavour) -> Keys {
    let row = |id: &str, name: &str, is_inactive: bool| KeyRow {
        id: id.to_owned(),
        name: flavour.text(name),
        prefix: "tk_7f3a".to_owned(),
        scopes: vec!["probe".to_owned(), "register".to_owned()],
        repository: is_inactive.then(|| flavour.text("reports")),
        created: "2026-11-01T08:00:00Z".to_owned(),
        expires: is_inactive.then(|| "2026-11-10".to_owned()),
        addresses: is_inactive.then(|| flavour.text("10.0.0.0/8")),
        last_used: (!is_inactive).then(|| "2026-11-16T11:00:00Z".to_owned()),
        is_inactive,
    };
    Keys {
        rows: flavour.list(vec![row("1", "nightly feed", false), row("2", "old laptop", true)]),
        new: flavour.maybe(NewSecret {
            name: flavour.text("nightly feed"),
            secret: flavour.text("tk_7f3a9c"),
        }),
        form: KeyForm {
            name: flavour.text(""),
            scopes: ["probe", "register", "read", "admin"]
                .into_iter()
                .map(|scope| Choice::new(scope, scope == "probe"))
                .collect(),
            repositories: flavour.list(vec![Choice::new(flavour.text("reports"), false)]),
            problem: flavour.maybe(flavour.text("Choose at least one scope")),
            ..KeyForm::default()
        },
    }
}

pub(crate) fn webhooks(flavour: &Flavour) -> Webhooks {
    let delivery = |id: &str, state, response: &str| DeliveryRow {
        id: id.to_owned(),
        webhook: "1".to_owned(),
        name: flavour.text("desk"),
        event: "alert".to_owned(),
        time: "2026-11-16T11:58:04Z".to_owned(),
        state,
        response: flavour.text(response),
        attempts: 3,
    };
    Webhooks {
        rows: flavour.list(vec![WebhookRow {
            id: "1".to_owned(),
            name: flavour.text("desk"),
            url: flavour.text("hooks.example.org/textkin"),
            last_delivered: None,
            problem: Some(flavour.text("timed out 3 times")),
        }]),
        new: flavour
            .maybe(NewSecret { name: flavour.text("desk"), secret: flavour.text("whsec_1") }),
        deliveries: flavour.list(vec![
            delivery("1", DeliveryState::Done, "200"),
            delivery("2", DeliveryState::Failed, "timed out"),
            delivery("3", DeliveryState::Waiting, "next attempt in 4 minutes"),
        ]),
        name: flavour.text(""),
        url: flavour.text(""),
        problem: flavour.maybe(
            flavour.text("This address is on the server's own network, which is not allowed"),
        ),
    }
}

pub(crate) fn users(flavour: &Flavour) -> Users {
    let row = |name: &str, is_admin, is_active: bool| UserRow {
        name: flavour.text(name),
        email: flavour.text(&format!("{name}@example.org")),
        is_admin,
        is_active,
        is_self: name == "maria",
        last_seen: is_active.then(|| "2026-11-16T12:00:00Z".to_owned()),
    };
    Users {
        rows: vec![row("maria", true, true), row("ben", false, true), row("li", true, false)],
        can_change: !flavour.is_empty(),
        problem: None,
        reset: flavour
            .maybe((flavour.text("ben"), "https://kin.example.org/reset?token=abc".to_owned())),
    }
}

pub(crate) fn invitations(flavour: &Flavour) -> Vec<InvitationRow> {
    flavour.list(vec![InvitationRow {
        team: flavour.text("press-office"),
        role: Role::Writer,
        invited_by: flavour.maybe(flavour.text("noor")),
        time: "2026-11-16T10:30:00Z".to_owned(),
    }])
}

pub(crate) fn teams(flavour: &Flavour) -> Teams {
    let member = |name: &str, role| TeamMemberRow {
        name: flavour.text(name),
        role,
        is_self: name == "maria",
    };
    Teams {
        rows: flavour.list(vec![TeamRow {
            name: flavour.text("library"),
            members: vec![member("maria", Role::Owner), member("ben", Role::Writer)],
            invited: vec![member("li", Role::Reader)],
            is_own: false,
            repositories: 3,
            can_change: true,
        }]),
        invitations: invitations(flavour),
        problem: flavour.maybe(flavour.text("There is no account with this name")),
    }
}

pub(crate) fn audit(flavour: &Flavour) -> Audit {
    let row = |what: &str, object: &str| AuditRow {
        time: "2026-11-16T11:58:00Z".to_owned(),
        who: flavour.text("maria"),
        what: what.to_owned(),
        object: flavour.text(object),
        address: "192.0.2.7".to_owned(),
    };
    Audit {
        rows: flavour.list(vec![
            row("sign in", ""),
            row("register", "reports/ar-2023.pdf"),
            row("purge", "news: 312 documents"),
        ]),
        paging: Paging {
            first: 1,
            last: 3,
            total: if flavour.is_empty() { 0 } else { 903 },
            previous: None,
            next: flavour.maybe("?page=2".to_owned()),
        },
        who: flavour.text(""),
        what: vec![Choice::new("register", false), Choice::new("purge", false)],
    }
}

pub(crate) fn retention(flavour: &Flavour) -> RetentionRules {
    let row = |name: &str, days: Option<u32>| RetentionRow {
        repository: flavour.text(name),
        retention: Retention { days, count: None },
        next_documents: 312,
        next_time: days.map(|_| "2026-11-17T02:00:00Z".to_owned()),
        can_change: true,
    };
    RetentionRules {
        rows: flavour.list(vec![row("news", Some(365)), row("reports", None)]),
        problem: None,
    }
}

pub(crate) fn backup(flavour: &Flavour) -> Backups {
    Backups {
        rows: flavour.list(vec![BackupRow {
            name: flavour.text("2026-11-15"),
            time: "2026-11-15T02:00:00Z".to_owned(),
            bytes: 4_512_000_000,
        }]),
        folder: flavour.text("backups"),
        restore_command: flavour.text("textkin admin restore --data DIR BACKUP"),
        is_running: flavour.is_empty(),
        problem: None,
    }
}

pub(crate) fn about(flavour: &Flavour) -> About {
    About {
        version: flavour.text("0.1.0"),
        k: 8,
        facts: vec![
            ("Documents".to_owned(), flavour.text("12,806")),
            ("Data format".to_owned(), "1".to_owned()),
        ],
    }
}
