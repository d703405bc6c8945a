//! Word lists in groups: read from text files in `data/`, looked up in texts.
//!
//! A file has sections, `[en loaded 1.0]`: the language, the name of the group, and what one find weighs. Entries are
//! separated by commas or line breaks; an entry is a word or a phrase, in lower case, and a `*` at its end stands for any
//! ending. `#` starts a comment line. The files are our own and checked by tests; nothing here reads anybody else's.

use std::collections::HashMap;

use crate::words::{Kind, fold, tokens};

/// The groups of one language.
pub(crate) struct Lexicon {
    groups: Vec<Group>,
    /// Entries by their first word; by its stem, where that ends in a star.
    exact: HashMap<&'static str, Vec<Entry>>,
    beginnings: HashMap<&'static str, Vec<Entry>>,
}

/// A section of a file.
#[derive(Debug)]
pub(crate) struct Group {
    /// Its name, which reasons may mention.
    pub(crate) name: &'static str,
    /// What one find weighs.
    pub(crate) weight: f64,
}

struct Entry {
    words: Vec<&'static str>,
    group: usize,
}

/// One find in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Find {
    /// The first word.
    pub(crate) at: usize,
    /// How many words.
    pub(crate) count: usize,
    /// The number of the group.
    pub(crate) group: usize,
}

/// All languages of one file.
pub(crate) struct Lexicons(HashMap<&'static str, Lexicon>);

impl Lexicons {
    /// Reads a file of `data/`.
    pub(crate) fn read(text: &'static str) -> Self {
        let mut languages: HashMap<&str, Lexicon> = HashMap::new();
        let mut section: Option<(&str, usize)> = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(head) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                let mut parts = head.split(' ');
                let mut part = || parts.next().expect("a section has a language, a name and a weight");
                let (language, name) = (part(), part());
                let weight = part().parse().expect("the weight of a section is a number");
                let lexicon = languages.entry(language).or_insert_with(Lexicon::empty);
                lexicon.groups.push(Group { name, weight });
                section = Some((language, lexicon.groups.len() - 1));
                continue;
            }
            let (language, group) = section.expect("entries come after a section's head");
            let lexicon = languages.get_mut(language).expect("the section made its language");
            for entry in line.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                lexicon.add(entry, group);
            }
        }
        for lexicon in languages.values_mut() {
            for entries in lexicon.exact.values_mut().chain(lexicon.beginnings.values_mut()) {
                entries.sort_by_key(|entry| std::cmp::Reverse(entry.words.len()));
            }
        }
        Self(languages)
    }

    /// The lexicon of a language.
    pub(crate) fn of(&self, code: &str) -> Option<&Lexicon> {
        self.0.get(code)
    }

    /// The languages that there are.
    #[cfg(test)]
    pub(crate) fn languages(&self) -> impl Iterator<Item = (&&'static str, &Lexicon)> {
        self.0.iter()
    }
}

impl Lexicon {
    fn empty() -> Self {
        Self { groups: Vec::new(), exact: HashMap::new(), beginnings: HashMap::new() }
    }

    fn add(&mut self, entry: &'static str, group: usize) {
        let words: Vec<&str> = entry.split(' ').collect();
        let map = if words[0].ends_with('*') { &mut self.beginnings } else { &mut self.exact };
        map.entry(words[0].trim_end_matches('*')).or_default().push(Entry { words, group });
    }

    /// The group with this number.
    pub(crate) fn group(&self, number: usize) -> &Group {
        &self.groups[number]
    }

    /// How many entries there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.exact.values().chain(self.beginnings.values()).map(Vec::len).sum()
    }

    /// The longest entry that begins at this word.
    pub(crate) fn at<W: AsRef<str>>(&self, words: &[W], at: usize) -> Option<Find> {
        self.every(words, at).into_iter().max_by_key(|find| find.count)
    }

    /// All entries that begin at this word, of all groups.
    pub(crate) fn every<W: AsRef<str>>(&self, words: &[W], at: usize) -> Vec<Find> {
        let Some(word) = words.get(at).map(AsRef::as_ref) else { return Vec::new() };
        let ends = word.char_indices().map(|(end, _)| end).skip(3).chain([word.len()]).take(20);
        let beginnings = ends.filter_map(|end| self.beginnings.get(&word[..end]));
        let entries = self.exact.get(word).into_iter().chain(beginnings).flatten();
        let fits = |entry: &&Entry| {
            entry.words.len() <= words.len() - at
                && entry.words.iter().zip(&words[at..]).all(|(wanted, word)| is_like(word.as_ref(), wanted))
        };
        let finds = entries.filter(fits).map(|entry| Find { at, count: entry.words.len(), group: entry.group });
        finds.collect()
    }

    /// All finds from left to right; the longest first, and no word twice.
    pub(crate) fn find<W: AsRef<str>>(&self, words: &[W]) -> Vec<Find> {
        let mut finds = Vec::new();
        let mut at = 0;
        while at < words.len() {
            match self.at(words, at) {
                Some(find) => {
                    finds.push(find);
                    at += find.count;
                }
                None => at += 1,
            }
        }
        finds
    }
}

fn is_like(word: &str, wanted: &str) -> bool {
    wanted.strip_suffix('*').map_or(word == wanted, |beginning| word.starts_with(beginning))
}

/// The words and numbers of a text, folded, up to a limit; signs are left out.
pub(crate) fn folded_words(text: &str, most: usize) -> Vec<String> {
    let words = tokens(text).into_iter().filter(|token| token.kind != Kind::Punctuation);
    words.take(most).map(|token| fold(token.text(text)).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found() {
        let lexicons =
            Lexicons::read("# comment\n[en a 1.0]\none, two three\nfour*\n[en b 0.5]\ntwo three four\n[de a 1]\nzwei");
        let english = lexicons.of("en").expect("a section of the file");
        let check = |text: &str, expected: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            let found: Vec<String> = english
                .find(&words)
                .iter()
                .map(|find| {
                    format!("{}:{}", english.group(find.group).name, words[find.at..find.at + find.count].join(" "))
                })
                .collect();
            assert_eq!(found.join(", "), expected, "{text}");
        };
        check("one", "a:one");
        check("ones", "");
        check("two three", "a:two three");
        check("two three four", "b:two three four");
        check("two two three one", "a:two three, a:one");
        check("fourteen four fou", "a:fourteen, a:four");
        check("", "");
        assert!((english.group(1).weight - 0.5).abs() < 1e-9);
        assert!(lexicons.of("fr").is_none());
    }
}
