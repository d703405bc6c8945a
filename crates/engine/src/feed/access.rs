//! Changes how a feed is reached: credentials, proxy, the name we give ourselves. What is not named stays.
//!
//! A feed with credentials or a proxy of its own belongs to somebody and is never shared: one that was public gets its
//! owner before its secrets.

use crate::access::{Access, Credentials};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::vault::Locked;
use model::{FeedId, UserId, Viewer};
use store::FeedName;

/// What becomes of one part of a feed's access.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// It stays as it is.
    #[default]
    Keep,
    /// It is this from now on.
    Set(T),
    /// It is taken away.
    Remove,
}

/// What becomes of a feed's access.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AccessChange {
    /// Who we are to the publisher.
    pub credentials: Change<Credentials>,
    /// Through whom we go.
    pub proxy: Change<String>,
    /// What we call ourselves.
    pub user_agent: Change<String>,
}

/// What came of changing a feed's access. Nothing was written unless it is done.
#[derive(Debug)]
pub enum AccessChanged {
    /// The next visit goes this way.
    Done,
    /// What is to be kept was sealed with another secret and cannot be read. A change of both credentials and proxy
    /// replaces it.
    Sealed(Locked),
    /// The proxy cannot be used; why.
    BadProxy(String),
    /// The feed would become the owner's, who has another feed at the same address.
    AddressTaken,
}

/// How a feed is reached, compared with what somebody gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessMatch {
    /// With the same credentials and the same proxy.
    Same,
    /// With others.
    Other,
    /// With neither.
    Public,
}

impl<T> Change<T> {
    /// The change that a new value, or the wish to have none, stands for.
    pub fn new(value: Option<T>, remove: bool) -> Self {
        match value {
            Some(value) => Self::Set(value),
            None if remove => Self::Remove,
            None => Self::Keep,
        }
    }

    fn apply(self, known: Option<T>) -> Option<T> {
        match self {
            Self::Keep => known,
            Self::Set(value) => Some(value),
            Self::Remove => None,
        }
    }

    fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

/// Changes how a feed that the viewer sees is reached. If it gets secrets and nobody owns it, `owner` does from now on.
pub async fn change_access(
    engine: &Engine,
    viewer: Viewer,
    feed: FeedId,
    owner: UserId,
    change: AccessChange,
) -> Result<AccessChanged, EngineError> {
    let (store, now) = (&engine.store, engine.now());
    let status = store.feed(viewer, &FeedName::Id(feed)).await?;
    let dossier = store.unscoped().peek(feed).await?.dossier;
    let known = match &dossier.access {
        Some(sealed) => engine.vault.open(status.feed.uuid, sealed),
        None => Ok(Access::default()),
    };
    let known = match known {
        Ok(known) => known,
        Err(locked) if change.credentials.is_keep() || change.proxy.is_keep() => {
            return Ok(AccessChanged::Sealed(locked));
        }
        Err(_) => Access::default(),
    };
    let access = Access {
        credentials: change.credentials.apply(known.credentials),
        proxy: change.proxy.apply(known.proxy),
        user_agent: change.user_agent.apply(dossier.user_agent),
    };
    if let Err(why) = access.route() {
        return Ok(AccessChanged::BadProxy(why));
    }
    // Only what credentials open is one person's; a proxy is how all subscribers reach the feed.
    if access.credentials.is_some() && status.feed.owner.is_none() && !store.set_owner(feed, Some(owner), now).await? {
        return Ok(AccessChanged::AddressTaken);
    }
    let sealed = access.is_secret().then(|| engine.vault.seal(status.feed.uuid, &access));
    store.set_access(feed, access.user_agent.as_deref(), sealed, now).await?;
    Ok(AccessChanged::Done)
}

/// Compares how a feed that the viewer sees is reached with what somebody gives. What cannot be opened is not the same.
pub async fn compare_access(
    engine: &Engine,
    viewer: Viewer,
    feed: FeedId,
    given: &Access,
) -> Result<AccessMatch, EngineError> {
    let uuid = engine.store.feed(viewer, &FeedName::Id(feed)).await?.feed.uuid;
    let Some(sealed) = engine.store.unscoped().peek(feed).await?.dossier.access else { return Ok(AccessMatch::Public) };
    let is_same = engine
        .vault
        .open(uuid, &sealed)
        .is_ok_and(|known| (&known.credentials, &known.proxy) == (&given.credentials, &given.proxy));
    Ok(if is_same { AccessMatch::Same } else { AccessMatch::Other })
}
