//! A title as the steps of `calm_title` read it: its words, and the signs between them.

use crate::words::{Kind, Token, fold, tokens};

/// What is left of a title has at least so many words.
pub(super) const LEAST_WORDS: usize = 3;

/// A title as tokens, with its words folded.
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) words: Vec<Token>,
    pub(super) folded: Vec<String>,
}

impl<'t> Line<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let words: Vec<Token> = tokens(text).into_iter().filter(|token| token.kind != Kind::Punctuation).collect();
        let folded = words.iter().map(|token| with_apostrophe(fold(token.text(text)).into_owned())).collect();
        Self { text, words, folded }
    }

    /// What stands between the word before and this one, without spaces.
    pub(super) fn before(&self, at: usize) -> &'t str {
        let start = if at == 0 { 0 } else { self.words.get(at - 1).map_or(self.text.len(), |word| word.end) };
        let end = self.words.get(at).map_or(self.text.len(), |word| word.start);
        self.text[start..end].trim()
    }

    pub(super) fn is_capital(&self, at: usize) -> bool {
        self.words[at].text(self.text).starts_with(char::is_uppercase)
    }

    /// Whether one of these words, separated by blanks, is at this place.
    pub(super) fn is(&self, at: usize, words: &str) -> bool {
        self.folded.get(at).is_some_and(|word| words.split_ascii_whitespace().any(|known| known == word))
    }
}

/// Headlines lose their apostrophes on the way: "heres why", "you wont believe".
fn with_apostrophe(word: String) -> String {
    let whole = match word.as_str() {
        "heres" => "here's",
        "youll" => "you'll",
        "youre" => "you're",
        "youve" => "you've",
        "wont" => "won't",
        "dont" => "don't",
        "didnt" => "didn't",
        "cant" => "can't",
        "thats" => "that's",
        _ => return word,
    };
    whole.to_owned()
}

/// With a capital at the start; `iPhone` stays.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let keeps = text.split(' ').next().is_some_and(|word| word.chars().skip(1).any(char::is_uppercase));
    match letters.next() {
        Some(first) if !keeps => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}
