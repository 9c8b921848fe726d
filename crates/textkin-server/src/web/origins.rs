//! Origins: where the passages of a document come from, and reuse in a repository over time.

use axum::extract::Path;
use hashbrown::HashMap;
use textkin::engine::compare;
use textkin_web::format::segment;
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
use textkin_registry::limits::MAX_EXCLUSION_GAP;
use textkin_registry::{
    Actor, ComparisonDetails, DocumentId, DocumentOrigins, DocumentView, Error, OriginStatus,
    ReattributionView, Service, timestamp,
};

/// Maximum number of documents in the timeline.
const MAX: u32 = 500;
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
    let view = visitor.run(move |service, actor| traced(service, actor, &name, &id)).await?;
    let frame = visitor.frame(NavItem::Origins);
    Ok(html(OriginDocumentPage { frame: &frame, view: &view }.render()?))
}

fn traced(service: &Service, actor: &Actor, name: &str, id: &str) -> Result<OriginDocument, Error> {
    let (view, holders, held) = service.shared_spans_of(actor, name, id)?;
    let mut origins: Vec<OriginRow> = Vec::new();
    // The indices of origins, by document and state.
    let mut indices: HashMap<(usize, &str), usize> = HashMap::new();
    let text = view.text.as_deref().unwrap_or_default();
    let mut pieces = Vec::new();
    let (mut at, mut reused, mut unclear) = (0usize, 0u64, 0u64);
    for held in &held {
        let Some(first) = held.origin else { continue };
        let state = state(held.status);
        let index = *indices.entry((first, state.name())).or_insert_with(|| {
            let found = holders[first].view(&view.repository);
            let compare = Some(compare_at(&view, &found));
            origins.push(OriginRow { document: link(&found), state, words: 0, compare });
            origins.len() - 1
        });
        origins[index].words += u64::from(held.words);
        match state {
            OriginState::Earliest => reused += u64::from(held.words),
            _ => unclear += u64::from(held.words),
        }
        let (start, end) = (held.span.start as usize, held.span.end as usize);
        if let Some(own) = text.get(at..start).filter(|own| !own.is_empty()) {
            pieces.push(OriginPiece { text: own.to_owned(), origin: None });
        }
        if let Some(piece) = text.get(start..end) {
            let fragment =
                Some(fragment_at(&view.repository, &view.id, held.span.start, held.span.end));
            // Shorter ones belong to a longer passage and have no page.
            let fragment = fragment.filter(|_| held.words >= textkin_registry::CHUNK_WORDS.get());
            let origin = Some(PassageOrigin { index, state, documents: held.documents, fragment });
            pieces.push(OriginPiece { text: piece.to_owned(), origin });
        }
        at = end;
    }
    if let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        pieces.push(OriginPiece { text: rest.to_owned(), origin: None });
    }
    let words = u64::from(view.words);
    Ok(OriginDocument {
        document: link(&view),
        words,
        original: words.saturating_sub(reused + unclear),
        reused,
        unclear,
        pieces,
        origins,
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
            false => pieces(&own.text, &ComparisonDetails::from(&comparison), false),
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
    draw(&mut view, chosen, &documents);
    let log = service.reattributions(actor, chosen, None, MAX_LOG)?;
    view.log = log.iter().map(|entry| reattribution(chosen, entry)).collect();
    Ok(view)
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

fn draw(
    view: &mut Origins,
    repository: &str,
    documents: &[(DocumentId, DocumentView, DocumentOrigins)],
) {
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
    for FilteredDocument { document, labels, reused, .. } in
        documents_shown.iter().filter(|own| !own.reused.is_empty())
    {
        let mut origins: Vec<Option<DocumentId>> = reused.iter().map(|passage| passage.0).collect();
        origins.sort_unstable();
        origins.dedup();
        let words = reused.iter().map(|passage| passage.1).sum();
        view.documents.push(OriginDocumentRow {
            document: link(document),
            reused: Share::new(words, u64::from(labels.words)),
            origins: origins.len() as u64,
        });
    }
    view.documents.sort_by_key(|row| std::cmp::Reverse(row.reused.shared));
    view.undated = documents_shown.iter().filter(|own| own.timestamp.is_none()).count() as u64;
    view.timeline = timeline(repository, &documents_shown);
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
