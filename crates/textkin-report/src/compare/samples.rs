//! Sample comparisons for tests, written by hand because this crate does not align texts.

use textkin_core::{
    Excluded, Exclusion, Overlap, Passage, Repeat, Segment, SegmentKind, Span, WordSpan,
};

use super::{
    ComparedText, Comparison, ComparisonSettings, RewrittenMatch, RewrittenMatches, SameWord,
};

/// A comparison that owns its texts.
pub(crate) struct Sample {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) ids: [&'static str; 2],
    pub(crate) overlap: Overlap,
    pub(crate) raw: Option<Overlap>,
    pub(crate) passages: Vec<Passage>,
    pub(crate) common_passages: Vec<Passage>,
    pub(crate) excluded_a: Vec<Excluded>,
    pub(crate) repeats_b: Vec<Repeat>,
    pub(crate) rewritten: Option<RewrittenMatches>,
}

impl Sample {
    pub(crate) fn view(&self) -> Comparison<'_> {
        let side = |id, text, excluded, repeats, bridged| ComparedText {
            id,
            text,
            digest: "00ff".repeat(16),
            excluded,
            repeats,
            bridged,
            notes: Vec::new(),
            disguised: &[],
        };
        Comparison {
            a: side(self.ids[0], &self.a, &self.excluded_a, &[], 1),
            b: side(self.ids[1], &self.b, &[], &self.repeats_b, 1),
            overlap: self.overlap,
            raw: self.raw,
            passages: &self.passages,
            common_passages: &self.common_passages,
            pair: None,
            rewritten: self.rewritten.as_ref(),
            settings: ComparisonSettings {
                version: "0.0.0",
                k: 4,
                normalize: "nfkc+fold",
                max_gap: 5,
                min_words: 0,
                templates: &[],
                stop_list: None,
            },
        }
    }
}

/// The position of `part` in `text`; its first word is number `first`.
fn stretch(text: &str, part: &str, first: u32) -> WordSpan {
    let start = u32::try_from(text.find(part).unwrap()).unwrap();
    let end = start + u32::try_from(part.len()).unwrap();
    let count = u32::try_from(part.split_whitespace().count()).unwrap();
    WordSpan { first, count, span: Span::new(start, end) }
}

/// One passage with an edit, an excluded quotation, and a repeat.
pub(crate) fn edited() -> Sample {
    let a =
        "Before. One two three four\nfive “not <mine>” six & seven eight nine ten eleven. After";
    let b = "One two three four five SIX\u{1b}[2J & seven changed nine ten eleven, and one two three four";
    let kinds = [SegmentKind::Same, SegmentKind::Changed, SegmentKind::Same];
    let parts_a = [
        ("One two three four\nfive “not <mine>” six & seven", 1, 7),
        ("eight", 8, 1),
        ("nine ten eleven", 9, 3),
    ];
    let parts_b = [
        ("One two three four five SIX\u{1b}[2J & seven", 0, 7),
        ("changed", 7, 1),
        ("nine ten eleven", 8, 3),
    ];
    let segment = |at: usize| {
        let side = |text: &str, (part, first, count): (&str, u32, u32)| WordSpan {
            count,
            ..stretch(text, part, first)
        };
        Segment { kind: kinds[at], a: side(a, parts_a[at]), b: side(b, parts_b[at]) }
    };
    let segments: Vec<Segment> = (0..3).map(segment).collect();
    let whole = |side: fn(&Segment) -> WordSpan| WordSpan {
        first: side(&segments[0]).first,
        count: 11,
        span: Span::new(side(&segments[0]).span.start, side(&segments[2]).span.end),
    };
    let passage = Passage {
        a: whole(|segment| segment.a),
        b: whole(|segment| segment.b),
        matched: 10,
        is_moved: true,
        segments: segments.clone(),
    };
    let quoted = stretch(a, "“not <mine>”", 0);
    let repeat = Repeat {
        here: WordSpan { first: 12, ..stretch(b, "one two three four", 0) },
        there: stretch(a, "One two three four", 1),
    };
    let overlap = Overlap {
        shared: 6,
        rarity: 3.0,
        words_a: 13,
        words_b: 16,
        chunks_a: 10,
        chunks_b: 12,
        covered_a: 11,
        covered_b: 14,
        longest_run: 7,
    };
    Sample {
        a: a.into(),
        b: b.into(),
        ids: ["<script>alert(1)</script>.txt", "b.txt"],
        overlap,
        raw: Some(Overlap { words_a: 15, ..overlap }),
        passages: vec![passage],
        common_passages: Vec::new(),
        excluded_a: vec![Excluded { span: quoted.span, reason: Exclusion::Quotation }],
        repeats_b: vec![repeat],
        rewritten: None,
    }
}

/// Two texts without words.
pub(crate) fn empty() -> Sample {
    Sample {
        a: String::new(),
        b: "!".into(),
        ids: ["a", "b"],
        overlap: Overlap::default(),
        raw: None,
        passages: Vec::new(),
        common_passages: Vec::new(),
        excluded_a: Vec::new(),
        repeats_b: Vec::new(),
        rewritten: None,
    }
}

/// A passage in other words, and nothing identical.
pub(crate) fn rewritten() -> Sample {
    let a = "The old keeper of the <lighthouse> lit the lamp";
    let b = "A lighthouse keeper lit his big lamp today";
    let word = |text: &str, word: &str| stretch(text, word, 0).span;
    let same = |text: &str, weight| SameWord { a: word(a, text), b: word(b, text), weight };
    let passage = RewrittenMatch {
        kind: "rewritten",
        confidence: 0.88,
        likelihood: "likely",
        a: stretch(a, a, 0),
        b: stretch(b, b, 0),
        same: vec![
            same("keeper", 4.0),
            same("lighthouse", 2.0),
            same("lit", 1.0),
            same("lamp", 0.1),
        ],
    };
    let rewritten = RewrittenMatches { words_a: 9, words_b: 8, passages: vec![passage] };
    Sample {
        a: a.into(),
        b: b.into(),
        ids: ["draft.txt", "final.txt"],
        overlap: Overlap { words_a: 9, words_b: 8, ..Overlap::default() },
        rewritten: Some(rewritten),
        ..empty()
    }
}

pub(crate) fn all() -> [Sample; 3] {
    [edited(), empty(), rewritten()]
}
