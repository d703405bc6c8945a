//! Opposites: a rewrite does not say "falls" where its source says "rises", nor "doctors" where it says "nurses".
//!
//! Words that exclude each other are in `data/opposites.txt`, compared by stems; then words that gained or lost a prefix such
//! as "un-", and prepositions that turn a verb round ("voted for", "voted against").

use std::collections::HashSet;
use std::sync::LazyLock;

use super::Unfaithful;
use super::reading::{Reading, Word};
use crate::{Language, Stemmer};

/// What became its opposite.
pub(super) fn opposites(source: &Reading, rewrite: &Reading, language: Language) -> Result<(), Unfaithful> {
    // What the rewrite has and the source has not, and the other way round.
    let new: Vec<&Word> = rewrite.words.iter().filter(|word| !source.has(word)).collect();
    let lost: Vec<&Word> = source.words.iter().filter(|word| !rewrite.has(word)).collect();
    for field in FIELDS.iter().filter(|field| field.code == language.as_str()) {
        for word in &new {
            let Some(side) = field.side(word) else { continue };
            // It stands for a word of its own side.
            let same = lost.iter().any(|word| field.side(word) == Some(side));
            if !same && lost.iter().any(|word| field.side(word).is_some_and(|other| other != side)) {
                return Err(Unfaithful::Opposite(word.folded.clone()));
            }
        }
    }
    for (one, other) in [("for", "against"), ("to", "from"), ("für", "gegen"), ("nach", "aus")] {
        for (one, other) in [(one, other), (other, one)] {
            if let Some(pair) = rewrite
                .words
                .windows(2)
                .find(|pair| pair[1].folded == one && turned(source, &pair[0], other) && !turned(source, &pair[0], one))
            {
                return Err(Unfaithful::Opposite(format!("{} {one}", pair[0].folded)));
            }
        }
    }
    let prefixes = ["un", "in", "il", "im", "ir", "dis", "non-", "anti-", "mis"];
    for (from, to) in [(source, rewrite), (rewrite, source)] {
        for word in from.words.iter().filter(|word| word.folded.len() > 5 && !to.has(word)) {
            let plain = prefixes.iter().filter_map(|prefix| word.folded.strip_prefix(prefix)).find(|plain| {
                plain.len() > 3
                    && to.words.iter().any(|other| other.folded == *plain)
                    && !from.words.iter().any(|own| own.folded == *plain)
            });
            if plain.is_some() {
                return Err(Unfaithful::Opposite(word.folded.clone()));
            }
        }
    }
    Ok(())
}

/// Whether two words may stand for each other: a line of `data/synonyms.txt`, or one side of a field.
pub(super) fn may_stand_for(one: &Word, other: &Word, code: &str) -> bool {
    let of_one_side =
        |field: &&Field| field.code == code && field.side(one).is_some() && field.side(one) == field.side(other);
    let of_one_line = |line: &&Field| line.code == code && line.side(one).is_some() && line.side(other).is_some();
    FIELDS.iter().any(|field| of_one_side(&field)) || SYNONYMS.iter().any(|line| of_one_line(&line))
}

/// Whether a word is one of the vivid ones of headlines, for which a plain one may stand.
pub(super) fn is_vivid(word: &Word, code: &str) -> bool {
    let of_code = |line: &&Field| line.code.strip_prefix("vivid ") == Some(code);
    SYNONYMS.iter().filter(of_code).any(|line| line.side(word).is_some())
}

/// Whether this word has that preposition behind it.
fn turned(reading: &Reading, word: &Word, preposition: &str) -> bool {
    reading.words.windows(2).any(|pair| pair[0].stem == word.stem && pair[1].folded == preposition)
}

/// Sides that exclude each other.
struct Field {
    code: &'static str,
    sides: Vec<HashSet<String>>,
}

impl Field {
    /// The side that a word is on.
    fn side(&self, word: &Word) -> Option<usize> {
        self.sides.iter().position(|side| side.contains(&word.stem))
    }
}

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| fields(include_str!("../../data/opposites.txt")));

static SYNONYMS: LazyLock<Vec<Field>> = LazyLock::new(|| fields(include_str!("../../data/synonyms.txt")));

/// The lines of a file of the crate.
fn fields(file: &'static str) -> Vec<Field> {
    let lines = file.lines().filter_map(|line| line.split_once(": ")).filter(|(code, _)| !code.starts_with('#'));
    lines
        .map(|(code, sides)| {
            let stemmer = Stemmer::new(Language::from_code(code.rsplit(' ').next().unwrap_or_default()));
            let side = |forms: &str| forms.split('/').map(|form| stemmer.stem(form).into_owned()).collect();
            Field { code, sides: sides.split(" - ").map(side).collect() }
        })
        .collect()
}
