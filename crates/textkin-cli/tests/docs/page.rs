//! The command blocks of a page of Markdown.

/// A command and the output that the page shows below it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) text: String,
    /// The line of the page it is on, from 1.
    pub(crate) line: usize,
    /// `None` in a block that shows no output.
    pub(crate) output: Option<String>,
    /// The lines of the page that are its output, from 0.
    lines: std::ops::Range<usize>,
}

/// All commands of a page, in order.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) commands: Vec<Command>,
}

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut commands = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let language = lines[at].trim_start().strip_prefix("```");
            at += 1;
            let Some(language) = language else { continue };
            let end = (at..lines.len())
                .find(|line| lines[*line].trim_start().starts_with("```"))
                .unwrap_or_else(|| panic!("line {at}: the block has no end"));
            match language {
                "console" => console(&lines, at..end, &mut commands),
                "sh" => shell(&lines, at..end, &mut commands),
                _ => {}
            }
            at = end + 1;
        }
        Self { commands }
    }

    /// The page with other outputs, where there are any.
    pub(crate) fn with_outputs(&self, text: &str, outputs: &[Option<String>]) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (command, output) in self.commands.iter().zip(outputs).rev() {
            if let Some(output) = output {
                let output = output.lines().map(str::to_owned);
                lines.splice(command.lines.clone(), output);
            }
        }
        lines.join("\n") + "\n"
    }
}

fn console(lines: &[&str], block: std::ops::Range<usize>, commands: &mut Vec<Command>) {
    let mut at = block.start;
    while at < block.end {
        let line = at;
        let first = lines[at].strip_prefix("$ ");
        let first = first.unwrap_or_else(|| panic!("line {}: a block begins with `$ `", line + 1));
        let mut text = first.to_owned();
        at += 1;
        while at < block.end && lines[at].starts_with("> ") {
            text = format!("{text}\n{}", &lines[at][2..]);
            at += 1;
        }
        let start = at;
        while at < block.end && !lines[at].starts_with("$ ") {
            at += 1;
        }
        let output = lines[start..at].join("\n");
        commands.push(Command { text, line: line + 1, output: Some(output), lines: start..at });
    }
}

fn shell(lines: &[&str], block: std::ops::Range<usize>, commands: &mut Vec<Command>) {
    let mut text = String::new();
    for line in block {
        let part = lines[line].split(" # ").next().unwrap_or_default().trim_end();
        text.push_str(part);
        if text.ends_with('\\') {
            text.push('\n');
        } else if !text.is_empty() && !text.starts_with('#') {
            let text = std::mem::take(&mut text);
            commands.push(Command { text, line: line + 1, output: None, lines: line..line });
        } else {
            text.clear();
        }
    }
}

#[test]
fn commands_have_their_output() {
    let text = "a\n```console\n$ one\n1\n2\n$ two \\\n>   more\n```\n```sh\nthree  # why\n```\n";
    let page = Page::parse(text);
    let found: Vec<_> =
        page.commands.iter().map(|c| (c.text.as_str(), c.line, c.output.as_deref())).collect();
    let expected = [("one", 3, Some("1\n2")), ("two \\\n  more", 6, Some("")), ("three", 10, None)];
    assert_eq!(found, expected);
    let blessed = page.with_outputs(text, &[Some("3".into()), Some("4\n5".into()), None]);
    assert!(blessed.contains("$ one\n3\n$ two \\\n>   more\n4\n5\n```\n"), "{blessed}");
}
