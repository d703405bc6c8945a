//! What the bodies of several resources share: ids as foreign clients send them, moments, and the answer `{ok}`.

use jiff::{SignedDuration, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// The answer to a change that has nothing to say.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(crate) struct Done {
    /// Always true.
    pub(crate) ok: bool,
}

/// See [`Done`].
pub(crate) const DONE: Done = Done { ok: true };

/// A moment as RFC 3339, to the second.
pub(crate) fn moment(at: Timestamp) -> String {
    format!("{at:.0}")
}

/// A moment as unix seconds; 0 is unknown.
pub(crate) fn unix(at: Option<Timestamp>) -> i64 {
    at.map_or(0, Timestamp::as_second)
}

/// How many posts a feed has in a week, from the time between two of them; to one decimal.
pub(crate) fn posts_per_week(gap: Option<SignedDuration>) -> Option<f64> {
    let gap = gap.filter(|gap| gap.is_positive())?.as_secs_f64();
    // A gap of less than a second says that several came at once, not that a million come.
    Some((7.0 * 86_400.0 / gap.max(1.0) * 10.0).round() / 10.0)
}

/// Reads a moment that a client sent.
pub(crate) fn read_moment(name: &str, text: &str) -> Result<Timestamp, crate::error::ApiError> {
    text.parse().map_err(|_| {
        crate::error::ApiError::unprocessable(format!("`{name}` is no moment; write it as 2026-01-31T09:00:00Z"))
    })
}

/// An id in a body: some clients send it in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LooseId(pub(crate) i64);

impl<'de> Deserialize<'de> for LooseId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(i64),
            Text(String),
        }
        match Written::deserialize(deserializer).map_err(|_| D::Error::custom("expected the number of an id"))? {
            Written::Number(id) => Ok(Self(id)),
            Written::Text(text) => {
                let id =
                    text.trim().parse().map_err(|_| D::Error::custom(format!("`{text}` is not the number of an id")));
                id.map(Self)
            }
        }
    }
}

/// An address of the web that a client sent.
pub(crate) fn web_address(text: &str) -> Result<String, crate::error::ApiError> {
    let address = url::Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let address = address.filter(|url| url.as_str().len() <= 8_000).map(String::from);
    address
        .ok_or_else(|| crate::error::ApiError::unprocessable("This is no address that begins with http:// or https://"))
}

/// A field that may be missing (`None`), null (`Some(None)`) or there.
pub(crate) fn maybe_null<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_be_in_quotes() {
        let read = |text: &str| serde_json::from_str::<LooseId>(text).map(|id| id.0).map_err(|error| error.to_string());
        assert_eq!(read("3").unwrap(), 3);
        assert_eq!(read("\" 3 \"").unwrap(), 3);
        assert!(read("\"No category\"").unwrap_err().starts_with("`No category` is not the number of an id"));
        assert!(read("[1]").unwrap_err().starts_with("expected the number of an id"));
    }
}
