//! Check, results, side by side, graph.

use textkin_web::view::*;

use super::{Flavour, histogram, link, score};

pub(crate) fn probe(flavour: &Flavour) -> Probe {
    let choice = |name: &str, visibility, documents, is_chosen| RepositoryChoice {
        name: flavour.text(name),
        visibility,
        documents,
        is_chosen,
    };
    Probe {
        against: flavour.list(vec![
            choice("reports", Visibility::Public, 12_806, true),
            choice("theses", Visibility::Private, 812, true),
            choice("news", Visibility::Public, 1_203_441, false),
        ]),
        into: flavour.list(vec![choice("theses", Visibility::Private, 812, true)]),
        action: SubmitAction::Probe,
        text: flavour.text(""),
        title: flavour.text(""),
        url: flavour.text("https://example.org/page"),
        allows_url: true,
        exclusions: Exclusions { quotes: true, bibliography: true, ..Exclusions::default() },
        max_bytes: 100_000_000,
        problem: flavour.maybe(flavour.text("Choose a file or paste a text")),
    }
}

pub(crate) fn batch(flavour: &Flavour) -> BatchResults {
    let row = |name: &str| BatchRow { name: flavour.text(name), ..BatchRow::default() };
    let href = Some("/results/8".to_owned());
    let rows = vec![
        BatchRow {
            problem: Some(flavour.text("This PDF is password-protected")),
            ..row("secret.pdf")
        },
        BatchRow {
            found: Some(Share::new(412, 1030)),
            best: Some((flavour.text("Annual report 2023"), Share::new(212, 1030))),
            documents: 7,
            href: href.clone(),
            ..row("thesis.pdf")
        },
        BatchRow {
            found: Some(Share::new(0, 88)),
            href,
            warnings: vec![flavour.text("12 look-alike letters from other alphabets")],
            ..row("letter.docx")
        },
        row("big.zip › chapter 1.txt"),
    ];
    BatchResults {
        id: "8".to_owned(),
        time: "2026-11-16T12:00:00Z".to_owned(),
        action: SubmitAction::Register,
        rows: flavour.list(rows),
        total: 4,
        expected: 100,
        is_running: !flavour.is_empty(),
        query: flavour.text(""),
        min: 5,
        sort: BatchOrder::Share,
        exclusions: Exclusions { quotes: true, ..Exclusions::default() },
        view_query: "quotes=1&sort=share".to_owned(),
    }
}

pub(crate) fn numbers() -> Numbers {
    Numbers { min_match: 8, some: 0.05, high: 0.5, max_graph: 5_000 }
}

pub(crate) fn result_list(flavour: &Flavour) -> ResultList {
    let row = |title: &str| ResultRow {
        title: flavour.text(title),
        time: "2026-11-16T12:00:00Z".to_owned(),
        href: "/results/8".to_owned(),
        ..ResultRow::default()
    };
    ResultList {
        rows: flavour.list(vec![
            ResultRow {
                files: Some(100),
                repository: flavour.maybe(flavour.text("theses")),
                ..row("100 documents")
            },
            ResultRow { found: Some(Share::new(412, 1030)), documents: 7, ..row("thesis.pdf") },
        ]),
        query: flavour.text(""),
        paging: Paging {
            first: 1,
            last: 2,
            total: if flavour.is_empty() { 0 } else { 230 },
            previous: None,
            next: flavour.maybe("/results?page=1".to_owned()),
        },
    }
}

