//! Side-by-side comparisons.

use axum::extract::Path;
use rusqlite::{OptionalExtension, params};
use textkin::engine::TextComparison;
use textkin::engine::types::{SegmentKind, Span};
use textkin_web::format::segment;
use textkin_web::page::ComparePage;
use textkin_web::view::{
    ComparedPassage, ComparedText, Decision, DecisionState, DocumentLink, NavItem, PassagePosition,
    PieceKind, Score, Share, SideBySide, Tab, TextPiece,
};

use super::links::link;
use super::origins::fragment_at;
use super::response::{PageResult, download, html, iso, to};
use super::results::{exclusions, query_of};
use super::visitor::{SubmittedForm, Visitor};
use crate::access::{Actor, Scope};
use crate::error::Error;
use crate::index::K;
use crate::service::Service;
use crate::service::exclusions::{Comparer, Exclusions};
use crate::store::now;

/// One of the two texts, with a link to its document.
#[derive(Clone, Debug)]
struct NamedText {
    link: DocumentLink,
    text: String,
}

fn named(service: &Service, actor: &Actor, repository: &str, id: &str) -> Result<NamedText, Error> {
    let view = service.document(actor, repository, id, true)?;
    let link = link(&view);
    let text = view.text.ok_or_else(|| {
        Error::Invalid(
            "the text of one of the documents is not stored, so it cannot be compared".to_owned(),
        )
    })?;
    Ok(NamedText { link, text })
}

/// Returns the text of a result, its source number `n`, tabs for all sources, and the comparer.
fn of_source(
    service: &Service,
    actor: &Actor,
    id: &str,
    n: usize,
    exclusions: &Exclusions,
) -> Result<(NamedText, NamedText, Vec<Tab>, Comparer), Error> {
    let saved = service.saved_result(actor, id)?;
    let findings = service.result_details(actor, &saved, exclusions)?;
    let query = query_of(exclusions);
    let query = if query.is_empty() { query } else { format!("?{query}") };
    let tabs = findings.sources.iter().enumerate().filter(|(_, source)| source.has_text);
    let tabs = tabs.map(|(at, source)| Tab {
        label: source.matched.title.clone().or(source.matched.id.clone()).unwrap_or_default(),
        href: format!("/results/{}/compare/{}{query}", segment(id), at + 1),
        is_current: at + 1 == n,
    });
    let tabs = tabs.collect();
    let comparer = findings.comparer;
    let source = n.checked_sub(1).and_then(|at| findings.sources.into_iter().nth(at));
    let matched = source.ok_or_else(|| Error::not_found("source", &n.to_string()))?.matched;
    let (Some(repository), Some(own)) = (&matched.repository, &matched.id) else {
        return Err(Error::not_found("source", &n.to_string()));
    };
    let b = named(service, actor, repository, own)?;
    let link = DocumentLink { title: saved.title.clone(), ..DocumentLink::default() };
    Ok((NamedText { link, text: saved.text }, b, tabs, comparer))
}

/// `GET /results/{id}/compare/{n}`.
pub(super) async fn of_result(
    visitor: Visitor,
    Path((id, n)): Path<(String, usize)>,
) -> PageResult {
    let exclusions = exclusions(&visitor.query);
    let is_anonymous = visitor.query.is_on("anonymise");
    let view = visitor
        .run(move |service, actor| {
            let (a, b, tabs, comparer) = of_source(service, actor, &id, n, &exclusions)?;
            let base = format!("/results/{}", segment(&id));
            let query = query_of(&exclusions);
            let with_query = |more: &str| match (query.is_empty(), more.is_empty()) {
                (true, true) => String::new(),
                (true, false) => format!("?{more}"),
                (false, true) => format!("?{query}"),
                (false, false) => format!("?{query}&{more}"),
            };
            let decision =
                decision(service, actor, &a, &b, format!("{base}/compare/{n}/decision"))?;
            let mut view =
                side_by_side(service, actor, a, b, &comparer, &exclusions, is_anonymous)?;
            view.tabs = tabs;
            view.back = Some(format!("{base}{}", with_query("")));
            view.report = Some(format!("{base}/compare/{n}/report.html{}", with_query("")));
            let switched = if is_anonymous { "" } else { "anonymise=1" };
            view.anonymise = Some(format!("{base}/compare/{n}{}", with_query(switched)));
            view.decision = Some(decision);
            Ok(view)
        })
        .await?;
    Ok(html(ComparePage { frame: &visitor.frame(NavItem::Probe), view: &view }.render()?))
}

/// `GET /results/{id}/compare/{n}/report.html`: a report that `textkin verify` can check.
pub(super) async fn report_of_result(
    visitor: Visitor,
    Path((id, n)): Path<(String, usize)>,
) -> PageResult {
    let exclusions = exclusions(&visitor.query);
    let page = visitor
        .run(move |service, actor| {
            let (a, b, _, comparer) = of_source(service, actor, &id, n, &exclusions)?;
            let comparison = comparer.compare_verifiably(&a.text, &b.text)?;
            let view = comparison.view([a.link.name(), &a.text], [b.link.name(), &b.text]);
            Ok(textkin::engine::report::comparison_page(&view))
        })
        .await?;
    Ok(download("report.html", "text/html; charset=utf-8", page.into_bytes()))
}

