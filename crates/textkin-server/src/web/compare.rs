//! Side-by-side comparisons.

use std::ops::Range;

use axum::extract::Path;
use textkin::engine::types::{SegmentKind, Span};
use textkin_web::format::segment;
use textkin_web::joined_lines;
use textkin_web::page::ComparePage;
use textkin_web::view::{
    ComparedPassage, ComparedText, Decision, DecisionState, DocumentLink, NavItem, PassagePosition,
    PieceKind, Score, Share, SideBySide, Tab, TextPiece,
};

use super::fields::Fields;
use super::links::link;
use super::origins::fragment_at;
use super::response::{PageResult, download, html, iso, to};
use super::results::{exclusions, query_of};
use super::visitor::{SubmittedForm, Visitor};
use super::windows::{self, Position};
use textkin_registry::{
    Actor, CHUNK_WORDS, ComparisonDetails, Error, Exclusions, MatchedSource, ResultDetails,
    SavedResult, Service, TextDigest,
};

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

/// A saved result and one of its sources.
struct SourceOfResult {
    saved: SavedResult,
    details: ResultDetails,
    /// The index of the source.
    at: usize,
    /// Repository and id of the source.
    name: (String, String),
}

impl SourceOfResult {
    /// Returns source number `n` of a result.
    fn new(
        service: &Service,
        actor: &Actor,
        id: &str,
        n: usize,
        exclusions: &Exclusions,
    ) -> Result<Self, Error> {
        let saved = service.saved_result(actor, id)?;
        let details = service.result_details(actor, &saved, exclusions)?;
        let missing = || Error::not_found("source", &n.to_string());
        let at = n.checked_sub(1).ok_or_else(missing)?;
        let matched = &details.sources.get(at).ok_or_else(missing)?.matched;
        let name = matched.repository.clone().zip(matched.id.clone()).ok_or_else(missing)?;
        Ok(Self { saved, details, at, name })
    }

    fn source(&self) -> &MatchedSource {
        &self.details.sources[self.at]
    }

    /// Returns tabs for all sources.
    fn tabs(&self, query: &str) -> Vec<Tab> {
        let sources = self.details.sources.iter().enumerate();
        let tabs = sources.filter(|(_, source)| source.has_text).map(|(at, source)| Tab {
            label: source.matched.title.clone().or(source.matched.id.clone()).unwrap_or_default(),
            href: format!("/results/{}/compare/{}{query}", segment(&self.saved.id), at + 1),
            is_current: at == self.at,
        });
        tabs.collect()
    }

    /// Returns both texts.
    fn texts(&self, service: &Service, actor: &Actor) -> Result<[NamedText; 2], Error> {
        let b = named(service, actor, &self.name.0, &self.name.1)?;
        let link = DocumentLink { title: self.saved.title.clone(), ..DocumentLink::default() };
        Ok([NamedText { link, text: self.saved.text.clone() }, b])
    }

    /// Returns the digests of both texts.
    fn digests(&self, service: &Service, actor: &Actor) -> Result<[TextDigest; 2], Error> {
        let document = service.document(actor, &self.name.0, &self.name.1, false)?;
        let b = TextDigest::from_hex(&document.digest);
        let b = b.ok_or_else(|| Error::not_found("document", &self.name.1))?;
        Ok([TextDigest::of_text(&self.saved.text), b])
    }
}

/// `GET /results/{id}/compare/{n}`.
pub(super) async fn of_result(
    visitor: Visitor,
    Path((id, n)): Path<(String, usize)>,
) -> PageResult {
    let exclusions = exclusions(&visitor.query);
    let is_anonymous = visitor.query.is_on("anonymise");
    let place = Place::read(&visitor.query);
    let view = visitor
        .run(move |service, actor| {
            let found = SourceOfResult::new(service, actor, &id, n, &exclusions)?;
            let base = format!("/results/{}", segment(&id));
            let query = query_of(&exclusions);
            let with_query = |more: &str| match (query.is_empty(), more.is_empty()) {
                (true, true) => String::new(),
                (true, false) => format!("?{more}"),
                (false, true) => format!("?{query}"),
                (false, false) => format!("?{query}&{more}"),
            };
            let digests = found.digests(service, actor)?;
            let decision =
                decision(service, actor, digests, format!("{base}/compare/{n}/decision"))?;
            let comparison =
                service.result_comparison(actor, &found.saved, found.source(), &exclusions)?;
            let passages = comparison.passages.iter();
            let others = passages
                .map(|passage| found.details.other_documents(passage.a.span, found.source()))
                .collect();
            let names = if is_anonymous { "anonymise=1" } else { "" };
            let address = format!("{base}/compare/{n}{}", with_query(names));
            let place = Place { address, ..place };
            let mut view = side_by_side(
                found.texts(service, actor)?,
                &comparison,
                others,
                &exclusions,
                is_anonymous,
                &place,
            );
            view.tabs = found.tabs(&with_query(""));
            view.back = Some(format!("{base}{}", with_query("")));
            view.report = Some(format!("{base}/compare/{n}/report.html{}", with_query("")));
            let switched = if is_anonymous { "" } else { "anonymise=1" };
            view.anonymise = Some(format!("{base}/compare/{n}{}", with_query(switched)));
            view.decision = Some(decision);
            Ok(view)
        })
        .await?;
    Ok(html(ComparePage { frame: &visitor.frame(NavItem::Results), view: &view }.render()?))
}

