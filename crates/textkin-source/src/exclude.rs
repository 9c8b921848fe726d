//! Exclude patterns in `.gitignore` syntax.
//!
//! In: patterns as written. Out: a matcher, or the part of a pattern that is not valid. `.gitignore`
//! silently ignores a line that can match nothing; here such a pattern is an error.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::Error;
use crate::walk::describe;

/// Builds the matcher of `patterns` below `root`.
pub(crate) fn excludes(root: &Path, patterns: &[String]) -> Result<Gitignore, Error> {
    let invalid = |pattern: &str, reason| Error::Exclude { pattern: pattern.to_owned(), reason };
    let mut builder = GitignoreBuilder::new(root);
    builder.allow_unclosed_class(false);
    let mut excludes_something = false;
    for pattern in patterns {
        let reason = match meaningless(pattern, excludes_something) {
            Some(reason) => Some(reason),
            None => builder.add_line(None, pattern).err().map(|error| describe(&error).1),
        };
        if let Some(reason) = reason {
            return Err(invalid(pattern, reason));
        }
        excludes_something |= !pattern.starts_with('!');
    }
    builder.build().map_err(|error| invalid(&patterns.join(" "), describe(&error).1))
}

/// Whether a path found by a glob pattern, or a folder that contains it, is excluded.
pub(crate) fn is_excluded(path: &Path, exclude: &Gitignore) -> bool {
    let is_ignored = |part: &Path| {
        let is_dir = part != path || part.is_dir();
        exclude.matched(part, is_dir).is_ignore()
    };
    !exclude.is_empty()
        && path.ancestors().filter(|part| part.file_name().is_some()).any(is_ignored)
}

/// Returns why a pattern can match nothing, if so.
fn meaningless(pattern: &str, excludes_something: bool) -> Option<String> {
    if pattern.trim().is_empty() {
        return Some("the pattern is empty".to_owned());
    }
    if pattern.starts_with('#') {
        return Some(
            "'#' begins a comment; write '\\#' for a name that begins with '#'".to_owned(),
        );
    }
    let name = pattern.strip_prefix('!').unwrap_or(pattern);
    if name.trim_end().trim_matches('/').is_empty() {
        return Some(format!("no name besides '{}'", pattern.trim_end()));
    }
    if name.len() < pattern.len() && !excludes_something {
        return Some(
            "'!' re-includes files that an earlier pattern excludes, but there is none".to_owned(),
        );
    }
    if let Some(dots) = name.split('/').find(|part| matches!(*part, "." | "..")) {
        return Some(format!(
            "'{dots}/' matches nothing; paths start at the input folder, as in '/name'"
        ));
    }
    let open = unclosed(name)?;
    Some(format!("'{open}' has no ']'; write '\\[' for a literal bracket"))
}

/// Returns the rest of a pattern from its first unclosed bracket.
fn unclosed(pattern: &str) -> Option<&str> {
    let mut rest = pattern;
    loop {
        let at = rest.find(['[', '\\'])?;
        let (open, inside) = (&rest[at..], &rest[at + 1..]);
        let mut letters = inside.char_indices().peekable();
        if open.starts_with('[') {
            letters.next_if(|(_, letter)| matches!(letter, '!' | '^'));
        }
        // A character after a backslash, and a bracket that comes first in brackets, is literal.
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
    fn an_invalid_pattern_is_reported_with_its_invalid_part() {
        let cases: [(&[&str], &str); 12] = [
            (&["["], "'[' has no ']'"),
            (&["a[b]c[!de"], "'[!de' has no ']'"),
            (&["\\[x[]"], "'[]' has no ']'"),
            (&["[z-a]"], "invalid range; 'z' > 'a'"),
            (&[""], "the pattern is empty"),
            (&["*.log", "  "], "the pattern is empty"),
            (&["# notes"], "'#' begins a comment"),
            (&["/"], "no name besides '/'"),
            (&["*.log", "!"], "no name besides '!'"),
            (&["!keep.log"], "'!' re-includes"),
            (&["./a.txt"], "'./' matches nothing"),
            (&["/x/../a.txt"], "'../' matches nothing"),
        ];
        for (patterns, expected) in cases {
            let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
            let message = excludes(Path::new(""), &patterns).unwrap_err().to_string();
            let last = patterns.last().unwrap();
            let prefix = format!("exclude pattern '{last}' is not valid: {expected}");
            assert!(message.starts_with(&prefix), "{message}");
        }
    }

    #[test]
    fn closed_and_escaped_brackets_are_valid() {
        for pattern in ["[ab]", "[]]", "[!]]x", "\\[", "a\\[b", "[[]", "x\\\\[é]", ".*", "**/x"] {
            assert!(excludes(Path::new(""), &[pattern.to_owned()]).is_ok(), "{pattern}");
        }
    }
}