/// `GET /compare?a=REPO/ID&b=REPO/ID`.
pub(super) async fn of_documents(visitor: Visitor) -> PageResult {
    let exclusions = exclusions(&visitor.query);
    let is_anonymous = visitor.query.is_on("anonymise");
    let names = [visitor.query.get("a").to_owned(), visitor.query.get("b").to_owned()];
    let view = visitor
        .run(move |service, actor| {
            let find = |name: &String| {
                let (repository, id) = name.split_once('/').ok_or_else(|| {
                    Error::Invalid("name both documents: ?a=REPOSITORY/ID&b=REPOSITORY/ID".into())
                })?;
                named(service, actor, repository, id)
            };
            let [a, b] = &names;
            let (a, b) = (find(a)?, find(b)?);
            let repositories = [&a.link.repository[..], &b.link.repository[..]];
            let comparer = service.comparer_of(actor, &exclusions, &repositories)?;
            side_by_side(service, actor, a, b, &comparer, &exclusions, is_anonymous)
        })
        .await?;
    Ok(html(ComparePage { frame: &visitor.frame(NavItem::Repositories), view: &view }.render()?))
}

fn side_by_side(
    service: &Service,
    actor: &Actor,
    mut a: NamedText,
    mut b: NamedText,
    comparer: &Comparer,
    exclusions: &Exclusions,
    is_anonymous: bool,
) -> Result<SideBySide, Error> {
    let comparison = comparer.compare(&a.text, &b.text)?;
    let mut matches: Vec<ComparedPassage> =
        comparison.alignment.passages.iter().map(shared_match).collect();
    // The second text is always a document, so its passages are looked up in other documents.
    let spans: Vec<Span> =
        comparison.alignment.passages.iter().map(|passage| passage.b.span).collect();
    let except =
        [(&a.link.repository[..], &a.link.id[..]), (&b.link.repository[..], &b.link.id[..])];
    let others = service.count_containing_documents(actor, &b.text, &spans, &except)?;
    for ((found, span), others) in matches.iter_mut().zip(&spans).zip(others) {
        found.other_documents = Some(others);
        let is_linked = others > 0 && !is_anonymous;
        found.fragment =
            is_linked.then(|| fragment_at(&b.link.repository, &b.link.id, span.start, span.end));
    }
    if is_anonymous {
        let plain = |title: &str| DocumentLink { title: title.to_owned(), ..Default::default() };
        (a.link, b.link) = (plain("Text A"), plain("Text B"));
    }
    let score = |overlap: &textkin::engine::types::Overlap| {
        Score::new(
            Share::new(overlap.covered_a, overlap.words_a),
            Share::new(overlap.covered_b, overlap.words_b),
        )
    };
    let notes = comparison.notes_a.iter().chain(&comparison.notes_b);
    Ok(SideBySide {
        score: score(&comparison.alignment.overlap),
        raw: comparison.raw.as_ref().map(score),
        matches,
        k: exclusions.min_run.max(K.get()),
        is_anonymous,
        warnings: notes.map(ToString::to_string).collect(),
        a: ComparedText {
            pieces: pieces(&a.text, &comparison, true),
            document: a.link,
            ..ComparedText::default()
        },
        b: ComparedText {
            pieces: pieces(&b.text, &comparison, false),
            document: b.link,
            ..ComparedText::default()
        },
        ..SideBySide::default()
    })
}

fn shared_match(passage: &textkin::engine::types::Passage) -> ComparedPassage {
    let position = |range: &textkin::engine::types::WordSpan| PassagePosition {
        first_word: u64::from(range.first),
        words: u64::from(range.count),
        first_byte: u64::from(range.span.start),
        end_byte: u64::from(range.span.end),
    };
    ComparedPassage {
        words: u64::from(passage.matched),
        a: position(&passage.a),
        b: position(&passage.b),
        is_moved: passage.is_moved,
        other_documents: None,
        fragment: None,
    }
}

