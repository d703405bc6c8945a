//! A sentence as the ranking sees it: its content words as numbers, and whether it can stand in a summary at all.

use std::collections::HashMap;

use crate::Language;
use crate::stop_words::StopWords;
use crate::words::{Kind, Stemmer, Token, fold, tokens};

/// A sentence of a text with its content words.
#[derive(Debug, Default)]
pub(super) struct Sentence<'t> {
    pub(super) text: &'t str,
    /// Which sentence of the text it is.
    pub(super) place: usize,
    /// Content words as numbers, ascending, each with how often it occurs.
    pub(super) words: Vec<(u32, f32)>,
    /// All words, also those that say nothing.
    pub(super) length: usize,
    /// How well it stands alone: below 1 where it leans on the sentence before, or is a question.
    pub(super) stands_alone: f64,
}

impl Sentence<'_> {
    /// Whether the other sentence says hardly anything else.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        let shared = shared(&self.words, &other.words).count();
        let shorter = self.words.len().min(other.words.len());
        self.text == other.text || (shorter > 0 && shared * 10 >= shorter * 8)
    }
}

/// The words that both have, with their counts in each.
pub(super) fn shared<'a>(one: &'a [(u32, f32)], other: &'a [(u32, f32)]) -> impl Iterator<Item = (u32, f32, f32)> + 'a {
    let (mut at, mut in_other) = (0, 0);
    std::iter::from_fn(move || {
        while at < one.len() && in_other < other.len() {
            let (left, right) = (one[at], other[in_other]);
            match left.0.cmp(&right.0) {
                std::cmp::Ordering::Less => at += 1,
                std::cmp::Ordering::Greater => in_other += 1,
                std::cmp::Ordering::Equal => {
                    at += 1;
                    in_other += 1;
                    return Some((left.0, left.1, right.1));
                }
            }
        }
        None
    })
}

/// Gives every content word of a text its number.
pub(super) struct Reader {
    numbers: HashMap<String, u32>,
    stop_words: StopWords,
    stemmer: Stemmer,
    english: bool,
}

impl Reader {
    pub(super) fn new(language: Option<Language>) -> Self {
        Self {
            numbers: HashMap::new(),
            stop_words: StopWords::new(language),
            stemmer: Stemmer::new(language),
            english: language == Some(Language::ENGLISH),
        }
    }

    /// Reads the words of one sentence.
    pub(super) fn sentence<'t>(&mut self, text: &'t str, place: usize) -> Sentence<'t> {
        let tokens = tokens(text);
        let mut numbers: Vec<u32> = Vec::new();
        let mut length = 0;
        let mut before: Option<Token> = None;
        for token in &tokens {
            let written = token.text(text);
            match token.kind {
                Kind::Word => {
                    length += 1;
                    let folded = fold(written);
                    let folded = folded.strip_suffix("'s").unwrap_or(&folded);
                    // An elided article: `l'année` counts as `année`.
                    let word = match folded.split_once('\'') {
                        Some((article, word)) if !self.english && article.chars().count() <= 4 && word.len() > 2 => {
                            word
                        }
                        _ => folded,
                    };
                    if word.chars().nth(1).is_some() && !self.stop_words.contains(word) {
                        let stem = self.stemmer.stem(word);
                        numbers.push(number(&mut self.numbers, &stem));
                    }
                }
                Kind::Number => {
                    length += 1;
                    numbers.push(number(&mut self.numbers, written));
                }
                // Words of two characters are usual in Chinese, so neighbours count as a word.
                Kind::Piece => {
                    length += 1;
                    if let Some(before) =
                        before.filter(|before| before.kind == Kind::Piece && before.end == token.start)
                    {
                        numbers.push(number(&mut self.numbers, &text[before.start..token.end]));
                    }
                }
                Kind::Punctuation => {}
            }
            before = Some(*token);
        }
        numbers.sort_unstable();
        let mut words: Vec<(u32, f32)> = Vec::with_capacity(numbers.len());
        for number in numbers {
            match words.last_mut() {
                Some((last, count)) if *last == number => *count += 1.0,
                _ => words.push((number, 1.0)),
            }
        }
        Sentence { text, place, words, length, stands_alone: stands_alone(text, &tokens) }
    }
}

fn number(numbers: &mut HashMap<String, u32>, word: &str) -> u32 {
    if let Some(number) = numbers.get(word) {
        return *number;
    }
    let number = numbers.len() as u32;
    numbers.insert(word.to_owned(), number);
    number
}

/// How well a sentence is understood without the one before it.
fn stands_alone(text: &str, tokens: &[Token]) -> f64 {
    let starts = text.trim_start_matches(is_direction_mark);
    let first = tokens.iter().find(|token| token.kind == Kind::Word).map(|token| fold(token.text(text)));
    let leans = [
        "he", "she", "it", "they", "this", "that", "these", "those", "but", "and", "so", "or", "er", "sie", "es",
        "dies", "diese", "aber", "und", "doch", "il", "elle", "ils", "elles", "ce", "cela", "mais", "et", "pero", "y",
        "ese", "esto", "mas", "ele", "ela", "ma", "questo", "hij", "zij", "ze", "dit", "dat", "maar", "en", "han",
        "hun", "det", "men", "og",
    ];
    let mut value: f64 = if first.is_some_and(|first| leans.contains(&first.as_ref())) { 0.95 } else { 1.0 };
    if text.trim_end_matches(['"', '”', '’', '»', ')']).ends_with(['?', '？', '؟', '!', '！']) {
        value *= 0.8;
    }
    if starts.starts_with(['"', '“', '«', '„', '‘', '\'', '「']) {
        value *= 0.93;
    } else if !starts
        .starts_with(|first: char| first.is_alphanumeric() || matches!(first, '¿' | '¡' | '(' | '$' | '£' | '€'))
    {
        // Bullets, dashes and the rest of a sentence that an ellipsis cut.
        value *= 0.7;
    }
    value
}

