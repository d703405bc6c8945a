//! What an operator may set about a feed: its address, owner, rules, root domain, access and polling.
//!
//! Its state is `feed_state.rs`, when it is due `schedule.rs`.

use crate::StoreError;
use crate::codes;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::store::Store;
use crate::viewer::may_see;
use crate::{feed_state, schedule};
use jiff::Timestamp;
use model::feed::DomainRule;
use model::lease::Sealed;
use model::schedule::Because;
use model::{FeedId, UserId, Viewer};
use std::collections::BTreeMap;

statements! {
    SET_RULES(Int, Text, Int, Int) = Text::One(
        "UPDATE feeds SET rules = $2, refresh_minutes = $3, updated_at = $4
         WHERE id = $1 AND state <> 'deleted'");
    /// The fence of a change: the rules of its own are still $5.
    CHANGE_RULES(Int, Text, Int, Int, Text) = Text::One(
        "UPDATE feeds SET rules = $2, refresh_minutes = $3, updated_at = $4
         WHERE id = $1 AND state <> 'deleted' AND coalesce(rules, '') = coalesce($5, '')");
    SET_POLLING(Int, Bool, Int) = Text::One(
        "UPDATE feeds SET polling = $2, updated_at = $3 WHERE id = $1 AND state <> 'deleted'");
    SET_ROOT_DOMAIN(Int, Text, Int) = Text::One(
        "UPDATE feeds SET root_domain = $2, updated_at = $3 WHERE id = $1 AND state <> 'deleted'");
    SET_DOMAIN_RULE(Int, Text, Int) = Text::One(
        "UPDATE feeds SET domain_rule = $2, updated_at = $3 WHERE id = $1 AND state <> 'deleted'");
    SET_DUPLICATE_URLS(Int, Bool, Int) = Text::One(
        "UPDATE feeds SET allow_duplicate_urls = $2, updated_at = $3
         WHERE id = $1 AND state <> 'deleted'");
    SET_ACCESS(Int, Text, Bytes, Int) = Text::One(
        "UPDATE feeds SET user_agent = $2, access = $3, updated_at = $4
         WHERE id = $1 AND state <> 'deleted'");
    /// The fence of a move: no other feed of the same owner has the address. A root domain that came from the old address
    /// ($4) becomes that of the new one ($5); one that an operator set stays.
    SET_URL(Int, Text, Int, Text, Text) = Text::One(
        "UPDATE feeds SET url = $2, updated_at = $3, root_domain = CASE WHEN root_domain = $4 THEN $5 ELSE root_domain END
         WHERE id = $1 AND state <> 'deleted'
           AND NOT EXISTS (SELECT 1 FROM feeds other WHERE other.url = $2 AND other.id <> $1
                           AND coalesce(other.owner_id, 0) = coalesce(feeds.owner_id, 0))");
    /// Validators and redirects of the old address do not hold for the new one.
    FORGET_DOCUMENT(Int) = Text::One(
        "UPDATE schedule SET etag = NULL, last_modified = NULL, final_url = NULL, body_hash = NULL, move_to = NULL,
                move_answers = 0, move_since = NULL
         WHERE feed_id = $1");
    /// A feed with secrets is never shared.
    SET_OWNER(Int, Int, Int) = Text::One(
        "UPDATE feeds SET owner_id = $2, updated_at = $3
         WHERE id = $1 AND state <> 'deleted' AND (access IS NULL OR coalesce($2, 0) <> 0)
           AND NOT EXISTS (SELECT 1 FROM feeds other WHERE other.url = feeds.url AND other.id <> $1
                           AND coalesce(other.owner_id, 0) = coalesce($2, 0))");
    ROOT_DOMAINS(Int) = Text::One(concat!(
        "SELECT f.root_domain, count(*) FROM feeds f
         WHERE f.root_domain IS NOT NULL AND f.state <> 'deleted' AND ", may_see!("$1"), "
         GROUP BY f.root_domain ORDER BY f.root_domain"));
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
        found_or(self.write_counted(&SET_RULES, row).await?, feed)
    }

    /// The same if the rules of its own are still `from`; false if not, and nothing was written.
    pub async fn change_feed_rules(
        &self,
        feed: FeedId,
        from: &BTreeMap<String, String>,
        to: &BTreeMap<String, String>,
        refresh_minutes: Option<i64>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (from, to) = (codes::rules_value(from), codes::rules_value(to));
        let mut batch = Batch::default();
        batch.fence(&CHANGE_RULES, vec![feed.0.into(), to, refresh_minutes.into(), now.into(), from]);
        self.write_if(batch).await
    }

    /// Whether a success is followed by another visit.
    pub async fn set_polling(&self, feed: FeedId, polling: bool, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_counted(&SET_POLLING, vec![feed.0.into(), polling.into(), now.into()]).await?;
        found_or(found, feed)
    }

    /// Which site a feed belongs to, by an operator's word.
    pub async fn set_root_domain(&self, feed: FeedId, domain: Option<&str>, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_counted(&SET_ROOT_DOMAIN, vec![feed.0.into(), domain.into(), now.into()]).await?;
        found_or(found, feed)
    }

    /// Which links of a feed's entries are taken.
    pub async fn set_domain_rule(&self, feed: FeedId, rule: DomainRule, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_counted(&SET_DOMAIN_RULE, vec![feed.0.into(), rule.into(), now.into()]).await?;
        found_or(found, feed)
    }

    /// Whether several entries of a feed may share one link.
    pub async fn set_duplicate_urls(&self, feed: FeedId, allowed: bool, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_counted(&SET_DUPLICATE_URLS, vec![feed.0.into(), allowed.into(), now.into()]).await?;
        found_or(found, feed)
    }

    /// How a feed is reached: its user agent, and the sealed rest.
    pub async fn set_access(
        &self,
        feed: FeedId,
        user_agent: Option<&str>,
        access: Option<Sealed>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let row = vec![feed.0.into(), user_agent.into(), access.map(|sealed| sealed.0).into(), now.into()];
        found_or(self.write_counted(&SET_ACCESS, row).await?, feed)
    }

    /// Gives a feed another address, and makes it due there. The root domain follows if it is that of the old address
    /// (`root_domains`: of the old one and of the new one). `false` if another feed has that address, or it was deleted.
    pub async fn set_url(
        &self,
        feed: FeedId,
        url: &str,
        root_domains: [Option<&str>; 2],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let [old, new] = root_domains;
        let mut batch = Batch::default();
        batch.fence(&SET_URL, vec![feed.0.into(), url.into(), now.into(), old.into(), new.into()]);
        batch.step(&FORGET_DOCUMENT, vec![vec![feed.0.into()]]);
        batch.step(&feed_state::CLEAN_SLATE, vec![vec![feed.0.into()]]);
        schedule::make_due(&mut batch, feed, Some(now), Because::Manual, "its address was changed", now);
        self.write_if(batch).await
    }

    /// Makes a feed somebody's own, or everybody's. `false` if there is such a feed at its address already, if it has
    /// secrets and would be everybody's, or if it was deleted.
    pub async fn set_owner(&self, feed: FeedId, owner: Option<UserId>, now: Timestamp) -> Result<bool, StoreError> {
        let row = vec![feed.0.into(), owner.map(|id| id.0).into(), now.into()];
        Ok(self.write_counted(&SET_OWNER, row).await? > 0)
    }

    /// The root domains of the feeds that a viewer may see, with the number of those.
    pub async fn root_domains(&self, viewer: Viewer) -> Result<Vec<(String, i64)>, StoreError> {
        self.read_all(&ROOT_DOMAINS, vec![viewer.into()], |row| Ok((row.next()?, row.next()?))).await
    }
}

fn found_or(found: u64, feed: FeedId) -> Result<(), StoreError> {
    if found == 0 { Err(StoreError::NotFound { what: "feed", name: feed.to_string() }) } else { Ok(()) }
}
