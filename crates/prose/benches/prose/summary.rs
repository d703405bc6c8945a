//! Summaries: ROUGE-2 against a reference, beside the lead of equal length.

use prose::{Kind, Length, language, summary, tokens};
use trial::{Bar, figure, remark};

use super::Measure;
use super::labelled::{lines, text};
use super::rouge::rouge;

const BAR: Bar = Bar::AtLeast(0.10);

pub(crate) const MEASURE: Measure = Measure {
    flag: "--summary",
    format: r#"{"text": "…", "summary": "…", "title"?: "…"}: an article and what somebody else made of it"#,
    what: "ROUGE-2 above the lead of equal length",
    bar: BAR,
    run: measure,
};

fn measure(file: &str) {
    let articles = lines(file, |line| Some((text(line, "text")?, text(line, "summary")?, text(line, "title"))));
    let (mut ours, mut lead, mut share) = ([0.0; 2], [0.0; 2], 0.0);
    for (article, reference, title) in &articles {
        let said = summary(article, title.as_deref(), language(article), Length::Usual).join(" ");
        let same_length = first_words(article, word_count(&said));
        for n in [1, 2] {
            ours[n - 1] += rouge(n, &said, reference);
            lead[n - 1] += rouge(n, same_length, reference);
        }
        share += said.len() as f64 / article.len().max(1) as f64;
    }
    let count = articles.len().max(1) as f64;
    let note = format!("{} articles; ours {:.3}, lead {:.3}", articles.len(), ours[1] / count, lead[1] / count);
    figure("prose", MEASURE.what, (ours[1] - lead[1]) / count, BAR, &note);
    remark("prose", "ROUGE-1 above the lead of equal length", (ours[0] - lead[0]) / count, &note);
    remark("prose", "length of a summary, of its text", share / count, "");
}

fn is_word(kind: Kind) -> bool {
    kind != Kind::Punctuation
}

fn word_count(text: &str) -> usize {
    tokens(text).iter().filter(|token| is_word(token.kind)).count()
}

fn first_words(text: &str, count: usize) -> &str {
    let tokens = tokens(text);
    let last = tokens.iter().filter(|token| is_word(token.kind)).take(count).last();
    last.map_or("", |token| &text[..token.end])
}
