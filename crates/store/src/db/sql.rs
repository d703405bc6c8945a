//! Statements: one text, or two where the dialects differ, with the kinds of their parameters.
//!
//! Texts are written with `$n`. SQLite would take `$2` for a *name*, numbered by first appearance, so that columns
//! swap silently: it gets `?n`. `greatest(` becomes SQLite's `max(`. A `rows` statement is written for one row;
//! SQLite loops over it, PostgreSQL gets the same statement over `unnest`ed arrays. `new_entry($n)` and `new_event($n)`
//! are ids counted back from the arrival row: PostgreSQL looks there, because a statement is sent before the answer of
//! the one that took the ids; SQLite is told.

use crate::db::value::Kind;
use std::fmt::Write as _;
use std::sync::OnceLock;

/// A statement. Always a `static`, declared through [`statements!`], so that a test can go through all of them.
#[derive(Debug)]
pub(crate) struct Sql {
    /// With its module: `store::commit::FENCE`.
    pub(crate) name: &'static str,
    pub(crate) params: &'static [Kind],
    pub(crate) text: Text,
    pub(crate) sqlite: OnceLock<String>,
    pub(crate) postgres: OnceLock<String>,
    pub(crate) arrays: OnceLock<String>,
}

/// How a statement is written.
#[derive(Debug)]
pub(crate) enum Text {
    /// Good for both.
    One(&'static str),
    /// The dialects differ.
    Two { sqlite: &'static str, postgres: &'static str },
    /// Written for one row, run for many.
    Rows(&'static str),
}

/// Declares the statements of a file, and the list of them. After the kinds of its own parameters a statement may name
/// lists of columns (`columns.rs`) whose parameters follow: `NAME(Int, Int; Columns)`.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident($($kind:ident),* $(,)? $(; $($columns:ident),+)?) = $text:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) static $name: $crate::db::sql::Sql = $crate::db::sql::Sql {
                name: concat!(module_path!(), "::", stringify!($name)),
                params: $crate::db::columns::kinds!([$($kind),*] $($($columns)+)?),
                text: $text,
                sqlite: std::sync::OnceLock::new(),
                postgres: std::sync::OnceLock::new(),
                arrays: std::sync::OnceLock::new(),
            };
        )*
        /// Every statement of this file, for the test that prepares them all.
        pub(crate) static ALL: &[&$crate::db::sql::Sql] = &[$(&$name),*];
    };
}
/// The ids in the JSON array of a parameter, as a subquery of a dialect: `json_ids!(sqlite "$2")`.
macro_rules! json_ids {
    (sqlite $json:literal) => {
        concat!("(SELECT value FROM json_each(", $json, "))")
    };
    (postgres $json:literal) => {
        concat!("(SELECT j.id::bigint FROM jsonb_array_elements_text(", $json, ") AS j(id))")
    };
}

/// A statement whose text is made by a macro that takes the dialect.
macro_rules! both {
    ($make:ident) => {
        Text::Two { sqlite: $make!(sqlite), postgres: $make!(postgres) }
    };
}

pub(crate) use {both, json_ids, statements};

/// The two databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Sql {
    /// The text for a dialect and one row, made once.
    pub(crate) fn text(&self, dialect: Dialect) -> &str {
        match dialect {
            Dialect::Sqlite => self.sqlite.get_or_init(|| self.render_sqlite()),
            Dialect::Postgres => self.postgres.get_or_init(|| self.render_postgres()),
        }
    }

    /// The text for PostgreSQL and any number of rows, if there is one.
    pub(crate) fn over_rows(&self) -> Option<&str> {
        let Text::Rows(text) = self.text else { return None };
        Some(self.arrays.get_or_init(|| arriving(&self.over_arrays(text))))
    }

    fn render_sqlite(&self) -> String {
        let text = match self.text {
            Text::One(text) | Text::Rows(text) => text,
            Text::Two { sqlite, .. } => sqlite,
        };
        let text = text.replace("new_entry(", "(").replace("new_event(", "(");
        with_parameters(&text.replace("greatest(", "max("), |n, out| {
            let _ = write!(out, "?{n}");
        })
    }

    fn render_postgres(&self) -> String {
        match self.text {
            Text::One(text) | Text::Two { postgres: text, .. } | Text::Rows(text) => arriving(text),
        }
    }

    /// `INSERT … VALUES (…) …` becomes `INSERT … SELECT … FROM unnest(…) …`; `UPDATE … WHERE` gains a `FROM`,
    /// `DELETE … WHERE` a `USING` and `SELECT … WHERE`, alone or in an INSERT, another table. Parameters become columns
    /// of `r`.
    fn over_arrays(&self, text: &str) -> String {
        let mut source = String::from("unnest(");
        for (i, kind) in self.params.iter().enumerate() {
            let _ = write!(source, "{}${}::{}[]", if i == 0 { "" } else { ", " }, i + 1, type_name(*kind));
        }
        source.push_str(") AS r(");
        for i in 1..=self.params.len() {
            let _ = write!(source, "{}c{i}", if i == 1 { "" } else { ", " });
        }
        source.push(')');

        let columns = with_parameters(text, |n, out| {
            let _ = write!(out, "r.c{n}");
        });
        if let Some(at) = columns.find("VALUES (") {
            let open = at + "VALUES ".len();
            let close = matching(&columns, open);
            format!("{}SELECT {} FROM {source}{}", &columns[..at], &columns[open + 1..close], &columns[close + 1..])
        } else {
            let at = outermost(&columns, "WHERE").expect("a rows statement has VALUES or a WHERE");
            let join = match columns.split(' ').next() {
                Some("DELETE") => "USING",
                Some("UPDATE") => "FROM",
                _ => ",",
            };
            format!("{}{join} {source} {}", &columns[..at], &columns[at..])
        }
    }
}

