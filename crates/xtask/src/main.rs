//! `cargo xtask`: parses the arguments and runs one command. The commands themselves are in the library.
//!
//! Arguments are matched by hand: there are few, and a parser would take longer to build than all the rest. Errors go
//! to stderr, findings to stdout, and the exit code says whether all is well.

// A command's result is its output.
#![expect(clippy::print_stdout, reason = "this is a command-line program")]

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use xtask::services::{Interrupt, Services};

const USAGE: &str = "\
cargo xtask <command>

  setup                  install what the tests need (Debian, as root), or say what to install
  test [-- ARGUMENTS]    run all tests with PostgreSQL, NATS and S3; arguments go to nextest or cargo test
  bench [-- ARGUMENTS]   run the benchmarks that have a target; --quick for a look, --keep for docs/operate/performance.md
  ui [test]              build the web app into ui/dist, unless it is up to date; `test` checks its types and runs its tests
  ui e2e [ARGUMENTS]     drive the program with a browser; --only NAME for one file of ui/test/e2e
  ui screenshots         take pictures of every screen into ui/dist-test; --docs takes those of the README
  tidy                   check the house rules; prints `path:line: what is wrong; what to do`
  licences               check the licence of every dependency, and that none is banned, against deny.toml;
                         with cargo-deny if it is installed
  train-clickbait FILE   train the clickbait model of `prose` on headlines with grades (Webis Clickbait 17, JSON array)
  train-answers FILE     train the answering model of `prose` on articles with answers (Webis Clickbait 22, JSON lines)
  services -- COMMAND    run any command with these services: COURANT_TEST_POSTGRES, _NATS, _S3, _CLUSTERS and
                         _PROMTOOL say where
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<u8> {
    let (name, rest) = arguments.split_first().map_or(("--help", &[][..]), |(name, rest)| (name.as_str(), rest));
    let rest = rest.strip_prefix(&["--".to_owned()]).unwrap_or(rest);
    if rest.iter().any(|argument| argument == "--help") && name != "services" && name != "test" {
        print!("{USAGE}");
        return Ok(0);
    }
    let root = xtask::repository::root_above(&std::env::current_dir()?)?;
    match name {
        "setup" => {
            // Not checked here, only installed: apt-get and pip end at Ctrl-C, and we can clean up.
            let _interrupt = Interrupt::listen()?;
            xtask::setup::setup(&root).map(|()| 0)
        }
        "test" => xtask::test::test(&root, rest, &Interrupt::listen()?),
        "bench" => xtask::bench::bench(&root, rest, &Interrupt::listen()?),
        "ui" if rest == ["test"] => xtask::ui::test(&root).map(|()| 0),
        "ui" if rest.first().is_some_and(|what| what == "e2e") => xtask::ui::e2e(&root, &rest[1..]).map(|()| 0),
        "ui" if rest.first().is_some_and(|what| what == "screenshots") => {
            xtask::ui::screenshots(&root, &rest[1..]).map(|()| 0)
        }
        "ui" => xtask::ui::build(&root).map(|()| 0),
        "tidy" => Ok(report(&xtask::tidy::tidy(&root)?)),
        "licences" => {
            if let Some(code) = xtask::licences::cargo_deny(&root)? {
                return Ok(code);
            }
            eprintln!("cargo-deny is not installed: checking licences and banned crates, but not sources of crates");
            Ok(report(&xtask::licences::licences(&root)?))
        }
        "train-clickbait" => xtask::train::train(&root, "clickbait", rest),
        "train-answers" => xtask::train::train(&root, "answers", rest),
        "services" => {
            let (program, arguments) = rest.split_first().context("which command? cargo xtask services -- COMMAND")?;
            let mut command = Command::new(program);
            command.args(arguments);
            let interrupt = Interrupt::listen()?;
            Services::start(&root, &interrupt)?.run(&command, &interrupt)
        }
        "--help" | "-h" | "help" => {
            print!("{USAGE}");
            Ok(0)
        }
        other => bail!("there is no command {other}\n\n{USAGE}"),
    }
}

/// Prints findings, one per line; returns the exit code.
fn report(findings: &[impl std::fmt::Display]) -> u8 {
    for finding in findings {
        println!("{finding}");
    }
    u8::from(!findings.is_empty())
}
