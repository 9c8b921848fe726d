//! Turns batches into shared chunks: links, verification, runs and groups.

use std::collections::BTreeMap;
use std::sync::Mutex;

use textkin_core::parallel::try_for_each;
use textkin_core::{ChunkRun, GroupEntry, Lists, Run, SharedChunks, TextEntry, TokenRange};

use crate::array::{Array, Window};
use crate::batch::{Batch, ChunkBounds, TextAddress};
use crate::chunk_list::{KeepChunks, SharedChunkList, list_shared_chunks};
use crate::collect::Collection;
use crate::error::Error;
use crate::record::{GroupAddress, Link, LinkKind, Record};
use crate::repeats::{Group, GroupNumbers, Pass, Repeats, link_repeats};
use crate::spex;
use crate::verify::{ChunkAddress, ChunkRange, Scratch, Verifier, repair};
use crate::work::{Progress, Stop};

/// The result of indexing a collection.
#[derive(Debug, Default)]
pub struct IndexedCollection {
    /// The shared chunks.
    pub shared: SharedChunks,
    /// Number of distinct chunks of the collection.
    pub distinct_chunks: u64,
    /// Number of chunks of all documents, including copies.
    pub total_chunks: u64,
    /// Number of hash collisions that were detected.
    pub collisions: u64,
    /// The list of shared chunks, if requested.
    pub chunks: Option<SharedChunkList>,
    /// For each text, the runs of chunks that several documents have, ordered by start, if requested.
    pub chunk_runs: Option<Lists<ChunkRun>>,
    first_texts: Vec<u32>,
}

impl IndexedCollection {
    /// The number of a text in [`SharedChunks::texts`].
    #[must_use]
    pub fn text_number(&self, address: TextAddress) -> u32 {
        self.first_texts[address.batch as usize] + address.text
    }
}

/// Finds the chunks that the texts of `collection` share.
///
/// `copies` returns the number of documents of each text, and texts without documents are not indexed; `keep`
/// determines what is kept of each shared chunk, and `keeps_runs` whether [`IndexedCollection::chunk_runs`] are.
///
/// # Errors
/// If the temporary file fails or a stop is requested.
pub fn find_shared(
    collection: &Collection,
    copies: impl Fn(TextAddress) -> u32,
    keep: KeepChunks,
    keeps_runs: bool,
    threads: usize,
    progress: &Progress,
    stop: &Stop,
) -> Result<IndexedCollection, Error> {
    let settings = collection.settings();
    let mut batches: Vec<Batch> = Vec::new();
    for (number, batch) in collection.take() {
        // A batch that stayed empty keeps its number.
        batches.resize_with(number as usize, Batch::default);
        batches.push(batch);
    }
    let mut first_texts = Vec::with_capacity(batches.len());
    let mut n_texts = 0;
    for batch in &batches {
        first_texts.push(n_texts);
        n_texts += batch.texts.len() as u32;
    }
    let copied: Option<Vec<bool>> = (keep != KeepChunks::None || keeps_runs).then(|| {
        let texts = |(batch, texts): (u32, usize)| {
            (0..texts as u32).map(move |text| TextAddress { batch, text })
        };
        let batches = (0u32..).zip(batches.iter().map(|batch| batch.texts.len()));
        batches.flat_map(texts).map(|address| copies(address) > 1).collect()
    });
    let pass = Pass {
        copied: copied.as_deref().filter(|_| keep != KeepChunks::None),
        threads,
        memory: collection.budget() / 4,
        selective: settings.selective,
        progress,
        stop,
    };
    if !settings.records {
        let is_copied = |batch: usize, text: usize| {
            let number = first_texts[batch] as usize + text;
            pass.copied.is_some_and(|copied| copied[number])
        };
        spex::make_records(&mut batches, collection, &is_copied, pass)?;
    }
    let n_dropped = drop_unused(&mut batches, collection, &copies)?;
    let n_chunks: u64 = batches.iter().map(|batch| u64::from(batch.n_chunks)).sum();
    let n_records: u64 = batches.iter().map(|batch| batch.records.len() as u64).sum();
    let mut repeats = link_repeats(&mut batches, &first_texts, n_texts as usize, pass)?;
    // Chunks that a filter dropped occur once.
    repeats.distinct += n_chunks - n_dropped - n_records;
    assign_links(&mut batches, collection, pass)?;

    let mut groups = Groups::merge(std::mem::take(&mut repeats.tables));
    let copied_texts = copied.as_deref().filter(|_| keeps_runs);
    let gather = |batches: &[Batch], groups: &Groups| {
        gather(Verifier { batches, settings }, groups, copied_texts, &first_texts, pass)
    };
    let mut occurrences = gather(&batches, &groups)?;
    let collisions = occurrences.invalid.len() as u64;
    if collisions > 0 {
        repair(
            &mut batches,
            settings,
            &first_texts,
            &occurrences.invalid,
            &mut groups,
            &mut repeats,
        )?;
        occurrences = gather(&batches, &groups)?;
    }
    let chunk_runs = occurrences.chunk_runs.take();
    let mut chunks = match copied.as_ref().filter(|_| keep != KeepChunks::None) {
        None => None,
        Some(copied) => {
            let first_occurrences = std::mem::take(&mut repeats.first_occurrences);
            let verifier = Verifier { batches: &batches, settings };
            let has_copies = |text: u32| copied[text as usize];
            Some(list_shared_chunks(
                verifier,
                &groups,
                &first_texts,
                first_occurrences,
                has_copies,
                keep,
            )?)
        }
    };
    let texts = texts(&batches, copies, &repeats);
    let all = texts.iter().zip(&repeats.within_text);
    let total_chunks = all
        .map(|(text, &repeated)| u64::from(text.chunks + repeated) * u64::from(text.copies))
        .sum();
    drop(batches);
    let shared = finish(texts, &groups, occurrences)?;
    if let Some(chunks) = &mut chunks {
        chunks.keep_selected(&shared);
    }
    let distinct_chunks = repeats.distinct;
    Ok(IndexedCollection {
        shared,
        distinct_chunks,
        total_chunks,
        collisions,
        chunks,
        chunk_runs,
        first_texts,
    })
}