pub(crate) fn results(flavour: &Flavour) -> Results {
    let segment = |from, to, kind| StripSegment { from, to, kind };
    let source =
        |number: usize, title: &str, score: Score, level, badges: Vec<Badge>| ResultSource {
            number,
            document: link(flavour, title, "id", Some("2021-05")),
            score,
            longest_run: 88,
            level,
            badges,
            compare: Some(format!("/results/7/compare/{number}")),
            ..ResultSource::default()
        };
    let mut sources = flavour.list(vec![
        source(
            1,
            "Annual report of the libraries 2023",
            score(412, 1030, 409, 4577),
            MatchLevel::Some,
            vec![Badge::Older, Badge::SameCluster],
        ),
        source(
            2,
            "Report (copy)",
            score(1030, 1030, 1030, 1030),
            MatchLevel::Exact,
            vec![Badge::ExactCopy, Badge::Newer],
        ),
        source(4, "", score(30, 1030, 31, 0), MatchLevel::Some, vec![]),
    ]);
    if !sources.is_empty() {
        sources.insert(
            2,
            ResultSource {
                is_private_match: true,
                contact: Some("/results/7/ask/3".to_owned()),
                ..source(3, "", score(60, 1030, 0, 0), MatchLevel::Some, vec![])
            },
        );
        for number in 5..=9 {
            sources.push(source(
                number,
                "Minutes of a meeting",
                score(20, 1030, 20, 340),
                MatchLevel::Some,
                vec![],
            ));
        }
    }
    Results {
        id: "7".to_owned(),
        title: flavour.text("On libraries.pdf"),
        time: "2026-11-16T12:00:00Z".to_owned(),
        registered: flavour.maybe(link(flavour, "On libraries", "on-libraries", None)),
        is_watched: !flavour.is_empty(),
        against: flavour.list(vec!["reports".to_owned(), flavour.text("theses")]),
        share: Share::new(if flavour.is_empty() { 0 } else { 412 }, 1030),
        raw: Share::new(
            if flavour.is_empty() { 0 } else { 590 },
            if flavour.is_empty() { 1030 } else { 1210 },
        ),
        documents: if flavour.is_empty() { 0 } else { 9 },
        strip: Strip {
            words: 1210,
            segments: flavour.list(vec![
                segment(20, 260, MarkKind::Source(1)),
                segment(300, 480, MarkKind::Excluded(flavour.text("quotation"))),
                segment(500, 560, MarkKind::Source(3)),
                segment(640, 760, MarkKind::Source(7)),
                segment(800, 803, MarkKind::Source(9)),
                segment(900, 1000, MarkKind::Source(8)),
            ]),
        },
        text: Some(marked(flavour)),
        sources,
        more_sources: if flavour.is_empty() { 0 } else { 14 },
        exclusions: Exclusions { min_run: 8, quotes: true, ..Exclusions::default() },
        warnings: flavour.list(vec![flavour.text("31 zero-width characters between letters")]),
        query: "min_run=8&quotes=1".to_owned(),
        ..Results::default()
    }
}

const SENTENCES: [&str; 6] = [
    "The reading rooms of the city were opened in the spring of that year, and by the autumn more than four thousand people had taken out a card. ",
    "Nobody had expected the demand for evening hours, least of all the council. ",
    "Books were returned on time, lamps were repaired, and the heating was paid for by subscription. ",
    "A second room, for children, followed two winters later on the other side of the river. ",
    "What remained open was the question of who should choose the books. ",
    "It was settled, as such questions are, by a committee. ",
];

/// Returns the text of a result: sentences, some of them matches or excluded.
fn marked(flavour: &Flavour) -> MarkedText {
    let mut marked = MarkedText::default();
    let kinds = [
        None,
        Some(MarkKind::Source(1)),
        None,
        Some(MarkKind::Excluded(flavour.text("quotation"))),
        None,
        Some(MarkKind::Source(3)),
        None,
        Some(MarkKind::Source(7)),
        Some(MarkKind::Source(9)),
        None,
        Some(MarkKind::Source(8)),
        None,
    ];
    for (at, kind) in kinds.into_iter().enumerate() {
        let start = marked.text.len();
        marked.text += &flavour.text(SENTENCES[(at * 5 + 1) % 6]);
        let end = marked.text.trim_end().len().max(start);
        marked.text += if at % 4 == 3 { "\n\n" } else { " " };
        let kind = kind.and_then(|kind| flavour.maybe(kind));
        marked.marks.extend(kind.map(|kind| TextMark { start, end, kind }));
    }
    marked
}

