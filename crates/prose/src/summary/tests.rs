//! Tests of summaries and of the one line.

use proptest::prelude::*;

use super::line::LINE_CHARACTERS;
use super::*;
use crate::words::is_spaceless;

const ARTICLE: &str = "Council closes the old bridge

The city council voted on Tuesday to close the old bridge over the river. Engineers had warned that the bridge could not \
carry heavy lorries any longer. It was built in 1911. \"I used to fish there,\" said a man with a dog. The council will spend \
nine million on a new bridge, which engineers want to open in two years. Traffic over the bridge has doubled since the \
council opened the harbour to lorries.

Read more: Twelve castles and palaces of the frozen north.
Subscribe to our newsletter for recipes and crossword puzzles.
Home
Sport
Weather";

fn language(code: &str) -> Option<Language> {
    Language::from_code(code)
}

#[track_caller]
fn check(case: &str, code: &str, text: &str, length: Length, expected: &[&str]) {
    assert_eq!(summary(text, None, language(code), length), expected, "{case}");
}

#[test]
fn the_sentences_that_share_most_are_chosen_in_their_order() {
    check(
        "two sentences",
        "en",
        ARTICLE,
        Length::Sentences(2),
        &[
            "The city council voted on Tuesday to close the old bridge over the river.",
            "The council will spend nine million on a new bridge, which engineers want to open in two years.",
        ],
    );
    check(
        "characters",
        "en",
        ARTICLE,
        Length::Characters(80),
        &["The city council voted on Tuesday to close the old bridge over the river."],
    );
}

#[test]
fn headings_links_and_calls_take_no_part() {
    let all = summary(ARTICLE, None, language("en"), Length::Sentences(50)).join("|");
    for rubbish in ["Council closes", "Read more", "Subscribe", "Home", "Weather"] {
        assert!(!all.contains(rubbish), "{rubbish}: {all}");
    }
    let links = "Home\nNews\nSport\nWeather\nContact us\nAbout\nTerms and conditions\nMore stories\n";
    check("links alone", "en", &links.repeat(50), Length::Usual, &[]);
    let around =
        format!("{}The minister resigned on Monday after a long dispute.\n{}", links.repeat(20), links.repeat(20));
    check(
        "one sentence among links",
        "en",
        &around,
        Length::Usual,
        &["The minister resigned on Monday after a long dispute."],
    );
}

#[test]
fn texts_of_one_sentence_and_none() {
    check("none", "en", "", Length::Usual, &[]);
    check("blank", "en", " \n\n ", Length::Usual, &[]);
    check("signs", "en", "!!! --- ???", Length::Usual, &[]);
    check("one", "en", "The minister resigned on Monday.", Length::Usual, &["The minister resigned on Monday."]);
    check("one without a full stop", "en", "Minister resigns", Length::Usual, &["Minister resigns"]);
    check("a short one", "en", "He won!", Length::Usual, &["He won!"]);
    check("nothing asked for", "en", ARTICLE, Length::Sentences(0), &[]);
    check(
        "repeated",
        "en",
        &"The minister resigned on Monday.\n".repeat(9),
        Length::Usual,
        &["The minister resigned on Monday."],
    );
}

#[test]
fn other_scripts() {
    let chinese = "市议会周二投票决定关闭河上的旧桥。工程师警告说，旧桥已经不能承受重型卡车。天气很好。市议会将花费九百万建造一座新桥。";
    check(
        "Chinese",
        "zh",
        chinese,
        Length::Sentences(2),
        &["市议会周二投票决定关闭河上的旧桥。", "市议会将花费九百万建造一座新桥。"],
    );
    let arabic = "قرر مجلس المدينة إغلاق الجسر القديم فوق النهر. حذر المهندسون من أن الجسر القديم غير آمن. كان الطقس جميلا جدا اليوم.";
    let found = summary(arabic, None, language("ar"), Length::Sentences(1));
    assert!(found[0].contains("الجسر القديم"), "{found:?}");
    let thai = "กระทรวงสาธารณสุขรายงานผู้ป่วยใหม่ ประชาชนควรสวมหน้ากากอนามัยทุกครั้ง";
    assert_eq!(summary(thai, None, language("th"), Length::Sentences(1)).len(), 1);
}

