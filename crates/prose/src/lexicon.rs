//! A lexicon: words, phrases and parts of compounds with a value each, read from a data file of the crate.
//!
//! A plain entry stands for all words with its stem, `=word` for that form alone and before all others; `a_b` is a phrase of two or three words; `word*` and `*word` are the
//! beginning and the end of compounds. What the values mean is the caller's business (`category`, `sentiment`).

use std::collections::HashMap;

use crate::Language;
use crate::words::{Kind, Stemmer, fold, tokens};

/// Words, and what each is worth.
pub(crate) struct Lexicon<T> {
    stemmer: Stemmer,
    english: bool,
    /// Stems, and stems of phrases joined by blanks.
    exact: HashMap<String, T>,
    /// Forms as they are, and phrases of them.
    forms: HashMap<String, T>,
    beginnings: HashMap<&'static str, T>,
    ends: HashMap<&'static str, T>,
}

impl<T: Copy> Lexicon<T> {
    /// Reads entries. A word that comes twice keeps what `merge` makes of both values.
    pub(crate) fn new(
        language: Language,
        entries: impl Iterator<Item = (&'static str, T)>,
        merge: impl Fn(T, T) -> T,
    ) -> Self {
        let mut lexicon = Self {
            stemmer: Stemmer::new(Some(language)),
            english: language == Language::ENGLISH,
            exact: HashMap::new(),
            forms: HashMap::new(),
            beginnings: HashMap::new(),
            ends: HashMap::new(),
        };
        for (entry, value) in entries {
            if let Some(form) = entry.strip_prefix('=') {
                lexicon.forms.insert(form.replace('_', " "), value);
            } else if let Some(beginning) = entry.strip_suffix('*') {
                lexicon.beginnings.entry(beginning).and_modify(|known| *known = merge(*known, value)).or_insert(value);
            } else if let Some(end) = entry.strip_prefix('*') {
                lexicon.ends.entry(end).and_modify(|known| *known = merge(*known, value)).or_insert(value);
            } else {
                let stems: Vec<String> = entry.split('_').map(|word| lexicon.stem(word)).collect();
                lexicon.exact.entry(stems.join(" ")).and_modify(|known| *known = merge(*known, value)).or_insert(value);
            }
        }
        lexicon
    }

    fn stem(&self, word: &str) -> String {
        let folded = fold(word);
        // `l'élection`, `dell'arte`: the noun counts.
        let noun = match folded.split_once('\'') {
            Some((article, noun)) if !self.english && article.len() <= 6 && noun.len() > 2 => noun,
            _ => &folded,
        };
        self.stemmer.stem(noun).into_owned()
    }

    /// The words of a text, ready to be looked up.
    pub(crate) fn read(&self, text: &str) -> Vec<Read> {
        let mut words: Vec<Read> = Vec::new();
        let mut broken = true;
        for token in tokens(text) {
            match token.kind {
                Kind::Word | Kind::Number => {
                    let written = token.text(text);
                    let folded = fold(written);
                    let joined = !broken;
                    let name =
                        joined && written.starts_with(char::is_uppercase) && written.chars().any(char::is_lowercase);
                    words.push(Read { stem: self.stem(written), folded: folded.into_owned(), joined, name });
                    broken = false;
                }
                Kind::Piece | Kind::Punctuation => broken = true,
            }
        }
        // Where most words have a capital, it says nothing.
        let long = words.iter().filter(|word| word.folded.chars().count() > 3);
        let (count, names) = long.fold((0, 0), |(count, names), word| (count + 1, names + usize::from(word.name)));
        if names * 2 >= count {
            for word in &mut words {
                word.name = false;
            }
        }
        words
    }

    /// The entry that begins at a word: its value and how many words it is long. The longest one wins.
    pub(crate) fn find(&self, words: &[Read], at: usize) -> Option<(T, usize)> {
        let word = &words[at];
        let (mut stems, mut forms) = (word.stem.clone(), word.folded.clone());
        let value = |stems: &str, forms: &str| self.forms.get(forms).or_else(|| self.exact.get(stems)).copied();
        let mut found = value(&stems, &forms).map(|value| (value, 1));
        for length in 2..=3 {
            let Some(next) = words.get(at + length - 1).filter(|next| next.joined) else { break };
            for (phrase, word) in [(&mut stems, &next.stem), (&mut forms, &next.folded)] {
                phrase.push(' ');
                phrase.push_str(word);
            }
            if let Some(value) = value(&stems, &forms) {
                found = Some((value, length));
            }
        }
        found.or_else(|| self.compound(&word.folded).map(|value| (value, 1)))
    }

    fn compound(&self, word: &str) -> Option<T> {
        if word.len() > 80 || (self.beginnings.is_empty() && self.ends.is_empty()) {
            return None;
        }
        let noun = word.split_once('\'').map_or(word, |(article, noun)| if article.len() <= 6 { noun } else { word });
        let cuts = || noun.char_indices().map(|(at, _)| at).chain([noun.len()]);
        let beginning = cuts().rev().find_map(|end| self.beginnings.get(&noun[..end]));
        beginning.or_else(|| cuts().find_map(|start| self.ends.get(&noun[start..]))).copied()
    }
}

/// A word of a text as a lexicon sees it.
pub(crate) struct Read {
    pub(crate) stem: String,
    pub(crate) folded: String,
    /// Whether only white space is between it and the word before.
    pub(crate) joined: bool,
    /// Whether it has a capital inside a sentence that has few.
    pub(crate) name: bool,
}

/// The entries of a data file: lines `head: words`, comments with `#`.
pub(crate) fn lines(data: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(": "))
        .flat_map(|(head, words)| words.split_ascii_whitespace().map(move |word| (head, word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, text: &str, expected: &str) {
        let data = "1: vote prime_minister bank_of_england d'état minister*\n2: *wahl vote\n5: =votive =prime_cut\n# 3: comment";
        let entries = lines(data).map(|(head, word)| (word, head.parse::<i32>().unwrap()));
        let lexicon = Lexicon::new(Language::from_code(code).unwrap(), entries, i32::max);
        let words = lexicon.read(text);
        let found: Vec<String> = (0..words.len())
            .filter_map(|at| {
                lexicon.find(&words, at).map(|(value, length)| format!("{}={value}/{length}", words[at].folded))
            })
            .collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn entries_are_found_by_stem_phrase_and_compound() {
        check("en", "They voted. The votes", "voted=2/1 votes=2/1");
        check("en", "Prime ministers of the Bank of England", "prime=1/2 ministers=1/1 bank=1/3");
        check("en", "prime, minister", "minister=1/1");
        check("de", "Bundestagswahl Ministerpräsident Wahl Wal", "bundestagswahl=2/1 ministerpräsident=1/1 wahl=2/1");
        check("fr", "coup d’état", "d'état=1/1");
        check("en", "A votive vote, a prime cut, prime cuts", "votive=5/1 vote=2/1 prime=5/2");
        check("en", "", "");
    }
}
