//! Tolerant JSON: every value stays raw text until it is requested with a type.
//!
//! `serde_json` finds the bounds of values, without recursion; each value is decoded on its own.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::limits::Limits;
use crate::newest::Newest;

/// The outermost object, with its `items` separate. Contains whatever was read before an error.
#[derive(Debug, Default)]
pub(super) struct Loose<'a> {
    pub fields: Fields<'a>,
    pub items: Vec<&'a str>,
    pub has_items: bool,
    /// The message about items that were left out.
    pub left_out: Option<String>,
    /// Where it stopped being valid JSON, or ended.
    pub error: Option<serde_json::Error>,
}

/// An object's members in document order.
#[derive(Debug, Default)]
pub(super) struct Fields<'a>(Vec<(Cow<'a, str>, &'a str)>);

/// Far more members than a feed or an item has.
const MAX_MEMBERS: usize = 512;

pub(super) fn document<'a>(text: &'a str, limits: &Limits) -> Loose<'a> {
    let mut loose = Loose::default();
    let mut items = Newest::up_to(limits.entries);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let outcome = (&mut deserializer).deserialize_map(Outermost { loose: &mut loose, items: &mut items });
    loose.error = outcome.err();
    (loose.items, loose.left_out) = items.finish(item_date);
    loose
}

/// The publication date of an item.
fn item_date(raw: &&str) -> Option<Timestamp> {
    let fields = Fields::of(raw)?;
    let date = |key| fields.text(key).and_then(|text| crate::date::parse(text.trim()));
    date("date_published").or_else(|| date("date_modified"))
}

impl<'a> Fields<'a> {
    /// The members of an object; `None` if the value is not one.
    pub(super) fn of(raw: &'a str) -> Option<Fields<'a>> {
        let mut loose = Loose::default();
        let mut deserializer = serde_json::Deserializer::from_str(raw);
        (&mut deserializer).deserialize_map(Members(&mut loose)).ok()?;
        Some(loose.fields)
    }

    /// A member's raw text; the last one of its name counts.
    fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, raw)| *raw).filter(|raw| *raw != "null")
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, raw)| (name.as_ref(), *raw))
    }

    /// A member as text; numbers and booleans as written.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(scalar)
    }

    /// The beginning of a member as a list; a single value is a list of one.
    pub(super) fn list(&self, key: &str, limit: usize) -> Vec<&'a str> {
        let Some(raw) = self.get(key).filter(|_| limit > 0) else { return Vec::new() };
        if !raw.starts_with('[') {
            return vec![raw];
        }
        let mut list = Vec::new();
        let take = |item: &'a str| {
            if list.len() < limit {
                list.push(item);
            }
            list.len() < limit
        };
        // After an error in the list, the values before it count.
        let _ = Items(take).deserialize(&mut serde_json::Deserializer::from_str(raw));
        list
    }
}

/// A scalar as text.
pub(super) fn scalar(raw: &str) -> Option<String> {
    match raw.as_bytes().first()? {
        b'"' => serde_json::from_str(raw).ok().or_else(|| serde_json::from_str(&without_lone_surrogates(raw)).ok()),
        b'{' | b'[' | b'n' => None,
        // Longer numbers are not identifiers.
        _ => Some(raw.chars().take(64).collect()),
    }
}

/// `\ud800` without its other half is not a character; JSON libraries refuse it, but some publishers write it.
fn without_lone_surrogates(raw: &str) -> String {
    let unit = |at: usize| -> Option<u16> {
        let escape = raw.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let mut out = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &raw.as_bytes()[at..]) {
        out.push_str(&raw[at..at + found]);
        at += found;
        let (used, kept) = match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, true),
            (Some(0xD800..=0xDFFF), _) => (6, false),
            (Some(_), _) => (6, true),
            (None, _) => (1 + raw[at + 1..].chars().next().map_or(0, char::len_utf8), true),
        };
        out.push_str(if kept { &raw[at..at + used] } else { "\u{fffd}" });
        at += used;
    }
    out.push_str(&raw[at..]);
    out
}

/// Fills a `Loose` from an object, so that an error keeps what came before it.
struct Outermost<'l, 'a> {
    loose: &'l mut Loose<'a>,
    items: &'l mut Newest<&'a str>,
}

impl<'a> Visitor<'a> for Outermost<'_, 'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'a>>()? {
            if key.0 == "items" {
                let (loose, items) = (&mut *self.loose, &mut *self.items);
                let is_list = map.next_value_seed(Items(|item| {
                    loose.has_items = true;
                    items.push(item, item_date);
                    !items.has_enough()
                }))?;
                self.loose.has_items |= is_list;
            } else {
                member(self.loose, key, &mut map)?;
            }
        }
        Ok(())
    }
}

/// Any other object: `items` has no special meaning.
struct Members<'l, 'a>(&'l mut Loose<'a>);

impl<'a> Visitor<'a> for Members<'_, 'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'a>>()? {
            member(self.0, key, &mut map)?;
        }
        Ok(())
    }
}

fn member<'a, A: MapAccess<'a>>(loose: &mut Loose<'a>, key: Key<'a>, map: &mut A) -> Result<(), A::Error> {
    let raw: &'a RawValue = map.next_value()?;
    if loose.fields.0.len() < MAX_MEMBERS {
        loose.fields.0.push((key.0, raw.get()));
    }
    Ok(())
}

/// A list whose items are passed to a callback until it returns false. The value is whether it was a list.
struct Items<F>(F);

impl<'a, F: FnMut(&'a str) -> bool> DeserializeSeed<'a> for Items<F> {
    type Value = bool;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a, F: FnMut(&'a str) -> bool> Visitor<'a> for Items<F> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut list: A) -> Result<bool, A::Error> {
        while let Some(item) = list.next_element::<&'a RawValue>()? {
            if !(self.0)(item.get()) {
                break;
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(true)
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<bool, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(false)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }
}

/// A key, borrowed if it contains no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'a> serde::Deserialize<'a> for Key<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'a> Visitor<'a> for KeyVisitor {
            type Value = Key<'a>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'a str) -> Result<Key<'a>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'a>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars() {
        assert_eq!(scalar(r#""a\ud83d\ude00b""#).as_deref(), Some("a😀b"));
        assert_eq!(scalar(r#""a\ud800b\\udc00""#).as_deref(), Some("a\u{fffd}b\\udc00"));
        assert_eq!(scalar("12.5").as_deref(), Some("12.5"));
        assert_eq!(scalar("true").as_deref(), Some("true"));
        assert_eq!(scalar("null"), None);
        assert_eq!(scalar("[1]"), None);
    }

    #[test]
    fn values_before_an_error_are_kept() {
        let loose = document(r#"{"title":"T","items":[{"id":1},{"id":2},{"id"#, &Limits::default());
        assert_eq!(loose.fields.text("title").as_deref(), Some("T"));
        assert_eq!(loose.items, [r#"{"id":1}"#, r#"{"id":2}"#]);
        assert!(loose.error.is_some());
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = format!("{{\"title\":\"t\",\"items\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(document(&deep, &Limits::default()).items.len(), 1);
    }
}
