//! Categories: how many texts are said to be about what they are about.

use std::collections::BTreeMap;

use prose::{Category, Language, category, language};
use trial::{Bar, figure, remark};

use super::Measure;
use super::labelled::{lines, text};

const BAR: Bar = Bar::AtLeast(0.80);

pub(crate) const MEASURE: Measure = Measure {
    flag: "--topics",
    format: r#"{"text": "…", "category": "culture", "title"?: "…"}: one of our categories, or entertainment, tech"#,
    what: "share of texts whose topic is right",
    bar: BAR,
    run: measure,
};

/// Of several categories that a coarser labelling has as one, the one that stands for all of them.
fn coarse(category: Category) -> &'static str {
    match category {
        Category::Finance => "business",
        Category::Games => "technology",
        Category::Lifestyle => "culture",
        other => other.as_str(),
    }
}

fn measure(file: &str) {
    let texts = lines(file, |line| {
        let label = match text(line, "category")?.as_str() {
            "entertainment" | "culture" => Category::Culture,
            "tech" => Category::Technology,
            name => Category::from_name(name)?,
        };
        Some((text(line, "text")?, label, text(line, "title")))
    });
    let mut mistakes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut right, mut exact) = (0, 0);
    for (text, is, title) in &texts {
        let language = language(text).or(Some(Language::ENGLISH));
        let said = category(text, title.as_deref(), language).map_or(Category::Other, |said| said.category);
        exact += usize::from(said == *is);
        if coarse(said) == coarse(*is) {
            right += 1;
        } else {
            *mistakes.entry((is.as_str(), said.as_str())).or_default() += 1;
        }
    }
    let mut often: Vec<_> = mistakes.iter().collect();
    often.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for ((is, said), count) in often.iter().take(20) {
        println!("  {is} taken for {said}: {count}");
    }
    let total = texts.len().max(1) as f64;
    let note = format!("{} texts; finance counts as business, games as technology, lifestyle as culture", texts.len());
    figure("prose", MEASURE.what, f64::from(right) / total, BAR, &note);
    remark("prose", "share of texts whose category is right to the letter", exact as f64 / total, "");
}
