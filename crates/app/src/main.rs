//! The binary `courant`: an exit code and nothing else. Everything is in the library beside it, so that tests can
//! call it; start reading at `cli.rs`. Why it has an allocator of its own is in docs/notes/allocator.md.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    courant::cli::main()
}
