//! `courant feed enable|disable|delete|polling|links|duplicate-urls`: the switches of feeds.

use clap::ValueEnum;
use model::feed::{DomainRule, FeedState};
use store::Store;

use super::super::Context;
use super::{Names, Switch, each};

/// A feed that was switched off keeps its schedule; one that failed too often is tried at once.
pub(super) async fn enable(context: &Context, store: &Store, feeds: &Names) -> anyhow::Result<()> {
    each(context, store, &feeds.names, async |status| {
        let (id, now) = (status.feed.id, context.clock.now());
        match &status.feed.state {
            FeedState::Active => return Ok("was enabled already".to_owned()),
            FeedState::Deleted => anyhow::bail!("feed {id} was deleted: `courant feed add` brings it back"),
            FeedState::Disabled { .. } | FeedState::Gone => store.enable_feed(id, Some(now), now).await?,
            FeedState::Paused | FeedState::AwaitingModeration | FeedState::Rejected { .. } => {
                store.enable_feed(id, None, now).await?;
            }
        }
        Ok("enabled".to_owned())
    })
    .await
}

pub(super) async fn disable(context: &Context, store: &Store, feeds: &Names) -> anyhow::Result<()> {
    each(context, store, &feeds.names, async |status| {
        let id = status.feed.id;
        anyhow::ensure!(status.feed.state != FeedState::Deleted, "feed {id} was deleted");
        store.set_feed_state(id, &FeedState::Paused, context.clock.now()).await?;
        Ok("disabled".to_owned())
    })
    .await
}

pub(super) async fn delete(context: &Context, store: &Store, feeds: &Names) -> anyhow::Result<()> {
    each(context, store, &feeds.names, async |status| {
        store.set_feed_state(status.feed.id, &FeedState::Deleted, context.clock.now()).await?;
        Ok("deleted".to_owned())
    })
    .await
}

/// The last word may be `on` or `off`; no feed is called so.
pub(super) async fn polling(context: &Context, store: &Store, words: &[String]) -> anyhow::Result<()> {
    let (names, switch) = match words.split_last() {
        Some((word, names)) if word == "on" && !names.is_empty() => (names, Some(true)),
        Some((word, names)) if word == "off" && !names.is_empty() => (names, Some(false)),
        _ => (words, None),
    };
    each(context, store, names, async |status| {
        let on = switch.unwrap_or(!status.feed.polling);
        store.set_polling(status.feed.id, on, context.clock.now()).await?;
        Ok(if on { "polling on" } else { "polling off" }.to_owned())
    })
    .await
}

/// Which links of a feed's entries are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Links {
    /// Any
    Any,
    /// Those on the feed's own site
    Site,
    /// Those on the very host of the feed
    Exact,
}

impl From<Links> for DomainRule {
    fn from(links: Links) -> Self {
        match links {
            Links::Any => Self::Any,
            Links::Site => Self::Registrable,
            Links::Exact => Self::Exact,
        }
    }
}

pub(super) async fn links(context: &Context, store: &Store, feeds: &Names, links: Links) -> anyhow::Result<()> {
    each(context, store, &feeds.names, async |status| {
        store.set_domain_rule(status.feed.id, links.into(), context.clock.now()).await?;
        let taken = match links {
            Links::Any => "all its entries are taken",
            Links::Site => "only entries whose links are on its own site are taken",
            Links::Exact => "only entries whose links are on its very host are taken",
        };
        Ok(taken.to_owned())
    })
    .await
}

pub(super) async fn duplicate_urls(
    context: &Context,
    store: &Store,
    feeds: &Names,
    switch: Switch,
) -> anyhow::Result<()> {
    each(context, store, &feeds.names, async |status| {
        store.set_duplicate_urls(status.feed.id, switch == Switch::On, context.clock.now()).await?;
        let said = match switch {
            Switch::On => "several of its entries may share one link",
            Switch::Off => "two entries with one link are the same entry",
        };
        Ok(said.to_owned())
    })
    .await
}
