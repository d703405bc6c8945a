//! Wide rows by name: a column is one line of one list, and texts, kinds, values and reading are made from that list.
//!
//! `stored_columns!` is for columns that are written from a struct and read back into one, `selected_columns!` for what is
//! only read. Both fix the order of columns once, so that a statement and the code around it cannot disagree about it.
//! `text!` puts the text of a statement together while compiling: no name is looked up and no text is made when it runs.

use crate::db::value::{Kind, Value};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// Declares the columns of a table that keep the parts of a struct.
///
/// `name: Kind = place;` writes the value at `place` and reads it back to the same place. Where a value is stored
/// otherwise than it is kept, `name: Kind as Type = value;` writes `value`, and reading gives a variable `name` of that
/// type to the block `then`. Makes `NAMES`, `KINDS`, `COUNT`, `bind` and `read`.
macro_rules! stored_columns {
    (
        $(#[$doc:meta])*
        $list:ident($kept:ident: $struct:ty) {
            $($(#[$column:meta])* $name:ident: $kind:ident $(as $type:ty)? = $value:expr;)*
        }
        then $then:block
    ) => {
        $crate::db::columns::written_columns! {
            $(#[$doc])*
            $list($kept: $struct) {
                $($(#[$column])* $name: $kind = $crate::db::columns::ToValue::to_value(&$value);)*
            }
        }

        impl $list {
            /// Takes the columns from a row, which has them next.
            pub(crate) fn read(
                row: &mut $crate::db::value::Record,
            ) -> Result<$struct, $crate::StoreError> {
                let mut $kept = <$struct>::default();
                $($crate::db::columns::read_column!(row, $name, [$($type)?], $value);)*
                $then
                Ok($kept)
            }
        }
    };
}

/// Reads one column of [`stored_columns!`]: to its place, or to a variable.
macro_rules! read_column {
    ($row:ident, $name:ident, [], $place:expr) => {
        $place = $row.next()?;
    };
    ($row:ident, $name:ident, [$type:ty], $value:expr) => {
        let $name: $type = $row.next()?;
    };
}

/// Declares columns that are only written: `name: Kind = value;`, where the value can become a `Value`. Makes `NAMES`, `KINDS`, `COUNT` and `bind`.
macro_rules! written_columns {
    (
        $(#[$doc:meta])*
        $list:ident($from:ident: $struct:ty) {
            $($(#[$column:meta])* $name:ident: $kind:ident = $value:expr;)*
        }
    ) => {
        $(#[$doc])*
        pub(crate) struct $list;

        impl $list {
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];
            pub(crate) const KINDS: &'static [$crate::db::value::Kind] = &[$($crate::db::value::Kind::$kind),*];
            pub(crate) const COUNT: usize = Self::NAMES.len();

            /// Adds the values to a row of parameters.
            pub(crate) fn bind($from: &$struct, row: &mut Vec<$crate::db::value::Value>) {
                row.extend([$($crate::db::value::Value::from($value)),*]);
            }
        }
    };
}

/// Declares what is read: `name = "expression";`, or `name: Type = "expression";` where the type cannot be inferred. Each
/// is a variable of that name in the body of the function that makes something of them. Makes `SQL` and the function,
/// whose first argument is the row that has these columns next.
macro_rules! selected_columns {
    (
        $(#[$doc:meta])*
        $list:ident {
            $($(#[$column:meta])* $name:ident $(: $type:ty)? = $sql:expr;)*
        }
        $(#[$read_doc:meta])*
        fn $read:ident($row:ident $(, $argument:ident: $argument_type:ty)*) -> $result:ty $body:block
    ) => {
        $(#[$doc])*
        pub(crate) struct $list;

        impl $list {
            pub(crate) const SQL: &'static [&'static str] = &[$($sql),*];
        }

        $(#[$read_doc])*
        fn $read(
            $row: &mut $crate::db::value::Record
            $(, $argument: $argument_type)*
        ) -> Result<$result, $crate::StoreError> {
            $(let $name $(: $type)? = $row.next()?;)*
            Ok($body)
        }
    };
}

/// A text that is put together of literals and [`Part`]s while compiling.
macro_rules! text {
    ($($part:expr),+ $(,)?) => {{
        const JOINED: &$crate::db::columns::Joined =
            &$crate::db::columns::Joined::of(&[$($crate::db::columns::part!($part)),+]);
        JOINED.as_str()
    }};
}

/// A literal is a text; anything else is a [`Part`] already.
macro_rules! part {
    ($text:literal) => {
        $crate::db::columns::Part::Text($text)
    };
    ($part:expr) => {
        $part
    };
}

/// The kinds of a statement's parameters: some of its own, then those of lists of columns.
macro_rules! kinds {
    ([$($kind:ident),*]) => {
        &[$($crate::db::value::Kind::$kind),*]
    };
    ([$($kind:ident),*] $($columns:ident)+) => {{
        const PARTS: &[&[$crate::db::value::Kind]] = &[&[$($crate::db::value::Kind::$kind),*], $($columns::KINDS),+];
        const KINDS: [$crate::db::value::Kind; $crate::db::columns::count(PARTS)] = $crate::db::columns::joined(PARTS);
        &KINDS
    }};
}

pub(crate) use {kinds, part, read_column, selected_columns, stored_columns, text, written_columns};

/// A part of a text.
pub(crate) enum Part {
    /// As it is.
    Text(&'static str),
    /// `a, b`.
    List(&'static [&'static str]),
    /// `t.a, t.b`.
    Of(&'static str, &'static [&'static str]),
    /// `a = $3, b = $4`, numbered from the first on through all lists.
    Set(usize, &'static [&'static [&'static str]]),
    /// `$3, $4`: as many as there are names, numbered from the first on.
    Parameters(usize, &'static [&'static str]),
    /// `a = excluded.a, b = excluded.b`.
    Excluded(&'static [&'static str]),
}

/// The longest text that is put together.
const LONGEST: usize = 4096;

/// Parts, joined. Only made while compiling.
pub(crate) struct Joined {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Joined {
    pub(crate) const fn of(parts: &[Part]) -> Self {
        let mut joined = Self { bytes: [0; LONGEST], length: 0 };
        let mut i = 0;
        while i < parts.len() {
            joined.part(&parts[i]);
            i += 1;
        }
        joined
    }

    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => panic!("texts joined are a text"),
        }
    }

    const fn part(&mut self, part: &Part) {
        match part {
            Part::Text(text) => self.text(text),
            Part::List(names) => self.each(names, "", "", 0),
            Part::Of(table, names) => {
                let mut i = 0;
                while i < names.len() {
                    self.text(if i == 0 { "" } else { ", " });
                    self.text(table);
                    self.text(".");
                    self.text(names[i]);
                    i += 1;
                }
            }
            Part::Set(first, lists) => {
                let (mut list, mut number) = (0, *first);
                while list < lists.len() {
                    self.text(if list == 0 { "" } else { ", " });
                    self.each(lists[list], " = $", "", number);
                    number += lists[list].len();
                    list += 1;
                }
            }
            Part::Parameters(first, names) => {
                let mut i = 0;
                while i < names.len() {
                    self.text(if i == 0 { "$" } else { ", $" });
                    self.number(*first + i);
                    i += 1;
                }
            }
            Part::Excluded(names) => self.each(names, " = excluded.", "name", 0),
        }
    }

    /// Each name, followed by `between` and by its number, if there is a first one, or by the name again.
    const fn each(&mut self, names: &[&str], between: &str, again: &str, first: usize) {
        let mut i = 0;
        while i < names.len() {
            self.text(if i == 0 { "" } else { ", " });
            self.text(names[i]);
            self.text(between);
            if first > 0 {
                self.number(first + i);
            } else if !again.is_empty() {
                self.text(names[i]);
            }
            i += 1;
        }
    }

    const fn number(&mut self, number: usize) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.byte(b'0' + (number % 10) as u8);
    }

    const fn text(&mut self, text: &str) {
        let mut i = 0;
        while i < text.len() {
            self.byte(text.as_bytes()[i]);
            i += 1;
        }
    }

    const fn byte(&mut self, byte: u8) {
        assert!(self.length < LONGEST, "the text is too long: raise LONGEST");
        self.bytes[self.length] = byte;
        self.length += 1;
    }
}

/// How many kinds there are in all parts.
pub(crate) const fn count(parts: &[&[Kind]]) -> usize {
    let (mut i, mut count) = (0, 0);
    while i < parts.len() {
        count += parts[i].len();
        i += 1;
    }
    count
}

/// The kinds of all parts.
pub(crate) const fn joined<const N: usize>(parts: &[&[Kind]]) -> [Kind; N] {
    let mut kinds = [Kind::Int; N];
    let (mut i, mut place) = (0, 0);
    while i < parts.len() {
        let mut j = 0;
        while j < parts[i].len() {
            kinds[place] = parts[i][j];
            place += 1;
            j += 1;
        }
        i += 1;
    }
    kinds
}

/// What can be written to a column from where it is kept.
pub(crate) trait ToValue {
    fn to_value(&self) -> Value;
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl ToValue for $type {
            fn to_value(&self) -> Value {
                Value::Int(i64::from(*self))
            }
        }
    )*};
}

integers!(i64, i32, u32, u16, u8);

macro_rules! copied {
    ($($type:ty),*) => {$(
        impl ToValue for $type {
            fn to_value(&self) -> Value {
                (*self).into()
            }
        }
    )*};
}

copied!(u64, bool, &str, [u8; 16], [u8; 32], Timestamp, SignedDuration, Uuid);

impl ToValue for String {
    fn to_value(&self) -> Value {
        self.as_str().into()
    }
}

impl ToValue for Vec<u8> {
    fn to_value(&self) -> Value {
        self.clone().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::value::Record;

    #[derive(Debug, Default, PartialEq)]
    pub(crate) struct Thing {
        count: i64,
        name: Option<String>,
        bits: u64,
    }

    stored_columns! {
        ThingColumns(thing: Thing) {
            count: Int = thing.count;
            called: Text = thing.name;
            bits: Int as i64 = thing.bits as i64;
        }
        then {
            thing.bits = bits as u64;
        }
    }

    selected_columns! {
        PairColumns {
            second: Option<i64> = "t.b + 1";
            first = "t.a";
        }
        fn pair(row, third: i64) -> (String, i64, i64) {
            (first, second.unwrap_or_default(), third)
        }
    }

    #[test]
    fn texts_are_made_of_lists() {
        let names = ThingColumns::NAMES;
        assert_eq!(names, ["count", "called", "bits"]);
        assert_eq!(
            text!("UPDATE t SET x = 1, ", Part::Set(9, &[&["y"], ThingColumns::NAMES]), " WHERE a = $1"),
            "UPDATE t SET x = 1, y = $9, count = $10, called = $11, bits = $12 WHERE a = $1"
        );
        assert_eq!(
            text!("SELECT ", Part::Of("t", ThingColumns::NAMES), ", ", Part::List(PairColumns::SQL)),
            "SELECT t.count, t.called, t.bits, t.b + 1, t.a"
        );
        assert_eq!(
            text!(Part::Parameters(3, ThingColumns::NAMES), " SET ", Part::Excluded(ThingColumns::NAMES)),
            "$3, $4, $5 SET count = excluded.count, called = excluded.called, bits = excluded.bits"
        );
        let own: &[Kind] = kinds!([Int, Bool]);
        let all: &[Kind] = kinds!([Int, Bool] ThingColumns ThingColumns);
        assert_eq!(own, [Kind::Int, Kind::Bool]);
        let three = [Kind::Int, Kind::Text, Kind::Int];
        assert_eq!(all, [own, &three, &three].concat());
        assert_eq!(ThingColumns::COUNT, 3);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let thing = Thing { count: 7, name: Some("seven".into()), bits: u64::MAX };
        let mut row = Vec::new();
        ThingColumns::bind(&thing, &mut row);
        assert_eq!(row, [Value::Int(7), Value::Text("seven".into()), Value::Int(-1)]);
        assert_eq!(ThingColumns::read(&mut Record::new(row)).unwrap(), thing);
        let mut row = Record::new(vec![Value::Int(2), Value::Text("one".into())]);
        assert_eq!(pair(&mut row, 3).unwrap(), ("one".into(), 2, 3));
    }
}
