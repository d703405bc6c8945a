//! The command line: parses it, passes the rest to `command.rs`, turns the result into an exit code. The flags of the
//! configuration come from its declarations; the commands and their own flags from their modules. Every command takes
//! every flag of the configuration; help names them on one line and `courant help options` lists them.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{StyledStr, Styles};
use clap::{Arg, ArgAction, ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, value_parser};
use serde_json::json;

use crate::command::{Command, Context, GROUPS};
use crate::config::{Declaration, Flag, OPTIONS, Sources};
use crate::output::{Layout, Output};
use crate::report::{complain, finish};

/// Visits feeds politely, stores their entries, serves them to people and programs.
#[derive(Parser)]
#[command(name = "courant", version, arg_required_else_help = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The line about common options in every help text.
const OPTIONS_LINE: &str = "Every command takes --json, --ndjson and the options of: courant help options";

const AFTER_HELP: &str = "\
Exit codes: 0 done; 1 it failed, or a part of it did; 2 the command line makes
no sense; 3 a choice is needed, such as which feed of a site.";

/// Options that are central to one command: its own help lists them.
const LISTED_AT: &[(&str, &[&str])] =
    &[("serve", &["web.listen", "data", "preset"]), ("fetch", &["data"]), ("status", &["data"])];

/// The whole program, from the process's arguments to its exit code.
pub fn main() -> ExitCode {
    crate::private::by_default();
    crate::open_files::raise();
    run(std::env::args_os())
}

/// The whole program, from some arguments to its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let output = output(&arguments);
    let parsed = command().try_get_matches_from(arguments);
    match parsed.and_then(|matches| Ok((sources(&matches), Cli::from_arg_matches(&matches)?))) {
        Ok((sources, cli)) => finish(cli.command.run(&Context::new(sources, output)), output),
        Err(error) => usage(&error, output),
    }
}

/// The output format, determined before the rest is parsed: a usage error should be JSON, too.
fn output(arguments: &[OsString]) -> Output {
    let flags = arguments.iter().take_while(|argument| *argument != "--");
    let said = flags.filter_map(|flag| match flag.to_str()? {
        "--json" => Some(Output::Json(Layout::Document)),
        "--ndjson" => Some(Output::Json(Layout::Lines)),
        _ => None,
    });
    said.last().unwrap_or(Output::Text)
}

/// The command line as `clap` knows it, flags of the configuration included.
pub fn command() -> clap::Command {
    let cli = whole(|_| true);
    let template = template(&cli);
    // Listed by the template in groups, which `clap` itself cannot do.
    cli.mut_subcommands(|command| command.hide(true)).help_template(template)
}

/// Like `command`, with all commands visible and only some options of the configuration: for completions and manual
/// pages.
pub(crate) fn whole(wanted: impl Fn(&Flag) -> bool) -> clap::Command {
    // Only the short help.
    let help = Arg::new("help").short('h').long("help").help("Print help").action(ArgAction::HelpShort);
    let options = OPTIONS.iter().filter(|option| option.flag.as_ref().is_some_and(&wanted));
    let flags = own_flags().into_iter().chain(options.filter_map(hidden)).chain([help]).map(|flag| flag.global(true));
    let mut cli = Cli::command()
        .disable_help_flag(true)
        .args(flags)
        .after_help(AFTER_HELP)
        .override_usage("courant [OPTIONS] <COMMAND>");
    for (name, keys) in LISTED_AT {
        let listed: Vec<Arg> = OPTIONS.iter().filter(|option| keys.contains(&option.key)).filter_map(flag).collect();
        cli = cli.mut_subcommand(name, |command| command.args(listed.into_iter().map(|flag| flag.global(true))));
    }
    cli.mut_subcommands(explained)
}

/// Adds the line about common options to every command's help.
fn explained(command: clap::Command) -> clap::Command {
    let said = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    command.after_help(format!("{said}{OPTIONS_LINE}")).mut_subcommands(explained)
}

/// The flags that are not part of the configuration.
pub(crate) fn own_flags() -> [Arg; 3] {
    let config = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .help("Configuration file [env: COURANT_CONFIG]")
        .value_parser(value_parser!(PathBuf));
    let json = Arg::new("json").long("json").help("Answer with one JSON document, errors too");
    let ndjson = Arg::new("ndjson").long("ndjson").help("Answer with one line of JSON for each row of a list");
    let switches = [json, ndjson].map(|flag| flag.action(ArgAction::SetTrue));
    let [json, ndjson] = switches;
    [config, json, ndjson].map(|flag| flag.hide(true))
}

/// One flag per option that has one. Hidden: there are too many for the help of each command.
pub(crate) fn config_flags() -> impl Iterator<Item = Arg> {
    OPTIONS.iter().filter_map(hidden)
}

fn hidden(option: &Declaration) -> Option<Arg> {
    flag(option).map(|flag| flag.hide(true))
}

fn flag(option: &Declaration) -> Option<Arg> {
    let flag = option.flag?;
    let arg = Arg::new(option.key)
        .long(flag.name)
        .value_name(flag.value)
        .help(format!("{} [env: {}]", option.summary(), option.env))
        .allow_negative_numbers(true);
    Some(if option.switch { arg.num_args(0..=1).require_equals(true).default_missing_value("true") } else { arg })
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
    let _ = write!(text, "\n{OPTIONS_LINE}{{after-help}}");
    text.into()
}

/// Help and version are results; anything else is a usage error.
fn usage(error: &clap::Error, output: Output) -> ExitCode {
    if error.use_stderr() && output.is_json() {
        complain(&json!({ "error": error.to_string().trim_end() }).to_string());
    } else {
        // The reader of standard output is gone; nothing can be reported.
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

    /// A terminal of 80 columns shows each command on one line.
    #[test]
    fn the_help_fits_80_columns() {
        let help = command().render_help().to_string();
        let wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert_eq!(wide, Vec::<&str>::new());
    }
}
