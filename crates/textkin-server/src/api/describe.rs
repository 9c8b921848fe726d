//! Adds to the OpenAPI description what all operations have in common.

use utoipa::openapi::path::Operation;
use utoipa::openapi::{Content, OpenApi, PathItem, Ref, RefOr, ResponseBuilder};

const PROBLEM: &str = "application/problem+json";

/// Describes every error response as a problem, and adds a default response for errors that any
/// operation may return, such as too many requests or a server that is stopping.
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
        let other = ResponseBuilder::new().description("Any other error");
        responses.insert("default".to_owned(), other.content(PROBLEM, content).build().into());
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    #[test]
    fn levels_refer_to_one_schema() {
        let description = serde_json::to_value(crate::description()).expect("it is JSON");
        let levels = [
            "/components/schemas/AlertView/properties/level",
            "/components/schemas/NewWatch/properties/min_level",
        ];
        for level in levels {
            let reference = description.pointer(&format!("{level}/$ref"));
            assert_eq!(reference.expect(level), "#/components/schemas/MatchLevel", "{level}");
        }
        assert!(description.pointer("/components/schemas/MatchLevel").is_some());
    }

    #[test]
    fn ids_are_integers_and_every_reference_leads_to_a_schema() {
        let description = serde_json::to_value(crate::description()).expect("it is JSON");
        let text = description.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().unwrap_or_default();
            assert!(description.pointer(pointer).is_some(), "{pointer}");
        }
        let schemas = description["components"]["schemas"].as_object().expect("an object");
        let ids: Vec<_> = schemas.iter().filter(|(name, _)| name.ends_with("Id")).collect();
        assert!(!ids.is_empty());
        for (name, schema) in ids {
            assert_eq!(schema["type"], "integer", "{name}");
        }
    }
}
