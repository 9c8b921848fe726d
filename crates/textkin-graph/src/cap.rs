//! The cap that a user may set: chunks in more than so many documents are set aside.

use textkin_core::{Lists, Run, SharedChunks, TokenRange};

/// What a cap left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capped {
    /// The cap: the most documents a chunk may be in.
    pub max_documents: u32,
    /// Distinct chunks that were in more.
    pub chunks: u64,
    /// Their postings.
    pub postings: u64,
}

/// The words of each document that a cap set aside.
#[derive(Clone, Debug)]
pub struct Aside {
    of_text: Lists<TokenRange>,
    /// The text of each document; `None` for one without tokens.
    text_of_document: Vec<Option<u32>>,
}

impl Aside {
    /// From the words of each text, where `text_of_document` gives the text of each document.
    #[must_use]
    pub fn new(of_text: Lists<TokenRange>, text_of_document: Vec<Option<u32>>) -> Self {
        Self { of_text, text_of_document }
    }

    /// The words of a document that were set aside: ascending, not touching each other.
    #[must_use]
    pub fn of(&self, document: u32) -> &[TokenRange] {
        let text = self.text_of_document.get(document as usize).copied().flatten();
        text.map_or(&[], |text| self.of_text.list(text as usize))
    }
}

/// Sets aside every chunk in more than `max_documents` documents, and says what that was, and
/// which words of each text.
///
/// Such a chunk leaves the chunks of its texts too, and its words leave their words, so that neither
/// counts above or below the line, and equal texts still resemble each other wholly. A word of
/// another chunk that also lies in one set aside counts no longer. Exact copies are known by their
/// digest, whatever the number of documents.
pub fn cap(shared: &mut SharedChunks, max_documents: u32) -> (Capped, Lists<TokenRange>) {
    let mut capped = Capped { max_documents, chunks: 0, postings: 0 };
    let mut is_kept = Vec::with_capacity(shared.groups.len());
    for (number, group) in shared.groups.iter_mut().enumerate() {
        is_kept.push(group.documents <= max_documents);
        if group.documents > max_documents {
            capped.chunks += u64::from(group.chunks);
            capped.postings += u64::from(group.chunks) * u64::from(group.documents);
            for &text in shared.texts_of_group.list(number) {
                shared.texts[text as usize].chunks -= group.chunks;
            }
            group.chunks = 0;
        }
    }
    let kept = |group: &u32| is_kept[*group as usize];
    let mut groups_of_text = Lists::new();
    for groups in shared.groups_of_text.iter() {
        groups_of_text.push(groups.iter().copied().filter(kept));
    }
    let mut runs_of_text = Lists::new();
    let mut words_aside = Lists::new();
    for (text, runs) in shared.runs_of_text.iter().enumerate() {
        let aside = Stretches::new(runs.iter().filter(|run| !is_kept[run.group as usize]));
        shared.texts[text].words -= aside.n_words();
        words_aside.push(aside.ranges());
        let kept = runs.iter().filter(|run| is_kept[run.group as usize]);
        runs_of_text.push(kept.map(|run| Run {
            start: aside.place(run.start),
            end: aside.place(run.end),
            group: run.group,
        }));
    }
    shared.texts_of_group = groups_of_text.transposed(shared.groups.len());
    shared.groups_of_text = groups_of_text;
    shared.runs_of_text = runs_of_text;
    (capped, words_aside)
}

/// The words of one text that are set aside: stretches that do not touch, ascending.
struct Stretches(Vec<Stretch>);

struct Stretch {
    start: u32,
    end: u32,
    /// Words of earlier stretches.
    before: u32,
}

impl Stretches {
    /// The words of `runs`, which are ordered by start.
    fn new<'a>(runs: impl Iterator<Item = &'a Run>) -> Self {
        let mut stretches: Vec<Stretch> = Vec::new();
        for run in runs {
            match stretches.last_mut() {
                Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
                last => {
                    let before = last.map_or(0, |last| last.before + (last.end - last.start));
                    stretches.push(Stretch { start: run.start, end: run.end, before });
                }
            }
        }
        Self(stretches)
    }

    fn ranges(&self) -> impl Iterator<Item = TokenRange> {
        self.0.iter().map(|&Stretch { start, end, .. }| TokenRange { start, end })
    }

    fn n_words(&self) -> u32 {
        self.n_before(u32::MAX)
    }

    /// Where the word at `place` stands once they are gone, or the next one that stays.
    fn place(&self, place: u32) -> u32 {
        place - self.n_before(place)
    }

    /// How many of them stand before `place`.
    fn n_before(&self, place: u32) -> u32 {
        let next = self.0.partition_point(|stretch| stretch.start < place);
        let last = next.checked_sub(1).map(|last| &self.0[last]);
        last.map_or(0, |last| last.before + (place.min(last.end) - last.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_set_aside_leave_the_places_of_the_others() {
        let run = |start, end| Run { start, end, group: 0 };
        let aside = Stretches::new([run(2, 4), run(3, 5), run(8, 9)].iter());
        assert_eq!(aside.n_words(), 4);
        let places: Vec<u32> = (0..12).map(|place| aside.place(place)).collect();
        assert_eq!(places, [0, 1, 2, 2, 2, 2, 3, 4, 5, 5, 6, 7]);
        assert_eq!(Stretches::new([].iter()).n_words(), 0);
    }
}
