//! `courant config`: checks, shows and documents the configuration.

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Context, table};
use crate::config::{Loaded, OPTIONS, Problems, Setting, docs};
use crate::log::Role;
use crate::output::Output;
use crate::wiring;

/// What to do with the configuration.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Report every problem, or `ok` and the file that was used
    Check,
    /// Print every value and where it came from; secrets as `***`
    Show,
    /// Print the reference of all options
    Docs,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match args {
        Args::Check => check(context),
        Args::Show => show(context),
        Args::Docs => reference(context.output),
    }
}

fn check(context: &Context) -> anyhow::Result<()> {
    let loaded = context.start_loaded(Role::Tool)?;
    // Also checks whether `serve` would start.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let problems = runtime.block_on(async { wiring::refusals(&loaded.config) });
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    match context.output {
        Output::Json(_) => context.output.json(&json!({ "ok": true, "file": file(&loaded) })),
        Output::Text => context.output.print(match &loaded.file {
            Some(path) => format!("ok: {}", path.display()),
            None => "ok: no file, only defaults, environment and flags".to_owned(),
        }),
    }
}

fn show(context: &Context) -> anyhow::Result<()> {
    let loaded = context.start_loaded(Role::Tool)?;
    match context.output {
        Output::Json(_) => {
            let settings: Vec<Value> = loaded.settings.iter().map(setting).collect();
            context.output.json(&json!({ "file": file(&loaded), "settings": settings }))
        }
        Output::Text => context.output.print(as_table(&loaded.settings)),
    }
}

fn reference(output: Output) -> anyhow::Result<()> {
    match output {
        Output::Json(_) => {
            let options = OPTIONS.iter().map(|option| {
                json!({
                    "key": option.key, "env": option.env, "flag": option.flag.map(|flag| format!("--{}", flag.name)),
                    "doc": option.doc(), "default": option.default, "expected": (option.expected)(), "secret": option.secret,
                })
            });
            output.json(&options.collect())
        }
        Output::Text => output.print(docs::page()),
    }
}

fn file(loaded: &Loaded) -> Option<String> {
    loaded.file.as_ref().map(|path| path.display().to_string())
}

fn setting(setting: &Setting) -> Value {
    let value = Some(&setting.value).filter(|value| !value.is_empty());
    json!({ "key": setting.option.key, "value": value, "from": setting.origin.to_string(), "env": setting.option.env })
}

fn as_table(settings: &[Setting]) -> String {
    let rows = settings.iter().map(|setting| {
        let value = if setting.value.is_empty() { "-" } else { &setting.value };
        vec![setting.option.key.to_owned(), value.to_owned(), setting.origin.to_string()]
    });
    table::render(&["key", "value", "from"], rows)
}
