//! What a title takes for granted, said: "Why Facebook tracks outages" says that Facebook tracks outages.
//!
//! A clause behind "why" or "what happened when" is presupposed by whoever wrote it: it is as true without the question
//! word. So is one behind "how" if it is in the past; in the present it tells a manner ("how people vote"). Questions, advice
//! ("how to"), degrees ("how many") and what only may come to pass stay.

use super::line::{LEAST_WORDS, Line, capitalised};

/// The presupposed clause of a title that is nothing else.
pub(super) fn presupposed(title: &str, code: &str) -> String {
    let line = Line::of(title);
    let from = match code {
        "en" if line.is(0, "why how") => 1,
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
    let tells = |at: usize| if line.is(0, "how") { is_past(&line, at) } else { is_verb(&line, at) };
    if others || !(from + 1..line.words.len()).any(tells) {
        return title.to_owned();
    }
    capitalised(&title[line.words[from].start..])
}

/// Whether a word is surely a finite verb.
fn is_verb(line: &Line<'_>, at: usize) -> bool {
    line.is(at, VERBS) || is_past(line, at)
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

const VERBS: &str = "is are was were has have had does do did isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can can't cannot could \
    couldn't may might would wouldn't says makes takes gets gives goes comes becomes keeps wants needs knows thinks finds loses wins leaves runs sells \
    buys pays tells leads builds breaks falls rises grows cuts hits puts lets sets holds spends brings begins writes speaks drives eats chooses steals \
    flies fights helps works uses turns changes starts stops moves lives loves hates fears looks seems feels means matters happens remains stays tracks \
    threatens rejects supports opposes bans plans tries fails faces dies";

const PAST: &str = "was were had said made took got gave went came became kept knew thought found lost won ran sold bought paid told led built broke fell rose \
    grew held spent brought began wrote spoke drove ate drank chose stole flew fought survived";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_for_granted_is_said() {
        let check = |title: &str, expected: &str| assert_eq!(presupposed(title, "en"), expected);
        check(
            "Why Facebook tracks internet outages around the world",
            "Facebook tracks internet outages around the world",
        );
        check("Why Democrats aren't worried about the vote", "Democrats aren't worried about the vote");
        check("What happened when a billionaire built a free school", "A billionaire built a free school");
        check("How one baker survived three days at sea", "One baker survived three days at sea");
        for stays in [
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
