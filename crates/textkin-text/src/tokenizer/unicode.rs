//! General path: words around non-ASCII characters.
//!
//! Text is normalized cluster by cluster, so that each normalized character is linked to its source bytes. A cluster begins before a character whose compatibility decomposition begins with a
//! starter that composes with nothing before it; NFKC of a text is the concatenation of NFKC of
//! its clusters. A token's span covers whole clusters: where one cluster gives several tokens
//! (`½` gives `1` and `2`), their spans overlap.
//!
//! Soft hyphens and zero-width characters are removed first and do not end a word. Other characters without width
//! are removed between two letters of scripts that do not use them. A finished word that mixes scripts is checked
//! again (`disguise`); others cost only a few bits per character.

use std::sync::OnceLock;

use caseless::Caseless;
use textkin_core::chunk::token_hash;
use textkin_core::{Span, Tokens};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{
    canonical_combining_class, decompose_compatible, is_combining_mark,
};
use unicode_normalization::{IsNormalized, is_nfc_quick};

use super::disguise::{Script, is_zero_width, mark, unmasked};

/// Minimum bytes of consecutive ASCII for the fast path.
const MIN_ASCII_RUN: usize = 64;

/// Maximum characters of an example of a disguised word.
const EXAMPLE_CHARACTERS: usize = 40;

/// Character steps, applied before words are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CharacterSteps {
    pub(super) nfkc: bool,
    pub(super) undisguise: bool,
    pub(super) fold: bool,
    pub(super) cjk: bool,
}

/// Appends the words of one text; holds the word being written.
#[derive(Debug)]
pub(super) struct UnicodeScanner<'a> {
    steps: CharacterSteps,
    /// The whole text that spans refer to.
    text: &'a str,
    /// Where the word begins in the token buffer.
    first: usize,
    /// The clusters of the word so far.
    span: Span,
    /// Whether the script of the word is cut into characters.
    is_cjk: bool,
    /// Scripts of the word so far, as in [`CharProperties`].
    scripts: u32,
    /// Whether a zero-width character occurred since the last word ended.
    has_zero_width: bool,
    /// End of the last run of zero-width characters, and whether it joins two letters.
    joined: (usize, bool),
    cluster: String,
}

impl<'a> UnicodeScanner<'a> {
    /// Creates a scanner of `text`, or of pieces of it.
    pub(super) fn new(steps: CharacterSteps, text: &'a str) -> Self {
        Self {
            steps,
            text,
            first: 0,
            span: Span::default(),
            is_cjk: false,
            scripts: 0,
            has_zero_width: false,
            joined: (0, false),
            cluster: String::new(),
        }
    }

