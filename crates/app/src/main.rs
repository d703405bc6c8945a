//! The binary `courant`: the allocator and the exit code. Everything else is in the library beside it, so that
//! tests can call it; start reading at `cli.rs`.

use std::process::ExitCode;

// Feed work is many small strings on many threads: mimalloc keeps them compact where the system's arenas would not.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    courant::cli::main()
}
