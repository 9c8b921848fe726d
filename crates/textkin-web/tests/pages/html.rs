//! A small HTML parser, enough to check our own pages.

/// A start tag.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// The tag name.
    pub(crate) name: String,
    /// The attributes, with unescaped values.
    pub(crate) attributes: Vec<(String, String)>,
    /// The position where its content begins.
    pub(crate) end: usize,
    /// The position where it begins.
    pub(crate) start: usize,
    /// The position where its content ends.
    pub(crate) close: usize,
}

impl Element {
    /// Returns the value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

const VOID: [&str; 5] = ["meta", "link", "input", "br", "img"];

enum Token {
    Start(Element, bool),
    End(String, usize),
}

fn tokens(html: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(found) = html[at..].find('<') {
        let start = at + found;
        let rest = &html[start + 1..];
        if let Some(rest) = rest.strip_prefix('/') {
            let length = rest.find('>').expect("an end tag ends");
            tokens.push(Token::End(rest[..length].to_owned(), start));
            at = start + 2 + length;
        } else if rest.starts_with('!') {
            at = start + rest.find('>').expect("a declaration ends");
        } else {
            let (element, is_closed) = tag(html, start);
            at = element.end;
            tokens.push(Token::Start(element, is_closed));
        }
    }
    tokens
}

fn tag(html: &str, start: usize) -> (Element, bool) {
    let text = &html[start + 1..];
    let length = text.find([' ', '>', '/', '\n']).expect("a tag ends");
    let mut element = Element {
        name: text[..length].to_owned(),
        attributes: Vec::new(),
        end: 0,
        start,
        close: 0,
    };
    let mut rest = &text[length..];
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            element.end = html.len() - after.len();
            return (element, true);
        }
        if let Some(after) = rest.strip_prefix('>') {
            element.end = html.len() - after.len();
            return (element, false);
        }
        let length = rest.find(['=', ' ', '>', '/', '\n']).expect("an attribute ends");
        let name = rest[..length].to_owned();
        assert!(
            !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c)),
            "odd attribute {name:?} in {}",
            &text[..80.min(text.len())]
        );
        rest = &rest[length..];
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix("=\"") {
            let length = after.find('"').expect("a value ends");
            value = after[..length].replace("&amp;", "&");
            rest = &after[length + 1..];
        }
        element.attributes.push((name, value));
    }
}

/// Returns all start tags, in order.
pub(crate) fn elements(html: &str) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for token in tokens(html) {
        match token {
            Token::Start(element, is_closed) => {
                if !is_closed && !VOID.contains(&element.name.as_str()) {
                    open.push(elements.len());
                }
                elements.push(Element { close: element.end, ..element });
            }
            Token::End(_, at) => {
                if let Some(index) = open.pop() {
                    elements[index].close = at;
                }
            }
        }
    }
    elements
}

/// Returns the tags that do not match.
pub(crate) fn unbalanced(html: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut problems = Vec::new();
    for token in tokens(html) {
        match token {
            Token::Start(element, is_closed)
                if !is_closed && !VOID.contains(&element.name.as_str()) =>
            {
                open.push(element.name)
            }
            Token::Start(..) => {}
            Token::End(name, at) => {
                let expected = open.pop();
                if expected.as_deref() != Some(&name) {
                    problems.push(format!("</{name}> at {at} closes {expected:?}"));
                }
            }
        }
    }
    problems.extend(open);
    problems
}

/// Returns each element with this name, and the elements in it.
pub(crate) fn inside(html: &str, name: &str) -> Vec<(Element, Vec<Element>)> {
    let all = elements(html);
    all.iter()
        .filter(|element| element.name == name)
        .map(|outer| {
            let end = outer.close;
            let within = |element: &&Element| element.start >= outer.end && element.start < end;
            (outer.clone(), all.iter().filter(within).cloned().collect())
        })
        .collect()
}

/// Returns the controls and images that have no accessible name.
pub(crate) fn nameless(html: &str) -> Vec<String> {
    let labels: Vec<(usize, usize)> = elements(html)
        .iter()
        .filter(|element| element.name == "label")
        .map(|label| (label.start, label.close))
        .collect();
    let ids: Vec<String> = elements(html)
        .iter()
        .filter_map(|element| element.attribute("for").map(str::to_owned))
        .collect();
    let is_named = |element: &Element| {
        element.attribute("aria-label").is_some_and(|name| !name.trim().is_empty())
            || element.attribute("aria-labelledby").is_some()
    };
    let mut problems = Vec::new();
    for element in elements(html) {
        let is_fine = match element.name.as_str() {
            "input" if element.attribute("type") == Some("hidden") => true,
            "input" | "select" | "textarea" => {
                is_named(&element)
                    || labels.iter().any(|(from, to)| element.start > *from && element.start < *to)
                    || element.attribute("id").is_some_and(|id| ids.iter().any(|known| known == id))
            }
            "button" | "a" | "summary" | "legend" | "h1" | "h2" | "h3" => {
                let text = visible(&html[element.end..element.close]);
                is_named(&element) || !text.trim().is_empty()
            }
            "svg" => is_named(&element) || element.attribute("aria-hidden") == Some("true"),
            "nav" | "aside" => is_named(&element),
            _ => true,
        };
        if !is_fine {
            problems.push(format!("{} {:?}", element.name, element.attributes));
        }
    }
    problems
}

fn visible(html: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for character in html.chars() {
        match character {
            '<' => is_tag = true,
            '>' => is_tag = false,
            _ if !is_tag => text.push(character),
            _ => {}
        }
    }
    text
}

#[test]
fn errors_are_detected() {
    assert_eq!(unbalanced("<p><b></p></b>").len(), 2);
    assert!(unbalanced("<p><svg><rect/></svg><input></p>").is_empty());
    assert_eq!(nameless("<button><b></b></button><input><svg></svg><nav></nav>").len(), 4);
    assert!(nameless("<label>Name <input></label><button>Go</button>").is_empty());
    let forms = inside("<form><p><input></p></form><input>", "form");
    assert_eq!(forms[0].1.len(), 2);
}
