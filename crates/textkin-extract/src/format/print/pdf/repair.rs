//! Repairs a PDF whose object table is corrupt or missing.

use std::collections::BTreeMap;
use std::io::Write;

/// Maximum objects of one file; later ones are ignored.
const MAX_OBJECTS: usize = 1_000_000;

/// Appends a new table of all objects found in `bytes`.
pub(super) fn with_new_table(bytes: &[u8]) -> Option<Vec<u8>> {
    let start = memchr::memmem::find(bytes, b"%PDF-").unwrap_or(0);
    let bytes = bytes.get(start..)?;
    let mut offsets: BTreeMap<u32, usize> = BTreeMap::new();
    let mut catalog = None;
    for found in memchr::memmem::find_iter(bytes, b"obj") {
        let before = bytes.get(..found).unwrap_or_default();
        let Some((number, offset)) = object_number(before) else { continue };
        if offsets.len() >= MAX_OBJECTS {
            break;
        }
        offsets.insert(number, offset);
        let head = bytes.get(found..bytes.len().min(found + 300)).unwrap_or_default();
        let end = memchr::memmem::find(head, b"endobj").unwrap_or(head.len());
        let head = head.get(..end).unwrap_or_default();
        if memchr::memmem::find(head, b"/Catalog").is_some() {
            catalog = Some(number);
        }
    }
    let root = catalog.or_else(|| {
        let found = memchr::memmem::rfind(bytes, b"/Root")?;
        let digits = bytes.get(found + 5..)?.trim_ascii_start();
        let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(digits.get(..length)?).ok()?.parse().ok()
    })?;
    let size = offsets.keys().next_back()?.checked_add(1)?;
    // Objects within streams may have higher numbers.
    let size = size.max(root.checked_add(1)?);
    let mut repaired = bytes.to_vec();
    repaired.push(b'\n');
    let table = repaired.len();
    repaired.extend_from_slice(b"xref\n0 1\n0000000000 65535 f \n");
    for (number, offset) in offsets {
        write!(repaired, "{number} 1\n{offset:010} 00000 n \n").ok()?;
    }
    let trailer =
        format!("trailer\n<< /Size {size} /Root {root} 0 R >>\nstartxref\n{table}\n%%EOF\n");
    repaired.extend_from_slice(trailer.as_bytes());
    Some(repaired)
}

/// For bytes that end in `12 0 `, returns the number and where it begins.
fn object_number(before: &[u8]) -> Option<(u32, usize)> {
    let (_, rest) = number_at_end(before.trim_ascii_end())?;
    if !rest.last()?.is_ascii_whitespace() {
        return None;
    }
    let (number, rest) = number_at_end(rest.trim_ascii_end())?;
    Some((number, rest.len()))
}

fn number_at_end(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let n_digits = bytes.iter().rev().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, digits) = bytes.split_at_checked(bytes.len() - n_digits)?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_and_the_last_of_a_number_wins() {
        let file = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n1 0 obj<</Type/Catalog>>endobj";
        let repaired = with_new_table(file).unwrap();
        let text = String::from_utf8(repaired).unwrap();
        assert!(text.contains("1 1\n0000000058 00000 n"), "{text}");
        assert!(text.contains("/Root 1 0 R"), "{text}");
        assert_eq!(with_new_table(b"%PDF-1.4 nothing"), None);
    }
}
