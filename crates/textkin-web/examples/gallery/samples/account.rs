//! Sign-in, search, alerts.

use textkin_web::view::*;

use super::{Flavour, link, score};
use crate::samples::checks::pieces;

pub(crate) fn login(flavour: &Flavour) -> Login {
    Login {
        name: flavour.text(""),
        next: flavour.text("/alerts"),
        problem: flavour.maybe(flavour.text("Wrong name or password")),
    }
}

pub(crate) fn setup(flavour: &Flavour) -> Setup {
    Setup {
        token: flavour.text("7f3a"),
        name: flavour.text("maria"),
        email: flavour.text("maria@example.org"),
        problem: flavour.maybe(flavour.text("Wrong setup token")),
    }
}

pub(crate) fn error(flavour: &Flavour) -> ErrorView {
    ErrorView {
        status: 404,
        title: flavour.text("Not found"),
        text: flavour.text("This page does not exist, or you do not have access to it"),
    }
}

pub(crate) fn search(flavour: &Flavour) -> SearchResults {
    let hit = |title, id, words| SearchHit {
        document: link(flavour, title, id, Some("2024-03-01")),
        words,
    };
    SearchResults {
        query: flavour.text("report"),
        hits: flavour.list(vec![
            hit("Annual report 2023", "ar-2023.pdf", 18_402),
            hit("Report on libraries", "lib/2024/report.docx", 4_577),
            hit("", "untitled-7", 912),
        ]),
        is_cut: !flavour.is_empty(),
    }
}

pub(crate) fn reset(flavour: &Flavour) -> Reset {
    Reset {
        token: flavour.text("token"),
        problem: flavour.maybe(flavour.text("The passwords do not match")),
    }
}

pub(crate) fn alerts(flavour: &Flavour) -> Alerts {
    let row = |id: &str, level, state, score, assignee: Option<&str>| AlertRow {
        id: id.to_owned(),
        watched: link(flavour, "The state of the reading rooms", "rooms.docx", Some("2025-02-11")),
        found: link(flavour, "Reading rooms today", "news-88123", Some("2026-11-16")),
        found_is_deleted: assignee.is_some(),
        score,
        is_bounded: assignee.is_some(),
        level,
        time: "2026-11-16T11:58:03Z".to_owned(),
        state,
        assignee: assignee.map(|name| flavour.text(name)),
        compare: Some("/compare?a=drafts/1&b=news/2".to_owned()),
        excerpts: vec![Excerpt {
            words: 58,
            watched: pieces(flavour, 0, 2),
            found: pieces(flavour, 1, 2),
        }],
        more_excerpts: 4,
    };
    Alerts {
        filter: AlertFilter::Open,
        contact_requests: flavour.list(vec![ContactRequestRow {
            id: "3".to_owned(),
            from: flavour.text("li"),
            mail: flavour.text("li@example.org"),
            document: link(flavour, "The state of the reading rooms", "rooms.docx", None),
            title: flavour.text("On libraries"),
            note: flavour.text("May I quote this?"),
            share: Share::new(412, 1030),
            time: "2026-11-16T11:58:03Z".to_owned(),
        }]),
        open: if flavour.is_empty() { 0 } else { 1203 },
        mine: 2,
        done: 118,
        groups: flavour.list(vec![AlertGroup {
            watched: link(flavour, "The state of the reading rooms", "rooms.docx", None),
            key: flavour.text("drafts/rooms.docx"),
            total: 505,
            all: flavour.maybe("/alerts?state=open&text=drafts%2Frooms.docx".to_owned()),
            rows: vec![
                row("7", MatchLevel::Exact, AlertState::Open, score(640, 640, 640, 3_112), None),
                row(
                    "6",
                    MatchLevel::High,
                    AlertState::Open,
                    score(412, 801, 409, 4_577),
                    Some("maria"),
                ),
                row(
                    "5",
                    MatchLevel::Some,
                    AlertState::Dismissed,
                    score(60, 1_030, 58, 580),
                    Some("ben"),
                ),
            ],
        }]),
        is_one_text: false,
        paging: Paging {
            first: 1,
            last: 3,
            total: if flavour.is_empty() { 0 } else { 1203 },
            previous: None,
            next: flavour.maybe("/alerts?state=open&page=2".to_owned()),
        },
        assignees: vec![
            Assignee { name: flavour.text("maria"), is_self: true },
            Assignee { name: "ben".to_owned(), is_self: false },
        ],
        has_watches: !flavour.is_empty(),
    }
}

pub(crate) fn rules(flavour: &Flavour) -> Rules {
    let channels = Channels { inbox: true, mail: true, webhook: false };
    let row = |id: &str, min_level, digest| WatchRow {
        id: id.to_owned(),
        repository: flavour.text("drafts"),
        document: (id == "2").then(|| flavour.text("The state of the reading rooms")),
        min_level,
        min_share: "5".to_owned(),
        min_words: 50,
        channels,
        quiet: (id == "1").then(|| ("22:00".to_owned(), "07:00".to_owned())),
        digest,
        can_remove: true,
    };
    Rules {
        rows: flavour.list(vec![
            row("1", MatchLevel::Some, DigestInterval::Daily),
            row("2", MatchLevel::Exact, DigestInterval::Immediately),
        ]),
        form: flavour.maybe(WatchForm {
            repositories: vec![
                Choice::new(flavour.text("drafts"), true),
                Choice::new("letters", false),
            ],
            min_level: MatchLevel::High,
            some: "5".to_owned(),
            high: "50".to_owned(),
            min_words: 50,
            channels,
            problem: Some(flavour.text("Quiet hours need a start and an end")),
            ..WatchForm::default()
        }),
        sends_mail: !flavour.is_empty(),
        webhooks: flavour.list(vec![
            Choice { value: "1".to_owned(), label: flavour.text("desk"), is_chosen: true },
            Choice { value: "2".to_owned(), label: flavour.text("archive"), is_chosen: false },
        ]),
    }
}
