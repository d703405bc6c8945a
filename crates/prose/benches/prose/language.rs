//! Languages: how many texts are said to be in the language they are in.

use std::collections::BTreeMap;

use prose::{Language, language};
use trial::{Bar, figure, remark};

use super::Measure;
use super::labelled::{lines, text};

const BAR: Bar = Bar::AtLeast(0.98);

pub(crate) const MEASURE: Measure = Measure {
    flag: "--language",
    format: r#"{"text": "…", "language": "da"}: ISO 639-1; `nb` and `nn` count as `no`"#,
    what: "share of texts whose language is right",
    bar: BAR,
    run: measure,
};

fn measure(file: &str) {
    let texts = lines(file, |line| Some((text(line, "text")?, Language::from_code(&text(line, "language")?)?)));
    let mut mistakes: BTreeMap<(Language, Option<Language>), usize> = BTreeMap::new();
    let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
    for (text, is) in &texts {
        *counts.entry(*is).or_default() += 1;
        let said = language(text);
        if said != Some(*is) {
            *mistakes.entry((*is, said)).or_default() += 1;
        }
    }
    let wrong: usize = mistakes.values().sum();
    let silent: usize = mistakes.iter().filter(|((_, said), _)| said.is_none()).map(|(_, count)| count).sum();
    let total = texts.len().max(1) as f64;
    let mut often: Vec<_> = mistakes.iter().collect();
    often.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for ((is, said), count) in often.iter().take(30) {
        let of = counts[is];
        println!("  {is} taken for {}: {count} of {of}", said.map_or("none", Language::as_str));
    }
    let note = format!("{} texts in {} languages", texts.len(), counts.len());
    figure("prose", MEASURE.what, 1.0 - wrong as f64 / total, BAR, &note);
    remark("prose", "share of texts without a language", silent as f64 / total, &note);
}
