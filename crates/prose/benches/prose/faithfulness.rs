//! Faithfulness: how many changed rewrites pass the check, and how many honest ones.

use prose::{Language, faithful};
use trial::{Bar, figure};

use super::Measure;
use super::labelled::rows;

const BAR: Bar = Bar::AtMost(0.01);

pub(crate) const MEASURE: Measure = Measure {
    flag: "--faithfulness",
    format: r#"{"source": "…", "rewrite": "…", "faithful": true or false, "language": "en"}: the language may be missing"#,
    what: "share of changed rewrites that pass",
    bar: BAR,
    run: measure,
};

fn measure(file: &str) {
    let pairs = rows(file, |row| {
        let language = row["language"].as_str().and_then(Language::from_code);
        let passes = faithful(row["source"].as_str()?, row["rewrite"].as_str()?, language).is_ok();
        Some((row["faithful"].as_bool()?, passes))
    });
    let share = |honest: bool| {
        let of = pairs.iter().filter(|pair| pair.0 == honest).count();
        (
            pairs.iter().filter(|pair| pair.0 == honest && pair.1).count() as f64 / of.max(1) as f64,
            format!("{of} pairs"),
        )
    };
    let (changed, note) = share(false);
    figure("prose", MEASURE.what, changed, BAR, &note);
    let (honest, note) = share(true);
    figure("prose", "share of honest rewrites that pass", honest, Bar::AtLeast(0.90), &note);
}
