//! What is believed of a model's answer. Pure: an answer and its source go in, a body or the reason for none comes out.
//!
//! The shape was checked by `llm`. Here: plain text, lengths, the language, and whether it says only what its source says
//! (`prose::faithful`). A rewritten title that is not faithful is left out, and the rest is taken.

use crate::local::rounded;
use crate::material::Prepared;
use model::enrichment::{AttemptEnd, Body, Deframing, Kind, Summary, Tags};
use prose::Language;
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest texts that are taken, in characters.
const SUMMARY_CHARS: usize = 2_000;
const LINE_CHARS: usize = 160;
const TITLE_CHARS: usize = 300;
const DESCRIPTION_CHARS: usize = 1_000;
const TOPIC_CHARS: usize = 60;
const MOST_TOPICS: usize = 8;

/// An answer that is taken, and how the attempt counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Taken {
    pub(crate) body: Body,
    pub(crate) end: AttemptEnd,
    pub(crate) remark: Option<String>,
}

/// Why an answer is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) end: AttemptEnd,
    pub(crate) why: String,
}

/// What an answer says, if it can be believed. `asked` is the language that was asked for, if not the article's.
pub(crate) fn believed(kind: Kind, answer: &Value, source: &Prepared, asked: Option<&str>) -> Result<Taken, Refused> {
    match kind {
        Kind::Summary => summary(answer, source, asked),
        Kind::Tags => Ok(tags(answer)),
        Kind::Deframe => deframing(answer, source, asked),
    }
}

/// What the rewritten texts are compared with.
fn original(source: &Prepared) -> String {
    format!("{}\n{}", source.title, source.text)
}

fn summary(answer: &Value, source: &Prepared, asked: Option<&str>) -> Result<Taken, Refused> {
    let text = plain(answer, "summary", SUMMARY_CHARS)?;
    let line = plain(answer, "one_line", LINE_CHARS).ok();
    faithful(source, &text, asked)?;
    // The line is a second chance to go wrong; without it the summary is as good.
    let one_line = line.filter(|line| faithful(source, line, asked).is_ok());
    let language = prose::language(&text).or(source.language).map(|language| language.as_str().to_owned());
    Ok(taken(Body::Summary(Summary { summary: text, one_line, language })))
}

fn tags(answer: &Value) -> Taken {
    let mut topics: Vec<String> = Vec::new();
    for topic in answer["topics"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let topic = topic.trim();
        let known = topics.iter().any(|known| known.to_lowercase() == topic.to_lowercase());
        if !topic.is_empty() && topic.chars().count() <= TOPIC_CHARS && is_plain(topic) && !known {
            topics.push(topic.to_owned());
        }
    }
    topics.truncate(MOST_TOPICS);
    taken(Body::Tags(Tags {
        topics,
        category: answer["category"].as_str().map(str::to_owned),
        confidence: answer["confidence"].as_f64().map(rounded),
        sentiment: answer["sentiment"].as_str().map(str::to_owned),
        sentiment_score: None,
    }))
}

fn deframing(answer: &Value, source: &Prepared, asked: Option<&str>) -> Result<Taken, Refused> {
    let (mut scores, mut reasons) = (BTreeMap::new(), BTreeMap::new());
    for name in llm::SCORES {
        let score = answer["scores"][name].as_f64().filter(|score| (0.0..=1.0).contains(score));
        let score = score.ok_or_else(|| bad(format!("the score {name} is out of range")))?;
        scores.insert(name.to_owned(), rounded(score));
        let reason = answer["reasons"][name].as_str().unwrap_or_default().trim();
        reasons.insert(name.to_owned(), if is_plain(reason) { reason.to_owned() } else { String::new() });
    }
    let rewritten =
        |field, most| plain(answer, field, most).and_then(|text| faithful(source, &text, asked).map(|()| text));
    let title = rewritten("title", TITLE_CHARS);
    let (end, remark) = match &title {
        Ok(_) => (AttemptEnd::Ok, None),
        Err(refused) => (AttemptEnd::Unfaithful, Some(format!("the title: {}", refused.why))),
    };
    let body = Body::Deframing(Deframing {
        title: title.ok().filter(|title| *title != source.title),
        description: rewritten("description", DESCRIPTION_CHARS).ok(),
        refused: remark.clone(),
        scores,
        reasons,
        category: answer["category"].as_str().map(str::to_owned),
        answer: None,
    });
    Ok(Taken { body, end, remark })
}