/// Returns the whole text, cut wherever its marking changes.
pub(super) fn pieces(text: &str, comparison: &TextComparison, is_a: bool) -> Vec<TextPiece> {
    let alignment = &comparison.alignment;
    let side = |a: Span, b: Span| if is_a { a } else { b };
    let mut segments: Vec<(Span, usize, PieceKind)> = Vec::new();
    for (number, passage) in alignment.passages.iter().enumerate() {
        for part in &passage.segments {
            let kind = match part.kind {
                SegmentKind::Same => PieceKind::Same,
                SegmentKind::Kept => PieceKind::TooShort,
                SegmentKind::Changed => PieceKind::Changed,
            };
            segments.push((side(part.a.span, part.b.span), number, kind));
        }
        // Text between two segments belongs to the passage too.
        let whole = side(passage.a.span, passage.b.span);
        segments.push((whole, number, PieceKind::Changed));
    }
    let excluded = if is_a { &comparison.excluded_a } else { &comparison.excluded_b };
    let repeats = if is_a { &alignment.repeats_a } else { &alignment.repeats_b };
    let disguised = if is_a { &comparison.disguised_a } else { &comparison.disguised_b };
    let mut edges: Vec<u32> = vec![0, u32::try_from(text.len()).unwrap_or(u32::MAX)];
    let spans = segments.iter().map(|segment| segment.0);
    let spans = spans.chain(excluded.iter().map(|part| part.span));
    let spans = spans.chain(repeats.iter().map(|repeat| repeat.here.span));
    for span in spans.chain(disguised.iter().copied()) {
        edges.extend([span.start, span.end]);
    }
    edges.sort_unstable();
    edges.dedup();
    // Narrower segments come last and take precedence.
    segments.sort_by_key(|segment| (segment.0.start, std::cmp::Reverse(segment.0.end)));
    let mut pieces = Vec::new();
    let mut open: Vec<(Span, usize, PieceKind)> = Vec::new();
    let mut next = segments.into_iter().peekable();
    for pair in edges.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        while let Some(segment) = next.next_if(|segment| segment.0.start <= start) {
            open.push(segment);
        }
        open.retain(|segment| segment.0.end > start);
        let inside = |span: &Span| span.start <= start && end <= span.end;
        let narrowest = open.iter().filter(|segment| inside(&segment.0));
        let of = narrowest.min_by_key(|segment| segment.0.end - segment.0.start);
        let reason = excluded.iter().find(|part| inside(&part.span)).map(|part| part.reason);
        let Some(text) = text.get(start as usize..end as usize) else { continue };
        let blank = text.chars().all(char::is_whitespace);
        pieces.push(TextPiece {
            text: text.to_owned(),
            match_index: of.map(|segment| segment.1),
            // Whitespace between equal words is not a difference.
            kind: of.map_or(PieceKind::Same, |segment| match blank {
                true => PieceKind::Same,
                false => segment.2,
            }),
            excluded: reason.map(|reason| reason.name().to_owned()),
            is_repeat: of.is_none() && repeats.iter().any(|repeat| inside(&repeat.here.span)),
            is_disguised: disguised.iter().any(inside),
        });
    }
    pieces
}

/// Returns the decision about two texts, which are identified by their digests.
fn decision(
    service: &Service,
    actor: &Actor,
    a: &NamedText,
    b: &NamedText,
    action: String,
) -> Result<Decision, Error> {
    let (a, b) = (key(&a.text), key(&b.text));
    let account = actor.account;
    let found = service.store.read(|read| {
        let sql = "SELECT state, note, at, account.name FROM decision
                   JOIN account ON account.id = decision.account
                   JOIN member ON member.team = decision.team
                   WHERE a = ?1 AND b = ?2 AND member.account = ?3
                   ORDER BY decision.id DESC LIMIT 1";
        let row = |row: &rusqlite::Row<'_>| {
            let row: (String, String, i64, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(row)
        };
        Ok(read.query_row(sql, params![a, b, account], row).optional()?)
    })?;
    let Some((state, note, at, by)) = found else {
        return Ok(Decision { action, ..Decision::default() });
    };
    let state = DecisionState::ALL.iter().find(|own| own.name() == state);
    let state = state.copied().unwrap_or_default();
    Ok(Decision { action, state, note, by: Some(by), time: Some(iso(at)) })
}

fn key(text: &str) -> i64 {
    let digest = blake3::hash(text.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    i64::from_le_bytes(first)
}

/// `POST /results/{id}/compare/{n}/decision`.
pub(super) async fn decide(
    Path((id, n)): Path<(String, usize)>,
    posted: SubmittedForm,
) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    let state = DecisionState::ALL.iter().find(|state| state.name() == fields.get("state"));
    let state = state.copied().unwrap_or_default().name();
    let note: String = fields.get("note").chars().take(10_000).collect();
    let address = format!("/results/{}/compare/{n}?notice=saved", segment(&id));
    visitor
        .run(move |service, actor| {
            actor.require_scope(Scope::Register)?;
            let (a, b, ..) = of_source(service, actor, &id, n, &Exclusions::default())?;
            let (a, b, account) = (key(&a.text), key(&b.text), actor.account);
            service.store.write(move |write| {
                // The personal team of the account.
                let sql = "INSERT INTO decision (team, account, a, b, state, note, at)
                           SELECT team.id, ?1, ?2, ?3, ?4, ?5, ?6 FROM team
                           JOIN account ON account.name = team.name WHERE account.id = ?1";
                write.execute(sql, params![account, a, b, state, note, now()])?;
                Ok(())
            })
        })
        .await?;
    Ok(to(&address))
}
