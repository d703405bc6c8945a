//! What an operator may set about a feed: its address, owner, rules, root domain, access and polling.
//!
//! Its state is `feed_state.rs`, when it is due `schedule.rs`.

use crate::StoreError;
use crate::codes;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::store::Store;
use crate::{feed_state, schedule};
use jiff::Timestamp;
use model::feed::DomainRule;
use model::lease::Sealed;
use model::schedule::Because;
use model::{FeedId, UserId};
use std::collections::BTreeMap;

statements! {
    SET_RULES(Int, Text, Int, Int) = Text::One(
        "UPDATE feeds SET rules = $2, refresh_minutes = $3, updated_at = $4 WHERE id = $1 RETURNING id");
    SET_POLLING(Int, Bool, Int) = Text::One("UPDATE feeds SET polling = $2, updated_at = $3 WHERE id = $1 RETURNING id");
    SET_ROOT_DOMAIN(Int, Text, Int) = Text::One(
        "UPDATE feeds SET root_domain = $2, updated_at = $3 WHERE id = $1 RETURNING id");
    SET_DOMAIN_RULE(Int, Text, Int) = Text::One(
        "UPDATE feeds SET domain_rule = $2, updated_at = $3 WHERE id = $1 RETURNING id");
    SET_DUPLICATE_URLS(Int, Bool, Int) = Text::One(
        "UPDATE feeds SET allow_duplicate_urls = $2, updated_at = $3 WHERE id = $1 RETURNING id");
    SET_ACCESS(Int, Text, Bytes, Int) = Text::One(
        "UPDATE feeds SET user_agent = $2, access = $3, updated_at = $4 WHERE id = $1 RETURNING id");
    /// Another feed of the same owner that is there already keeps the address.
    SET_URL(Int, Text, Int) = Text::One(
        "UPDATE feeds SET url = $2, updated_at = $3
         WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM feeds other WHERE other.url = $2 AND other.id <> $1
                                       AND coalesce(other.owner_id, 0) = coalesce(feeds.owner_id, 0))
         RETURNING id");
    /// What the old address said of its document is not true of the new one.
    FORGET_DOCUMENT(Int) = Text::One(
        "UPDATE schedule SET etag = NULL, last_modified = NULL, final_url = NULL, body_hash = NULL, move_to = NULL,
                move_answers = 0, move_since = NULL
         WHERE feed_id = $1");
    SET_OWNER(Int, Int, Int) = Text::One(
        "UPDATE feeds SET owner_id = $2, updated_at = $3
         WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM feeds other WHERE other.url = feeds.url AND other.id <> $1
                                       AND coalesce(other.owner_id, 0) = coalesce($2, 0))
         RETURNING id");
    ROOT_DOMAINS() = Text::One(
        "SELECT root_domain, count(*) FROM feeds WHERE root_domain IS NOT NULL AND state <> 'deleted'
         GROUP BY root_domain ORDER BY root_domain");
}

impl Store {
    /// Gives a feed rules of its own. `refresh_minutes` is the interval among them where its range is 15 to 1440 minutes,
    /// which the database holds it to.
    pub async fn set_feed_rules(
        &self,
        feed: FeedId,
        rules: &BTreeMap<String, String>,
        refresh_minutes: Option<i64>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let row = vec![feed.0.into(), codes::rules_value(rules), refresh_minutes.into(), now.into()];
        if self.write_one(&SET_RULES, row).await?.is_empty() {
            return Err(StoreError::NotFound { what: "feed", name: feed.to_string() });
        }
        Ok(())
    }

    /// Whether a success is followed by another visit.
    pub async fn set_polling(&self, feed: FeedId, polling: bool, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_one(&SET_POLLING, vec![feed.0.into(), polling.into(), now.into()]).await?;
        found_or(found.len(), feed)
    }

    /// Which site a feed belongs to, by an operator's word.
    pub async fn set_root_domain(&self, feed: FeedId, domain: Option<&str>, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_one(&SET_ROOT_DOMAIN, vec![feed.0.into(), domain.into(), now.into()]).await?;
        found_or(found.len(), feed)
    }

    /// Which links of a feed's entries are taken.
    pub async fn set_domain_rule(&self, feed: FeedId, rule: DomainRule, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_one(&SET_DOMAIN_RULE, vec![feed.0.into(), rule.into(), now.into()]).await?;
        found_or(found.len(), feed)
    }

    /// Whether several entries of a feed may share one link.
    pub async fn set_duplicate_urls(&self, feed: FeedId, allowed: bool, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_one(&SET_DUPLICATE_URLS, vec![feed.0.into(), allowed.into(), now.into()]).await?;
        found_or(found.len(), feed)
    }

    /// How a feed is reached: what we call ourselves, and what is sealed.
    pub async fn set_access(
        &self,
        feed: FeedId,
        user_agent: Option<&str>,
        access: Option<Sealed>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let row = vec![feed.0.into(), user_agent.into(), access.map(|sealed| sealed.0).into(), now.into()];
        found_or(self.write_one(&SET_ACCESS, row).await?.len(), feed)
    }

    /// Gives a feed another address, and makes it due there. `false` if another feed has that address.
    pub async fn set_url(&self, feed: FeedId, url: &str, now: Timestamp) -> Result<bool, StoreError> {
        if self.write_one(&SET_URL, vec![feed.0.into(), url.into(), now.into()]).await?.is_empty() {
            return Ok(false);
        }
        let mut batch = Batch::one(&FORGET_DOCUMENT, vec![feed.0.into()]);
        batch.step(&feed_state::CLEAN_SLATE, vec![vec![feed.0.into()]]);
        schedule::make_due(&mut batch, feed, Some(now), Because::Manual, "its address was changed", now);
        self.write(batch).await?;
        Ok(true)
    }

    /// Makes a feed somebody's own, or everybody's. `false` if there is such a feed at its address already.
    pub async fn set_owner(&self, feed: FeedId, owner: Option<UserId>, now: Timestamp) -> Result<bool, StoreError> {
        let row = vec![feed.0.into(), owner.map(|id| id.0).into(), now.into()];
        Ok(!self.write_one(&SET_OWNER, row).await?.is_empty())
    }

    /// All root domains, with the number of their feeds.
    pub async fn root_domains(&self) -> Result<Vec<(String, i64)>, StoreError> {
        self.read_all(&ROOT_DOMAINS, vec![], |row| Ok((row.next()?, row.next()?))).await
    }
}

fn found_or(found: usize, feed: FeedId) -> Result<(), StoreError> {
    if found == 0 { Err(StoreError::NotFound { what: "feed", name: feed.to_string() }) } else { Ok(()) }
}
