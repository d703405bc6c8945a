//! How enums are written in columns. Words that people may meet in a dump are words; keys are numbers.
//!
//! A word is for ever: a renamed variant keeps its old word here.

use crate::StoreError;
use crate::db::value::{FromValue, Value};
use model::blob::{AtRest, Coding};
use model::enrichment::{AttemptEnd, Breaker, Kind as EnrichmentKind, Switch, Why};
use model::entry::{EnclosureKind, KeyKind};
use model::feed::{DomainRule, FeedKind, FeedState, Origin};
use model::full_text::FullText;
use model::plan::PauseReason;
use model::reader::{Role, SortOrder};
use model::visit::VisitResult;
use std::collections::BTreeMap;

macro_rules! words {
    ($($type:ident, $what:literal: $($variant:ident = $word:literal),+;)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::Word(match value { $($type::$variant => $word,)+ })
            }
        }

        impl FromValue for $type {
            fn from_value(value: Value) -> Result<Self, StoreError> {
                match String::from_value(value)?.as_str() {
                    $($word => Ok(Self::$variant),)+
                    other => Err(StoreError::row(format!("`{other}` is no {}", $what))),
                }
            }
        }
    )*};
}

words! {
    FeedKind, "kind of feed":
        Unknown = "unknown", Rss = "rss", Rdf = "rdf", Atom = "atom", Json = "json", Cdf = "cdf";
    DomainRule, "domain rule": Any = "any", Registrable = "registrable", Exact = "exact";
    Origin, "origin of a feed": Operator = "operator", Reader = "reader";
    Role, "role": User = "user", Moderator = "moderator", Admin = "admin", SuperAdmin = "super_admin";
    SortOrder, "order of entries": Newest = "newest", Oldest = "oldest";
    FullText, "switch for full text": Auto = "auto", Always = "always", Never = "never";
    VisitResult, "result of a visit":
        Fresh = "fresh", Unchanged = "unchanged", Gone = "gone", Busy = "busy", Failed = "failed",
        Deferred = "deferred";
    Coding, "content coding":
        Identity = "identity", Gzip = "gzip", Deflate = "deflate", Brotli = "br", Zstd = "zstd";
    PauseReason, "reason of a pause": Asked = "asked", TooOften = "too-often", Refused = "refused";
    EnrichmentKind, "kind of enrichment": Summary = "summary", Tags = "tags", Deframe = "deframe";
    Switch, "switch for enrichments": Off = "off", Local = "local", Model = "model";
    Why, "reason for no enrichment":
        Off = "off", TooShort = "too_short", NoTitle = "no_title", Waiting = "waiting", Budget = "budget",
        Provider = "provider", Admin = "admin", Private = "private";
    Breaker, "state of a breaker": Closed = "closed", Open = "open", HalfOpen = "half";
    AttemptEnd, "end of an attempt":
        Ok = "ok", Temporary = "temporary", RateLimited = "rate_limited", Permanent = "permanent",
        BadAnswer = "bad_answer", Unfaithful = "unfaithful", Lost = "lost", NotMade = "not_made";
    EnclosureKind, "kind of enclosure": Audio = "audio", Video = "video";
    AtRest, "way of storing": AsIs = "as-is", Zstd = "zstd";
}

impl From<KeyKind> for Value {
    fn from(value: KeyKind) -> Self {
        Self::Int(match value {
            KeyKind::Guid => 1,
            KeyKind::Url => 2,
            KeyKind::Content => 3,
            KeyKind::SharedUrl => 4,
        })
    }
}

impl FromValue for KeyKind {
    fn from_value(value: Value) -> Result<Self, StoreError> {
        match i64::from_value(value)? {
            1 => Ok(Self::Guid),
            2 => Ok(Self::Url),
            3 => Ok(Self::Content),
            4 => Ok(Self::SharedUrl),
            other => Err(StoreError::row(format!("{other} is no kind of key"))),
        }
    }
}

/// Header fields, never null.
pub(crate) fn headers(headers: &model::raw::Headers) -> Value {
    match json(headers) {
        Value::Null => Value::Text("[]".into()),
        text => text,
    }
}

/// A state is two columns: the word and, for some, the reason.
pub(crate) fn state_word(state: &FeedState) -> &'static str {
    match state {
        FeedState::Active => "active",
        FeedState::Paused => "paused",
        FeedState::Disabled { .. } => "disabled",
        FeedState::AwaitingModeration => "awaiting",
        FeedState::Rejected { .. } => "rejected",
        FeedState::Gone => "gone",
        FeedState::Deleted => "deleted",
    }
}

pub(crate) fn state(word: &str, reason: Option<String>) -> Result<FeedState, StoreError> {
    let reason = reason.unwrap_or_default();
    Ok(match word {
        "active" => FeedState::Active,
        "paused" => FeedState::Paused,
        "disabled" => FeedState::Disabled { reason },
        "awaiting" => FeedState::AwaitingModeration,
        "rejected" => FeedState::Rejected { reason },
        "gone" => FeedState::Gone,
        "deleted" => FeedState::Deleted,
        other => return Err(StoreError::row(format!("`{other}` is no state of a feed"))),
    })
}

/// Lists become JSON, empty ones NULL.
pub(crate) fn json<T: serde::Serialize>(list: &[T]) -> Value {
    if list.is_empty() {
        return Value::Null;
    }
    let text = serde_json::to_string(list).expect("plain lists have a JSON form");
    if text.contains("\\u0000") { Value::Text(without_escaped_nul(&text)) } else { Value::Text(text) }
}

/// A feed's own rules: a JSON object of texts; NULL is none.
pub(crate) fn rules(text: Option<String>) -> Result<BTreeMap<String, String>, StoreError> {
    text.map_or(Ok(BTreeMap::new()), |text| serde_json::from_str(&text).map_err(StoreError::row))
}

/// The same as a column.
pub(crate) fn rules_value(rules: &BTreeMap<String, String>) -> Value {
    if rules.is_empty() {
        return Value::Null;
    }
    let text = serde_json::to_string(rules).expect("texts have a JSON form");
    Value::Text(without_escaped_nul(&text))
}

/// The payload of an event; null is NULL.
pub(crate) fn payload(json: &serde_json::Value) -> Value {
    if json.is_null() { Value::Null } else { Value::Text(without_escaped_nul(&json.to_string())) }
}

/// Inside JSON, U+0000 is an escape, which PostgreSQL refuses like the character itself.
fn without_escaped_nul(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = if rest[at..].starts_with("\\u") { 6 } else { 2 };
        if &rest[at..at + escape] != "\\u0000" {
            out.push_str(&rest[at..at + escape]);
        }
        rest = &rest[at + escape..];
    }
    out + rest
}

/// A JSON column read back; NULL is the empty list.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: Option<String>) -> Result<Vec<T>, StoreError> {
    text.map_or(Ok(Vec::new()), |text| serde_json::from_str(&text).map_err(StoreError::row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_leaves_json_and_nothing_else_does() {
        let check = |text: &str, expected: &str| assert_eq!(json(&[text]), Value::Text(expected.into()), "{text:?}");
        check("a\0b", r#"["ab"]"#);
        check("\\u0000", r#"["\\u0000"]"#); // a backslash and letters: not the character
        check("\u{1}\0\n\"\\", r#"["\u0001\n\"\\"]"#);
        assert_eq!(json::<String>(&[]), Value::Null);
    }
}
