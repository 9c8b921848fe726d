//! Comparison: where two texts share what they share, and how much that is.
//!
//! In: two texts and settings. Out: aligned passages with spans in both texts, both containments,
//! and what did not count. The counts are those that [`discover`](crate::discover()) gives for a
//! collection of these two texts.

use std::num::NonZeroU32;

use textkin_core::{Excluded, Exclusion, Layers, Note, Overlap, Span, TokenRange, Tokens};
use textkin_graph::{AlignSettings, Alignment, align, align_excluding};
use textkin_text::grammar::ChunkerKind;

use crate::analyzer::Analyzer;
use crate::error::Error;
use crate::settings::Settings;

/// What two texts share and where.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Passages, repeats and counts, after exclusions.
    pub alignment: Alignment,
    /// The parts of the first text that do not count.
    pub excluded_a: Vec<Excluded>,
    /// The parts of the second text that do not count.
    pub excluded_b: Vec<Excluded>,
    /// What disguises words of the first text.
    pub notes_a: Vec<Note>,
    /// What disguises words of the second text.
    pub notes_b: Vec<Note>,
    /// Where letters and characters disguise words of the first text, ascending.
    pub disguised_a: Vec<Span>,
    /// Where letters and characters disguise words of the second text, ascending.
    pub disguised_b: Vec<Span>,
    /// The overlap with nothing excluded, if the settings exclude anything.
    pub raw: Option<Overlap>,
    /// How the texts were cut into words, by name.
    normalize: String,
    k: NonZeroU32,
    max_gap: u32,
    /// Digests of the templates.
    templates: Vec<String>,
    /// Digest of the stop list, if there is one.
    stop_list: Option<String>,
}

/// What a cap on common chunks set aside of two texts, and what they share without it. Only a run
/// over all documents knows.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommonText<'a> {
    /// Words of the first text, ascending.
    pub a: &'a [TokenRange],
    /// Words of the second text, ascending.
    pub b: &'a [TokenRange],
    /// What the run says that they share; `None` if it is not known.
    pub overlap: Option<Overlap>,
}

/// Compares two texts by runs of words; those at most `max_gap` words apart on both sides are one
/// passage. `compare(b, a, …)` is the mirror of `compare(a, b, …)`.
///
/// ```
/// use textkin::{Settings, compare};
///
/// let a = "Row, row, row your boat gently down the stream";
/// let b = "They said: row row row your boat gently down the river!";
/// let comparison = compare(a, b, &Settings::default(), 5)?;
/// let passage = &comparison.alignment.passages[0];
/// assert_eq!(&a[passage.a.span.range()], "Row, row, row your boat gently down the");
/// assert_eq!(comparison.alignment.overlap.covered_a, 8);
/// # Ok::<(), textkin::Error>(())
/// ```
///
/// # Errors
/// If the chunks of `settings` are not runs of words.
pub fn compare(a: &str, b: &str, settings: &Settings, max_gap: u32) -> Result<Comparison, Error> {
    compare_without(a, b, settings, max_gap, None)
}

/// Compares two texts as [`compare`]; the words in `aside` are shown in their place and do not count.
///
/// # Errors
/// As [`compare`].
pub fn compare_without(
    a: &str,
    b: &str,
    settings: &Settings,
    max_gap: u32,
    aside: Option<CommonText<'_>>,
) -> Result<Comparison, Error> {
    let k = match settings.chunk {
        ChunkerKind::Words { k } => k,
        ChunkerKind::Word => NonZeroU32::MIN,
        other => return Err(Error::NotWordChunks(other)),
    };
    let align_settings = AlignSettings { k, max_gap };
    let tokens = |analyzer: &Analyzer| {
        [a, b].map(|text| {
            let mut tokens = Tokens::new(Layers::SPANS);
            analyzer.tokenize(text, &mut tokens);
            tokens
        })
    };
    let analyzer = Analyzer::new(settings)?;
    let raw = match settings.excludes_words() || aside.is_some() {
        true => {
            let [tokens_a, tokens_b] = tokens(&Analyzer::new(&settings.without_exclusions())?);
            Some(align(&tokens_a, &tokens_b, &align_settings).overlap)
        }
        false => None,
    };
    let [tokens_a, tokens_b] = tokens(&analyzer);
    let (mut excluded_a, mut excluded_b) = (analyzer.excluded(a), analyzer.excluded(b));
    let mut alignment = match aside {
        None => align(&tokens_a, &tokens_b, &align_settings),
        Some(aside) => {
            add_common(&tokens_a, aside.a, &mut excluded_a);
            add_common(&tokens_b, aside.b, &mut excluded_b);
            align_excluding(&tokens_a, &tokens_b, [aside.a, aside.b], &align_settings)
        }
    };
    if let Some(known) = aside.and_then(|aside| aside.overlap) {
        // Rarity is that of two documents alone, as without a cap.
        let Overlap { shared, chunks_a, chunks_b, .. } = known;
        let rarity = shared as f64 / 2.0;
        alignment.overlap = Overlap { shared, rarity, chunks_a, chunks_b, ..alignment.overlap };
    }
    Ok(Comparison {
        alignment,
        notes_a: tokens_a.disguises().notes(),
        notes_b: tokens_b.disguises().notes(),
        disguised_a: tokens_a.disguises().spans.clone(),
        disguised_b: tokens_b.disguises().spans.clone(),
        excluded_a,
        excluded_b,
        raw,
        normalize: settings.normalization.to_string(),
        k,
        max_gap,
        templates: settings.templates.iter().map(|text| digest(text)).collect(),
        stop_list: stop_list_digest(settings),
    })
}