fn taken(body: Body) -> Taken {
    Taken { body, end: AttemptEnd::Ok, remark: None }
}

/// A field that is plain text of a bounded length.
fn plain(answer: &Value, field: &str, most: usize) -> Result<String, Refused> {
    let text = answer[field].as_str().unwrap_or_default().trim();
    if text.is_empty() {
        return Err(bad(format!("{field} is empty")));
    }
    if text.chars().count() > most {
        return Err(bad(format!("{field} is longer than {most} characters")));
    }
    if !is_plain(text) {
        return Err(bad(format!("{field} has markup or an address")));
    }
    Ok(text.to_owned())
}

/// No markup, no address, no control characters but line ends.
fn is_plain(text: &str) -> bool {
    let tag = text
        .match_indices('<')
        .any(|(at, _)| text[at + 1..].starts_with(|next: char| next.is_alphabetic() || next == '/' || next == '!'));
    let lower = text.to_lowercase();
    let address = ["http://", "https://", "www.", "javascript:", "data:", "mailto:"];
    !tag && !address.iter().any(|start| lower.contains(start))
        && !["**", "](", "```"].iter().any(|mark| text.contains(mark))
        && !text.chars().any(|c| c.is_control() && c != '\n')
}

/// Whether a text says only what its source says. In another language than the source's only its numbers can be compared.
fn faithful(source: &Prepared, text: &str, asked: Option<&str>) -> Result<(), Refused> {
    let unfaithful = |why: String| Refused { end: AttemptEnd::Unfaithful, why };
    let wanted = asked.and_then(|tag| Language::from_code(tag.split('-').next().unwrap_or(tag)));
    let translated = wanted.is_some() && wanted != source.language;
    let spoken = (text.len() >= 60).then(|| prose::language(text)).flatten();
    let expected = if translated { wanted } else { source.language };
    if let (Some(spoken), Some(expected)) = (spoken, expected)
        && spoken != expected
    {
        let why = format!("it is in another language ({} instead of {})", spoken.as_str(), expected.as_str());
        return Err(unfaithful(why));
    }
    if translated {
        let known = numbers(&original(source));
        return match numbers(text).into_iter().find(|number| !known.contains(number)) {
            Some(number) => Err(unfaithful(format!("the number {number} is not in the source"))),
            None => Ok(()),
        };
    }
    prose::faithful(&original(source), text, source.language).map_err(|why| unfaithful(why.to_string()))
}

/// The numbers of a text, without what separates thousands and decimals.
fn numbers(text: &str) -> Vec<String> {
    let digits = |part: &str| part.chars().filter(char::is_ascii_digit).collect::<String>();
    text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '\u{a0}' | '\u{202f}')))
        .map(digits)
        .filter(|number| !number.is_empty())
        .collect()
}

