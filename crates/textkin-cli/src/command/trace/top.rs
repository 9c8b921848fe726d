//! The documents that most others copied from: for a person at the end, for programs in a file.

use std::path::PathBuf;

use serde_json::{Value, json};
use textkin::report::{Output, terminal};
use textkin::{CopiedOrigin, StreamTracer, TopOrigins};

use crate::arguments::TraceMeans;
use crate::messages::print_message;

/// The most letters of a name.
const NAME: usize = 60;

/// How many are shown, and where they are written.
#[derive(Debug)]
pub(super) struct Top {
    n: usize,
    out: Option<PathBuf>,
}

impl Top {
    /// What was asked for.
    pub(super) fn new(means: &TraceMeans) -> anyhow::Result<Option<Self>> {
        let Some(n) = means.top_origins else { return Ok(None) };
        if let Some(out) = &means.top_origins_out {
            // A wrong path fails now, not at the end.
            drop(Output::create(out)?);
        }
        Ok(Some(Self { n: n as usize, out: means.top_origins_out.clone() }))
    }

    /// Writes the file, if there is one.
    pub(super) fn write(&self, tracer: &StreamTracer) -> anyhow::Result<()> {
        let Some(path) = &self.out else { return Ok(()) };
        let found = tracer.top_origins(self.n);
        let mut out = Output::create(path)?;
        out.write(format!("{:#}\n", json_of(tracer.n_documents(), &found)).as_bytes())?;
        Ok(out.finish()?)
    }

    /// Shows them to a person.
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
        (true, 0) => return "textkin: no document was copied from\n".to_owned(),
        (true, most) => {
            let most = terminal::thousands(most);
            return format!(
                "textkin: there is no memory to count the most copied documents; any was copied by {most} others at most\n"
            );
        }
    }
    let mut text = "the most copied documents:\n    copies       words  document\n".to_owned();
    for origin in &found.origins {
        let CopiedOrigin { number, name, copies, max_copies, words } = origin;
        let name =
            name.as_ref().map_or_else(|| format!("document {number}"), |n| terminal::fit(n, NAME));
        let more = match max_copies > copies {
            true => format!("  (at most {} copies)", terminal::thousands(*max_copies)),
            false => String::new(),
        };
        let (copies, words) = (terminal::thousands(*copies), terminal::thousands(*words));
        text.push_str(&format!("{copies:>10}  {words:>10}  {name}{more}\n"));
    }
    if found.max_other_copies > 0 {
        let most = terminal::thousands(found.max_other_copies);
        text.push_str(&format!("any other document was copied by {most} others at most\n"));
    }
    text
}