/// Records to read from disk at a time.
const RECORDS: usize = 1 << 16;

/// Drops the records of texts that no document has. Returns the number of chunks of these texts.
fn drop_unused(
    batches: &mut [Batch],
    collection: &Collection,
    copies: impl Fn(TextAddress) -> u32,
) -> Result<u64, Error> {
    let mut n_dropped = 0;
    for (number, batch) in (0u32..).zip(batches) {
        let address = |text: u32| TextAddress { batch: number, text };
        let is_unused: Vec<bool> =
            (0..batch.texts.len() as u32).map(|text| copies(address(text)) == 0).collect();
        if !is_unused.contains(&true) {
            continue;
        }
        let n_chunks = |text: usize| u64::from(batch.chunks_end(text) - batch.texts[text].chunk);
        let unused = is_unused.iter().enumerate().filter(|(_, is_unused)| **is_unused);
        n_dropped += unused.map(|(text, _)| n_chunks(text)).sum::<u64>();
        batch.drop_records(&is_unused)?;
        if let Some(spill_file) = collection.spill_file_in_use() {
            batch.records.spill(spill_file)?;
        }
    }
    Ok(n_dropped)
}

/// Sorts the links of each batch by chunk, and drops the records.
fn assign_links(
    batches: &mut [Batch],
    collection: &Collection,
    pass: Pass<'_>,
) -> Result<(), Error> {
    pass.progress.begin("placing links", batches.len() as u64);
    let tasks: Vec<&mut Batch> = batches.iter_mut().collect();
    try_for_each(
        pass.threads,
        tasks,
        |_| Window::<Record>::default(),
        |window, batch| {
            pass.stop.check()?;
            let mut links = vec![Link::UNIQUE; batch.n_chunks as usize];
            let n_records = batch.records.len();
            for start in (0..n_records).step_by(RECORDS) {
                let end = n_records.min(start + RECORDS);
                for record in batch.records.read(start..end, window)? {
                    links[record.position() as usize] = Link::from_raw(record.value());
                }
            }
            batch.records = Array::default();
            batch.partition_starts = Vec::new();
            batch.links = Array::Memory(links);
            if let Some(spill_file) = collection.spill_file_in_use() {
                batch.links.spill(spill_file)?;
            }
            pass.progress.advance(1);
            Ok(())
        },
    )?;
    Ok(())
}

