//! `courant help`: the help of a command, like `--help`, or (`help options`) the options of all commands.

use super::Context;
use crate::cli;
use crate::config::OPTIONS;
use crate::report::NotThisWay;

/// The topic.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A command, such as `feed add`, or `options`
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    if args.words == ["options"] {
        return context.output.print(options());
    }
    let mut command = cli::command();
    command.build();
    let mut about = &mut command;
    for word in &args.words {
        about = about.find_subcommand_mut(word).ok_or_else(|| {
            NotThisWay(format!("there is no command `{}`: `courant help` lists them", args.words.join(" ")))
        })?;
    }
    context.output.print(about.render_help())
}

/// The common options, and those without a section.
const FIRST: &str = "Options of every command";

/// The options of all commands: common ones first, then by section of the configuration.
fn options() -> String {
    let heading = |flag: &clap::Arg| -> &'static str {
        let option = OPTIONS.iter().find(|option| flag.get_id() == option.key);
        let unlisted = option.filter(|option| option.flag.is_some_and(|flag| !flag.listed));
        unlisted.map_or(FIRST, |option| option.key.split_once('.').map_or(FIRST, |(section, _)| section))
    };
    let flags = cli::own_flags().into_iter().chain(cli::config_flags());
    let flags = flags.map(|flag| {
        let heading = heading(&flag);
        (heading, flag.hide(false).help_heading(heading))
    });
    let (first, rest): (Vec<_>, Vec<_>) = flags.partition(|(heading, _)| *heading == FIRST);
    let mut page = clap::Command::new("options")
        .disable_help_flag(true)
        .args(first.into_iter().chain(rest).map(|(_, flag)| flag))
        .help_template("{all-args}{after-help}")
        .after_help("Each is also a key of courant.toml and an environment variable: courant config docs");
    page.render_help().to_string()
}
