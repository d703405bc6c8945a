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

pub(crate) use {may_see, sees_feed, sees_living_feed};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_of_statements_is_the_operator() {
        assert!(may_see!("$1").ends_with(&format!("$1 = {OPERATOR})")));
        assert_eq!(Value::from(Viewer::Operator), Value::from(OPERATOR));
    }
}
