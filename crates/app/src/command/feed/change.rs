//! `courant feed enable|disable|delete|polling|links|duplicate-urls|set`: the switches of a feed.

use clap::ValueEnum;
use model::feed::{DomainRule, FeedState};
use policy::Rules;
use serde_json::json;
use store::Store;

use super::super::{Context, table};
use super::{Named, Switch, say};
use crate::config::Config;
use crate::output::Output;
use crate::wiring;

/// A feed that was switched off keeps its schedule; one that failed too often is tried at once.
pub(super) async fn enable(context: &Context, store: &Store, feed: &Named) -> anyhow::Result<()> {
    let (status, now) = (feed.find(store).await?, context.clock.now());
    match &status.feed.state {
        FeedState::Active => return say(context, &status, "was enabled already"),
        FeedState::Deleted => anyhow::bail!("feed {} was deleted: `courant feed add` brings it back", status.feed.id),
        FeedState::Disabled { .. } | FeedState::Gone => store.enable_feed(status.feed.id, Some(now), now).await?,
        FeedState::Paused | FeedState::AwaitingModeration | FeedState::Rejected { .. } => {
            store.enable_feed(status.feed.id, None, now).await?;
        }
    }
    say(context, &status, "enabled")
}

pub(super) async fn disable(context: &Context, store: &Store, feed: &Named) -> anyhow::Result<()> {
    let status = feed.find(store).await?;
    anyhow::ensure!(status.feed.state != FeedState::Deleted, "feed {} was deleted", status.feed.id);
    store.set_feed_state(status.feed.id, &FeedState::Paused, context.clock.now()).await?;
    say(context, &status, "disabled")
}

pub(super) async fn delete(context: &Context, store: &Store, feed: &Named) -> anyhow::Result<()> {
    let status = feed.find(store).await?;
    store.set_feed_state(status.feed.id, &FeedState::Deleted, context.clock.now()).await?;
    say(context, &status, "deleted")
}

pub(super) async fn polling(
    context: &Context,
    store: &Store,
    feed: &Named,
    switch: Option<Switch>,
) -> anyhow::Result<()> {
    let status = feed.find(store).await?;
    let on = switch.map_or(!status.feed.polling, |switch| switch == Switch::On);
    store.set_polling(status.feed.id, on, context.clock.now()).await?;
    say(context, &status, if on { "polling on" } else { "polling off" })
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

pub(super) async fn links(context: &Context, store: &Store, feed: &Named, links: Links) -> anyhow::Result<()> {
    let status = feed.find(store).await?;
    store.set_domain_rule(status.feed.id, links.into(), context.clock.now()).await?;
    let taken = match links {
        Links::Any => "all its entries are taken",
        Links::Site => "only entries whose links are on its own site are taken",
        Links::Exact => "only entries whose links are on its very host are taken",
    };
    say(context, &status, taken)
}

pub(super) async fn duplicate_urls(
    context: &Context,
    store: &Store,
    feed: &Named,
    switch: Switch,
) -> anyhow::Result<()> {
    let status = feed.find(store).await?;
    store.set_duplicate_urls(status.feed.id, switch == Switch::On, context.clock.now()).await?;
    let said = match switch {
        Switch::On => "several of its entries may share one link",
        Switch::Off => "two entries with one link are the same entry",
    };
    say(context, &status, said)
}

/// Without a key: what rules the feed, and which of it is its own.
pub(super) async fn set(
    context: &Context,
    config: &Config,
    store: &Store,
    feed: &Named,
    key: Option<&str>,
    value: Option<&str>,
) -> anyhow::Result<()> {
    let status = feed.find(store).await?;
    let global = wiring::rules(config)?;
    let (rules, problems) = Rules::resolve(&global, &status.rules);
    let Some(key) = key else { return show_rules(context, &status.rules, &rules, &problems) };
    let mut own = status.rules.clone();
    match value.unwrap_or_default() {
        "" => {
            anyhow::ensure!(own.remove(key).is_some(), "feed {} has no rule `{key}` of its own", status.feed.id);
        }
        value => {
            let known = policy::rules::keys().iter().find(|known| known.name == key);
            anyhow::ensure!(
                known.is_none_or(policy::rules::Key::is_of_a_feed),
                "`{key}` is the same for all feeds: set it in `rules` of the configuration"
            );
            rules.with(key, value).map_err(|why| anyhow::anyhow!("`{key}` cannot be `{value}`: {why}"))?;
            own.insert(key.to_owned(), value.to_owned());
        }
    }
    let (rules, _) = Rules::resolve(&global, &own);
    let minutes = rules.refresh_minutes().filter(|_| own.contains_key("interval.initial"));
    store.set_feed_rules(status.feed.id, &own, minutes, context.clock.now()).await?;
    let shown = policy::rules::keys().iter().find(|known| known.name == key).map(|known| known.value(&rules));
    say(context, &status, &format!("{key} = {}", shown.unwrap_or_default()))
}

fn show_rules(
    context: &Context,
    own: &std::collections::BTreeMap<String, String>,
    rules: &Rules,
    problems: &[String],
) -> anyhow::Result<()> {
    let keys = policy::rules::keys();
    if context.output == Output::Json {
        let shown: serde_json::Map<_, _> = keys
            .iter()
            .map(|key| (key.name.to_owned(), json!({ "value": key.value(rules), "own": own.contains_key(key.name) })))
            .collect();
        return context.output.json(&shown.into());
    }
    let row = |key: &policy::rules::Key| {
        let whose = if own.contains_key(key.name) { "own" } else { "" };
        vec![key.name.to_owned(), key.value(rules), whose.to_owned(), key.doc.to_owned()]
    };
    context.output.print(table::render(&["rule", "value", "", "what it does"], keys.iter().map(row)))?;
    for problem in problems {
        crate::report::complain(problem);
    }
    Ok(())
}
