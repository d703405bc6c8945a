//! The database of ReedMe or Fusion, read from outside: groups, feeds, items and bookmarks, in the form that they had before
//! `schema_migrations` and in the later one.
//!
//! The file is a stranger's: it is opened read-only, its schema is not trusted, and only plain tables are read. Columns that
//! are not there are NULL. Nothing is written; `reader::import_reedme` decides what becomes of it. Blocks.

use crate::StoreError;
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimeParser;
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::collections::HashSet;
use std::path::Path;

/// An opened file.
pub struct ReedmeFile {
    connection: Connection,
    name: String,
    tables: HashSet<String>,
}

/// A group of feeds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ReedmeGroup {
    pub id: i64,
    pub name: String,
}

/// A feed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ReedmeFeed {
    pub id: i64,
    pub group: Option<i64>,
    pub name: String,
    pub link: String,
    pub site_url: Option<String>,
    pub suspended: bool,
}

/// An item of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ReedmeItem {
    pub id: i64,
    pub guid: String,
    pub title: String,
    pub link: String,
    pub content: String,
    pub published_at: Option<Timestamp>,
    pub unread: bool,
    /// Only before there was a table of bookmarks.
    pub bookmarked: bool,
}

/// A bookmark.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ReedmeBookmark {
    pub id: i64,
    pub link: String,
    pub title: String,
    pub content: String,
    pub feed_name: String,
    pub published_at: Option<Timestamp>,
    pub created_at: Option<Timestamp>,
}

