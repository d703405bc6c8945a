//! An extractive summary: the sentences of a text that say most of what it says, verbatim and in their order.
//!
//! Sentences are ranked by how much they share with the others (a sentence graph, as in TextRank), by how frequent their
//! words are in the text, by their place, and by what they share with the headline. Headings, link lists and calls to
//! subscribe do not take part. `one_line` is the shortest form. Nothing is rewritten here; a summary cannot say what its
//! text does not.

mod graph;
mod line;
mod sentence;

use crate::Language;
use crate::sentences::sentences;

pub use line::{LINE_CHARACTERS, one_line};
use sentence::Sentence;

/// How much of a text is looked at. The rest of a longer one hardly changes what it is about.
const LOOKED_AT_BYTES: usize = 120_000;

/// How many sentences take part: the graph is quadratic in them.
const MOST_SENTENCES: usize = 300;

/// How long a summary should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// A third of the sentences, at least three and at most eight.
    Usual,
    /// So many sentences.
    Sentences(usize),
    /// As many sentences as fit into so many characters, one at least.
    Characters(usize),
}

/// A sentence and what the ranking thinks of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<'t> {
    /// The sentence, verbatim.
    pub sentence: &'t str,
    /// Which sentence of the text it is, from 0.
    pub place: usize,
    /// 0 to 1; the best sentence of a text has 1.
    pub score: f64,
}

/// The sentences that summarise a text, in the order of the text. Empty for texts without a sentence.
pub fn summary<'t>(text: &'t str, title: Option<&str>, language: Option<Language>, length: Length) -> Vec<&'t str> {
    let scored = scored(text, title, language);
    let mut by_score: Vec<&(Sentence, f64)> = scored.iter().collect();
    by_score.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.place.cmp(&b.0.place)));
    let (most_sentences, most_characters) = match length {
        Length::Usual => ((scored.len() as f64 / 3.0).round().clamp(3.0, 8.0) as usize, usize::MAX),
        Length::Sentences(count) => (count, usize::MAX),
        Length::Characters(count) => (usize::MAX, count),
    };
    let mut chosen: Vec<&Sentence> = Vec::new();
    let mut characters = 0;
    for (candidate, _) in &by_score {
        if chosen.len() >= most_sentences {
            break;
        }
        let size = candidate.text.chars().count() + usize::from(!chosen.is_empty());
        // Two sentences that say the same take the place of one that says something else.
        if characters + size <= most_characters && !chosen.iter().any(|known| known.repeats(candidate)) {
            characters += size;
            chosen.push(candidate);
        }
    }
    if chosen.is_empty() && most_sentences > 0 {
        chosen.extend(by_score.first().map(|(best, _)| best));
    }
    chosen.sort_by_key(|sentence| sentence.place);
    chosen.into_iter().map(|sentence| sentence.text).collect()
}

/// The sentences of a text that can stand in a summary, in the order of the text, each with its score.
pub fn ranked<'t>(text: &'t str, title: Option<&str>, language: Option<Language>) -> Vec<Ranked<'t>> {
    let ranked =
        |(sentence, score): (Sentence<'t>, f64)| Ranked { sentence: sentence.text, place: sentence.place, score };
    scored(text, title, language).into_iter().map(ranked).collect()
}

fn scored<'t>(text: &'t str, title: Option<&str>, language: Option<Language>) -> Vec<(Sentence<'t>, f64)> {
    let mut all = sentences(beginning(text), language);
    if text.len() > LOOKED_AT_BYTES {
        // The last one may have been cut.
        all.pop();
    }
    let mut reader = sentence::Reader::new(language);
    let eligible = sentence::eligible(&all, language);
    let sentences: Vec<Sentence> =
        eligible.into_iter().take(MOST_SENTENCES).map(|place| reader.sentence(all[place], place)).collect();
    let title = title.or_else(|| sentence::heading(&all)).map(|title| reader.sentence(title, 0)).unwrap_or_default();
    let scores = graph::scores(&sentences, &title);
    sentences.into_iter().zip(scores).collect()
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests;