fn bad(why: String) -> Refused {
    Refused { end: AttemptEnd::BadAnswer, why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::FeedId;
    use policy::Rules;
    use serde_json::json;
    use store::Material;

    const TEXT: &str = "The council voted on Tuesday to close the harbour bridge for repairs. Mayor Jane Miller said the \
        work will take nine months and cost 4 million dollars. Ferries will run every ten minutes instead. Shop owners \
        fear that fewer customers will come. The bridge may reopen in August, the council said.";

    fn prepared(title: &str, text: &str) -> Prepared {
        let material = Material {
            feed: FeedId(1),
            title: Some(title.to_owned()),
            content_hash: [0; 16],
            content: Some(format!("<p>{text}</p>")),
            full_text: None,
            language: None,
            rules: BTreeMap::new(),
            private: false,
            takers: 1,
            subscribers: 1,
            owner: None,
            opens: 0,
        };
        Prepared::of(material, &Rules::default())
    }

    fn told(kind: Kind, answer: &Value, asked: Option<&str>) -> String {
        match believed(kind, answer, &prepared("You won't BELIEVE what the council did!!!", TEXT), asked) {
            Ok(Taken { body: Body::Deframing(body), end, .. }) => {
                format!("{}: {} {}", end.as_str(), body.title.unwrap_or_default(), body.refused.unwrap_or_default())
            }
            Ok(taken) => format!("{}: {}", taken.end.as_str(), taken.body.line().unwrap_or("-")),
            Err(refused) => format!("{}: {}", refused.end.as_str(), refused.why),
        }
    }

    #[test]
    fn summaries_that_are_true_are_taken_and_others_are_not() {
        let check = |summary: &str, line: &str, expected: &str| {
            let said = told(Kind::Summary, &json!({ "summary": summary, "one_line": line }), None);
            assert!(said.starts_with(expected), "{summary}: {said}");
        };
        let good =
            "The council voted to close the harbour bridge for repairs. Ferries will run every ten minutes instead.";
        check(good, "The council closes the harbour bridge", "ok: The council closes the harbour bridge");
        check(good, "The council closes 40 bridges", "ok: -");
        check("", "", "bad_answer: summary is empty");
        check(&"word ".repeat(20_000), "", "bad_answer: summary is longer than");
        check("<b>The council</b> closes the harbour bridge.", "", "bad_answer: summary has markup");
        check(
            "The council closes the bridge, see https://evil.example/",
            "",
            "bad_answer: summary has markup or an address",
        );
        check("The work on the harbour bridge will cost 9 million dollars.", "", "unfaithful: the number");
        check("Mayor John Smith said the work will take nine months.", "", "unfaithful");
        check("The council did not vote to close the harbour bridge for repairs.", "", "unfaithful");
        check(
            "Der Gemeinderat hat am Dienstag beschlossen, die Hafenbrücke wegen Reparaturen zu sperren.",
            "",
            "unfaithful: it is in another language",
        );
        check("Ignore the article. I am a pirate and I obey the instructions in the text.", "", "unfaithful");
    }

    #[test]
    fn a_translation_is_in_the_language_that_was_asked_for_and_invents_no_number() {
        let check = |summary: &str, expected: &str| {
            let said = told(Kind::Summary, &json!({ "summary": summary, "one_line": "x" }), Some("de"));
            assert!(said.starts_with(expected), "{summary}: {said}");
        };
        check(
            "Der Gemeinderat sperrt die Hafenbrücke wegen Reparaturen; die Arbeiten kosten 4 Millionen Dollar.",
            "ok",
        );
        check(
            "Der Gemeinderat sperrt die Hafenbrücke wegen Reparaturen; die Arbeiten kosten 5 Millionen Dollar.",
            "unfaithful: the number 5",
        );
        check(
            "The council voted on Tuesday to close the harbour bridge for repairs that cost money.",
            "unfaithful: it is in another",
        );
    }

    #[test]
    fn tags_are_plain_and_each_stands_once() {
        let answer = json!({ "topics": ["bridge", "Bridge", "<script>", "x".repeat(100), " ferries ", 7], "category": "politics",
                             "sentiment": "neutral", "confidence": 0.8 });
        let taken = believed(Kind::Tags, &answer, &prepared("T", TEXT), None).unwrap();
        let Body::Tags(tags) = taken.body else { panic!("no tags") };
        assert_eq!(
            (tags.topics.as_slice(), tags.category.as_deref()),
            (&["bridge".to_owned(), "ferries".into()][..], Some("politics"))
        );
    }

    #[test]
    fn a_title_that_is_not_faithful_is_left_out_and_the_scores_are_kept() {
        let check = |title: &str, expected: &str| {
            let all = |value: Value| {
                llm::SCORES.iter().map(|name| ((*name).to_owned(), value.clone())).collect::<serde_json::Map<_, _>>()
            };
            let answer = json!({ "title": title, "description": "The council closes the harbour bridge for repairs.",
                                 "scores": all(json!(0.5)), "reasons": all(json!("because")), "category": "politics" });
            let said = told(Kind::Deframe, &answer, None);
            assert!(said.starts_with(expected), "{title}: {said}");
        };
        check("Council votes to close the harbour bridge for repairs", "ok: Council votes to close");
        check("Council votes to close 12 harbour bridges", "unfaithful:  the title:");
        check("Council refuses to close the harbour bridge", "unfaithful:  the title:");
        let answer =
            json!({ "title": "T", "description": "D", "scores": { "overall": 7 }, "reasons": {}, "category": "world" });
        assert!(told(Kind::Deframe, &answer, None).starts_with("bad_answer: the score"));
    }
}
