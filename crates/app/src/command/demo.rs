//! `courant demo`: the program with publishers of its own on this machine, a temporary directory, and one link that logs in.
//! Needs no network, no key and no set-up; the configuration of this machine is not read. Ctrl-C ends it and removes the
//! directory.

use std::io::IsTerminal as _;
use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Context as _;
use serde_json::json;

use super::{Context, serve};
use crate::config::{BlobsUrl, Config, DatabaseUrl, GroupPatterns, PerSecond, Sources, Value as _};
use crate::demo;
use crate::log::Role;

/// The arguments of `demo`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Do not open the link in a browser
    #[arg(long)]
    no_open: bool,
    /// The port to listen on, instead of any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
}

/// Feeds of the demo may be visited this often: one looks for minutes, not for days.
const FLOOR_SECONDS: u64 = 4;

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let directory = demo::directory()?;
    // Flags count, such as --log and --ui-dir; the file and the environment are those of another installation.
    let sources = Sources { flags: context.sources.flags.clone(), ..Sources::apart(directory.path().to_path_buf()) };
    let bare = Context { sources, clock: context.clock.clone(), output: context.output };
    let config = configured(bare.start(Role::Tool)?, &directory, args.port)?;
    let show = |link: &str| -> anyhow::Result<()> {
        if context.output.is_json() {
            context.output.json(&json!({ "url": link, "data": directory.path() }))?;
        } else {
            context.output.print(link)?;
        }
        // Not for a program that reads the link.
        if !args.no_open && !context.output.is_json() && std::io::stdout().is_terminal() {
            demo::open_browser(link);
        }
        Ok(())
    };
    let served = serve::run_demo(&bare, &config, &show);
    directory.close().context("the demo's directory could not be removed")?;
    served
}

/// The settings of the demo: everything in the directory, loopback only, every publisher a rate group of its own.
fn configured(mut config: Config, directory: &tempfile::TempDir, port: u16) -> anyhow::Result<Config> {
    let data = directory.path().to_path_buf();
    config.database.url = DatabaseUrl::Sqlite(data.join("courant.db"));
    config.blobs.url = BlobsUrl::Directory(data.join("blobs"));
    config.general.data = data;
    config.web.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    config.metrics.listen = None;
    config.fetch.host_rps = PerSecond(5.0);
    config.fetch.floor = std::time::Duration::from_secs(FLOOR_SECONDS);
    config.fetch.rate_groups = GroupPatterns::read("127.0.0.1/{1}").map_err(anyhow::Error::msg)?;
    Ok(config)
}