    /// Appends the words of `text` starting at `start`, up to ASCII text that is long enough for the fast path, and
    /// returns where it stopped: at an ASCII character outside words. Takes at least one cluster. Spans are
    /// moved by `offset`.
    pub(super) fn scan(
        &mut self,
        text: &str,
        start: usize,
        offset: u32,
        tokens: &mut Tokens,
    ) -> usize {
        self.first = tokens.buffer().len();
        self.joined = (start, false);
        let bytes = text.as_bytes();
        let mut at = start;
        let mut next_wide = start;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let is_between_words = rest[0].is_ascii() && !rest[0].is_ascii_alphanumeric();
            if is_between_words && at > start && at >= next_wide {
                let ahead = &rest[..rest.len().min(MIN_ASCII_RUN)];
                let Some(wide) = ahead.iter().position(|byte| !byte.is_ascii()) else {
                    break;
                };
                next_wide = at + wide;
            }
            at = match self.take_ascii(rest, offset + as_u32(at), tokens) {
                0 => self.take_clusters(text, at, offset, tokens),
                len => at + len,
            };
        }
        self.finish_word(tokens);
        at
    }

    /// Takes the ASCII word or other ASCII character at the start of `rest`, without a character that a non-ASCII
    /// one may extend. Returns the number of bytes taken.
    fn take_ascii(&mut self, rest: &[u8], at: u32, tokens: &mut Tokens) -> usize {
        let word = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let is_joined = |end: usize| rest.get(end).is_some_and(|byte| !byte.is_ascii());
        if word == 0 {
            let is_taken = rest[0].is_ascii() && !is_joined(1);
            if is_taken {
                self.finish_word(tokens);
            }
            return usize::from(is_taken);
        }
        let len = word - usize::from(is_joined(word));
        if len > 0 {
            self.begin_or_continue(false, Span::new(at, at + as_u32(len)), tokens);
            let buffer = tokens.buffer();
            let from = buffer.len();
            buffer.extend_from_slice(&rest[..len]);
            if self.steps.fold {
                buffer[from..].make_ascii_lowercase();
            }
            if rest[..len].iter().any(u8::is_ascii_alphabetic) {
                self.scripts |= CharProperties::LATIN;
            }
        }
        len
    }

    /// Takes the cluster at byte `start` and those after it up to ASCII; returns their end.
    fn take_clusters(
        &mut self,
        text: &str,
        start: usize,
        offset: u32,
        tokens: &mut Tokens,
    ) -> usize {
        let mut at = start;
        let mut characters = text[start..].chars();
        let mut current =
            characters.next().map(|character| (character, CharProperties::of(character)));
        while let Some((character, properties)) = current {
            let end = at + character.len_utf8();
            let next = characters.next().map(|next| (next, CharProperties::of(next)));
            if properties.is_joiner() && self.joins(text, at) {
                self.has_zero_width = true;
                at = end;
                current = next.filter(|(next, _)| !next.is_ascii());
                continue;
            }
            let is_alone = next.is_none_or(|(_, next)| self.starts_cluster(next));
            let is_unchanged = properties.is_composed() || !self.steps.nfkc;
            if !is_alone || !is_unchanged && !properties.is_removed() {
                return self.take_long_cluster(text, at, offset, tokens);
            }
            let span = Span::new(offset + as_u32(at), offset + as_u32(end));
            if self.steps.fold && properties.is_simple() {
                self.take(properties.folded(), properties.word(), span, tokens);
            } else if properties.is_removed() {
                self.has_zero_width = true;
            } else {
                self.take_folded(character, properties.scripts(), span, tokens);
            }
            at = end;
            current = next.filter(|(next, _)| !next.is_ascii());
        }
        at
    }

    /// Takes a cluster of several characters, or one that normalization changes.
    fn take_long_cluster(
        &mut self,
        text: &str,
        start: usize,
        offset: u32,
        tokens: &mut Tokens,
    ) -> usize {
        let nfkc = self.steps.nfkc;
        let mut cluster = std::mem::take(&mut self.cluster);
        cluster.clear();
        let mut end = start;
        let mut kept_end = start;
        for character in text[start..].chars() {
            if end > start && self.starts_cluster(CharProperties::of(character)) {
                break;
            }
            end += character.len_utf8();
            if is_removed(character) {
                self.has_zero_width = true;
            } else {
                cluster.push(character);
                kept_end = end;
            }
        }
        let span = Span::new(offset + as_u32(start), offset + as_u32(kept_end));
        let mut take = |character| {
            let scripts = CharProperties::script_of(character);
            self.take_folded(character, scripts, span, tokens);
        };
        if nfkc {
            cluster.nfkc().for_each(&mut take);
        } else {
            cluster.chars().for_each(&mut take);
        }
        self.cluster = cluster;
        end
    }

    fn starts_cluster(&self, properties: CharProperties) -> bool {
        if self.steps.nfkc { properties.starts_cluster() } else { !properties.is_removed() }
    }

    fn take_folded(&mut self, character: char, scripts: u32, span: Span, tokens: &mut Tokens) {
        let word = |part: char| part.is_alphanumeric().then_some(scripts);
        if !self.steps.fold {
            return self.take(character, word(character), span, tokens);
        }
        for folded in std::iter::once(character).default_case_fold() {
            self.take(folded, word(folded), span, tokens);
        }
    }

    /// Takes one normalized character that came from `span`. `word` is its script if it is part of a word.
    #[inline]
    fn take(&mut self, character: char, word: Option<u32>, span: Span, tokens: &mut Tokens) {
        let Some(scripts) = word else {
            return self.finish_word(tokens);
        };
        let is_cjk = self.steps.cjk && is_cjk(character);
        if is_cjk && !is_combining_mark(character) {
            self.finish_word(tokens);
        }
        self.begin_or_continue(is_cjk, span, tokens);
        self.scripts |= scripts;
        // Copy four bytes, then truncate: a copy of constant length needs no call.
        let mut bytes = [0; 4];
        let len = character.encode_utf8(&mut bytes).len();
        let buffer = tokens.buffer();
        let end = buffer.len() + len;
        buffer.extend_from_slice(&bytes);
        buffer.truncate(end);
    }

    /// Extends the span of the word, or begins a new word where the script changes.
    #[inline]
    fn begin_or_continue(&mut self, is_cjk: bool, span: Span, tokens: &mut Tokens) {
        if self.is_cjk != is_cjk {
            self.finish_word(tokens);
            self.is_cjk = is_cjk;
        }
        if tokens.buffer().len() == self.first {
            self.span = span;
        }
        self.span.end = span.end;
    }

    fn finish_word(&mut self, tokens: &mut Tokens) {
        if tokens.buffer().len() > self.first {
            if self.has_zero_width || CharProperties::is_mixed(self.scripts) {
                self.undo_disguise(tokens);
            }
            let hash = token_hash(&tokens.buffer()[self.first..]);
            tokens.finish_token(hash, self.span);
            self.first = tokens.buffer().len();
        }
        self.scripts = 0;
        self.has_zero_width = false;
    }

    /// Returns whether the zero-width characters at byte `at` of `text` are between two letters or digits of scripts
    /// that do not use them.
    fn joins(&mut self, text: &str, at: usize) -> bool {
        let (known_end, known) = self.joined;
        if at < known_end {
            return known;
        }
        let is_taken_out = |c: &char| is_removed(*c) || is_zero_width(*c);
        let is_plain = |c: Option<char>| c.is_some_and(|c| Script::of(c) != Script::Other);
        let rest = &text[at..];
        let run: usize = rest.chars().take_while(is_taken_out).map(char::len_utf8).sum();
        let before = text[..at].chars().rev().find(|c| !is_taken_out(c));
        let is_joined = is_plain(before) && is_plain(rest[run..].chars().next());
        self.joined = (at + run, is_joined && self.steps.undisguise);
        self.joined.1
    }

    /// Counts the disguises of the word just written, and replaces it by the word it looks like.
    #[cold]
    fn undo_disguise(&mut self, tokens: &mut Tokens) {
        if self.scripts & CharProperties::OTHER != 0 {
            return;
        }
        let source = &self.text[self.span.range()];
        let n_zero_width = source.chars().filter(|&c| is_zero_width(c)).count();
        let honest = self.honest(source, &tokens.buffer()[self.first..]);
        let has_spans = tokens.layers().spans;
        let disguises = tokens.disguises_mut();
        disguises.n_zero_width += n_zero_width;
        if has_spans && (n_zero_width > 0 || honest.is_some()) {
            let word = honest.as_ref().map(|(word, _)| word.as_str());
            mark(source, self.span.start, word, &mut disguises.spans);
        }
        let Some((word, honest)) = honest else {
            return;
        };
        disguises.n_look_alikes += 1;
        if disguises.example.is_empty() {
            disguises.example = word.chars().take(EXAMPLE_CHARACTERS).collect();
        }
        if self.steps.undisguise {
            let buffer = tokens.buffer();
            buffer.truncate(self.first);
            buffer.extend_from_slice(honest.as_bytes());
        }
    }

    /// Returns the word before case folding and its undisguised form, if the word is disguised. `written` is the
    /// word as written, `source` the characters it came from; those at its edges may also belong to other words.
    fn honest(&self, source: &str, written: &[u8]) -> Option<(String, String)> {
        if !CharProperties::is_mixed(self.scripts) {
            return None;
        }
        let kept = source.chars().filter(|&c| !is_removed(c) && !is_zero_width(c));
        let composed: String = if self.steps.nfkc { kept.nfkc().collect() } else { kept.collect() };
        let fold = |text: &str| -> String {
            if self.steps.fold {
                text.chars().default_case_fold().collect()
            } else {
                text.to_owned()
            }
        };
        let (mut word, mut folded) = (String::new(), String::new());
        // Folding splits some letters in two (ῷ gives ω and ι with a mark between them): a word with half of such
        // a letter is not a disguise.
        let (mut has_half, mut is_over) = (false, false);
        'word: for character in composed.chars() {
            let mut is_first = true;
            for part in fold(character.encode_utf8(&mut [0; 4])).chars() {
                if !part.is_alphanumeric() {
                    is_over |= folded.as_bytes() == written;
                    if !is_over {
                        word.clear();
                        folded.clear();
                        has_half = false;
                    }
                    continue;
                }
                if is_over {
                    has_half |= !is_first;
                    break 'word;
                }
                has_half |= !is_first && word.is_empty();
                if std::mem::take(&mut is_first) {
                    word.push(character);
                }
                folded.push(part);
            }
        }
        let is_whole = !has_half && folded.as_bytes() == written;
        let looks_like = unmasked(&word).filter(|_| is_whole)?;
        let honest = fold(&looks_like).chars().filter(|c| c.is_alphanumeric()).collect();
        Some((word, honest))
    }
}

