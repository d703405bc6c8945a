//! Changes the rules of a feed's own. Whether a rule may be so is decided by `policy::rules`; two changes at once are both
//! kept, because each is written only over the rules it was made from.

use crate::error::EngineError;
use crate::feed::settle;
use jiff::Timestamp;
use model::{FeedId, Viewer};
use policy::Rules;
use policy::rules::{NoSuchRule, OwnRules};
use store::{FeedName, Store};

/// What came of changing a rule of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleChanged {
    /// The rule has this value for the feed now.
    Done(String),
    /// It may not be; says why.
    Refused(NoSuchRule),
}

/// Gives a feed a rule of its own. `global` is what holds where it has none.
pub async fn set_rule(
    store: &Store,
    viewer: Viewer,
    global: &Rules,
    feed: FeedId,
    key: &str,
    value: &str,
    now: Timestamp,
) -> Result<RuleChanged, EngineError> {
    change(store, viewer, feed, now, |own| policy::rules::with_own(global, own, key, value)).await
}

/// Takes a rule of its own back from a feed.
pub async fn unset_rule(
    store: &Store,
    viewer: Viewer,
    global: &Rules,
    feed: FeedId,
    key: &str,
    now: Timestamp,
) -> Result<RuleChanged, EngineError> {
    change(store, viewer, feed, now, |own| policy::rules::without_own(global, own, key)).await
}

type Own = std::collections::BTreeMap<String, String>;

async fn change(
    store: &Store,
    viewer: Viewer,
    feed: FeedId,
    now: Timestamp,
    decide: impl Fn(&Own) -> Result<OwnRules, NoSuchRule> + Sync,
) -> Result<RuleChanged, EngineError> {
    let decide = &decide;
    settle(feed, || async move {
        let before = store.feed(viewer, &FeedName::Id(feed)).await?.rules;
        let OwnRules { own, value, refresh_minutes } = match decide(&before) {
            Ok(after) => after,
            Err(refused) => return Ok(Some(RuleChanged::Refused(refused))),
        };
        let is_done = store.change_feed_rules(feed, &before, &own, refresh_minutes, now).await?;
        Ok(is_done.then_some(RuleChanged::Done(value)))
    })
    .await
}
