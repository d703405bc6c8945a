//! `courant doctor`: looks at everything a server needs, and says of each thing whether it is well and, if not, what to
//! do. Changes nothing that it looks at, but for what every write probe must. Exit code 1 if something is a problem.

mod database;
mod events;
mod place;

use serde_json::json;

use super::Context;
use super::table::paragraph;
use crate::log::Role;
use crate::output::Output;
use crate::report::Told;
use crate::wiring;

/// How closely to look.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Read every raw document that is kept, and verify it
    #[arg(long)]
    deep: bool,
}

/// What was found about one thing.
struct Finding {
    about: &'static str,
    state: State,
    says: String,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    /// Works, but somebody should know.
    Warning,
    /// Does not work until somebody acts.
    Problem,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// The findings, in the order in which they were made.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, about: &'static str, state: State, says: impl Into<String>) {
        self.0.push(Finding { about, state, says: says.into() });
    }

    fn ok(&mut self, about: &'static str, says: impl Into<String>) {
        self.add(about, State::Ok, says);
    }

    fn warning(&mut self, about: &'static str, says: impl Into<String>) {
        self.add(about, State::Warning, says);
    }

    fn problem(&mut self, about: &'static str, says: impl Into<String>) {
        self.add(about, State::Problem, says);
    }
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let mut found = Findings::default();
    examine(context, args, &mut found)?;
    let problems = found.0.iter().filter(|finding| finding.state == State::Problem).count();
    let warnings = found.0.iter().filter(|finding| finding.state == State::Warning).count();
    match context.output {
        Output::Json(_) => {
            let findings = found
                .0
                .iter()
                .map(|finding| json!({ "about": finding.about, "state": finding.state.word(), "says": finding.says }));
            let findings: Vec<_> = findings.collect();
            context.output.json(&json!({ "problems": problems, "warnings": warnings, "findings": findings }))?;
        }
        Output::Text => {
            let lines = found.0.iter().map(|finding| {
                paragraph(&format!("{:<8} {:<14} {}", finding.state.word(), finding.about, finding.says), 24)
            });
            let end = format!("{problems} problems, {warnings} warnings");
            context.output.print(lines.chain([end]).collect::<Vec<_>>().join("\n"))?;
        }
    }
    if problems > 0 { Err(Told.into()) } else { Ok(()) }
}

fn examine(context: &Context, args: &Args, found: &mut Findings) -> anyhow::Result<()> {
    let loaded = match context.start_loaded(Role::Tool) {
        Ok(loaded) => loaded,
        Err(problems) => {
            for problem in problems.0 {
                found.problem("configuration", problem);
            }
            return Ok(());
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let wrong = runtime.block_on(async { wiring::refusals(&loaded.config) });
    if wrong.is_empty() {
        let file = loaded.file.as_ref().map_or_else(|| "no file".to_owned(), |path| path.display().to_string());
        found.ok("configuration", file);
    }
    for problem in wrong {
        found.problem("configuration", problem);
    }
    let config = &loaded.config;
    place::data(config, found);
    place::open_files(config, found);
    place::secret(config, found);
    let running = place::server(config, found);
    place::clock(config, context.clock.now(), found);
    runtime.block_on(async {
        if let Some(url) = &config.events.url {
            events::examine(url, found).await;
            found.warning("events", "`events.url` is set, but events do not leave the process yet");
        }
        database::examine(context, config, running, args.deep, found).await;
    });
    Ok(())
}
