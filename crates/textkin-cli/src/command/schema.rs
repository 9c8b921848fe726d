//! `textkin schema`: JSON Schemas of the JSON that commands write.

use anyhow::Context;
use textkin::engine::report::{OutputSchema, output_schemas, terminal};

use crate::arguments::Schema;
use crate::exit::Exit;

/// All schemas, in the order of the manual.
fn schemas() -> Vec<OutputSchema> {
    let mut schemas = output_schemas();
    schemas.push(OutputSchema {
        name: "search",
        written_by: "`search --format json`: JSON lines, one object per query and measure",
        schema: super::search::result_schema(),
    });
    schemas.push(OutputSchema {
        name: "search-rewritten",
        written_by: "`search --rewritten --format json`: JSON lines, one per query",
        schema: super::search::rewritten_schema(),
    });
    schemas.push(OutputSchema {
        name: "trace",
        written_by: "`trace`: JSON lines, one object per document",
        schema: super::trace::line_schema(),
    });
    schemas
}

/// Lists the schemas, or prints one.
pub(crate) fn run(arguments: &Schema) -> anyhow::Result<Exit> {
    let schemas = schemas();
    let text = match &arguments.name {
        None => {
            let line = |schema: &OutputSchema| {
                format!("{:<16} {}\n", schema.name, schema.written_by.replace('`', ""))
            };
            schemas.iter().map(line).collect()
        }
        Some(name) => {
            let found = schemas.iter().find(|schema| schema.name == name);
            let schema = found.with_context(|| {
                let names: Vec<&str> = schemas.iter().map(|schema| schema.name).collect();
                format!("unknown output '{name}'; use one of {}", names.join(", "))
            })?;
            serde_json::to_string_pretty(&schema.schema)? + "\n"
        }
    };
    terminal::print(&text)?;
    Ok(Exit::Found)
}
