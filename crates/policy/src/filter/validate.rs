//! Whether a filter may be stored: bounds, so that filters stay cheap, and no filter that means nothing. The messages say
//! what to do.

use super::phrases::Phrase;
use model::filter::{Action, Filter, Subject};

const NAME_CHARS: usize = 100;
const TESTS: usize = 50;
const WORDS: usize = 200;
const TEXT_CHARS: usize = 200;
const ACTIONS: usize = 10;
const TAG_CHARS: usize = 100;

/// Whether a filter may be stored.
pub fn validate(filter: &Filter) -> Result<(), String> {
    text("the name", &filter.name, NAME_CHARS)?;
    let tests = filter.condition.tests();
    if tests.is_empty() {
        return Err("the condition is empty; add a test, such as {\"words\": [\"football\"]}".to_owned());
    }
    at_most("tests in the condition", tests.len(), TESTS)?;
    tests.iter().try_for_each(|test| subject(&test.subject))?;
    if filter.actions.is_empty() {
        return Err("there is no action; add mute, mark_read, star or a tag".to_owned());
    }
    at_most("actions", filter.actions.len(), ACTIONS)?;
    filter.actions.iter().try_for_each(|action| match action {
        Action::Mute | Action::MarkRead | Action::Star => Ok(()),
        Action::Tag(tag) => text("a tag", tag, TAG_CHARS),
    })
}

fn subject(subject: &Subject) -> Result<(), String> {
    match subject {
        Subject::Words { words, .. } if words.is_empty() => {
            Err("a test has an empty list of words; add a word or remove the test".to_owned())
        }
        Subject::Words { words, .. } => {
            at_most("words in a test", words.len(), WORDS)?;
            words.iter().try_for_each(|word| {
                text("a word", word, TEXT_CHARS)?;
                let found = Phrase::read(word).is_some();
                found.then_some(()).ok_or_else(|| format!("`{word}` has no letter and no digit; remove it"))
            })
        }
        Subject::Author(part) => text("an author", part, TEXT_CHARS),
        Subject::Tag(tag) => text("a tag in the condition", tag, TEXT_CHARS),
        Subject::Link(part) => text("a link", part, TEXT_CHARS),
        Subject::MediaShorterThanBytes(0) => {
            Err("no file is shorter than 0 bytes; choose a greater media_shorter_than_bytes".to_owned())
        }
        Subject::Feed(_) | Subject::HasMedia | Subject::MediaLongerThanBytes(_) | Subject::MediaShorterThanBytes(_) => {
            Ok(())
        }
    }
}

fn text(what: &str, text: &str, most: usize) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(format!("{what} is empty; write 1 to {most} characters"));
    }
    // Bytes first: what is far too long is not counted.
    if text.len() > 4 * most || text.chars().count() > most {
        return Err(format!("{what} is too long; write at most {most} characters"));
    }
    Ok(())
}

fn at_most(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count > most { Err(format!("there are {count} {what}; keep at most {most}")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::FilterId;
    use model::filter::{Condition, Place, Scope, Test};

    fn filter(subjects: Vec<Subject>, actions: Vec<Action>) -> Filter {
        let tests = subjects.into_iter().map(|subject| Test { subject, negated: false }).collect();
        let (id, name) = (FilterId(1), "Mine".to_owned());
        Filter { id, name, scope: Scope::All, condition: Condition::All(tests), actions, enabled: true }
    }

    fn words(words: &[&str]) -> Subject {
        Subject::Words { words: words.iter().map(|&word| word.to_owned()).collect(), place: Place::Both }
    }

    #[test]
    fn a_filter_means_something_and_is_not_too_large() {
        let check = |filter: Filter, expected: &str| {
            let said = validate(&filter).map_or_else(|problem| problem, |()| "fine".to_owned());
            assert_eq!(said, expected);
        };
        let with = |subject: Subject| filter(vec![subject], vec![Action::Mute]);
        let doing = |actions: Vec<Action>| filter(vec![Subject::HasMedia], actions);
        let long = |chars: usize| "é".repeat(chars);

        check(with(words(&["football", "two words", "begin*", "日本"])), "fine");
        check(with(words(&[])), "a test has an empty list of words; add a word or remove the test");
        check(with(words(&[" "])), "a word is empty; write 1 to 200 characters");
        check(with(words(&["ok", "!?*"])), "`!?*` has no letter and no digit; remove it");
        check(with(words(&[&long(200)])), "fine");
        check(with(words(&[&long(201)])), "a word is too long; write at most 200 characters");
        check(with(words(&["a"; 200])), "fine");
        check(with(words(&["a"; 201])), "there are 201 words in a test; keep at most 200");
        check(with(Subject::Author(String::new())), "an author is empty; write 1 to 200 characters");
        check(with(Subject::Tag(long(201))), "a tag in the condition is too long; write at most 200 characters");
        check(with(Subject::Link(" ".into())), "a link is empty; write 1 to 200 characters");
        check(with(Subject::MediaLongerThanBytes(0)), "fine");
        check(
            with(Subject::MediaShorterThanBytes(0)),
            "no file is shorter than 0 bytes; choose a greater media_shorter_than_bytes",
        );

        check(
            filter(vec![], vec![Action::Mute]),
            "the condition is empty; add a test, such as {\"words\": [\"football\"]}",
        );
        check(filter(vec![Subject::HasMedia; 50], vec![Action::Mute]), "fine");
        check(
            filter(vec![Subject::HasMedia; 51], vec![Action::Mute]),
            "there are 51 tests in the condition; keep at most 50",
        );

        check(doing(vec![]), "there is no action; add mute, mark_read, star or a tag");
        check(doing(vec![Action::Star; 10]), "fine");
        check(doing(vec![Action::Star; 11]), "there are 11 actions; keep at most 10");
        check(doing(vec![Action::Tag(long(100))]), "fine");
        check(doing(vec![Action::Tag(long(101))]), "a tag is too long; write at most 100 characters");
        check(doing(vec![Action::Tag("\t".into())]), "a tag is empty; write 1 to 100 characters");

        let named = |name: String| Filter { name, ..with(Subject::HasMedia) };
        check(named(String::new()), "the name is empty; write 1 to 100 characters");
        check(named("a".repeat(1 << 20)), "the name is too long; write at most 100 characters");
    }
}
