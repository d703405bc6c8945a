//! `courant root-domain`: the names by which the feeds of a site are grouped.

use clap::Subcommand;
use engine::RootDomainSet;
use model::Viewer;
use serde_json::{Value, json};

use super::{Context, table};
use crate::output::Output;

/// What to do with root domains.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// List the root domains of feeds
    List {
        /// Only those with this text in their names
        #[arg(long, value_name = "TEXT")]
        r#match: Option<String>,
        /// The maximum number
        #[arg(long, value_name = "NUMBER")]
        limit: Option<usize>,
    },
    /// Give a feed another root domain
    Set {
        /// Id, UUID or URL
        #[arg(value_name = "FEED")]
        name: String,
        /// Such as `example.org`
        #[arg(value_name = "DOMAIN")]
        domain: String,
    },
    /// Take a feed's root domain away
    Clear {
        /// Id, UUID or URL
        #[arg(value_name = "FEED")]
        name: String,
    },
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |_, store| {
        let (name, domain) = match args {
            Args::List { r#match, limit } => {
                let wanted = r#match.as_deref().unwrap_or_default().to_lowercase();
                let domains =
                    store.root_domains(Viewer::Operator).await?.into_iter().filter(|(name, _)| name.contains(&wanted));
                return list(context, &domains.take(limit.unwrap_or(usize::MAX)).collect::<Vec<_>>());
            }
            Args::Set { name, domain } => (name, Some(domain.as_str())),
            Args::Clear { name } => (name, None),
        };
        let feed = super::feed::find(&store, name).await?.feed;
        let set = engine::set_root_domain(&store, Viewer::Operator, feed.id, domain, context.clock.now()).await?;
        let RootDomainSet::Done(domain) = set else {
            anyhow::bail!("`{}` is not a host name such as `example.org`", domain.unwrap_or_default());
        };
        match context.output {
            Output::Json(_) => context.output.json(&json!({ "id": feed.id.0, "root_domain": domain })),
            Output::Text => {
                let domain = domain.as_deref().unwrap_or("no root domain");
                context.output.print(format_args!("{}  {}  {domain}", feed.id, feed.url))
            }
        }
    })
}

fn list(context: &Context, domains: &[(String, i64)]) -> anyhow::Result<()> {
    match context.output {
        Output::Json(_) => {
            let domains = domains.iter().map(|(domain, feeds)| json!({ "root_domain": domain, "feeds": feeds }));
            context.output.json(&domains.collect::<Vec<Value>>().into())
        }
        Output::Text if domains.is_empty() => context.output.print("no feed has a root domain"),
        Output::Text => {
            let rows = domains.iter().map(|(domain, feeds)| vec![domain.clone(), feeds.to_string()]);
            context.output.print(table::render(&["root domain", "feeds"], rows))
        }
    }
}
