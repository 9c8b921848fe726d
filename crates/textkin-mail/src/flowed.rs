//! Wraps paragraphs for mail as `format=flowed` (RFC 3676).
//!
//! In: text with one paragraph per line. Out: lines of at most 72 characters. A line that ends with
//! a space continues on the next one: mail programs that support the format show paragraphs of any
//! width, others show lines that fit. Words longer than a line, such as links, are not broken.

/// Maximum characters per line, without the trailing space.
const WIDTH: usize = 72;

/// Breaks paragraphs into lines that end with LF.
pub(crate) fn flowed(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / WIDTH + 1);
    for paragraph in text.lines() {
        // The signature delimiter is the only line whose trailing space has another meaning.
        if paragraph == "-- " {
            lines.push_str("-- \n");
            continue;
        }
        let paragraph = paragraph.trim_end();
        let mut n_characters = 0;
        stuff(&mut lines, paragraph);
        for word in paragraph.split_inclusive(' ') {
            let length = word.trim_end_matches(' ').chars().count();
            if n_characters > 0 && n_characters + length > WIDTH && length > 0 {
                lines.push('\n');
                stuff(&mut lines, word);
                n_characters = 0;
            }
            lines.push_str(word);
            n_characters += word.chars().count();
        }
        lines.push('\n');
    }
    lines
}

/// Escapes text with a special meaning at the start of a line by a space.
fn stuff(lines: &mut String, line: &str) {
    if line.starts_with([' ', '>']) || line.starts_with("From ") || line == "From" {
        lines.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Unwraps lines as a mail program does.
    fn unwrapped(lines: &str) -> String {
        let mut text = String::new();
        for line in lines.lines() {
            let bare = line.strip_prefix(' ').unwrap_or(line);
            text.push_str(bare);
            if line == "-- " || !line.ends_with(' ') {
                text.push('\n');
            }
        }
        text
    }

    #[test]
    fn lines_are_short_and_links_unbroken() {
        let link = format!("https://kin.example/{}", "x".repeat(100));
        let text =
            format!("{} {link} end\n-- \nFrom here\n> there\n", "word ".repeat(30).trim_end());
        let lines = flowed(&text);
        assert!(lines.contains(&link));
        assert!(
            lines
                .lines()
                .filter(|line| !line.contains("https"))
                .all(|line| line.len() <= WIDTH + 1),
            "{lines}"
        );
        assert!(lines.ends_with("\n-- \n From here\n > there\n"), "{lines}");
        assert_eq!(unwrapped(&lines), text);
    }

    proptest! {
        #[test]
        fn unwrapping_restores_the_text(text in "((From )|[a> \u{e9}\n]|[a-z]{1,80}|-- \n){0,80}") {
            let lines = flowed(&text);
            let mut expected = String::new();
            for line in text.lines() {
                expected.push_str(if line == "-- " { line } else { line.trim_end() });
                expected.push('\n');
            }
            prop_assert_eq!(unwrapped(&lines), expected);
        }
    }
}