/// Looks the last ids up in the arrival row.
fn arriving(text: &str) -> String {
    let entries = text.replace("new_entry(", "((SELECT entries FROM arrival) - ");
    entries.replace("new_event(", "((SELECT events FROM arrival) - ")
}

/// The first occurrence of a word outside of parentheses.
fn outermost(text: &str, word: &str) -> Option<usize> {
    let mut depth = 0;
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ if depth == 0 && text.as_bytes()[i..].starts_with(word.as_bytes()) => return Some(i),
            _ => {}
        }
    }
    None
}

/// The index of the parenthesis that closes the one at `open`.
fn matching(text: &str, open: usize) -> usize {
    let mut depth = 0;
    for (i, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return i,
            b')' => depth -= 1,
            _ => {}
        }
    }
    panic!("unbalanced parentheses in {text}")
}

/// Copies a text, letting `render` write each `$n`.
pub(crate) fn with_parameters(text: &str, render: impl Fn(usize, &mut String)) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[at + 1..=at + digits].parse().expect("a $ in a statement is followed by a number");
        render(number, &mut out);
        rest = &rest[at + 1 + digits..];
    }
    out.push_str(rest);
    out
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "bigint",
        Kind::Text => "text",
        Kind::Bytes => "bytea",
        Kind::Bool => "boolean",
        Kind::Uuid => "uuid",
        Kind::Json => "jsonb",
    }
}

