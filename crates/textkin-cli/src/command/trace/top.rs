//! The most copied documents: printed at the end, and written to a file as JSON.

use std::path::PathBuf;

use serde_json::{Value, json};
use textkin::engine::report::{Output, terminal};
use textkin::engine::{CopiedOrigin, StreamTracer, TopOrigins};

use crate::arguments::TraceOptions;
use crate::messages::print_message;

/// Maximum length of a document id.
const MAX_ID_CHARS: usize = 60;

/// How many documents to show, and where to write them.
#[derive(Debug)]
pub(super) struct TopOriginsOutput {
    n: usize,
    out: Option<PathBuf>,
}

impl TopOriginsOutput {
    /// Creates the list if the options request it.
    pub(super) fn new(options: &TraceOptions) -> anyhow::Result<Option<Self>> {
        let Some(n) = options.top else { return Ok(None) };
        if let Some(out) = &options.top_out {
            // Fail at the start, not at the end, if the path cannot be written.
            drop(Output::create(out)?);
        }
        Ok(Some(Self { n: n as usize, out: options.top_out.clone() }))
    }

    /// Writes the file, if one was requested.
    pub(super) fn write(&self, tracer: &StreamTracer) -> anyhow::Result<()> {
        let Some(path) = &self.out else { return Ok(()) };
        let found = tracer.top_origins(self.n);
        let mut out = Output::create(path)?;
        out.write(format!("{:#}\n", json_of(tracer.n_documents(), &found)).as_bytes())?;
        Ok(out.finish()?)
    }

    /// Prints the documents.
    pub(super) fn show(&self, tracer: &StreamTracer) {
        print_message(format_args!("{}", table(&tracer.top_origins(self.n))));
    }
}

fn json_of(n_documents: u64, found: &TopOrigins) -> Value {
    let origin = |origin: &CopiedOrigin| {
        json!({
            "origin": origin.name,
            "number": origin.number,
            "copies": origin.copies,
            "copies_at_most": origin.max_copies,
            "words": origin.words,
        })
    };
    json!({
        "documents": n_documents,
        "origins": found.origins.iter().map(origin).collect::<Vec<Value>>(),
        "others_at_most": found.max_other_copies,
    })
}

fn table(found: &TopOrigins) -> String {
    match (found.origins.is_empty(), found.max_other_copies) {
        (false, _) => {}
        (true, 0) => return "textkin: no document was copied\n".to_owned(),
        (true, max) => {
            return format!(
                "textkin: not enough memory to count copies; no document was copied more than {} times\n",
                terminal::thousands(max)
            );
        }
    }
    let mut text = "most copied documents:\n    copies       words  document\n".to_owned();
    for origin in &found.origins {
        let CopiedOrigin { number, name, copies, max_copies, words, .. } = origin;
        let name = name
            .as_ref()
            .map_or_else(|| format!("document {number}"), |n| terminal::fit(n, MAX_ID_CHARS));
        let more = match max_copies > copies {
            true => format!("  (at most {} copies)", terminal::thousands(*max_copies)),
            false => String::new(),
        };
        let (copies, words) = (terminal::thousands(*copies), terminal::thousands(*words));
        text.push_str(&format!("{copies:>10}  {words:>10}  {name}{more}\n"));
    }
    if found.max_other_copies > 0 {
        let max = terminal::thousands(found.max_other_copies);
        text.push_str(&format!("no other document was copied more than {max} times\n"));
    }
    text
}
