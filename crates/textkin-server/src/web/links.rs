//! Where things are found: the one place where addresses of documents are made.

use textkin_web::format::segment;
use textkin_web::view::DocumentLink;

use crate::service::DocumentView;

/// The page of a document.
pub(super) fn document_at(repository: &str, id: &str) -> String {
    format!("/origins/{}/{}", segment(repository), segment(id))
}

/// A document as a link to its page.
pub(super) fn link(view: &DocumentView) -> DocumentLink {
    named_link(&view.repository, &view.id, view.title.as_deref(), view.time.as_deref())
}

/// The same, of which only this is known.
pub(super) fn named_link(
    repository: &str,
    id: &str,
    title: Option<&str>,
    time: Option<&str>,
) -> DocumentLink {
    DocumentLink {
        title: title.unwrap_or_default().to_owned(),
        id: id.to_owned(),
        repository: repository.to_owned(),
        href: Some(document_at(repository, id)),
        time: time.map(str::to_owned),
    }
}

/// The page on which two documents stand side by side.
pub(super) fn compare(a: &DocumentView, b: &DocumentView) -> String {
    compare_at((&a.repository, &a.id), (&b.repository, &b.id))
}

/// The same by repository and id.
pub(super) fn compare_at(a: (&str, &str), b: (&str, &str)) -> String {
    let name = |(repository, id): (&str, &str)| segment(&format!("{repository}/{id}"));
    format!("/compare?a={}&b={}", name(a), name(b))
}