#[test]
fn hostile_texts_end() {
    let many = "The council closed bridge number nine today. ".repeat(25_000);
    assert_eq!(summary(&many, None, language("en"), Length::Usual).len(), 1);
    assert_eq!(summary(&"a".repeat(1 << 20), None, None, Length::Usual).len(), 0);
    assert_eq!(one_line(&"a".repeat(1 << 20), None, None), None);
    let different: Vec<String> =
        (0..40_000).map(|n| format!("Sentence {n} is about word{n} and word{}.", n % 97)).collect();
    let different = different.join(" ");
    assert_eq!(summary(&different, None, language("en"), Length::Usual).len(), 8);
    summary(&"x, ".repeat(1 << 18), None, language("en"), Length::Usual);
    summary(&"👍🏽. ".repeat(1 << 16), None, None, Length::Usual);
    summary(&"漢".repeat(1 << 18), None, language("zh"), Length::Usual);
}

#[track_caller]
fn check_line(code: &str, text: &str, expected: &str) {
    assert_eq!(one_line(text, None, language(code)).unwrap_or_default(), expected);
}

#[test]
fn one_line_is_a_sentence_or_its_beginning() {
    check_line("en", ARTICLE, "The city council voted on Tuesday to close the old bridge over the river.");
    check_line("en", "", "");
    check_line(
        "en",
        "The city council voted on Tuesday evening to close the old bridge, which nobody has repaired since the year of the flood.",
        "The city council voted on Tuesday evening to close the old bridge…",
    );
    check_line(
        "en",
        "The city council of the small town voted yesterday evening without any dissenting voice to close the old bridge for good.",
        "The city council of the small town voted yesterday evening without any dissenting voice to close…",
    );
    check_line("en", &format!("{} is long.", "x".repeat(300)), "");
    check_line(
        "zh",
        &format!("{}，{}。", "市议会周二投票决定关闭河上的旧桥因为它不安全".repeat(2), "漢".repeat(80)),
        &format!("{}…", "市议会周二投票决定关闭河上的旧桥因为它不安全".repeat(2)),
    );
}

proptest! {
    #[test]
    fn summaries_are_verbatim_slices_in_order(
        text in "\\PC{0,300}|([A-Z][a-z]{0,6}( [a-z]{1,8}){0,12}[.!?]( |\n)){0,20}",
        code in "en|de|zh|th|xx",
        count in 0_usize..6,
    ) {
        let found = summary(&text, None, language(&code), Length::Sentences(count));
        prop_assert!(found.len() <= count);
        let mut at = 0;
        for sentence in &found {
            let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
            prop_assert!(at <= start && text[start..].starts_with(sentence));
            at = start + sentence.len();
        }
        prop_assert_eq!(&found, &summary(&text, None, language(&code), Length::Sentences(count)));
    }

    #[test]
    fn a_line_is_short_and_ends_at_a_word(text in "\\PC{0,300}|([A-Za-zé,]{1,12} ){0,60}\\.") {
        if let Some(line) = one_line(&text, None, language("en")) {
            prop_assert!(line.chars().count() <= LINE_CHARACTERS, "{}", line);
            let kept = line.strip_suffix('…').unwrap_or(&line);
            let blank = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let at = blank.find(kept);
            prop_assert!(at.is_some(), "{} is not in the text", line);
            let next = blank[at.unwrap() + kept.len()..].chars().next();
            let inside = next.is_some_and(|c| c.is_alphanumeric() && !is_spaceless(c))
                && kept.chars().next_back().is_some_and(|c| c.is_alphanumeric() && !is_spaceless(c));
            prop_assert!(!inside || !line.ends_with('…'), "{}", line);
        }
    }
}
