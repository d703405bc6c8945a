//! Subscriptions: which feeds a user follows, and how they arranged them. Categories are `categories.rs`, what they have
//! read is `read_state.rs`, the list of feeds with its figures is `followed.rs`.
//!
//! A subscription that its user ended is hidden for a while: subscribing again brings everything back. No read shows it.

use crate::StoreError;
use crate::categories;
use crate::db::batch::Batch;
use crate::db::question::Question;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, returned_id};
use crate::store::Store;
use crate::viewer::{may_see, sees_living_feed};
use jiff::Timestamp;
use model::full_text::FullText;
use model::reader::{Category, SortOrder, Subscription};
use model::{CategoryId, FeedId, SubscriptionId, UserId};
use std::collections::HashSet;

/// The columns of a new subscription of user $1 to feed `f`, and how it begins: with the last 20 entries unread.
macro_rules! subscribe {
    () => {
        concat!(
            "INSERT INTO subscriptions (user_id, feed_id, category_id, title, created_at, watermark, unread, seen_arrivals)
             SELECT $1, f.id, $3, $4, $5,
                    coalesce((SELECT e.id FROM entries e WHERE e.feed_id = f.id AND NOT e.quiet
                              ORDER BY e.id DESC LIMIT 1 OFFSET 20), 0),
                    (SELECT count(*) FROM (SELECT e.id FROM entries e WHERE e.feed_id = f.id AND NOT e.quiet
                                           ORDER BY e.id DESC LIMIT 20) AS newest),
                    (SELECT c.arrivals FROM schedule c WHERE c.feed_id = f.id)
             FROM feeds f
             WHERE f.id = $2 AND ",
            may_see!("$1"),
            " AND $3 IN (SELECT id FROM categories WHERE user_id = $1)
             ON CONFLICT (user_id, feed_id) DO UPDATE SET hidden_at = NULL,
                 category_id = CASE WHEN subscriptions.hidden_at IS NULL OR excluded.category_id = (
                         SELECT d.id FROM categories d
                         WHERE d.user_id = excluded.user_id AND d.parent_id IS NULL AND d.name = 'Default')
                     THEN subscriptions.category_id ELSE excluded.category_id END,
                 title = CASE WHEN subscriptions.hidden_at IS NULL THEN subscriptions.title
                     ELSE coalesce(excluded.title, subscriptions.title) END"
        )
    };
}

macro_rules! columns {
    () => {
        "id, user_id, feed_id, category_id, title, created_at, in_all, sort, full_text"
    };
}

