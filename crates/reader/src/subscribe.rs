//! Subscribing: from an address that a person typed to a feed in their list, with its first entries if they come soon.
//!
//! The worker makes the first visit, in this process or another, as it makes every other; this waits for it, for a while.
//! A feed that a reader brought is deleted with its last subscriber, and comes back if somebody adds it again within 30 days.

use crate::error::ReaderError;
use engine::{
    Access, Discovery, Engine, EngineError, Insistence, KEPT_AFTER_DELETION, Reach, add_feed, discover, run_now,
    typed_address,
};
use model::feed::Origin;
use model::{CategoryId, FeedId, UserId, Viewer};
use std::time::Duration;
use store::{Added, FeedName, StoreError, Topic};
use tokio::time::Instant;

/// A person waits this long for the first entries of a feed.
pub const FIRST_VISIT: Duration = Duration::from_secs(10);
/// A site may be asked for its feeds this long.
const SEARCH: Duration = Duration::from_secs(30);
/// How often to look whether the visit is over: one that brings nothing wakes nobody.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// What a person wants to read.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The address of a feed, or of a site that has one.
    pub url: String,
    /// The folder; without it, the permanent one.
    pub category: Option<CategoryId>,
    /// Their own title.
    pub title: Option<String>,
    /// How it is reached. A feed with credentials is its user's own, and is not looked for on the page.
    pub access: Access,
    /// How long to wait for the first visit.
    pub patience: Duration,
}

impl Wanted {
    /// A public feed or site, in the permanent folder.
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), category: None, title: None, access: Access::default(), patience: FIRST_VISIT }
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subscribed {
    /// A feed that was not known here.
    New(FeedId),
    /// A feed that others have.
    Known(FeedId),
    /// The user had it.
    AlreadySubscribed(FeedId),
    /// There is a page, and no feed.
    NoFeedFound,
    /// The address could not be visited; why.
    CannotFetch(String),
    /// It is no address of a feed; why.
    BadAddress(String),
}

impl Subscribed {
    /// The feed that the user has now.
    pub fn feed(&self) -> Option<FeedId> {
        match self {
            Self::New(feed) | Self::Known(feed) | Self::AlreadySubscribed(feed) => Some(*feed),
            Self::NoFeedFound | Self::CannotFetch(_) | Self::BadAddress(_) => None,
        }
    }
}

/// Subscribes a user to a feed, or to the likeliest feed of a site.
pub async fn subscribe(engine: &Engine, user: UserId, wanted: &Wanted) -> Result<Subscribed, ReaderError> {
    let deadline = Instant::now() + wanted.patience;
    let url = match typed_address(&wanted.url) {
        Ok(url) => url,
        Err(error) => return refused(error),
    };
    if let Some(feed) = known(engine, user, &url).await? {
        return subscribe_known(engine, user, feed, wanted).await;
    }
    let url = if wanted.access.is_secret() {
        url
    } else {
        match tokio::time::timeout(SEARCH, find(engine, &url)).await {
            Ok(found) => match found? {
                Ok(url) => url,
                Err(nothing) => return Ok(nothing),
            },
            Err(_) => return Ok(Subscribed::CannotFetch("the site took too long to answer".to_owned())),
        }
    };
    if let Some(feed) = known(engine, user, &url).await? {
        return subscribe_known(engine, user, feed, wanted).await;
    }
    let new = engine::Wanted {
        owner: wanted.access.is_secret().then_some(user),
        access: wanted.access.clone(),
        origin: Origin::Reader,
        ..engine::Wanted::at(&url)
    };
    let added = match add_feed(engine, &new).await {
        Ok(added) => added,
        Err(error) => return refused(error),
    };
    file(engine, user, added.id(), wanted).await?;
    if let Added::Existing(feed) = added {
        return Ok(Subscribed::Known(feed));
    }
    await_visit(engine, user, added.id(), deadline).await?;
    Ok(Subscribed::New(added.id()))
}

