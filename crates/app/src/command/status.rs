//! `courant status`: an overview on one screen: whether a server runs, how many feeds are due, which publishers asked
//! to be left alone, what was never visited, what fails. Read-only; `courant doctor` checks the installation itself.

use jiff::Timestamp;
use model::feed::FeedState;
use serde_json::{Value, json};
use store::{FeedStatus, Store};

use super::feed::list::all;
use super::feed::next::next_visit;
use super::subscriptions::Subscriptions;
use super::{Context, table};
use crate::config::{Config, DatabaseUrl, Value as _};
use crate::lock::ServeLock;
use crate::output::Output;

/// The version of the JSON output of all commands: docs/guide/command-line.md defines its guarantees.
pub(crate) const JSON_VERSION: u32 = 1;

/// Nothing to choose.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// How many are listed in text mode.
const TOLD: usize = 10;
/// How many are listed in JSON.
const TOLD_TO_PROGRAMS: usize = 1000;

pub(super) fn run(context: &Context, _: &Args) -> anyhow::Result<()> {
    context.with_store(async |config, store| {
        let status = Status::look(context, &config, &store).await?;
        match context.output {
            Output::Json(_) => context.output.json(&status.body()),
            Output::Text => context.output.print(status.text()),
        }
    })
}

/// Whether a server runs.
enum Server {
    Running(String),
    Stopped,
    /// On PostgreSQL it may run on any machine: the workers that are visiting feeds now.
    Workers(Vec<String>),
}

struct Status {
    now: Timestamp,
    data: String,
    database: String,
    preset: String,
    server: Server,
    feeds: usize,
    entries: i64,
    active: usize,
    due: usize,
    never_visited: usize,
    next: Option<Timestamp>,
    last_visit: Option<Timestamp>,
    paused: Vec<(String, Timestamp)>,
    /// Id, name, state and last error of the feeds that fail or were given up.
    problems: Vec<(i64, String, &'static str, String)>,
}

impl Status {
    async fn look(context: &Context, config: &Config, store: &Store) -> anyhow::Result<Self> {
        let (now, feeds) = (context.clock.now(), all(store).await?);
        let subscriptions = Subscriptions::of_owner(store).await?;
        let active = |status: &&FeedStatus| status.feed.state == FeedState::Active;
        let due = |status: &&FeedStatus| status.worker.is_none() && status.due_at.is_some_and(|at| at <= now);
        let fails = |status: &&FeedStatus| {
            let given_up = matches!(status.feed.state, FeedState::Disabled { .. } | FeedState::Gone);
            given_up || (active(status) && status.failures > 0)
        };
        let problem = |status: &FeedStatus| {
            let reason = status.feed.state.reason().map(ToString::to_string);
            let why = status.last_error.clone().or(reason).unwrap_or_default();
            (status.feed.id.0, subscriptions.name(status).to_owned(), super::feed::state(status), why)
        };
        Ok(Self {
            now,
            data: config.general.data.display().to_string(),
            database: store.name().to_owned(),
            preset: config.general.preset.show(),
            server: server(config, &feeds),
            feeds: feeds.len(),
            entries: store.count_entries().await?,
            active: feeds.iter().filter(active).count(),
            due: feeds.iter().filter(active).filter(due).count(),
            never_visited: feeds.iter().filter(active).filter(|status| status.last_visit_at.is_none()).count(),
            next: feeds
                .iter()
                .filter(active)
                .filter_map(|status| next_visit(status, now).at)
                .filter(|at| *at > now)
                .min(),
            last_visit: feeds.iter().filter_map(|status| status.last_visit_at).max(),
            paused: store.unscoped().paused_groups(now, TOLD_TO_PROGRAMS as u32).await?,
            problems: feeds.iter().filter(fails).map(problem).collect(),
        })
    }

    fn body(&self) -> Value {
        let (running, process, workers) = match &self.server {
            Server::Running(process) => (Some(true), Some(process), None),
            Server::Stopped => (Some(false), None, None),
            Server::Workers(workers) => (None, None, Some(workers)),
        };
        let paused = self.paused.iter().map(|(group, until)| json!({ "group": group, "until": until.to_string() }));
        let problems = self.problems.iter().take(TOLD_TO_PROGRAMS);
        let problems =
            problems.map(|(id, name, state, why)| json!({ "id": id, "name": name, "state": state, "error": why }));
        json!({
            "json_version": JSON_VERSION, "version": env!("CARGO_PKG_VERSION"), "now": self.now.to_string(),
            "data": self.data, "database": self.database, "preset": self.preset,
            "server": { "running": running, "process": process, "workers": workers },
            "feeds": self.feeds, "active": self.active, "entries": self.entries, "due": self.due,
            "never_visited": self.never_visited, "next_visit_at": self.next.map(|at| at.to_string()),
            "last_visit_at": self.last_visit.map(|at| at.to_string()),
            "paused": paused.collect::<Vec<_>>(), "problem_count": self.problems.len(),
            "problems": problems.collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let server = match &self.server {
            Server::Running(process) => format!("running (process {process})"),
            Server::Stopped if self.due > 0 => {
                "not running: `courant serve` visits what is due, `courant fetch` once".to_owned()
            }
            Server::Stopped => "not running".to_owned(),
            Server::Workers(workers) if workers.is_empty() => "no worker visits a feed right now".to_owned(),
            Server::Workers(workers) => format!("at work: {}", workers.join(", ")),
        };
        let moment = |at: Option<Timestamp>| at.map_or_else(|| "none".to_owned(), table::moment);
        let mut lines = vec![
            format!("server      {server}"),
            format!("database    {} (preset {})", self.database, self.preset),
            format!("feeds       {}, of which {} are visited; {} entries", self.feeds, self.active, self.entries),
            format!("due now     {}, never visited yet: {}", self.due, self.never_visited),
            format!("last visit  {}", moment(self.last_visit)),
            format!("next visit  {}", moment(self.next)),
        ];
        for (group, until) in self.paused.iter().take(TOLD) {
            lines.push(format!("paused      {group} asked for a pause until {}", table::moment(*until)));
        }
        if self.paused.len() > TOLD {
            lines.push(format!("            and {} more", self.paused.len() - TOLD));
        }
        let mut lines: Vec<String> = lines.iter().map(|line| table::paragraph(line, 12)).collect();
        if self.problems.is_empty() {
            lines.push("problems    none".to_owned());
            return lines.join("\n");
        }
        let count = table::count(self.problems.len(), "feed");
        lines.push(format!("problems    {count}: courant feed list --state failing"));
        let rows = self.problems.iter().take(TOLD);
        let rows =
            rows.map(|(id, name, state, why)| vec![id.to_string(), name.clone(), (*state).to_owned(), why.clone()]);
        lines.push(table::render(&["id", "feed", "state", "last error"], rows));
        lines.join("\n")
    }
}

fn server(config: &Config, feeds: &[FeedStatus]) -> Server {
    match &config.database.url {
        // Without a lock file no server has ever run here.
        DatabaseUrl::Sqlite(_) => match ServeLock::holder(&config.general.data) {
            Ok(Some(process)) => Server::Running(process),
            Ok(None) | Err(_) => Server::Stopped,
        },
        DatabaseUrl::Postgres(_) => {
            let mut workers: Vec<String> = feeds.iter().filter_map(|status| status.worker.clone()).collect();
            workers.sort_unstable();
            workers.dedup();
            Server::Workers(workers)
        }
    }
}
