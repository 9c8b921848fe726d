//! URLs of documents and comparisons.

use textkin_web::format::segment;
use textkin_web::view::DocumentLink;

use textkin_registry::DocumentView;

/// Returns the URL of a document.
pub(super) fn document_at(repository: &str, id: &str) -> String {
    format!("/origins/{}/{}", segment(repository), segment(id))
}

/// Returns a link to a document.
pub(super) fn link(view: &DocumentView) -> DocumentLink {
    named_link(&view.repository, &view.id, view.title.as_deref(), view.time.as_deref())
}

/// Returns a link to a document by its repository and ID.
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

/// Returns the URL of the side-by-side comparison of two documents.
pub(super) fn compare(a: &DocumentView, b: &DocumentView) -> String {
    compare_at((&a.repository, &a.id), (&b.repository, &b.id))
}

/// Returns the URL of a comparison by repository and ID.
pub(super) fn compare_at(a: (&str, &str), b: (&str, &str)) -> String {
    let name = |(repository, id): (&str, &str)| segment(&format!("{repository}/{id}"));
    format!("/compare?a={}&b={}", name(a), name(b))
}