statements! {
    LIST(Int) = Text::One(concat!(
        "SELECT ", columns!(), " FROM subscriptions
         WHERE user_id = $1 AND hidden_at IS NULL AND ", sees_living_feed!("feed_id", "$1"), " ORDER BY id"));
    ONE(Int, Int) = Text::One(concat!(
        "SELECT ", columns!(), " FROM subscriptions
         WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL AND ", sees_living_feed!("feed_id", "$1")));
    /// Leaves a subscription that was there as its user arranged it.
    SUBSCRIBE_MANY(Int, Int, Int, Text, Int) = Text::Rows(subscribe!());
    /// Returns the subscription whether it was there or not; one that was there stays as its user arranged it.
    SUBSCRIBE(Int, Int, Int, Text, Int) = Text::One(concat!(subscribe!(), " RETURNING id"));
    FILE(Int, Int, Int) = Text::One(
        "UPDATE subscriptions SET category_id = $3
         WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL
           AND $3 IN (SELECT id FROM categories WHERE user_id = $1)");
    RENAME(Int, Int, Text) = Text::One(
        "UPDATE subscriptions SET title = $3 WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL");
    SHOW_IN_ALL(Int, Int, Bool) = Text::One(
        "UPDATE subscriptions SET in_all = $3 WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL");
    SORT(Int, Int, Text) = Text::One(
        "UPDATE subscriptions SET sort = $3 WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL");
    FULL_TEXT(Int, Int, Text) = Text::One(
        "UPDATE subscriptions SET full_text = $3 WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL");
    /// Whether somebody wants the full text of every entry of feed $1, as it arrives.
    WANTS_FULL_TEXT(Int) = Text::One(
        "SELECT count(*) FROM subscriptions WHERE feed_id = $1 AND hidden_at IS NULL AND full_text = 'always'");
    IN_ORDER(Int, Int) = Text::One(
        "SELECT feed_id FROM subscriptions WHERE user_id = $1 AND category_id = $2 AND hidden_at IS NULL
         ORDER BY position, id");
    PLACE(Int, Int, Int, Int) = Text::Rows(
        "UPDATE subscriptions SET category_id = $3, position = $4
         WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL
           AND $3 IN (SELECT id FROM categories WHERE user_id = $1)");
    HIDE(Int, Int, Int) = Text::Rows(
        "UPDATE subscriptions SET hidden_at = $3 WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL");
    SUBSCRIBERS(Int) = Text::One("SELECT count(*) FROM subscriptions WHERE feed_id = $1 AND hidden_at IS NULL");
    /// Marks of subscriptions that were hidden before $1, up to $2 of these.
    FORGET_MARKS(Int, Int) = Text::One(
        "DELETE FROM marks WHERE EXISTS (
             SELECT 1 FROM (SELECT user_id, feed_id FROM subscriptions WHERE hidden_at < $1 ORDER BY hidden_at, id LIMIT $2) h
             WHERE h.user_id = marks.user_id AND h.feed_id = marks.feed_id)");
    FORGET_HIDDEN(Int, Int) = Text::One(
        "DELETE FROM subscriptions WHERE id IN (
             SELECT id FROM subscriptions WHERE hidden_at < $1 ORDER BY hidden_at, id LIMIT $2)");
}

fn subscription(row: &mut Record) -> Result<Subscription, StoreError> {
    Ok(Subscription {
        id: SubscriptionId(row.next()?),
        user: UserId(row.next()?),
        feed: FeedId(row.next()?),
        category: CategoryId(row.next()?),
        title: row.next()?,
        created_at: row.next()?,
        in_all: row.next()?,
        sort: row.next()?,
        full_text: row.next()?,
    })
}

/// What a user changes about a subscription; `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubscriptionChange {
    /// Another category.
    pub category: Option<CategoryId>,
    /// Another title; `Some(None)` is what the feed calls itself.
    pub title: Option<Option<String>>,
    /// Whether its entries are shown among all.
    pub in_all: Option<bool>,
    /// How its entries are sorted; `Some(None)` is as everywhere.
    pub sort: Option<Option<SortOrder>>,
    /// When the full text of its articles is fetched; `Some(None)` is what the feed's own rule says.
    pub full_text: Option<Option<FullText>>,
}

/// Hidden subscriptions removed in one transaction.
const STEP: u32 = 100;

impl Store {
    /// A user's subscriptions, without those of feeds that were deleted or have become another user's.
    pub async fn subscriptions(&self, user: UserId) -> Result<Vec<Subscription>, StoreError> {
        self.read_all(&LIST, vec![user.0.into()], subscription).await
    }

    /// A user's subscription to a feed.
    pub async fn subscription(&self, user: UserId, feed: FeedId) -> Result<Option<Subscription>, StoreError> {
        self.read_first(&ONE, vec![user.0.into(), feed.0.into()], subscription).await
    }

    /// A user's categories and subscriptions as they were at one moment: the category of each subscription is among them.
    pub async fn arrangement(&self, user: UserId) -> Result<(Vec<Category>, Vec<Subscription>), StoreError> {
        let of_user = |sql| Question::new(sql, vec![user.0.into()]);
        let mut answers = self.read_snapshot(vec![of_user(&categories::LIST), of_user(&LIST)]).await?.into_iter();
        let mut next = || answers.next().unwrap_or_default();
        let categories = categories::categories(&mut next())?;
        let subscriptions = next().iter_mut().map(subscription).collect::<Result<_, _>>()?;
        Ok((categories, subscriptions))
    }

    /// Subscribes a user; one who already is stays as they arranged it, and one who was gets back what they had. A feed that
    /// they may not see is not found, nor is a category of somebody else.
    pub async fn subscribe(
        &self,
        user: UserId,
        feed: FeedId,
        category: CategoryId,
        title: Option<&str>,
        now: Timestamp,
    ) -> Result<SubscriptionId, StoreError> {
        let row = vec![user.0.into(), feed.0.into(), category.0.into(), title.into(), now.into()];
        let subscribed = self.write_one(&SUBSCRIBE, row).await?;
        if subscribed.is_empty() {
            return Err(StoreError::NotFound { what: "feed", name: feed.to_string() });
        }
        returned_id(subscribed).map(SubscriptionId)
    }

    /// Subscribes a user to many feeds in one transaction; where they already are, they stay as they arranged it.
    /// Feeds that they may not see are left out.
    pub async fn subscribe_many(
        &self,
        user: UserId,
        wanted: &[(FeedId, CategoryId, Option<String>)],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if wanted.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::default();
        let row = |(feed, category, title): &(FeedId, CategoryId, Option<String>)| {
            vec![user.0.into(), feed.0.into(), category.0.into(), title.as_deref().into(), now.into()]
        };
        batch.step(&SUBSCRIBE_MANY, wanted.iter().map(row).collect());
        self.write(batch).await.map(|_| ())
    }

    /// Changes a subscription in one transaction. `false` if there is none, or the category is not the user's: then nothing
    /// was changed.
    pub async fn change_subscription(
        &self,
        user: UserId,
        feed: FeedId,
        change: SubscriptionChange,
    ) -> Result<bool, StoreError> {
        let SubscriptionChange { category, title, in_all, sort, full_text } = change;
        let mut batch = Batch::default();
        let mut set = |sql, value| batch.step_exactly(1, sql, vec![vec![user.0.into(), feed.0.into(), value]]);
        if let Some(category) = category {
            set(&FILE, category.0.into());
        }
        if let Some(title) = title {
            set(&RENAME, title.into());
        }
        if let Some(in_all) = in_all {
            set(&SHOW_IN_ALL, in_all.into());
        }
        if let Some(sort) = sort {
            set(&SORT, sort.into());
        }
        if let Some(full_text) = full_text {
            set(&FULL_TEXT, full_text.into());
        }
        if batch.steps.is_empty() {
            return Ok(self.subscription(user, feed).await?.is_some());
        }
        match self.write(batch).await {
            Ok(_) => Ok(true),
            Err(StoreError::RowCount { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Files a subscription in another category. `false` if there is none.
    pub async fn file_subscription(
        &self,
        user: UserId,
        feed: FeedId,
        category: CategoryId,
    ) -> Result<bool, StoreError> {
        let change = SubscriptionChange { category: Some(category), ..SubscriptionChange::default() };
        self.change_subscription(user, feed, change).await
    }

    /// Calls a subscription something else; `None` is what the feed calls itself. `false` if there is none.
    pub async fn rename_subscription(
        &self,
        user: UserId,
        feed: FeedId,
        title: Option<&str>,
    ) -> Result<bool, StoreError> {
        let change = SubscriptionChange { title: Some(title.map(str::to_owned)), ..SubscriptionChange::default() };
        self.change_subscription(user, feed, change).await
    }

    /// Puts feeds into a category in this order; the others of the category follow after them. `false` if one of them is not
    /// followed, or the category is not the user's: then nothing was changed.
    pub async fn arrange_feeds(
        &self,
        user: UserId,
        category: CategoryId,
        feeds: &[FeedId],
    ) -> Result<bool, StoreError> {
        let place = |(place, feed): (usize, &FeedId)| {
            vec![user.0.into(), feed.0.into(), category.0.into(), (place as i64 + 1).into()]
        };
        let row = vec![user.0.into(), category.0.into()];
        let mut others = self.read_all(&IN_ORDER, row, |row| row.next().map(FeedId)).await?;
        let named: HashSet<&FeedId> = feeds.iter().collect();
        others.retain(|feed| !named.contains(feed));
        let mut batch = Batch::one(&categories::HOLD_USER, vec![user.0.into()]);
        batch.step_exactly(feeds.len() as u64, &PLACE, feeds.iter().enumerate().map(place).collect());
        // One that was moved or left meanwhile is moved back, or is not there: both do no harm.
        let after = |(number, feed): (usize, &FeedId)| place((feeds.len() + number, feed));
        batch.step(&PLACE, others.iter().enumerate().map(after).collect());
        match self.write(batch).await {
            Ok(_) => Ok(true),
            Err(StoreError::RowCount { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a subscriber wants the full text of every entry of a feed as it arrives.
    pub async fn wants_full_text(&self, feed: FeedId) -> Result<bool, StoreError> {
        let wishes = self.read_first(&WANTS_FULL_TEXT, vec![feed.0.into()], |row| row.next::<i64>()).await?;
        Ok(wishes.unwrap_or(0) > 0)
    }

    /// Ends a subscription: it is hidden, and comes back as it was if the user subscribes again soon. `false` if there was
    /// none.
    pub async fn unsubscribe(&self, user: UserId, feed: FeedId, now: Timestamp) -> Result<bool, StoreError> {
        Ok(self.write_counted(&HIDE, vec![user.0.into(), feed.0.into(), now.into()]).await? > 0)
    }

    /// Ends many subscriptions in one transaction.
    pub async fn unsubscribe_many(&self, user: UserId, feeds: &[FeedId], now: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        batch.step(&HIDE, feeds.iter().map(|feed| vec![user.0.into(), feed.0.into(), now.into()]).collect());
        self.write(batch).await.map(|_| ())
    }

    /// How many users follow a feed.
    pub async fn count_subscribers(&self, feed: FeedId) -> Result<u64, StoreError> {
        Ok(self.read_first(&SUBSCRIBERS, vec![feed.0.into()], |row| row.next()).await?.unwrap_or(0))
    }

    /// Removes subscriptions that were hidden before a moment, with their marks.
    pub async fn forget_hidden_subscriptions(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            let row = || vec![before.into(), STEP.into()];
            let mut batch = Batch::one(&FORGET_MARKS, row());
            batch.step(&FORGET_HIDDEN, vec![row()]);
            let removed = self.write(batch).await?.last().and_then(|step| step.written).unwrap_or(0);
            forgotten += removed;
            if removed < u64::from(STEP) {
                return Ok(forgotten);
            }
        }
    }
}
