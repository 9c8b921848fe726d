//! What all operations of the interface have in common, put into its description.

use utoipa::openapi::path::Operation;
use utoipa::openapi::{Content, OpenApi, PathItem, Ref, RefOr, ResponseBuilder};

const PROBLEM: &str = "application/problem+json";

/// Says of every fault that it comes as a problem, and that any operation may have others: too many
/// requests, say, or a server that is being stopped.
pub(super) fn problems(description: &mut OpenApi) {
    for operation in description.paths.paths.values_mut().flat_map(operations) {
        let responses = &mut operation.responses.responses;
        for (status, response) in responses.iter_mut() {
            if status.starts_with(['4', '5'])
                && let RefOr::T(response) = response
                && let Some(content) = response.content.swap_remove("application/json")
            {
                response.content.insert(PROBLEM.to_owned(), content);
            }
        }
        let content = Content::new(Some(Ref::from_schema_name("Problem")));
        let other = ResponseBuilder::new().description("Any other problem");
        responses.insert("default".to_owned(), other.content(PROBLEM, content).build().into());
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}
