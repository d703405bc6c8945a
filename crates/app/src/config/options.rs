//! Every option, declared once: key in the file, environment variable, flag, kind, default, and what it is for in the
//! user's words. `Config` and its sections, the flags, `courant config show` and the reference page all come from here.
//! To add one: add it here, run the tests with `UPDATE=1`, use `config.section.field`. What a kind accepts is in `value.rs`,
//! rules between options are in `check.rs`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;

use super::ai::{Dollars, KindList, Prices, Script, Share};
use super::check::{proxy_is_one, root_secret_is_long};
use super::declare::{Declaration, listed, options, unlisted, within};
use super::endpoint::{BlobsUrl, DatabaseUrl, EventsUrl, S3Endpoint};
use super::inward::{Names, Origin, Origins, WebAddress, WebAddresses};
use super::load::Reader;
use super::outward::{EgressList, GroupPatterns, MediaTypes, RuleTexts};
use super::secret::Secret;
use super::value::{Bytes, Contact, PerSecond, Value};
use super::words::{AiProvider, LogFormat, Preset, StartCheck, Synchronous};
use crate::log::LogFilter;

options! {
    /// Where data is stored, and which policies apply.
    general: General {
        /// Directory for all data of Courant: the database, the raw bytes and the keys. It is created if missing.
        data: PathBuf {
            key: "data",
            env: "COURANT_DATA",
            flag: listed("data", "DIR"),
            default: "./data",
        }
        /// Set of policies used where nothing else is said: how often feeds are visited, what follows a failure, what makes
        /// two entries the same, what is deleted. `courant feed rule list FEED` lists the rules of a preset.
        preset: Preset {
            key: "preset",
            env: "COURANT_PRESET",
            flag: listed("preset", "NAME"),
            default: "courant",
        }
        /// Rules that differ from the preset for all feeds, such as `interval.min = 10m; failure.disable_after = 20`. A
        /// feed may have its own with `courant feed rule set`.
        rules: RuleTexts {
            key: "rules",
            env: "COURANT_RULES",
            flag: unlisted("rules", "RULES"),
            default: "",
        }
    }

    /// The database: one SQLite file, or a PostgreSQL server.
    database: Database {
        /// Where the database is. The file and its directory are made when missing; a PostgreSQL database must exist.
        url: DatabaseUrl {
            key: "database.url",
            env: "COURANT_DATABASE_URL",
            flag: listed("store", "URL"),
            default: "sqlite:{data}/courant.db",
        }
        /// Password for PostgreSQL, when it is not part of the URL.
        password: Option<Secret> {
            key: "database.password",
            env: "COURANT_DATABASE_PASSWORD",
            default: "",
        }
        /// When the database is checked for damage at start: `auto` after an unclean stop or when the last check
        /// is 7 days old, `always` at every start.
        check: StartCheck {
            key: "database.check",
            env: "COURANT_CHECK",
            flag: unlisted("start-check", "WHEN"),
            default: "auto",
            in preset "reader": "always",
        }
        /// What SQLite has synced to disk when it confirms a write. With `normal` a power failure may lose the last moments.
        sqlite_synchronous: Synchronous {
            key: "database.sqlite_synchronous",
            env: "COURANT_SQLITE_SYNCHRONOUS",
            flag: unlisted("sqlite-synchronous", "MODE"),
            default: "full",
            in preset "reader": "normal",
        }
    }

    /// The raw bytes of visits: a directory, or an S3 bucket.
    blobs: Blobs {
        /// Where the raw bytes of visits are kept.
        url: BlobsUrl {
            key: "blobs.url",
            env: "COURANT_BLOBS",
            flag: unlisted("blobs", "URL"),
            default: "file:{data}/blobs",
        }
        /// Address of the S3 service, for any other than Amazon's own.
        s3_endpoint: Option<S3Endpoint> {
            key: "blobs.s3_endpoint",
            env: "COURANT_S3_ENDPOINT",
            flag: unlisted("s3-endpoint", "URL"),
            default: "",
        }
        /// Region of the bucket.
        s3_region: String {
            key: "blobs.s3_region",
            env: "COURANT_S3_REGION",
            flag: unlisted("s3-region", "NAME"),
            default: "us-east-1",
        }
        /// Access key of the S3 service; goes with `blobs.s3_secret_key`.
        s3_access_key: Option<String> {
            key: "blobs.s3_access_key",
            env: "COURANT_S3_ACCESS_KEY",
            flag: unlisted("s3-access-key", "KEY"),
            default: "",
        }
        /// Secret key of the S3 service; goes with `blobs.s3_access_key`.
        s3_secret_key: Option<Secret> {
            key: "blobs.s3_secret_key",
            env: "COURANT_S3_SECRET_KEY",
            default: "",
        }
        /// Whether the S3 service may be reached without encryption. Needed for an endpoint that starts with `http:`.
        s3_allow_http: bool {
            key: "blobs.s3_allow_http",
            env: "COURANT_S3_ALLOW_HTTP",
            flag: unlisted("s3-allow-http", "BOOL"),
            default: "false",
        }
    }

    /// Events for other programs.
    events: Events {
        /// NATS server that receives the events. Not used yet: the address is checked, but events stay inside the process.
        url: Option<EventsUrl> {
            key: "events.url",
            env: "COURANT_EVENTS",
            flag: unlisted("events", "URL"),
            default: "",
        }
    }

    /// The web server.
    web: Web {
        /// Address and port that `courant serve` listens on. `0.0.0.0:8100` makes it reachable from other machines.
        listen: SocketAddr {
            key: "web.listen",
            env: "COURANT_LISTEN",
            flag: unlisted("listen", "ADDRESS"),
            default: "127.0.0.1:8100",
        }
        /// Where people reach this server, such as `https://news.example`. Links that it prints and logins through an identity
        /// provider need it; the `Host` of a request is never believed for that.
        public_url: Option<Origin> {
            key: "web.public_url",
            env: "COURANT_PUBLIC_URL",
            flag: unlisted("public-url", "URL"),
            default: "",
        }
        /// A directory with the files of the web app, instead of those inside the program: for who works on the app.
        ui_dir: Option<PathBuf> {
            key: "web.ui_dir",
            env: "COURANT_UI_DIR",
            flag: unlisted("ui-dir", "DIRECTORY"),
            default: "",
        }
        /// Networks of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
        trusted_proxies: Vec<IpNet> {
            key: "web.trusted_proxies",
            env: "COURANT_TRUSTED_PROXIES",
            flag: unlisted("trusted-proxies", "NETWORKS"),
            default: "127.0.0.0/8, ::1/128",
        }
        /// Other origins whose pages may use the APIs with the cookie of a login, such as `https://reader.example`.
        cors_origins: Origins {
            key: "web.cors_origins",
            env: "COURANT_CORS_ORIGINS",
            flag: unlisted("cors-origins", "URLS"),
            default: "",
        }
        /// Requests to the APIs a minute, for each session, token or key; in preset `reader` for each address.
        api_limit: u32 {
            key: "web.api_limit",
            env: "COURANT_API_LIMIT",
            flag: unlisted("api-limit", "NUMBER"),
            default: "1200",
            in preset "reader": "100",
            range: "1" to "1000000",
        }
        /// Refreshes of the same feed that a user may ask for in a minute.
        refresh_limit: u32 {
            key: "web.refresh_limit",
            env: "COURANT_REFRESH_LIMIT",
            flag: unlisted("refresh-limit", "NUMBER"),
            default: "10",
            range: "1" to "1000000",
        }
    }

    /// Metrics for Prometheus, at `/metrics`.
    metrics: Metrics {
        /// A separate address and port for the metrics, for every serving process, whatever its roles. Empty means the
        /// web server's. Set it if a proxy publishes the web server: its clients all appear to come from this machine.
        listen: Option<SocketAddr> {
            key: "metrics.listen",
            env: "COURANT_METRICS_LISTEN",
            flag: unlisted("metrics-listen", "ADDRESS"),
            default: "",
        }
        /// Networks that may read the metrics, by the address of the connection; headers of proxies are ignored.
        allow: Vec<IpNet> {
            key: "metrics.allow",
            env: "COURANT_METRICS_ALLOW",
            flag: unlisted("metrics-allow", "NETWORKS"),
            default: "127.0.0.0/8, ::1/128",
        }
    }

    /// Who has access.
    auth: Auth {
        /// The owner's password, applied at every start. Empty means the one that was chosen with the setup link, or with
        /// `courant user password`.
        password: Option<Secret> {
            key: "auth.password",
            env: "COURANT_PASSWORD",
            default: "",
        }
        /// Root of the keys that sign sessions and encrypt stored credentials, at least 32 bytes. With SQLite it is made at
        /// the first start and kept in `keys/secret` in the data directory; with PostgreSQL it is required, the same on all machines.
        secret: Option<Secret> {
            key: "auth.secret",
            env: "COURANT_SECRET",
            default: "",
            check: |secret: &Option<Secret>| root_secret_is_long(secret.as_ref()),
        }
        /// How many hours a signed token is valid that `POST /api/auth/login` gives out.
        token_hours: u32 {
            key: "auth.token_hours",
            env: "COURANT_TOKEN_HOURS",
            flag: unlisted("token-hours", "NUMBER"),
            default: "24",
            range: "1" to "8760",
        }
        /// Failed logins a minute from one address; further ones wait.
        login_limit: u32 {
            key: "auth.login_limit",
            env: "COURANT_LOGIN_LIMIT",
            flag: unlisted("login-limit", "NUMBER"),
            default: "5",
            range: "1" to "1000",
        }
        /// Failed logins a minute to one account, from all addresses together. Then it is blocked for addresses from which its
        /// user has not logged in before.
        account_login_limit: u32 {
            key: "auth.account_login_limit",
            env: "COURANT_ACCOUNT_LOGIN_LIMIT",
            flag: unlisted("account-login-limit", "NUMBER"),
            default: "10",
            range: "1" to "100",
        }
        /// How long such an account is blocked.
        login_block: Duration {
            key: "auth.login_block",
            env: "COURANT_LOGIN_BLOCK",
            flag: unlisted("login-block", "TIME"),
            default: "5m",
            range: "1s" to "1d",
        }
    }

    /// Logins through an identity provider (OpenID Connect). `web.public_url` is needed as well.
    oidc: Oidc {
        /// The identity provider, exactly as it calls itself. Empty means none.
        issuer: Option<WebAddress> {
            key: "oidc.issuer",
            env: "COURANT_OIDC_ISSUER",
            flag: unlisted("oidc-issuer", "URL"),
            default: "",
        }
        /// The name of this installation at the provider.
        client_id: Option<String> {
            key: "oidc.client_id",
            env: "COURANT_OIDC_CLIENT_ID",
            flag: unlisted("oidc-client-id", "NAME"),
            default: "",
        }
        /// Its secret there. A public client has none.
        client_secret: Option<Secret> {
            key: "oidc.client_secret",
            env: "COURANT_OIDC_CLIENT_SECRET",
            default: "",
        }
        /// Private networks in which the provider may be. By default it must be on the public internet.
        private: Vec<IpNet> {
            key: "oidc.private",
            env: "COURANT_OIDC_PRIVATE",
            flag: unlisted("oidc-private", "NETWORKS"),
            default: "",
        }
        /// Subjects at the provider who become users at their first login.
        allow_subjects: Names {
            key: "oidc.allow_subjects",
            env: "COURANT_OIDC_ALLOW_SUBJECTS",
            flag: unlisted("oidc-allow-subjects", "NAMES"),
            default: "",
        }
        /// Groups at the provider whose members do. `courant user link` binds an existing user to a subject.
        allow_groups: Names {
            key: "oidc.allow_groups",
            env: "COURANT_OIDC_ALLOW_GROUPS",
            flag: unlisted("oidc-allow-groups", "NAMES"),
            default: "",
        }
        /// The claim of the ID token that lists groups.
        groups_claim: String {
            key: "oidc.groups_claim",
            env: "COURANT_OIDC_GROUPS_CLAIM",
            flag: unlisted("oidc-groups-claim", "NAME"),
            default: "groups",
        }
        /// Further addresses that the provider may send browsers back to, for front ends with an origin of their own, such as
        /// `https://reedme.example/api/oidc/callback`.
        redirect_uris: WebAddresses {
            key: "oidc.redirect_uris",
            env: "COURANT_OIDC_REDIRECT_URIS",
            flag: unlisted("oidc-redirect-uris", "URLS"),
            default: "",
        }
    }

    /// Summaries, tags and calm headlines. The local toolkit makes them without a network, a key or a cost; a model is asked
    /// besides, where one is configured and the budget allows.
    ai: Ai {
        /// Whether any of it is made. What is made of which feed are rules (`ai.kinds`).
        enabled: bool {
            key: "ai.enabled",
            env: "COURANT_AI",
            flag: unlisted("ai", "BOOL"),
            default: "true",
        }
        /// Who makes it: `local` is the toolkit alone; `openai` is any server with OpenAI's chat interface, and the toolkit
        /// where it fails or the budget is used up; `mock` makes dummy data, for development.
        provider: AiProvider {
            key: "ai.provider",
            env: "COURANT_AI_PROVIDER",
            flag: unlisted("ai-provider", "NAME"),
            default: "local",
        }
        /// The kind of server: `cerebras`, `openai`, `ollama`, `lmstudio`, `vllm`, `llamacpp` or `litellm`. Empty means that its
        /// URL tells.
        profile: Option<String> {
            key: "ai.profile",
            env: "COURANT_AI_PROFILE",
            flag: unlisted("ai-profile", "NAME"),
            default: "",
        }
        /// Where the server is, such as `http://127.0.0.1:11434/v1`. Empty means the profile's own address.
        url: Option<WebAddress> {
            key: "ai.url",
            env: "COURANT_AI_URL",
            flag: unlisted("ai-url", "URL"),
            default: "",
        }
        /// The model to ask for.
        model: Option<String> {
            key: "ai.model",
            env: "COURANT_AI_MODEL",
            flag: unlisted("ai-model", "NAME"),
            default: "",
        }
        /// The key of the server.
        key: Option<Secret> {
            key: "ai.key",
            env: "COURANT_AI_KEY",
            default: "",
        }
        /// What a model is asked for; the toolkit makes the rest.
        kinds: KindList {
            key: "ai.kinds",
            env: "COURANT_AI_KINDS",
            flag: unlisted("ai-kinds", "KINDS"),
            default: "summary, tags, deframe",
        }
        /// What models cost, such as `gpt-4o-mini=0.15/0.60`: dollars for a million tokens of prompts and of answers; `*` is
        /// any other model. A model without a price is not asked, but for servers of your own (profiles `ollama`, `lmstudio`,
        /// `vllm`, `llamacpp`), which cost nothing.
        prices: Prices {
            key: "ai.prices",
            env: "COURANT_AI_PRICES",
            flag: unlisted("ai-prices", "PRICES"),
            default: "",
        }
        /// What calls may cost in a month (UTC), in dollars. `courant ai budget set` changes it while the server runs.
        monthly_budget: Option<Dollars> {
            key: "ai.monthly_budget",
            env: "COURANT_AI_MONTHLY_BUDGET",
            flag: unlisted("ai-monthly-budget", "DOLLARS"),
            default: "5",
            in preset "governance": "500",
        }
        /// What calls may cost in a day (UTC). Empty means no limit but the month's.
        daily_budget: Option<Dollars> {
            key: "ai.daily_budget",
            env: "COURANT_AI_DAILY_BUDGET",
            flag: unlisted("ai-daily-budget", "DOLLARS"),
            default: "",
        }
        /// What summaries may cost in a month.
        summary_budget: Option<Dollars> {
            key: "ai.summary_budget",
            env: "COURANT_AI_SUMMARY_BUDGET",
            flag: unlisted("ai-summary-budget", "DOLLARS"),
            default: "",
        }
        /// What tags may cost in a month.
        tags_budget: Option<Dollars> {
            key: "ai.tags_budget",
            env: "COURANT_AI_TAGS_BUDGET",
            flag: unlisted("ai-tags-budget", "DOLLARS"),
            default: "",
        }
        /// What calm headlines may cost in a month.
        deframe_budget: Option<Dollars> {
            key: "ai.deframe_budget",
            env: "COURANT_AI_DEFRAME_BUDGET",
            flag: unlisted("ai-deframe-budget", "DOLLARS"),
            default: "",
        }
        /// From this share of a budget on, only opened posts and feeds with many readers are served.
        reduced_at: Share {
            key: "ai.reduced_at",
            env: "COURANT_AI_REDUCED_AT",
            flag: unlisted("ai-reduced-at", "SHARE"),
            default: "75%",
            in preset "governance": "100%",
        }
        /// From this share of a budget on, only opened posts are served.
        queued_at: Share {
            key: "ai.queued_at",
            env: "COURANT_AI_QUEUED_AT",
            flag: unlisted("ai-queued-at", "SHARE"),
            default: "90%",
            in preset "governance": "100%",
        }
        /// Calls a minute, over all processes.
        max_rpm: u32 {
            key: "ai.max_rpm",
            env: "COURANT_AI_MAX_RPM",
            flag: unlisted("ai-max-rpm", "NUMBER"),
            default: "20",
            range: "1" to "100000",
        }
        /// Calls at the same time, for each process.
        concurrency: u32 {
            key: "ai.concurrency",
            env: "COURANT_AI_CONCURRENCY",
            flag: unlisted("ai-concurrency", "NUMBER"),
            default: "2",
            range: "1" to "64",
        }
        /// Longest time one call may take.
        timeout: Duration {
            key: "ai.timeout",
            env: "COURANT_AI_TIMEOUT",
            flag: unlisted("ai-timeout", "TIME"),
            default: "30s",
            range: "1s" to "10m",
        }
        /// How much of an article is sent, in characters.
        max_chars: u32 {
            key: "ai.max_chars",
            env: "COURANT_AI_MAX_CHARS",
            flag: unlisted("ai-max-chars", "NUMBER"),
            default: "12000",
            range: "500" to "200000",
        }
        /// A directory with prompts of your own: `default.summary.md`, `default.tags.md`, `default.deframe.md`, and the same with
        /// another name for feeds with the rule `ai.prompt`.
        prompts: Option<PathBuf> {
            key: "ai.prompts",
            env: "COURANT_AI_PROMPTS",
            flag: unlisted("ai-prompts", "DIR"),
            default: "",
        }
        /// How many of the newest entries of a feed are looked at without having been opened.
        newest: u32 {
            key: "ai.newest",
            env: "COURANT_AI_NEWEST",
            flag: unlisted("ai-newest", "NUMBER"),
            default: "100",
            range: "1" to "10000",
        }
        /// How long a call to the `mock` model takes.
        mock_latency: Duration {
            key: "ai.mock_latency",
            env: "COURANT_AI_MOCK_LATENCY",
            flag: unlisted("ai-mock-latency", "TIME"),
            default: "500ms",
            range: "0s" to "10m",
        }
        /// What happens to the first calls to the `mock` model, such as `429 500*3 timeout garbage`.
        mock_script: Option<Script> {
            key: "ai.mock_script",
            env: "COURANT_AI_MOCK_SCRIPT",
            flag: unlisted("ai-mock-script", "STEPS"),
            default: "",
        }
    }

    /// How feeds are visited.
    fetch: Fetch {
        /// Longest time one visit may take, from looking up the name to the last byte.
        timeout: Duration {
            key: "fetch.timeout",
            env: "COURANT_FETCH_TIMEOUT",
            flag: unlisted("fetch-timeout", "TIME"),
            default: "30s",
            in preset "reader": "10s",
            range: "1s" to "10m",
        }
        /// Longest time for each of: resolving the name, connecting, the TLS handshake.
        connect_timeout: Duration {
            key: "fetch.connect_timeout",
            env: "COURANT_CONNECT_TIMEOUT",
            flag: unlisted("connect-timeout", "TIME"),
            default: "10s",
            range: "100ms" to "10m",
        }
        /// Longest time from sending the request to the first byte of the response.
        first_byte_timeout: Duration {
            key: "fetch.first_byte_timeout",
            env: "COURANT_FIRST_BYTE_TIMEOUT",
            flag: unlisted("first-byte-timeout", "TIME"),
            default: "15s",
            range: "100ms" to "10m",
        }
        /// Redirects that one visit follows; each waits for a slot in the rate group of its target.
        max_redirects: u32 {
            key: "fetch.max_redirects",
            env: "COURANT_MAX_REDIRECTS",
            flag: unlisted("max-redirects", "NUMBER"),
            default: "5",
            range: "0" to "20",
        }
        /// Largest document accepted, after decompression. A larger one counts as a failed visit.
        max_body_bytes: Bytes {
            key: "fetch.max_body_bytes",
            env: "COURANT_MAX_BODY_BYTES",
            flag: unlisted("max-body-bytes", "SIZE"),
            default: "16MiB",
            range: "1KiB" to "1GiB",
        }
        /// The maximum decompression ratio of a document; checked once a MiB was decompressed.
        max_ratio: u32 {
            key: "fetch.max_ratio",
            env: "COURANT_MAX_RATIO",
            flag: unlisted("max-ratio", "NUMBER"),
            default: "100",
            range: "2" to "10000",
        }
        /// The maximum nesting depth of elements in an XML document; deeper ones are ignored.
        max_xml_depth: u32 {
            key: "fetch.max_xml_depth",
            env: "COURANT_MAX_XML_DEPTH",
            flag: unlisted("max-xml-depth", "NUMBER"),
            default: "256",
            range: "8" to "10000",
        }
        /// The maximum number of entries read from one document: the newest, or the first if they have no dates.
        max_entries: u32 {
            key: "fetch.max_entries",
            env: "COURANT_MAX_ENTRIES",
            flag: unlisted("max-entries", "NUMBER"),
            default: "2000",
            range: "1" to "1000000",
        }
        /// Types that feeds are expected to be served as. Other documents are read all the same if their bytes say that
        /// they are feeds, and the type is noted among the problems of the visit.
        content_types: MediaTypes {
            key: "fetch.content_types",
            env: "COURANT_CONTENT_TYPES",
            flag: unlisted("content-types", "TYPES"),
            default: "application/rss+xml, application/atom+xml, application/rdf+xml, application/xml, text/xml, application/feed+json, application/json",
        }
        /// Longest wait that a server may ask for with `Retry-After`. A server that asks for longer has made a mistake.
        retry_after_cap: Duration {
            key: "fetch.retry_after_cap",
            env: "COURANT_RETRY_AFTER_CAP",
            flag: unlisted("retry-after-cap", "TIME"),
            default: "7d",
            in preset "reedme": "48h",
            in preset "fetcher": "3650d",
            range: "1m" to "3650d",
        }
        /// Visits at the same time, over all publishers.
        concurrency: u32 {
            key: "fetch.concurrency",
            env: "COURANT_CONCURRENCY",
            flag: unlisted("concurrency", "NUMBER"),
            default: "64",
            in preset "reedme": "10",
            range: "1" to "4096",
        }
        /// Visits a day to share among all feeds whose rhythm decides (`interval.mode = adaptive`), the busiest getting most.
        /// Empty means as many as each feed is worth by itself, which is twelve a day for a feed with an entry a day.
        visits_per_day: Option<u32> {
            key: "fetch.visits_per_day",
            env: "COURANT_VISITS_PER_DAY",
            flag: unlisted("visits-per-day", "NUMBER"),
            default: "",
        }
        /// Visits per second to one rate group, which is normally one registered domain. `0` means no spacing: for tests only.
        host_rps: PerSecond {
            key: "fetch.host_rps",
            env: "COURANT_HOST_RPS",
            flag: unlisted("host-rps", "NUMBER"),
            default: "1",
            range: "0" to "1000",
        }
        /// Visits at the same time to one rate group.
        host_max_concurrency: u32 {
            key: "fetch.host_max_concurrency",
            env: "COURANT_HOST_MAX_CONCURRENCY",
            flag: unlisted("host-max-concurrency", "NUMBER"),
            default: "2",
            range: "1" to "1024",
        }
        /// The shortest time between two visits of a feed that nobody asked for. Less than five minutes is for feeds of your own.
        floor: Duration {
            key: "fetch.floor",
            env: "COURANT_FLOOR",
            flag: unlisted("floor", "TIME"),
            default: "5m",
            range: "1s" to "5m",
        }
        /// Private networks that visits may reach, for feeds inside your own network. By default none: a feed's address may
        /// not lead into the machine or its neighbours.
        allow_private: Vec<IpNet> {
            key: "fetch.allow_private",
            env: "COURANT_ALLOW_PRIVATE",
            flag: unlisted("allow-private", "NETWORKS"),
            default: "",
        }
        /// The only hosts that visits may reach, such as `example.org` or `*.example.org`, or networks. Empty means all
        /// public ones.
        egress: EgressList {
            key: "fetch.egress",
            env: "COURANT_EGRESS",
            flag: unlisted("egress", "HOSTS"),
            default: "",
        }
        /// Proxy for all visits, `http://` or `socks5://`, perhaps with `NAME:PASSWORD@`. A feed may have its own. The
        /// address of every publisher is looked up and checked here all the same.
        proxy: Option<Secret> {
            key: "fetch.proxy",
            env: "COURANT_PROXY",
            default: "",
            check: |proxy: &Option<Secret>| proxy_is_one(proxy.as_ref()),
        }
        /// Which feeds share a rate group where the registered domain is not the answer, separated by semicolons:
        /// `*.example.com` is one group, `hub.example.com/{1}` one per first part of the path; `, spacing 5s`,
        /// `, at once 1` and `, pause url` may follow. The first match counts.
        rate_groups: GroupPatterns {
            key: "fetch.rate_groups",
            env: "COURANT_RATE_GROUPS",
            flag: unlisted("rate-groups", "PATTERNS"),
            default: "",
        }
        /// Web or mail address shown to publishers in the User-Agent, so that they can reach you instead of blocking you.
        contact: Option<Contact> {
            key: "fetch.contact",
            env: "COURANT_CONTACT",
            flag: unlisted("contact", "ADDRESS"),
            default: "",
        }
    }

    /// Which raw bytes of visits are kept. When entries are deleted is a rule, which a feed may override.
    retention: RetentionOptions {
        /// How many of the last raw documents of every feed are kept, whatever else is deleted.
        raw_keep: u32 {
            key: "retention.raw_keep",
            env: "COURANT_RAW_KEEP",
            flag: unlisted("raw-keep", "NUMBER"),
            default: "20",
            range: "0" to "1000000",
        }
        /// Space for older raw documents, per feed. Those that differ from all later ones are kept while they fit.
        raw_budget: Bytes {
            key: "retention.raw_budget",
            env: "COURANT_RAW_BUDGET",
            flag: unlisted("raw-budget", "SIZE"),
            default: "4MiB",
            range: "0" to "1000GiB",
        }
    }

    /// Automatic maintenance.
    maintenance: MaintenanceOptions {
        /// Hour of the day, in UTC, after which old data is deleted, once a day by one of all processes.
        cleanup_hour: u32 {
            key: "maintenance.cleanup_hour",
            env: "COURANT_CLEANUP_HOUR",
            flag: unlisted("cleanup-hour", "HOUR"),
            default: "3",
            range: "0" to "23",
        }
        /// Largest size of the database. A SQLite file that is larger after a cleanup is compacted; then read entries are
        /// deleted earlier, down to 30 days. PostgreSQL only warns. Empty means no limit.
        max_db_size: Option<Bytes> {
            key: "maintenance.max_db_size",
            env: "COURANT_MAX_DB_SIZE",
            flag: unlisted("max-db-size", "SIZE"),
            default: "",
            in preset "reader": "1GiB",
        }
        /// Free space on the disk of the data directory below which a warning is shown.
        min_free: Bytes {
            key: "maintenance.min_free",
            env: "COURANT_MIN_FREE",
            flag: unlisted("min-free", "SIZE"),
            default: "100MB",
            range: "0" to "1000GiB",
        }
    }

    /// Log lines, on standard error.
    log: Log {
        /// Which lines are logged, such as `info` or `info,store=debug`. A bare level is for all of Courant, `store=debug` for a part.
        /// Libraries log nothing unless they are named, as in `info,hyper=debug`. Commands other than `serve` log warnings and
        /// errors only, unless this is set.
        level: LogFilter {
            key: "log.level",
            env: "COURANT_LOG",
            flag: listed("log", "LEVEL"),
            default: "info",
        }
        /// How lines look: `auto` is `text` on a terminal and `json` elsewhere.
        format: LogFormat {
            key: "log.format",
            env: "COURANT_LOG_FORMAT",
            flag: unlisted("log-format", "FORMAT"),
            default: "auto",
        }
        /// File that `courant serve` logs to as well. When it is full it becomes `FILE.1`, that becomes `FILE.2`, and so on.
        file: Option<PathBuf> {
            key: "log.file",
            env: "COURANT_LOG_FILE",
            flag: unlisted("log-file", "FILE"),
            default: "",
            in preset "reader": "{data}/app.log",
        }
        /// Size at which the log file is full.
        file_max_bytes: Bytes {
            key: "log.file_max_bytes",
            env: "COURANT_LOG_FILE_MAX_BYTES",
            flag: unlisted("log-file-max-bytes", "SIZE"),
            default: "10MiB",
            range: "4KiB" to "100GiB",
        }
        /// Full log files kept beside the current one.
        file_keep: u32 {
            key: "log.file_keep",
            env: "COURANT_LOG_FILE_KEEP",
            flag: unlisted("log-file-keep", "NUMBER"),
            default: "5",
            range: "1" to "1000",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_its_option_accepts() {
        for option in OPTIONS {
            let presets = option.in_presets.iter().map(|(_, text)| *text);
            for text in presets.chain([option.default]) {
                assert_eq!((option.check)(text), Ok(()), "{}: {text}", option.key);
            }
            for (preset, _) in option.in_presets {
                assert!(Preset::read(preset).is_ok(), "{}: no preset {preset}", option.key);
            }
        }
    }

    #[test]
    fn secrets_have_no_flag_because_every_process_can_read_a_command_line() {
        for option in OPTIONS.iter().filter(|option| option.secret) {
            assert!(option.flag.is_none(), "{}", option.key);
        }
    }

    #[test]
    fn ranges_are_kept() {
        let check = |key, text, expected: &str| {
            let option = OPTIONS.iter().find(|option| option.key == key).unwrap();
            assert_eq!((option.check)(text).err().unwrap_or_default(), expected, "{key} = {text}");
        };
        check("fetch.timeout", "10m", "");
        check("fetch.timeout", "11m", "a duration such as `30s`, `5m` or `2h` from `1s` to `10m`");
        check("fetch.concurrency", "0", "a whole number from `1` to `4096`");
        check("fetch.host_rps", "0", "");
        check("auth.secret", "short", "at least 32 bytes, not 5");
        check("auth.secret", "0123456789abcdef0123456789abcdef", "");
    }
}
