//! Shouting, taken out: emoji, rows of exclamation marks, words in capitals.

use crate::faithful::{is_common, is_small};
use crate::scores::{is_acronym, is_capitals, is_emoji};
use crate::words::{Kind, fold, tokens};

/// Without emoji and exclamation marks; dots that leave the end open become a comma, or nothing at the end.
pub(super) fn without_marks(title: &str, _code: &str) -> String {
    let plain: String = title.chars().filter(|letter| !is_emoji(*letter) && *letter != '¡' && *letter != '¿').collect();
    let mut calm = String::with_capacity(plain.len());
    let mut rest = plain.as_str();
    let is_mark = |letter: char| matches!(letter, '!' | '?' | '.' | '…' | '！');
    while let Some(at) = rest.find(is_mark) {
        let run = rest[at..].find(|letter: char| !is_mark(letter)).map_or(rest.len() - at, |length| length);
        let (marks, after) = (&rest[at..at + run], &rest[at + run..]);
        let before = rest[..at].trim_end();
        let ends = after.trim().is_empty();
        let open = marks.contains('…') || marks.matches('.').count() > 1;
        let loud = marks.contains(['!', '！']);
        let calmed = match (marks.contains('?'), loud, open) {
            (true, _, _) => "?",
            (false, true, _) | (false, false, true) if ends => "",
            // A quotation ends with its mark: 'How dare you!': …
            (false, true, _) if after.starts_with(['"', '”', '’', '\'']) => "",
            // "This... is" goes on.
            (false, false, true)
                if after.trim_start().starts_with(char::is_lowercase) && before.split_whitespace().count() < 3 =>
            {
                " "
            }
            (false, true, _) => ".",
            (false, false, true) => ",",
            (false, false, false) => marks,
        };
        calm.push_str(if loud || open || marks.len() > 1 { before } else { &rest[..at] });
        calm.push_str(calmed);
        if calmed == "," && !after.starts_with(char::is_whitespace) {
            calm.push(' ');
        }
        rest = if calmed == " " { after.trim_start() } else { after };
    }
    calm.push_str(rest);
    calm
}

/// Words in capitals as usual. Where all is in capitals, words that may be names keep the first.
pub(super) fn without_capitals(title: &str, code: &str) -> String {
    let all = !title.chars().any(char::is_lowercase);
    let words: Vec<_> = tokens(title).into_iter().filter(|token| token.kind == Kind::Word).collect();
    let long =
        words.iter().map(|token| token.text(title)).filter(|word| word.chars().count() > 3 && !is_capitals(word));
    let (count, capitals) = long.fold((0, 0), |(count, capitals), word| {
        (count + 1, capitals + usize::from(word.starts_with(char::is_uppercase)))
    });
    let title_case = count > 2 && capitals * 10 >= count * 8;
    let mut calm = String::with_capacity(title.len());
    let mut done = 0;
    for (at, token) in words.iter().enumerate() {
        let word = token.text(title);
        let near = words[at.saturating_sub(2)..(at + 3).min(words.len())].iter();
        let row = near.filter(|token| is_capitals(token.text(title))).count() >= 3;
        calm.push_str(&title[done..token.start]);
        done = token.end;
        let lower = fold(word).into_owned();
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| words.get(at));
        let among = beside.into_iter().any(|token| is_capitals(token.text(title)) && !is_acronym(token.text(title)));
        let common = among && is_common(&lower, code) && !is_sure_acronym(word) && word != "WHO";
        let shouted = is_capitals(word) && (all && !is_sure_acronym(word) || !is_acronym(word) || common);
        if !shouted {
            calm.push_str(word);
            continue;
        }
        let first = calm.trim_end().is_empty() || calm.trim_end().ends_with(['.', '!', '?', ':']);
        // Among several words in capitals, a word that nobody knows may be a name.
        let unknown = row && code == "en" && !is_common(&lower, code) && !has_usual_ending(&lower);
        let capital =
            first || unknown || ((title_case || all) && !(is_small(&lower, code) && lower.chars().count() <= 4));
        if capital { calm.push_str(&capitalised(&lower)) } else { calm.push_str(&lower) }
    }
    calm.push_str(&title[done..]);
    calm
}

/// In a title of capitals only what cannot be a word is an acronym: no vowel, or a digit.
fn is_sure_acronym(word: &str) -> bool {
    is_acronym(word) && !word.chars().any(|letter| "AEIOUYÄÖÜÉÈÁÓÍÚØÅÆ".contains(letter))
        || ["NASA", "NATO", "UNESCO", "UNICEF", "USA", "US", "UK", "EU", "UN", "FBI", "CIA", "UEFA", "FIFA", "COVID"]
            .contains(&word)
}

fn has_usual_ending(word: &str) -> bool {
    ["ing", "ed", "ly", "tion", "ment", "ness", "ous", "able", "ful", "less", "er", "est"]
        .iter()
        .any(|ending| word.ends_with(ending))
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_calmed() {
        let check = |title: &str, expected: &str| assert_eq!(without_marks(title, "en").trim(), expected, "{title}");
        check("Stop!!!", "Stop");
        check("Stop! It rains", "Stop. It rains");
        check("What?!", "What?");
        check("Why???", "Why?");
        check("He opened the door… and smiled", "He opened the door, and smiled");
        check("And then...", "And then");
        check("This... is not your job", "This is not your job");
        check("'How dare you!': Mayor shouts at guest", "'How dare you': Mayor shouts at guest");
        check("Mr. Smith pays 3.5 million", "Mr. Smith pays 3.5 million");
        check("Cute 😍", "Cute");
        check("", "");
    }

    #[test]
    fn capitals_are_calmed() {
        let check = |title: &str, expected: &str| assert_eq!(without_capitals(title, "en"), expected);
        check("This is SHOCKING news", "This is shocking news");
        check("NASA is NOT amused", "NASA is not amused");
        check("BREAKING: Bank fails", "Breaking: Bank fails");
        check("Why You SHOULD Never Trust Rain", "Why You Should Never Trust Rain");
        check("FBI AND NASA MEET IN TEXAS", "FBI and NASA Meet in Texas");
        check("iPhone and eBay", "iPhone and eBay");
        check("FACT CHECK: what the mayor said", "Fact check: what the mayor said");
        check("US stocks close HIGHER", "US stocks close higher");
    }
}
