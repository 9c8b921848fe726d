//! Origins: where the passages of a document came from, and what comes and goes in a repository.

use axum::extract::Path;
use textkin_web::format::segment;
use textkin_web::page::{OriginDocumentPage, OriginsPage};
use textkin_web::view::{
    Choice, DocumentLink, Dot, Holding, Lane, Origin, OriginDocument, OriginDocumentRow,
    OriginFilters, OriginPiece, OriginState, Origins, Place, ReuseLine, Share, Stream,
};

use super::reply::{Reply, html};
use super::visitor::Visitor;
use crate::access::Actor;
use crate::error::Error;
use crate::service::origins::Labels;
use crate::service::{DocumentView, Service};

/// Documents of a stream that are drawn.
const MOST: u32 = 500;

fn link(view: &DocumentView) -> DocumentLink {
    DocumentLink {
        title: view.title.clone().unwrap_or_default(),
        id: view.id.clone(),
        repository: view.repository.clone(),
        href: Some(format!("/origins/{}/{}", segment(&view.repository), segment(&view.id))),
        time: view.time.clone(),
    }
}

/// `GET /origins/{name}/{id}`.
pub(super) async fn document(visitor: Visitor, Path((name, id)): Path<(String, String)>) -> Reply {
    let view = visitor.ask(move |service, actor| traced(service, actor, &name, &id)).await?;
    let frame = visitor.frame(Place::Origins);
    Ok(html(OriginDocumentPage { frame: &frame, view: &view }.render()?))
}

fn traced(service: &Service, actor: &Actor, name: &str, id: &str) -> Result<OriginDocument, Error> {
    let view = service.document(actor, name, id, true)?;
    let labels: Option<Labels> = view.origins.clone().map(serde_json::from_value).transpose()?;
    let blocks = labels.as_ref().map_or(&[][..], |labels| &labels.blocks[..]);
    let mut origins: Vec<Origin> = Vec::new();
    let mut numbers: Vec<Option<u64>> = Vec::new();
    for block in blocks {
        if !numbers.contains(&block.origin) {
            numbers.push(block.origin);
            let found = match block.origin {
                Some(number) => service.document_by_number(actor, number)?,
                None => None,
            };
            let document = match &found {
                Some(found) => link(found),
                None => DocumentLink {
                    title: "a document that is no longer here".to_owned(),
                    ..DocumentLink::default()
                },
            };
            let state = match found.as_ref().map(|found| (&found.time, &view.time)) {
                Some((Some(a), Some(b))) if a == b => OriginState::Tied,
                Some((Some(_), Some(_))) => OriginState::Earliest,
                _ => OriginState::Undated,
            };
            let compare = found.as_ref().map(|found| {
                let own = segment(&format!("{}/{}", view.repository, view.id));
                let other = segment(&format!("{}/{}", found.repository, found.id));
                format!("/compare?a={own}&b={other}")
            });
            origins.push(Origin { document, state, words: 0, compare });
        }
        if let Some(at) = numbers.iter().position(|number| *number == block.origin) {
            origins[at].words += u64::from(block.words);
        }
    }
    let text = view.text.clone().unwrap_or_default();
    let mut pieces = Vec::new();
    let mut at = 0usize;
    for block in blocks {
        let (start, end) = (block.start as usize, block.end as usize);
        let start = start.max(at);
        if start >= end {
            continue;
        }
        if let Some(own) = text.get(at..start).filter(|own| !own.is_empty()) {
            pieces.push(OriginPiece { text: own.to_owned(), holding: None });
        }
        let origin = numbers.iter().position(|number| *number == block.origin).unwrap_or(0);
        if let Some(piece) = text.get(start..end) {
            let state = origins[origin].state;
            let holding = Some(Holding { origin, state, holders: 0, fragment: None });
            pieces.push(OriginPiece { text: piece.to_owned(), holding });
        }
        at = end;
    }
    if let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        pieces.push(OriginPiece { text: rest.to_owned(), holding: None });
    }
    let words = u64::from(view.words);
    let own = labels.as_ref().map_or(words, |labels| u64::from(labels.fresh_words));
    Ok(OriginDocument {
        document: link(&view),
        words,
        own,
        borrowed: words.saturating_sub(own),
        unclear: 0,
        pieces,
        origins,
        is_without_text: view.text.is_none(),
    })
}

