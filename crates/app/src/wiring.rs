//! From configuration to running parts: opens the store and the blobs, builds the engine. Decides nothing; every value
//! comes from `Config`.

use std::time::Duration;

use accounts::{Accounts, Oidc, OidcOptions};
use anyhow::Context as _;
use engine::{Engine, Parts, UserAgent};
use enrich::{Enrich, ModelOptions, Prompts};
use fetch::Proxy;
use jiff::SignedDuration;
use llm::{Key, Llm, Mock};
use model::WorkerId;
use model::enrichment::Ceilings;
use model::money::Money;
use policy::enrich::{Pace, Price, Thresholds};
use policy::limits::{RequestLimits, Window};
use policy::rules::{Interval, Mode};
use store::{Address, Check, Options, Purpose, Store};
use url::Url;

use crate::clock::Clock;
use crate::config::{AiProvider, Config, DatabaseUrl, Dollars, Secret, StartCheck, Synchronous, Value as _, keys};
use crate::lock::ServeLock;
use crate::{open_files, private};

/// How long to wait for an unavailable database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Not at all: whether it is available is the question.
    Look,
    /// Briefly: a user waits at the terminal.
    Command,
    /// For ever.
    Service,
}

/// Opens the database, creating the data directory and the schema if missing.
pub async fn open_store(config: &Config, purpose: Purpose, patience: Patience, clock: &Clock) -> anyhow::Result<Store> {
    if let DatabaseUrl::Sqlite(path) = &config.database.url
        && let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty())
    {
        make_directory(directory)?;
    }
    // Read-only commands change nothing.
    if patience != Patience::Look {
        private::close(config);
    }
    let (address, options) = store_options(config, purpose, patience, clock)?;
    Ok(Store::open(&address, &options).await?)
}

/// Takes back the leases of a killed process, instead of waiting until they expire. The lock proves that no other
/// process works on this database; without one, the holders may be alive.
pub async fn take_back_leases(lock: Option<&ServeLock>, store: &Store, clock: &Clock) -> anyhow::Result<()> {
    if lock.is_some() {
        let (feeds, jobs) = (store.reclaim(clock.now()).await?, store.reclaim_jobs(clock.now()).await?);
        if feeds + jobs > 0 {
            tracing::info!(feeds, jobs, "took back the leases of a killed process");
        }
    }
    Ok(())
}

/// The location of the database, and how it is opened.
pub fn store_options(
    config: &Config,
    purpose: Purpose,
    patience: Patience,
    clock: &Clock,
) -> anyhow::Result<(Address, Options)> {
    let address = Address::parse(config.database.url.connection(None).expose())?;
    let options = Options {
        now: clock.now(),
        purpose,
        check: match config.database.check {
            StartCheck::Auto => Check::Auto,
            StartCheck::Always => Check::Always,
        },
        synchronous: match config.database.sqlite_synchronous {
            Synchronous::Full => store::Synchronous::Full,
            Synchronous::Normal => store::Synchronous::Normal,
        },
        password: config.database.password.as_ref().map(|password| password.expose().to_owned()),
        patience: match patience {
            Patience::Look => Duration::from_secs(3),
            Patience::Command => Duration::from_secs(30),
            Patience::Service => Duration::from_hours(10 * 365 * 24),
        },
        max_pages: None,
    };
    Ok((address, options))
}

/// Opens the storage of raw bytes and checks that it is writable.
pub async fn open_blobs(config: &Config) -> anyhow::Result<blobs::Blobs> {
    let blobs = blobs(config)?;
    blobs.check().await?;
    Ok(blobs)
}

fn blobs(config: &Config) -> anyhow::Result<blobs::Blobs> {
    let section = &config.blobs;
    let options = blobs::S3Options {
        region: section.s3_region.clone(),
        access_key_id: section.s3_access_key.clone(),
        secret_access_key: section.s3_secret_key.as_ref().map(|secret| secret.expose().to_owned()),
        session_token: None,
        endpoint: section.s3_endpoint.as_ref().map(|endpoint| endpoint.show()),
        allow_http: section.s3_allow_http,
        // Amazon's buckets have host names of their own; other servers want the bucket in the path.
        path_style: section.s3_endpoint.is_some(),
    };
    Ok(blobs::Blobs::open(&section.url.show(), &options)?)
}

/// The HTTP client, as configured. A demonstration may reach its own publishers on this machine, on their port only.
fn fetcher(config: &Config, demo: Option<Url>) -> anyhow::Result<fetch::Fetch> {
    Ok(fetch::Fetch::new(fetch::Options { configured: demo, ..fetch_options(config) })?)
}

