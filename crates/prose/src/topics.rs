//! Key phrases: what a text is about, in words of its own.
//!
//! Candidates are runs of up to three content words, names above all; they are ranked by how often and how early they
//! occur. In Chinese and Japanese they are runs of two to four characters that come again. A phrase is shown as the text
//! writes it. `category` says which shelf a text belongs on.

use std::collections::HashMap;

use crate::Language;
use crate::sentences::sentences;
use crate::stop_words::StopWords;
use crate::words::{Kind, Stemmer, Token, fold, is_spaceless, tokens};

/// How much of a text is looked at.
const LOOKED_AT_BYTES: usize = 20_000;

/// The longest phrase, in words.
const MOST_WORDS: usize = 3;

/// A phrase is shown only up to this size: more is no phrase.
const MOST_BYTES: usize = 60;

/// Up to `most` key phrases that occur in the title or the text, the best first. Empty for languages whose small words are
/// not known.
pub fn topics(text: &str, title: Option<&str>, language: Option<Language>, most: usize) -> Vec<String> {
    let text = beginning(text);
    let spaceless = language.is_some_and(|language| ["zh", "ja", "th", "lo", "km", "my"].contains(&language.as_str()));
    if !spaceless && !StopWords::knows(language) {
        return Vec::new();
    }
    let mut candidates = Candidates { found: HashMap::new(), language, stemmer: Stemmer::new(language) };
    if let Some(title) = title {
        candidates.read(title, Place::Title, spaceless);
    }
    for (number, sentence) in sentences(text, language).into_iter().enumerate() {
        candidates.read(sentence, Place::Sentence(number), spaceless);
    }
    candidates.best(most)
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Title,
    Sentence(usize),
}

/// A phrase and how it occurs.
struct Candidate {
    shown: String,
    words: usize,
    times: usize,
    names: usize,
    in_title: bool,
    first: usize,
}

impl Candidate {
    fn score(&self) -> f64 {
        let times = (self.times as f64 + if self.in_title { 1.5 } else { 0.0 }).powf(0.9);
        let length = [1.0, 1.6, 1.8][self.words.clamp(1, 3) - 1];
        let name = if self.names * 2 > self.times { 1.4 } else { 1.0 };
        let early = 1.0 + 0.5 / (1.0 + self.first as f64 / 3.0);
        times * length * name * early
    }

    /// Whether it occurs often enough to be no accident.
    fn is_sound(&self) -> bool {
        let name = self.names * 2 > self.times;
        // A headline's verbs are content words, too: its phrases must come again in the text.
        let from_title = self.in_title && (self.times >= 1 || self.words == 1);
        self.times >= 2 || from_title || (name && self.words >= 2)
    }
}

struct Candidates {
    found: HashMap<String, Candidate>,
    language: Option<Language>,
    stemmer: Stemmer,
}

impl Candidates {
    fn read(&mut self, part: &str, place: Place, spaceless: bool) {
        let tokens = tokens(part);
        for run in runs(part, &tokens, StopWords::new(self.language), spaceless) {
            let longest = if spaceless { 4 } else { MOST_WORDS };
            let shortest = if spaceless { 2 } else { 1 };
            for start in 0..run.len() {
                for end in start + shortest..=(start + longest).min(run.len()) {
                    self.add(part, &run[start..end], start == 0 && run[0].start == 0, place, spaceless);
                }
            }
        }
    }

    fn add(&mut self, part: &str, words: &[Token], begins_sentence: bool, place: Place, spaceless: bool) {
        let shown = &part[words[0].start..words[words.len() - 1].end];
        let shown = shown.strip_suffix("'s").or_else(|| shown.strip_suffix("’s")).unwrap_or(shown);
        if shown.len() > MOST_BYTES || (words.len() == 1 && shown.chars().count() < 3) {
            return;
        }
        let key: Vec<String> =
            words.iter().map(|word| self.stemmer.stem(&fold(word.text(part))).into_owned()).collect();
        // German writes all nouns with a capital, and a sentence begins with one everywhere.
        let german = self.language.is_some_and(|language| language.as_str() == "de");
        let capital = |word: &Token| word.text(part).starts_with(char::is_uppercase);
        let name = place != Place::Title
            && words.iter().all(capital)
            && !(begins_sentence && words.len() == 1)
            && !(german && words.len() == 1);
        let number = match place {
            Place::Title => 0,
            Place::Sentence(number) => number,
        };
        let candidate = self.found.entry(key.join(" ")).or_insert_with(|| Candidate {
            shown: shown.to_owned(),
            words: if spaceless { words.len() / 2 } else { words.len() },
            times: 0,
            names: 0,
            in_title: false,
            first: number,
        });
        candidate.times += usize::from(place != Place::Title);
        candidate.names += usize::from(name);
        candidate.in_title |= place == Place::Title;
        // `Bank` at the beginning of a sentence is `bank` where it is written so elsewhere.
        if !name && candidate.names == 0 && shown.starts_with(char::is_lowercase) {
            shown.clone_into(&mut candidate.shown);
        }
    }

