//! When printed output counts as what a page shows: equal but for what differs from run to run.

/// Whether `printed` is what the page expects.
pub(crate) fn matches(expected: &str, printed: &str) -> bool {
    let expected: Vec<&str> = expected.trim_end().lines().collect();
    let printed: Vec<&str> = printed.trim_end().lines().collect();
    lines_match(&expected, &printed)
}

fn lines_match(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| is_same(first, line) && lines_match(rest, others)),
    }
}

/// Whether a line is the expected one, as it is or without what varies.
fn is_same(expected: &str, line: &str) -> bool {
    line_matches(expected.trim_end(), line.trim_end())
        || line_matches(&steady(expected), &steady(line))
}

/// Whether a line is the expected one, in which `…` stands for any text.
fn line_matches(expected: &str, line: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// A line with what varies replaced: times, rates, memory, ports, keys.
fn steady(line: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for word in line.trim_end().split(' ') {
        let before = out.last().is_some_and(|last| is_number(last));
        let unit = word.trim_end_matches([';', ',', '.']);
        let is_unit = matches!(unit, "s" | "ms" | "min" | "B/s" | "kB/s" | "MB/s" | "GB/s");
        let is_memory = word == "memory";
        if before && is_unit {
            out.pop();
            out.push("N".to_owned());
            out.push("unit".to_owned());
        } else if is_memory && out.len() >= 2 && is_number(&out[out.len() - 2]) {
            let number = out.len() - 2;
            out[number] = "N".to_owned();
            out[number + 1] = "unit".to_owned();
            out.push(word.to_owned());
        } else {
            out.push(without_keys(word));
        }
    }
    out.join(" ")
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || ",.".contains(c))
}

/// A word in which a local port, a time in seconds and everything that looks like a key or a digest is replaced.
fn without_keys(word: &str) -> String {
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut out = String::new();
    let mut rest = word;
    while let Some(start) = rest.find(is_key) {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(|c| !is_key(c)).unwrap_or(rest.len());
        let part = &rest[..end];
        let has_digit = part.contains(|c: char| c.is_ascii_digit());
        let has_letter = part.contains(|c: char| c.is_ascii_alphabetic());
        let is_port = out.ends_with("127.0.0.1:") || out.ends_with("localhost:");
        let is_time = part.len() == 10 && !has_letter;
        if is_port || is_time || (part.len() >= 20 && has_digit && has_letter) {
            out.push_str("KEY");
        } else {
            out.push_str(part);
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[test]
fn what_varies_does_not_count() {
    let shown = "1.6 kB in 0.05 s · 33 kB/s · 21 MB memory\nat http://127.0.0.1:7070\n";
    let printed = "1.6 kB in 1.25 s · 1.2 MB/s · 9 MB memory\nat http://127.0.0.1:40001";
    assert!(matches(shown, printed));
    assert!(!matches(shown, &printed.replace("1.6 kB", "1.7 kB")));
    assert!(matches("added in 0.04 s; 6 documents", "added in 1.1 s; 6 documents"));
    assert!(matches("a\n…\nz", "a\nb\nc\nz"));
    assert!(matches("a\n…", "a"));
    assert!(!matches("a\n…\nz", "a\nb"));
    assert!(matches("id … ends", "id 17 ends"));
    assert!(!matches("id … ends", "id 17 end"));
    assert!(matches("tk_…", "tk_DaoWCwUTw6lghFoZJVoC29t"));
}
