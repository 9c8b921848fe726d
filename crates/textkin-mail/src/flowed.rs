//! Paragraphs as lines of mail, in the way of RFC 3676 (`format=flowed`).
//!
//! In: text whose lines are paragraphs. Out: lines of at most 72 characters where words allow it;
//! a line that ends with a space goes on in the next, so that programs that know it show
//! paragraphs of any width, and others show lines that fit. Words longer than a line, such as
//! links, stay whole.

/// Characters of a line, without the space at its end.
const WIDTH: usize = 72;

/// Breaks paragraphs into lines, ended by LF.
pub(crate) fn flowed(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / WIDTH + 1);
    for paragraph in text.lines() {
        // The mark of a signature is the one line that ends with a space of its own.
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

/// Puts a space before what would have a meaning at the start of a line.
fn stuff(lines: &mut String, line: &str) {
    if line.starts_with([' ', '>']) || line.starts_with("From ") || line == "From" {
        lines.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a program that knows the format shows.
    fn shown(lines: &str) -> String {
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
    fn lines_are_short_and_links_whole() {
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
        assert_eq!(shown(&lines), text);
    }

    proptest! {
        #[test]
        fn what_is_shown_is_what_was_written(text in "((From )|[a> \u{e9}\n]|[a-z]{1,80}|-- \n){0,80}") {
            let lines = flowed(&text);
            let mut wanted = String::new();
            for line in text.lines() {
                wanted.push_str(if line == "-- " { line } else { line.trim_end() });
                wanted.push('\n');
            }
            prop_assert_eq!(shown(&lines), wanted);
        }
    }
}
