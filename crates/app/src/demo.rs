//! The demonstration: publishers on this machine, a reader who follows them, and a past for the dashboards. `courant demo`
//! runs a server as `courant serve` does, around what is here; nothing of it is reached over a network.
//!
//! `publishers` are the samples, `document` writes their feeds, `origin` serves them on loopback, `past` makes sums of visits.

mod document;
mod origin;
mod past;
mod publishers;

pub(crate) use origin::Origin;

use accounts::Accounts;
use anyhow::Context as _;
use engine::Engine;
use model::{FeedId, UserId, WorkerId};
use publishers::Publisher;
use reader::Subscribed;
use std::net::SocketAddr;

/// The owner follows every publisher, all of them were visited once, and there is a past. Returns the link to open.
pub(crate) async fn prepare(
    engine: &Engine,
    accounts: &Accounts,
    publishers: &[(&'static Publisher, String)],
    address: SocketAddr,
) -> anyhow::Result<String> {
    let store = engine.store();
    let owner = store.owner().await?.id;
    // Nobody knows it: the link is the way in, and the app need not ask for a first password.
    accounts.apply_owner_password(&uuid::Uuid::new_v4().to_string()).await?;
    let feeds = follow(engine, owner, publishers).await?;
    let past = past::rollup(&feeds, engine.now());
    store.add_rollup(&WorkerId("the demo's past".to_owned()), 1, &past, engine.now()).await?;
    // The first page is not empty: everybody is visited before the link is shown.
    engine::run_until_idle(engine.clone()).await?;
    let token = accounts.login_token(owner).await?;
    Ok(format!("http://{address}/#login={token}"))
}

/// Subscribes to all publishers, each in its category.
async fn follow(
    engine: &Engine,
    owner: UserId,
    publishers: &[(&'static Publisher, String)],
) -> anyhow::Result<Vec<(&'static str, FeedId)>> {
    let store = engine.store();
    let mut feeds = Vec::with_capacity(publishers.len());
    for (publisher, url) in publishers {
        // Found if it is there already.
        let category = store.add_category(owner, None, publisher.category, engine.now()).await?;
        let subscribed = reader::subscribe_at(engine, owner, url, category, Some(publisher.title.to_owned())).await?;
        let (Subscribed::New(feed) | Subscribed::Known(feed)) = subscribed else {
            anyhow::bail!("the demo cannot follow {url}: {subscribed:?}");
        };
        feeds.push((publisher.path, feed));
    }
    Ok(feeds)
}

/// Opens a link in the browser of this machine, if there is a way; says nothing if there is none.
pub(crate) fn open_browser(link: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = || std::process::Stdio::null();
    let _ = std::process::Command::new(program).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}

/// A directory that goes with the demonstration.
pub(crate) fn directory() -> anyhow::Result<tempfile::TempDir> {
    let made = tempfile::Builder::new().prefix("courant-demo-").tempdir();
    made.context("cannot make a temporary directory for the demo; set TMPDIR to one that can be written")
}
