//! Stop words by language: those of the crate `stop-words`, in the form that the build script gives them.

/// Code of the language and its words, one per line; sorted by code.
const LANGUAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/stop_words.rs"));

/// Returns the codes of all languages that have stop words.
pub(super) fn available_languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code)
}

/// Returns the stop words of a language, given by its code.
pub(super) fn lookup(language: &str) -> Option<impl Iterator<Item = &'static str> + use<>> {
    let found = LANGUAGES.binary_search_by(|(code, _)| (*code).cmp(language)).ok()?;
    Some(LANGUAGES[found].1.lines())
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
}
