//! Tokens that the other text has too, but at places that already belong to a run.

use textkin_core::{Repeat, Tokens};

use super::chunks::Chunks;
use super::stretch;

/// The tokens of `side` marked `missing`, with a place of the other text for each stretch of them.
///
/// `tokens` are those of `side` and of the other text. Every missing token lies in a shared chunk.
pub(super) fn list(
    [here, there]: [&Tokens; 2],
    chunks: &Chunks,
    side: usize,
    missing: &[bool],
) -> Vec<Repeat> {
    let (k, groups) = (chunks.k(), chunks.groups(side));
    let places = |first: usize| -> &[u32] {
        groups.get(first).map_or(&[], |&group| chunks.places(1 - side, group))
    };
    let mut repeats = Vec::new();
    let mut at = 0;
    while at < missing.len() {
        if !missing[at] {
            at += 1;
            continue;
        }
        // The last shared chunk over this token reaches furthest.
        let firsts = at.saturating_sub(k - 1)..=at;
        let shared = firsts.rev().find_map(|first| Some((first, *places(first).first()?)));
        let (first, place) = shared.expect("a covered token lies in a shared chunk");
        let end = (at..first + k).find(|&token| !missing[token]).unwrap_or(first + k);
        let offset = place as usize + (at - first);
        repeats.push(Repeat {
            here: stretch(here, at..end),
            there: stretch(there, offset..offset + (end - at)),
        });
        at = end;
    }
    join(repeats, here, there)
}

/// Repeats that continue one another on both sides are one.
fn join(repeats: Vec<Repeat>, here: &Tokens, there: &Tokens) -> Vec<Repeat> {
    let mut joined: Vec<Repeat> = Vec::new();
    for repeat in repeats {
        match joined.last_mut() {
            Some(last)
                if last.here.end() == repeat.here.first
                    && last.there.end() == repeat.there.first =>
            {
                let range = |from: u32, to: u32| from as usize..to as usize;
                last.here = stretch(here, range(last.here.first, repeat.here.end()));
                last.there = stretch(there, range(last.there.first, repeat.there.end()));
            }
            _ => joined.push(repeat),
        }
    }
    joined
}
