//! Comparison of two texts: the passages they share and how much that is.
//!
//! In: two texts and settings. Out: aligned passages with spans in both texts, both containments,
//! and the excluded parts. The counts equal those of [`discover`](crate::engine::discover()) for a
//! collection of these two texts.

use std::num::NonZeroU32;

use textkin_core::{Excluded, Exclusion, Layers, Note, Overlap, Span, TokenRange, Tokens};
use textkin_graph::{AlignSettings, Alignment, PassageRules, align, align_excluding};
use textkin_report::RewrittenMatches;
use textkin_text::grammar::ChunkerKind;

use crate::analyzer::Analyzer;
use crate::error::Error;
use crate::settings::Settings;

/// The result of [`compare`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TextComparison {
    /// Passages, repeats and counts, after exclusions.
    pub alignment: Alignment,
    /// The excluded parts of the first text.
    pub excluded_a: Vec<Excluded>,
    /// The excluded parts of the second text.
    pub excluded_b: Vec<Excluded>,
    /// Notes on disguised words in the first text.
    pub notes_a: Vec<Note>,
    /// Notes on disguised words in the second text.
    pub notes_b: Vec<Note>,
    /// The disguised words of the first text, ascending.
    pub disguised_a: Vec<Span>,
    /// The disguised words of the second text, ascending.
    pub disguised_b: Vec<Span>,
    /// The overlap without exclusions, if the settings exclude anything.
    pub raw: Option<Overlap>,
    /// The passages shared in other words, if they were sought
    /// ([`find_rewritten`](crate::engine::find_rewritten)).
    pub rewritten: Option<RewrittenMatches>,
    /// The normalization, by name.
    normalize: String,
    k: NonZeroU32,
    passages: PassageRules,
    /// Digests of the templates.
    templates: Vec<String>,
    /// Digest of the stop list, if there is one.
    stop_list: Option<String>,
}

/// The common text of two documents that [`Settings::max_df`] excluded, and their overlap without
/// it. It is known only from a run over all documents.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommonText<'a> {
    /// Excluded words of the first text, ascending.
    pub a: &'a [TokenRange],
    /// Excluded words of the second text, ascending.
    pub b: &'a [TokenRange],
    /// The overlap computed by the run; `None` if it is unknown.
    pub overlap: Option<Overlap>,
}

/// Compares two texts by runs of words. `passages` says which runs form one passage and which passages
/// count; a number is the maximum number of words between two runs. `compare(b, a, …)` mirrors
/// `compare(a, b, …)`.
///
/// ```
/// use textkin::engine::{Settings, compare};
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
pub fn compare(
    a: &str,
    b: &str,
    settings: &Settings,
    passages: impl Into<PassageRules>,
) -> Result<TextComparison, Error> {
    compare_without(a, b, settings, passages, None)
}

/// Compares two texts like [`compare`]; the words in `common` are shown but excluded from the
/// counts.
///
/// # Errors
/// As [`compare`].
pub fn compare_without(
    a: &str,
    b: &str,
    settings: &Settings,
    passages: impl Into<PassageRules>,
    common: Option<CommonText<'_>>,
) -> Result<TextComparison, Error> {
    let k = match settings.chunk {
        ChunkerKind::Words { k } => k,
        ChunkerKind::Word => NonZeroU32::MIN,
        other => return Err(Error::NotWordChunks(other)),
    };
    let passages = passages.into();
    let align_settings = AlignSettings { k, passages };
    let tokens = |analyzer: &Analyzer| {
        [a, b].map(|text| {
            let mut tokens = Tokens::new(Layers::SPANS);
            analyzer.tokenize(text, &mut tokens);
            tokens
        })
    };
    let analyzer = Analyzer::new(settings)?;
    let raw = match settings.excludes_words() || common.is_some() {
        true => {
            let [tokens_a, tokens_b] = tokens(&Analyzer::new(&settings.without_exclusions())?);
            Some(align(&tokens_a, &tokens_b, &align_settings).overlap)
        }
        false => None,
    };
    let [tokens_a, tokens_b] = tokens(&analyzer);
    let (mut excluded_a, mut excluded_b) = (analyzer.excluded(a), analyzer.excluded(b));
    let mut alignment = match common {
        None => align(&tokens_a, &tokens_b, &align_settings),
        Some(common) => {
            add_common(&tokens_a, common.a, &mut excluded_a);
            add_common(&tokens_b, common.b, &mut excluded_b);
            align_excluding(&tokens_a, &tokens_b, [common.a, common.b], &align_settings)
        }
    };
    if let Some(overlap) = common.and_then(|common| common.overlap) {
        // Rarity is that of a collection of these two documents, as without excluded common text.
        let Overlap { shared, chunks_a, chunks_b, .. } = overlap;
        let rarity = shared as f64 / 2.0;
        alignment.overlap = Overlap { shared, rarity, chunks_a, chunks_b, ..alignment.overlap };
    }
    Ok(TextComparison {
        alignment,
        notes_a: tokens_a.disguises().notes(),
        notes_b: tokens_b.disguises().notes(),
        disguised_a: tokens_a.disguises().spans.clone(),
        disguised_b: tokens_b.disguises().spans.clone(),
        excluded_a,
        excluded_b,
        raw,
        rewritten: None,
        normalize: settings.normalization.to_string(),
        k,
        passages,
        templates: settings.templates.iter().map(|text| digest(text)).collect(),
        stop_list: stop_list_digest(settings),
    })
}

/// Adds the words `common` of `tokens` to the excluded spans, split where other spans are excluded.
fn add_common(tokens: &Tokens, common: &[TokenRange], excluded: &mut Vec<Excluded>) {
    let others = excluded.len();
    let spans = tokens.spans();
    for range in common {
        let end = (range.end as usize).min(spans.len());
        let mut last: Option<Span> = None;
        for word in &spans[(range.start as usize).min(end)..end] {
            let next = last.map(|last| {
                excluded[..others].partition_point(|other| other.span.start < last.end)
            });
            let is_separate = next
                .and_then(|next| excluded[..others].get(next))
                .is_some_and(|other| other.span.end <= word.start);
            match &mut last {
                Some(span) if !is_separate => span.end = span.end.max(word.end),
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

impl TextComparison {
    /// Returns the comparison for a report, with id and text of both documents; the texts must be
    /// those that were compared.
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
            rewritten: self.rewritten.as_ref(),
            pair: None,
            settings: textkin_report::ComparisonSettings {
                version: env!("CARGO_PKG_VERSION"),
                k: self.k.get(),
                normalize: &self.normalize,
                max_gap: self.passages.max_gap,
                min_words: self.passages.min_words,
                templates: &self.templates,
                stop_list: self.stop_list.as_deref(),
            },
        }
    }
}

/// Returns the BLAKE3 digest of a text in hexadecimal digits, which identifies the text in reports.
#[must_use]
pub fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Returns the digest that identifies a stop list in reports: of its sorted words, one per line.
fn stop_list_digest(settings: &Settings) -> Option<String> {
    let mut words = settings.normalization.stop_list().to_vec();
    words.sort();
    words.dedup();
    (!words.is_empty()).then(|| digest(&words.join("\n")))
}
