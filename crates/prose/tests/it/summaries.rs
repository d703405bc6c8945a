//! Summaries at their edges: verbatim sentences that end where they end, for articles of any size, direction and dirt.

use prose::{LINE_CHARACTERS, Language, Length, language, one_line, sentences, summary};

fn of(text: &str) -> Vec<&str> {
    summary(text, None, language(text), Length::Usual)
}

const ARTICLE: &str = "The harbour authority will rebuild the eastern pier after last winter's storms. \
    Engineers found cracks in eleven of its forty pillars, said Dr. M. Jansen, who led the survey. \
    \u{201c}We can't wait for another winter,\u{201d} she told the council on Tuesday. \
    The work will cost 3.4 million euros and take until May 2027. \
    Fishermen fear that they will have to land their catch elsewhere. \
    The council wants to decide on the harbour's budget, including the pier, in two weeks.";

#[test]
fn a_summary_has_whole_sentences_of_the_text_in_their_order() {
    for length in [Length::Usual, Length::Sentences(2), Length::Characters(200), Length::Characters(5)] {
        let said = summary(ARTICLE, Some("Pier to be rebuilt"), Some(Language::ENGLISH), length);
        let all = sentences(ARTICLE, Some(Language::ENGLISH));
        let places: Vec<usize> = said
            .iter()
            .map(|part| all.iter().position(|sentence| sentence == part).expect("a sentence of the text"))
            .collect();
        assert!(!places.is_empty() && places.is_sorted(), "{length:?}: {places:?}");
    }
}

#[test]
fn no_summary_ends_in_the_middle_of_a_word() {
    // Cut wherever a publisher's excerpt was cut: the torn sentence takes no part while a whole one is there.
    for end in (120..ARTICLE.len()).filter(|end| ARTICLE.is_char_boundary(*end)) {
        for part in of(&ARTICLE[..end]) {
            assert!(part.ends_with(['.', '\u{201d}']), "cut at {end}: {part}");
        }
        let line = one_line(&ARTICLE[..end], None, Some(Language::ENGLISH)).expect("a sentence");
        assert!(line.chars().count() <= LINE_CHARACTERS);
        let kept = line.trim_end_matches('…');
        let next = ARTICLE[ARTICLE.find(kept).expect("verbatim") + kept.len()..].chars().next();
        let torn = kept.ends_with(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric);
        assert!(!torn, "cut at {end}: {line}");
    }
}

#[test]
fn an_article_of_one_sentence_is_its_own_summary() {
    for text in ["The pier will be rebuilt.", "Pier to be rebuilt", "  The pier will be rebuilt.\n\n"] {
        assert_eq!(of(text), [text.trim()]);
    }
}

#[test]
fn an_article_without_a_sentence_has_no_summary() {
    for text in ["", " ", "\n\u{a0}\n", "…", "* * *", "👍", "\u{feff}", "- - -\n===\n", "\u{200f}\u{200e}"] {
        assert_eq!(of(text), Vec::<&str>::new(), "{text:?}");
        assert_eq!(one_line(text, None, None), None, "{text:?}");
    }
}

#[test]
fn an_article_of_a_megabyte_is_summarised_in_whole_sentences() {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < 1 << 20 {
        text.push_str(&ARTICLE.replace("eleven", &number.to_string()));
        text.push_str(if number % 3 == 0 { "\n\n" } else { " " });
        number += 1;
    }
    let said = of(&text);
    assert!((3..=8).contains(&said.len()), "{said:?}");
    assert!(said.iter().all(|part| part.ends_with(['.', '\u{201d}']) && text.contains(part)), "{said:?}");
    // Without a single full stop there is no sentence to show, and it still ends.
    assert_eq!(of(&"word ".repeat(200_000)), Vec::<&str>::new());
}

#[test]
fn articles_from_right_to_left_are_summarised() {
    let hebrew = "מועצת העיר החליטה ביום שלישי לסגור את הגשר הישן מעל הנהר. מהנדסים הזהירו כי הגשר הישן אינו בטוח עוד. \
        מזג האוויר היה נעים מאוד. הגשר החדש יעלה תשעה מיליון שקלים וייפתח בעוד שנתיים.";
    let arabic = "قرر مجلس المدينة يوم الثلاثاء إغلاق الجسر القديم فوق النهر. حذر المهندسون من أن الجسر القديم لم يعد آمنا. \
        هل سيبنى جسر جديد؟ سيكلف الجسر الجديد تسعة ملايين ويفتتح بعد عامين.";
    let persian = "شورای شهر روز سه‌شنبه تصمیم گرفت پل قدیمی روی رودخانه را ببندد. مهندسان هشدار دادند که پل قدیمی دیگر ایمن نیست. \
        پل جدید نه میلیون هزینه دارد و دو سال دیگر افتتاح می‌شود.";
    for (text, bridge) in [(hebrew, "הגשר"), (arabic, "الجسر"), (persian, "پل")] {
        let said = of(text);
        assert!(
            !said.is_empty() && said.iter().all(|part| text.contains(part) && part.ends_with(['.', '؟'])),
            "{said:?}"
        );
        assert!(said.iter().any(|part| part.contains(bridge)), "{said:?}");
        let marked = format!("\u{202b}{text}\u{202c}");
        assert_eq!(of(&marked).len(), said.len(), "direction marks change nothing");
    }
}

#[test]
fn navigation_rubbish_is_no_summary() {
    let rubbish = "Skip to main content\nHome | News | Sport | Weather | Shop\nSign in\nSubscribe now for £1 a week!\n\
        You are here: Home > News > Local\nShare on Facebook Share on Twitter Copy link\nPublished 12:41, 3 May 2026\n\
        We use cookies to improve your experience.\nAccept all\nMost read\n1\n2\n3\nRelated articles\nLoading comments…\n\
        Follow us on social media for more stories.\nSign up to our newsletter and never miss a story.\n\
        © 2026 Harbour News Ltd. All rights reserved.\nTerms of use | Privacy policy | Contact us\n";
    assert_eq!(of(rubbish), Vec::<&str>::new());
    let around = format!("{rubbish}\n{ARTICLE}\n\n{rubbish}");
    let said = summary(&around, None, Some(Language::ENGLISH), Length::Sentences(20));
    let wanted = sentences(ARTICLE, Some(Language::ENGLISH));
    assert!(said.iter().all(|part| wanted.contains(part)), "{said:#?}");
    assert!(said.len() >= 5, "{said:#?}");
}
