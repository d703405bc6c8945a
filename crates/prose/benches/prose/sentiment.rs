//! Sentiment: how the scores go with those that people gave.

use prose::{Language, language, sentiment};
use trial::{Bar, figure};

use super::Measure;
use super::labelled::{lines, text};

const BAR: Bar = Bar::AtLeast(0.50);

pub(crate) const MEASURE: Measure = Measure {
    flag: "--sentiment",
    format: r#"{"text": "…", "score": -40}: any scale, more is better"#,
    what: "correlation (Pearson) of sentiment with people's",
    bar: BAR,
    run: measure,
};

fn measure(file: &str) {
    let texts = lines(file, |line| Some((text(line, "text")?, line.get("score")?.as_f64()?)));
    let pairs: Vec<(f64, f64)> = texts
        .iter()
        .map(|(text, score)| {
            let said = sentiment(text, language(text).or(Some(Language::ENGLISH)));
            (said.map_or(0.0, |said| said.score), *score)
        })
        .collect();
    figure("prose", MEASURE.what, pearson(&pairs), BAR, &format!("{} texts", pairs.len()));
}

fn pearson(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|pair| of(pair.0 - x, pair.1 - y)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}
