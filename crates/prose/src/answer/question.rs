//! What a withholding headline asks.
//!
//! A guess by single words, good enough to give the answering model a second set of weights for each kind.

use super::split::Word;

/// What kind of thing would answer a headline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// A person: "who", "this actor".
    Who,
    /// A place or an organisation: "where", "this county".
    Where,
    /// A number or an amount: "how much".
    HowMany,
    /// A time: "when".
    When,
    /// A reason: "why".
    Why,
    /// A manner: "how to", "the trick".
    How,
    /// Several things: "7 ways".
    List,
    /// Yes or no.
    YesNo,
    /// What somebody said or did.
    What,
    /// A thing pointed at: "this one food".
    This,
}

impl Question {
    /// All kinds, in the order of their numbers.
    pub(super) const ALL: [Self; 10] = [
        Self::Who,
        Self::Where,
        Self::HowMany,
        Self::When,
        Self::Why,
        Self::How,
        Self::List,
        Self::YesNo,
        Self::What,
        Self::This,
    ];
}

/// What a headline asks; often nothing that can be told, sometimes several things.
pub(super) fn asked(title: &str, words: &[Word]) -> Vec<Question> {
    let lower: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let has = |list: &str| list.split(' ').any(|listed| lower.contains(&listed));
    let is_in = |list: &str, word: &str| list.split(' ').any(|listed| listed == word);
    let first = lower.first().copied().unwrap_or_default();
    let how = lower.iter().position(|word| *word == "how");
    let how_much = how.is_some_and(|at| lower.get(at + 1).is_some_and(|next| is_in(MEASURES, next)));
    let number = words.iter().any(|word| word.number);
    let asks = |question: &Question| match question {
        Question::Who => has(PERSONS),
        Question::Where => has(PLACES),
        Question::HowMany => how_much || has(AMOUNTS),
        Question::When => has("when date day time"),
        Question::Why => has("why reason reasons because explains"),
        Question::How => how.is_some() && !how_much || has("trick way hack tip secret method"),
        Question::List => number && has(LISTED),
        Question::YesNo => title.trim_end().ends_with('?') && is_in(AUXILIARIES, first),
        Question::What => has(WHAT),
        Question::This => has("this these one here"),
    };
    Question::ALL.into_iter().filter(asks).collect()
}

const PERSONS: &str = "who who's whose actor actress star celebrity player man woman guy singer quarterback coach senator \
    politician rapper girl boy athlete celeb host comedian musician he she him her his";
const PLACES: &str = "where place city state country county town airline company restaurant school university team hotel island \
    brand store app website chain cities countries";
const MEASURES: &str = "much many long old big far rich tall often fast";
const AMOUNTS: &str = "price cost costs worth number percent salary age many percentage amount score";
const LISTED: &str =
    "things ways reasons tips facts signs foods habits lessons steps tricks secrets mistakes rules places times";
const AUXILIARIES: &str = "is are does do did can could will would should was has have";
const WHAT: &str = "what happened says said thinks thing something reveals response react reacts did";

#[cfg(test)]
mod tests {
    use super::super::split::words;
    use super::*;

    #[test]
    fn headlines_ask() {
        let check = |title: &str, expected: &str| {
            let found: Vec<String> = asked(title, &words(title)).iter().map(|found| format!("{found:?}")).collect();
            assert_eq!(found.join(" "), expected, "{title}");
        };
        check("Who wrote the letter", "Who");
        check("The city that sleeps at noon", "Where");
        check("How much a bus ticket costs", "HowMany");
        check("When the shop opens", "When");
        check("Why bees dance", "Why");
        check("How bees dance", "How");
        check("7 habits of tidy people", "List");
        check("Is tea better than coffee?", "YesNo");
        check("Is tea better than coffee", "");
        check("What the minister forgot", "What");
        check("Eat this one fruit", "This");
        check("Parliament passes budget", "");
        check("", "");
    }

    #[test]
    fn kinds_are_numbered_in_order() {
        for (number, question) in Question::ALL.iter().enumerate() {
            assert_eq!(*question as usize, number);
        }
    }
}