fn texts(
    batches: &[Batch],
    copies: impl Fn(TextAddress) -> u32,
    repeats: &Repeats,
) -> Vec<TextEntry> {
    let mut texts = Vec::with_capacity(repeats.within_text.len());
    for (number, batch) in batches.iter().enumerate() {
        for (text, position) in batch.texts.iter().enumerate() {
            let n_chunks = batch.chunks_end(text) - position.chunk;
            texts.push(TextEntry {
                words: position.tokens,
                chunks: n_chunks - repeats.within_text[texts.len()],
                copies: copies(TextAddress { batch: number as u32, text: text as u32 }),
            });
        }
    }
    texts
}

/// The groups of all workers under one numbering.
pub(crate) struct Groups {
    /// The number of each group of each table.
    pub(crate) numbers: Vec<Vec<u32>>,
    pub(crate) sizes: Vec<GroupSize>,
}

/// Number of texts and chunks of a group: all that is needed once the lists of texts are distinct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSize {
    pub(crate) n_texts: u32,
    pub(crate) n_chunks: u32,
}

impl Groups {
    fn merge(tables: Vec<Vec<Group>>) -> Self {
        let (mut groups, mut numbers) = (Vec::new(), Vec::new());
        let mut group_numbers = GroupNumbers::default();
        for table in tables {
            let number = |group| group_numbers.add(group, &mut groups);
            numbers.push(table.into_iter().map(number).collect());
        }
        let size = |group: Group| GroupSize { n_texts: group.n_texts, n_chunks: group.n_chunks };
        Self { numbers, sizes: groups.into_iter().map(size).collect() }
    }

    pub(crate) fn number(&self, address: GroupAddress) -> u32 {
        self.numbers[address.table as usize][address.group as usize]
    }
}

/// Where groups occur in texts, and the links that failed verification.
#[derive(Default)]
struct GroupOccurrences {
    runs: Lists<Run>,
    groups: Lists<u32>,
    selected: Option<Lists<u32>>,
    chunk_runs: Option<Lists<ChunkRun>>,
    invalid: Vec<ChunkAddress>,
}

impl GroupOccurrences {
    fn new(selective: bool, keeps_runs: bool) -> Self {
        Self {
            selected: selective.then(Lists::new),
            chunk_runs: keeps_runs.then(Lists::new),
            ..Self::default()
        }
    }
}

/// Verifies every link and collects the runs of every text. Chunk runs are collected if `copied` is given, which
/// says of each text whether several documents have it.
fn gather(
    verifier: Verifier<'_>,
    groups: &Groups,
    copied: Option<&[bool]>,
    first_texts: &[u32],
    pass: Pass<'_>,
) -> Result<GroupOccurrences, Error> {
    let Verifier { batches, settings } = verifier;
    pass.progress.begin("verifying", batches.len() as u64);
    let all = Mutex::new(InOrder {
        next: 0,
        waiting: BTreeMap::new(),
        occurrences: GroupOccurrences::new(settings.selective, copied.is_some()),
    });
    let tasks: Vec<usize> = (0..batches.len()).collect();
    try_for_each(
        pass.threads,
        tasks,
        |_| Gatherer::new(verifier, groups),
        |gatherer, batch| {
            pass.stop.check()?;
            let copied = copied.map(|copied| &copied[first_texts[batch] as usize..]);
            let occurrences = gatherer.gather(batch, copied)?;
            all.lock().unwrap_or_else(|broken| broken.into_inner()).add(batch, occurrences);
            pass.progress.advance(1);
            Ok(())
        },
    )?;
    Ok(all.into_inner().unwrap_or_else(|broken| broken.into_inner()).occurrences)
}

/// Appends the occurrences of batches in order, whatever the order in which they finish.
struct InOrder {
    next: usize,
    waiting: BTreeMap<usize, GroupOccurrences>,
    occurrences: GroupOccurrences,
}

impl InOrder {
    fn add(&mut self, batch: usize, occurrences: GroupOccurrences) {
        self.waiting.insert(batch, occurrences);
        while let Some(occurrences) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.occurrences.runs.append(&occurrences.runs);
            self.occurrences.groups.append(&occurrences.groups);
            self.occurrences.invalid.extend(occurrences.invalid);
            if let (Some(all), Some(own)) = (&mut self.occurrences.selected, &occurrences.selected)
            {
                all.append(own);
            }
            if let (Some(all), Some(own)) =
                (&mut self.occurrences.chunk_runs, &occurrences.chunk_runs)
            {
                all.append(own);
            }
        }
    }
}

