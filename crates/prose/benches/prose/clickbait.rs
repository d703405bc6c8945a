//! Clickbait: how near the score is to the mean judgement of readers, how well it ranks, and what calm titles do to it.

use prose::{Language, calm_title, clickbait, scores};
use trial::{Bar, figure, remark};

use super::Measure;
use super::labelled::{auc, rows};

const BAR: Bar = Bar::AtMost(0.037);

pub(crate) const MEASURE: Measure = Measure {
    flag: "--clickbait",
    format: r#"{"post_text": "…", "truth_mean": 0.2, "click_bait": 0}, or a JSON array of these (Webis Clickbait 17)"#,
    what: "mean squared error of the clickbait score",
    bar: BAR,
    run: measure,
};

fn measure(file: &str) {
    let headlines = rows(file, |row| {
        let is_bait = row["click_bait"].as_i64()? == 1;
        Some((row["post_text"].as_str()?.to_owned(), row["truth_mean"].as_f64()?, is_bait))
    });
    let score = |title: &str| clickbait(title, Language::ENGLISH).map_or(0.0, |score| score.value);
    let said: Vec<f64> = headlines.iter().map(|(title, _, _)| score(title)).collect();
    let squares = said.iter().zip(&headlines).map(|(said, (_, is, _))| (said - is).powi(2));
    let note = format!("{} headlines", headlines.len());
    figure("prose", MEASURE.what, squares.sum::<f64>() / headlines.len().max(1) as f64, BAR, &note);
    let bait: Vec<bool> = headlines.iter().map(|headline| headline.2).collect();
    figure("prose", "AUC of the clickbait score", auc(&said, &bait), Bar::AtLeast(0.86), &note);
    calm(headlines.iter().map(|headline| headline.0.as_str()).collect());
}

/// How far the overall score of the worst hundredth and tenth falls.
fn calm(titles: Vec<&str>) {
    let overall = |title: &str| scores(title, Language::ENGLISH).map_or(0.0, |scores| scores.overall.value);
    let mut worst: Vec<(f64, &str)> = titles.into_iter().map(|title| (overall(title), title)).collect();
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mean = worst.iter().map(|title| title.0).sum::<f64>() / worst.len().max(1) as f64;
    remark("prose", "mean overall score", mean, "");
    for (part, name) in [(100, "hundredth"), (10, "tenth")] {
        let worst = &worst[..worst.len() / part];
        let mut falls: Vec<f64> =
            worst.iter().map(|(before, title)| 1.0 - overall(&calm_title(title, Language::ENGLISH)) / before).collect();
        falls.sort_by(f64::total_cmp);
        let median = falls.get(falls.len() / 2).copied().unwrap_or(0.0);
        remark(
            "prose",
            &format!("median fall by a calm title, worst {name}"),
            median,
            "1 - score after / score before",
        );
    }
}
