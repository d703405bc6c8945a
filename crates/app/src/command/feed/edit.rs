//! `courant feed edit`: changes URL, title, category, credentials or proxy. What is not given stays.

use anyhow::Context as _;
use engine::{Access, AccessChange, AccessChanged, Change, Engine};
use model::Viewer;
use serde_json::json;
use store::FeedStatus;

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
            done.extend(arrange(&engine, &status, args).await?);
        }
        if let Some(url) = &args.url {
            done.push(relocate(&engine, &status, url).await?);
        }
        let feed = args_feed(&engine, &status).await?;
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

async fn args_feed(engine: &Engine, status: &FeedStatus) -> anyhow::Result<FeedStatus> {
    Ok(engine.store().feed(Viewer::Operator, &store::FeedName::Id(status.feed.id)).await?)
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
async fn arrange(engine: &Engine, status: &FeedStatus, args: &Args) -> anyhow::Result<Vec<String>> {
    let (store, id, now) = (engine.store(), status.feed.id, engine.now());
    let owner = store.owner().await?.id;
    let mut done = Vec::new();
    store.subscribe(owner, id, store.default_category(owner).await?, None, now).await?;
    if let Some(name) = &args.category {
        let category = store.add_category(owner, None, name, now).await?;
        store.file_subscription(owner, id, category).await?;
        done.push(format!("filed in {name}"));
    }
    if let Some(title) = &args.title {
        let title = Some(title.trim()).filter(|title| !title.is_empty());
        store.rename_subscription(owner, id, title).await?;
        done.push(title.map_or_else(|| "titled as by its publisher".to_owned(), |title| format!("called {title}")));
    }
    Ok(done)
}

async fn relocate(engine: &Engine, status: &FeedStatus, typed: &str) -> anyhow::Result<String> {
    let (store, now) = (engine.store(), engine.now());
    let url = engine::typed_address(typed)?;
    let url = engine::address(&url).map_err(anyhow::Error::msg).context("this cannot be a feed's address")?;
    if url == status.feed.url {
        return Ok("at the same address".to_owned());
    }
    if !store.set_url(status.feed.id, &url, now).await? {
        let other = store.feed_at(Viewer::Operator, &url, status.feed.owner).await?;
        let other = other.map_or_else(String::new, |id| format!(" {id}"));
        anyhow::bail!(
            "{url} is the address of feed{other} already: delete one of the two; `courant feed delete --now` frees the \
             address of one that was deleted"
        );
    }
    // A root domain derived from the URL follows it; one that was set stays.
    if status.feed.root_domain.is_some() && status.feed.root_domain == policy::root_domain(&status.feed.url) {
        store.set_root_domain(status.feed.id, policy::root_domain(&url).as_deref(), now).await?;
    }
    Ok("visited at its new address".to_owned())
}
