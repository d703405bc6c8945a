//! The binary `courant`: an exit code and nothing else. Everything is in the library beside it, so that tests can
//! call it; start reading at `cli.rs`. The allocator is the system's: docs/notes/allocator.md says why.

use std::process::ExitCode;

fn main() -> ExitCode {
    courant::cli::main()
}
