//! Dashboard, repositories, origins.

use textkin_web::view::*;

use super::{Flavour, histogram, link};

pub(crate) fn dashboard(flavour: &Flavour) -> Dashboard {
    let news = |kind, title: &str, detail: &str| NewsItem {
        kind,
        title: flavour.text(title),
        detail: flavour.text(detail),
        href: "/results/7".to_owned(),
        time: "2026-11-16T09:30:00Z".to_owned(),
    };
    let job = |id: &str, state, what: &str, reason: &str| JobRow {
        id: id.to_owned(),
        what: flavour.text(what),
        state,
        reason: if reason.is_empty() { String::new() } else { flavour.text(reason) },
        time: "2026-11-16T11:59:10Z".to_owned(),
    };
    Dashboard {
        is_empty: flavour.is_empty(),
        can_load_sample: true,
        invitations: super::settings::invitations(flavour),
        stats: DashboardStats {
            documents: 12_806,
            repositories: 3,
            words: 48_120_377,
            duplicated: Some(Share::new(3_980_112, 48_120_377)),
            clusters: Some(214),
            not_compared: if flavour.is_empty() { 0 } else { 16_578 },
            open_alerts: 1,
            next_purge: flavour.maybe(NextPurge {
                repository: flavour.text("news"),
                time: "2026-11-17T02:00:00Z".to_owned(),
                documents: 312,
            }),
        },
        is_tour_shown: true,
        since: flavour.maybe("2026-11-13T17:02:00Z".to_owned()),
        news: flavour.list(vec![
            news(NewsKind::Alert, "The state of the reading rooms", "reappeared in news"),
            news(NewsKind::Result, "On libraries.pdf", "412 of 1,030 words (40%)"),
            news(NewsKind::Document, "Annual report 2023", "in reports"),
        ]),
        earlier: flavour.list(vec![NewsItem {
            kind: NewsKind::Document,
            title: flavour.text("Report of the year before"),
            detail: flavour.text("in annual-reports"),
            href: "/repositories/annual-reports".to_owned(),
            time: "2026-11-12T09:00:00Z".to_owned(),
        }]),
        histogram: histogram(flavour, 20),
        unmatched: if flavour.is_empty() { 0 } else { 9_120 },
        queue: JobQueue {
            running: 1,
            waiting: 44,
            failed: 1,
            jobs: flavour.list(vec![
                job(
                    "3",
                    JobState::Failed,
                    "Registering scan-0007.pdf in theses",
                    "no text found; the file may be a scan",
                ),
                job("4", JobState::Running, "Loading documents into news, 400 so far", ""),
            ]),
        },
    }
}

pub(crate) fn matches(flavour: &Flavour) -> Matches {
    let row = |title: &str, shared, other: Option<&str>| MatchRow {
        document: link(flavour, title, "ar-2023.pdf", Some("2024-01-31")),
        best: Share::new(shared, 1000),
        compare: other.map(|_| "/compare".to_owned()),
        other: other.map(|title| link(flavour, title, "lib/2024", None)),
    };
    Matches {
        from: 40,
        to: 45,
        rows: flavour.list(vec![
            row("Annual report 2023", 447, Some("Annual report 2022")),
            row("Report on libraries", 401, None),
        ]),
        total: if flavour.is_empty() { 0 } else { 1_204 },
    }
}

fn row(flavour: &Flavour, name: &str, visibility: Visibility) -> RepositoryRow {
    RepositoryRow {
        name: flavour.text(name),
        team: flavour.text("library"),
        visibility,
        stored: if name == "letters" { StoredContent::Fingerprints } else { StoredContent::Text },
        checks: if name == "letters" { CheckUse::Only } else { CheckUse::Against },
        documents: if flavour.is_empty() { 0 } else { 12_806 },
        words: if flavour.is_empty() { 0 } else { 48_120_377 },
        k: 8,
        retention: Retention {
            days: (name == "news").then_some(365),
            count: (name == "news").then_some(100_000),
        },
        last_added: flavour.maybe("2026-11-16T11:58:00Z".to_owned()),
    }
}

