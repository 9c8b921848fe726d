//! Passage clusters: each stretch of text that several documents have, and every place where it occurs.
//!
//! In: the chunk runs of every text. Out: clusters of spans; the spans of a text do not overlap.
//!
//! The steps:
//! 1. *Atoms.* The chunk numbers of all runs are cut where any run begins or ends. The chunks of an atom follow one
//!    another in every run that has them, so that atoms stand for chunks, of which there are many more (`Atoms`).
//! 2. *Places.* The places of each atom are counted, and those at which another one follows at most `max_gap`
//!    tokens later. A place counts once for each document that has the text.
//! 3. *Clusters.* Two atoms belong together if one follows the other at half or more of the places of each.
//!    Differences in a few documents therefore do not divide a passage, and a quotation that many documents have
//!    is not part of the passages around it (`cluster_atoms`).
//! 4. *Spans.* The chunks of a cluster that follow one another in a text form a span. Chunks at the border of two
//!    clusters overlap; such tokens belong to the cluster with more places. What then remains of a span must be as
//!    long as a chunk (`Spans`).
//!
//! Time and memory are proportional to the number of runs, apart from sorting. The result does not depend on how
//! texts and chunks are numbered.

use textkin_core::{ChunkRun, DisjointSets, Lists};

use crate::align::PassageRules;

/// A place of a cluster: consecutive tokens of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PassageSpan {
    /// Number of the cluster. The numbers have gaps and no meaning beyond equality.
    pub cluster: u32,
    /// Number of the text.
    pub text: u32,
    /// The first token.
    pub start: u32,
    /// One past the last token.
    pub end: u32,
}

/// Finds the clusters of passages. Returns their spans, sorted; the caller drops clusters with too few documents.
///
/// `runs` has the runs of each text, and `copies` returns the number of documents of a text; runs of texts without
/// documents do not count, nor do those that `is_kept` rejects.
///
/// ```
/// use textkin_core::{ChunkRun, Lists};
/// use textkin_graph::{PassageRules, passage_clusters};
///
/// // Two texts share 13 words, which are 6 chunks of 8 words: at their beginning, and after 20 words.
/// let run = |start| ChunkRun { chunk: 0, n_chunks: 6, start, end: start + 13, group: Some(0) };
/// let mut runs = Lists::new();
/// runs.push([run(0)]);
/// runs.push([run(20)]);
/// let spans = passage_clusters(&runs, |_| 1, |_| true, PassageRules::default());
/// let spans: Vec<_> = spans.iter().map(|span| (span.text, span.start, span.end)).collect();
/// assert_eq!(spans, [(0, 0, 13), (1, 20, 33)]);
/// ```
#[must_use]
pub fn passage_clusters(
    runs: &Lists<ChunkRun>,
    copies: impl Fn(u32) -> u32,
    is_kept: impl Fn(&ChunkRun) -> bool,
    rules: PassageRules,
) -> Vec<PassageSpan> {
    let texts = || {
        let texts = (0u32..).zip(runs.iter()).map(|(text, runs)| (text, copies(text), runs));
        texts.filter(|&(_, copies, _)| copies > 0)
    };
    let kept = |runs: &'_ [ChunkRun]| runs.iter().filter(|run| is_kept(run)).copied().collect();
    let mut buffer: Vec<ChunkRun>;

    let mut atoms = Atoms::new(texts().flat_map(|(.., runs)| runs).filter(|run| is_kept(run)));
    let mut followers = Vec::new();
    for (_, copies, runs) in texts() {
        buffer = kept(runs);
        atoms.count(&buffer, copies.into(), rules.max_gap, &mut followers);
    }
    let clusters = atoms.into_clusters(followers);

    let mut spans = Vec::new();
    for (text, _, runs) in texts() {
        buffer = kept(runs);
        let mut of_text = Spans::default();
        for run in &buffer {
            clusters.pieces(run, |piece| of_text.push(piece, &clusters.n_places));
        }
        let of_text = of_text.finish(&rules).into_iter();
        spans.extend(of_text.map(|Piece { cluster, start, end, .. }| PassageSpan {
            cluster,
            text,
            start,
            end,
        }));
    }
    spans.sort_unstable();
    spans
}