/// Adds the words `aside` of `tokens` to what is excluded, cut where something else is excluded.
fn add_common(tokens: &Tokens, aside: &[TokenRange], excluded: &mut Vec<Excluded>) {
    let others = excluded.len();
    let spans = tokens.spans();
    for range in aside {
        let end = (range.end as usize).min(spans.len());
        let mut last: Option<Span> = None;
        for word in &spans[(range.start as usize).min(end)..end] {
            let next = last.map(|last| {
                excluded[..others].partition_point(|other| other.span.start < last.end)
            });
            let is_apart = next
                .and_then(|next| excluded[..others].get(next))
                .is_some_and(|other| other.span.end <= word.start);
            match &mut last {
                Some(span) if !is_apart => span.end = span.end.max(word.end),
                _ => {
                    excluded.extend(last.map(|span| Excluded { span, reason: Exclusion::Common }));
                    last = Some(*word);
                }
            }
        }
        excluded.extend(last.map(|span| Excluded { span, reason: Exclusion::Common }));
    }
    excluded.sort_by_key(|excluded| excluded.span);
}

impl Comparison {
    /// The comparison as reports show it: with the names and the texts of both documents, which
    /// must be those it was made from.
    #[must_use]
    pub fn view<'a>(&'a self, a: [&'a str; 2], b: [&'a str; 2]) -> textkin_report::Comparison<'a> {
        let side = |[id, text]: [&'a str; 2],
                    excluded: &'a [Excluded],
                    repeats,
                    bridged,
                    notes: &[Note],
                    disguised| {
            let (digest, notes) = (digest(text), notes.to_vec());
            textkin_report::ComparedText {
                id,
                text,
                digest,
                excluded,
                repeats,
                bridged,
                notes,
                disguised,
            }
        };
        let alignment = &self.alignment;
        let Alignment { repeats_a, repeats_b, bridged, .. } = alignment;
        textkin_report::Comparison {
            a: side(a, &self.excluded_a, repeats_a, bridged.a, &self.notes_a, &self.disguised_a),
            b: side(b, &self.excluded_b, repeats_b, bridged.b, &self.notes_b, &self.disguised_b),
            overlap: alignment.overlap,
            raw: self.raw,
            passages: &alignment.passages,
            common_passages: &alignment.excluded_passages,
            pair: None,
            settings: textkin_report::ComparisonSettings {
                version: env!("CARGO_PKG_VERSION"),
                k: self.k.get(),
                normalize: &self.normalize,
                max_gap: self.max_gap,
                templates: &self.templates,
                stop_list: self.stop_list.as_deref(),
            },
        }
    }
}

/// BLAKE3 of a text, in hexadecimal digits: what reports know a text by.
#[must_use]
pub fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// What reports know a stop list by: BLAKE3 of its words, sorted, one a line.
fn stop_list_digest(settings: &Settings) -> Option<String> {
    let mut words = settings.normalization.stop_list().to_vec();
    words.sort();
    words.dedup();
    (!words.is_empty()).then(|| digest(&words.join("\n")))
}
