//! One line: what a text says in at most a hundred characters.

use super::{Ranked, ranked};
use crate::Language;
use crate::words::is_spaceless;

/// The most characters of a line, the ellipsis included.
pub const LINE_CHARACTERS: usize = 100;

/// A sentence that is this good beside the best one is taken if it fits and the best does not.
const NEARLY_AS_GOOD: f64 = 0.75;

/// The most telling sentence of a text, if it fits; otherwise its beginning, cut between words, with an ellipsis. None
/// for texts without a sentence, and for words that are longer than a line.
pub fn one_line(text: &str, title: Option<&str>, language: Option<Language>) -> Option<String> {
    let mut ranked = ranked(text, title, language);
    if let Some(first) = ranked.first_mut() {
        // News says first what happened; a single sentence has to say that.
        first.score += 0.25;
    }
    let most = ranked.iter().map(|ranked| ranked.score).fold(0.0, f64::max);
    let mut best: Vec<&Ranked> = ranked.iter().filter(|ranked| ranked.score >= NEARLY_AS_GOOD * most).collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));
    let whole = best.iter().find(|ranked| one_blank(ranked.sentence).chars().count() <= LINE_CHARACTERS);
    match whole {
        Some(ranked) => Some(one_blank(ranked.sentence)),
        None => best.iter().find_map(|ranked| cut(&one_blank(ranked.sentence))),
    }
}

/// White space as single blanks, so that a line is a line.
fn one_blank(sentence: &str) -> String {
    sentence.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a sentence that is too long: up to a comma if one comes late enough, else up to a word.
fn cut(sentence: &str) -> Option<String> {
    let mut clause = None;
    let mut word = None;
    let mut before = '\0';
    for (count, (at, character)) in sentence.char_indices().enumerate().take(LINE_CHARACTERS) {
        // At `at` there are `count` characters before, and the ellipsis needs one.
        let boundary = character.is_whitespace() || (is_spaceless(before) && !is_mark_like(character));
        if boundary && count > 0 && count < LINE_CHARACTERS {
            let kept = sentence[..at].trim_end();
            if count >= 45 && kept.ends_with([',', ';', ':', '–', '—', '，', '、', '；', '،']) {
                clause = Some(kept);
            }
            word = Some(kept);
        }
        if is_clause_end(before) && is_spaceless(character) && count >= 30 {
            clause = Some(&sentence[..at]);
        }
        before = character;
    }
    let kept = clause.or(word)?;
    let kept =
        kept.trim_end_matches(|c: char| c.is_whitespace() || is_clause_end(c) || matches!(c, '-' | '(' | '"' | '“'));
    (!kept.is_empty()).then(|| format!("{kept}…"))
}

fn is_clause_end(character: char) -> bool {
    matches!(character, ',' | ';' | ':' | '–' | '—' | '，' | '、' | '；' | '：' | '،')
}

/// Vowel and tone marks, small kana and the like, before which no line is cut.
fn is_mark_like(character: char) -> bool {
    !character.is_alphanumeric()
        || matches!(u32::from(character), 0x0e30..=0x0e4e | 0x0eb0..=0x0ece | 0x102b..=0x103e | 0x17b4..=0x17d3 | 0x3041..=0x30ff)
}