/// Ranges of chunk numbers that no run begins or ends within, and their places.
struct Atoms {
    /// Where atoms begin and end, ascending: atom `i` is from cut `i` to cut `i + 1`. Some of these ranges are in no
    /// run.
    cuts: Vec<u64>,
    /// Number of places of each atom; while counting, its difference to the atom before.
    n_places: Vec<u64>,
    /// Number of places at which the next atom follows within a run; while counting, its difference to the atom
    /// before.
    n_within: Vec<u64>,
}

/// An atom, another one that follows it, and the number of places.
type Follower = (u32, u32, u64);

impl Atoms {
    fn new<'a>(runs: impl Iterator<Item = &'a ChunkRun>) -> Self {
        let mut cuts: Vec<u64> = Vec::new();
        let mut n_sorted = 0;
        for run in runs {
            cuts.extend([run.chunk, run.chunk + u64::from(run.n_chunks)]);
            // Most runs have the same ends as others: duplicates are dropped before they double the memory.
            if cuts.len() >= (2 * n_sorted).max(1 << 16) {
                cuts.sort_unstable();
                cuts.dedup();
                n_sorted = cuts.len();
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let n = cuts.len();
        Self { cuts, n_places: vec![0; n], n_within: vec![0; n] }
    }

    /// The first atom of a run, and one past its last.
    fn of(&self, run: &ChunkRun) -> [usize; 2] {
        [run.chunk, run.chunk + u64::from(run.n_chunks)]
            .map(|cut| self.cuts.partition_point(|&other| other < cut))
    }

    /// Counts the places of the runs of one text, and adds the atoms that follow one another from run to run.
    fn count(
        &mut self,
        runs: &[ChunkRun],
        copies: u64,
        max_gap: u32,
        followers: &mut Vec<Follower>,
    ) {
        let mut last: Option<(u32, u32)> = None;
        for run in runs {
            let [first, end] = self.of(run);
            for (counts, end) in [(&mut self.n_places, end), (&mut self.n_within, end - 1)] {
                counts[first] = counts[first].wrapping_add(copies);
                counts[end] = counts[end].wrapping_sub(copies);
            }
            if let Some((atom, last_end)) = last
                && run.start <= last_end.saturating_add(max_gap)
            {
                followers.push((atom, first as u32, copies));
            }
            last = Some((end as u32 - 1, run.end));
        }
        if followers.len() >= 1 << 20 {
            merge(followers);
        }
    }

    /// Joins atoms to clusters.
    fn into_clusters(mut self, mut followers: Vec<Follower>) -> AtomClusters {
        for counts in [&mut self.n_places, &mut self.n_within] {
            let mut sum = 0u64;
            for count in counts {
                sum = sum.wrapping_add(*count);
                *count = sum;
            }
        }
        let within = (0u32..).zip(&self.n_within).filter(|(_, count)| **count > 0);
        followers.extend(within.map(|(atom, &count)| (atom, atom + 1, count)));
        merge(&mut followers);
        let mut sets = DisjointSets::new(self.cuts.len());
        for (a, b, count) in followers {
            if 2 * count >= self.n_places[a as usize].max(self.n_places[b as usize]) {
                sets.union(a, b);
            }
        }
        let of_atom = sets.into_roots();
        let mut n_places = vec![0; self.cuts.len()];
        for (&cluster, &count) in of_atom.iter().zip(&self.n_places) {
            let most = &mut n_places[cluster as usize];
            *most = count.max(*most);
        }
        self.n_places = Vec::new();
        self.n_within = Vec::new();
        AtomClusters { atoms: self, of_atom, n_places }
    }
}

/// Sorts, and adds up what is about the same atoms.
fn merge(followers: &mut Vec<Follower>) {
    followers.sort_unstable();
    followers.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += if is_same { next.2 } else { 0 };
        is_same
    });
}

/// The cluster of each atom.
struct AtomClusters {
    atoms: Atoms,
    of_atom: Vec<u32>,
    /// For each cluster, the number of places of the atom that has most.
    n_places: Vec<u64>,
}

