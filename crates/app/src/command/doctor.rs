//! `courant doctor`: checks everything a server needs, and says for each whether it works and, if not, what to do.
//! Changes nothing except for temporary write probes. Exit code 1 if there is a problem.

mod database;
mod events;
mod machine;

use serde_json::json;

use super::Context;
use super::table::paragraph;
use crate::log::Role;
use crate::output::Output;
use crate::report::Told;
use crate::wiring;

/// How thorough to be.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Read and verify every stored raw document
    #[arg(long)]
    deep: bool,
}

/// One finding.
struct Finding {
    about: &'static str,
    state: State,
    says: String,
}

/// How severe it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    /// Works, but an operator should know.
    Warning,
    /// Does not work until an operator acts.
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

/// The findings, in order.
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
    machine::data(config, found);
    machine::open_files(config, found);
    machine::secret(config, found);
    let running = machine::server(config, found);
    machine::clock(config, context.clock.now(), found);
    runtime.block_on(async {
        if let Some(url) = &config.events.url {
            events::examine(url, found).await;
            found.warning("events", "`events.url` is set, but events do not leave the process yet");
        }
        database::examine(context, config, running, args.deep, found).await;
    });
    Ok(())
}
