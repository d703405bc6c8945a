//! `courant feed edit`: changes URL, title, category, credentials or proxy. What is not given stays.

use engine::{Access, AccessChange, AccessChanged, Arrangement, Change, Engine, Moved};
use jiff::Timestamp;
use model::Viewer;
use serde_json::json;
use store::{FeedName, FeedStatus, Store};

use super::super::{Context, table};
use super::{Named, access};
use crate::output::Output;
use crate::wiring;

/// Which feed, and what becomes of it.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true).args([
    "url", "title", "category", "auth", "no_auth", "proxy_file", "no_proxy", "user_agent",
]))]
pub(crate) struct Args {
    #[command(flatten)]
    feed: Named,
    /// Visit it at this address from now on; its entries stay
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Its title; empty for the feed's own
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Put it into this category of the owner's
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Remove its credentials
    #[arg(long, conflicts_with = "auth")]
    no_auth: bool,
    /// Remove its proxy
    #[arg(long, conflicts_with = "proxy_file")]
    no_proxy: bool,
    #[command(flatten)]
    access: access::AccessArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let wanted = args.access.read()?;
    context.with_store(async |config, store| {
        let blobs = wiring::open_blobs(&config).await?;
        let engine = wiring::engine(&config, store, blobs, &context.clock)?;
        let status = args.feed.find(engine.store()).await?;
        let mut done = Vec::new();
        if args.no_auth || args.no_proxy || wanted != Access::default() {
            reach(&engine, &status, args, wanted).await?;
            done.push("credentials, proxy or user agent changed".to_owned());
        }
        if args.title.is_some() || args.category.is_some() {
            done.extend(arrange(engine.store(), &status, args, engine.now()).await?);
        }
        if let Some(url) = &args.url {
            done.push(relocate(engine.store(), &status, url, engine.now()).await?.to_owned());
        }
        let feed = engine.store().feed(Viewer::Operator, &FeedName::Id(status.feed.id)).await?;
        match context.output {
            Output::Json(_) => {
                context.output.json(&json!({ "id": feed.feed.id.0, "url": feed.feed.url, "result": done.join("; ") }))
            }
            Output::Text => {
                let line = format!("{}  {}  {}", feed.feed.id, feed.feed.url, done.join("; "));
                context.output.print(table::printable(&line))
            }
        }
    })
}

/// Credentials, proxy and user agent, as far as given. A feed with secrets belongs to its owner alone.
async fn reach(engine: &Engine, status: &FeedStatus, args: &Args, wanted: Access) -> anyhow::Result<()> {
    let change = AccessChange {
        credentials: Change::new(wanted.credentials, args.no_auth),
        proxy: Change::new(wanted.proxy, args.no_proxy),
        user_agent: Change::new(wanted.user_agent, false),
    };
    let owner = engine.store().owner().await?.id;
    match engine::change_access(engine, Viewer::Operator, status.feed.id, owner, change).await? {
        AccessChanged::Done => Ok(()),
        AccessChanged::Sealed(error) => {
            anyhow::bail!("{error}: its credentials cannot be decrypted; set new ones with --auth and --no-proxy")
        }
        AccessChanged::BadProxy(why) => anyhow::bail!("its proxy cannot be used: {why}"),
        AccessChanged::AddressTaken => {
            anyhow::bail!("there is a feed with credentials at {} already", status.feed.url)
        }
    }
}

/// Title and category belong to the owner's subscription, which is created if missing.
async fn arrange(store: &Store, status: &FeedStatus, args: &Args, now: Timestamp) -> anyhow::Result<Vec<String>> {
    let wanted = Arrangement { category: args.category.clone(), title: args.title.clone() };
    engine::arrange(store, store.owner().await?.id, status.feed.id, &wanted, now).await?;
    let title = args.title.as_deref().map(str::trim).map(|title| match title {
        "" => "titled as by its publisher".to_owned(),
        title => format!("called {title}"),
    });
    Ok(args.category.iter().map(|name| format!("filed in {name}")).chain(title).collect())
}

async fn relocate(store: &Store, status: &FeedStatus, typed: &str, now: Timestamp) -> anyhow::Result<&'static str> {
    match engine::move_feed(store, Viewer::Operator, status.feed.id, typed, now).await? {
        Moved::Done => Ok("visited at its new address"),
        Moved::Already => Ok("at the same address"),
        Moved::Taken { url, by } => {
            let other = by.map_or_else(String::new, |id| format!(" {id}"));
            anyhow::bail!(
                "{url} is the address of feed{other} already: delete one of the two; `courant feed delete --now` frees \
                 the address of one that was deleted"
            )
        }
        Moved::NotAnAddress(why) => anyhow::bail!(why),
        Moved::Deleted => anyhow::bail!("feed {} was deleted: adding it again brings it back", status.feed.id),
    }
}
