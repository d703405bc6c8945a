//! Pointing words, taken out: "this" and "these" promise that more is said elsewhere.

use super::line::{LEAST_WORDS, Line};

/// "This dog …" becomes "A dog …", "this one condition" one condition, "These 9 states" nine states.
pub(super) fn without_pointing(title: &str, code: &str) -> String {
    let line = Line::of(title);
    if code != "en" || line.words.len() <= LEAST_WORDS {
        return title.to_owned();
    }
    let mut calm = String::with_capacity(title.len());
    let mut done = 0;
    for at in 0..line.words.len() - 1 {
        if !line.before(at + 1).is_empty() {
            continue;
        }
        let next = line.words[at + 1];
        let number = next.text(title).starts_with(|letter: char| letter.is_ascii_digit());
        let counted = number || line.is(at + 1, COUNTS);
        let skipped = line.is(at, "these") && counted || line.is(at, "this") && line.is(at + 1, "one");
        let pointed = line.is(at, "this") && (is_thing(&line, at + 1) || is_aged(&line, at + 1));
        if !skipped && !pointed {
            continue;
        }
        calm.push_str(&title[done..line.words[at].start]);
        if pointed {
            let next = line.folded[at + 1].as_str();
            let vowel = next.starts_with(['a', 'e', 'i', 'o', 'u', '8']) || ["11", "18"].contains(&next);
            let article = if vowel { "an" } else { "a" };
            let capital = line.is_capital(at);
            calm.push_str(if capital && vowel {
                "An"
            } else if capital {
                "A"
            } else {
                article
            });
            done = line.words[at].end;
        } else {
            done = next.start;
        }
    }
    calm.push_str(&title[done..]);
    calm
}

/// Whether a thing that headlines point at stands here, with at most two plain adjectives before it.
fn is_thing(line: &Line<'_>, at: usize) -> bool {
    let mut at = at;
    for _ in 0..2 {
        if line.is(at, ADJECTIVES) && line.before(at + 1).is_empty() {
            at += 1;
        }
    }
    let noun = line.folded.get(at).map_or("", |word| word.trim_end_matches("'s"));
    NOUNS.split_ascii_whitespace().any(|known| known == noun)
}

/// "This 4-year-old".
fn is_aged(line: &Line<'_>, at: usize) -> bool {
    let age = line.words[at].text(line.text).starts_with(|letter: char| letter.is_ascii_digit());
    age && (line.folded[at].ends_with("-year-old") || line.is(at + 1, "year-old") && line.before(at + 1) == "-")
}

const COUNTS: &str = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty fifty hundred";

const ADJECTIVES: &str = "new old young little tiny small big huge simple former local popular famous single brave clever free cheap \
    rescue homeless pregnant teenage elderly american british canadian australian indian german french japanese chinese";

/// Things that headlines point at.
const NOUNS: &str = "man woman guy girl boy dog cat puppy pup kitten baby mom mum mother dad father couple family teacher student doctor nurse actor actress star \
    singer player coach company startup start-up country city town county village university restaurant hotel airline app website \
    video photo picture map chart ad song movie film book house car bike plane robot artist chef waiter waitress cop judge \
    lawyer politician senator lawmaker congressman teen teenager kid bride groom grandma grandpa grandfather grandmother veteran soldier scientist study report \
    animal bird bear horse elephant designer photographer writer author comedian celebrity model athlete swimmer runner trick hack diet recipe \
    letter theory tweet selfie image clip trailer gadget device phone toy product cookie drink cocktail cake pizza sandwich burger dress shirt bag \
    entrepreneur millionaire billionaire ceo founder blogger youtuber prince princess billboard painting sculpture tattoo sign poster cartoon comic \
    parrot monkey pig goat cow fox whale shark snake spider octopus penguin tiger lion panda turtle rabbit squirrel \
    farmer firefighter pilot driver barber baker tailor plumber hacker researcher professor engineer inventor paramedic officer \
    town's neighborhood neighbourhood bakery bar cafe café shop store school island beach bridge building apartment";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointing_words_go() {
        let check = |title: &str, expected: &str| assert_eq!(without_pointing(title, "en"), expected);
        check("This dog saved a child", "A dog saved a child");
        check("This animal saved a child", "An animal saved a child");
        check("This makes no sense at all", "This makes no sense at all");
        check("These 9 states are where taxes are low", "9 states are where taxes are low");
        check("Moby will play under this one condition", "Moby will play under one condition");
        check("People are worried by this video of a bear", "People are worried by a video of a bear");
        check("This 4-year-old made a friend", "A 4-year-old made a friend");
        check("What the bank will do this year", "What the bank will do this year");
        check("This new old phone costs nothing", "A new old phone costs nothing");
    }
}
