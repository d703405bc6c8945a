//! Who may see a feed, as a condition of statements: filtered in SQL, so that limits and cursors count what is shown.
//!
//! The feed is `f` in every statement. Reads without a viewer are `unscoped.rs`.

use crate::db::value::Value;
use model::Viewer;

/// Stands for the operator; no user has this id. A parameter that were NULL by mistake would show public feeds only.
const OPERATOR: i64 = -1;

impl From<Viewer> for Value {
    fn from(viewer: Viewer) -> Self {
        match viewer {
            Viewer::User(user) => user.0.into(),
            Viewer::Operator => OPERATOR.into(),
        }
    }
}

/// Whether the viewer in the given parameter (`"$2"`) may see feed `f`, deleted or not.
macro_rules! may_see {
    ($viewer:literal) => {
        concat!("(f.owner_id IS NULL OR f.owner_id = ", $viewer, " OR ", $viewer, " = -1)")
    };
}

/// Whether a viewer may see a feed, deleted or not: `$feed` is a parameter, or the column that names the feed.
macro_rules! sees_feed {
    ($feed:literal, $viewer:literal) => {
        concat!("EXISTS (SELECT 1 FROM feeds f WHERE f.id = ", $feed, " AND ", $crate::viewer::may_see!($viewer), ")")
    };
}

/// The same, without feeds that were deleted: what they said is gone for every viewer, though it is removed later.
macro_rules! sees_living_feed {
    ($feed:literal, $viewer:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM feeds f WHERE f.id = ",
            $feed,
            " AND f.state <> 'deleted' AND ",
            $crate::viewer::may_see!($viewer),
            ")"
        )
    };
}

/// As `sees_living_feed`, for lists over all feeds: most feeds are shown, and PostgreSQL looks for the others in an index
/// that holds nothing else (`feeds_hidden`). A viewer that were NULL by mistake would see public feeds only here, too.
macro_rules! not_hidden {
    ($feed:literal, $viewer:literal) => {
        concat!(
            "NOT EXISTS (SELECT 1 FROM feeds f WHERE f.id = ",
            $feed,
            " AND (f.state = 'deleted' OR (f.owner_id IS NOT NULL AND NOT coalesce(f.owner_id = ",
            $viewer,
            " OR ",
            $viewer,
            " = -1, FALSE))))"
        )
    };
}

pub(crate) use {may_see, not_hidden, sees_feed, sees_living_feed};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_of_statements_is_the_operator() {
        assert!(may_see!("$1").ends_with(&format!("$1 = {OPERATOR})")));
        assert!(not_hidden!("feed_id", "$1").contains(&format!("$1 = {OPERATOR}, FALSE")));
        assert_eq!(Value::from(Viewer::Operator), Value::from(OPERATOR));
    }

    /// Lists walk their index and look each feed up by its key: asking for the viewer costs no more than asking whether
    /// the feed was deleted.
    #[test]
    fn lists_walk_their_index_for_every_viewer() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for migration in crate::db::migrate::MIGRATIONS {
            connection.execute_batch(migration.sqlite).unwrap();
        }
        let check = |sql: &crate::db::sql::Sql, expected: &str| {
            let text = format!("EXPLAIN QUERY PLAN {}", sql.text(crate::db::sql::Dialect::Sqlite));
            let mut statement = connection.prepare(&text).unwrap();
            let values = vec![1; statement.parameter_count()];
            let steps = statement.query_map(rusqlite::params_from_iter(values), |row| row.get::<_, String>(3)).unwrap();
            let steps: Vec<String> =
                steps.map(|step| step.unwrap()).filter(|step| !step.contains("SUBQUERY")).collect();
            assert_eq!(steps.join("; "), expected, "{}", sql.name);
        };
        let by_key = "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)";
        let list = |name: &str| {
            let all = &crate::entries::LIST;
            all.shapes().map(|shape| all.sql(shape)).find(|sql| sql.name.ends_with(name)).unwrap()
        };
        check(list("LIST seen by date"), &format!("SEARCH entries USING INDEX entries_sort (sort_at<?); {by_key}"));
        check(list("LIST seen by arrival"), &format!("SEARCH entries USING INTEGER PRIMARY KEY (rowid>?); {by_key}"));
        let of_feed = "SEARCH entries USING INDEX entries_feed_sort (feed_id=? AND sort_at<?)";
        check(list("LIST of feed by date"), &format!("SEARCH f EXISTS USING INTEGER PRIMARY KEY (rowid=?); {of_feed}"));
        check(
            &crate::feeds::LIST,
            "SEARCH f USING INTEGER PRIMARY KEY (rowid>?); SEARCH s USING INTEGER PRIMARY KEY (rowid=?); SEARCH g USING PRIMARY KEY (name=?) LEFT-JOIN",
        );
    }
}
