//! A visit on demand: ignores when the feed would be due, but respects a server that asked to be left alone, unless the
//! caller insists.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::upkeep::leaps::check_clock;
use jiff::Timestamp;
use model::Viewer;
use model::feed::FeedState;
use model::schedule::Because;
use policy::Preset;
use store::{ClockCheck, FeedName, FeedStatus};

/// How much the caller insists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insistence {
    /// Respects a Retry-After.
    Polite,
    /// Ignores it.
    Forced,
}

/// The result of asking for a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunNow {
    /// It is due.
    Due,
    /// The server asked to be left alone until then.
    AskedToWait(Timestamp),
    /// It is not visited at all; why, and what to do.
    NotVisited(String),
}

/// Makes a feed due now, if that may be.
pub async fn run_now(
    engine: &Engine,
    viewer: Viewer,
    feed: &FeedStatus,
    insistence: Insistence,
) -> Result<RunNow, EngineError> {
    let moved = matches!(check_clock(engine).await?, ClockCheck::Repaired { .. });
    let again = if moved { Some(engine.store.feed(viewer, &FeedName::Id(feed.feed.id)).await?) } else { None };
    let feed = again.as_ref().unwrap_or(feed);
    let (id, now) = (feed.feed.id, engine.now());
    let not_visited = match &feed.feed.state {
        FeedState::Active | FeedState::Disabled { .. } => None,
        FeedState::Gone => Some("its publisher says that it is gone: `courant feed enable` tries again"),
        FeedState::Paused => Some("it is switched off: `courant feed enable` enables it"),
        FeedState::AwaitingModeration => Some("nobody has looked at it yet"),
        FeedState::Rejected { .. } => Some("a moderator said no"),
        FeedState::Deleted => Some("it was deleted: `courant feed add` brings it back"),
    };
    if let Some(why) = not_visited {
        return Ok(RunNow::NotVisited(why.to_owned()));
    }
    let because = because(engine, insistence);
    if because == Because::Manual {
        let paused = engine.store.paused_until(&feed.rate_group).await?;
        if let Some(until) = paused.max(feed.retry_after).filter(|until| *until > now) {
            return Ok(RunNow::AskedToWait(until));
        }
    }
    engine.store.make_due(id, Some(now), because, "because somebody asked for it", now).await?;
    Ok(RunNow::Due)
}

/// Makes every feed due that is visited at all, if that may be; returns how many.
pub async fn run_all_now(engine: &Engine) -> Result<u64, EngineError> {
    check_clock(engine).await?;
    let because = because(engine, Insistence::Polite);
    Ok(engine.store.make_all_due(engine.now(), because, "because somebody asked for all").await?)
}

/// Under preset `reedme` every visit on demand is forced.
fn because(engine: &Engine, insistence: Insistence) -> Because {
    match insistence {
        Insistence::Polite if engine.options.rules.preset != Preset::Reedme => Because::Manual,
        Insistence::Polite | Insistence::Forced => Because::Forced,
    }
}
