//! Words in the place of others: where the source says "rivers", its rewrite does not say "lakes".
//!
//! Source and rewrite are aligned by the words that both have, in their order. Between two of these, a new word that stands
//! for a lost one must be a known synonym, unless the lost one is loaded: to write something calm in its place is what a
//! rewrite is for. Words of claims (negation, modality, sources) have rules of their own.

use std::sync::LazyLock;

use super::Unfaithful;
use super::names::{is_known, is_small};
use super::opposites::{is_vivid, may_stand_for};
use super::reading::{Reading, Word};
use crate::bait::BAIT;
use crate::word_lists::Lexicons;

static LOADED: LazyLock<[Lexicons; 2]> = LazyLock::new(|| {
    [
        Lexicons::read(include_str!("../../data/framing.txt")),
        Lexicons::read(include_str!("../../data/hyper_stimulus.txt")),
    ]
});

/// A gap with more words than this was written anew: nothing stands for anything.
const MOST_WORDS: usize = 2;

/// A word that stands in the place of another that means something else.
pub(super) fn exchanged_word(
    source: &Reading,
    rewrite: &Reading,
    claims: impl Fn(&Word) -> bool,
) -> Result<(), Unfaithful> {
    let code = source.code;
    if !["en", "de"].contains(&code) {
        return Ok(());
    }
    let telling =
        |word: &Word| !word.number && !is_small(&word.folded, code) && word.folded.chars().count() > 2 && !claims(word);
    for (there, here) in gaps(source, rewrite) {
        let lost: Vec<&Word> =
            source.words[there].iter().filter(|word| telling(word) && !rewrite.has_like(word)).collect();
        let new: Vec<&Word> =
            rewrite.words[here].iter().filter(|word| telling(word) && !is_written_otherwise(source, word)).collect();
        if lost.is_empty() || lost.len() > MOST_WORDS || new.len() > MOST_WORDS {
            continue;
        }
        let stands = |word: &Word| lost.iter().any(|lost| is_loaded(lost, code) || may_stand_for(word, lost, code));
        if let Some(word) = new.iter().find(|word| !stands(word)) {
            return Err(Unfaithful::Exchanged(word.folded.clone()));
        }
    }
    Ok(())
}

/// Whether a word is the source's own in another form: inflected, a number, a unit, a part or a compound of its words.
fn is_written_otherwise(source: &Reading, word: &Word) -> bool {
    let unit = UNITS.split_ascii_whitespace().any(|unit| unit == word.folded);
    let begins = |own: &Word| own.folded.chars().take((own.folded.chars().count() - 2).max(4)).collect::<String>();
    let compound = word.folded.chars().count() > 8
        && source.words.iter().any(|own| own.folded.chars().count() > 4 && word.folded.contains(&begins(own)));
    let parts = word.folded.split('-').filter(|part| !part.is_empty());
    let joined = word.folded.contains('-')
        && parts.clone().any(|part| source.words.iter().any(|own| own.folded.contains(part) && part.len() > 2));
    unit || joined || compound || source.has_like(word) || is_known(source, word, source.code)
}

/// Units and words like "former", which `numbers` and `names` compare.
const UNITS: &str = "percent per cent dollar dollars euro euros pound pounds million billion mio mrd year years old aged former ex people person persons \
    prozent euro früher früheren frühere früherer ehemalige ehemaliger ehemaligen menschen";

/// Whether a word teases, excites or takes sides.
fn is_loaded(word: &Word, code: &str) -> bool {
    let has = |lexicons: &Lexicons| {
        let lexicon = lexicons.of(code);
        lexicon.is_some_and(|lexicon| {
            lexicon.every(&[word.folded.as_str()], 0).iter().any(|find| lexicon.group(find.group).weight > 0.0)
        })
    };
    is_vivid(word, code) || LOADED.iter().any(has) || has(&BAIT)
}

type Range = std::ops::Range<usize>;

/// What stands between the words that both have, in order: a longest common subsequence of stems.
fn gaps(source: &Reading, rewrite: &Reading) -> Vec<(Range, Range)> {
    let (there, here) = (&source.words, &rewrite.words);
    let width = here.len() + 1;
    let mut lengths = vec![0_u16; (there.len() + 1) * width];
    for i in (0..there.len()).rev() {
        for j in (0..here.len()).rev() {
            lengths[i * width + j] = if there[i].stem == here[j].stem {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let mut found = Vec::new();
    let (mut i, mut j, mut from) = (0, 0, (0, 0));
    while i < there.len() && j < here.len() {
        if there[i].stem == here[j].stem {
            found.push((from.0..i, from.1..j));
            (i, j) = (i + 1, j + 1);
            from = (i, j);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found.push((from.0..there.len(), from.1..here.len()));
    found
}
