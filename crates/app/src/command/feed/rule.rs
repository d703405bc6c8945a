//! `courant feed rule`: shows and changes the rules of a feed. `courant feed set` of older versions is kept: without a
//! value it shows the rule, with an empty one it removes the override.

use std::collections::BTreeMap;

use clap::Subcommand;
use engine::RuleChanged;
use model::Viewer;
use policy::Rules;
use policy::rules::{Key, NoSuchRule, keys};
use serde_json::{Value, json};
use store::{FeedStatus, Store};

use super::super::{Context, table};
use super::{Named, each};
use crate::config::Config;
use crate::output::Output;
use crate::report::complain;
use crate::wiring;

/// What to do with rules.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// List the rules of a feed, and which of them are its own
    List(Named),
    /// Show one rule of a feed
    Get {
        #[command(flatten)]
        feed: Named,
        /// Such as `interval.min`
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Give a feed a rule of its own; `-` reads feeds from standard input
    Set {
        #[command(flatten)]
        feed: Named,
        /// Such as `interval.min`
        #[arg(value_name = "KEY")]
        key: String,
        /// Such as `2h`
        #[arg(value_name = "VALUE")]
        value: String,
    },
    /// Remove a feed's own rule; `-` reads feeds from standard input
    Unset {
        #[command(flatten)]
        feed: Named,
        /// Such as `interval.min`
        #[arg(value_name = "KEY")]
        key: String,
    },
}

/// The arguments of `feed set`.
#[derive(clap::Args)]
pub(crate) struct SetArgs {
    #[command(flatten)]
    feed: Named,
    /// Such as `interval.min`
    #[arg(value_name = "KEY")]
    key: Option<String>,
    /// Such as `2h`; empty removes the rule
    #[arg(value_name = "VALUE", requires = "key")]
    value: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |config, store| match args {
        Args::List(feed) => list(context, &config, &feed.find(&store).await?),
        Args::Get { feed, key } => get(context, &config, &feed.find(&store).await?, key),
        Args::Set { feed, key, value } => set(context, &config, &store, feed, key, value).await,
        Args::Unset { feed, key } => unset(context, &config, &store, feed, key).await,
    })
}

pub(super) fn set_or_show(context: &Context, args: &SetArgs) -> anyhow::Result<()> {
    let SetArgs { feed, key, value } = args;
    context.with_store(async |config, store| match (key, value.as_deref()) {
        (None, _) => list(context, &config, &feed.find(&store).await?),
        (Some(key), None) => get(context, &config, &feed.find(&store).await?, key),
        (Some(key), Some("")) => unset(context, &config, &store, feed, key).await,
        (Some(key), Some(value)) => set(context, &config, &store, feed, key, value).await,
    })
}

fn known(key: &str) -> anyhow::Result<&'static Key> {
    let found = keys().iter().find(|known| known.name == key);
    found.ok_or_else(|| anyhow::anyhow!("no rule is called `{key}`: `courant feed rule list FEED` lists them"))
}

async fn set(
    context: &Context,
    config: &Config,
    store: &Store,
    feed: &Named,
    key: &str,
    value: &str,
) -> anyhow::Result<()> {
    let global = wiring::rules(config)?;
    let known = known(key)?;
    anyhow::ensure!(known.is_of_a_feed(), "`{key}` is the same for all feeds: set it in `rules` of the configuration");
    each(context, store, std::slice::from_ref(&feed.name), async |status| {
        let changed =
            engine::set_rule(store, Viewer::Operator, &global, status.feed.id, key, value, context.clock.now()).await?;
        answer(status, key, changed)
    })
    .await
}

async fn unset(context: &Context, config: &Config, store: &Store, feed: &Named, key: &str) -> anyhow::Result<()> {
    let global = wiring::rules(config)?;
    each(context, store, std::slice::from_ref(&feed.name), async |status| {
        let changed =
            engine::unset_rule(store, Viewer::Operator, &global, status.feed.id, key, context.clock.now()).await?;
        answer(status, key, changed)
    })
    .await
}

fn answer(status: &FeedStatus, key: &str, changed: RuleChanged) -> anyhow::Result<String> {
    match changed {
        RuleChanged::Done(value) => Ok(format!("{key} = {value}")),
        RuleChanged::Refused(NoSuchRule::NotOwn { key }) => {
            anyhow::bail!("feed {} has no rule `{key}` of its own", status.feed.id)
        }
        RuleChanged::Refused(why) => anyhow::bail!("{why}"),
    }
}

fn body(key: &Key, rules: &Rules, own: &BTreeMap<String, String>) -> Value {
    json!({ "value": key.value(rules), "own": own.contains_key(key.name) })
}

fn get(context: &Context, config: &Config, status: &FeedStatus, key: &str) -> anyhow::Result<()> {
    let (rules, _) = Rules::resolve(&wiring::rules(config)?, &status.rules);
    let key = known(key)?;
    match context.output {
        Output::Json(_) => {
            let mut said = body(key, &rules, &status.rules);
            said["id"] = status.feed.id.0.into();
            said["key"] = key.name.into();
            said["doc"] = key.doc.into();
            context.output.json(&said)
        }
        Output::Text => {
            let whose = if status.rules.contains_key(key.name) { "  (its own)" } else { "" };
            context.output.print(format_args!("{} = {}{whose}", key.name, key.value(&rules)))?;
            context.output.print(table::paragraph(&format!("  {}", key.doc), 2))
        }
    }
}

fn list(context: &Context, config: &Config, status: &FeedStatus) -> anyhow::Result<()> {
    let (rules, problems) = Rules::resolve(&wiring::rules(config)?, &status.rules);
    let (own, keys) = (&status.rules, keys());
    match context.output {
        Output::Json(_) => {
            let shown: serde_json::Map<_, _> =
                keys.iter().map(|key| (key.name.to_owned(), body(key, &rules, own))).collect();
            context.output.json(&shown.into())?;
        }
        Output::Text => {
            let row = |key: &Key| {
                let whose = if own.contains_key(key.name) { "own" } else { "" };
                vec![key.name.to_owned(), key.value(&rules), whose.to_owned(), key.doc.to_owned()]
            };
            context.output.print(table::render(&["rule", "value", "", "what it does"], keys.iter().map(row)))?;
            let id = status.feed.id;
            context.output.print(format_args!("courant feed rule get {id} KEY explains one"))?;
        }
    }
    for problem in &problems {
        complain(problem);
    }
    Ok(())
}