/// Every statement of the crate, those put together from parts in every shape.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = &'static Sql> {
    let composed = crate::COMPOSED.iter().flat_map(|composed| composed.shapes().map(|shape| composed.sql(shape)));
    crate::STATEMENTS.iter().flat_map(|file| file.iter().copied()).chain(composed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    statements! {
        INSERT(Int, Text) = Text::Rows("INSERT INTO t (b, a) VALUES ($2, (SELECT greatest(1, 2)) - $1) ON CONFLICT DO NOTHING");
        UPDATE(Int, Text) = Text::Rows("UPDATE t SET b = $2 WHERE a = $1");
        DELETE(Int) = Text::Rows("DELETE FROM t WHERE a = $1");
        /// `$2` comes first: SQLite would number it 1 if it were left a name.
        SWAPPED(Int, Text, Bool) = Text::One("SELECT $3, $2, $1");
        COPY(Int) = Text::Rows("INSERT INTO t (a) SELECT a FROM u WHERE b = $1");
        FIND(Int, Text) = Text::Rows("SELECT (SELECT max(a) FROM u WHERE b = $2) FROM t WHERE a = $1");
        ARRIVING(Int, Int) = Text::Rows("INSERT INTO t (a, b) VALUES (new_event($1), coalesce($2, new_entry($1)))");
    }

    #[test]
    fn one_text_serves_both_dialects() {
        let check = |sql: &Sql, sqlite: &str, postgres: &str| {
            assert_eq!(sql.text(Dialect::Sqlite), sqlite);
            assert_eq!(sql.over_rows().unwrap(), postgres);
        };
        check(
            &INSERT,
            "INSERT INTO t (b, a) VALUES (?2, (SELECT max(1, 2)) - ?1) ON CONFLICT DO NOTHING",
            "INSERT INTO t (b, a) SELECT r.c2, (SELECT greatest(1, 2)) - r.c1 FROM unnest($1::bigint[], $2::text[]) AS r(c1, c2) ON CONFLICT DO NOTHING",
        );
        check(
            &UPDATE,
            "UPDATE t SET b = ?2 WHERE a = ?1",
            "UPDATE t SET b = r.c2 FROM unnest($1::bigint[], $2::text[]) AS r(c1, c2) WHERE a = r.c1",
        );
        check(
            &DELETE,
            "DELETE FROM t WHERE a = ?1",
            "DELETE FROM t USING unnest($1::bigint[]) AS r(c1) WHERE a = r.c1",
        );
        check(
            &COPY,
            "INSERT INTO t (a) SELECT a FROM u WHERE b = ?1",
            "INSERT INTO t (a) SELECT a FROM u , unnest($1::bigint[]) AS r(c1) WHERE b = r.c1",
        );
        check(
            &ARRIVING,
            "INSERT INTO t (a, b) VALUES ((?1), coalesce(?2, (?1)))",
            "INSERT INTO t (a, b) SELECT ((SELECT events FROM arrival) - r.c1), coalesce(r.c2, ((SELECT entries FROM arrival) - r.c1)) FROM unnest($1::bigint[], $2::bigint[]) AS r(c1, c2)",
        );
        check(
            &FIND,
            "SELECT (SELECT max(a) FROM u WHERE b = ?2) FROM t WHERE a = ?1",
            "SELECT (SELECT max(a) FROM u WHERE b = r.c2) FROM t , unnest($1::bigint[], $2::text[]) AS r(c1, c2) WHERE a = r.c1",
        );
        assert_eq!(UPDATE.text(Dialect::Postgres), "UPDATE t SET b = $2 WHERE a = $1", "a single row needs no arrays");
        assert_eq!(ALL.len(), 7);
    }

    /// A statement that skips a number would bind its neighbour's value.
    #[test]
    fn every_statement_uses_each_declared_parameter() {
        for sql in all() {
            let texts = [sql.text(Dialect::Sqlite), sql.text(Dialect::Postgres)];
            for text in texts.into_iter().chain(sql.over_rows()) {
                let sigil = if text.contains("?1") { '?' } else { '$' };
                let used: BTreeSet<usize> = text
                    .split(sigil)
                    .skip(1)
                    .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
                    .collect();
                let declared: BTreeSet<usize> = (1..=sql.params.len()).collect();
                assert_eq!(used, declared, "{}: {text}", sql.name);
            }
        }
    }

    #[test]
    fn every_statement_is_bound_by_number_on_sqlite() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch(crate::db::migrate::CREATE_TABLE).unwrap();
        for migration in crate::db::migrate::MIGRATIONS {
            connection.execute_batch(migration.sqlite).unwrap();
        }
        connection.execute_batch(crate::db::sqlite::search_db::SCHEMA).unwrap();
        for sql in all() {
            let text = sql.text(Dialect::Sqlite);
            let statement = connection.prepare(text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", sql.name));
            assert_eq!(statement.parameter_count(), sql.params.len(), "{}", sql.name);
            for number in 1..=sql.params.len() {
                assert_eq!(statement.parameter_name(number), Some(format!("?{number}").as_str()), "{}", sql.name);
            }
        }
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "asks the server of the test run")]
    async fn every_statement_is_understood_by_postgres() {
        let (database, store) = postgres().await;
        let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        for sql in all() {
            for text in [sql.text(Dialect::Postgres)].into_iter().chain(sql.over_rows()) {
                let types: Vec<_> = sql
                    .params
                    .iter()
                    .map(|kind| crate::db::postgres::type_of(*kind, text != sql.text(Dialect::Postgres)))
                    .collect();
                let prepared = client.prepare_typed(text, &types).await;
                let prepared = prepared.unwrap_or_else(|error| panic!("{}: {error:?}\n{text}", sql.name));
                assert_eq!(prepared.params().len(), sql.params.len(), "{}", sql.name);
            }
        }
        drop(store);
    }

    #[tokio::test]
    async fn values_bound_out_of_order_arrive_in_order() {
        let (database, postgres) = postgres().await;
        for store in [postgres, crate::Store::simulated(jiff::Timestamp::UNIX_EPOCH).unwrap()] {
            let row = vec![7i64.into(), "seven".into(), true.into()];
            let read = |row: &mut crate::db::value::Record| {
                Ok((row.next::<bool>()?, row.next::<String>()?, row.next::<i64>()?))
            };
            let found = store.read_first(&SWAPPED, row, read).await.unwrap();
            assert_eq!(found, Some((true, "seven".into(), 7)), "{}", store.name());
        }
        drop(database);
    }

    async fn postgres() -> (testkit::services::Database, crate::Store) {
        let database = testkit::services::postgres().await;
        let address = crate::Address::parse(database.url()).unwrap();
        let options = crate::Options::at(jiff::Timestamp::UNIX_EPOCH);
        let store = crate::Store::open(&address, &options).await.unwrap();
        (database, store)
    }
}
