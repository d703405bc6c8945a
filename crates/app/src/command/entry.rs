//! `courant entry`: lists and shows entries.

pub(super) mod list;
mod show;

use clap::Subcommand;

use super::Context;

/// What to do with entries. An entry's name instead of a verb shows it.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    override_usage = "courant entry <COMMAND>"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[arg(hide = true)]
    entry: Option<String>,
    #[arg(long, hide = true, requires = "entry")]
    raw: bool,
}

#[derive(Subcommand)]
enum Verb {
    /// List entries, newest first
    List(list::Args),
    /// Show one entry: its content, its revisions, its position in raw documents
    Show(show::Args),
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match (&args.verb, &args.entry) {
        (Some(Verb::List(args)), _) => list::run(context, args),
        (Some(Verb::Show(args)), _) => show::run(context, args),
        (None, Some(entry)) => show::run(context, &show::Args { entry: entry.clone(), raw: args.raw }),
        (None, None) => Err(crate::report::NotThisWay("name an entry: `courant entry list` lists them".into()).into()),
    }
}