/// The places of the sentences that can stand in a summary, in order. None in a text of headings and links alone.
pub(super) fn eligible(all: &[&str], language: Option<Language>) -> Vec<usize> {
    let unmarked = language.is_some_and(|language| ["th", "lo"].contains(&language.as_str()));
    let mut seen = std::collections::HashSet::new();
    let distinct: Vec<usize> = (0..all.len()).filter(|place| seen.insert(all[*place])).collect();
    let pick = |usable: &dyn Fn(&str) -> bool| -> Vec<usize> {
        distinct.iter().copied().filter(|place| usable(all[*place])).collect()
    };
    let good = pick(&|sentence| {
        (unmarked || is_finished(sentence)) && (5..=90).contains(&size(sentence)) && !is_boilerplate(sentence)
    });
    if !good.is_empty() {
        return good;
    }
    // A short message, or lines without full stops: whatever is long enough to be a sentence.
    let lines = pick(&|sentence| {
        let enough = if is_finished(sentence) { 2 } else { 8 };
        (enough..=120).contains(&size(sentence)) && sentence.len() <= 2_000 && !is_boilerplate(sentence)
    });
    if !lines.is_empty() || all.len() > 2 {
        return lines;
    }
    pick(&|sentence| (1..=60).contains(&size(sentence)) && sentence.len() <= 1_000)
}

/// A first line without a full stop above a text is its headline.
pub(super) fn heading<'t>(all: &[&'t str]) -> Option<&'t str> {
    let first = all.first().copied()?;
    (all.len() >= 3 && !is_finished(first) && (2..=20).contains(&size(first))).then_some(first)
}

/// The number of words; three characters of a script without spaces count as two words.
fn size(sentence: &str) -> usize {
    // More than this is no sentence, however many words it has.
    if sentence.len() > 20_000 {
        return usize::MAX;
    }
    let (mut words, mut pieces) = (0, 0);
    for token in tokens(sentence) {
        match token.kind {
            Kind::Word => words += 1,
            Kind::Piece => pieces += 1,
            Kind::Number | Kind::Punctuation => {}
        }
    }
    words + pieces * 2 / 3
}

fn is_finished(sentence: &str) -> bool {
    let end = sentence
        .trim_end_matches(is_direction_mark)
        .trim_end_matches(['"', '\'', '”', '’', '“', '»', '«', ')', ']', '」', '』', '）', ' ', '\u{a0}', '\u{202f}']);
    end.ends_with(['.', '!', '?', '…', '。', '！', '？', '｡', '؟', '۔', '।', '॥', '።', '။', '។', '։', '‼'])
}

/// Invisible characters that say from which side a text is read.
fn is_direction_mark(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What stands around articles: calls to read, share or subscribe, credits, rights.
fn is_boilerplate(sentence: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "read more",
        "read also",
        "read the full",
        "click here",
        "click to",
        "sign up",
        "subscribe",
        "follow us",
        "follow @",
        "share this",
        "share on ",
        "share via ",
        "skip to ",
        "you are here",
        "loading",
        "most read",
        "more on this",
        "back to top",
        "image copyright",
        "image caption",
        "image source",
        "image:",
        "photo:",
        "photo by",
        "photograph:",
        "picture:",
        "video:",
        "watch:",
        "see also",
        "related:",
        "advertisement",
        "story continues",
        "continue reading",
        "scroll down",
        "getty images",
        "copyright",
        "©",
        "all rights reserved",
        "this article was",
        "this article originally",
        "this story has been",
        "correction:",
        "disclaimer:",
        "credit:",
        "source:",
        "a photo posted by",
        "a post shared by",
        "a video posted by",
        "editor's note",
        "to comment",
        "join the conversation",
        "get the latest",
        "download our app",
        "we use cookies",
        "this site uses",
        "by clicking",
        "by signing",
        "accept cookies",
        "you must be logged",
        "log in",
        "lesen sie",
        "mehr zum thema",
        "foto:",
        "bild:",
        "quelle:",
        "jetzt abonnieren",
        "lire aussi",
        "à lire",
        "abonnez-vous",
        "crédit photo",
        "lea también",
        "lee también",
        "suscríbete",
        "leia também",
        "leia mais",
        "assine",
        "leggi anche",
        "iscriviti",
        "lees ook",
        "lees meer",
        "læs også",
        "læs mere",
        "tilmeld dig",
    ];
    const ANYWHERE: &[&str] = &[
        "all rights reserved",
        "alle rechte vorbehalten",
        "tous droits réservés",
        "todos los derechos",
        "todos os direitos",
        "tutti i diritti",
        "terms of service",
        "privacy policy",
        "our newsletter",
        "javascript",
        "cookie policy",
        "ad blocker",
        "/getty images",
        "via getty",
        "photo posted by",
        "post shared by",
        "video posted by",
        "photo credit",
        "click on the link",
        "subscribe to",
        "unsubscribe",
    ];
    let mut end = sentence.len().min(300);
    while !sentence.is_char_boundary(end) {
        end -= 1;
    }
    let lower = sentence[..end].to_lowercase();
    BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning)) || ANYWHERE.iter().any(|part| lower.contains(part))
}