fn fetch_options(config: &Config) -> fetch::Options {
    let section = &config.fetch;
    let defaults = fetch::Options::default();
    let body = coding::Limits { decoded_bytes: section.max_body_bytes.0, ratio: section.max_ratio.into() };
    let connections = open_files::shares(open_files::limit(), section.concurrency as usize).visits;
    let limits = fetch::Limits { body, connections, ..defaults.limits };
    fetch::Options {
        user_agent: user_agent(config).for_subscribers(0),
        egress: (!section.egress.0.is_empty()).then(|| section.egress.0.clone()),
        allow_private: section.allow_private.clone(),
        timeouts: fetch::Timeouts {
            total: section.timeout,
            connect: section.connect_timeout,
            first_byte: section.first_byte_timeout,
            ..defaults.timeouts
        },
        limits,
        spool: Some(config.general.data.clone()),
        ..defaults
    }
}

/// Builds the engine.
pub fn engine(config: &Config, store: Store, blobs: blobs::Blobs, clock: &Clock) -> anyhow::Result<Engine> {
    let vault = engine::Vault::new(keys::root_secret(config)?.expose().as_bytes());
    assemble(config, store, blobs, vault, clock, None)
}

/// Builds the engine of a demonstration, whose publishers are at this address.
pub fn demo_engine(
    config: &Config,
    store: Store,
    blobs: blobs::Blobs,
    clock: &Clock,
    publishers: Url,
) -> anyhow::Result<Engine> {
    let vault = engine::Vault::new(keys::root_secret(config)?.expose().as_bytes());
    let engine = assemble(config, store, blobs, vault, clock, Some(publishers))?;
    let mut options = engine.options().clone();
    // One looks for minutes: every feed is visited meanwhile, and the busy one every few seconds.
    let (initial, max) = (SignedDuration::from_secs(8), SignedDuration::from_mins(2));
    options.rules.interval = Interval { mode: Mode::Ewma, initial, max, ..options.rules.interval };
    Ok(engine.with_options(options))
}

/// What makes summaries, tags and calm headlines.
pub fn enrich(config: &Config, store: Store, worker: WorkerId, clock: &Clock) -> anyhow::Result<Enrich> {
    Ok(Enrich::new(enrich::Parts {
        store,
        clock: clock.clone(),
        worker,
        options: enrich::Options {
            rules: rules(config)?,
            model: model_options(config, clock)?,
            newest: config.ai.newest,
        },
        random: || uuid::Uuid::new_v4().into_bytes(),
    }))
}

/// Servers of one's own, which cost nothing. LiteLLM is not among them: it forwards to others.
const FREE: &[&str] = &["ollama", "lmstudio", "vllm", "llamacpp"];

/// The model that is asked besides the local toolkit.
fn model_options(config: &Config, clock: &Clock) -> anyhow::Result<Option<ModelOptions>> {
    let section = &config.ai;
    let own = section.prices.of(section.model.as_deref().unwrap_or_default());
    let free = Price { input: Money::ZERO, output: Money::ZERO };
    let (llm, price) = match section.provider {
        AiProvider::Local => return Ok(None),
        AiProvider::Mock => {
            let script = section.mock_script.as_ref().map(|script| script.0.as_str()).unwrap_or_default();
            let mock = Mock::read(section.mock_latency, script).map_err(anyhow::Error::msg)?;
            (Llm::mock(mock, clock.reader()), own.or(Some(free)))
        }
        AiProvider::Openai => {
            let key = Key::new(section.key.as_ref().map(Secret::expose).unwrap_or_default());
            let url = section.url.as_ref().map(|url| url.0.as_str());
            let model = section
                .model
                .as_deref()
                .context("`ai.model` is missing: name the model to ask for (COURANT_AI_MODEL)")?;
            let options = llm::Options::new(section.profile.as_deref(), url, model, key)?;
            let options = llm::Options { timeout: section.timeout, ..options };
            let is_free = FREE.contains(&options.profile.name);
            let llm = Llm::new(options, fetch_options(config), clock.reader())?;
            (llm, own.or(is_free.then_some(free)))
        }
    };
    let ceiling = |dollars: &Option<Dollars>| dollars.map(|dollars| dollars.0);
    Ok(Some(ModelOptions {
        llm,
        kinds: section.kinds.0,
        price,
        pace: Pace { rpm: Some(section.max_rpm) },
        at_once: section.concurrency as usize,
        timeout: section.timeout.try_into()?,
        most_chars: section.max_chars as usize,
        prompts: prompts(section.prompts.as_deref())?,
        ceilings: Ceilings {
            month: ceiling(&section.monthly_budget),
            day: ceiling(&section.daily_budget),
            summary: ceiling(&section.summary_budget),
            tags: ceiling(&section.tags_budget),
            deframe: ceiling(&section.deframe_budget),
        },
        thresholds: Thresholds { reduced: section.reduced_at.0, queued: section.queued_at.0.max(section.reduced_at.0) },
    }))
}

