//! Results of tracers compared with a naive oracle.

use std::collections::BTreeMap;

use proptest::prelude::*;
use textkin_core::chunk::RollingHash;
use textkin_core::{Chunk, Chunked, Span, Tokens};
use textkin_trace::{
    ChunkMethod, DocumentTrace, Error, Estimation, Eviction, Memory, Method, Preset, Settings,
    Tracer, WindowMethod,
};

/// Words per chunk.
const K: u32 = 3;

struct Text {
    tokens: Tokens,
    chunks: Vec<Chunk>,
}

impl Text {
    fn new(words: &[u16]) -> Self {
        let mut tokens = Tokens::default();
        words.iter().for_each(|word| tokens.push(word.to_string().as_bytes(), Span::default()));
        let mut hashes = Vec::new();
        RollingHash::new(K).hash_all(tokens.hashes(), |hash| hashes.push(hash));
        let count = K.min(u32::try_from(words.len()).expect("few words"));
        let chunk = |(first, hash): (u32, u64)| {
            let last = (first + count) as usize - 1;
            let (start, end) = (tokens.start(first as usize), tokens.end(last));
            Chunk { hash, first, count, start, end }
        };
        let chunks = (0..).zip(hashes).map(chunk).collect();
        Self { tokens, chunks }
    }

    fn trace(&self, tracer: &mut Tracer) -> DocumentTrace {
        self.trace_some(tracer, 1)
    }

    /// Every `step`-th chunk is selected.
    fn trace_some(&self, tracer: &mut Tracer, step: usize) -> DocumentTrace {
        let n = u32::try_from(self.chunks.len()).expect("few chunks");
        let selection: Vec<u32> = (0..n).step_by(step).collect();
        tracer.trace(&Chunked { tokens: &self.tokens, chunks: &self.chunks }, &selection)
    }
}

/// Streams of documents that copy from a few long ones.
fn streams() -> impl Strategy<Value = Vec<Vec<u16>>> {
    let passage = prop_oneof![
        (0_u16..3, 0_u16..50, 0_u16..40).prop_map(|(source, from, length)| {
            (from..from + length).map(|word| source * 100 + word).collect()
        }),
        prop::collection::vec(0_u16..8, 0..6),
        prop::collection::vec(any::<u16>(), 0..10),
    ];
    let document = prop::collection::vec(passage, 0..4).prop_map(|passages| passages.concat());
    prop::collection::vec(document, 0..12)
}

fn all_settings(bytes: u64) -> Vec<Settings> {
    let memory = Memory::Bytes(bytes);
    let mut settings = vec![Settings::exact(), Preset::Kin.settings(memory)];
    for eviction in Eviction::ALL {
        for estimation in Estimation::ALL {
            for stores_estimated in [false, true] {
                let method = ChunkMethod {
                    eviction,
                    estimation,
                    stores_estimated,
                    ..ChunkMethod::default()
                };
                let paper = Preset::Paper.settings(memory);
                settings.push(Settings { method: Method::Chunks(method), bucket: 4, ..paper });
            }
        }
    }
    settings
}

fn run(settings: &Settings, stream: &[Vec<u16>]) -> Vec<DocumentTrace> {
    let mut tracer = Tracer::new(settings).expect("valid settings");
    stream.iter().map(|words| Text::new(words).trace(&mut tracer)).collect()
}

/// Returns the origin of each chunk, computed from its words.
fn oracle(stream: &[Vec<u16>]) -> Vec<Vec<usize>> {
    let mut first: BTreeMap<Vec<u16>, usize> = BTreeMap::new();
    let origins = |(number, words): (usize, &Vec<u16>)| {
        let size = words.len().clamp(1, K as usize);
        let origin = |chunk: &[u16]| *first.entry(chunk.to_vec()).or_insert(number);
        words.windows(size).map(origin).collect()
    };
    stream.iter().enumerate().map(origins).collect()
}

