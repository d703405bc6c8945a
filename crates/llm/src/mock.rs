//! The provider for development: no network, a latency, dummy data that fits the schema, and failures by script.
//!
//! What it plays is read like the responses of a real server, so that failures mean the same. The dummy texts are words
//! of the article, and the same for the same prompt.

use crate::envelope;
use crate::prompt::Prompt;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::time::Duration;

/// The options of the provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mock {
    /// How long a call takes.
    pub latency: Duration,
    /// What happens to the first calls; later ones are answered.
    pub script: VecDeque<Step>,
}

/// What happens to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Dummy data.
    Answer,
    /// This text, whatever was asked for.
    Text(String),
    /// A status, and what `Retry-After` says.
    Status(u16, Option<String>),
    /// No response in time.
    Timeout,
    /// No connection.
    Refused,
}

/// What a script may ask for at most.
const MOST_STEPS: usize = 10_000;

impl Mock {
    /// Reads a script of words: `429 429:30 500 timeout refused empty garbage answer`, each with `*3` for several times.
    pub fn read(latency: Duration, script: &str) -> Result<Self, String> {
        let mut steps = VecDeque::new();
        for word in script.split([' ', ',', '\n']).filter(|word| !word.is_empty()) {
            let unknown = || format!("{word:?} is not a step of a mock model");
            let (name, times) = word.split_once('*').unwrap_or((word, "1"));
            let times: usize = times.parse().map_err(|_| unknown())?;
            let step = step(name).ok_or_else(unknown)?;
            if steps.len().saturating_add(times) > MOST_STEPS {
                return Err(format!("a script has at most {MOST_STEPS} steps"));
            }
            steps.extend(std::iter::repeat_n(step, times));
        }
        Ok(Self { latency, script: steps })
    }
}

fn step(name: &str) -> Option<Step> {
    Some(match name {
        "answer" => Step::Answer,
        "empty" => Step::Text(String::new()),
        "garbage" => Step::Text("As a mock model I answer without JSON.".to_owned()),
        "timeout" => Step::Timeout,
        "refused" => Step::Refused,
        status => {
            let (status, wait) = status.split_once(':').map_or((status, None), |(s, wait)| (s, Some(wait.to_owned())));
            Step::Status(status.parse().ok().filter(|status| (300..600).contains(status))?, wait)
        }
    })
}

/// The body of a successful response with dummy data, or with a text.
pub(crate) fn completion(prompt: &Prompt, text: Option<&str>) -> Value {
    let dummy = || match &prompt.schema {
        Some(schema) => dummy(&schema.schema, &Seed::of(prompt), 0).to_string(),
        None => Seed::of(prompt).words(20, usize::MAX),
    };
    let content = text.map_or_else(dummy, str::to_owned);
    json!({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})
}

/// What dummy data is made of.
struct Seed<'a> {
    text: &'a str,
    hash: u64,
}

impl<'a> Seed<'a> {
    fn of(prompt: &'a Prompt) -> Self {
        let (title, text) = envelope::unwrapped(&prompt.user).unwrap_or(("", prompt.user.as_str()));
        let text = if text.trim().is_empty() { title } else { text };
        // FNV-1a: stable, unlike the standard library's.
        let hash = text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self { text, hash }
    }