/// `GET /origins?repository=`.
pub(super) async fn stream(visitor: Visitor) -> Reply {
    let wanted = visitor.query.get("repository").to_owned();
    let filters = OriginFilters {
        from: visitor.query.get("from").to_owned(),
        to: visitor.query.get("to").to_owned(),
        min_overlap: visitor.query.number("min_overlap").unwrap_or(0).min(100),
        ..OriginFilters::default()
    };
    let view = visitor.ask(move |service, actor| flow(service, actor, &wanted, filters)).await?;
    Ok(html(OriginsPage { frame: &visitor.frame(Place::Origins), view: &view }.render()?))
}

fn flow(
    service: &Service,
    actor: &Actor,
    wanted: &str,
    filters: OriginFilters,
) -> Result<Origins, Error> {
    let min_overlap = filters.min_overlap;
    let moment = |text: &str| text.parse::<textkin::Moment>().ok().map(|moment| moment.0);
    let (from, to) = (moment(&filters.from), moment(&filters.to).map(|day| day + 86_400));
    let own = service.repositories(actor)?;
    let traced = own
        .iter()
        .filter(|own| own.visibility == crate::service::Visibility::Public && own.keep_text);
    let names: Vec<&str> = traced.map(|own| own.name.as_str()).collect();
    let chosen = names.iter().find(|name| **name == wanted).or(names.first()).copied();
    let mut view = Origins {
        repositories: names.iter().map(|name| Choice::new(*name, Some(*name) == chosen)).collect(),
        ..Origins::default()
    };
    view.filters = filters;
    let Some(chosen) = chosen else { return Ok(view) };
    let documents = service.traced_documents(actor, chosen, MOST)?;
    let mut lanes: Vec<Lane> = vec![Lane { name: chosen.to_owned(), dots: Vec::new() }];
    let mut places: Vec<(u64, usize)> = Vec::new();
    let mut lines = Vec::new();
    for (number, document, labels) in &documents {
        let old = labels.words.saturating_sub(labels.fresh_words);
        let share = Share::new(u64::from(old), u64::from(labels.words));
        let moment = document.time.as_deref().and_then(|time| time.parse::<textkin::Moment>().ok());
        let is_outside = moment.is_some_and(|moment| {
            from.is_some_and(|from| moment.0 < from) || to.is_some_and(|to| moment.0 >= to)
        });
        if is_outside || (moment.is_none() && (from.is_some() || to.is_some())) {
            view.left_out += 1;
            continue;
        }
        let is_shown = u64::from(old) * 100 >= u64::from(min_overlap) * u64::from(labels.words);
        if is_shown && old > 0 {
            let mut origins: Vec<Option<u64>> =
                labels.blocks.iter().map(|block| block.origin).collect();
            origins.sort_unstable();
            origins.dedup();
            view.documents.push(OriginDocumentRow {
                document: link(document),
                borrowed: share,
                origins: origins.len() as u64,
            });
        }
        let Some(moment) = moment else {
            view.undated += 1;
            continue;
        };
        let dot = lanes[0].dots.len();
        places.push((*number, dot));
        lanes[0].dots.push(Dot {
            label: document.title.clone().unwrap_or_else(|| document.id.clone()),
            at: moment.0,
            words: u64::from(labels.words),
            href: format!("/origins/{}/{}", segment(&document.repository), segment(&document.id)),
        });
        for block in labels.blocks.iter().filter(|_| is_shown) {
            let from = places.iter().find(|(number, _)| Some(*number) == block.origin);
            if let Some((_, from)) = from {
                let words = u64::from(block.words);
                lines.push(ReuseLine { from: (0, *from), to: (0, dot), words });
            }
        }
    }
    let times = lanes[0].dots.iter().map(|dot| dot.at);
    view.stream = Stream {
        from: times.clone().min().unwrap_or(0),
        to: times.max().unwrap_or(0),
        lanes,
        lines,
    };
    view.documents.sort_by_key(|row| std::cmp::Reverse(row.borrowed.shared));
    Ok(view)
}