/// A text and the links of its batch.
#[derive(Clone, Copy)]
struct Links<'a> {
    batch: usize,
    text: usize,
    links: &'a [Link],
    chunks: &'a [ChunkBounds],
    /// Whether several documents have the text; `None` if chunk runs are not collected.
    is_copied: Option<bool>,
}

/// Buffers of one thread for walking the links of texts.
struct Gatherer<'a> {
    verifier: Verifier<'a>,
    groups: &'a Groups,
    first_links: Window<Link>,
    scratch: Scratch,
    runs: Vec<Run>,
    selected: Vec<u32>,
    chunk_runs: Vec<ChunkRun>,
    distinct: Vec<u32>,
    /// The group looked up last: neighbours usually have the same group.
    last_group: Option<(GroupAddress, u32)>,
}

impl<'a> Gatherer<'a> {
    fn new(verifier: Verifier<'a>, groups: &'a Groups) -> Self {
        Self {
            verifier,
            groups,
            first_links: Window::default(),
            scratch: Scratch::default(),
            runs: Vec::new(),
            selected: Vec::new(),
            chunk_runs: Vec::new(),
            distinct: Vec::new(),
            last_group: None,
        }
    }

    /// Collects the runs of all texts of a batch; `copied` is about them.
    fn gather(
        &mut self,
        number: usize,
        copied: Option<&[bool]>,
    ) -> Result<GroupOccurrences, Error> {
        let mut occurrences =
            GroupOccurrences::new(self.verifier.settings.selective, copied.is_some());
        let batch = &self.verifier.batches[number];
        let (mut links, mut chunks) = (Window::default(), Window::default());
        let links = batch.links.read_all(&mut links)?;
        let chunks = batch.chunk_bounds.read_all(&mut chunks)?;
        for text in 0..batch.texts.len() {
            self.runs.clear();
            self.selected.clear();
            self.chunk_runs.clear();
            let is_copied = copied.map(|copied| copied[text]);
            let own = Links { batch: number, text, links, chunks, is_copied };
            self.walk(own, &mut occurrences.invalid)?;
            occurrences.runs.push(self.runs.iter().copied());
            occurrences
                .groups
                .push(sorted(&mut self.distinct, self.runs.iter().map(|run| run.group)));
            if let Some(selected) = &mut occurrences.selected {
                selected.push(sorted(&mut self.distinct, self.selected.iter().copied()));
            }
            if let Some(chunk_runs) = &mut occurrences.chunk_runs {
                chunk_runs.push(self.chunk_runs.iter().copied());
            }
        }
        Ok(occurrences)
    }

    /// Walks the chunks of one text, one range of consecutive links at a time.
    fn walk(&mut self, own: Links<'_>, invalid: &mut Vec<ChunkAddress>) -> Result<(), Error> {
        let batches = self.verifier.batches;
        let Links { batch: number, text, links, .. } = own;
        let (mut position, end) =
            (batches[number].texts[text].chunk, batches[number].chunks_end(text));
        while position < end {
            match links[position as usize].kind() {
                LinkKind::Unique => {
                    self.add_to_run(own, position, (number as u32, position), None);
                    position += 1;
                }
                LinkKind::First { group } => {
                    let group = self.add(own, position, group);
                    self.add_to_run(own, position, (number as u32, position), group);
                    position += 1;
                }
                LinkKind::Later { batch: first_batch, position: first_position } => {
                    let containing = &batches[first_batch as usize];
                    let max_len = (containing.chunks_end(containing.text_of(first_position))
                        - first_position)
                        .min(end - position);
                    let mut len = 1;
                    while len < max_len
                        && links[(position + len) as usize]
                            == Link::later(first_batch, first_position + len)
                    {
                        len += 1;
                    }
                    let later = ChunkRange { batch: number, position, len };
                    let first =
                        ChunkRange { batch: first_batch as usize, position: first_position, len };
                    self.verify(later, first, invalid)?;
                    let range = first_position as usize..(first_position + len) as usize;
                    let mut window = std::mem::take(&mut self.first_links);
                    for (offset, link) in (0..).zip(containing.links.read(range, &mut window)?) {
                        if let LinkKind::First { group } = link.kind() {
                            let group = self.add(own, position + offset, group);
                            let first = (first_batch, first_position + offset);
                            self.add_to_run(own, position + offset, first, group);
                        }
                    }
                    self.first_links = window;
                    position += len;
                }
            }
        }
        Ok(())
    }

