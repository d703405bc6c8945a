//! `courant man`: one manual page for each command, made from the declaration of the command line.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap_mangen::Man;
use serde_json::json;

use super::Context;
use crate::cli;
use crate::output::Output;

/// The target directory.
#[derive(clap::Args)]
#[command(after_help = "For example: courant man ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Directory for the pages; it is created if missing
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let directory = &args.directory;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let mut command = cli::whole(|_| true);
    // Gives every command its full name.
    command.build();
    let mut pages = 0;
    write(&command, directory, &mut pages)?;
    // The options of all commands are on the first page.
    save(cli::whole(|_| true).mut_args(|option| option.hide(false)), "courant", directory)?;
    match context.output {
        Output::Json(_) => {
            context.output.json(&json!({ "directory": directory.display().to_string(), "pages": pages }))
        }
        Output::Text => context.output.print(format_args!("{pages} pages written to {}", directory.display())),
    }
}

/// The page of a command and those of the commands below it.
fn write(command: &clap::Command, directory: &Path, pages: &mut u32) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    save(command.clone(), &name, directory)?;
    *pages += 1;
    command.get_subcommands().filter(|below| !below.is_hide_set()).try_for_each(|below| write(below, directory, pages))
}

fn save(command: clap::Command, name: &str, directory: &Path) -> anyhow::Result<()> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    let file = directory.join(format!("{name}.1"));
    std::fs::write(&file, page).with_context(|| format!("cannot write {}", file.display()))
}
