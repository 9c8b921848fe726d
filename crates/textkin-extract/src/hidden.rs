//! Collects hidden text for the notes.

use crate::Note;

/// Maximum characters of hidden text in a note.
const EXCERPT_CHARACTERS: usize = 80;

/// Hidden text of one document, grouped by how it is hidden.
#[derive(Debug, Default)]
pub(crate) struct HiddenText {
    found: Vec<(&'static str, usize, String)>,
}

impl HiddenText {
    /// Adds `text`, hidden by `how`.
    pub(crate) fn add(&mut self, how: &'static str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let at = self.found.iter().position(|(known, ..)| *known == how).unwrap_or_else(|| {
            self.found.push((how, 0, String::new()));
            self.found.len() - 1
        });
        let Some((_, n_characters, excerpt)) = self.found.get_mut(at) else { return };
        *n_characters += text.chars().filter(|c| !c.is_whitespace()).count();
        let n_shown = excerpt.chars().count();
        if n_shown < EXCERPT_CHARACTERS {
            for word in text.split_whitespace() {
                if !excerpt.is_empty() {
                    excerpt.push(' ');
                }
                excerpt.extend(word.chars().take(EXCERPT_CHARACTERS));
                if excerpt.len() >= EXCERPT_CHARACTERS * 2 {
                    break;
                }
            }
            *excerpt = excerpt.chars().take(EXCERPT_CHARACTERS).collect();
        }
    }

    /// Returns one note for each way of hiding.
    pub(crate) fn notes(self) -> Vec<Note> {
        let note = |(how, n_characters, excerpt)| Note::HiddenText { how, n_characters, excerpt };
        self.found.into_iter().map(note).collect()
    }
}
