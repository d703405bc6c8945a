//! Values that go into statements and records that come out, the same for both databases.
//!
//! A statement's parameters are declared with their kinds (`sql.rs`), so that PostgreSQL never has to guess a type
//! and SQLite's loose typing cannot hide a swap. Domain types are converted in the file of their noun.

use crate::error::StoreError;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// What kind of value a parameter takes, in both dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `bigint` / INTEGER. Times and durations are microseconds.
    Int,
    /// `text` / TEXT.
    Text,
    /// `bytea` / BLOB.
    Bytes,
    /// `boolean` / INTEGER 0 or 1.
    Bool,
    /// `uuid` / BLOB of 16 bytes.
    Uuid,
    /// `jsonb` / TEXT.
    Json,
}

/// One value of one row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    Bool(bool),
    Uuid(Uuid),
    /// A text that is ours, of kind `Text`.
    Word(&'static str),
    /// Bytes that are many and short, of kind `Bytes`.
    Hash([u8; 16]),
    /// The id of an entry that the batch brings, counted back from its last one; `new_entry($n)` in a text.
    NewEntry(i64),
    /// The id of an event, likewise; `new_event($n)` in a text.
    NewEvent(i64),
}

impl Value {
    /// Roughly how much memory it takes, for the queue's bound.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Text(text) => 16 + text.len(),
            Self::Bytes(bytes) => 16 + bytes.len(),
            _ => 16,
        }
    }
}

/// Text loses U+0000 on the way in: PostgreSQL refuses it for ever, and nobody can read it.
fn without_nul(mut text: String) -> String {
    if text.contains('\0') {
        text.retain(|c| c != '\0');
    }
    text
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<u16> for Value {
    fn from(value: u16) -> Self {
        Self::Int(i64::from(value))
    }
}

/// Sizes above `i64::MAX` cannot occur; a saturated one would still be honest.
impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(without_nul(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(without_nul(value.to_owned()))
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl From<[u8; 16]> for Value {
    fn from(value: [u8; 16]) -> Self {
        Self::Hash(value)
    }
}

impl From<[u8; 32]> for Value {
    fn from(value: [u8; 32]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

impl From<Uuid> for Value {
    fn from(value: Uuid) -> Self {
        Self::Uuid(value)
    }
}

impl From<Timestamp> for Value {
    fn from(value: Timestamp) -> Self {
        Self::Int(value.as_microsecond())
    }
}

impl From<SignedDuration> for Value {
    fn from(value: SignedDuration) -> Self {
        Self::Int(i64::try_from(value.as_micros()).unwrap_or(i64::MAX))
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// One row of an answer. Columns are read in order of the statement's list; each is taken once.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    values: std::vec::IntoIter<Value>,
}

impl Record {
    pub(crate) fn new(values: Vec<Value>) -> Self {
        Self { values: values.into_iter() }
    }

    /// All columns that were not taken yet.
    #[cfg(test)]
    pub(crate) fn into_values(self) -> Vec<Value> {
        self.values.collect()
    }

    /// The next column, as what the caller needs it to be.
    pub(crate) fn next<T: FromValue>(&mut self) -> Result<T, StoreError> {
        let value = self.values.next().ok_or_else(|| StoreError::row("fewer columns than expected"))?;
        T::from_value(value)
    }
}

/// The id that a statement with `RETURNING id` returned.
pub(crate) fn returned_id(mut rows: Vec<Record>) -> Result<i64, StoreError> {
    rows.first_mut().ok_or_else(|| StoreError::row("a statement that returns an id returned none"))?.next()
}

/// What can be read from a column.
pub(crate) trait FromValue: Sized {
    fn from_value(value: Value) -> Result<Self, StoreError>;
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value) -> Result<Self, StoreError> {
        match value {
            Value::Null => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }
}

macro_rules! from_value {
    ($($kind:ty, $name:literal: $($pattern:pat => $result:expr),+;)*) => {$(
        impl FromValue for $kind {
            fn from_value(value: Value) -> Result<Self, StoreError> {
                match value {
                    $($pattern => Ok($result),)+
                    other => Err(StoreError::row(format!("expected {}, found {other:?}", $name))),
                }
            }
        }
    )*};
}

from_value! {
    i64, "an integer": Value::Int(value) => value;
    bool, "a boolean": Value::Bool(value) => value, Value::Int(value) => value != 0;
    String, "a text": Value::Text(value) => value;
    Vec<u8>, "bytes": Value::Bytes(value) => value;
}

impl FromValue for Uuid {
    fn from_value(value: Value) -> Result<Self, StoreError> {
        match value {
            Value::Uuid(value) => Ok(value),
            Value::Bytes(bytes) => Self::from_slice(&bytes).map_err(StoreError::row),
            other => Err(StoreError::row(format!("expected a UUID, found {other:?}"))),
        }
    }
}

impl FromValue for Timestamp {
    fn from_value(value: Value) -> Result<Self, StoreError> {
        Self::from_microsecond(i64::from_value(value)?).map_err(StoreError::row)
    }
}

impl FromValue for SignedDuration {
    fn from_value(value: Value) -> Result<Self, StoreError> {
        i64::from_value(value).map(Self::from_micros)
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_value(value: Value) -> Result<Self, StoreError> {
        let bytes = Vec::<u8>::from_value(value)?;
        bytes.try_into().map_err(|bytes: Vec<u8>| StoreError::row(format!("{} bytes instead of {N}", bytes.len())))
    }
}

macro_rules! narrower {
    ($($kind:ty),*) => {$(
        impl FromValue for $kind {
            fn from_value(value: Value) -> Result<Self, StoreError> {
                Self::try_from(i64::from_value(value)?).map_err(StoreError::row)
            }
        }
    )*};
}

narrower!(u8, u16, u32, u64, i32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_never_reaches_a_statement() {
        assert_eq!(Value::from("a\0b"), Value::Text("ab".into()));
        assert_eq!(Value::from(String::from("\0")), Value::Text(String::new()));
    }

    #[test]
    fn a_wrong_column_is_named() {
        let mut record = Record::new(vec![Value::Text("x".into())]);
        let why = |error: StoreError| std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        assert_eq!(why(record.next::<i64>().unwrap_err()), "expected an integer, found Text(\"x\")");
        assert_eq!(why(record.next::<i64>().unwrap_err()), "fewer columns than expected");
    }
}
