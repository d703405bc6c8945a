//! The bait answered: where a headline withholds, the sentence of the article that says it, verbatim.
//!
//! A small linear model ranks the sentences (`answer/features.rs`; weights in `data/answers.weights`, trained by
//! `cargo xtask train-answers`). It is right often enough to be shown only where it is sure, so below a confidence
//! nothing is said. English only. What is returned is a quotation to stand beside the headline, never in its place.

mod article;
pub mod features;
pub mod model;
mod question;
mod split;

use crate::Language;
use crate::clickbait::clickbait;
use crate::sentences::sentences;

/// A sentence that answers a headline.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<'t> {
    /// The sentence, as it stands in the article.
    pub text: &'t str,
    /// Its number in the article, from 0.
    pub sentence: usize,
    /// How probable it is the right one, 0 to 1.
    pub confidence: f64,
}

/// Articles are read up to this many bytes.
const LONGEST_ARTICLE_BYTES: usize = 200_000;

/// Headlines that bait less than this withhold nothing.
const LEAST_BAIT: f64 = 0.25;

/// The sentence that answers a headline; none where it withholds nothing, or where we are not sure enough.
pub fn answer<'t>(title: &str, article: &'t str, language: Language) -> Option<Answer<'t>> {
    if language != Language::ENGLISH || clickbait(title, language)?.value < LEAST_BAIT {
        return None;
    }
    let article = &article[..article.floor_char_boundary(LONGEST_ARTICLE_BYTES)];
    let sentences = sentences(article, Some(language));
    let (sentence, confidence) = *ranked(title, &sentences).first()?;
    let found = Answer { text: sentences[sentence], sentence, confidence };
    (confidence >= threshold()).then_some(found)
}

/// The sentences by how probably each answers the headline, best first, with these probabilities.
pub fn ranked(title: &str, sentences: &[&str]) -> Vec<(usize, f64)> {
    let probabilities = model::probabilities(&features::features(title, sentences));
    let mut ranked: Vec<(usize, f64)> = probabilities.into_iter().enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked
}

/// The confidence from which on [`answer`] speaks.
pub fn threshold() -> f64 {
    model::threshold()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ARTICLE: &str = "The town of Harlow woke up early on Tuesday. A baker there has found a way to keep bread fresh. \
        The trick is to store the loaf in a linen bag because linen lets the crust breathe. \
        Neighbours have been asking questions for weeks. Follow us on Facebook for more photos.";

    #[test]
    fn the_sentence_with_the_answer_comes_first() {
        let sentences = sentences(ARTICLE, Some(Language::ENGLISH));
        let ranked = ranked("This one trick keeps your bread fresh", &sentences);
        assert_eq!(ranked[0].0, 2, "{ranked:?}");
        assert_eq!(ranked.len(), 5);
        assert!((ranked.iter().map(|sentence| sentence.1).sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_withholds_nothing_needs_no_answer() {
        assert_eq!(answer("Council approves budget of 3 million pounds in Harlow", ARTICLE, Language::ENGLISH), None);
    }

    #[test]
    fn silence_without_sentences_and_in_other_languages() {
        let title = "You won't believe this one trick";
        assert_eq!(answer(title, "", Language::ENGLISH), None);
        assert_eq!(answer(title, ARTICLE, Language::from_code("de").expect("German")), None);
        assert!(ranked(title, &[]).is_empty());
    }

    #[test]
    fn an_answer_is_a_sentence_of_the_article() {
        let article = "The county is Los Angeles.";
        let found = answer("This county is first to reach 10 million people", article, Language::ENGLISH);
        let found = found.expect("one sentence is surely the answer");
        assert_eq!((found.text, found.sentence), (article, 0));
    }

    #[test]
    fn long_articles_are_cut() {
        let many = "Short one. ".repeat(100_000);
        let long = "word ".repeat(200_000);
        for article in [&many, &long] {
            let _ = answer("You won't believe this one trick", article, Language::ENGLISH);
        }
        let many: Vec<&str> = std::iter::repeat_n("A sentence.", 100_000).collect();
        assert_eq!(ranked("x", &many).len(), features::MOST_SENTENCES);
    }

    proptest! {
        #[test]
        fn any_text_is_ranked(title in "\\PC{0,60}", text in "\\PC{0,300}") {
            let sentences = sentences(&text, None);
            prop_assert_eq!(ranked(&title, &sentences).len(), sentences.len());
        }
    }
}
