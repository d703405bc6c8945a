//! `courant completion`: completion scripts for shells, made from the declaration of the command line.

use clap_complete::Shell;

use super::Context;
use crate::cli;

/// The shell.
#[derive(clap::Args)]
#[command(after_help = "For example, with bash: source <(courant completion bash)")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let mut script = Vec::new();
    // With every option at every command a script would be half a megabyte.
    let mut command = cli::whole(|flag| flag.listed);
    clap_complete::generate(args.shell, &mut command, "courant", &mut script);
    context.output.print(String::from_utf8(script)?)
}
