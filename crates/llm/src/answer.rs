//! What a server said, understood: an answer with its usage, or why there is none. Pure.
//!
//! All of it is hostile input: bounded, never a panic. What a text claims is not checked here, nor is it cleaned: it is
//! text, and whoever shows it escapes it.

use crate::error::CallError;
use crate::key::Key;
use crate::tokens::estimate_tokens;
use crate::{chunks, repair, schema};
use http_semantics::retry_after;
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;

/// A usable answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// An object that fits the schema of the prompt; a string where it has none.
    pub json: Value,
    /// What it cost.
    pub usage: Usage,
    /// The model that answered, as the server calls it.
    pub model: String,
    /// How long the call took.
    pub took: Duration,
}

/// The tokens of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Of the prompt.
    pub prompt_tokens: u64,
    /// Of the answer.
    pub completion_tokens: u64,
    /// Whether the server did not report them, so that they are estimated, on the high side.
    pub estimated: bool,
}

/// The most bytes of a body; more is not read.
pub(crate) const MOST_BODY_BYTES: u64 = 256 << 10;

/// The longest text of an answer.
const MOST_CONTENT_BYTES: usize = 64 << 10;

/// Servers report no more than this; larger numbers are mistakes and are not believed.
const MOST_TOKENS: u64 = 10_000_000;

/// The most characters of a server's words in a reason, and of the name of a model.
const MOST_SAID: usize = 200;
const MOST_NAME: usize = 100;

/// What was asked, as far as reading the answer needs it.
pub(crate) struct Asked<'a> {
    pub(crate) schema: Option<&'a Value>,
    /// Estimated.
    pub(crate) prompt_tokens: u64,
    pub(crate) max_tokens: u32,
    pub(crate) model: &'a str,
    pub(crate) key: &'a Key,
    /// When the response came.
    pub(crate) now: Timestamp,
    pub(crate) took: Duration,
}

/// Reads a response.
pub(crate) fn read(
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    asked: &Asked<'_>,
) -> Result<Answer, CallError> {
    match status {
        200..=299 => success(headers, body, asked),
        300..=399 => Err(CallError::Permanent { why: redirect(status, headers) }),
        _ => Err(failure(status, headers, message(body).as_deref(), asked)),
    }
}

impl Asked<'_> {
    /// An answer that was paid for and cannot be used.
    pub(crate) fn bad(&self, why: impl Into<String>) -> CallError {
        CallError::BadAnswer { why: why.into(), usage: self.usage(&Value::Null, "") }
    }

    /// An answer that did not arrive, though it may have been made.
    pub(crate) fn unanswered(&self, why: String) -> CallError {
        CallError::Temporary { why, usage: Some(self.usage(&Value::Null, "")) }
    }

    /// As reported, or else estimated.
    fn usage(&self, value: &Value, content: &str) -> Usage {
        let reported = |field: &str| value["usage"][field].as_u64().filter(|tokens| *tokens <= MOST_TOKENS);
        match (reported("prompt_tokens"), reported("completion_tokens")) {
            (Some(prompt_tokens @ 1..), Some(completion_tokens)) if completion_tokens > 0 || content.is_empty() => {
                Usage { prompt_tokens, completion_tokens, estimated: false }
            }
            // An unknown answer may have been as long as was allowed.
            _ => {
                let most = u64::from(self.max_tokens);
                let completion_tokens = if content.is_empty() { most } else { estimate_tokens(content).min(most) };
                Usage { prompt_tokens: self.prompt_tokens, completion_tokens, estimated: true }
            }
        }
    }

    /// Foreign words for a reason: on one line, without the key, not too long.
    fn said(&self, text: &str) -> String {
        one_line(&self.key.redacted(&one_line(text, 4 * MOST_SAID)), MOST_SAID)
    }
}

/// What a status means for the caller.
fn failure(status: u16, headers: &[(String, String)], message: Option<&str>, asked: &Asked<'_>) -> CallError {
    let message = message.map(|message| asked.said(message)).filter(|message| !message.is_empty());
    let why = match message {
        // Servers quote keys here, with stars in the middle.
        _ if matches!(status, 401 | 403) => format!("it answered {status}: the key is missing, wrong or not allowed"),
        Some(message) => format!("it answered {status}: {message}"),
        None => format!("it answered {status}"),
    };
    match status {
        429 => CallError::RateLimited { why, retry_at: retry_at(headers, asked.now) },
        ..200 | 408 | 409 | 425 | 500.. => CallError::Temporary { why, usage: None },
        _ => CallError::Permanent { why },
    }
}

