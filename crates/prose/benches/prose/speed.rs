//! Speed: processor time for texts of a usual size.

use std::time::Duration;

use trial::{Bar, Dice, figure, remark, seconds};

/// How long each is repeated: long enough for the kernel's clock.
const AT_LEAST: Duration = Duration::from_millis(200);

pub(crate) fn measure() {
    let text = article(10_000);
    let took = seconds(AT_LEAST, || prose::language(&text)) * 1e3;
    remark("prose", "ms for the language of 10 kB", took, "");
    let english = Some(prose::Language::ENGLISH);
    let took = seconds(AT_LEAST, || prose::summary(&text, None, english, prose::Length::Usual).len()) * 1e3;
    figure("prose", "ms to summarise 10 kB", took, Bar::AtMost(10.0), "processor time");
    let long = article(1_000_000);
    let took = seconds(AT_LEAST, || prose::summary(&long, None, english, prose::Length::Usual).len()) * 1e3;
    remark("prose", "ms to summarise 1 MB", took, "processor time");
    let took = seconds(AT_LEAST, || prose::category(&text, None, english)) * 1e3;
    remark("prose", "ms for the category of 10 kB", took, "");
    let took = seconds(AT_LEAST, || prose::sentiment(&text, english)) * 1e3;
    remark("prose", "ms for the sentiment of 10 kB", took, "");
    let title = "You won't believe what the minister of finance said about the new water prices in London";
    let took = seconds(AT_LEAST, || prose::clickbait(title, prose::Language::ENGLISH)) * 1e3;
    figure("prose", "ms to score a headline for clickbait", took, Bar::AtMost(0.2), "processor time");
    let took = seconds(AT_LEAST, || prose::scores(title, prose::Language::ENGLISH)) * 1e3;
    remark("prose", "ms for all scores of a headline", took, "processor time");
    let took = seconds(AT_LEAST, || prose::calm_title(title, prose::Language::ENGLISH)) * 1e3;
    remark("prose", "ms for a calm title", took, "processor time");
    let took = seconds(AT_LEAST, || prose::answer(title, &text, prose::Language::ENGLISH)) * 1e3;
    figure("prose", "ms to answer a headline from 10 kB", took, Bar::AtMost(2.0), "processor time");
    let took = seconds(AT_LEAST, || prose::faithful(&text, title, english)) * 1e3;
    remark("prose", "ms to check a title against 10 kB", took, "processor time");
    let took = seconds(AT_LEAST, || prose::sentences(&text, english).len()) * 1e3;
    remark("prose", "ms for the sentences of 10 kB", took, "");
}

/// An English article of so many bytes: sentences of 8 to 25 words in paragraphs.
fn article(bytes: usize) -> String {
    const WORDS: &[&str] = &[
        "the",
        "of",
        "and",
        "to",
        "in",
        "a",
        "that",
        "was",
        "for",
        "with",
        "government",
        "minister",
        "market",
        "report",
        "growth",
        "company",
        "election",
        "city",
        "water",
        "police",
        "players",
        "research",
        "prices",
        "summer",
        "museum",
        "announced",
        "voted",
        "rejected",
        "fell",
        "increased",
        "described",
        "warned",
        "new",
        "large",
        "local",
        "early",
        "London",
        "Berlin",
        "Smith",
        "Johnson",
    ];
    let mut dice = Dice::new(4);
    let mut text = String::new();
    while text.len() < bytes {
        text.push_str("The ");
        for _ in 0..8 + dice.roll(17) {
            text.push_str(dice.pick(WORDS));
            text.push(' ');
        }
        text.push_str(dice.pick(WORDS));
        text.push_str(if dice.roll(4) == 0 { ".\n\n" } else { ". " });
    }
    text
}
