//! The graph of a repository: which of its documents share text, as discovery finds it.

use std::sync::{Arc, PoisonError};

use rusqlite::params;
use textkin::{Settings, Watch, discover};

use super::Service;
use super::documents::{self, DocumentView};
use crate::access::{Actor, Scope};
use crate::error::Error;
use crate::index::{ShelfKind, Texts};

/// Documents of a repository that are related to one another: the latest.
pub(crate) const MOST_DOCUMENTS: usize = 5000;
/// Edges that are kept, the strongest.
const MOST_EDGES: usize = 200_000;
/// Edges weaker than this are not looked for.
pub(crate) const LEAST: f64 = 0.01;
/// Graphs that are kept ready.
const MOST_KEPT: usize = 8;

/// Two documents that share text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Their places in the list of documents.
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// The larger of both containments.
    pub(crate) score: f64,
    pub(crate) words: u64,
}

/// The documents of a repository and what they share.
#[derive(Debug)]
pub(crate) struct Kinship {
    pub(crate) documents: Vec<DocumentView>,
    /// The strongest first.
    pub(crate) edges: Vec<Edge>,
    /// Documents that were left out, since there are too many or their texts are not kept.
    pub(crate) left_out: u64,
}

/// A graph that is kept ready: the repository, its documents and its latest number.
pub(crate) type Kept = (i64, u64, i64, Arc<Kinship>);

impl Service {
    /// The graph of a repository. It is made when it is first asked for, and again when documents
    /// came or went.
    pub(crate) fn kinship(&self, actor: &Actor, repository: &str) -> Result<Arc<Kinship>, Error> {
        actor.needs(Scope::Read)?;
        let (known, entries, total) = self.store.read(|read| {
            let known = Self::resolve(read, actor, repository)?;
            let condition = format!("repository = ?1 ORDER BY number DESC LIMIT {MOST_DOCUMENTS}");
            let entries = documents::select(read, &condition, params![known.id])?;
            let sql = "SELECT count(*) FROM document WHERE repository = ?1";
            let total: u64 = read.query_row(sql, [known.id], |row| row.get(0))?;
            Ok((known, entries, total))
        })?;
        let last = entries.first().map_or(0, |entry| entry.number);
        let kept = |kept: &&Kept| (kept.0, kept.1, kept.2) == (known.id, total, last);
        let ready = self.kinships.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, _, kinship)) = ready.iter().find(kept) {
            return Ok(Arc::clone(kinship));
        }
        drop(ready);
        let mut texts = Vec::with_capacity(entries.len());
        let mut documents = Vec::with_capacity(entries.len());
        for entry in entries.into_iter().rev().filter(|_| known.keeps_text) {
            let number = entry.number.cast_unsigned();
            if let Some(text) = self.index.text(ShelfKind::Texts, number)? {
                texts.push((documents.len() as u64, text));
                documents.push(entry.view(&known.name));
            }
        }
        let settings = Settings { threshold: LEAST, ..Settings::default() };
        let settings = Settings { score: textkin::core::Measure::MaxContainment, ..settings };
        let found = discover(&mut Texts::new(texts), &settings, &Watch::default())?;
        let edges = found.graph.rows().take(MOST_EDGES).map(|pair| Edge {
            a: pair.a as usize,
            b: pair.b as usize,
            score: pair.overlap.a_in_b().max(pair.overlap.b_in_a()),
            words: pair.overlap.covered_a.max(pair.overlap.covered_b),
        });
        let left_out = total.saturating_sub(documents.len() as u64);
        let kinship = Arc::new(Kinship { edges: edges.collect(), documents, left_out });
        let mut ready = self.kinships.lock().unwrap_or_else(PoisonError::into_inner);
        ready.retain(|kept| kept.0 != known.id);
        if ready.len() >= MOST_KEPT {
            ready.remove(0);
        }
        ready.push((known.id, total, last, Arc::clone(&kinship)));
        Ok(kinship)
    }
}