/// Returns whether normalization removes `character` without ending a word.
pub(super) fn is_removed(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// Returns whether the script of `character` is written without spaces between words.
fn is_cjk(character: char) -> bool {
    matches!(u32::from(character),
        0x0e00..=0x0eff // Thai, Lao
        | 0x1000..=0x109f | 0xa9e0..=0xa9ff | 0xaa60..=0xaa7f // Myanmar
        | 0x1780..=0x17ff // Khmer
        | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3038..=0x303b // Han marks and numbers
        | 0x3040..=0x30ff | 0x31f0..=0x31ff | 0x1b000..=0x1b16f // Hiragana, Katakana
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff) // Han
}

/// Properties of a character, packed into 32 bits.
#[derive(Clone, Copy, Debug, Default)]
struct CharProperties(u32);

impl CharProperties {
    /// A cluster of this character alone is its own NFKC.
    const COMPOSED: u32 = 1 << 27;
    /// Composed, and folds to one character.
    const SIMPLE: u32 = 1 << 31;
    const STARTS_CLUSTER: u32 = 1 << 30;
    const WORD: u32 = 1 << 29;
    const REMOVED: u32 = 1 << 28;
    /// Zero-width, and removed only inside a word.
    const JOINER: u32 = 1 << 25;
    /// The script of a letter; digits have none.
    const LATIN: u32 = 1 << 21;
    const CYRILLIC: u32 = 1 << 22;
    const GREEK: u32 = 1 << 23;
    const OTHER: u32 = 1 << 24;
    const SCRIPTS: u32 = Self::LATIN | Self::CYRILLIC | Self::GREEK | Self::OTHER;
    const FOLDED: u32 = (1 << 21) - 1;

    fn of(character: char) -> Self {
        static PAGES: [OnceLock<Box<[CharProperties; 256]>>; 256] =
            [const { OnceLock::new() }; 256];
        let [low, high, rest @ ..] = u32::from(character).to_le_bytes();
        if rest != [0, 0] {
            return Self::compute(character);
        }
        let page = PAGES[usize::from(high)].get_or_init(|| {
            let mut page = Box::new([Self::default(); 256]);
            for (low, properties) in page.iter_mut().enumerate() {
                let character = char::from_u32(u32::from(high) << 8 | as_u32(low));
                *properties = character.map(Self::compute).unwrap_or_default();
            }
            page
        });
        page[usize::from(low)]
    }

    fn compute(character: char) -> Self {
        if is_removed(character) {
            return Self(Self::REMOVED);
        }
        let mut first = None;
        decompose_compatible(character, |part| {
            first.get_or_insert(part);
        });
        let first = first.unwrap_or(character);
        let starts = canonical_combining_class(first) == 0
            && is_nfc_quick(std::iter::once(first)) == IsNormalized::Yes;
        let mut folded = std::iter::once(character).default_case_fold();
        let folded = (folded.next().unwrap_or(character), folded.next());
        let is_composed = starts && std::iter::once(character).nfkc().eq([character]);
        let is_simple = is_composed && folded.1.is_none();
        let flag = |bit: u32, is_set: bool| if is_set { bit } else { 0 };
        Self(
            u32::from(folded.0)
                | Self::script_of(character)
                | flag(Self::JOINER, is_zero_width(character))
                | flag(Self::COMPOSED, is_composed)
                | flag(Self::SIMPLE, is_simple)
                | flag(Self::STARTS_CLUSTER, starts)
                | flag(Self::WORD, folded.0.is_alphanumeric()),
        )
    }

    fn is_composed(self) -> bool {
        self.0 & Self::COMPOSED != 0
    }

    fn is_simple(self) -> bool {
        self.0 & Self::SIMPLE != 0
    }

    fn starts_cluster(self) -> bool {
        self.0 & Self::STARTS_CLUSTER != 0
    }

    fn is_removed(self) -> bool {
        self.0 & Self::REMOVED != 0
    }

    fn is_joiner(self) -> bool {
        self.0 & Self::JOINER != 0
    }

    /// Returns the script of a word character.
    fn word(self) -> Option<u32> {
        (self.0 & Self::WORD != 0).then_some(self.scripts())
    }

    fn scripts(self) -> u32 {
        self.0 & Self::SCRIPTS
    }

    fn script_of(character: char) -> u32 {
        match Script::of(character) {
            Script::Latin => Self::LATIN,
            Script::Cyrillic => Self::CYRILLIC,
            Script::Greek => Self::GREEK,
            Script::Digit => 0,
            Script::Other => Self::OTHER,
        }
    }

    /// Returns whether `scripts` has several scripts with look-alike letters, and no others.
    fn is_mixed(scripts: u32) -> bool {
        scripts & Self::OTHER == 0 && scripts & (scripts.wrapping_sub(1)) != 0
    }

    fn folded(self) -> char {
        char::from_u32(self.0 & Self::FOLDED).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "texts are limited to 4 GiB, checked per text")]
fn as_u32(offset: usize) -> u32 {
    offset as u32
}
