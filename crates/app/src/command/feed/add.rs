//! `courant feed add`: adds feeds by their own URL or by that of their site, which is searched for feeds. The owner is
//! subscribed, and new feeds are due at once. Under preset `deframer` a URL is taken as it is, no user is subscribed,
//! and the feed is off until an operator enables it.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use engine::{Access, AccessMatch, Discovery, Engine, Reach, Wanted, add_feed};
use model::feed::{DomainRule, FeedState, Origin};
use model::visit::{Failure, Outcome};
use model::{CategoryId, FeedId, UserId, Viewer};
use policy::Preset;
use serde_json::{Value, json};
use store::{Added, FeedName, FeedStatus};

use super::super::{Context, discover, table};
use super::change::Links;
use super::{Answers, access, expanded};
use crate::config::{Config, DatabaseUrl};
use crate::lock::ServeLock;
use crate::report::{Choice, complain};
use crate::wiring;

/// What to add.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Addresses of feeds or of their sites; `https://` may be left out; `-` reads them from standard input
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
    /// Of the feeds that a site has, take the one with this number, or `all`
    #[arg(long, value_name = "NUMBER")]
    pick: Option<Pick>,
    /// Take the address as it is, without checking whether there is a feed
    #[arg(long)]
    as_is: bool,
    /// Put the feeds into this category of the owner's
    #[arg(long, value_name = "NAME", conflicts_with = "no_subscribe")]
    category: Option<String>,
    /// Subscribe no user: the feeds are visited for other programs
    #[arg(long)]
    no_subscribe: bool,
    /// Leave the root domain empty instead of taking it from the address
    #[arg(long)]
    no_root_domain: bool,
    /// Take only entries whose links are on the feed's own `site` (`exact`: on exactly its host) or `any`
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "site")]
    enforce_domain: Option<Links>,
    /// Several entries may share one link
    #[arg(long)]
    allow_duplicate_urls: bool,
    /// Visit only once
    #[arg(long)]
    once: bool,
    /// Rules of these feeds, as of this preset
    #[arg(long = "rules-of", value_name = "PRESET")]
    rules_of: Option<String>,
    #[command(flatten)]
    access: access::AccessArgs,
}

/// Which of several feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pick {
    Number(usize),
    All,
}

impl std::str::FromStr for Pick {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("all", _) => Ok(Self::All),
            (_, Ok(number)) if number > 0 => Ok(Self::Number(number)),
            _ => Err("expected a number such as `1`, or `all`".to_owned()),
        }
    }
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let access = args.access.read()?;
    let urls = expanded(&args.urls)?;
    context.with_new_store(async |config, store| {
        let usual = wiring::rules(&config)?;
        let rules = args.rules_of.as_deref().map(|preset| rules_of(&usual, preset)).transpose()?;
        let blobs = wiring::open_blobs(&config).await?;
        let engine = wiring::engine(&config, store, blobs, &context.clock)?;
        let owner = engine.store().owner().await?.id;
        let off = engine.options().rules.preset == Preset::Deframer;
        let category = match &args.category {
            Some(name) => Some(engine.store().add_category(owner, None, name, context.clock.now()).await?),
            None if args.no_subscribe || off => None,
            None => Some(engine.store().default_category(owner).await?),
        };
        let adding = Adding { context, args, engine: &engine, owner, access, category, rules, usual, off };
        let mut answers = Answers::new(context, &urls);
        let mut added = false;
        for url in &urls {
            match adding.add(url).await {
                Ok(feeds) => {
                    for feed in feeds {
                        added |= feed.is_new;
                        answers.done(feed.row, &feed.line)?;
                    }
                }
                Err(error) => answers.failed(url, error),
            }
        }
        if added && !off && !is_served(&config) {
            complain("no server is running: `courant serve` visits the feeds from now on, `courant fetch` once");
        }
        answers.end()
    })
}

/// Whether a process serves this data directory. For a database server that is unknown, and true is returned.
fn is_served(config: &Config) -> bool {
    match &config.database.url {
        DatabaseUrl::Postgres(_) => true,
        DatabaseUrl::Sqlite(_) => ServeLock::holder(&config.general.data).is_ok_and(|holder| holder.is_some()),
    }
}

/// A feed that was added or found.
struct Feed {
    is_new: bool,
    row: Value,
    line: String,
}

