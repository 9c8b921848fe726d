//! Origins: where the passages of a document come from, and reuse in a repository over time.

use axum::extract::Path;
use hashbrown::HashMap;
use textkin::engine::compare;
use textkin_web::format::segment;
use textkin_web::joined_lines;
use textkin_web::page::{FragmentPage, OriginDocumentPage, OriginsPage};
use textkin_web::view::{
    Choice, Dot, Fragment, Lane, NavItem, Occurrence, OriginDocument, OriginDocumentRow,
    OriginFilters, OriginPiece, OriginRow, OriginState, Origins, PassageOrigin, ReattributionRow,
    ReuseLine, ReuseTimeline, Share,
};

use super::compare::pieces;
use super::links::{compare as compare_at, document_at, link, named_link};
use super::response::{PageResult, html, iso};
use super::visitor::Visitor;
use super::windows::{self, Position};
use textkin_registry::limits::MAX_EXCLUSION_GAP;
use textkin_registry::{
    Actor, ComparisonDetails, DocumentId, DocumentOrigins, DocumentView, Error, OriginStatus,
    ReattributionView, Service, SharedSpan, timestamp,
};

/// Maximum number of documents in the timeline.
const MAX: u32 = 500;
/// Maximum number of documents in the list; their words are counted when the page is shown.
const MAX_LISTED: usize = 50;
/// About how many words are counted for one page: a tenth of a second.
pub(super) const WORD_BUDGET: u64 = 200_000;
/// Maximum number of lanes; all other sources share the last.
const MAX_LANES: usize = 8;
/// Maximum number of reattributions listed.
const MAX_LOG: u32 = 50;
const DAY: i64 = 86_400;

fn state(known: OriginStatus) -> OriginState {
    match known {
        OriginStatus::EarliestKnown => OriginState::Earliest,
        OriginStatus::Tied => OriginState::Tied,
        OriginStatus::Undated => OriginState::Undated,
    }
}

/// Returns the URL of the page about a passage, by its bytes.
pub(super) fn fragment_at(repository: &str, id: &str, from: u32, to: u32) -> String {
    format!("/fragment/{}/{}?from={from}&to={to}", segment(repository), segment(id))
}

/// `GET /origins/{name}/{id}`.
pub(super) async fn document(
    visitor: Visitor,
    Path((name, id)): Path<(String, String)>,
) -> PageResult {
    let position = Position::read(&visitor.query, "");
    let view =
        visitor.run(move |service, actor| traced(service, actor, &name, &id, position)).await?;
    let frame = visitor.frame(NavItem::Origins);
    Ok(html(OriginDocumentPage { frame: &frame, view: &view }.render()?))
}

/// How much of a document others contained before, or as early. The page of the document and the list
/// of documents both count with this.
#[derive(Debug, Default)]
struct Reuse {
    /// Words whose origin is another document.
    reused: u64,
    /// Words that documents of the same date, or without a date, contain too.
    unclear: u64,
    /// The origins by the index of their document: state and words; most words first.
    origins: Vec<(usize, OriginState, u64)>,
}

impl Reuse {
    fn of<'a>(held: impl Iterator<Item = &'a SharedSpan>) -> Self {
        let mut found = Self::default();
        for held in held {
            let Some(first) = held.origin else { continue };
            let (state, words) = (state(held.status), u64::from(held.words));
            match found.origins.iter_mut().find(|own| (own.0, own.1) == (first, state)) {
                Some(own) => own.2 += words,
                None => found.origins.push((first, state, words)),
            }
            match state {
                OriginState::Earliest => found.reused += words,
                _ => found.unclear += words,
            }
        }
        // The others keep the order of the text.
        found.origins.sort_by_key(|own| std::cmp::Reverse(own.2));
        found
    }

    fn indices(&self) -> HashMap<(usize, &'static str), usize> {
        let origins = self.origins.iter().enumerate();
        origins.map(|(at, own)| ((own.0, own.1.name()), at)).collect()
    }
}