/// `GET /results/{id}/compare/{n}/report.html`: a report that `textkin verify` can check. It is made
/// from both texts, because it proves what they share.
pub(super) async fn report_of_result(
    visitor: Visitor,
    Path((id, n)): Path<(String, usize)>,
) -> PageResult {
    let exclusions = exclusions(&visitor.query);
    let page = visitor
        .run(move |service, actor| {
            let found = SourceOfResult::new(service, actor, &id, n, &exclusions)?;
            let [a, b] = found.texts(service, actor)?;
            let comparer = service.comparer_of_result(actor, &found.saved, &exclusions)?;
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
    let place = Place::read(&visitor.query);
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
            let texts = [&a.text[..], &b.text[..]];
            let comparison = service.text_comparison(actor, &exclusions, &repositories, texts)?;
            let spans = comparison.passages.iter().map(|passage| passage.b.span);
            let spans: Vec<Span> = spans.collect();
            let except = [&a.link, &b.link].map(|link| (&link.repository[..], &link.id[..]));
            let others = service.count_containing_documents(actor, &b.text, &spans, &except)?;
            let [name_a, name_b] = [&names[0], &names[1]].map(|name| segment(name));
            let mut address = format!("/compare?a={name_a}&b={name_b}");
            for more in
                [query_of(&exclusions), if is_anonymous { "anonymise=1" } else { "" }.into()]
            {
                if !more.is_empty() {
                    address += &format!("&{more}");
                }
            }
            let place = Place { address, ..place };
            Ok(side_by_side([a, b], &comparison, others, &exclusions, is_anonymous, &place))
        })
        .await?;
    Ok(html(ComparePage { frame: &visitor.frame(NavItem::Repositories), view: &view }.render()?))
}

/// Where the reader is in two texts.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The URL of the page, without a position.
    address: String,
    positions: [Position; 2],
    /// The match to show, counted from 1.
    number: Option<usize>,
}

impl Place {
    fn read(query: &Fields) -> Self {
        Self {
            address: String::new(),
            positions: ["_a", "_b"].map(|suffix| Position::read(query, suffix)),
            number: query.number("match"),
        }
    }

    /// Returns the URL of the page with more fields.
    fn with(&self, more: &str) -> String {
        let separator = if self.address.contains('?') { '&' } else { '?' };
        format!("{}{separator}{more}", self.address)
    }
}

/// Returns both sides with their texts, or the parts of long texts at a place.
fn sides(
    texts: [NamedText; 2],
    comparison: &ComparisonDetails,
    place: &Place,
) -> [ComparedText; 2] {
    let about = place.number.and_then(|number| comparison.passages.get(number.checked_sub(1)?));
    let about = about.or(comparison.passages.first());
    let about = about.map_or([0, 0], |passage| [passage.a.span.start, passage.b.span.start]);
    let shown =
        [0, 1].map(|side| place.positions[side].window(&texts[side].text, about[side] as usize));
    let mut side = 0;
    texts.map(|own| {
        let window = shown[side].clone();
        let other = windows::query(&shown[1 - side], ["_b", "_a"][side]);
        let address = |fields: String| place.with(&format!("{fields}&{other}"));
        let suffix = ["_a", "_b"][side];
        let (earlier, later) = windows::neighbours(&window, own.text.len(), suffix);
        let (earlier, later) = (earlier.map(address), later.map(address));
        let is_a = side == 0;
        side += 1;
        let text = joined_lines(&own.text);
        ComparedText {
            shown: (window.start as u64, window.end as u64, own.text.len() as u64),
            pieces: pieces(&text, comparison, is_a, window),
            document: own.link,
            is_without_text: false,
            earlier,
            later,
        }
    })
}