/// The prompts of a directory.
fn prompts(directory: Option<&std::path::Path>) -> anyhow::Result<Prompts> {
    let Some(directory) = directory else { return Ok(Prompts::default()) };
    let unreadable = || format!("`ai.prompts`: cannot read {}", directory.display());
    let mut files = Vec::new();
    for file in std::fs::read_dir(directory).with_context(unreadable)? {
        let file = file.with_context(unreadable)?;
        let name = file.file_name().to_string_lossy().into_owned();
        if file.path().extension().is_some_and(|ending| ending == "md") {
            files.push((name, std::fs::read_to_string(file.path()).with_context(unreadable)?));
        }
    }
    Prompts::read(files).map_err(|why| anyhow::anyhow!("`ai.prompts`: {why}"))
}

/// Who may log in, and how.
pub fn accounts(config: &Config, store: Store, clock: &Clock) -> anyhow::Result<Accounts> {
    Ok(Accounts::new(accounts::Parts {
        store,
        clock: clock.clone(),
        root_secret: keys::root_secret(config)?.expose().as_bytes(),
        passwords: accounts::Passwords::default(),
        options: accounts::Options {
            token: SignedDuration::from_hours(config.auth.token_hours.into()),
            login_limits: request_limits(config)?.login,
            ..accounts::Options::default()
        },
    }))
}

/// Logins through an identity provider, if one is configured.
pub fn oidc(config: &Config, accounts: &Accounts) -> anyhow::Result<Option<Oidc>> {
    let section = &config.oidc;
    let (Some(issuer), Some(client_id)) = (&section.issuer, &section.client_id) else { return Ok(None) };
    let own = config
        .web
        .public_url
        .iter()
        .flat_map(|url| [web::oidc::CALLBACK, web::oidc::REEDME_CALLBACK].map(|path| format!("{}{path}", url.0)));
    let options = OidcOptions {
        issuer: issuer.0.clone(),
        client_id: client_id.clone(),
        client_secret: section.client_secret.as_ref().map(|secret| secret.expose().to_owned()),
        allow_subjects: section.allow_subjects.0.clone(),
        allow_groups: section.allow_groups.0.clone(),
        groups_claim: section.groups_claim.clone(),
        redirect_uris: own.chain(section.redirect_uris.0.iter().cloned()).collect(),
    };
    // Feeds may reach other private networks than the provider is in, and the other way round.
    let fetch = fetch::Fetch::new(fetch::Options { allow_private: section.private.clone(), ..fetch_options(config) })?;
    Oidc::new(accounts.clone(), fetch, options).map(Some).map_err(|why| anyhow::anyhow!("`oidc.issuer`: {why}"))
}

/// What the web server is told.
pub fn web_options(config: &Config) -> anyhow::Result<web::Options> {
    Ok(web::Options {
        metrics_allow: config.metrics.allow.clone(),
        trusted_proxies: config.web.trusted_proxies.clone(),
        cors_origins: config.web.cors_origins.0.clone(),
        public_url: config.web.public_url.as_ref().map(|origin| origin.0.clone()),
        limits: request_limits(config)?,
        app: config.web.ui_dir.clone().map_or(web::AppSource::Embedded, web::AppSource::Directory),
    })
}

/// How often clients may ask.
fn request_limits(config: &Config) -> anyhow::Result<RequestLimits> {
    let mut limits = RequestLimits::preset(preset(config)?);
    limits.api = Window::a_minute(config.web.api_limit);
    limits.refresh.same_feed = Window::a_minute(config.web.refresh_limit);
    limits.login.per_address = Window::a_minute(config.auth.login_limit);
    limits.login.per_account = Window::a_minute(config.auth.account_login_limit);
    limits.login.block = config.auth.login_block.try_into()?;
    Ok(limits)
}

/// An engine for single visits: they are paced by the database if there is one, else among themselves, and nothing is
/// created.
pub async fn visitor(config: &Config, clock: &Clock) -> anyhow::Result<Engine> {
    let store = match &config.database.url {
        DatabaseUrl::Sqlite(path) if !path.exists() => Store::simulated(clock.now())?,
        _ => open_store(config, Purpose::Command, Patience::Command, clock).await?,
    };
    // No stored secret is decrypted on such visits.
    let vault = engine::Vault::new(uuid::Uuid::new_v4().as_bytes());
    assemble(config, store, blobs(config)?, vault, clock, None)
}

