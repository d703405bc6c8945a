//! The bait answered: how often the first sentence is right, one of the first three, and the one that is spoken.

use prose::Language;
use prose::answer::{answer, ranked};
use serde_json::Value;
use trial::{Bar, figure};

use super::Measure;
use super::labelled::rows;

const BAR: Bar = Bar::AtLeast(0.34);

pub(crate) const MEASURE: Measure = Measure {
    flag: "--answers",
    format: r#"{"title": "…", "sents": ["…"], "gold": [[[1], [2, 3]]]}: any of these sentences is right"#,
    what: "answers right at top 1",
    bar: BAR,
    run: measure,
};

struct Article {
    title: String,
    sentences: Vec<String>,
    right: Vec<usize>,
}

fn measure(file: &str) {
    let articles = rows(file, |row| {
        let sentences = row["sents"].as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let parts = row["gold"].as_array()?.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_array);
        let right = parts.flatten().filter_map(Value::as_u64).map(|index| index as usize).collect();
        Some(Article { title: row["title"].as_str()?.to_owned(), sentences, right })
    });
    let (mut first, mut three, mut spoken, mut spoken_right) = (0, 0, 0, 0);
    for article in &articles {
        let sentences: Vec<&str> = article.sentences.iter().map(String::as_str).collect();
        let ranked = ranked(&article.title, &sentences);
        let is_right = |(sentence, _): &(usize, f64)| article.right.contains(sentence);
        first += usize::from(ranked.first().is_some_and(is_right));
        three += usize::from(ranked.iter().take(3).any(is_right));
        // As the program does it: from the text, cut into sentences by us.
        let text = sentences.join("\n");
        if let Some(answer) = answer(&article.title, &text, Language::ENGLISH) {
            spoken += 1;
            let said = |index: &usize| {
                sentences.get(*index).is_some_and(|right| right.contains(answer.text) || answer.text.contains(right))
            };
            spoken_right += usize::from(article.right.iter().any(said));
        }
    }
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let note = format!("{} articles", articles.len());
    figure("prose", MEASURE.what, share(first, articles.len()), BAR, &note);
    figure("prose", "answers right within the first three", share(three, articles.len()), Bar::AtLeast(0.60), &note);
    figure(
        "prose",
        "spoken answers right",
        share(spoken_right, spoken),
        Bar::AtLeast(0.60),
        &format!("{spoken} spoken"),
    );
    figure("prose", "share of headlines answered", share(spoken, articles.len()), Bar::AtLeast(0.12), &note);
}
