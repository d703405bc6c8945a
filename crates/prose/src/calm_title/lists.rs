//! Lists, announced plainly: "29 products you should try" are products to try.
//!
//! The number of a list counts nothing in the world, it only promises a quick read; numbers of people, money or time stay.

use super::line::{LEAST_WORDS, Line, capitalised};

/// "Ways you can save" become "ways to save".
pub(super) fn without_advice(title: &str, code: &str) -> String {
    let line = Line::of(title);
    if code != "en" || !is_list(&line) {
        return title.to_owned();
    }
    for at in 2..line.words.len().saturating_sub(1) {
        let plain = (at - 1..at + 2).all(|at| line.before(at + 1).is_empty() || at + 1 == line.words.len());
        if !plain || !line.is(at, "you") || line.is(at - 1, NO_NOUNS) {
            continue;
        }
        let long = line.is(at + 1, "need have ought") && line.is(at + 2, "to");
        let verb = match (line.is(at + 1, "can should must could"), long) {
            (true, _) => at + 2,
            (false, true) => at + 3,
            (false, false) => continue,
        };
        if verb >= line.words.len() || line.is(verb, NO_VERBS) || line.folded[verb].ends_with("ly") {
            continue;
        }
        let that = line.is(at - 1, "that which") && at > 2;
        let from = if that { at - 1 } else { at };
        let shown = if line.is_capital(at + 1) && line.is_capital(verb) { "To" } else { "to" };
        return format!("{}{shown} {}", &title[..line.words[from].start], &title[line.words[verb].start..]);
    }
    title.to_owned()
}

/// "7 ways to save" become "Ways to save".
pub(super) fn without_count(title: &str, code: &str) -> String {
    let line = Line::of(title);
    if code != "en" || !is_list(&line) || line.words.len() <= LEAST_WORDS + 1 {
        return title.to_owned();
    }
    let at = usize::from(line.is(0, "top the these our just"));
    let counts = |at: usize| {
        line.words.get(at).is_some_and(|word| {
            let text = word.text(title);
            text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    if at > 0 && !line.is(0, "top just")
        || !(counts(at) || at == 0 && line.is(0, COUNTS))
        || line.is(at + 1, "of or to and in percent per more")
    {
        return title.to_owned();
    }
    let rest = &title[line.words[at + 1].start..];
    if line.is(0, "top") { format!("Top {rest}") } else { capitalised(rest) }
}

/// Whether a title announces a list: a number and a thing that lists are made of, within four words.
fn is_list(line: &Line<'_>) -> bool {
    let number = |at: usize| {
        line.words.get(at).is_some_and(|word| word.text(line.text).bytes().all(|byte| byte.is_ascii_digit()))
            || line.is(at, COUNTS)
    };
    let from = match (number(0), number(1) && line.is(0, "the top these our here are just")) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => 0,
    };
    // A word that cannot be part of the name of a thing ends the search.
    let thing = (from..from + 4)
        .take_while(|at| *at == from || line.before(*at).is_empty())
        .take_while(|at| !line.is(*at, "of in at for to that who which you from on with are is were was and"))
        .find(|at| line.is(*at, THINGS) || line.is(*at, MORE_THINGS));
    let Some(thing) = thing else { return false };
    // "12 cars burned" is news, "12 cars you can afford" is a list.
    let told = (thing + 1..line.words.len()).any(|at| line.is(at, "you your you'll you're every everyone"));
    line.is(thing, THINGS) && (from > 0 || thing == 0) || from > 0 && told
}

const COUNTS: &str = "two three four five six seven eight nine ten eleven twelve fifteen twenty";

const NO_NOUNS: &str =
    "why how what when where who if because and or but as than so while until before after do did are is";

const NO_VERBS: &str = "not never no you i we they have has had be been have";

/// What lists are made of.
const THINGS: &str = "things ways reasons facts tips times pictures photos pics memes tweets gifs hacks tricks signs secrets steps habits \
    moments quotes lessons mistakes ideas myths jokes recipes rituals looks outfits hairstyles gadgets gifts essentials must-haves takeaways \
    trends predictions truths expressions traits regrets struggles storylines hints stereotypes shortcuts excuses compliments puns quirks \
    oddities insights questions rules snacks podcasts";

/// What lists are made of where they are addressed to somebody.
const MORE_THINGS: &str = "products apps songs books movies films shows series dishes foods drinks stories dresses accessories items destinations \
    places spots trips exercises workouts moves strategies tools resources blogs videos clips ads posts words phrases names skills jobs careers \
    websites sites games toys costumes decorations ornaments deals bargains cars hotels beaches restaurants bars fears problems celebrities \
    characters scenes episodes theories clues details surprises alternatives benefits causes symptoms remedies ingredients techniques principles \
    solutions upgrades services brands cities countries towns people foods companies";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_becomes_an_infinitive() {
        let check = |title: &str, expected: &str| assert_eq!(without_advice(title, "en"), expected);
        check("29 beauty products you should try in 2017", "29 beauty products to try in 2017");
        check("7 ways you can love your body", "7 ways to love your body");
        check("10 Things You Need To Know About Rain", "10 Things To Know About Rain");
        check("Reasons why you should leave", "Reasons why you should leave");
        check("The dog you should adopt", "The dog you should adopt");
        check("5 things you can never unsee", "5 things you can never unsee");
    }

    #[test]
    fn only_lists_lose_their_number() {
        let check = |title: &str, expected: &str| assert_eq!(without_count(title, "en"), expected);
        check("5 ways criminals steal cards", "Ways criminals steal cards");
        check("Seven global attractions ruined by tourism", "Seven global attractions ruined by tourism");
        check("5 people killed in crash near Leeds", "5 people killed in crash near Leeds");
        check("12 cars burned in Leeds, police say", "12 cars burned in Leeds, police say");
        check("3 hotels closed after fire in Rome", "3 hotels closed after fire in Rome");
        check("2017 trends in film and fashion", "2017 trends in film and fashion");
        check("4 of the ways to save money", "4 of the ways to save money");
    }
}