    fn best(self, most: usize) -> Vec<String> {
        let mut sound: Vec<(String, Candidate)> =
            self.found.into_iter().filter(|(_, candidate)| candidate.is_sound()).collect();
        sound.sort_by(|(a_key, a), (b_key, b)| {
            b.score().total_cmp(&a.score()).then(a.first.cmp(&b.first)).then_with(|| a_key.cmp(b_key))
        });
        let mut chosen: Vec<(String, String)> = Vec::new();
        for (key, candidate) in sound {
            if chosen.len() >= most {
                break;
            }
            // A phrase that shares a word with a better one says little more.
            let shares = chosen.iter().any(|(known, _)| {
                if key.chars().any(is_spaceless) {
                    let pieces: Vec<&str> = key.split(' ').collect();
                    pieces.iter().filter(|piece| known.contains(**piece)).count() * 2 >= pieces.len()
                } else {
                    key.split(' ').any(|word| known.split(' ').any(|other| other == word))
                }
            });
            if !shares {
                chosen.push((key, candidate.shown));
            }
        }
        chosen.into_iter().map(|(_, shown)| shown).collect()
    }
}

/// Content words that stand side by side.
fn runs(part: &str, tokens: &[Token], stop_words: StopWords, spaceless: bool) -> Vec<Vec<Token>> {
    let mut runs = vec![Vec::new()];
    let mut before: Option<&Token> = None;
    for token in tokens {
        let touches = before.is_some_and(|before| part[before.end..token.start].chars().all(|c| c == ' '));
        before = Some(token);
        let wanted = match token.kind {
            Kind::Word => !spaceless && !stop_words.contains(fold(token.text(part)).as_ref()),
            Kind::Piece => spaceless && !is_particle(token.text(part)),
            Kind::Number | Kind::Punctuation => false,
        };
        let run = runs.last_mut().expect("there is one from the start");
        let ends = !wanted || !touches;
        if ends && !run.is_empty() {
            runs.push(Vec::new());
        }
        if wanted {
            runs.last_mut().expect("there is one from the start").push(*token);
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// Characters that join words in Chinese and Japanese: a phrase does not cross them.
fn is_particle(piece: &str) -> bool {
    "的了在是和与及对为被把也就都而但或从向到这那其很不我你他她它们将已还个说年月日はがをにでとのもへやかられたしてるいなさすまっりう"
        .contains(piece)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(code: &str, text: &str, title: Option<&str>, expected: &[&str]) {
        assert_eq!(topics(text, title, Language::from_code(code), expected.len().max(1)), expected, "{text}");
    }

    #[test]
    fn phrases_that_come_again_and_names() {
        let text = "The city council will close the old bridge. Angela Merkel opened the old bridge in 2006. \
            Engineers say the old bridge is unsafe, and the city council agrees. Angela Merkel was not asked.";
        check("en", text, None, &["Angela Merkel", "city council", "bridge"]);
        check("en", "He spoke about taxes.", Some("Property taxes rise in Ohio"), &["taxes", "Ohio"]);
        check("en", "Iceland’s volcano woke. People left Iceland; Iceland's airports closed.", None, &["Iceland"]);
        let german = "Der Gemeinderat schließt die alte Brücke. Die alte Brücke ist marode, sagt der Gemeinderat.";
        check("de", german, None, &["alte Brücke", "Gemeinderat"]);
        let chinese = "人工智能改变了医院。医生用人工智能看病。人工智能很快。";
        check("zh", chinese, None, &["人工智能"]);
    }

    #[test]
    fn texts_without_topics() {
        check("en", "", None, &[]);
        check("en", "It was so and they were there.", None, &[]);
        check("en", "!!! ??? 12 34", None, &[]);
        check("xx", "Lorem ipsum lorem ipsum", None, &[]);
        assert!(topics("bridge bridge", None, Some(Language::ENGLISH), 0).is_empty());
        for text in ["a".repeat(1 << 20), "bridge ".repeat(1 << 18), "漢字".repeat(1 << 18), "👍🏽".repeat(1 << 16)]
        {
            for code in ["en", "zh"] {
                assert!(topics(&text, None, Language::from_code(code), 5).len() <= 5);
            }
        }
    }

    proptest! {
        #[test]
        fn topics_occur_in_the_text(
            text in "\\PC{0,120}|((Angela|Merkel|bridge|city|the|of|opened|Council)[ .,]{1,2}){0,40}",
            code in "en|de|zh|ja",
        ) {
            let language = Language::from_code(&code);
            let found = topics(&text, None, language, 5);
            for phrase in &found {
                prop_assert!(text.contains(phrase.as_str()), "{}", phrase);
            }
            prop_assert_eq!(&found, &topics(&text, None, language, 5));
        }
    }
}
