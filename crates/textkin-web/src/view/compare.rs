//! `GET /results/{id}/compare/{n}` and `GET /compare?a=REPO/ID&b=REPO/ID`: two texts side by side.

use super::Score;
use super::repository::names;

/// Two texts and what they share.
#[derive(Clone, Debug, Default)]
pub struct Compare {
    /// The first text.
    pub a: Side,
    /// The second text.
    pub b: Side,
    /// Both directions, after exclusions.
    pub score: Score,
    /// The same with nothing excluded, if anything is.
    pub raw: Option<Score>,
    /// What they share, in the order of the first text.
    pub matches: Vec<Match>,
    /// Words in the shortest run that counts.
    pub k: u32,
    /// Other texts that share something, as tabs; empty if there are none.
    pub tabs: Vec<Tab>,
    /// Where the page belongs to: the result it came from.
    pub back: Option<String>,
    /// What was decided. The form posts `state` (`open`, `accepted`, `dismissed`) and `note`.
    pub decision: Option<Decision>,
    /// Where a report is that `textkin verify` checks.
    pub report: Option<String>,
    /// Whether names are left out, by `?anonymise=1`. The server then leaves them out of `a` and `b`.
    pub is_anonymous: bool,
    /// The same page with the switch the other way round.
    pub anonymise: Option<String>,
    /// What is worth knowing: disguises, parts missing.
    pub warnings: Vec<String>,
}

/// One of the two texts.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// The document.
    pub document: super::DocumentLink,
    /// All of its text, cut where anything about it changes.
    pub pieces: Vec<Piece>,
    /// Whether the text is not kept, so that only places can be shown.
    pub is_without_text: bool,
}

/// A part of a text about which everything is the same. All pieces together are the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Its text; empty where the other side alone has words.
    pub text: String,
    /// The match it belongs to, by its place in the list, from 0 on.
    pub of: Option<usize>,
    /// What it is in its match.
    pub kind: PieceKind,
    /// Why it does not count: `quotation`, `bibliography`, `template`, `common`.
    pub excluded: Option<String>,
    /// Whether it repeats what the other text has at a place that belongs to another match.
    pub is_repeat: bool,
    /// Whether it disguises a word: letters that look alike, characters without width.
    pub is_disguised: bool,
}

/// What a piece is in its match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PieceKind {
    /// The same words, in a run that is long enough to count; also what is in no match.
    #[default]
    Same,
    /// The same words between two runs, too few to count by themselves.
    Kept,
    /// Different words between two runs; one side may have none.
    Changed,
}

/// One stretch that both texts share.
#[derive(Clone, Debug, Default)]
pub struct Match {
    /// Words that count.
    pub words: u64,
    /// Where it is in the first text.
    pub a: MatchPlace,
    /// Where it is in the second text.
    pub b: MatchPlace,
    /// Whether it leaves the order in which most of the shared words stand.
    pub is_moved: bool,
    /// In how many other documents it is, if that is known.
    pub holders: Option<u64>,
    /// The page of the fragment, if there is one.
    pub fragment: Option<String>,
}

/// Where a match is in one of the texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatchPlace {
    /// The first word, from 0 on.
    pub first_word: u64,
    /// How many words.
    pub words: u64,
    /// The first byte of the text.
    pub first_byte: u64,
    /// The byte after the last.
    pub end_byte: u64,
}

/// What was decided about a match of two texts.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// Where the form posts to: `/results/{id}/compare/{n}/decision`.
    pub action: String,
    /// What was decided.
    pub state: DecisionState,
    /// What was noted.
    pub note: String,
    /// Who decided.
    pub by: Option<String>,
    /// When.
    pub time: Option<String>,
}

/// What was decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecisionState {
    /// Nothing yet.
    #[default]
    Open,
    /// The reuse is as it should be, or it was settled.
    Accepted,
    /// It is nothing.
    Dismissed,
}
names! { DecisionState {
    Open: "open", "Open"; Accepted: "accepted", "Accepted"; Dismissed: "dismissed", "Dismissed";
} }

/// Another text to compare with.
#[derive(Clone, Debug, Default)]
pub struct Tab {
    /// What is shown.
    pub label: String,
    /// Where it is.
    pub href: String,
    /// Whether it is the one that is shown.
    pub is_current: bool,
}
