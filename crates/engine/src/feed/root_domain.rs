//! Sets or clears the root domain of a feed, which groups the feeds of one site.

use crate::error::EngineError;
use crate::feed::look;
use jiff::Timestamp;
use model::{FeedId, Viewer};
use store::Store;

/// What came of setting a root domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootDomainSet {
    /// It is this, as it is stored; or none.
    Done(Option<String>),
    /// The text is no host name.
    NotAHost,
}

/// Gives a feed a root domain, or takes it away.
pub async fn set_root_domain(
    store: &Store,
    viewer: Viewer,
    feed: FeedId,
    domain: Option<&str>,
    now: Timestamp,
) -> Result<RootDomainSet, EngineError> {
    let Ok(domain) = domain.map(|typed| policy::host_name(typed).ok_or(())).transpose() else {
        return Ok(RootDomainSet::NotAHost);
    };
    look(store, viewer, feed).await?;
    store.set_root_domain(feed, domain.as_deref(), now).await?;
    Ok(RootDomainSet::Done(domain))
}
