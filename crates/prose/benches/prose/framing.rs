//! Framing: whether sentences that experts call biased get half or more.

use prose::{Language, scores};
use trial::{Bar, figure, remark};

use super::Measure;
use super::labelled::{auc, rows};

const BAR: Bar = Bar::AtLeast(0.58);

pub(crate) const MEASURE: Measure = Measure {
    flag: "--framing",
    format: r#"{"text": "…", "label": 0 or 1}: 1 is biased"#,
    what: "macro-F1 of framing (0.5 or more is biased)",
    bar: BAR,
    run: measure,
};

fn measure(file: &str) {
    let texts = rows(file, |row| Some((row["text"].as_str()?.to_owned(), row["label"].as_i64()? == 1)));
    let said: Vec<f64> = texts
        .iter()
        .map(|(text, _)| scores::framing(text, Language::ENGLISH).map_or(0.0, |score| score.value))
        .collect();
    let biased: Vec<bool> = texts.iter().map(|text| text.1).collect();
    let note = format!("{} texts", texts.len());
    figure("prose", MEASURE.what, macro_f1(&said, &biased), BAR, &note);
    remark("prose", "AUC of framing", auc(&said, &biased), &note);
    let part = said.iter().filter(|said| **said >= 0.5).count() as f64 / said.len().max(1) as f64;
    remark("prose", "share of texts said to be framed", part, &note);
}

fn macro_f1(said: &[f64], biased: &[bool]) -> f64 {
    let f1 = |wanted: bool| {
        let hits =
            said.iter().zip(biased).filter(|(said, is)| (**said >= 0.5) == wanted && **is == wanted).count() as f64;
        let wrong =
            said.iter().zip(biased).filter(|(said, is)| ((**said >= 0.5) == wanted) != (**is == wanted)).count() as f64;
        2.0 * hits / (2.0 * hits + wrong).max(1.0)
    };
    f64::midpoint(f1(true), f1(false))
}
