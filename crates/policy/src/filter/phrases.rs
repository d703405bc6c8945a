//! Phrases: many words and phrases, found in one pass over a text.
//!
//! A tree of words: the path to a node is the beginning of some phrases, and the node knows those that end there. The
//! cost of a text is its number of words, times the length of the phrases that begin at each.

use super::fold::Words;
use std::collections::{BTreeSet, HashMap};

/// Longer phrases cannot be written (`validate.rs`): each word is a character at least.
const PHRASE_WORDS: usize = 200;

/// A word or a phrase, folded. A `*` at its end stands for any ending of its last word.
#[derive(Debug)]
pub(super) struct Phrase {
    words: Words,
    open: bool,
}

impl Phrase {
    /// `None` if there is no letter and no digit in it.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let words = Words::of(text, PHRASE_WORDS);
        (words.len() > 0).then(|| Self { words, open: text.ends_with('*') })
    }
}

/// Phrases, each with what is told when it is found.
#[derive(Debug)]
pub(super) struct Phrases<T> {
    /// The numbers of all words of phrases, so that each word of a text is looked up once.
    numbers: HashMap<Box<str>, u32>,
    /// The first is the root.
    nodes: Vec<Node<T>>,
}

#[derive(Debug)]
struct Node<T> {
    next: HashMap<u32, usize>,
    /// Phrases that end here.
    whole: Vec<T>,
    /// Phrases that end with a word that begins so.
    open: HashMap<Box<str>, Vec<T>>,
    /// The lengths of those beginnings, in bytes.
    open_bytes: BTreeSet<usize>,
}

impl<T: Copy> Phrases<T> {
    pub(super) fn new() -> Self {
        Self { numbers: HashMap::new(), nodes: vec![Node::new()] }
    }

    pub(super) fn add(&mut self, phrase: &Phrase, told: T) {
        let mut node = 0;
        let last = phrase.words.len() - 1;
        for (at, word) in phrase.words.iter().enumerate() {
            if phrase.open && at == last {
                let node = &mut self.nodes[node];
                node.open.entry(word.into()).or_default().push(told);
                node.open_bytes.insert(word.len());
                return;
            }
            let (number, new) = (self.numbers.len() as u32, self.nodes.len());
            let number = *self.numbers.entry(word.into()).or_insert(number);
            node = *self.nodes[node].next.entry(number).or_insert(new);
            if node == new {
                self.nodes.push(Node::new());
            }
        }
        self.nodes[node].whole.push(told);
    }

    /// Tells of every phrase in the text, as often as it is there.
    pub(super) fn find(&self, text: &Words, mut tell: impl FnMut(T)) {
        let words: Vec<(&str, Option<u32>)> = text.iter().map(|word| (word, self.numbers.get(word).copied())).collect();
        for first in 0..words.len() {
            let mut node = &self.nodes[0];
            for (word, number) in &words[first..] {
                node.tell_beginnings(word, &mut tell);
                let Some(next) = number.and_then(|number| node.next.get(&number)) else { break };
                node = &self.nodes[*next];
                node.whole.iter().copied().for_each(&mut tell);
            }
        }
    }
}

impl<T: Copy> Node<T> {
    fn tell_beginnings(&self, word: &str, tell: &mut impl FnMut(T)) {
        // A length that ends within a character is no beginning of this word.
        let beginnings = self.open_bytes.range(..=word.len()).filter_map(|bytes| word.get(..*bytes));
        beginnings.filter_map(|beginning| self.open.get(beginning)).flatten().copied().for_each(tell);
    }
}

impl<T> Node<T> {
    fn new() -> Self {
        Self { next: HashMap::new(), whole: Vec::new(), open: HashMap::new(), open_bytes: BTreeSet::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_as_whole_words() {
        let check = |phrases: &[&str], text: &str, expected: &[&str]| {
            let mut tree = Phrases::new();
            for phrase in phrases {
                tree.add(&Phrase::read(phrase).unwrap(), *phrase);
            }
            let mut found = Vec::new();
            tree.find(&Words::of(text, 100), |phrase| found.push(phrase));
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, expected, "{phrases:?} in {text}");
        };
        check(&["cat", "dog"], "Cats, a dog.", &["dog"]);
        check(&["cat*"], "The concatenation of Categories", &["cat*"]);
        check(&["cat*"], "The concatenation", &[]);
        check(&["cat *"], "A category", &["cat *"]);
        check(
            &["new york", "york", "new york times"],
            "In New York, times change",
            &["new york", "new york times", "york"],
        );
        check(&["new york"], "A new old york", &[]);
        check(&["new yo*", "new y*", "n* york"], "New York", &["new y*", "new yo*"]);
        check(&["a a b"], "a a a b", &["a a b"]);
        check(&["résumé"], "RESUME", &["résumé"]);
        check(&["手机"], "苹果手机发布", &["手机"]);
        check(&["手机"], "手动机械", &[]);
        check(&["don't"], "Don’t panic", &["don't"]);
        check(&["е*", "é*"], "ежик", &["е*"]);
        check(&["C++"], "c", &["C++"]);
        check(&[], "text", &[]);
    }

    #[test]
    fn without_letters_there_is_no_phrase() {
        for text in ["", " ", "*", "!?", "++"] {
            assert!(Phrase::read(text).is_none(), "{text}");
        }
    }
}