fn assemble(
    config: &Config,
    store: Store,
    blobs: blobs::Blobs,
    vault: engine::Vault,
    clock: &Clock,
    demo: Option<Url>,
) -> anyhow::Result<Engine> {
    Ok(Engine::new(Parts {
        store,
        blobs,
        fetch: fetcher(config, demo)?,
        clock: clock.clone(),
        worker: worker(),
        options: engine_options(config)?,
        vault,
    }))
}

fn engine_options(config: &Config) -> anyhow::Result<engine::Options> {
    let section = &config.fetch;
    let rules = rules(config)?;
    let proxy = section.proxy.as_ref().map(|proxy| Proxy::read(proxy.expose())).transpose();
    Ok(engine::Options {
        concurrency: section.concurrency,
        pace: engine::Options::paced(section.host_rps.0, section.host_max_concurrency),
        groups: section.rate_groups.0.clone(),
        visits_per_day: section.visits_per_day,
        redirects: section.max_redirects,
        timeout: section.timeout,
        proxy: proxy.map_err(anyhow::Error::msg)?,
        content_types: section.content_types.0.clone(),
        user_agent: user_agent(config),
        lease: rules.lease,
        idle: engine::IDLE,
        rules,
        document: syndication::Limits {
            document_bytes: section.max_body_bytes.0 as usize,
            depth: section.max_xml_depth as usize,
            entries: section.max_entries as usize,
            ..syndication::Limits::default()
        },
        maintenance: engine::Maintenance {
            cleanup_hour: config.maintenance.cleanup_hour as u8,
            max_db_bytes: config.maintenance.max_db_size.map(|size| size.0),
            raw_budget_bytes: config.retention.raw_budget.0,
            min_free_bytes: config.maintenance.min_free.0,
            data: Some(config.general.data.clone()),
            ..engine::Maintenance::default()
        },
    })
}

/// The default rules: the preset with the overrides of the configuration.
pub fn rules(config: &Config) -> anyhow::Result<policy::Rules> {
    let mut rules = policy::Rules::preset(preset(config)?);
    rules.retry_after_cap = Some(config.fetch.retry_after_cap.try_into()?);
    rules.retention.raw_samples = Some(config.retention.raw_keep);
    rules.ai.enabled = config.ai.enabled;
    let (rules, problems) = policy::Rules::resolve(&rules, &config.general.rules.0);
    anyhow::ensure!(problems.is_empty(), "`rules`: {}", problems.join("; "));
    Ok(rules.with_floor(config.fetch.floor.try_into()?))
}

fn preset(config: &Config) -> anyhow::Result<policy::Preset> {
    let word = config.general.preset.word();
    policy::Preset::named(word).with_context(|| format!("no rules for preset {word}"))
}

/// Everything that `serve` would refuse of this configuration: its parts are built as `serve` does, and dropped.
/// Nothing is opened or contacted. Needs a runtime, for the DNS resolver.
pub fn refusals(config: &Config) -> Vec<String> {
    let address = config.database.url.connection(None);
    let parts = [
        engine_options(config).map(drop),
        Address::parse(address.expose()).map(drop).map_err(Into::into),
        blobs(config).map(drop),
        fetcher(config, None).map(drop),
        model_options(config, &crate::clock::system()).map(drop),
    ];
    let refused = parts.into_iter().filter_map(Result::err).map(|error| format!("{error:#}"));
    config.check_for_serve().into_iter().chain(refused).collect()
}

/// Our user agent.
fn user_agent(config: &Config) -> UserAgent {
    let contact = config.fetch.contact.as_ref().map(|contact| contact.show());
    UserAgent { contact, ..UserAgent::default() }
}

/// A unique name for this start of this process.
pub fn worker() -> WorkerId {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "worker" } else { host.trim() };
    WorkerId(format!("{host}/{}/{}", std::process::id(), uuid::Uuid::new_v4().simple()))
}

/// Creates a directory and its parents.
pub fn make_directory(directory: &std::path::Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(directory).with_context(|| {
        format!(
            "cannot create the directory {}; check its owner, or choose another with COURANT_DATA",
            directory.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Sources, load};

    /// Simulations and benchmarks use the engine's own defaults: their results hold for the program only while both
    /// agree.
    #[test]
    fn what_nobody_configures_is_what_the_engine_does_by_itself() {
        let loaded = load(&Sources::from_env(&[])).unwrap_or_else(|problems| panic!("{problems}"));
        let mut ours = engine_options(&loaded.config).unwrap();
        ours.maintenance.data = None;
        assert_eq!(format!("{ours:#?}"), format!("{:#?}", engine::Options::default()));
    }
}
