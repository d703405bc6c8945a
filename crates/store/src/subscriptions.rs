//! Categories and subscriptions: how a user arranges the feeds they read. Users themselves are `users.rs`.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::question::Question;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, returned_id};
use crate::store::Store;
use crate::viewer::{may_see, sees_living_feed};
use jiff::Timestamp;
use model::reader::{Category, Subscription};
use model::{CategoryId, FeedId, SubscriptionId, UserId};

statements! {
    CATEGORIES(Int) = Text::One(
        "SELECT id, user_id, parent_id, name, position, created_at FROM categories
         WHERE user_id = $1 ORDER BY coalesce(parent_id, 0), position, id");
    DEFAULT(Int) = Text::One(
        "SELECT id FROM categories WHERE user_id = $1 AND parent_id IS NULL AND name = 'Default'");
    /// Returns the category whether it was there or not.
    ADD_CATEGORY(Int, Int, Text, Int) = Text::One(
        "INSERT INTO categories (user_id, parent_id, name, position, created_at)
         VALUES ($1, $2, $3, (SELECT count(*) FROM categories WHERE user_id = $1), $4)
         ON CONFLICT (user_id, coalesce(parent_id, 0), name) DO UPDATE SET name = excluded.name RETURNING id");
    SUBSCRIPTIONS(Int) = Text::One(concat!(
        "SELECT id, user_id, feed_id, category_id, title, created_at FROM subscriptions
         WHERE user_id = $1 AND ", sees_living_feed!("feed_id", "$1"), " ORDER BY id"));
    /// Leaves a subscription that was there as its user arranged it.
    SUBSCRIBE_MANY(Int, Int, Int, Text, Int) = Text::Rows(concat!(
        "INSERT INTO subscriptions (user_id, feed_id, category_id, title, created_at)
         SELECT $1, f.id, $3, $4, $5 FROM feeds f WHERE f.id = $2 AND ", may_see!("$1"), "
         ON CONFLICT (user_id, feed_id) DO NOTHING"));
    /// Returns the subscription whether it was there or not; one that was there stays as its user arranged it.
    SUBSCRIBE(Int, Int, Int, Text, Int) = Text::One(concat!(
        "INSERT INTO subscriptions (user_id, feed_id, category_id, title, created_at)
         SELECT $1, f.id, $3, $4, $5 FROM feeds f WHERE f.id = $2 AND ", may_see!("$1"), "
         ON CONFLICT (user_id, feed_id) DO UPDATE SET feed_id = excluded.feed_id RETURNING id"));
    FILE(Int, Int, Int) = Text::One(
        "UPDATE subscriptions SET category_id = $3 WHERE user_id = $1 AND feed_id = $2");
    RENAME(Int, Int, Text) = Text::One(
        "UPDATE subscriptions SET title = $3 WHERE user_id = $1 AND feed_id = $2");
    UNSUBSCRIBE(Int, Int) = Text::One("DELETE FROM subscriptions WHERE user_id = $1 AND feed_id = $2");
}

fn category(row: &mut Record) -> Result<Category, StoreError> {
    Ok(Category {
        id: CategoryId(row.next()?),
        user: UserId(row.next()?),
        parent: row.next::<Option<i64>>()?.map(CategoryId),
        name: row.next()?,
        position: row.next()?,
        created_at: row.next()?,
    })
}

fn subscription(row: &mut Record) -> Result<Subscription, StoreError> {
    Ok(Subscription {
        id: SubscriptionId(row.next()?),
        user: UserId(row.next()?),
        feed: FeedId(row.next()?),
        category: CategoryId(row.next()?),
        title: row.next()?,
        created_at: row.next()?,
    })
}

impl Store {
    /// A user's categories, siblings in their order.
    pub async fn categories(&self, user: UserId) -> Result<Vec<Category>, StoreError> {
        self.read_all(&CATEGORIES, vec![user.0.into()], category).await
    }

    /// A user's permanent category.
    pub async fn default_category(&self, user: UserId) -> Result<CategoryId, StoreError> {
        let found = self.read_first(&DEFAULT, vec![user.0.into()], |row| row.next().map(CategoryId)).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "default category of user", name: user.to_string() })
    }

    /// Adds a category, or finds the one of that name in the same place.
    pub async fn add_category(
        &self,
        user: UserId,
        parent: Option<CategoryId>,
        name: &str,
        now: Timestamp,
    ) -> Result<CategoryId, StoreError> {
        let row = vec![user.0.into(), parent.map(|id| id.0).into(), name.into(), now.into()];
        returned_id(self.write_one(&ADD_CATEGORY, row).await?).map(CategoryId)
    }

    /// A user's subscriptions, without those of feeds that were deleted or have become another user's.
    pub async fn subscriptions(&self, user: UserId) -> Result<Vec<Subscription>, StoreError> {
        self.read_all(&SUBSCRIPTIONS, vec![user.0.into()], subscription).await
    }

    /// A user's categories and subscriptions as they were at one moment: the category of each subscription is among them.
    pub async fn arrangement(&self, user: UserId) -> Result<(Vec<Category>, Vec<Subscription>), StoreError> {
        let of_user = |sql| Question::new(sql, vec![user.0.into()]);
        let mut answers = self.read_snapshot(vec![of_user(&CATEGORIES), of_user(&SUBSCRIPTIONS)]).await?.into_iter();
        let mut next = || answers.next().unwrap_or_default();
        let categories = next().iter_mut().map(category).collect::<Result<_, _>>()?;
        let subscriptions = next().iter_mut().map(subscription).collect::<Result<_, _>>()?;
        Ok((categories, subscriptions))
    }

    /// Subscribes a user; one who already is stays as they arranged it. A feed that they may not see is not found.
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

    /// Files a subscription in another category. `false` if there is none.
    pub async fn file_subscription(
        &self,
        user: UserId,
        feed: FeedId,
        category: CategoryId,
    ) -> Result<bool, StoreError> {
        let row = vec![user.0.into(), feed.0.into(), category.0.into()];
        Ok(self.write_counted(&FILE, row).await? > 0)
    }

    /// Calls a subscription something else; `None` is what the feed calls itself. `false` if there is none.
    pub async fn rename_subscription(
        &self,
        user: UserId,
        feed: FeedId,
        title: Option<&str>,
    ) -> Result<bool, StoreError> {
        let row = vec![user.0.into(), feed.0.into(), title.into()];
        Ok(self.write_counted(&RENAME, row).await? > 0)
    }

    /// Ends a subscription.
    pub async fn unsubscribe(&self, user: UserId, feed: FeedId) -> Result<(), StoreError> {
        self.write_one(&UNSUBSCRIBE, vec![user.0.into(), feed.0.into()]).await.map(|_| ())
    }
}