/// Returns a text with this many matches; `side` 0 or 1 changes a word.
pub(crate) fn pieces(flavour: &Flavour, side: usize, matches: usize) -> Vec<TextPiece> {
    let piece = |text: &str, match_index, kind| TextPiece {
        text: flavour.text(text),
        match_index,
        kind,
        ..TextPiece::default()
    };
    let mut pieces = Vec::new();
    let order: Vec<usize> = if side == 0 {
        (0..matches).collect()
    } else {
        (0..matches).map(|at| (at + matches - 1) % matches.max(1)).collect()
    };
    for index in order {
        pieces.push(piece(SENTENCES[(index + side + 1) % 6], None, PieceKind::Same));
        let shared = SENTENCES[index % 6];
        let (head, tail) = shared.split_at(shared.find(' ').unwrap_or(3));
        pieces.push(piece(head, Some(index), PieceKind::Same));
        pieces.push(piece(
            if side == 0 { " so-called" } else { "" },
            Some(index),
            PieceKind::Changed,
        ));
        pieces.push(piece(" and yet", Some(index), PieceKind::TooShort));
        pieces.push(piece(tail, Some(index), PieceKind::Same));
        pieces.push(piece("\n\n", None, PieceKind::Same));
    }
    pieces.push(TextPiece {
        excluded: Some(flavour.text("quotation")),
        ..piece("“Who reads, lives twice,” it said above the door. ", None, PieceKind::Same)
    });
    pieces.push(TextPiece {
        is_repeat: true,
        ..piece("Nobody had expected the demand for evening hours. ", None, PieceKind::Same)
    });
    pieces.push(TextPiece { is_disguised: true, ..piece("\u{430}", None, PieceKind::Same) });
    pieces.push(piece("nd so it went on for a while.\n", None, PieceKind::Same));
    pieces
}

pub(crate) fn compare(flavour: &Flavour) -> SideBySide {
    let count = if flavour.is_empty() { 0 } else { 14 };
    let place = |at: usize, words| PassagePosition {
        first_word: at as u64 * 52,
        words,
        first_byte: at as u64 * 310,
        end_byte: at as u64 * 310 + 150,
    };
    let matches = (0..count).map(|at| ComparedPassage {
        words: 24 + at as u64,
        a: place(at, 28),
        b: place((at + 1) % count, 27),
        is_moved: at + 1 == count,
        other_documents: (at % 3 != 2).then_some(at as u64),
        fragment: (at % 3 == 1).then(|| "/fragment/reports/1?from=3&to=90".to_owned()),
    });
    SideBySide {
        a: ComparedText {
            document: link(flavour, "On libraries.pdf", "on-libraries", None),
            pieces: pieces(flavour, 0, count),
            shown: (40_000, 80_000, 400_000),
            earlier: flavour.maybe("/compare?from_a=0&to_a=40000".to_owned()),
            later: flavour.maybe("/compare?from_a=80000".to_owned()),
            ..ComparedText::default()
        },
        b: ComparedText {
            document: link(
                flavour,
                "Annual report of the libraries 2023",
                "ar-2023.pdf",
                Some("2024-01-31"),
            ),
            pieces: pieces(flavour, 1, count),
            is_without_text: flavour.is_empty(),
            ..ComparedText::default()
        },
        score: score(412, 728, 409, 728),
        raw: flavour.maybe(score(590, 1210, 588, 4700)),
        matches: matches.collect(),
        k: 8,
        tabs: flavour.list(vec![
            Tab {
                label: flavour.text("Annual report 2023"),
                href: "/results/7/compare/1".to_owned(),
                is_current: true,
            },
            Tab {
                label: flavour.text("Report (copy)"),
                href: "/results/7/compare/2".to_owned(),
                is_current: false,
            },
        ]),
        back: flavour.maybe("/results/7".to_owned()),
        decision: flavour.maybe(Decision {
            action: "/results/7/compare/1/decision".to_owned(),
            state: DecisionState::Accepted,
            note: flavour.text("Quoted with permission."),
            by: Some(flavour.text("maria")),
            time: Some("2026-11-16T12:04:00Z".to_owned()),
        }),
        report: Some("/results/7/compare/1/report.html".to_owned()),
        is_anonymous: false,
        anonymise: Some("/results/7/compare/1?anonymise=1".to_owned()),
        warnings: flavour
            .list(vec![flavour.text("Text B: 1 look-alike letter from another alphabet")]),
        around: None,
    }
}

