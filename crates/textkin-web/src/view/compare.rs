//! Views of `GET /results/{id}/compare/{n}` and `GET /compare?a=REPO/ID&b=REPO/ID`: two texts side
//! by side.

use super::Score;
use super::repository::names;

/// Two texts side by side, with their matches.
#[derive(Clone, Debug, Default)]
pub struct SideBySide {
    /// The first text.
    pub a: ComparedText,
    /// The second text.
    pub b: ComparedText,
    /// Both directions, after exclusions.
    pub score: Score,
    /// The score with nothing excluded, if anything is excluded.
    pub raw: Option<Score>,
    /// The shared passages, in the order of the first text.
    pub matches: Vec<ComparedPassage>,
    /// The minimum length of a match, in words.
    pub k: u32,
    /// Other texts that match, as tabs; empty if there are none.
    pub tabs: Vec<Tab>,
    /// The result page that leads here, if any.
    pub back: Option<String>,
    /// The decision. The form posts `state` (`open`, `accepted`, `dismissed`) and `note`.
    pub decision: Option<Decision>,
    /// The report that `textkin verify` can check.
    pub report: Option<String>,
    /// Whether names are hidden, by `?anonymise=1`. The server then removes them from `a` and `b`.
    pub is_anonymous: bool,
    /// The same page with names shown or hidden instead.
    pub anonymise: Option<String>,
    /// Warnings about disguised or missing text.
    pub warnings: Vec<String>,
    /// The same page around a match, without its number, if a text is too long to be shown whole:
    /// `/compare?…&match=`.
    pub around: Option<String>,
}

/// The maximum number of matches that are listed below the texts.
const MAX_LISTED: usize = 200;

impl SideBySide {
    /// Returns the matches that are listed: all, or those around the texts shown.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (usize, &ComparedPassage)> {
        let shown = self.a.pieces.iter().find_map(|piece| piece.match_index).unwrap_or(0);
        let last = self.matches.len().saturating_sub(MAX_LISTED);
        let first = shown.saturating_sub(MAX_LISTED / 4).min(last);
        self.matches.iter().enumerate().skip(first).take(MAX_LISTED)
    }

    /// Returns the number of matches that are not listed.
    pub(crate) fn unlisted(&self) -> u64 {
        self.matches.len().saturating_sub(MAX_LISTED) as u64
    }

    /// Returns the URL of a match, counted from 0.
    pub(crate) fn at_match(&self, index: &usize) -> String {
        let number = index + 1;
        match &self.around {
            Some(around) => format!("{around}{number}#a{number}"),
            None => format!("#a{number}"),
        }
    }

    /// Returns words and order of all matches for the script: `[[180,0],[12,1]]`.
    pub(crate) fn data(&self) -> String {
        let data =
            self.matches.iter().map(|own| format!("[{},{}]", own.words, u8::from(own.is_moved)));
        format!("[{}]", data.collect::<Vec<_>>().join(","))
    }
}

/// One of the two texts.
#[derive(Clone, Debug, Default)]
pub struct ComparedText {
    /// The document.
    pub document: super::DocumentLink,
    /// The text, or the part of a long text that is shown, cut wherever its marking changes.
    pub pieces: Vec<TextPiece>,
    /// Whether the text is not stored, so that only positions can be shown.
    pub is_without_text: bool,
    /// The bytes shown: the first, one past the last, and those of the whole text.
    pub shown: (u64, u64, u64),
    /// The page with the part before, if there is one.
    pub earlier: Option<String>,
    /// The page with the part after, if there is one.
    pub later: Option<String>,
}

/// A part of a text with the same marking throughout. All pieces together are the text shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextPiece {
    /// The text; empty where only the other side has words.
    pub text: String,
    /// The index of the match it belongs to, counted from 0.
    pub match_index: Option<usize>,
    /// Its role in the match.
    pub kind: PieceKind,
    /// Why it is excluded: `quotation`, `bibliography`, `template`, `common`.
    pub excluded: Option<String>,
    /// Whether it repeats words that belong to another match in the other text.
    pub is_repeat: bool,
    /// Whether it disguises a word: look-alike letters, zero-width characters.
    pub is_disguised: bool,
}

/// The role of a piece in its match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PieceKind {
    /// The same words, in a run long enough to count; also any piece outside matches.
    #[default]
    Same,
    /// The same words between two runs, too few to count.
    TooShort,
    /// Different words between two runs; one side may have none.
    Changed,
}

/// One passage that both texts share.
#[derive(Clone, Debug, Default)]
pub struct ComparedPassage {
    /// The number of words that count.
    pub words: u64,
    /// Its position in the first text.
    pub a: PassagePosition,
    /// Its position in the second text.
    pub b: PassagePosition,
    /// Whether it appears out of the order that most shared words follow.
    pub is_moved: bool,
    /// The number of other documents that contain it, if known.
    pub other_documents: Option<u64>,
    /// The page about the passage, if there is one.
    pub fragment: Option<String>,
}

/// The position of a passage in one of the texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassagePosition {
    /// The first word, counted from 0.
    pub first_word: u64,
    /// The number of words.
    pub words: u64,
    /// The first byte.
    pub first_byte: u64,
    /// The byte after the last.
    pub end_byte: u64,
}

/// A decision about the match of two texts.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// The URL the form posts to: `/results/{id}/compare/{n}/decision`.
    pub action: String,
    /// The decision itself.
    pub state: DecisionState,
    /// A note about it.
    pub note: String,
    /// Who decided.
    pub by: Option<String>,
    /// When it was decided.
    pub time: Option<String>,
}

/// The state of a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecisionState {
    /// Not decided yet.
    #[default]
    Open,
    /// The reuse is legitimate, or the case is settled.
    Accepted,
    /// The match is irrelevant.
    Dismissed,
}
names! { DecisionState {
    Open: "open", "Open"; Accepted: "accepted", "Accepted"; Dismissed: "dismissed", "Dismissed";
} }

/// A link to another text to compare with.
#[derive(Clone, Debug, Default)]
pub struct Tab {
    /// The text of the tab.
    pub label: String,
    /// The URL of the comparison.
    pub href: String,
    /// Whether this comparison is open.
    pub is_current: bool,
}