pub(crate) fn repositories(flavour: &Flavour) -> Repositories {
    Repositories {
        rows: flavour.list(vec![
            row(flavour, "reports", Visibility::Public),
            row(flavour, "letters", Visibility::Private),
            row(flavour, "news", Visibility::Public),
        ]),
        form: Some(RepositoryForm {
            name: flavour.text(""),
            teams: vec![Choice::new(flavour.text("maria"), true), Choice::new("library", false)],
            problem: flavour.maybe(flavour.text("A repository with this name already exists")),
            ..RepositoryForm::default()
        }),
    }
}

pub(crate) fn repository(flavour: &Flavour) -> RepositoryDetail {
    let document = |title: &str, id: &str, words, time: Option<&str>| RepositoryDocument {
        id: flavour.text(id),
        title: if title.is_empty() { String::new() } else { flavour.text(title) },
        time: time.map(str::to_owned),
        words,
        added: "2026-11-16T11:58:00Z".to_owned(),
        is_watched: words > 5000,
        reused: time.map(|_| Share::new(words / 3, words)),
        href: Some("/origins/reports/1".to_owned()),
    };
    let member =
        |name: &str, role, is_self| RepositoryMember { name: flavour.text(name), role, is_self };
    RepositoryDetail {
        row: row(flavour, "reports", Visibility::Public),
        role: Some(Role::Owner),
        query: flavour.text(""),
        sort: DocumentOrder::Added,
        documents: flavour.list(vec![
            document("Annual report 2023", "ar-2023.pdf", 18_402, Some("2024-01-31")),
            document("Report on libraries", "lib/2024/report.docx", 4_577, Some("2024")),
            document("", "untitled-7", 912, None),
        ]),
        paging: Paging {
            first: 1,
            last: 3,
            total: if flavour.is_empty() { 0 } else { 12_806 },
            previous: None,
            next: flavour.maybe("?page=2".to_owned()),
        },
        members: vec![
            member("maria", Role::Owner, true),
            member("ben", Role::Writer, false),
            member("li", Role::Reader, false),
        ],
        templates: flavour.list(vec![TemplateText {
            id: "1".to_owned(),
            name: flavour.text("cover sheet.docx"),
            words: 88,
        }]),
        stop_phrases: flavour.list(vec![
            StopPhrase { id: "1".to_owned(), phrase: flavour.text("all rights reserved") },
            StopPhrase { id: "2".to_owned(), phrase: "see above".to_owned() },
        ]),
        is_disclosed: !flavour.is_empty(),
        mail_address: flavour.maybe(flavour.text("reports@textkin.example")),
        invite: flavour.maybe(InvitePreview {
            name: flavour.text("bob"),
            role: Role::Reader,
            repositories: vec![
                (flavour.text("essays"), Visibility::Private),
                (flavour.text("news"), Visibility::Public),
            ],
        }),
        preview: flavour.maybe(PurgePreview {
            rule: flavour.text("older than 365 days"),
            documents: 312,
            words: 1_204_112,
            oldest: Some("2019-01-04T00:00:00Z".to_owned()),
            newest: Some("2025-11-15T00:00:00Z".to_owned()),
            examples: vec![
                flavour.text("Annual report 2018"),
                flavour.text("Minutes, 4 January 2019"),
            ],
            token: flavour.text("t"),
            older_than_days: Some(365),
            ..PurgePreview::default()
        }),
        receipt: flavour.maybe(DeletionReceipt {
            id: "R-118".to_owned(),
            time: "2026-11-16T12:01:00Z".to_owned(),
            documents: 2,
            words: 3_110,
            digest: flavour
                .text("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            href: Some("/api/v1/receipts/118".to_owned()),
        }),
        problem: None,
    }
}

pub(crate) fn origins(flavour: &Flavour) -> Origins {
    const DAY: i64 = 86_400;
    let from = 1_640_995_200;
    let lane = |name: &str, shift: i64| Lane {
        name: flavour.text(name),
        dots: (0..9)
            .map(|at| Dot {
                label: flavour.text(&format!("{name}, no. {at}")),
                at: from + (at * 90 + shift) * DAY,
                words: 400 * (at as u64 + 1),
                href: "/origins/news/1".to_owned(),
            })
            .collect(),
    };
    Origins {
        repositories: flavour
            .list(vec![Choice::new("news", true), Choice::new(flavour.text("reports"), false)]),
        filters: OriginFilters {
            from: "2022-01-01".to_owned(),
            min_documents: 2,
            ..OriginFilters::default()
        },
        timeline: ReuseTimeline {
            from,
            to: from + 820 * DAY,
            lanes: flavour.list(vec![
                lane("Morning paper", 0),
                lane("Evening paper", 25),
                lane("Wire", 60),
            ]),
            lines: (0..8)
                .map(|at| ReuseLine {
                    from: (0, at),
                    to: (1 + at % 2, at),
                    words: 40 * (at as u64 + 1),
                })
                .collect(),
        },
        documents: flavour.list(vec![OriginDocumentRow {
            document: link(flavour, "Reading rooms today", "news-88123", Some("2026-11-16")),
            reused: Share::new(409, 1030),
            origins: 3,
        }]),
        undated: if flavour.is_empty() { 0 } else { 17 },
        log: flavour.list(vec![ReattributionRow {
            time: "2026-11-16T10:00:00Z".to_owned(),
            document: link(flavour, "Reading rooms today", "news-88123", None),
            before: flavour.text("Evening paper, no. 4"),
            after: flavour.text("Morning paper, no. 2"),
            words: 88,
        }]),
        hidden: if flavour.is_empty() { 0 } else { 230 },
        shown: if flavour.is_empty() { 0 } else { 500 },
        total: if flavour.is_empty() { 0 } else { 21_578 },
        more_documents: if flavour.is_empty() { 0 } else { 12 },
    }
}

pub(crate) fn origin_document(flavour: &Flavour) -> OriginDocument {
    let origin_of = |index, state, documents| {
        Some(PassageOrigin {
            index,
            state,
            documents,
            fragment: (documents > 2).then(|| "/fragment/reports/1?from=3&to=90".to_owned()),
        })
    };
    let piece = |text: &str, origin| OriginPiece { text: flavour.text(text), origin };
    let origin = |title: &str, time, state, words| OriginRow {
        document: link(flavour, title, "id", time),
        state,
        words,
        compare: Some("/compare".to_owned()),
    };
    OriginDocument {
        document: link(flavour, "Reading rooms today", "news-88123", Some("2026-11-16")),
        words: 1030,
        original: if flavour.is_empty() { 1030 } else { 580 },
        reused: if flavour.is_empty() { 0 } else { 390 },
        unclear: if flavour.is_empty() { 0 } else { 60 },
        pieces: if flavour.is_empty() {
            vec![piece("Nothing here was found in an older document.", None)]
        } else {
            vec![
                piece("The reading rooms are full again. ", None),
                piece(
                    "They were opened in the spring of that year, and by the autumn more than four thousand people had taken out a card. ",
                    origin_of(0, OriginState::Earliest, 5),
                ),
                piece("Who would have thought so? ", None),
                piece(
                    "Nobody had expected the demand for evening hours, least of all the council. ",
                    origin_of(1, OriginState::Tied, 2),
                ),
                piece(
                    "It was settled, as such questions are, by a committee.",
                    origin_of(2, OriginState::Undated, 3),
                ),
            ]
        },
        origins: flavour.list(vec![
            origin(
                "Annual report of the libraries 2023",
                Some("2024-01-31"),
                OriginState::Earliest,
                390,
            ),
            origin("Evening paper, no. 4", Some("2026-11-16"), OriginState::Tied, 40),
            origin("A note", None, OriginState::Undated, 20),
        ]),
        earlier: None,
        later: None,
        is_without_text: false,
    }
}

pub(crate) fn fragment(flavour: &Flavour) -> Fragment {
    let occurrence = |title: &str, time, variant| Occurrence {
        document: link(flavour, title, "id", time),
        first_word: 1203,
        variant,
        compare: Some("/compare".to_owned()),
    };
    Fragment {
        text: flavour.text("By the autumn more than four thousand people had taken out a card."),
        words: 12,
        state: if flavour.is_empty() { OriginState::Undated } else { OriginState::Earliest },
        occurrences: flavour.list(vec![
            occurrence("Annual report of the libraries 2023", Some("2024-01-31"), Vec::new()),
            occurrence(
                "Reading rooms today",
                Some("2026-11-16"),
                super::checks::pieces(flavour, 0, 1),
            ),
            occurrence("A note", None, Vec::new()),
        ]),
        more: 4,
    }
}
