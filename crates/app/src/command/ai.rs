//! `courant ai budget`: what models have cost, and what they may. Amounts are dollars; months are those of UTC.

use clap::Subcommand;
use enrich::{BudgetChange, Enrich, Usage};
use model::enrichment::Kind;
use model::money::Money;
use serde_json::{Value, json};

use super::{Context, table};
use crate::config::{Dollars, Value as _};
use crate::output::Output;
use crate::wiring;

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Show and set the budget
    #[command(subcommand)]
    Budget(Budget),
    /// Stop all summaries, tags and calm titles, at once and on every process
    Stop,
    /// Let them go on
    Start,
}

/// What to do with the budget.
#[derive(Subcommand)]
pub(crate) enum Budget {
    /// Show what was spent, what is left, and on what
    Show {
        /// Another month, such as `2026-10`
        #[arg(long, value_name = "MONTH")]
        month: Option<String>,
        /// How many months of history
        #[arg(long, value_name = "NUMBER", default_value_t = 12)]
        months: u32,
    },
    /// Set ceilings in dollars; `none` is what the configuration says
    Set(SetArgs),
}

/// Ceilings.
#[derive(clap::Args)]
pub(crate) struct SetArgs {
    /// Only for this month, such as `2026-11`; else for all
    #[arg(long = "for", value_name = "MONTH")]
    only: Option<String>,
    /// In a month
    #[arg(long, value_name = "DOLLARS")]
    month: Option<String>,
    /// In a day
    #[arg(long, value_name = "DOLLARS")]
    day: Option<String>,
    /// For summaries, in a month
    #[arg(long, value_name = "DOLLARS")]
    summary: Option<String>,
    /// For tags, in a month
    #[arg(long, value_name = "DOLLARS")]
    tags: Option<String>,
    /// For calm titles, in a month
    #[arg(long, value_name = "DOLLARS")]
    deframe: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |config, store| {
        let enrich = wiring::enrich(&config, store, wiring::worker(), &context.clock)?;
        match args {
            Args::Budget(Budget::Show { month, months }) => {
                let month = month.as_deref().map(checked).transpose()?;
                show(context, &enrich, month, *months).await
            }
            Args::Budget(Budget::Set(set)) => {
                apply(&enrich, set).await?;
                show(context, &enrich, set.only.as_deref(), 1).await
            }
            Args::Stop | Args::Start => {
                let stop = matches!(args, Args::Stop);
                enrich.set_stopped(stop).await?;
                match context.output {
                    Output::Json(_) => context.output.json(&json!({ "enabled": !stop && config.ai.enabled })),
                    Output::Text if stop => {
                        context.output.print("stopped: nothing is made and no model is asked until `courant ai start`")
                    }
                    Output::Text => context.output.print("started"),
                }
            }
        }
    })
}

/// A month as we write it.
fn checked(month: &str) -> anyhow::Result<&str> {
    let parts: Vec<&str> = month.split('-').collect();
    let digits = |part: &str, count: usize| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    let good = parts.len() == 2 && digits(parts[0], 4) && digits(parts[1], 2) && ("01"..="12").contains(&parts[1]);
    anyhow::ensure!(good, "`{month}` is no month; write it as 2026-11");
    Ok(month)
}

async fn apply(enrich: &Enrich, set: &SetArgs) -> anyhow::Result<()> {
    let amount = |text: &Option<String>| -> anyhow::Result<Option<Option<Money>>> {
        match text.as_deref() {
            None => Ok(None),
            Some("none") => Ok(Some(None)),
            Some(text) => {
                let read = Dollars::read(text);
                Ok(Some(Some(read.map_err(|why| anyhow::anyhow!("`{text}`: expected {why}, or `none`"))?.0)))
            }
        }
    };
    let change = BudgetChange {
        month: amount(&set.month)?,
        day: amount(&set.day)?,
        summary: amount(&set.summary)?,
        tags: amount(&set.tags)?,
        deframe: amount(&set.deframe)?,
    };
    anyhow::ensure!(
        change != BudgetChange::default(),
        "nothing to set: give at least one of --month, --day, --summary, --tags and --deframe"
    );
    match set.only.as_deref() {
        Some(month) => enrich.change_month_budget(checked(month)?, change).await?,
        None => enrich.change_budget(change).await?,
    }
    Ok(())
}

async fn show(context: &Context, enrich: &Enrich, month: Option<&str>, months: u32) -> anyhow::Result<()> {
    let usage = enrich.usage_of(month).await?;
    let past = enrich.past_months(months).await?;
    match context.output {
        Output::Json(_) => {
            let mut shown = as_json(&usage);
            let row = |past: &store::PastMonth| json!({ "month": past.month, "spent": past.spent.dollars(), "calls": past.calls, "failed": past.failed });
            shown["history"] = past.iter().map(row).collect::<Vec<Value>>().into();
            context.output.json(&shown)
        }
        Output::Text => {
            let mut text = in_words(&usage);
            if past.len() > 1 {
                let rows = past.iter().map(|past| {
                    vec![past.month.clone(), past.spent.to_string(), past.calls.to_string(), past.failed.to_string()]
                });
                text.push_str("\n\n");
                text.push_str(&table::render(&["month", "spent", "calls", "failed"], rows));
            }
            context.output.print(text)
        }
    }
}

fn in_words(usage: &Usage) -> String {
    let ceiling =
        |ceiling: Option<Money>| ceiling.map_or_else(|| "no ceiling".to_owned(), |ceiling| ceiling.to_string());
    let mut lines = vec![
        format!("month       {}", usage.month),
        format!(
            "made by     {}",
            usage.model.as_ref().map_or_else(
                || "the local toolkit, which costs nothing".to_owned(),
                |model| format!("{} ({model}), and the local toolkit", usage.provider)
            )
        ),
        format!(
            "state       {}",
            if usage.stopped {
                "stopped by an operator"
            } else if usage.enabled {
                usage.state.as_str()
            } else {
                "off"
            }
        ),
        format!(
            "spent       {} of {} ({} of it reserved)",
            usage.spent.month,
            ceiling(usage.ceilings.month),
            usage.reserved
        ),
        format!("today       {} of {}", usage.spent.day, ceiling(usage.ceilings.day)),
    ];
    if let Some(forecast) = usage.forecast {
        lines.push(format!("forecast    {forecast} by the end of the month"));
    }
    for figures in usage.kinds.iter().filter(|kind| kind.calls + kind.cached > 0) {
        let kind = figures.kind.unwrap_or(Kind::Summary);
        lines.push(format!(
            "{:<12}{} of {}: {} calls, {} failed, {} from the cache",
            kind.as_str(),
            figures.spent,
            ceiling(usage.ceilings.of(kind)),
            figures.calls,
            figures.failed,
            figures.cached
        ));
    }
    lines.join("\n")
}

/// The same shape as the operator's API.
pub(super) fn as_json(usage: &Usage) -> Value {
    web::ai_usage_json(usage)
}
