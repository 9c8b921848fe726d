//! Stop words by language: those of the crate `stop-words`, in the form that the build script gives them, and those
//! of the IDS.

/// Code of the language and its words, one per line; sorted by code.
const LANGUAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/stop_words.rs"));

/// Name of [`IDS`] in place of a language.
pub(super) const IDS_NAME: &str = "ids";

/// The 50 frequent German stop words of Kupietz (2005), who gives their number and an example, not the words: one line
/// each of articles, prepositions (also with an article), conjunctions, pronouns, verbs and particles.
const IDS: &str = "\
der die das den dem des ein eine einen einem einer eines
in im von vom zu zum zur mit auf für an am bei nach aus
und oder aber dass daß als wie
er es sie sich ich wir
ist sind war hat wird werden sein
nicht auch noch";

/// Returns the codes of all languages that have stop words.
pub(super) fn available_languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code)
}

/// Returns the stop words of a language, given by its code.
pub(super) fn lookup(language: &str) -> Option<impl Iterator<Item = &'static str> + use<>> {
    // Words of other lists may have spaces.
    let (words, separators) = if language == IDS_NAME {
        (IDS, ['\n', ' '])
    } else {
        let found = LANGUAGES.binary_search_by(|(code, _)| (*code).cmp(language)).ok()?;
        (LANGUAGES[found].1, ['\n', '\n'])
    };
    Some(words.split(separators).filter(|word| !word.is_empty()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_are_those_of_the_crate() {
        let codes: Vec<_> = super::available_languages().collect();
        assert_eq!(codes, stop_words::available_languages());
        for code in codes {
            let words: Vec<_> = super::lookup(code).unwrap().collect();
            assert_eq!(words, stop_words::lookup(code).unwrap(), "{code}");
        }
        assert!(super::lookup("xx").is_none());
    }

    /// “50 frequent German stop words were removed” (Kupietz 2005, section 2.1).
    #[test]
    fn ids_has_fifty_words() {
        let mut words: Vec<_> = super::lookup("ids").unwrap().collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 50);
        let german: Vec<_> = super::lookup("de").unwrap().collect();
        assert!(words.iter().all(|word| german.contains(word)), "{words:?}");
    }
}
