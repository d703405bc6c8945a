//! The ids of one of a user's lists, in its order: for an app that shows a hundred thousand rows and fetches only those that
//! are looked at. What costs is the user's own entries, however many others there are.

use crate::StoreError;
use crate::db::question::Question;
use crate::db::sql::{Text, both, json_ids, statements};
use crate::db::value::Value;
use crate::posts::{
    Asked, PageStart, PostFilter, PostScope, in_scope, is_unread, kept, marks_of_user, newest, oldest, unread_ids,
    unread_marks,
};
use crate::store::Store;
use crate::viewer::{not_hidden, sees_living_feed};
use model::{EntryId, UserId};

/// All entries of the feeds in scope.
macro_rules! all {
    ($dialect:ident $order:ident) => {
        concat!(
            "SELECT e.id FROM subscriptions s JOIN entries e ON e.feed_id = s.feed_id ",
            marks_of_user!(),
            "
             WHERE ",
            in_scope!($dialect),
            " AND ",
            sees_living_feed!("s.feed_id", "$1"),
            "
               AND e.sort_at >= $4 AND e.sort_at < $5 AND NOT coalesce(m.muted, FALSE) ",
            $order!(order),
            " LIMIT $6"
        )
    };
}

/// The unread ones.
macro_rules! unread {
    ($dialect:ident $order:ident) => {
        concat!(
            "SELECT e.id FROM (",
            unread_ids!($dialect),
            ") AS u JOIN entries e ON e.id = u.id
             WHERE ",
            not_hidden!("e.feed_id", "$1"),
            " AND e.sort_at >= $4 AND e.sort_at < $5 ",
            $order!(order),
            " LIMIT $6"
        )
    };
}

macro_rules! of_feed {
    ($order:ident) => {
        concat!(
            "SELECT e.id FROM entries e CROSS JOIN subscriptions s ",
            marks_of_user!(),
            "
             WHERE e.feed_id = $2 AND s.user_id = $1 AND s.feed_id = $2 AND s.hidden_at IS NULL
               AND ",
            sees_living_feed!("$2", "$1"),
            " AND e.sort_at >= $4 AND e.sort_at < $5
               AND NOT coalesce(m.muted, FALSE) AND (NOT $3 OR ",
            is_unread!(),
            ") ",
            $order!(order),
            " LIMIT $6"
        )
    };
}

macro_rules! what_is_kept {
    ($dialect:ident $order:ident) => {
        concat!("SELECT e.id ", kept!($dialect), " ", $order!(order), " LIMIT $9")
    };
}

macro_rules! named {
    ($($name:ident = $make:ident $order:ident;)*) => {$(
        macro_rules! $name {
            ($dialect:ident) => {
                $make!($dialect $order)
            };
        }
    )*};
}
named! {
    all_newest = all newest;
    all_oldest = all oldest;
    unread_newest = unread newest;
    unread_oldest = unread oldest;
    kept_newest = what_is_kept newest;
    kept_oldest = what_is_kept oldest;
}

statements! {
    ALL_NEWEST(Int, Json, Bool, Int, Int, Int) = both!(all_newest);
    ALL_OLDEST(Int, Json, Bool, Int, Int, Int) = both!(all_oldest);
    UNREAD_NEWEST(Int, Json, Bool, Int, Int, Int) = both!(unread_newest);
    UNREAD_OLDEST(Int, Json, Bool, Int, Int, Int) = both!(unread_oldest);
    FEED_NEWEST(Int, Int, Bool, Int, Int, Int) = Text::One(of_feed!(newest));
    FEED_OLDEST(Int, Int, Bool, Int, Int, Int) = Text::One(of_feed!(oldest));
    KEPT_NEWEST(Int, Int, Int, Int, Json, Bool, Int, Int, Int) = both!(kept_newest);
    KEPT_OLDEST(Int, Int, Int, Int, Json, Bool, Int, Int, Int) = both!(kept_oldest);
}

impl Store {
    /// The ids of a user's list in its order, at most so many.
    pub async fn view_ids(&self, user: UserId, filter: &PostFilter, limit: u32) -> Result<Vec<EntryId>, StoreError> {
        let asked = Asked::new(user, filter, PageStart::Offset(0), limit);
        let end: Vec<Value> = [asked.between(), vec![limit.into()]].concat();
        let question = match &filter.scope {
            PostScope::Feed(feed) => {
                let first = vec![user.0.into(), feed.0.into(), filter.only_unread.into()];
                Question::new(asked.by_order(&FEED_NEWEST, &FEED_OLDEST), [first, end].concat())
            }
            PostScope::Kept { how, feed, categories } => {
                let first = asked.kept(*how, *feed, categories.as_deref());
                let list = asked.by_order(&KEPT_NEWEST, &KEPT_OLDEST);
                Question::new(list, [first, vec![limit.into()]].concat())
            }
            PostScope::All | PostScope::Everything | PostScope::Categories(_) => {
                let list = if filter.only_unread {
                    asked.by_order(&UNREAD_NEWEST, &UNREAD_OLDEST)
                } else {
                    asked.by_order(&ALL_NEWEST, &ALL_OLDEST)
                };
                Question::new(list, [asked.scope(), end].concat())
            }
        };
        let mut answers = self.read_snapshot(vec![question]).await?;
        answers.pop().unwrap_or_default().iter_mut().map(|row| row.next().map(EntryId)).collect()
    }
}