struct Adding<'a> {
    context: &'a Context,
    args: &'a Args,
    engine: &'a Engine,
    owner: UserId,
    access: Access,
    category: Option<CategoryId>,
    rules: Option<std::collections::BTreeMap<String, String>>,
    usual: policy::Rules,
    off: bool,
}

impl Adding<'_> {
    async fn add(&self, typed: &str) -> anyhow::Result<Vec<Feed>> {
        let url = engine::typed_address(typed)?;
        // A feed that needs credentials cannot be checked without them, and a known feed needs no check.
        if self.args.as_is || self.off || self.access.is_secret() || self.known(&url).await?.is_some() {
            return Ok(vec![self.take(&url, None).await?]);
        }
        let mut found = engine::discover(self.engine, typed, Reach::default()).await?;
        let scheme = typed.strip_prefix("feed:").unwrap_or(typed).trim_start_matches('/');
        if found.failure.is_some() && !scheme.contains("://") {
            // The user typed no scheme: if only http responds, that is used.
            let plain =
                engine::discover(self.engine, &url.replacen("https://", "http://", 1), Reach::default()).await?;
            if plain.failure.is_none() {
                found = plain;
            }
        }
        let Some(failure) = &found.failure else { return self.choose(&found).await };
        if let Outcome::Failed(Failure::PrivateAddress(address)) = failure {
            anyhow::bail!(
                "{} is at {address}, an address of a private network, which is not visited unless you say so: \
                 `--allow-private {address}`, or COURANT_ALLOW_PRIVATE for the server as well",
                found.url
            );
        }
        anyhow::ensure!(!is_final(failure), "{failure} at {}; --as-is adds the address anyway", found.url);
        let note = format!("could not be visited yet ({failure})");
        Ok(vec![self.take(&found.url, Some(&note)).await?])
    }

    /// Feeds are added as the owner, who must not see another user's private feed at the same URL.
    fn viewer(&self) -> Viewer {
        Viewer::User(self.owner)
    }

    /// The existing feed at a URL, public or the owner's.
    async fn known(&self, url: &str) -> anyhow::Result<Option<FeedId>> {
        for owner in [None, Some(self.owner)] {
            if let Some(id) = self.engine.store().feed_at(self.viewer(), url, owner).await? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Takes the only feed of a site; of several, the one given by `--pick` or chosen by the user.
    async fn choose(&self, found: &Discovery) -> anyhow::Result<Vec<Feed>> {
        let url = |number: usize| found.feeds.get(number - 1).map(|feed| feed.url.clone());
        let chosen = match (found.feeds.len(), self.args.pick) {
            (0, _) => anyhow::bail!("{}", discover::nothing(found)),
            (_, Some(Pick::All)) => found.feeds.iter().map(|feed| feed.url.clone()).collect(),
            (count, Some(Pick::Number(number))) => {
                let what = format!("{} has {count} feeds: there is no number {number}", found.url);
                vec![url(number).ok_or_else(|| anyhow::anyhow!(what))?]
            }
            (1, None) => vec![found.feeds[0].url.clone()],
            (count, None) => {
                complain(&format!("{} has {count} feeds:\n{}", found.url, listed(found)));
                match self.ask(count)? {
                    Some(number) => url(number).into_iter().collect(),
                    None => return Err(Choice { url: found.url.clone(), feeds: urls(found) }.into()),
                }
            }
        };
        let mut feeds = Vec::new();
        for url in &chosen {
            feeds.push(self.take(url, None).await?);
        }
        Ok(feeds)
    }

    /// The user's choice, if there is a terminal.
    fn ask(&self, count: usize) -> anyhow::Result<Option<usize>> {
        if self.context.output.is_json() || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Ok(None);
        }
        loop {
            let _ = write!(std::io::stderr().lock(), "Which one? (1 to {count}, Enter for none) ");
            let mut line = String::new();
            let read = std::io::stdin().lock().read_line(&mut line)?;
            match line.trim().parse() {
                Ok(number) if (1..=count).contains(&number) => return Ok(Some(number)),
                _ if read == 0 || line.trim().is_empty() => return Ok(None),
                _ => {}
            }
        }
    }

    async fn take(&self, url: &str, note: Option<&str>) -> anyhow::Result<Feed> {
        let Self { engine, args, access, owner, .. } = self;
        let existing = self.refuse_other_access(url).await?;
        let wanted = Wanted {
            url: url.to_owned(),
            owner: match existing {
                Some(id) => self.at_address(id).await?.feed.owner,
                None => access.is_secret().then_some(*owner),
            },
            access: access.clone(),
            root_domain: if args.no_root_domain { engine::RootDomain::None } else { engine::RootDomain::FromUrl },
            domain_rule: args.enforce_domain.map_or(usual_links(&self.usual), DomainRule::from),
            polling: !(args.once || self.off),
            switched_off: self.off,
            origin: Origin::Operator,
        };
        let now = self.context.clock.now();
        let added = add_feed(engine, &wanted).await?;
        if let Some(rules) = &self.rules {
            let minutes = policy::Rules::resolve(&self.usual, rules).0.refresh_minutes();
            let minutes = minutes.filter(|_| rules.contains_key("interval.initial"));
            engine.store().set_feed_rules(added.id(), rules, minutes, now).await?;
        }
        if args.allow_duplicate_urls {
            engine.store().set_duplicate_urls(added.id(), true, now).await?;
        }
        if let Some(category) = self.category {
            engine.store().subscribe(*owner, added.id(), category, None, now).await?;
        }
        Ok(self.answer(url, added, note))
    }

    /// The feed at a URL, even if it was deleted.
    async fn at_address(&self, id: FeedId) -> anyhow::Result<FeedStatus> {
        let name = FeedName::Id(id);
        match self.engine.store().deleted_feed(self.viewer(), &name).await? {
            Some(deleted) => Ok(deleted),
            None => Ok(self.engine.store().feed(self.viewer(), &name).await?),
        }
    }

    /// A URL that is known with other credentials is an error, not a second feed. Returns the existing feed.
    async fn refuse_other_access(&self, url: &str) -> anyhow::Result<Option<FeedId>> {
        let Some(id) = self.known(url).await? else { return Ok(None) };
        let there = self.at_address(id).await?;
        if !self.access.is_secret() || there.feed.state == FeedState::Deleted {
            return Ok(Some(id));
        }
        let how = match engine::compare_access(self.engine, self.viewer(), id, &self.access).await? {
            AccessMatch::Same => return Ok(Some(id)),
            AccessMatch::Other => "with other credentials or another proxy",
            AccessMatch::Public => "without credentials",
        };
        anyhow::bail!("{url} is feed {id} already, {how}: `courant feed edit {id} --auth …` changes them")
    }

    fn answer(&self, url: &str, added: Added, note: Option<&str>) -> Feed {
        let word = match added {
            Added::New(_) if self.off => "added, switched off: `courant feed enable` and `courant feed sync` start it",
            Added::New(_) => "added",
            Added::Existing(_) => "already there",
            Added::Revived(_) => "back again",
        };
        let id = added.id();
        let group = self.engine.group(url).map(|(group, _)| group.name);
        let row = json!({
            "id": id.0, "url": url, "result": word, "rate_group": group, "subscribed": self.category.is_some(),
            "note": note,
        });
        let line = note.map_or_else(|| format!("{id}  {url}  {word}"), |note| format!("{id}  {url}  {word}; {note}"));
        Feed { is_new: !matches!(added, Added::Existing(_)), row, line }
    }
}

/// Whether a failure means that there is no feed, rather than that it is unreachable now.
fn is_final(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Gone
            | Outcome::Failed(
                Failure::Url(_) | Failure::Status(404 | 410) | Failure::NotAllowed(_) | Failure::NotAFeed(_)
            )
    )
}

fn urls(found: &Discovery) -> Vec<String> {
    found.feeds.iter().map(|feed| feed.url.clone()).collect()
}

/// The feeds to choose from, numbered.
fn listed(found: &Discovery) -> String {
    let rows = found.feeds.iter().enumerate().map(|(number, feed)| {
        let title = feed.title.clone().unwrap_or_else(|| "(no title)".to_owned());
        format!("  {}  {}\n     {}", number + 1, table::printable(&feed.url), table::printable(&title))
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// Under preset `deframer` a feed's entries must be on its own site by default.
fn usual_links(rules: &policy::Rules) -> DomainRule {
    if rules.preset == Preset::Deframer { DomainRule::Registrable } else { DomainRule::Any }
}

/// All rules in which a preset differs from the defaults, as rules of a feed.
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
