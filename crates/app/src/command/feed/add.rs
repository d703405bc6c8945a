//! `courant feed add`: new feeds, due at once; under preset `deframer` switched off until somebody enables them.

use engine::{Engine, Wanted, subscribe};
use model::feed::DomainRule;
use policy::Preset;
use serde_json::{Value, json};
use store::Added;

use super::super::{Context, table};
use super::access;
use super::change::Links;
use crate::output::Output;
use crate::wiring;

/// What to add.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Addresses of feeds
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
    /// Leave the root domain empty instead of taking it from the address
    #[arg(long)]
    no_root_domain: bool,
    /// Take only entries whose links are on the feed's own `site` (also with `exact`: on its very host) or `any`
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "site")]
    enforce_domain: Option<Links>,
    /// Several entries may share one link
    #[arg(long)]
    allow_duplicate_urls: bool,
    /// Visit once, not again and again
    #[arg(long)]
    once: bool,
    /// Subscribe the owner and put the feeds into this category of theirs
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Rules of these feeds, as of this preset
    #[arg(long = "rules-of", value_name = "PRESET")]
    rules_of: Option<String>,
    #[command(flatten)]
    access: access::AccessArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let access = args.access.read()?;
    context.with_store(async |config, store| {
        let usual = wiring::rules(&config)?;
        let rules = args.rules_of.as_deref().map(|preset| rules_of(&usual, preset)).transpose()?;
        let blobs = wiring::open_blobs(&config).await?;
        let engine = wiring::engine(&config, store, blobs, &context.clock)?;
        let owner = engine.store.owner().await?.id;
        let category = match &args.category {
            Some(name) => Some(engine.store.add_category(owner, None, name, context.clock.now()).await?),
            None => None,
        };
        let off = engine.options.rules.preset == Preset::Deframer;
        let mut answers = Vec::new();
        for url in &args.urls {
            let wanted = Wanted {
                url: url.clone(),
                owner: access.is_secret().then_some(owner),
                access: access.clone(),
                root_domain: if args.no_root_domain { engine::RootDomain::None } else { engine::RootDomain::FromUrl },
                domain_rule: args.enforce_domain.map_or(usual_links(&usual), DomainRule::from),
                polling: !(args.once || off),
                switched_off: off,
            };
            let added = subscribe(&engine, &wanted).await?;
            if let Some(rules) = &rules {
                let minutes = policy::Rules::resolve(&usual, rules).0.refresh_minutes();
                let minutes = minutes.filter(|_| rules.contains_key("interval.initial"));
                engine.store.set_feed_rules(added.id(), rules, minutes, context.clock.now()).await?;
            }
            if args.allow_duplicate_urls {
                engine.store.set_duplicate_urls(added.id(), true, context.clock.now()).await?;
            }
            if let Some(category) = category {
                engine.store.subscribe(owner, added.id(), category, None, context.clock.now()).await?;
            }
            answers.push(tell(context, &engine, url, added, off)?);
        }
        if context.output == Output::Json { context.output.json(&Value::Array(answers)) } else { Ok(()) }
    })
}

/// Under preset `deframer` a feed's entries are on its own site, unless somebody says otherwise.
fn usual_links(rules: &policy::Rules) -> DomainRule {
    if rules.preset == Preset::Deframer { DomainRule::Registrable } else { DomainRule::Any }
}

/// Everything in which a preset differs from the usual rules, as rules of a feed's own.
fn rules_of(usual: &policy::Rules, preset: &str) -> anyhow::Result<std::collections::BTreeMap<String, String>> {
    let Some(preset) = Preset::named(preset) else {
        let names: Vec<&str> = Preset::ALL.iter().map(|preset| preset.as_str()).collect();
        anyhow::bail!("no preset is called `{preset}`; there are {}", names.join(", "));
    };
    let wanted = policy::Rules::preset(preset);
    let own = policy::rules::keys().iter().filter(|key| key.is_of_a_feed());
    let differ = own.map(|key| (key.name, key.value(usual), key.value(&wanted)));
    Ok(differ.filter(|(_, usual, wanted)| usual != wanted).map(|(key, _, wanted)| (key.to_owned(), wanted)).collect())
}

fn tell(context: &Context, engine: &Engine, url: &str, added: Added, off: bool) -> anyhow::Result<Value> {
    let word = match added {
        Added::New(_) if off => "added, switched off: `courant feed enable` and `courant feed sync` start it",
        Added::New(_) => "added",
        Added::Existing(_) => "already there",
        Added::Revived(_) => "back again",
    };
    if context.output == Output::Text {
        context.output.print(table::printable(&format!("{}  {url}  {word}", added.id())))?;
    }
    let group = engine.group(url).map(|(group, _)| group.name);
    Ok(json!({ "id": added.id().0, "url": url, "result": word, "rate_group": group }))
}
