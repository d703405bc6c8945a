//! Bait phrases, taken out: at the start, at the end, and single words of hype before others.
//!
//! The phrases are those of `data/bait.txt`. What is left must still be a title: three words or more.

use crate::bait::BAIT;
use crate::words::{Kind, Token, fold, tokens};

/// What is left of a title has at least so many words.
const LEAST_WORDS: usize = 3;

/// A title as tokens, with its words folded.
struct Line<'t> {
    text: &'t str,
    words: Vec<Token>,
    folded: Vec<String>,
}

impl<'t> Line<'t> {
    fn of(text: &'t str) -> Self {
        let words: Vec<Token> = tokens(text).into_iter().filter(|token| token.kind != Kind::Punctuation).collect();
        let folded = words.iter().map(|token| fold(token.text(text)).into_owned()).collect();
        Self { text, words, folded }
    }

    /// What stands between the word before and this one, without spaces.
    fn before(&self, at: usize) -> &'t str {
        let start = if at == 0 { 0 } else { self.words[at - 1].end };
        let end = self.words.get(at).map_or(self.text.len(), |word| word.start);
        self.text[start..end].trim()
    }

    fn is_capital(&self, at: usize) -> bool {
        self.words[at].text(self.text).starts_with(char::is_uppercase)
    }
}

/// Without lead-ins ("You won't believe"); "This is why" becomes "Why".
pub(super) fn without_leads(title: &str, code: &str) -> String {
    let Some(lexicon) = BAIT.of(code) else { return title.to_owned() };
    let mut calm = title.to_owned();
    for _ in 0..4 {
        let line = Line::of(&calm);
        let mut finds = lexicon.every(&line.folded, 0);
        finds.sort_by_key(|find| std::cmp::Reverse(find.count));
        let found = finds.into_iter().find_map(|find| {
            let name = lexicon.group(find.group).name;
            let marked = !line.before(find.count).is_empty();
            let loud = find.count > 1 || marked;
            let left = line.words.len() - find.count;
            match name {
                "tail" if marked && left >= LEAST_WORDS => Some((find.count, "")),
                "tail" | "hype" if !marked => None,
                "lead" | "hype" if loud && left >= LEAST_WORDS => Some((find.count, "")),
                "lead" | "tail" | "hype" => None,
                // The phrase may end in the word that stays.
                word if find.count > 1 && left + 1 >= LEAST_WORDS => Some((find.count, word)),
                _ => None,
            }
        });
        let Some((count, word)) = found else { break };
        let rest = &calm[line.words[count - 1].end..];
        let rest = rest.trim_start_matches(|letter: char| {
            letter.is_whitespace() || matches!(letter, ',' | ':' | '!' | '.' | '…' | '-' | '–' | '—' | '?' | ';')
        });
        calm = if word.is_empty() {
            capitalised(rest)
        } else {
            format!("{} {rest}", capitalised(&word.replace('_', " ")))
        };
    }
    calm
}

/// Without what is hung on at the end ("and it's amazing"), and without sentences that only bait.
pub(super) fn without_tails(title: &str, code: &str) -> String {
    let Some(lexicon) = BAIT.of(code) else { return title.to_owned() };
    let mut calm = title.to_owned();
    for _ in 0..4 {
        let line = Line::of(&calm);
        let count = line.words.len();
        let cut = (LEAST_WORDS.min(count)..count).find(|&at| {
            let marked = !line.before(at).is_empty();
            let group = |find: &crate::word_lists::Find| lexicon.group(find.group).name;
            lexicon.every(&line.folded, at).into_iter().any(|find| {
                let ends = at + find.count == count;
                let bait = group(&find) == "tail" || group(&find) == "lead" && find.count > 1 && marked;
                ends && bait && (marked || find.count > 1 && hangs(&line.folded[at]))
            })
        });
        let middle = cut.is_none().then(|| sentence_of_bait(&line, lexicon)).flatten();
        calm = match (cut, middle) {
            (Some(at), _) => {
                calm[..line.words[at - 1].end].to_owned()
                    + question_mark(&calm[line.words[at - 1].end..line.words[at].start])
            }
            (None, Some((from, to))) => {
                format!("{}{}", &calm[..line.words[from - 1].end], &calm[line.words[to - 1].end..])
            }
            (None, None) => break,
        };
    }
    calm
}

/// Words that hang a phrase on to what is said before, without a mark.
fn hangs(word: &str) -> bool {
    "and that will you und wird et va y e ed en og te ti vi vai zal vil que che die der just may might like guaranteed to we've that'll"
        .split(' ')
        .any(|known| known == word)
}

fn question_mark(between: &str) -> &'static str {
    if between.contains('?') { "?" } else { "" }
}

/// Words from one mark to the next that are nothing but a bait phrase.
fn sentence_of_bait(line: &Line<'_>, lexicon: &crate::word_lists::Lexicon) -> Option<(usize, usize)> {
    (1..line.words.len()).filter(|at| !line.before(*at).is_empty()).find_map(|at| {
        let finds = lexicon.every(&line.folded, at).into_iter();
        let whole = finds.filter(|find| !line.before(at + find.count).is_empty() && at + find.count < line.words.len());
        whole.map(|find| (at, at + find.count)).next()
    })
}