pub(crate) fn graph(flavour: &Flavour, is_open: bool) -> GraphExplorer {
    let cluster = |at: usize| GraphCluster {
        id: at.to_string(),
        label: flavour.text(
            ["Annual reports", "Minutes", "A letter to the council", "Rules of the house"][at % 4],
        ),
        size: 200 / (at as u64 + 1) + 2,
        density: 1.0 / (1.0 + at as f64 / 4.0),
        weakest: (!at.is_multiple_of(3)).then_some(0.2 + at as f64 / 60.0),
        href: format!("/graph?repository=reports&threshold=20&cluster={at}"),
    };
    let node = |at: usize| GraphNode {
        id: format!("n{at}"),
        label: flavour.text(&format!("Document {at}")),
        repository: flavour.text("reports"),
        group: if at.is_multiple_of(3) {
            flavour.text("reports")
        } else {
            format!("group {}", at % 3)
        },
        time: (!at.is_multiple_of(4)).then(|| format!("20{:02}-05-01", 10 + at % 15)),
        words: 300 + 77 * at as u64,
        degree: 3,
        href: Some(format!("/origins/reports/{at}")),
    };
    let edge = |from: usize, to: usize| GraphEdge {
        from: format!("n{from}"),
        to: format!("n{to}"),
        score: 0.25 + ((from * 7 + to) % 70) as f64 / 100.0,
        words: 40 + (from * to) as u64,
        is_dated: !from.is_multiple_of(4) && !to.is_multiple_of(4),
        href: Some("/compare?a=reports/1&b=reports/2".to_owned()),
    };
    let half = 14;
    let mut edges: Vec<GraphEdge> =
        (0..half).flat_map(|at| [edge(at, (at + 1) % half), edge(at, (at + 3) % half)]).collect();
    edges.extend((half..22).map(|at| edge(at, half + (at + 1 - half) % 8)));
    edges.push(edge(3, 17));
    let open = is_open.then(|| ClusterDetail {
        cluster: GraphCluster { size: 22, ..cluster(1) },
        nodes: (0..22).map(node).collect(),
        edges,
        more_nodes: 0,
        bridge: Some(Bridge {
            from: "n3".to_owned(),
            to: "n17".to_owned(),
            from_label: flavour.text("Document 3"),
            to_label: flavour.text("Document 17"),
            score: 0.23,
            from_size: 14,
            to_size: 8,
            split: "/graph?repository=reports&cluster=1&cut=n3~n17".to_owned(),
        }),
        near_misses: vec![NearMiss {
            label: flavour.text("A similar document"),
            nearest: flavour.text("Document 5"),
            score: 0.18,
            href: Some("/compare".to_owned()),
        }],
        back: "/graph?repository=reports&threshold=20".to_owned(),
    });
    GraphExplorer {
        repositories: flavour
            .list(vec![Choice::new("reports", true), Choice::new(flavour.text("theses"), false)]),
        threshold: 20,
        histogram: histogram(flavour, 20),
        mode: GraphMode::Graph,
        colour: Colour::Source,
        data: GraphData {
            documents: 12_806,
            edges: 2_210,
            clusters: flavour.list((0..24).map(cluster).collect()),
            more_clusters: if flavour.is_empty() { 0 } else { 88 },
            open: open.filter(|_| !flavour.is_empty()),
        },
        query: format!(
            "repository=reports&threshold=20{}",
            if is_open { "&cluster=1" } else { "" }
        ),
        omitted: if flavour.is_empty() { 0 } else { 16_578 },
        is_running: false,
    }
}
