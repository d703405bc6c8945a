//! Migrations: numbered, paired across dialects, embedded, append-only; expand first, contract a release later.
//!
//! All pending ones run in one transaction, so that a failure changes nothing. `min_compatible` is the oldest schema
//! version a binary may know and still run on the result: during a rolling upgrade the previous binary goes on.

use crate::StoreError;
use crate::db::sql::{Text, statements};

pub(crate) struct Migration {
    pub(crate) version: i64,
    pub(crate) name: &'static str,
    pub(crate) min_compatible: i64,
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

macro_rules! migrations {
    ($($version:literal $name:literal compatible with $min:literal;)*) => {
        &[$(Migration {
            version: $version,
            name: $name,
            min_compatible: $min,
            sqlite: include_str!(concat!("../../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../../migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

pub(crate) const MIGRATIONS: &[Migration] = migrations! {
    1 "0001_foundation" compatible with 1;
    2 "0002_visits" compatible with 2;
    3 "0003_rules" compatible with 3;
    4 "0004_search" compatible with 4;
    5 "0005_retention" compatible with 4;
    6 "0006_ranges" compatible with 4;
    7 "0007_good_payloads" compatible with 4;
    8 "0008_events" compatible with 4;
    9 "0009_search_words" compatible with 4;
    10 "0010_gathering" compatible with 4;
    11 "0011_marks" compatible with 11;
    12 "0012_cleanup_notes" compatible with 11;
    13 "0013_refresh_minutes" compatible with 11;
    14 "0014_reasons" compatible with 11;
    15 "0015_visit_headers" compatible with 11;
    16 "0016_deleted_feeds" compatible with 11;
    17 "0017_paused_at" compatible with 11;
    18 "0018_jobs" compatible with 11;
    19 "0019_event_subjects" compatible with 11;
    20 "0020_hidden_feeds" compatible with 11;
    21 "0021_accounts" compatible with 21;
    22 "0022_read_state" compatible with 22;
    23 "0023_reader" compatible with 22;
    24 "0024_enrichments" compatible with 22;
    25 "0025_less_counting" compatible with 25;
    26 "0026_operator" compatible with 25;
};

/// Both dialects understand this one.
pub(crate) const CREATE_TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    version BIGINT PRIMARY KEY, name TEXT NOT NULL, min_compatible BIGINT NOT NULL, applied_at BIGINT NOT NULL)";
pub(crate) const FOUND: &str =
    "SELECT coalesce(max(version), 0), coalesce(max(min_compatible), 0) FROM schema_migrations";
pub(crate) const RECORD: &str =
    "INSERT INTO schema_migrations (version, name, min_compatible, applied_at) VALUES ($1, $2, $3, $4)";

statements! {
    /// The first start makes one owner, without a password: nobody can log in until one is set.
    SEED_OWNER(Int) = Text::One(
        "INSERT INTO users (name, name_key, role, created_at, generation)
         SELECT 'owner', 'owner', 'super_admin', $1, $1 WHERE NOT EXISTS (SELECT 1 FROM users)");
    /// Everybody has a permanent `Default`; the owner's is 1.
    SEED_DEFAULT(Int) = Text::One(
        "INSERT INTO categories (user_id, name, created_at)
         SELECT id, 'Default', $1 FROM users WHERE NOT EXISTS (SELECT 1 FROM categories)");
}

/// What runs after the migrations, in their transaction; each takes the moment.
pub(crate) static SEEDS: &[&crate::db::sql::Sql] = &[&SEED_OWNER, &SEED_DEFAULT];

/// Which migrations a database still needs; refuses one that is too new for this binary.
pub(crate) fn pending(
    database: &str,
    found: i64,
    min_compatible: i64,
    known: &'static [Migration],
) -> Result<&'static [Migration], StoreError> {
    let newest = known.last().map_or(0, |migration| migration.version);
    if min_compatible > newest {
        return Err(StoreError::TooNew { database: database.to_owned(), found, known: newest });
    }
    let done = known.iter().take_while(|migration| migration.version <= found).count();
    Ok(&known[done..])
}

#[cfg(test)]
mod tests {
    use super::*;

    static KNOWN: &[Migration] = &[
        Migration { version: 1, name: "a", min_compatible: 1, sqlite: "", postgres: "" },
        Migration { version: 2, name: "b", min_compatible: 1, sqlite: "", postgres: "" },
    ];

    #[test]
    fn what_a_database_still_needs() {
        let check = |found, min_compatible, expected: &str| {
            let answer = match pending("the database", found, min_compatible, KNOWN) {
                Ok(migrations) => migrations.iter().map(|m| m.name).collect::<Vec<_>>().join(" "),
                Err(StoreError::TooNew { found, known, .. }) => format!("too new: {found} > {known}"),
                Err(other) => panic!("{other}"),
            };
            assert_eq!(answer, expected, "{found} {min_compatible}");
        };
        check(0, 0, "a b");
        check(1, 1, "b");
        check(2, 1, "");
        check(3, 2, ""); // a newer binary expanded it: we may still run
        check(4, 3, "too new: 4 > 2"); // and then contracted it
    }

    #[test]
    fn migrations_are_numbered_without_gaps() {
        for (i, migration) in MIGRATIONS.iter().enumerate() {
            assert_eq!(migration.version, i as i64 + 1);
            assert!(migration.name.starts_with(&format!("{:04}_", migration.version)), "{}", migration.name);
            assert!(migration.min_compatible <= migration.version);
        }
    }
}
