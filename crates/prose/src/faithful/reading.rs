//! A text as the faithfulness check reads it: words with their stems, capitals and places.

use crate::Language;
use crate::words::{Kind, Stemmer, fold, tokens};

/// Texts are read up to this many words; longer sources are cut, longer rewrites are refused before.
const MOST_WORDS: usize = 20_000;

/// One word or number.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// As written.
    pub(super) raw: String,
    /// Lower case, without a possessive ending.
    pub(super) folded: String,
    pub(super) stem: String,
    pub(super) number: bool,
    pub(super) capital: bool,
    /// The first of a sentence or quotation, where a capital says nothing.
    pub(super) first: bool,
    /// The signs between the word before and this one.
    pub(super) before: String,
}

/// A text, read.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) words: Vec<Word>,
    /// The signs behind the last word.
    pub(super) end: String,
    /// Most words begin with a capital, so that capitals say nothing.
    pub(super) title_case: bool,
    /// The language's code; empty if it is not known.
    pub(super) code: &'static str,
}

impl Reading {
    pub(super) fn of(text: &str, language: Option<Language>) -> Self {
        let stemmer = Stemmer::new(language);
        let mut words: Vec<Word> = Vec::new();
        let mut signs = String::new();
        for token in tokens(text) {
            let raw = token.text(text);
            if token.kind == Kind::Punctuation {
                if signs.len() < 16 {
                    signs.push_str(raw);
                }
                continue;
            }
            if words.len() == MOST_WORDS {
                break;
            }
            let mut folded = fold(raw).into_owned();
            if let Some(owner) = folded.strip_suffix("'s") {
                folded.truncate(owner.len());
            }
            let first =
                words.is_empty() || signs.contains(['.', '!', '?', ':', '"', '“', '„', '«', '–', '—', '|', '•', '-']);
            words.push(Word {
                stem: stemmer.stem(&folded).into_owned(),
                folded,
                number: token.kind == Kind::Number,
                capital: raw.starts_with(char::is_uppercase),
                first,
                before: std::mem::take(&mut signs),
                raw: raw.to_owned(),
            });
        }
        let long = words.iter().filter(|word| !word.number && word.raw.chars().count() > 3);
        let (all, capitals) =
            long.fold((0, 0), |(all, capitals), word| (all + 1, capitals + usize::from(word.capital)));
        Self {
            title_case: all > 2 && capitals * 10 >= all * 8,
            words,
            end: signs,
            code: language.map_or("", Language::as_str),
        }
    }

    pub(super) fn folded(&self) -> Vec<&str> {
        self.words.iter().map(|word| word.folded.as_str()).collect()
    }

    /// Whether a word with this stem, or this form, is here.
    pub(super) fn has(&self, word: &Word) -> bool {
        self.words.iter().any(|own| own.folded == word.folded || own.stem == word.stem)
    }

    /// Whether a word like this is here: the same stem, or the same beginning where both are long.
    pub(super) fn has_like(&self, word: &Word) -> bool {
        self.has(word) || self.words.iter().any(|own| is_like(&own.folded, &word.folded))
    }

    pub(super) fn is_question(&self) -> bool {
        self.end.contains('?') || self.words.iter().any(|word| word.before.contains('?'))
    }
}

/// Whether two words share so long a beginning that one is a form of the other: `Germany` and `German`.
pub(super) fn is_like(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let longer = one.chars().count().max(other.chars().count());
    shared >= 4 && longer - shared <= 3 && shared * 10 >= longer * 6
}
