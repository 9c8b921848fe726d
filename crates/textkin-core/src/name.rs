//! Suggestions for misspelled names.

/// Returns the name among `names` that `written` is probably a misspelling of, if one is near enough.
///
/// ```
/// use textkin_core::name::nearest;
/// assert_eq!(nearest("cosin", ["inner", "cosine"]), Some("cosine"));
/// assert_eq!(nearest("abc", ["inner", "cosine"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let nearest = names.into_iter().map(|name| (edit_distance(written, name), name)).min();
    nearest.filter(|(distance, name)| *distance <= 1 + name.len() / 4).map(|(_, name)| name)
}

/// Number of characters to insert, delete or replace to turn `a` into `b` (Levenshtein distance).
#[must_use]
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edit_distance_counts_edits() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "ab"), 2);
        assert_eq!(edit_distance("ü", ""), 1);
    }
}