fn retry_at(headers: &[(String, String)], now: Timestamp) -> Option<Timestamp> {
    let lines = headers.iter().filter(|(name, _)| name == "retry-after").map(|(_, value)| value.as_bytes());
    retry_after::read(lines, now)
}

/// The target is named by its host alone; it is never asked: the key is for the host that was configured.
fn redirect(status: u16, headers: &[(String, String)]) -> String {
    let target = headers.iter().find(|(name, _)| name == "location").map(|(_, value)| value.as_str());
    let host = target.and_then(|target| url::Url::parse(target).ok()).map(|url| url.origin().ascii_serialization());
    let to = host.map_or_else(String::new, |host| format!(" to {}", one_line(&host, MOST_NAME)));
    format!("it answered {status}, a redirect{to}, which is not followed; configure the final URL")
}

fn success(headers: &[(String, String)], body: &[u8], asked: &Asked<'_>) -> Result<Answer, CallError> {
    let text = std::str::from_utf8(body).map_err(|_| asked.bad("it is not UTF-8"))?;
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(_) => chunks::joined(text).ok_or_else(|| asked.bad(not_json(text)))?,
    };
    if !value["error"].is_null() {
        return Err(error_object(&value, headers, asked));
    }
    let choice = &value["choices"][0];
    let message = &choice["message"];
    let content = content(&message["content"]);
    let usage = asked.usage(&value, &content);
    let bad = |why: String| CallError::BadAnswer { why, usage };
    if choice.is_null() {
        return Err(bad("it contains no choice".to_owned()));
    }
    let finish = choice["finish_reason"].as_str().unwrap_or_default();
    if let Some(refusal) = message["refusal"].as_str().filter(|refusal| !refusal.is_empty()) {
        return Err(bad(format!("the model refused: {}", asked.said(refusal))));
    }
    if finish == "content_filter" {
        return Err(bad("a filter of the server removed it".to_owned()));
    }
    if content.len() > MOST_CONTENT_BYTES {
        return Err(bad(format!("it is longer than {MOST_CONTENT_BYTES} bytes")));
    }
    let cut = |why: String| {
        if finish == "length" { format!("{why}; it ended at the limit of {} tokens", asked.max_tokens) } else { why }
    };
    let json = match asked.schema {
        Some(schema) => {
            let object = repair::object(&content).map_err(|why| bad(cut(why)))?;
            schema::fitted(&object, schema).map_err(|why| bad(cut(why)))?
        }
        None if content.trim().is_empty() => return Err(bad(cut("it is empty".to_owned()))),
        None => Value::String(content),
    };
    let model = value["model"].as_str().map(|name| one_line(name, MOST_NAME)).filter(|name| !name.is_empty());
    Ok(Answer { json, usage, model: model.unwrap_or_else(|| asked.model.to_owned()), took: asked.took })
}

/// The text of a message: a string, or a list of parts.
fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Some proxies answer 200 and put the real status into the error.
fn error_object(value: &Value, headers: &[(String, String)], asked: &Asked<'_>) -> CallError {
    let error = &value["error"];
    let words = || [&error["code"], &error["type"]].into_iter().filter_map(Value::as_str);
    let status = [&error["code"], &error["status"]]
        .into_iter()
        .find_map(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()))
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code));
    let message = message_of(value);
    match status {
        Some(status) => failure(status, headers, message.as_deref(), asked),
        None if words().any(|word| word.contains("rate_limit")) => failure(429, headers, message.as_deref(), asked),
        None => {
            let message = message.map_or_else(String::new, |message| format!(": {}", asked.said(&message)));
            asked.bad(format!("it is an error{message}"))
        }
    }
}

/// The message of an error: `{"error": {"message": …}}`, `{"error": …}`, `{"message": …}` or `{"detail": …}`.
fn message(body: &[u8]) -> Option<String> {
    message_of(&serde_json::from_slice(body).ok()?)
}

fn message_of(value: &Value) -> Option<String> {
    let places = [&value["error"]["message"], &value["error"], &value["message"], &value["detail"]];
    places.into_iter().find_map(Value::as_str).map(str::to_owned)
}

fn not_json(text: &str) -> &'static str {
    match text.trim_start().bytes().next() {
        None => "it is empty",
        Some(b'<') => "it is a web page, not JSON",
        Some(_) => "it is not JSON",
    }
}

/// White space and control characters become one space; the rest is cut at so many characters.
fn one_line(text: &str, most: usize) -> String {
    let mut out = String::new();
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    for (count, c) in words.flat_map(|word| std::iter::once(' ').chain(word.chars())).skip(1).enumerate() {
        if count == most {
            out.push('…');
            break;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests;
