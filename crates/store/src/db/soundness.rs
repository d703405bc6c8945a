//! What must be true of a database beyond what its engine vouches for: tables and indexes are all there, new ids are
//! above those in use, rows that belong together are together.
//!
//! Asked from outside, by `sqlite/file.rs` and `postgres/server.rs`, of a database of any schema that we know. Each
//! question is cheap on a large database: a look at an end of an index, or at a table as short as that of the feeds.

use crate::db::migrate::MIGRATIONS;
use crate::db::sql::Dialect;
use std::collections::BTreeSet;

/// A question, and what to say where the answer is more than 0.
pub(crate) struct Question {
    /// Gives one number; good for both dialects and all schemas.
    pub(crate) sql: &'static str,
    wrong: &'static str,
    remedy: &'static str,
}

impl Question {
    /// What is wrong, and what to do; `None` if nothing is.
    pub(crate) fn trouble(&self, answer: i64) -> Option<String> {
        (answer > 0).then(|| format!("{}: {}", self.wrong.replace("{}", &answer.to_string()), self.remedy))
    }
}

pub(crate) const QUESTIONS: &[Question] = &[
    Question {
        sql: "SELECT coalesce(max(id), 0) - coalesce((SELECT entries FROM arrival), 0) FROM entries",
        wrong: "{} ids that are given to the next new entries are in use, so that nothing new can be written",
        remedy: "stop Courant, then run UPDATE arrival SET entries = (SELECT max(id) FROM entries)",
    },
    Question {
        sql: "SELECT coalesce(max(id), 0) - coalesce((SELECT events FROM arrival), 0) FROM outbox",
        wrong: "{} ids that are given to the next events are in use, so that nothing new can be written",
        remedy: "stop Courant, then run UPDATE arrival SET events = (SELECT max(id) FROM outbox)",
    },
    Question {
        sql: "SELECT count(*) FROM feeds f WHERE NOT EXISTS (SELECT 1 FROM schedule s WHERE s.feed_id = f.id)",
        wrong: "{} feeds have no schedule: they are neither listed nor visited",
        remedy: "restore a backup",
    },
    Question {
        sql: "SELECT count(*) FROM (SELECT id FROM entries ORDER BY id DESC LIMIT 1000) AS newest
              WHERE NOT EXISTS (SELECT 1 FROM entry_bodies b WHERE b.entry_id = newest.id)",
        wrong: "{} of the newest entries have lost their text",
        remedy: "restore a backup",
    },
];

/// What to say of tables and indexes that should be there and are not.
pub(crate) fn missing(schema: i64, dialect: Dialect, found: &BTreeSet<String>) -> Option<String> {
    let missing: Vec<String> = expected(schema, dialect).difference(found).cloned().collect();
    (!missing.is_empty())
        .then(|| format!("somebody has removed {}: restore a backup, or make them again", missing.join(", ")))
}

/// The tables and indexes that the migrations up to a schema have made. Read from the migrations, so that there is no
/// list to forget.
fn expected(schema: i64, dialect: Dialect) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for migration in MIGRATIONS.iter().filter(|migration| migration.version <= schema) {
        let text = match dialect {
            Dialect::Sqlite => migration.sqlite,
            Dialect::Postgres => migration.postgres,
        };
        apply(text, &mut names);
    }
    names
}

fn apply(migration: &str, names: &mut BTreeSet<String>) {
    let code: Vec<&str> = migration.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
    // What a function would make is not made yet.
    let code: Vec<String> = code.join("\n").split("$$").step_by(2).map(str::to_owned).collect();
    for statement in code.concat().split(';') {
        let words = statement.split(|c: char| c.is_whitespace() || c == '(').filter(|word| !word.is_empty());
        let words: Vec<&str> = words.filter(|word| !["UNIQUE", "IF", "NOT", "EXISTS"].contains(word)).take(6).collect();
        match words.as_slice() {
            ["CREATE", "TABLE" | "INDEX", name, ..] => {
                names.insert((*name).to_owned());
            }
            ["DROP", "TABLE" | "INDEX", name, ..] => {
                names.remove(*name);
            }
            ["ALTER", "TABLE" | "INDEX", name, "RENAME", "TO", new, ..] => {
                names.remove(*name);
                names.insert((*new).to_owned());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_migrations_make_is_known() {
        let check = |migrations: &[&str], expected: &str| {
            let mut names = BTreeSet::new();
            for migration in migrations {
                apply(migration, &mut names);
            }
            assert_eq!(names.into_iter().collect::<Vec<_>>().join(" "), expected, "{migrations:?}");
        };
        check(&["CREATE TABLE a (\n b TEXT -- CREATE TABLE x (\n); CREATE UNIQUE INDEX c ON a (b);"], "a c");
        check(&["CREATE TABLE a(b TEXT); CREATE INDEX IF NOT EXISTS c ON a (b);", "DROP INDEX c"], "a");
        let function = "CREATE FUNCTION f() LANGUAGE plpgsql AS $$ BEGIN; CREATE TABLE x (y TEXT); END $$;";
        check(&["CREATE TABLE a (b TEXT)", function, "CREATE TABLE c (d TEXT)"], "a c");
        check(&["CREATE TABLE a (b TEXT)", "ALTER TABLE a ADD COLUMN c TEXT; ALTER TABLE a RENAME TO d;"], "d");
        check(&["UPDATE a SET b = 1; INSERT INTO a VALUES (1)"], "");
    }

    #[test]
    fn what_is_missing_is_named() {
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            let newest = MIGRATIONS.last().map_or(0, |migration| migration.version);
            let mut found = expected(newest, dialect);
            assert_eq!(missing(newest, dialect, &found), None);
            assert!(found.remove("schedule_due") && found.remove("entries"));
            let said = missing(newest, dialect, &found).unwrap();
            assert!(said.starts_with("somebody has removed entries, schedule_due: "), "{said}");
            assert_eq!(missing(0, dialect, &found), None, "a database without a schema needs nothing");
        }
    }
}
