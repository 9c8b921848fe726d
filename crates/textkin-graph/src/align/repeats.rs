//! Repeats: tokens that the other text has too, at positions that already belong to a run.

use textkin_core::{Repeat, Tokens};

use super::chunks::Chunks;
use super::word_span;

/// Lists the tokens of `side` marked `missing`, each run of them with a position in the other text.
///
/// `here` are the tokens of `side`, `there` those of the other text. Every missing token lies in a
/// shared chunk.
pub(super) fn list(
    [here, there]: [&Tokens; 2],
    chunks: &Chunks,
    side: usize,
    missing: &[bool],
) -> Vec<Repeat> {
    let (k, groups) = (chunks.k(), chunks.groups(side));
    let positions = |first: usize| -> &[u32] {
        groups.get(first).map_or(&[], |&group| chunks.positions(1 - side, group))
    };
    let mut repeats = Vec::new();
    let mut at = 0;
    while at < missing.len() {
        if !missing[at] {
            at += 1;
            continue;
        }
        // The last shared chunk that covers this token extends furthest.
        let firsts = at.saturating_sub(k - 1)..=at;
        let shared = firsts.rev().find_map(|first| Some((first, *positions(first).first()?)));
        let (first, position) = shared.expect("a covered token lies in a shared chunk");
        let end = (at..first + k).find(|&token| !missing[token]).unwrap_or(first + k);
        let offset = position as usize + (at - first);
        repeats.push(Repeat {
            here: word_span(here, at..end),
            there: word_span(there, offset..offset + (end - at)),
        });
        at = end;
    }
    join(repeats, here, there)
}

/// Merges repeats that continue one another on both sides.
fn join(repeats: Vec<Repeat>, here: &Tokens, there: &Tokens) -> Vec<Repeat> {
    let mut joined: Vec<Repeat> = Vec::new();
    for repeat in repeats {
        match joined.last_mut() {
            Some(last)
                if last.here.end() == repeat.here.first
                    && last.there.end() == repeat.there.first =>
            {
                let range = |from: u32, to: u32| from as usize..to as usize;
                last.here = word_span(here, range(last.here.first, repeat.here.end()));
                last.there = word_span(there, range(last.there.first, repeat.there.end()));
            }
            _ => joined.push(repeat),
        }
    }
    joined
}