    /// The same for a part of the answer.
    fn part(&self, name: &str) -> Self {
        let hash = name.bytes().fold(self.hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self { text: self.text, hash: hash ^ (hash >> 29) }
    }

    /// The first words, as far as they fit; there is always one.
    fn words(&self, count: usize, most_chars: usize) -> String {
        let words: Vec<&str> = self.text.split_whitespace().take(count).collect();
        let text = if words.is_empty() { "mock".to_owned() } else { words.join(" ") };
        text.chars().take(most_chars).collect::<String>().trim_end().to_owned()
    }
}

/// Data that fits the schema; deeper than any real schema there is nothing.
fn dummy(schema: &Value, seed: &Seed<'_>, depth: usize) -> Value {
    if depth > 16 {
        return Value::Null;
    }
    if let Some(choices) = schema["enum"].as_array().filter(|choices| !choices.is_empty()) {
        return choices[(seed.hash % choices.len() as u64) as usize].clone();
    }
    let limit = |name: &str, or: u64| schema[name].as_u64().unwrap_or(or);
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let filled = properties.map(|(name, schema)| (name.clone(), dummy(schema, &seed.part(name), depth + 1)));
            Value::Object(filled.collect::<Map<_, _>>())
        }
        Some("array") => {
            let count = limit("minItems", 0).max(2).min(limit("maxItems", 2));
            (0..count).map(|at| dummy(&schema["items"], &seed.part(&at.to_string()), depth + 1)).collect()
        }
        Some("number") => {
            let (least, most) = (schema["minimum"].as_f64().unwrap_or(0.0), schema["maximum"].as_f64().unwrap_or(1.0));
            json!(least + (most - least) * ((seed.hash % 101) as f64 / 100.0))
        }
        Some("integer") => {
            let least = schema["minimum"].as_i64().unwrap_or(0);
            let most = schema["maximum"].as_i64().unwrap_or(least.saturating_add(100)).max(least);
            let range = most.abs_diff(least).saturating_add(1);
            json!(least.saturating_add_unsigned(seed.hash % range))
        }
        Some("boolean") => json!(seed.hash.is_multiple_of(2)),
        Some("string") => json!(seed.words(12, usize::try_from(limit("maxLength", 200)).unwrap_or(usize::MAX))),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompts::Kind;
    use crate::{Article, Nonce, schema};

    fn prompt(kind: Kind, text: &str) -> Prompt {
        Prompt::for_kind(kind, None, None, &Article { title: "Title", text, most_chars: 1000 }, &Nonce::new([1; 16]))
    }

    fn content(prompt: &Prompt) -> Value {
        let body = completion(prompt, None);
        serde_json::from_str(body["choices"][0]["message"]["content"].as_str().unwrap()).unwrap()
    }

    #[test]
    fn scripts() {
        let check = |script: &str, expected: &str| {
            let told = Mock::read(Duration::ZERO, script).map_or_else(|why| why, |mock| format!("{:?}", mock.script));
            assert_eq!(told, expected, "{script}");
        };
        check("", "[]");
        check("429*2, answer", "[Status(429, None), Status(429, None), Answer]");
        check("429:30 500 timeout", r#"[Status(429, Some("30")), Status(500, None), Timeout]"#);
        check("refused empty", r#"[Refused, Text("")]"#);
        check("oops", "\"oops\" is not a step of a mock model");
        check("200", "\"200\" is not a step of a mock model");
        check("500*x", "\"500*x\" is not a step of a mock model");
        check("500*20000", "a script has at most 10000 steps");
        check("500*99999999999999999999", "\"500*99999999999999999999\" is not a step of a mock model");
    }

    #[test]
    fn dummy_data_fits_every_schema_and_is_the_same_again() {
        let texts =
            ["Rain fell on Monday in the north of the country.", "", "一二三四五六七八九十", &"long ".repeat(900)];
        for kind in Kind::ALL {
            for text in texts {
                let prompt = prompt(kind, text);
                let answer = content(&prompt);
                assert_eq!(schema::fitted(&answer, &kind.schema().schema).as_ref(), Ok(&answer), "{kind:?} {text:.20}");
                assert_eq!(content(&prompt), answer);
            }
        }
        let categories: std::collections::BTreeSet<String> =
            (0..50).map(|n| content(&prompt(Kind::Tags, &format!("Text {n}")))["category"].to_string()).collect();
        assert!(categories.len() > 5, "dummy data varies with the article: {categories:?}");
    }

    #[test]
    fn dummy_texts_are_words_of_the_article() {
        let answer = content(&prompt(Kind::Summary, "Rain fell on Monday."));
        assert_eq!(answer, json!({"summary": "Rain fell on Monday.", "one_line": "Rain fell on Monday."}));
    }
}