fn traced(
    service: &Service,
    actor: &Actor,
    name: &str,
    id: &str,
    position: Position,
) -> Result<OriginDocument, Error> {
    let (view, holders, held) = service.shared_spans_of(actor, name, id)?;
    let found = Reuse::of(held.iter());
    let (reused, unclear) = (found.reused, found.unclear);
    let indices: HashMap<(usize, &str), usize> = found.indices();
    let origins = found.origins;
    let text = joined_lines(view.text.as_deref().unwrap_or_default());
    let text = &text[..];
    let window = position.window(text, 0);
    let mut pieces = Vec::new();
    let mut at = window.start;
    let clip = |at: u32| (at as usize).clamp(window.start, window.end);
    for held in &held {
        let (start, end) = (clip(held.span.start), clip(held.span.end));
        let Some(first) = held.origin.filter(|_| start < end) else { continue };
        if let Some(own) = text.get(at..start).filter(|own| !own.is_empty()) {
            pieces.push(OriginPiece { text: own.to_owned(), origin: None });
        }
        if let Some(piece) = text.get(start..end) {
            let state = state(held.status);
            let index = indices.get(&(first, state.name())).copied().unwrap_or_default();
            let fragment =
                Some(fragment_at(&view.repository, &view.id, held.span.start, held.span.end));
            // Shorter ones belong to a longer passage and have no page.
            let fragment = fragment.filter(|_| held.words >= textkin_registry::CHUNK_WORDS.get());
            let origin = Some(PassageOrigin { index, state, documents: held.documents, fragment });
            pieces.push(OriginPiece { text: piece.to_owned(), origin });
        }
        at = end;
    }
    if let Some(rest) = text.get(at..window.end).filter(|rest| !rest.is_empty()) {
        pieces.push(OriginPiece { text: rest.to_owned(), origin: None });
    }
    let words = u64::from(view.words);
    let (earlier, later) = windows::neighbours(&window, text.len(), "");
    let address = |fields: String| format!("{}?{fields}", document_at(&view.repository, &view.id));
    let origins = origins.into_iter().map(|(first, state, words)| {
        let found = holders[first].view(&view.repository);
        let compare = Some(compare_at(&view, &found));
        OriginRow { document: link(&found), state, words, compare }
    });
    Ok(OriginDocument {
        document: link(&view),
        words,
        original: words.saturating_sub(reused + unclear),
        reused,
        unclear,
        pieces,
        origins: origins.collect(),
        earlier: earlier.map(address),
        later: later.map(address),
        is_without_text: view.text.is_none(),
    })
}

/// `GET /fragment/{name}/{id}?from=&to=`.
pub(super) async fn fragment(
    visitor: Visitor,
    Path((name, id)): Path<(String, String)>,
) -> PageResult {
    let from: usize = visitor.query.number("from").unwrap_or(0);
    let to: usize = visitor.query.number("to").unwrap_or(usize::MAX);
    let view =
        visitor.run(move |service, actor| passage(service, actor, &name, &id, from, to)).await?;
    Ok(html(FragmentPage { frame: &visitor.frame(NavItem::Origins), view: &view }.render()?))
}

fn passage(
    service: &Service,
    actor: &Actor,
    name: &str,
    id: &str,
    from: usize,
    to: usize,
) -> Result<Fragment, Error> {
    let found = service.passage_occurrences(actor, name, id, from, to)?;
    let Some(first) = found.occurrences.first() else {
        return Err(Error::NotFound("document with this passage".to_owned()));
    };
    let settings = textkin::engine::Settings::default();
    let mut occurrences = Vec::with_capacity(found.occurrences.len());
    for (at, own) in found.occurrences.iter().enumerate() {
        let comparison = compare(&first.text, &own.text, &settings, MAX_EXCLUSION_GAP)?;
        let overlap = comparison.alignment.overlap;
        let is_same = overlap.covered_a == overlap.words_a && overlap.covered_b == overlap.words_b;
        let variant = match is_same {
            true => Vec::new(),
            false => {
                let details = ComparisonDetails::from(&comparison);
                pieces(&own.text, &details, false, 0..own.text.len())
            }
        };
        occurrences.push(Occurrence {
            document: link(&own.document),
            first_word: own.first_word,
            variant,
            compare: (at > 0).then(|| compare_at(&first.document, &own.document)),
        });
    }
    Ok(Fragment {
        text: first.text.clone(),
        words: first.words,
        state: state(found.status),
        occurrences,
        more: found.more,
    })
}