/// Checks invariants of a result: spans are inside the document, and word counts add up.
fn is_sound(traced: &DocumentTrace) -> bool {
    let runs = traced.fresh.windows(2).all(|runs| runs[0].1 < runs[1].0);
    let fresh: u32 = traced.fresh.iter().map(|(start, end)| end - start).sum();
    let is_block = |block: &textkin_trace::Block| {
        block.start < block.end
            && block.end <= traced.words
            && block.words <= block.end - block.start
            && block.estimated <= block.words
            && block.origin < traced.number
    };
    runs && fresh == traced.fresh_words
        && traced.fresh_words + traced.old_words == traced.words
        && traced.blocks.iter().all(is_block)
        && traced.dominant_origin <= traced.number
        && (0.0..=1.0).contains(&traced.dominant_share)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn implicit_and_listed_chunks_give_equal_results(stream in streams(), step in 1_usize..4) {
        for settings in all_settings(4_000) {
            let (mut of_listed, mut of_runs) =
                (Tracer::new(&settings).unwrap(), Tracer::new(&settings).unwrap());
            for words in &stream {
                let text = Text::new(words);
                let n = u32::try_from(text.chunks.len()).unwrap();
                let selection: Vec<u32> = (0..n).step_by(step).collect();
                let listed = text.trace_some(&mut of_listed, step);
                prop_assert_eq!(listed, of_runs.trace_runs(&text.tokens, K as usize, &selection));
            }
        }
    }

    #[test]
    fn unlimited_memory_gives_the_origins_of_the_oracle(stream in streams()) {
        let traced = run(&Settings::exact(), &stream);
        for (number, origins) in oracle(&stream).into_iter().enumerate() {
            let traced = &traced[number];
            prop_assert!(is_sound(traced));
            let n_words = stream[number].len();
            let mut old = vec![false; n_words];
            for (position, _) in origins.iter().enumerate().filter(|(_, origin)| **origin != number) {
                old[position..(position + K as usize).min(n_words)].fill(true);
            }
            let mut said_old = vec![true; n_words];
            traced.fresh.iter().for_each(|(from, to)| said_old[*from as usize..*to as usize].fill(false));
            prop_assert_eq!(old, said_old);
            // Each chunk of a block has the origin of the block, and each copied chunk is in one block.
            let mut in_blocks = vec![number; origins.len()];
            for block in &traced.blocks {
                let last = (block.end as usize + 1).saturating_sub(K as usize);
                let positions = block.start as usize..last.max(block.start as usize + 1);
                in_blocks[positions].fill(usize::try_from(block.origin).unwrap());
            }
            prop_assert_eq!(&in_blocks, &origins);
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            origins.iter().for_each(|origin| *counts.entry(*origin).or_default() += 1);
            let max_count = counts.values().copied().max().unwrap_or(0);
            let dominant = usize::try_from(traced.dominant_origin).unwrap();
            prop_assert_eq!(counts.get(&dominant).copied().unwrap_or(0), max_count);
            let others = counts.iter().filter(|(origin, _)| **origin != dominant);
            let second = others.map(|(_, count)| *count).max().unwrap_or(0);
            prop_assert_eq!(traced.is_clear, max_count > 0 && max_count as f64 >= 1.1 * second as f64 - 1e-9);
        }
    }

    #[test]
    fn a_table_that_holds_everything_is_exact(stream in streams()) {
        let truth = run(&Settings::exact(), &stream);
        for eviction in Eviction::ALL {
            let method =
                ChunkMethod { eviction, estimation: Estimation::None, ..ChunkMethod::default() };
            let paper = Preset::Paper.settings(Memory::Bytes(1 << 20));
            let traced = run(&Settings { method: Method::Chunks(method), ..paper }, &stream);
            for (truth, traced) in truth.iter().zip(&traced) {
                prop_assert_eq!(&truth.fresh, &traced.fresh);
                prop_assert_eq!(truth.dominant_origin, traced.dominant_origin);
                prop_assert_eq!(truth.dominant_share, traced.dominant_share);
            }
        }
    }

    #[test]
    fn windows_that_hold_everything_find_all_copied_words(stream in streams()) {
        let truth = run(&Settings::exact(), &stream);
        let traced = run(&Preset::Kin.settings(Memory::Bytes(1 << 20)), &stream);
        for (truth, traced) in truth.iter().zip(&traced) {
            prop_assert!(is_sound(traced));
            prop_assert!(traced.fresh_words <= truth.fresh_words);
        }
    }

    #[test]
    fn the_table_never_grows_and_equal_streams_give_equal_results(stream in streams()) {
        for settings in all_settings(1_000) {
            let mut tracer = Tracer::new(&settings).unwrap();
            let bytes = tracer.table_bytes();
            prop_assert!(bytes.is_none_or(|bytes| bytes <= 1_000));
            let traced: Vec<DocumentTrace> =
                stream.iter().map(|words| Text::new(words).trace(&mut tracer)).collect();
            prop_assert!(traced.iter().all(is_sound));
            prop_assert_eq!(tracer.table_bytes(), bytes);
            prop_assert_eq!(tracer.n_documents(), stream.len() as u64);
            prop_assert_eq!(run(&settings, &stream), traced);
        }
    }

    #[test]
    fn a_trace_continues_from_its_saved_state(
        stream in streams(), at in 0_usize..12,
    ) {
        let at = at.min(stream.len());
        for settings in all_settings(1_000) {
            let mut tracer = Tracer::new(&settings).unwrap();
            stream[..at].iter().for_each(|words| drop(Text::new(words).trace(&mut tracer)));
            let mut state = Vec::new();
            tracer.save(&mut state).unwrap();
            let mut loaded = Tracer::load(&settings, &mut state.as_slice()).unwrap();
            prop_assert_eq!(loaded.n_documents(), at as u64);
            for words in &stream[at..] {
                let text = Text::new(words);
                prop_assert_eq!(text.trace(&mut tracer), text.trace(&mut loaded));
            }
            let (mut one, mut other) = (Vec::new(), Vec::new());
            tracer.save(&mut one).unwrap();
            loaded.save(&mut other).unwrap();
            prop_assert_eq!(one, other);
        }
    }
}

