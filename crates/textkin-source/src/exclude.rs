//! Exclude patterns: what a user leaves out of folders, in the form of `.gitignore`.
//!
//! In: patterns as written. Out: a matcher, or which part of which pattern means nothing. A line of
//! a `.gitignore` that means nothing is passed over; a pattern that someone just wrote is not.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::Error;
use crate::walk::describe;

/// The matcher of `patterns` below `root`.
pub(crate) fn excludes(root: &Path, patterns: &[String]) -> Result<Gitignore, Error> {
    let fault = |pattern: &str, reason| Error::Exclude { pattern: pattern.to_owned(), reason };
    let mut builder = GitignoreBuilder::new(root);
    builder.allow_unclosed_class(false);
    let mut excludes_something = false;
    for pattern in patterns {
        let reason = match meaningless(pattern, excludes_something) {
            Some(reason) => Some(reason),
            None => builder.add_line(None, pattern).err().map(|error| describe(&error).1),
        };
        if let Some(reason) = reason {
            return Err(fault(pattern, reason));
        }
        excludes_something |= !pattern.starts_with('!');
    }
    builder.build().map_err(|error| fault(&patterns.join(" "), describe(&error).1))
}

/// Whether a path found by a pattern, or a folder it lies in, is excluded.
pub(crate) fn is_excluded(path: &Path, exclude: &Gitignore) -> bool {
    let is_ignored = |part: &Path| {
        let is_dir = part != path || part.is_dir();
        exclude.matched(part, is_dir).is_ignore()
    };
    !exclude.is_empty()
        && path.ancestors().filter(|part| part.file_name().is_some()).any(is_ignored)
}

/// Why a pattern can match nothing, if so.
fn meaningless(pattern: &str, excludes_something: bool) -> Option<String> {
    if pattern.trim().is_empty() {
        return Some("it is empty".to_owned());
    }
    if pattern.starts_with('#') {
        return Some("'#' begins a comment; a name that begins so is written '\\#'".to_owned());
    }
    let name = pattern.strip_prefix('!').unwrap_or(pattern);
    if name.trim_end().trim_matches('/').is_empty() {
        return Some(format!("there is no name beside '{}'", pattern.trim_end()));
    }
    if name.len() < pattern.len() && !excludes_something {
        return Some("'!' takes back from what a pattern before it excludes; none is".to_owned());
    }
    if let Some(dots) = name.split('/').find(|part| matches!(*part, "." | "..")) {
        return Some(format!(
            "'{dots}/' matches nothing; names begin in the folder that is read, as in '/name'"
        ));
    }
    let open = unclosed(name)?;
    Some(format!("'{open}' has no ']'; the bracket itself is written '\\['"))
}

/// The end of a pattern from a bracket on that nothing closes.
fn unclosed(pattern: &str) -> Option<&str> {
    let mut rest = pattern;
    loop {
        let at = rest.find(['[', '\\'])?;
        let (open, inside) = (&rest[at..], &rest[at + 1..]);
        let mut letters = inside.char_indices().peekable();
        if open.starts_with('[') {
            letters.next_if(|(_, letter)| matches!(letter, '!' | '^'));
        }
        // What a backslash is before, and a bracket that comes first in brackets, is a letter.
        letters.next();
        if open.starts_with('[') && !letters.any(|(_, letter)| letter == ']') {
            return Some(open);
        }
        rest = letters.next().map_or("", |(next, _)| &inside[next..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_means_nothing_is_told_with_the_part_that_is_wrong() {
        let cases: [(&[&str], &str); 12] = [
            (&["["], "'[' has no ']'"),
            (&["a[b]c[!de"], "'[!de' has no ']'"),
            (&["\\[x[]"], "'[]' has no ']'"),
            (&["[z-a]"], "invalid range; 'z' > 'a'"),
            (&[""], "it is empty"),
            (&["*.log", "  "], "it is empty"),
            (&["# notes"], "'#' begins a comment"),
            (&["/"], "there is no name beside '/'"),
            (&["*.log", "!"], "there is no name beside '!'"),
            (&["!keep.log"], "'!' takes back"),
            (&["./a.txt"], "'./' matches nothing"),
            (&["/x/../a.txt"], "'../' matches nothing"),
        ];
        for (patterns, expected) in cases {
            let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
            let told = excludes(Path::new(""), &patterns).unwrap_err().to_string();
            let last = patterns.last().unwrap();
            let begin = format!("exclude pattern '{last}' is not valid: {expected}");
            assert!(told.starts_with(&begin), "{told}");
        }
    }

    #[test]
    fn brackets_that_are_closed_or_letters_are_patterns() {
        for pattern in ["[ab]", "[]]", "[!]]x", "\\[", "a\\[b", "[[]", "x\\\\[é]", ".*", "**/x"] {
            assert!(excludes(Path::new(""), &[pattern.to_owned()]).is_ok(), "{pattern}");
        }
    }
}
