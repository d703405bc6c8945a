//! The command line: parses it, hands the rest to `command.rs`, turns the result into an exit code. The flags of the
//! configuration come from its declarations; the commands and their own flags from their modules.
//! Exit codes: 0 done, 1 failed, 2 the command line makes no sense.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{StyledStr, Styles};
use clap::{Arg, ArgAction, ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, value_parser};
use serde_json::json;

use crate::command::{Command, Context, GROUPS};
use crate::config::{OPTIONS, Sources};
use crate::output::Output;
use crate::report::{complain, finish};

/// The feed engine and reader: visits feeds politely, keeps what they say, serves it to people and programs.
#[derive(Parser)]
#[command(name = "courant", version, arg_required_else_help = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Every option of the configuration is also an environment variable and, unless it is a secret, a flag.
For all of them: courant config docs";

/// The whole program, from the process's arguments to its exit code.
pub fn main() -> ExitCode {
    crate::private::by_default();
    crate::open_files::raise();
    run(std::env::args_os())
}

/// The whole program, from some arguments to its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let json = arguments.iter().any(|argument| argument == "--json");
    let output = if json { Output::Json } else { Output::Text };
    let parsed = command().try_get_matches_from(arguments);
    match parsed.and_then(|matches| Ok((sources(&matches), Cli::from_arg_matches(&matches)?))) {
        Ok((sources, cli)) => finish(cli.command.run(&Context::new(sources, output)), output),
        Err(error) => usage(&error, output),
    }
}

/// The command line as `clap` knows it, flags of the configuration included.
pub fn command() -> clap::Command {
    let config = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .help("Configuration file [env: COURANT_CONFIG]")
        .value_parser(value_parser!(PathBuf));
    let json = Arg::new("json").long("json").help("Answer in JSON, errors too").action(ArgAction::SetTrue);
    let flags = [config, json].into_iter().chain(config_flags()).map(|flag| flag.global(true));
    let cli = Cli::command().args(flags).after_help(AFTER_HELP).override_usage("courant [OPTIONS] <COMMAND>");
    let template = template(&cli);
    // Listed by the template in groups, which `clap` itself cannot do.
    cli.mut_subcommands(|command| command.hide(true)).help_template(template)
}

/// One flag per option that has one.
fn config_flags() -> impl Iterator<Item = Arg> {
    OPTIONS.iter().filter_map(|option| {
        let flag = option.flag?;
        let arg = Arg::new(option.key)
            .long(flag.name)
            .value_name(flag.value)
            .help(format!("{} [env: {}]", option.summary(), option.env))
            .hide(!flag.listed)
            .allow_negative_numbers(true);
        Some(if option.switch { arg.num_args(0..=1).require_equals(true).default_missing_value("true") } else { arg })
    })
}

fn sources(matches: &ArgMatches) -> Sources {
    let given = |key: &&'static str| matches.get_one::<String>(key).cloned();
    let keys = OPTIONS.iter().filter(|option| option.flag.is_some()).map(|option| option.key);
    Sources {
        flags: keys.filter_map(|key| Some((key, given(&key)?))).collect(),
        config: matches.get_one("config").cloned(),
        ..Sources::of_process()
    }
}

/// The top-level help: commands in groups, each with the sentence it has in its own help.
fn template(cli: &clap::Command) -> StyledStr {
    let heading = *Styles::styled().get_header();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (group, names) in GROUPS {
        let _ = write!(text, "\n{heading}{group}:{heading:#}\n");
        for command in names.iter().filter_map(|name| cli.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {:<12} {about}", command.get_name());
        }
    }
    text.push_str("\n{all-args}{after-help}");
    text.into()
}

/// Help and version are answers; the rest is a command line that makes no sense.
fn usage(error: &clap::Error, output: Output) -> ExitCode {
    if error.use_stderr() && output == Output::Json {
        complain(&json!({ "error": error.to_string().trim_end() }).to_string());
    } else {
        // With its reader gone there is nobody left to tell.
        let _ = error.print();
    }
    ExitCode::from(error.exit_code() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_command_is_listed_in_one_group() {
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let cli = Cli::command();
        let mut known: Vec<&str> =
            cli.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known, "GROUPS in command.rs names each command once");
    }
}