fn states() -> Vec<(Settings, Vec<u8>)> {
    let save = |settings: Settings| {
        let mut tracer = Tracer::new(&settings).expect("valid settings");
        Text::new(&[1, 2, 3, 4, 5, 6, 7]).trace(&mut tracer);
        let mut state = Vec::new();
        tracer.save(&mut state).expect("writing to a vector");
        (settings, state)
    };
    let memory = Memory::Bytes(1_200);
    vec![
        save(Settings::exact()),
        save(Preset::Paper.settings(memory)),
        save(Preset::Kin.settings(memory)),
    ]
}

#[test]
fn a_truncated_or_changed_state_is_rejected() {
    for (settings, state) in states() {
        for length in 0..state.len() {
            assert!(Tracer::load(&settings, &mut &state[..length]).is_err(), "{length}");
        }
        for position in 0..state.len() {
            let mut changed = state.clone();
            changed[position] ^= 0x10;
            assert!(Tracer::load(&settings, &mut changed.as_slice()).is_err(), "{position}");
        }
        let longer = [state.as_slice(), &[0]].concat();
        assert!(matches!(Tracer::load(&settings, &mut longer.as_slice()), Err(Error::Corrupt(_))));
    }
}

#[test]
fn a_state_with_other_settings_is_rejected_with_the_differing_setting() {
    let refusal = |asked: Settings, state: &[u8]| {
        let mut state = state;
        Tracer::load(&asked, &mut state).unwrap_err().to_string()
    };
    let states = states();
    let (paper, state) = &states[1];
    let bucket = Settings { bucket: 32, ..*paper };
    let expected = "the state was created with bucket 64, but 32 was requested";
    assert_eq!(refusal(bucket, state), expected);
    let smaller = Settings { memory: Memory::Bytes(1_190), ..*paper };
    let expected = "the state was created with memory 1200 bytes, but 1190 bytes was requested";
    assert_eq!(refusal(smaller, state), expected);
    let (kin, state) = &states[2];
    let window = WindowMethod { window: 16, ..WindowMethod::default() };
    let expected = "the state was created with window 8, but 16 was requested";
    assert_eq!(refusal(Settings { method: Method::Windows(window), ..*kin }, state), expected);
    let mut other = state.clone();
    other[8] = 9;
    let expected = "unsupported state version 9; this version of textkin reads version 5";
    assert_eq!(refusal(*kin, &other), expected);
    assert_eq!(refusal(*kin, b"{\"id\": 1}"), "not the state of a trace");
}