/// Returns the page of two texts. `others` are the numbers of other documents with each passage. The
/// second text is always a document, so its passages have pages.
fn side_by_side(
    [mut a, mut b]: [NamedText; 2],
    comparison: &ComparisonDetails,
    others: Vec<u64>,
    exclusions: &Exclusions,
    is_anonymous: bool,
    place: &Place,
) -> SideBySide {
    let mut matches: Vec<ComparedPassage> = comparison.passages.iter().map(shared_match).collect();
    let spans = comparison.passages.iter().map(|passage| passage.b.span);
    for ((found, span), others) in matches.iter_mut().zip(spans).zip(others) {
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
    let notes = comparison.a.notes.iter().chain(&comparison.b.notes);
    let [a, b] = sides([a, b], comparison, place);
    let is_cut = [&a, &b].iter().any(|side| side.earlier.is_some() || side.later.is_some());
    SideBySide {
        score: score(&comparison.overlap),
        raw: comparison.raw.as_ref().map(score),
        matches,
        k: exclusions.min_run.max(CHUNK_WORDS.get()),
        is_anonymous,
        warnings: notes.cloned().collect(),
        around: is_cut.then(|| place.with("match=")),
        a,
        b,
        ..SideBySide::default()
    }
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

/// Returns the part `window` of a text, cut wherever its marking changes. What is marked elsewhere costs
/// nothing but a look at its position.
pub(super) fn pieces(
    text: &str,
    comparison: &ComparisonDetails,
    is_a: bool,
    window: Range<usize>,
) -> Vec<TextPiece> {
    let [start, end] =
        [window.start, window.end.min(text.len())].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
    let is_shown = |span: Span| span.start < end && span.end > start;
    let side = |a: Span, b: Span| if is_a { a } else { b };
    let mut segments: Vec<(Span, usize, PieceKind)> = Vec::new();
    for (number, passage) in comparison.passages.iter().enumerate() {
        // Text between two segments belongs to the passage too.
        let whole = side(passage.a.span, passage.b.span);
        if !is_shown(whole) {
            continue;
        }
        for part in &passage.segments {
            let kind = match part.kind {
                SegmentKind::Same => PieceKind::Same,
                SegmentKind::Kept => PieceKind::TooShort,
                SegmentKind::Changed => PieceKind::Changed,
            };
            let span = side(part.a.span, part.b.span);
            if is_shown(span) {
                segments.push((span, number, kind));
            }
        }
        segments.push((whole, number, PieceKind::Changed));
    }
    let own = if is_a { &comparison.a } else { &comparison.b };
    let excluded: Vec<_> = own.excluded.iter().filter(|part| is_shown(part.span)).collect();
    let repeats = own.repeats.iter().map(|repeat| repeat.here.span);
    let repeats: Vec<Span> = repeats.filter(|span| is_shown(*span)).collect();
    let disguised = own.disguised.iter().copied();
    let disguised: Vec<Span> = disguised.filter(|span| is_shown(*span)).collect();
    let mut edges: Vec<u32> = vec![start, end];
    let spans = segments.iter().map(|segment| segment.0);
    let spans = spans.chain(excluded.iter().map(|part| part.span));
    for span in spans.chain(repeats.iter().copied()).chain(disguised.iter().copied()) {
        edges.extend([span.start.clamp(start, end), span.end.clamp(start, end)]);
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
            is_repeat: of.is_none() && repeats.iter().any(inside),
            is_disguised: disguised.iter().any(inside),
        });
    }
    pieces
}

/// Returns the decision about two texts.
fn decision(
    service: &Service,
    actor: &Actor,
    texts: [TextDigest; 2],
    action: String,
) -> Result<Decision, Error> {
    let Some(stored) = service.decision(actor, texts)? else {
        return Ok(Decision { action, ..Decision::default() });
    };
    let state = DecisionState::ALL.iter().find(|own| own.name() == stored.state);
    let state = state.copied().unwrap_or_default();
    Ok(Decision {
        action,
        state,
        note: stored.note,
        by: Some(stored.by),
        time: Some(iso(stored.at)),
    })
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
            let found = SourceOfResult::new(service, actor, &id, n, &Exclusions::default())?;
            service.decide(actor, found.digests(service, actor)?, state, &note)
        })
        .await?;
    Ok(to(&address))
}