    fn verify(
        &mut self,
        own: ChunkRange,
        first: ChunkRange,
        invalid: &mut Vec<ChunkAddress>,
    ) -> Result<(), Error> {
        if self.verifier.is_same(own, first, &mut self.scratch)? {
            return Ok(());
        }
        for offset in 0..own.len {
            let one = |range: ChunkRange| ChunkRange {
                position: range.position + offset,
                len: 1,
                ..range
            };
            if !self.verifier.is_same(one(own), one(first), &mut self.scratch)? {
                invalid.push((own.batch as u32, own.position + offset));
            }
        }
        Ok(())
    }

    /// Adds the chunk at `position` to the runs of its text. Returns the number of its group.
    fn add(&mut self, own: Links<'_>, position: u32, group: Option<GroupAddress>) -> Option<u32> {
        let address = group?;
        let group = match self.last_group {
            Some((last, number)) if last == address => number,
            _ => self.groups.number(address),
        };
        self.last_group = Some((address, group));
        let TokenRange { start, end } = self.tokens(own, position);
        let batch = &self.verifier.batches[own.batch];
        if self.verifier.settings.selective && self.verifier.is_selected(batch, position) {
            self.selected.push(group);
        }
        match self.runs.last_mut() {
            Some(run) if run.group == group && start <= run.end => run.end = run.end.max(end),
            _ => self.runs.push(Run { start, end, group }),
        }
        Some(group)
    }

    /// Adds the chunk at `position`, which first occurs at `first`, to the chunk runs of its text, if several
    /// documents have it.
    fn add_to_run(
        &mut self,
        own: Links<'_>,
        position: u32,
        first: ChunkAddress,
        group: Option<u32>,
    ) {
        let Some(is_copied) = own.is_copied else { return };
        if group.is_none() && !is_copied {
            return;
        }
        let chunk = (u64::from(first.0) << 32) | u64::from(first.1);
        let TokenRange { start, end } = self.tokens(own, position);
        let is_words = self.verifier.settings.overlapping_words.is_some();
        match self.chunk_runs.last_mut() {
            Some(run)
                if is_words
                    && run.group == group
                    && run.chunk + u64::from(run.n_chunks) == chunk
                    && run.start + run.n_chunks == start =>
            {
                (run.end, run.n_chunks) = (end, run.n_chunks + 1);
            }
            _ => self.chunk_runs.push(ChunkRun { chunk, n_chunks: 1, start, end, group }),
        }
    }

    /// Returns the tokens of the chunk at `position`.
    fn tokens(&self, own: Links<'_>, position: u32) -> TokenRange {
        let text = &self.verifier.batches[own.batch].texts[own.text];
        match self.verifier.settings.overlapping_words {
            Some(k) => {
                let start = position - text.chunk;
                TokenRange { start, end: start + k.min(text.tokens) }
            }
            None => {
                let chunk = own.chunks[position as usize];
                TokenRange { start: chunk.first, end: chunk.first + chunk.count }
            }
        }
    }
}

fn sorted(buffer: &mut Vec<u32>, items: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    buffer.clear();
    buffer.extend(items);
    buffer.sort_unstable();
    buffer.dedup();
    buffer.iter().copied()
}

/// Turns the groups of each text into the texts of each group, and checks that every chunk of a group
/// occurs in all of its texts: if two different lists had the same sum, the union would be longer than
/// the list.
fn finish(
    texts: Vec<TextEntry>,
    groups: &Groups,
    occurrences: GroupOccurrences,
) -> Result<SharedChunks, Error> {
    let texts_of_group = occurrences.groups.transposed(groups.sizes.len());
    let mut entries = Vec::with_capacity(groups.sizes.len());
    for (number, containing) in texts_of_group.iter().enumerate() {
        let GroupSize { n_chunks, n_texts } = groups.sizes[number];
        if n_chunks > 0 && containing.len() != n_texts as usize {
            return Err(Error::Groups);
        }
        let documents = containing.iter().map(|&text| texts[text as usize].copies).sum();
        entries.push(GroupEntry { chunks: n_chunks, documents });
    }
    let selected_of_group = occurrences.selected.map(|selected| selected.transposed(entries.len()));
    Ok(SharedChunks {
        texts,
        groups: entries,
        groups_of_text: occurrences.groups,
        texts_of_group,
        runs_of_text: occurrences.runs,
        selected_of_group,
    })
}
