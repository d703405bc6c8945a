//! Bait phrases, taken out: at the start, at the end, and single words of hype before others.
//!
//! The phrases are those of `data/bait.txt`. What is left must still be a title: three words or more.

use super::line::{LEAST_WORDS, Line, capitalised};
use crate::bait::BAIT;

/// Without lead-ins ("You won't believe"), at the start and behind a mark; "This is why" becomes "Why".
pub(super) fn without_leads(title: &str, code: &str) -> String {
    let calm = without_first_leads(title, code, 1);
    let marks = calm.char_indices().filter(|(_, letter)| matches!(letter, ':' | '?' | '.'));
    let last = marks.map(|(at, _)| at + 1).rfind(|at| calm[*at..].starts_with(' '));
    match last.filter(|at| calm[*at..].split_whitespace().count() > LEAST_WORDS) {
        Some(at) => {
            let rest = without_first_leads(calm[at..].trim_start(), code, 2);
            let lower = calm[..at].ends_with(':')
                && rest.starts_with(char::is_uppercase)
                && calm[at..].trim_start().starts_with(char::is_lowercase);
            let rest = if lower { lower_first(&rest) } else { rest };
            format!("{} {rest}", &calm[..at])
        }
        None => calm,
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn without_first_leads(title: &str, code: &str, shortest: usize) -> String {
    let Some(lexicon) = BAIT.of(code) else { return title.to_owned() };
    let mut calm = title.to_owned();
    for _ in 0..4 {
        let line = Line::of(&calm);
        let mut finds = lexicon.every(&line.folded, 0);
        finds.sort_by_key(|find| std::cmp::Reverse(find.count));
        let found = finds.into_iter().filter(|find| find.count >= shortest).find_map(|find| {
            let name = lexicon.group(find.group).name;
            let marked = !line.before(find.count).is_empty();
            let loud = find.count > 1 || marked;
            let left = line.words.len() - find.count;
            match name {
                "tail" if marked && left >= LEAST_WORDS => Some((find.count, "")),
                "tail" | "hype" if !marked => None,
                "lead" | "hype" if loud && left >= LEAST_WORDS && !is_subject(&line, find.count) => {
                    Some((find.count, ""))
                }
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

/// "The truth about the mayor is out": the lead-in is part of the subject of a sentence.
fn is_subject(line: &Line<'_>, count: usize) -> bool {
    let verbs = "is are was were has have had will may might could can would isn't aren't wasn't won't says said just";
    line.is(0, "the a")
        && line.is(count - 1, "about behind of to")
        && (count + 1..line.words.len()).any(|at| line.is(at, verbs))
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
                let (before, rest) = (&calm[..line.words[from].start], &calm[line.words[to].start..]);
                if line.before(from).contains(['.', '?', '!']) {
                    format!("{before}{}", capitalised(rest))
                } else {
                    format!("{before}{rest}")
                }
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
        let ends = |find: &crate::word_lists::Find| {
            let marks = [line.before(at), line.before(at + find.count)];
            marks.iter().all(|marks| !marks.is_empty() && !marks.contains(['(', ')', '-', '–', '—', '"', '“', '\'']))
        };
        let whole = finds.filter(|find| ends(find) && at + find.count < line.words.len());
        whole.map(|find| (at, at + find.count)).next()
    })
}

/// Without clauses at the end that promise the reader a feeling: "that will make you cringe".
pub(super) fn without_clauses(title: &str, code: &str) -> String {
    let line = Line::of(title);
    if code != "en" {
        return title.to_owned();
    }
    let found = (LEAST_WORDS..line.words.len().saturating_sub(2)).find(|&at| {
        let that = line.is(at, "that which") && line.before(at).is_empty();
        let sure = line.is(at + 1, "will would could can might may are")
            && line.is(at + 2, "make leave have give blow restore change melt break guaranteed sure going");
        let plain = line.is(at + 1, "make makes made leave leaves will'll give gives prove proves");
        let you = (at + 2..(at + 7).min(line.words.len())).any(|at| line.is(at, "you your we we're"));
        that && you && (sure || plain)
    });
    // Names and numbers in the clause are content.
    match found {
        Some(at) if !(at..line.words.len()).any(|later| is_telling(&line, later)) => {
            title[..line.words[at - 1].end].to_owned()
        }
        _ => title.to_owned(),
    }
}

fn is_telling(line: &Line<'_>, at: usize) -> bool {
    let word = line.words[at].text(line.text);
    let title_case = line.words.iter().filter(|word| word.text(line.text).starts_with(char::is_uppercase)).count() * 10
        >= line.words.len() * 7;
    word.starts_with(|letter: char| letter.is_ascii_digit())
        || !title_case && word.starts_with(char::is_uppercase) && !line.is(at, "i i'm")
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
        let needed = at > 0 && (line.before(at).contains(',') || line.before(at).is_empty() && is_needed(&line, at));
        let name = at > 0 && line.is_capital(at) && !title_case;
        let quoted = title[..line.words[at].start].matches(['"', '“', '”']).count() % 2 == 1;
        if !hype || !follows || needed || name || quoted || left <= LEAST_WORDS {
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

/// Whether a sentence breaks without this word of hype.
fn is_needed(line: &Line<'_>, at: usize) -> bool {
    let before = &line.folded[at - 1];
    // "Totally hilarious" keeps its adjective where the adverb stays; "the funniest of all" has nothing else to say.
    let verb = line.folded[at].ends_with("ing")
        && (line.is(at + 1, DETERMINERS) || line.is(at - 1, "after before for by of from while without accused about"));
    // "Seriously injured" says more than "injured".
    let degree = line.is(at, "seriously extremely completely really truly")
        && line.folded.get(at + 1).is_some_and(|next| next.ends_with("ed"));
    let superlative = line.folded[at].ends_with("est")
        && (at + 1..line.words.len())
            .any(|later| line.is(later, "of ever in on you you'll i i've we we've that to yet since"));
    holds(before)
        || verb
        || degree
        || superlative
        || before.ends_with("ly") && before.chars().count() > 4
        || line.is(at - 1, "for into as like") && !line.folded.get(at + 1).is_some_and(|next| next.ends_with('s'))
}

const DETERMINERS: &str = "the a an his her their its my our your this that these those him them me us you it";

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
}