/// Subscribes a user to the feed at an address, without looking whether it is one: it is visited soon. For lists.
pub async fn subscribe_at(
    engine: &Engine,
    user: UserId,
    url: &str,
    category: CategoryId,
    title: Option<String>,
) -> Result<Subscribed, ReaderError> {
    let wanted = Wanted { category: Some(category), title, ..Wanted::at(url) };
    let url = match typed_address(url) {
        Ok(url) => url,
        Err(error) => return refused(error),
    };
    if let Some(feed) = known(engine, user, &url).await? {
        return subscribe_known(engine, user, feed, &wanted).await;
    }
    let new = engine::Wanted { origin: Origin::Reader, ..engine::Wanted::at(&url) };
    let added = match add_feed(engine, &new).await {
        Ok(added) => added,
        Err(error) => return refused(error),
    };
    file(engine, user, added.id(), &wanted).await?;
    Ok(match added {
        Added::Existing(feed) => Subscribed::Known(feed),
        Added::New(feed) | Added::Revived(feed) => Subscribed::New(feed),
    })
}

/// What a person can mend is an outcome.
fn refused(error: EngineError) -> Result<Subscribed, ReaderError> {
    match error {
        EngineError::Address { why, .. } => Ok(Subscribed::BadAddress(why)),
        error => Err(error.into()),
    }
}

/// The feed at an address, if the user may see it.
async fn known(engine: &Engine, user: UserId, url: &str) -> Result<Option<FeedId>, StoreError> {
    match engine.store().feed(Viewer::User(user), &FeedName::Url(url.to_owned())).await {
        Ok(status) => Ok(Some(status.feed.id)),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The address of the likeliest feed, or what to say.
async fn find(engine: &Engine, url: &str) -> Result<Result<String, Subscribed>, ReaderError> {
    let found: Discovery = match discover(engine, url, Reach::default()).await {
        Ok(found) => found,
        Err(error) => return refused(error).map(Err),
    };
    Ok(match (found.feeds.into_iter().next(), found.failure) {
        (Some(feed), _) => Ok(feed.url),
        (None, Some(failure)) => Err(Subscribed::CannotFetch(failure.to_string())),
        (None, None) => Err(Subscribed::NoFeedFound),
    })
}

async fn subscribe_known(
    engine: &Engine,
    user: UserId,
    feed: FeedId,
    wanted: &Wanted,
) -> Result<Subscribed, ReaderError> {
    let subscriptions = engine.store().subscriptions(user).await?;
    if subscriptions.iter().any(|subscription| subscription.feed == feed) {
        return Ok(Subscribed::AlreadySubscribed(feed));
    }
    file(engine, user, feed, wanted).await?;
    Ok(Subscribed::Known(feed))
}

async fn file(engine: &Engine, user: UserId, feed: FeedId, wanted: &Wanted) -> Result<(), StoreError> {
    let store = engine.store();
    let category = match wanted.category {
        Some(category) => category,
        None => store.default_category(user).await?,
    };
    store.subscribe(user, feed, category, wanted.title.as_deref(), engine.now()).await.map(|_| ())
}

/// Makes a feed due and waits until it was visited, or nobody has done so in time.
async fn await_visit(engine: &Engine, user: UserId, feed: FeedId, deadline: Instant) -> Result<(), ReaderError> {
    let (store, viewer, name) = (engine.store(), Viewer::User(user), FeedName::Id(feed));
    let mut events = store.waiter(Topic::Events);
    let before = store.feed(viewer, &name).await?;
    run_now(engine, viewer, &before, Insistence::Polite).await?;
    while Instant::now() < deadline && store.feed(viewer, &name).await?.visits == before.visits {
        events.wait(LOOK_EVERY.min(deadline.saturating_duration_since(Instant::now()))).await;
    }
    Ok(())
}

/// What came of unsubscribing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsubscribed {
    /// The user does not have the feed any more.
    Done,
    /// Nobody has it any more: the feed is deleted, and can be brought back for 30 days.
    LastLeft,
}

/// Ends a subscription. A feed that a reader brought goes with its last subscriber.
pub async fn unsubscribe(engine: &Engine, user: UserId, feed: FeedId) -> Result<Unsubscribed, ReaderError> {
    let (store, now) = (engine.store(), engine.now());
    store.unsubscribe(user, feed, now).await?;
    let deleted = store.delete_unread_feed(feed, now + KEPT_AFTER_DELETION, now).await?;
    Ok(if deleted { Unsubscribed::LastLeft } else { Unsubscribed::Done })
}