/// `GET /origins?repository=`.
pub(super) async fn stream(visitor: Visitor) -> PageResult {
    let wanted = visitor.query.get("repository").to_owned();
    let filters = OriginFilters {
        from: visitor.query.get("from").to_owned(),
        to: visitor.query.get("to").to_owned(),
        min_overlap: visitor.query.number("min_overlap").unwrap_or(0).min(100),
        min_documents: visitor.query.number("min_documents").unwrap_or(0),
        max_days: visitor.query.number("max_days").unwrap_or(0),
    };
    let view = visitor.run(move |service, actor| origins(service, actor, &wanted, filters)).await?;
    Ok(html(OriginsPage { frame: &visitor.frame(NavItem::Origins), view: &view }.render()?))
}

fn origins(
    service: &Service,
    actor: &Actor,
    wanted: &str,
    filters: OriginFilters,
) -> Result<Origins, Error> {
    let own = service.repositories(actor)?;
    let traced = own
        .iter()
        .filter(|own| own.visibility == textkin_registry::Visibility::Public && own.keep_text);
    let names: Vec<&str> = traced.map(|own| own.name.as_str()).collect();
    let chosen = names.iter().find(|name| **name == wanted).or(names.first()).copied();
    let mut view = Origins {
        repositories: names.iter().map(|name| Choice::new(*name, Some(*name) == chosen)).collect(),
        ..Origins::default()
    };
    view.filters = filters;
    let Some(chosen) = chosen else { return Ok(view) };
    let documents = service.traced_documents(actor, chosen, MAX)?;
    let total = own.iter().find(|own| own.name == chosen).map_or(0, |own| own.documents);
    view.shown = documents.len() as u64;
    view.total = total.max(view.shown);
    let listed = draw(&mut view, chosen, &documents);
    let mut budget = WORD_BUDGET;
    for (at, (id, words)) in listed.iter().enumerate() {
        if at >= MAX_LISTED || budget == 0 {
            view.more_documents = (listed.len() - at) as u64;
            break;
        }
        budget = budget.saturating_sub(*words);
        view.documents.extend(listed_document(service, actor, chosen, id, &view.filters)?);
    }
    view.documents.sort_by_key(|row| std::cmp::Reverse(row.reused.shared));
    let log = service.reattributions(actor, chosen, None, MAX_LOG)?;
    view.log = log.iter().map(|entry| reattribution(chosen, entry)).collect();
    Ok(view)
}

/// Returns the words of a document that others contained before, or as early: the same as on its page.
pub(super) fn reused(
    service: &Service,
    actor: &Actor,
    repository: &str,
    id: &str,
) -> Result<Share, Error> {
    let (view, _, held) = service.shared_spans_of(actor, repository, id)?;
    let found = Reuse::of(held.iter());
    Ok(Share::new(found.reused + found.unclear, u64::from(view.words)))
}

/// Returns the row of a document with reused text; `None` if none passes the filters.
fn listed_document(
    service: &Service,
    actor: &Actor,
    repository: &str,
    id: &str,
    filters: &OriginFilters,
) -> Result<Option<OriginDocumentRow>, Error> {
    let (view, holders, held) = match service.shared_spans_of(actor, repository, id) {
        // It was deleted meanwhile.
        Err(Error::NotFound(_)) => return Ok(None),
        found => found?,
    };
    let own = timestamp(view.time.as_deref());
    let passes = |held: &&SharedSpan| {
        let first = held
            .origin
            .and_then(|origin| timestamp(holders[origin].view(repository).time.as_deref()));
        let is_within_days = match (filters.max_days, own.zip(first)) {
            (0, _) => true,
            (days, Some((own, first))) => own.saturating_sub(first) <= i64::from(days) * DAY,
            (_, None) => false,
        };
        held.documents >= u64::from(filters.min_documents) && is_within_days
    };
    let found = Reuse::of(held.iter().filter(passes));
    let words = u64::from(view.words);
    let shared = found.reused + found.unclear;
    let is_enough = shared > 0 && shared * 100 >= u64::from(filters.min_overlap) * words;
    Ok(is_enough.then(|| OriginDocumentRow {
        document: link(&view),
        reused: Share::new(shared, words),
        origins: found.origins.len() as u64,
    }))
}