/// Without words of hype that stand before another word.
pub(super) fn without_hype(title: &str, code: &str) -> String {
    let Some(lexicon) = BAIT.of(code) else { return title.to_owned() };
    let line = Line::of(title);
    let capitals = (1..line.words.len()).filter(|at| line.is_capital(*at)).count();
    let title_case = capitals * 10 >= line.words.len().saturating_sub(1) * 7;
    let mut calm = String::with_capacity(title.len());
    let mut done = 0;
    let mut left = line.words.len();
    for at in 0..line.words.len() {
        let hype = lexicon
            .every(&line.folded, at)
            .into_iter()
            .any(|find| find.count == 1 && lexicon.group(find.group).name == "hype");
        let follows =
            at + 1 < line.words.len() && line.before(at + 1).is_empty() && !stands_alone(&line.folded[at + 1]);
        let needed = at > 0 && line.before(at).is_empty() && holds(&line.folded[at - 1]);
        let name = at > 0 && line.is_capital(at) && !title_case;
        if !hype || !follows || needed || name || left <= LEAST_WORDS {
            continue;
        }
        let start = line.words[at].start;
        calm.push_str(&title[done..start]);
        if code == "en" && at > 0 {
            fix_article(&mut calm, &line.folded[at + 1]);
        }
        done = line.words[at + 1].start;
        left -= 1;
    }
    calm.push_str(&title[done..]);
    calm
}

/// Words after which an adjective cannot go: "is amazing", "so amazing".
fn holds(word: &str) -> bool {
    "and or und et y e og en is are was were be been being so very how more most as too not looks look feels feel seems sounds gets got ist sind war sehr so est sont était \
     très es son muy é são muito è sono molto erg zeer er meget becomes became make makes made keep stay"
        .split_ascii_whitespace()
        .any(|known| known == word)
}

/// Words that do not need the adjective before them: "amazing and", "crazy in".
fn stands_alone(word: &str) -> bool {
    "and or but of in at for to that than with by from on as when while if because is are was were und oder aber von in für mit et ou de en y o e ou di in met og af i"
        .split_ascii_whitespace()
        .any(|known| known == word)
}

/// "An incredible coin" becomes "a coin".
fn fix_article(text: &mut String, next: &str) {
    let trimmed = text.trim_end();
    let Some((start, article)) = trimmed
        .char_indices()
        .rfind(|(_, letter)| letter.is_whitespace())
        .map_or(Some((0, trimmed)), |(at, _)| Some((at + 1, &trimmed[at + 1..])))
    else {
        return;
    };
    let vowel = next.starts_with(['a', 'e', 'i', 'o', 'u']);
    let fixed = match (article, vowel) {
        ("a", true) => "an",
        ("an", false) => "a",
        ("A", true) => "An",
        ("An", false) => "A",
        _ => return,
    };
    text.truncate(start);
    text.push_str(fixed);
    text.push(' ');
}

/// "This dog …" becomes "A dog …": a pointing word promises that more is said elsewhere.
pub(super) fn without_pointing(title: &str, code: &str) -> String {
    let line = Line::of(title);
    if code != "en" || line.folded.first().is_none_or(|word| word != "this") || line.words.len() <= LEAST_WORDS {
        return title.to_owned();
    }
    let next = line.folded[1].trim_end_matches("'s");
    let pointed = NOUNS.split_ascii_whitespace().any(|noun| noun == next) && line.before(1).is_empty();
    if !pointed {
        return title.to_owned();
    }
    let article = if next.starts_with(['a', 'e', 'i', 'o', 'u']) { "An" } else { "A" };
    format!("{article}{}", &title[line.words[0].end..])
}

/// Things that headlines point at.
const NOUNS: &str = "man woman guy girl boy dog cat puppy kitten baby mom mother dad father couple family teacher student doctor nurse actor actress star \
    singer player team coach company startup country city town state county village school university restaurant hotel airline app website game \
    video photo picture map chart ad song movie film show book house home car bike plane robot artist chef waiter waitress cop judge \
    lawyer politician senator lawmaker teen teenager kid bride groom grandma grandfather grandmother veteran soldier scientist study report \
    animal bird bear horse elephant designer photographer writer comedian celebrity model athlete swimmer runner trick hack diet food drink recipe";

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let keeps = text.split(' ').next().is_some_and(|word| word.chars().skip(1).any(char::is_uppercase));
    match letters.next() {
        Some(first) if !keeps => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_go() {
        let check = |title: &str, expected: &str| assert_eq!(without_leads(title, "en"), expected);
        check("You won't believe what he ate", "What he ate");
        check("This is why planes are white", "Why planes are white");
        check("The real reason planes are white", "Why planes are white");
        check("Breaking: bank closes all branches", "Bank closes all branches");
        check("Breaking the bank is easy", "Breaking the bank is easy");
        check("Everything you need to know about the new tax", "The new tax");
        check("Wow, this", "Wow, this");
        check("", "");
    }

    #[test]
    fn tails_go() {
        let check = |title: &str, expected: &str| assert_eq!(without_tails(title, "en"), expected);
        check("Man builds house of glass, and it's amazing", "Man builds house of glass");
        check("What this man found will shock you", "What this man found");
        check("Man finds coin. What happened next will amaze you", "Man finds coin");
        check("The clip will watch", "The clip will watch");
    }

    #[test]
    fn hype_goes_only_where_the_sentence_stays() {
        let check = |title: &str, expected: &str| assert_eq!(without_hype(title, "en"), expected);
        check("An incredible coin was found", "A coin was found");
        check("A stunning upset in Texas", "An upset in Texas");
        check("The view is stunning from here", "The view is stunning from here");
        check("She went crazy in Paris", "She went crazy in Paris");
        check("Actor buys Epic Games shares", "Actor buys Epic Games shares");
    }

    #[test]
    fn pointing_words_go() {
        let check = |title: &str, expected: &str| assert_eq!(without_pointing(title, "en"), expected);
        check("This dog saved a child", "A dog saved a child");
        check("This animal saved a child", "An animal saved a child");
        check("This makes no sense at all", "This makes no sense at all");
    }
}
