//! Everything the toolkit can say about one article: what `courant analyse` prints and what enrichments are made of.
//! Nothing is decided here beyond which part looks at what: the title is scored, the text is summarised.

use crate::{
    Answer, Categorised, Language, Length, Scores, Sentiment, answer, calm_title, category, language, one_line, scores,
    sentiment, summary, topics,
};

/// Topics of one article.
const MOST_TOPICS: usize = 8;
/// Shorter texts tell less about their language than they mislead.
const ENOUGH_BYTES: usize = 40;

/// What the toolkit says about an article.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis<'t> {
    /// What it is written in; none if that is not clear.
    pub language: Option<Language>,
    /// Sentences of the text, verbatim, in its order.
    pub summary: Vec<&'t str>,
    /// At most 100 characters.
    pub one_line: Option<String>,
    /// Key phrases of the text.
    pub topics: Vec<String>,
    /// What it is about; none for languages without a lexicon.
    pub category: Option<Categorised>,
    /// How it feels; none for languages without a lexicon.
    pub sentiment: Option<Sentiment>,
    /// What the title does to its reader; none for languages that are not scored.
    pub scores: Option<Scores>,
    /// The title without bait and shouting; the title itself where it is calm or not scored.
    pub calm_title: String,
    /// The sentence that answers a baiting title.
    pub answer: Option<Answer<'t>>,
}

/// Looks at an article. `told` is its language, where somebody knows it; else text and title say.
pub fn analyse<'t>(title: &str, text: &'t str, told: Option<Language>) -> Analysis<'t> {
    let of_text = || (text.len() >= ENOUGH_BYTES).then(|| language(text)).flatten();
    let spoken = told.or_else(of_text).or_else(|| language(title));
    let named = Some(title).filter(|title| !title.trim().is_empty());
    let body = if text.trim().is_empty() { title } else { text };
    Analysis {
        language: spoken,
        summary: summary(text, named, spoken, Length::Usual),
        one_line: one_line(text, named, spoken),
        topics: topics(body, named, spoken, MOST_TOPICS),
        category: category(body, named, spoken),
        sentiment: sentiment(body, spoken),
        scores: spoken.and_then(|language| scores(title, language)),
        calm_title: spoken.map_or_else(|| title.to_owned(), |language| calm_title(title, language)),
        answer: spoken.and_then(|language| answer(title, text, language)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_is_looked_at_as_a_whole() {
        let text = "The council voted on Tuesday to close the harbour bridge for repairs. Mayor Jane Miller said the work \
                    will take nine months and cost 4 million dollars. Ferries will run every ten minutes instead. \
                    Shop owners fear that fewer customers will come.";
        let said = analyse("You won't BELIEVE what the council did to the bridge!!!", text, None);
        assert_eq!(said.language, Some(Language::ENGLISH));
        assert!(said.summary.iter().all(|sentence| text.contains(sentence)), "verbatim: {:?}", said.summary);
        let scores = said.scores.unwrap();
        assert!(scores.overall.value > 0.5, "{scores:?}");
        assert!(!said.calm_title.contains("!!!"), "{}", said.calm_title);
        let calm = analyse("Council closes harbour bridge for repairs", text, None);
        assert_eq!(calm.calm_title, "Council closes harbour bridge for repairs");
    }

    #[test]
    fn nothing_is_said_about_nothing() {
        let said = analyse("", "", None);
        assert_eq!((said.language, said.summary.len(), said.one_line, said.topics.len()), (None, 0, None, 0));
        assert_eq!((said.scores.is_some(), said.calm_title.as_str()), (false, ""));
    }

    #[test]
    fn a_language_that_is_told_is_believed() {
        assert_eq!(analyse("Hello", "world", Language::from_code("de")).language.map(Language::as_str), Some("de"));
    }
}