fn reattribution(repository: &str, entry: &ReattributionView) -> ReattributionRow {
    ReattributionRow {
        time: iso(entry.at),
        document: named_link(repository, &entry.document, None, None),
        before: match &entry.before {
            Some(before) if *before == entry.document => "this document".to_owned(),
            Some(before) => before.clone(),
            None => "a deleted document".to_owned(),
        },
        after: entry.after.clone(),
        words: entry.words,
    }
}

/// A document that passes the filters, with its passages that pass them.
struct FilteredDocument<'a> {
    number: DocumentId,
    document: &'a DocumentView,
    labels: &'a DocumentOrigins,
    /// The origin and the number of words of each passage.
    reused: Vec<(Option<DocumentId>, u64)>,
    timestamp: Option<i64>,
}

/// Draws the timeline; returns the IDs and words of the documents with reused text, those first that the trace
/// says reuse most.
fn draw(
    view: &mut Origins,
    repository: &str,
    documents: &[(DocumentId, DocumentView, DocumentOrigins)],
) -> Vec<(String, u64)> {
    let filters = &view.filters;
    let day = |text: &str| timestamp(Some(text));
    let (from, to) = (day(&filters.from), day(&filters.to).map(|day| day + DAY));
    let times: HashMap<DocumentId, Option<i64>> = documents
        .iter()
        .map(|(number, document, _)| (*number, timestamp(document.time.as_deref())))
        .collect();
    // The number of documents with words from each origin, including the origin itself.
    let mut holders: HashMap<DocumentId, u32> = HashMap::new();
    for (_, _, labels) in documents {
        let mut origins: Vec<DocumentId> =
            labels.blocks.iter().filter_map(|block| block.origin).collect();
        origins.sort_unstable();
        origins.dedup();
        for origin in origins {
            *holders.entry(origin).or_insert(1) += 1;
        }
    }
    let mut documents_shown: Vec<FilteredDocument<'_>> = Vec::new();
    for (number, document, labels) in documents {
        let timestamp = times.get(number).copied().flatten();
        let is_outside = match timestamp {
            Some(at) => from.is_some_and(|from| at < from) || to.is_some_and(|to| at >= to),
            None => from.is_some() || to.is_some(),
        };
        if is_outside {
            view.hidden += 1;
            continue;
        }
        let passes = |origin: Option<DocumentId>| {
            let n_holders = origin.and_then(|origin| holders.get(&origin)).copied().unwrap_or(2);
            let first = origin.and_then(|origin| times.get(&origin).copied().flatten());
            let is_within_days = match (filters.max_days, timestamp.zip(first)) {
                (0, _) => true,
                (days, Some((own, first))) => own.saturating_sub(first) <= i64::from(days) * DAY,
                // Without both times, the delay is unknown.
                (_, None) => false,
            };
            n_holders >= filters.min_documents && is_within_days
        };
        let reused: Vec<(Option<DocumentId>, u64)> = labels
            .blocks
            .iter()
            .filter(|block| passes(block.origin))
            .map(|block| (block.origin, u64::from(block.words)))
            .collect();
        let words: u64 = reused.iter().map(|passage| passage.1).sum();
        let is_enough = words * 100 >= u64::from(filters.min_overlap) * u64::from(labels.words);
        let reused = if is_enough { reused } else { Vec::new() };
        documents_shown.push(FilteredDocument {
            number: *number,
            document,
            labels,
            reused,
            timestamp,
        });
    }
    let mut listed: Vec<(u64, &FilteredDocument<'_>)> = documents_shown
        .iter()
        .filter(|own| !own.reused.is_empty())
        .map(|own| (own.reused.iter().map(|passage| passage.1).sum(), own))
        .collect();
    listed.sort_by_key(|own| std::cmp::Reverse(own.0));
    let listed = listed.into_iter();
    let listed =
        listed.map(|(_, own)| (own.document.id.clone(), u64::from(own.labels.words))).collect();
    view.undated = documents_shown.iter().filter(|own| own.timestamp.is_none()).count() as u64;
    view.timeline = timeline(repository, &documents_shown);
    listed
}

/// Returns the timeline: one lane per source, those with most documents first.
fn timeline(repository: &str, documents_shown: &[FilteredDocument<'_>]) -> ReuseTimeline {
    let mut dated: Vec<(i64, &FilteredDocument<'_>)> =
        documents_shown.iter().filter_map(|own| Some((own.timestamp?, own))).collect();
    dated.sort_by_key(|(timestamp, own)| (*timestamp, own.number));
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for (_, own) in &dated {
        *sizes.entry(source(&own.document.id, repository)).or_default() += 1;
    }
    let mut names: Vec<(&str, usize)> = sizes.into_iter().collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let is_cut = names.len() > MAX_LANES;
    names.truncate(if is_cut { MAX_LANES - 1 } else { MAX_LANES });
    let mut lanes: Vec<Lane> =
        names.iter().map(|(name, _)| Lane { name: (*name).to_owned(), dots: Vec::new() }).collect();
    if is_cut {
        lanes.push(Lane { name: "Other sources".to_owned(), dots: Vec::new() });
    }
    let mut positions: HashMap<DocumentId, (usize, usize)> = HashMap::new();
    for (at, own) in &dated {
        let name = source(&own.document.id, repository);
        let lane = names.iter().position(|known| known.0 == name).unwrap_or(names.len());
        let Some(dots) = lanes.get_mut(lane).map(|lane| &mut lane.dots) else { continue };
        positions.insert(own.number, (lane, dots.len()));
        dots.push(Dot {
            label: own.document.title.clone().unwrap_or_else(|| own.document.id.clone()),
            at: *at,
            words: u64::from(own.labels.words),
            href: document_at(&own.document.repository, &own.document.id),
        });
    }
    let mut lines = Vec::new();
    for (_, own) in &dated {
        let Some(&to) = positions.get(&own.number) else { continue };
        for &(origin, words) in &own.reused {
            if let Some(&from) = origin.and_then(|origin| positions.get(&origin)) {
                lines.push(ReuseLine { from, to, words });
            }
        }
    }
    let times = dated.iter().map(|(at, _)| *at);
    let (from, to) = (times.clone().min().unwrap_or(0), times.max().unwrap_or(0));
    ReuseTimeline { from, to, lanes, lines }
}

/// Returns the source of a document according to its ID: the host of a URL, the folder of a path,
/// or the part before a colon or a number; otherwise its repository.
pub(super) fn source<'a>(id: &'a str, repository: &'a str) -> &'a str {
    if let Some((_, rest)) = id.split_once("://") {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        return if host.is_empty() { repository } else { host };
    }
    if let Some((before, _)) = id.split_once(['/', ':']).filter(|(before, _)| !before.is_empty()) {
        return before;
    }
    let name = id.trim_end_matches(|c: char| c.is_ascii_digit());
    match name.trim_end_matches(['-', '_', '.', ' ']) {
        before if before.len() < name.len() && name.len() < id.len() && !before.is_empty() => {
            before
        }
        _ => repository,
    }
}

#[cfg(test)]
mod tests {
    use super::source;

    #[test]
    fn the_source_is_derived_from_the_id() {
        for (id, expected) in [
            ("https://paper.example/2024/a?b", "paper.example"),
            ("lib/2024/report.docx", "lib"),
            ("wire:17", "wire"),
            ("news-88123", "news"),
            ("88123", "all"),
            ("a17", "all"),
            ("letter", "all"),
            ("/x", "all"),
            ("://", "all"),
            ("", "all"),
        ] {
            assert_eq!(source(id, "all"), expected, "{id}");
        }
    }
}
