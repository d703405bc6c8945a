//! `courant feed enable|disable|delete|polling|links|duplicate-urls`: switches of feeds.

use clap::ValueEnum;
use engine::{Deleted, Disabled, Enabled, Removal};
use model::Viewer;
use model::feed::DomainRule;
use store::Store;

use super::super::{Context, table};
use super::{Names, Switch, each, each_found, find, find_deleted};
use crate::wiring;

pub(super) async fn enable(context: &Context, store: &Store, feeds: &Names) -> anyhow::Result<()> {
    each(context, store, &feeds.names, async |status| {
        let id = status.feed.id;
        match engine::enable_feed(store, Viewer::Operator, id, context.clock.now()).await? {
            Enabled::Done => Ok("enabled".to_owned()),
            Enabled::Already => Ok("was enabled already".to_owned()),
            Enabled::Refused(why) => anyhow::bail!("feed {id} cannot be enabled: {why}; {}", why.what_to_do()),
        }
    })
    .await
}

pub(super) async fn disable(context: &Context, store: &Store, feeds: &Names) -> anyhow::Result<()> {
    each(context, store, &feeds.names, async |status| {
        Ok(match engine::disable_feed(store, Viewer::Operator, status.feed.id, context.clock.now()).await? {
            Disabled::Done | Disabled::Already => "disabled".to_owned(),
            Disabled::NotVisited(why) => format!("is not visited: {why}; nothing was changed"),
        })
    })
    .await
}

/// Which feeds, and whether they can be brought back.
#[derive(clap::Args)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    feeds: Names,
    /// Remove them with all their entries now, not in 30 days; also feeds that were deleted before
    #[arg(long)]
    now: bool,
}

pub(super) fn delete(context: &Context, args: &DeleteArgs) -> anyhow::Result<()> {
    context.with_store(async |config, store| {
        let blobs = wiring::open_blobs(&config).await?;
        let engine = wiring::engine(&config, store, blobs, &context.clock)?;
        let find = async |name: &str| match find_deleted(engine.store(), name).await? {
            Some(status) if args.now => Ok(status),
            _ => find(engine.store(), name).await,
        };
        let removal = if args.now { Removal::Now } else { Removal::Later };
        each_found(context, &args.feeds.names, find, async |status| {
            Ok(match engine::delete_feed(&engine, Viewer::Operator, status.feed.id, removal).await? {
                Deleted::Until(until) | Deleted::Already(Some(until)) => {
                    format!("deleted; `courant feed add` restores it until {}", table::moment(until))
                }
                Deleted::Already(None) => "deleted".to_owned(),
                Deleted::Removed => "deleted and removed".to_owned(),
                Deleted::RemovedSoon => "deleted; a running server removes it within the hour".to_owned(),
            })
        })
        .await
    })
}

/// The last word may be `on` or `off`; no feed has that name.
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
    /// Those on exactly the host of the feed
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
            Links::Any => "all its entries are accepted",
            Links::Site => "only entries whose links are on its own site are accepted",
            Links::Exact => "only entries whose links are on exactly its host are accepted",
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
