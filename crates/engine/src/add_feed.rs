//! Adding a feed: what its URL says about it, how it is reached, and when it is first due.

use crate::access::Access;
use crate::engine::Engine;
use crate::error::EngineError;
use jiff::Timestamp;
use model::feed::{DomainRule, FeedState, Origin};
use model::{FeedId, UserId};
use store::{Added, NewFeed};
use url::Url;

/// A feed that somebody wants.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Where it is.
    pub url: String,
    /// Whose it is. Needed with credentials: such a feed is never shared.
    pub owner: Option<UserId>,
    /// How it is reached.
    pub access: Access,
    /// Which site it is grouped with.
    pub root_domain: RootDomain,
    /// Which links of its entries are taken.
    pub domain_rule: DomainRule,
    /// Whether a success is followed by another visit.
    pub polling: bool,
    /// Known, but not visited until somebody switches it on.
    pub switched_off: bool,
    /// Who brings it.
    pub origin: Origin,
}

/// Which site a new feed is grouped with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RootDomain {
    /// The registrable domain of its address.
    #[default]
    FromUrl,
    /// None.
    None,
}

impl Wanted {
    /// A public feed.
    pub fn at(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            owner: None,
            access: Access::default(),
            root_domain: RootDomain::FromUrl,
            domain_rule: DomainRule::default(),
            polling: true,
            switched_off: false,
            origin: Origin::Operator,
        }
    }
}

/// Adds a feed that is visited from now on, and is due at once unless it is switched off.
pub async fn add_feed(engine: &Engine, wanted: &Wanted) -> Result<Added, EngineError> {
    let now = engine.now();
    let refuse = |why: &str| EngineError::Address { url: redacted(&wanted.url), why: why.to_owned() };
    let url = address(&wanted.url).map_err(|why| refuse(&why))?;
    if wanted.access.is_secret() && wanted.owner.is_none() {
        return Err(refuse("a feed with credentials or a proxy of its own belongs to somebody"));
    }
    wanted.access.route().map_err(|why| refuse(&format!("its proxy cannot be used: {why}")))?;
    let (group, _) = engine.group(&url).ok_or_else(|| refuse("it names no host"))?;
    let plain = new_feed(url, group.name, now);
    let feed = NewFeed {
        owner: wanted.owner,
        root_domain: plain.root_domain.clone().filter(|_| wanted.root_domain == RootDomain::FromUrl),
        domain_rule: wanted.domain_rule,
        polling: wanted.polling,
        state: if wanted.switched_off { FeedState::Paused } else { FeedState::Active },
        due_at: plain.due_at.filter(|_| !wanted.switched_off),
        user_agent: wanted.access.user_agent.clone(),
        access: wanted.access.is_secret().then(|| engine.vault.seal(plain.uuid, &wanted.access)),
        origin: wanted.origin,
        ..plain
    };
    let added = engine.store.add_feed(feed, now).await?;
    if !matches!(added, Added::New(_)) {
        reach(engine, added.id(), &wanted.access).await?;
    }
    if matches!(added, Added::Revived(_)) {
        engine.store.set_domain_rule(added.id(), wanted.domain_rule, now).await?;
        engine.store.set_polling(added.id(), wanted.polling, now).await?;
    }
    Ok(added)
}

/// A feed that was there already gets the access that was given, if any was.
async fn reach(engine: &Engine, feed: FeedId, access: &Access) -> Result<(), EngineError> {
    if !access.is_secret() && access.user_agent.is_none() {
        return Ok(());
    }
    let known = engine.store.unscoped().feed(feed).await?;
    // Sealed for this feed only.
    let sealed = access.is_secret().then(|| engine.vault.seal(known.feed.uuid, access));
    engine.store.set_access(feed, access.user_agent.as_deref(), sealed, engine.now()).await?;
    Ok(())
}

/// An address as it is stored, or why it cannot be a feed's.
pub fn address(url: &str) -> Result<String, String> {
    let parsed = Url::parse(url.trim()).map_err(|error| error.to_string())?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err("only http and https can be visited".to_owned());
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("a password in the address would be shown to everybody; give it as credentials".to_owned());
    }
    if parsed.as_str().len() > policy::LONGEST_URL {
        return Err(format!("it is longer than {} characters", policy::LONGEST_URL));
    }
    Ok(parsed.into())
}

/// A public feed that is visited from `due_at` on.
pub(crate) fn new_feed(url: String, rate_group: String, due_at: Timestamp) -> NewFeed {
    NewFeed { root_domain: policy::root_domain(&url), ..NewFeed::public(uuid::Uuid::new_v4(), url, rate_group, due_at) }
}

/// The address without a password, for messages.
pub(crate) fn redacted(url: &str) -> String {
    match Url::parse(url.trim()) {
        Ok(mut url) if url.password().is_some() || !url.username().is_empty() => {
            // Both fail only for URLs that cannot have them.
            let _ = url.set_password(None);
            let _ = url.set_username("***");
            url.into()
        }
        _ => url.to_owned(),
    }
}