impl AtomClusters {
    /// Calls `add` with the parts of a run that belong to one cluster each, in order.
    fn pieces(&self, run: &ChunkRun, mut add: impl FnMut(Piece)) {
        let [first, end] = self.atoms.of(run);
        // A chunk has this many tokens.
        let width = run.end - run.start - (run.n_chunks - 1);
        let token = |cut: usize| run.start + (self.atoms.cuts[cut] - run.chunk) as u32;
        let mut atom = first;
        while atom < end {
            let cluster = self.of_atom[atom];
            let same = self.of_atom[atom..end].iter().take_while(|other| **other == cluster);
            let next = atom + same.count();
            add(Piece { cluster, start: token(atom), end: token(next) - 1 + width, width });
            atom = next;
        }
    }
}

/// Consecutive tokens of one text that chunks of one cluster cover.
#[derive(Clone, Copy, Debug)]
struct Piece {
    cluster: u32,
    start: u32,
    end: u32,
    /// Tokens of its shortest chunk.
    width: u32,
}

/// The spans of one text: pieces that do not overlap.
#[derive(Default)]
struct Spans(Vec<Piece>);

impl Spans {
    /// Appends a piece that neither begins nor ends before the last one did. `n_places` says which cluster gets the
    /// tokens of two.
    fn push(&mut self, mut piece: Piece, n_places: &[u64]) {
        while let Some(last) = self.0.last_mut() {
            if last.end < piece.start {
                break;
            }
            if last.cluster == piece.cluster {
                last.end = last.end.max(piece.end);
                last.width = last.width.min(piece.width);
                return;
            }
            if n_places[last.cluster as usize] >= n_places[piece.cluster as usize] {
                piece.start = piece.start.max(last.end);
                break;
            }
            last.end = last.end.min(piece.start);
            if last.start < last.end {
                break;
            }
            self.0.pop();
        }
        if piece.start < piece.end {
            self.0.push(piece);
        }
    }

