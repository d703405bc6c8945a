//! The binary `courant`: returns an exit code and nothing else. Everything is in the library, so that tests can call
//! it; start reading at `cli.rs`. The reason for its allocator is in docs/notes/allocator.md.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    courant::cli::main()
}