impl ReedmeFile {
    /// Opens a file; refuses one that has no feeds and items.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let name = path.display().to_string();
        let refuse = |why: String| StoreError::Address(format!("cannot read {}: {why}", path.display()));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|error| refuse(error.to_string()))?;
        let settings = [
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        ];
        for (setting, on) in settings {
            connection.set_db_config(setting, on).map_err(|error| refuse(error.to_string()))?;
        }
        let mut file = Self { connection, name, tables: HashSet::new() };
        let tables = file.rows("SELECT name FROM sqlite_master WHERE type = 'table'", [], |row| row.get(0))?;
        file.tables = tables.into_iter().collect();
        if !["feeds", "items"].iter().all(|table| file.tables.contains(*table)) {
            return Err(refuse("it is no database of ReedMe or Fusion".to_owned()));
        }
        Ok(file)
    }

    /// All groups.
    pub fn groups(&self) -> Result<Vec<ReedmeGroup>, StoreError> {
        if !self.tables.contains("groups") {
            return Ok(Vec::new());
        }
        let sql =
            format!("SELECT id, {} FROM groups{} ORDER BY id", self.column("groups", "name")?, self.living("groups")?);
        self.rows(&sql, [], |row| Ok(ReedmeGroup { id: row.get(0)?, name: text(row, 1) }))
    }

    /// All feeds.
    pub fn feeds(&self) -> Result<Vec<ReedmeFeed>, StoreError> {
        let columns = self.columns("feeds", &["group_id", "name", "link", "site_url", "suspended"])?;
        let sql = format!("SELECT id, {columns} FROM feeds{} ORDER BY id", self.living("feeds")?);
        self.rows(&sql, [], |row| {
            Ok(ReedmeFeed {
                id: row.get(0)?,
                group: number(row, 1),
                name: text(row, 2),
                link: text(row, 3),
                site_url: Some(text(row, 4)).filter(|url| !url.is_empty()),
                suspended: number(row, 5).is_some_and(|value| value != 0),
            })
        })
    }

    /// Items of a feed after one, in the order of their ids.
    pub fn items(&self, feed: i64, after: i64, limit: u32) -> Result<Vec<ReedmeItem>, StoreError> {
        let columns = self.columns("items", &["guid", "title", "link", "content", "pub_date", "unread", "bookmark"])?;
        let living = self.living("items")?.replacen(" WHERE", " AND", 1);
        let sql =
            format!("SELECT id, {columns} FROM items WHERE feed_id = ?1 AND id > ?2{living} ORDER BY id LIMIT ?3");
        self.rows(&sql, [feed, after, i64::from(limit)], |row| {
            Ok(ReedmeItem {
                id: row.get(0)?,
                guid: text(row, 1),
                title: text(row, 2),
                link: text(row, 3),
                content: text(row, 4),
                published_at: moment(row, 5),
                unread: number(row, 6).is_some_and(|value| value != 0),
                bookmarked: number(row, 7).is_some_and(|value| value != 0),
            })
        })
    }

    /// Bookmarks after one, in the order of their ids.
    pub fn bookmarks(&self, after: i64, limit: u32) -> Result<Vec<ReedmeBookmark>, StoreError> {
        if !self.tables.contains("bookmarks") {
            return Ok(Vec::new());
        }
        let columns =
            self.columns("bookmarks", &["link", "title", "content", "feed_name", "pub_date", "created_at"])?;
        let sql = format!("SELECT id, {columns} FROM bookmarks WHERE id > ?1 ORDER BY id LIMIT ?2");
        self.rows(&sql, [after, i64::from(limit)], |row| {
            Ok(ReedmeBookmark {
                id: row.get(0)?,
                link: text(row, 1),
                title: text(row, 2),
                content: text(row, 3),
                feed_name: text(row, 4),
                published_at: moment(row, 5),
                created_at: moment(row, 6),
            })
        })
    }

    fn columns(&self, table: &str, names: &[&str]) -> Result<String, StoreError> {
        let columns: Result<Vec<String>, StoreError> = names.iter().map(|name| self.column(table, name)).collect();
        Ok(columns?.join(", "))
    }

    /// The column, or NULL where the table has none of that name.
    fn column(&self, table: &str, name: &str) -> Result<String, StoreError> {
        Ok(if self.has(table, name)? { name.to_owned() } else { "NULL".to_owned() })
    }

    /// The older form keeps what was deleted.
    fn living(&self, table: &str) -> Result<&'static str, StoreError> {
        Ok(if self.has(table, "deleted_at")? { " WHERE coalesce(deleted_at, 0) = 0" } else { "" })
    }

    fn has(&self, table: &str, column: &str) -> Result<bool, StoreError> {
        let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
        let count = self.connection.query_row(sql, [table, column], |row| row.get::<_, i64>(0));
        count.map(|count| count > 0).map_err(|error| self.failed(&error))
    }

    fn rows<T, const N: usize>(
        &self,
        sql: &str,
        values: [i64; N],
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare(sql).map_err(|error| self.failed(&error))?;
        let rows = statement
            .query_map(rusqlite::params_from_iter(values), |found| row(found))
            .map_err(|error| self.failed(&error))?;
        rows.collect::<Result<_, _>>().map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::Address(format!("cannot read {}: {error}", self.name))
    }
}

/// Whatever stands there, as text.
fn text(row: &Row<'_>, at: usize) -> String {
    match row.get_ref(at) {
        Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        Ok(ValueRef::Integer(number)) => number.to_string(),
        Ok(ValueRef::Real(number)) => number.to_string(),
        Ok(ValueRef::Null) | Err(_) => String::new(),
    }
}

fn number(row: &Row<'_>, at: usize) -> Option<i64> {
    match row.get_ref(at) {
        Ok(ValueRef::Integer(number)) => Some(number),
        Ok(ValueRef::Text(_)) => text(row, at).parse().ok(),
        _ => None,
    }
}

/// Seconds since 1970, or a date as text: `2024-05-01 10:00:00+00:00`.
fn moment(row: &Row<'_>, at: usize) -> Option<Timestamp> {
    static PARSER: DateTimeParser = DateTimeParser::new();
    match row.get_ref(at).ok()? {
        ValueRef::Integer(seconds) => Timestamp::from_second(seconds).ok().filter(|_| seconds > 0),
        ValueRef::Text(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let utc = || format!("{}Z", text.trim());
            PARSER.parse_timestamp(text.trim()).or_else(|_| PARSER.parse_timestamp(utc())).ok()
        }
        _ => None,
    }
}