    /// Drops what is shorter than a chunk, joins spans of one cluster that follow one another, and drops short ones.
    fn finish(self, rules: &PassageRules) -> Vec<Piece> {
        let mut spans: Vec<Piece> = Vec::with_capacity(self.0.len());
        for piece in self.0.into_iter().filter(|piece| piece.end - piece.start >= piece.width) {
            match spans.last_mut() {
                Some(last)
                    if last.cluster == piece.cluster
                        && piece.start <= last.end.saturating_add(rules.max_gap) =>
                {
                    last.end = piece.end;
                }
                _ => spans.push(piece),
            }
        }
        spans.retain(|piece| piece.end - piece.start >= rules.min_words);
        spans
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    type Text = Vec<u8>;

    /// The chunk of `k` words, or of the whole text, that begins at each position.
    fn chunks(text: &Text, k: usize) -> Vec<&[u8]> {
        if text.is_empty() { Vec::new() } else { text.windows(k.min(text.len())).collect() }
    }

    /// The chunks in several documents.
    fn shared<'a>(texts: &[(&'a Text, u32)], k: usize) -> BTreeSet<&'a [u8]> {
        let mut n_documents: BTreeMap<&[u8], u32> = BTreeMap::new();
        for &(text, copies) in texts {
            for chunk in BTreeSet::from_iter(chunks(text, k)) {
                *n_documents.entry(chunk).or_default() += copies;
            }
        }
        n_documents.retain(|_, n| *n > 1);
        n_documents.into_keys().collect()
    }

    /// The chunk runs of texts, with chunks numbered by their first occurrence in the order `order`.
    fn chunk_runs(texts: &[(&Text, u32)], k: usize, order: &[usize]) -> Lists<ChunkRun> {
        let shared = shared(texts, k);
        let mut numbers: BTreeMap<&[u8], u64> = BTreeMap::new();
        let mut next = 0;
        for &text in order {
            for chunk in chunks(texts[text].0, k) {
                numbers.entry(chunk).or_insert(next);
                next += 1;
            }
        }
        let holders = |chunk: &[u8]| {
            let has = |(text, _): &&(&Text, u32)| chunks(text, k).contains(&chunk);
            texts.iter().filter(has).count()
        };
        let mut lists = Lists::new();
        for (text, _) in texts {
            let mut runs: Vec<ChunkRun> = Vec::new();
            for (start, chunk) in (0u32..).zip(chunks(text, k)) {
                if !shared.contains(chunk) {
                    continue;
                }
                let (number, end) = (numbers[chunk], start + chunk.len() as u32);
                // Only runs of one group are runs; this stands for the group.
                let group = Some(holders(chunk) as u32);
                match runs.last_mut() {
                    Some(run)
                        if run.group == group
                            && run.chunk + u64::from(run.n_chunks) == number
                            && run.start + run.n_chunks == start =>
                    {
                        (run.end, run.n_chunks) = (end, run.n_chunks + 1);
                    }
                    _ => runs.push(ChunkRun { chunk: number, n_chunks: 1, start, end, group }),
                }
            }
            lists.push(runs);
        }
        lists
    }

    /// A place: text, first token, one past the last.
    type Place = (u32, u32, u32);

    /// The clusters, sorted: chunk by chunk and token by token.
    fn naive(texts: &[(&Text, u32)], k: usize, rules: PassageRules) -> Vec<Vec<Place>> {
        let shared = shared(texts, k);
        let places = |text: &'_ Text| {
            let chunks = (0u32..).zip(chunks(text, k));
            let chunks = chunks.filter(|(_, chunk)| shared.contains(chunk));
            chunks.map(|(start, chunk)| (start, chunk.to_vec())).collect::<Vec<_>>()
        };
        let mut n_places: BTreeMap<Text, u32> = BTreeMap::new();
        let mut n_followers: BTreeMap<(Text, Text), u32> = BTreeMap::new();
        for &(text, copies) in texts {
            let places = places(text);
            for (_, chunk) in &places {
                *n_places.entry(chunk.clone()).or_default() += copies;
            }
            for pair in places.windows(2) {
                if pair[1].0 <= pair[0].0 + pair[0].1.len() as u32 + rules.max_gap {
                    let pair = (pair[0].1.clone(), pair[1].1.clone());
                    *n_followers.entry(pair).or_default() += copies;
                }
            }
        }
        let mut cluster: BTreeMap<Text, usize> = n_places.keys().cloned().zip(0..).collect();
        for ((a, b), n) in n_followers {
            if 2 * n >= n_places[&a].max(n_places[&b]) {
                let (a, b) = (cluster[&a], cluster[&b]);
                cluster.values_mut().filter(|one| **one == a).for_each(|one| *one = b);
            }
        }
        let weight = |one: usize| {
            let of_cluster = cluster.iter().filter(|(_, other)| **other == one);
            of_cluster.map(|(chunk, _)| n_places[chunk]).max()
        };
        let mut clusters: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
        for (number, (text, _)) in (0u32..).zip(texts) {
            let places = places(text);
            let of_token = |token: u32| {
                let covering = places.iter().filter(|(start, chunk)| {
                    (*start..*start + chunk.len() as u32).contains(&token)
                });
                let covering = covering.map(|(start, chunk)| (*start, cluster[chunk]));
                let best = covering.max_by_key(|&(start, one)| (weight(one), Reverse(start)));
                best.map(|(_, one)| one)
            };
            let tokens: Vec<Option<usize>> = (0..text.len() as u32).map(of_token).collect();
            let mut spans: Vec<(usize, u32, u32)> = Vec::new();
            let mut start = 0;
            for run in tokens.chunk_by(|a, b| a == b) {
                let end = start + run.len() as u32;
                if let Some(one) = run[0].filter(|_| run.len() >= k.min(text.len())) {
                    match spans.last_mut() {
                        Some(last) if last.0 == one && start <= last.2 + rules.max_gap => {
                            last.2 = end;
                        }
                        _ => spans.push((one, start, end)),
                    }
                }
                start = end;
            }
            for (one, start, end) in spans {
                if end - start >= rules.min_words {
                    clusters.entry(one).or_default().push((number, start, end));
                }
            }
        }
        let mut clusters: Vec<_> = clusters.into_values().collect();
        clusters.sort();
        clusters
    }

    fn found(runs: &Lists<ChunkRun>, copies: &[u32], rules: PassageRules) -> Vec<Vec<Place>> {
        let spans = passage_clusters(runs, |text| copies[text as usize], |_| true, rules);
        let of_cluster = spans.chunk_by(|a, b| a.cluster == b.cluster);
        let place = |span: &PassageSpan| (span.text, span.start, span.end);
        let mut clusters: Vec<Vec<Place>> =
            of_cluster.map(|spans| spans.iter().map(place).collect()).collect();
        clusters.sort();
        clusters
    }

    fn clusters(texts: &[&str]) -> Vec<Vec<Place>> {
        let texts: Vec<Text> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        let texts: Vec<(&Text, u32)> = texts.iter().map(|text| (text, 1)).collect();
        let order: Vec<usize> = (0..texts.len()).collect();
        let runs = chunk_runs(&texts, 4, &order);
        let rules = PassageRules { max_gap: 2, min_words: 0 };
        let found = found(&runs, &vec![1; texts.len()], rules);
        assert_eq!(found, naive(&texts, 4, rules));
        found
    }

    #[test]
    fn a_reprint_with_an_error_is_one_passage() {
        let found = clusters(&["__abcdefghijklmn", "abcdefghijklmn++", "abcdef.hijklmn"]);
        assert_eq!(found, [[(0, 2, 16), (1, 0, 14), (2, 0, 14)]]);
    }

    #[test]
    fn a_quotation_that_many_have_is_a_passage_of_its_own() {
        let found = clusters(&[
            "abcdefgh123456ijklmnop",
            "abcdefgh123456ijklmnop",
            "=123456=",
            "<123456>",
            "{123456}",
        ]);
        let quotation = vec![(0, 8, 14), (1, 8, 14), (2, 1, 7), (3, 1, 7), (4, 1, 7)];
        let (before, after) = (vec![(0, 0, 8), (1, 0, 8)], vec![(0, 14, 22), (1, 14, 22)]);
        assert_eq!(found, [before, quotation, after]);
    }

    #[test]
    fn a_part_that_most_have_too_belongs_to_the_passage() {
        let found = clusters(&["abcdefghijklmn", "abcdefghijklmn", "..fghijk.."]);
        assert_eq!(found, [[(0, 0, 14), (1, 0, 14), (2, 2, 8)]]);
    }

    fn texts() -> impl Strategy<Value = Vec<(Text, u32)>> {
        let word = prop_oneof![4 => 0..3u8, 1 => 0..8u8];
        let text = prop::collection::vec(word, 0..24);
        let text = (text, prop_oneof![5 => Just(1u32), 1 => 2..4u32, 1 => Just(0u32)]);
        prop::collection::vec(text, 1..8).prop_map(|mut texts| {
            // Equal texts are one text.
            texts.sort();
            texts.dedup_by(|a, b| a.0 == b.0);
            texts
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

        #[test]
        fn clusters_equal_the_naive_ones_however_chunks_are_numbered(
            texts in texts(),
            k in 1..5usize,
            max_gap in 0..4u32,
            min_words in 0..7u32,
            order in prop::collection::vec(any::<u32>(), 8),
        ) {
            let rules = PassageRules { max_gap, min_words };
            let copies: Vec<u32> = texts.iter().map(|(_, copies)| *copies).collect();
            let all: Vec<(&Text, u32)> = texts.iter().map(|(text, copies)| (text, *copies)).collect();
            let mut numbers: Vec<usize> = (0..all.len()).collect();
            numbers.sort_by_key(|&number| order[number]);
            let runs = chunk_runs(&all, k, &numbers);
            // Texts without documents have no places.
            let mut expected = naive(&all, k, rules);
            for cluster in &mut expected {
                cluster.retain(|place| copies[place.0 as usize] > 0);
            }
            expected.retain(|cluster| !cluster.is_empty());
            expected.sort();
            prop_assert_eq!(found(&runs, &copies, rules), expected);
        }
    }
}
