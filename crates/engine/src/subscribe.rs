//! Adding a feed: what its URL says about it, and when it is first due.

use crate::engine::Engine;
use crate::error::EngineError;
use model::feed::{DomainRule, FeedState};
use store::{Added, NewFeed};
use url::Url;

/// Adds a feed that is visited from now on, and is due at once.
pub async fn subscribe(engine: &Engine, url: &str) -> Result<Added, EngineError> {
    let now = engine.now();
    let refuse = |why: &str| EngineError::Address { url: url.to_owned(), why: why.to_owned() };
    let parsed = Url::parse(url.trim()).map_err(|error| refuse(&error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(refuse("only http and https can be visited"));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(refuse("a password in the address would be shown to everybody"));
    }
    let url = String::from(parsed);
    let rate_group = policy::rate_group(&url).ok_or_else(|| refuse("it names no host"))?;
    let feed = NewFeed {
        uuid: uuid::Uuid::new_v4(),
        root_domain: policy::root_domain(&url),
        url,
        owner: None,
        title: None,
        site_url: None,
        domain_rule: DomainRule::default(),
        polling: true,
        state: FeedState::Active,
        rate_group,
        due_at: Some(now),
    };
    Ok(engine.store.add_feed(feed, now).await?)
}
