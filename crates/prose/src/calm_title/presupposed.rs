//! What a title takes for granted, said: "What happened when a man built a school" says that a man built a school.
//!
//! A clause behind "what happened when" is presupposed by whoever wrote it: it is as true without. So is one behind "how" if it
//! is in the past; in the present it tells a manner ("how people vote"). Behind "why" it may be an opinion, or known for
//! years, and the reason is the news: that stays. So do questions, advice ("how to") and degrees ("how many").

use super::line::{LEAST_WORDS, Line, capitalised};

/// The presupposed clause of a title that is nothing else.
pub(super) fn presupposed(title: &str, code: &str) -> String {
    let line = Line::of(title);
    let from = match code {
        "en" if line.is(0, "how") => 1,
        "en" if line.is(0, "what") && line.is(1, "happened") && line.is(2, "when") => 3,
        _ => return title.to_owned(),
    };
    let plain = !title.contains(['?', ':', ';', '|'])
        && !(0..line.words.len()).any(|at| line.before(at).contains(['-', '–', '—']));
    let left = line.words.len().saturating_sub(from);
    if !plain || left < LEAST_WORDS + 2 || line.is(from, NO_SUBJECTS) || line.folded[from].ends_with("ly") {
        return title.to_owned();
    }
    // A second question word, somebody who is addressed, or an opinion about what should be.
    let others = (from..line.words.len())
        .any(|at| line.is(at, "why how what you your you're you'll i my we our should must will won't"));
    if others || !(from + 1..line.words.len()).any(|at| is_past(&line, at)) {
        return title.to_owned();
    }
    capitalised(&title[line.words[from].start..])
}

/// Whether a word is surely a verb in the past: listed, or with the ending of one and no article before it.
fn is_past(line: &Line<'_>, at: usize) -> bool {
    let word = &line.folded[at];
    let ends = word.chars().count() > 4 && word.ends_with("ed");
    line.is(at, PAST) || ends && !line.is(at + 1, "to by with in") && !line.is(at - 1, "a the an its their his her")
}

/// Words that no clause begins with, or that make it a question of degree or a call.
const NO_SUBJECTS: &str = "to not many much long often far old big fast hard well bad good rich popular likely soon high low close deep early late \
    come so about is are was were do does did can could should would will has have had may might must am isn't aren't don't doesn't didn't \
    can't won't it it's i i'm we we're you you're your this these that those there there's bother study go get be stop now yes no him her them me us \
    safe smart healthy dangerous important different tall small common expensive cheap accurate effective real true right wrong bout come";

const PAST: &str = "was were had said made took got gave went came became kept knew thought found lost won ran sold bought paid told led built broke fell rose \
    grew held spent brought began wrote spoke drove ate drank chose stole flew fought survived";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_for_granted_is_said() {
        let check = |title: &str, expected: &str| assert_eq!(presupposed(title, "en"), expected);
        check("What happened when a billionaire built a free school", "A billionaire built a free school");
        check("How one baker survived three days at sea", "One baker survived three days at sea");
        for stays in [
            "Why Facebook tracks internet outages around the world",
            "Why Daniel Radcliffe was cast as Harry Potter",
            "How to use templates to answer emails faster",
            "How many hours bankers worked in 2016",
            "Why was the power shut off during the heatwave",
            "Why cats are liquid?",
            "Why we lose our memories when we age",
            "Why you should lower your standards",
            "Why the next president will be a woman",
            "How airlines board planes",
            "Why prices rise, and what it means",
            "Why not eat more fish on Fridays",
        ] {
            check(stays, stays);
        }
    }
}
