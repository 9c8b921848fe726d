//! Templates: text that everybody was given, such as a form, which is excluded.
//!
//! In: the tokens of a document. Out: the ranges of `k` or more tokens that a template contains too.

use std::collections::HashMap;
use std::ops::Range;

use textkin_core::Tokens;
use textkin_core::chunk::RollingHash;

/// Template texts whose runs of at least `k` tokens are removed from documents.
///
/// ```
/// use textkin_core::{Layers, Tokenizer, Tokens};
/// use textkin_text::tokenizer::{Normalization, Template, WordTokenizer};
///
/// let tokenizer = WordTokenizer::new(&Normalization::default());
/// let mut tokens = Tokens::new(Layers::NONE);
/// tokenizer.tokenize("All rights reserved.", &mut tokens);
/// let tokenizer = tokenizer.with_templates(Template::new(3, &[tokens.clone()]));
/// tokenizer.tokenize("My essay. All rights reserved. The end.", &mut tokens);
/// assert_eq!(tokens.normalized(), b"my essay the end ");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Template {
    k: usize,
    /// All templates, one after the other.
    normalized: Vec<u8>,
    /// The runs of `k` tokens by hash, as ranges of `normalized`.
    runs: HashMap<u64, Vec<Range<usize>>>,
}

impl Template {
    /// Creates templates that remove runs of at least `k` tokens (0 counts as 1). `templates` must come from the
    /// tokenizer they are used with. A template of fewer than `k` tokens removes nothing.
    #[must_use]
    pub fn new(k: u32, templates: &[Tokens]) -> Self {
        let k = k.max(1);
        let mut template = Self { k: k as usize, ..Self::default() };
        for tokens in templates {
            let base = template.normalized.len();
            template.normalized.extend_from_slice(tokens.normalized());
            for_each_run(template.k, tokens, |hash, bytes, _| {
                let bytes = base + bytes.start..base + bytes.end;
                let runs = template.runs.entry(hash).or_default();
                let known = runs.iter().any(|run| {
                    template.normalized[run.clone()] == template.normalized[bytes.clone()]
                });
                if !known {
                    runs.push(bytes);
                }
            });
        }
        template
    }

    /// Returns the minimum length of a removed run, in tokens.
    #[must_use]
    pub fn k(&self) -> usize {
        self.k
    }

    /// Returns whether nothing is removed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the ranges of tokens to remove: ascending, not touching.
    pub(super) fn removed(&self, tokens: &Tokens) -> Vec<Range<usize>> {
        let mut removed: Vec<Range<usize>> = Vec::new();
        for_each_run(self.k, tokens, |hash, bytes, run| {
            let Some(known) = self.runs.get(&hash) else {
                return;
            };
            let bytes = &tokens.normalized()[bytes];
            if !known.iter().any(|known| self.normalized[known.clone()] == *bytes) {
                return;
            }
            match removed.last_mut() {
                Some(last) if run.start <= last.end => last.end = run.end,
                _ => removed.push(run),
            }
        });
        removed
    }
}

/// Calls `each` with hash, byte range and token range of every run of `k` tokens.
fn for_each_run(k: usize, tokens: &Tokens, mut each: impl FnMut(u64, Range<usize>, Range<usize>)) {
    if tokens.len() < k || k == 0 {
        return;
    }
    let mut first = 0;
    let width = u32::try_from(k).unwrap_or(u32::MAX);
    RollingHash::new(width).hash_all(tokens.hashes(), |hash| {
        let bytes = tokens.start(first) as usize..tokens.end(first + k - 1) as usize;
        each(hash, bytes, first..first + k);
        first += 1;
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::{Normalization, WordTokenizer};
    use textkin_core::{Layers, Tokenizer};

    fn tokens(text: &str) -> Tokens {
        let mut tokens = Tokens::new(Layers::NONE);
        WordTokenizer::new(&Normalization::default()).tokenize(text, &mut tokens);
        tokens
    }

    #[test]
    fn runs_of_k_tokens_of_a_template_are_removed() {
        let template = Template::new(3, &[tokens("a b c d"), tokens("x y z")]);
        assert_eq!(template.removed(&tokens("0 a b c d 1 b c d x y z a b")), [1..5, 6..12]);
    }

    #[test]
    fn shorter_runs_stay() {
        let template = Template::new(3, &[tokens("a b c d"), tokens("x y")]);
        assert!(template.removed(&tokens("a b x y c d a")).is_empty());
        assert!(template.removed(&tokens("a b")).is_empty());
    }

    #[test]
    fn a_run_never_reaches_from_one_template_into_the_next() {
        let template = Template::new(2, &[tokens("a b"), tokens("c d")]);
        assert!(template.removed(&tokens("b c")).is_empty());
    }

    #[test]
    fn no_template_removes_nothing() {
        assert!(Template::default().removed(&tokens("a b c")).is_empty());
    }
}