#[test]
fn one_landmark_locates_a_passage_to_the_word() {
    let window = WindowMethod { window: 8, bits: 8, spacing: 16, ..WindowMethod::default() };
    let memory = Memory::Bytes(1 << 16);
    let settings = Settings { method: Method::Windows(window), ..Preset::Kin.settings(memory) };
    let mut tracer = Tracer::new(&settings).unwrap();
    let origin: Vec<u16> = (100..140).collect();
    Text::new(&origin).trace_some(&mut tracer, 10);
    // Words 103 to 124 of the origin, among others: only the chunk of word 110 is found.
    let copy: Vec<u16> = (500..507).chain(103..120).chain(600..620).collect();
    let traced = Text::new(&copy).trace(&mut tracer);
    let [block] = traced.blocks.as_slice() else { panic!("{traced:?}") };
    assert_eq!((block.start, block.end, block.origin), (7, 24, 0));
    assert_eq!((block.origin_offset, block.words, block.estimated), (Some(3), 17, 14));
    assert_eq!(traced.fresh, [(0, 7), (24, 44)]);
}

#[test]
fn documents_without_words_are_documents() {
    for settings in all_settings(1_000) {
        let traced = run(&settings, &[vec![], vec![1], vec![], vec![1]]);
        assert!(traced.iter().all(is_sound));
        assert_eq!((traced[3].dominant_origin, traced[3].old_words), (1, 1), "{settings:?}");
        assert!(!traced[2].is_clear);
    }
}

#[test]
fn selected_indices_beyond_the_chunks_are_ignored() {
    let text = Text::new(&[1, 2, 3, 4]);
    let document = Chunked { tokens: &text.tokens, chunks: &text.chunks };
    for settings in all_settings(1_000) {
        let mut tracer = Tracer::new(&settings).unwrap();
        assert_eq!(tracer.trace(&document, &[1, 7, u32::MAX]).selected, 1);
    }
}

#[test]
fn invalid_settings_are_rejected() {
    let kin = Preset::Kin.settings(Memory::Bytes(100));
    let expected = "a table of 100 bytes is too small: one bucket of 17 slots needs 192 bytes";
    assert_eq!(Tracer::new(&kin).unwrap_err().to_string(), expected);
    for (window, bits) in [(0, 1), (9, 1), (16, 9), (64, 2), (8, 0), (8, 3)] {
        let method = WindowMethod { window, bits, ..WindowMethod::default() };
        let kin = Preset::Kin.settings(Memory::Bytes(1 << 20));
        assert!(Tracer::new(&Settings { method: Method::Windows(method), ..kin }).is_err());
    }
    let method = WindowMethod { bits: 3, ..WindowMethod::default() };
    let settings = Settings { method: Method::Windows(method), ..kin };
    let expected = "bits must be 1, 2, 4 or 8, got 3";
    assert_eq!(Tracer::new(&settings).unwrap_err().to_string(), expected);
}

#[test]
fn a_tracer_can_be_sent_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Tracer>();
}
