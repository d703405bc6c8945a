//! What the decisions about other people's text promise, seen from outside: any text gets an answer, quickly.

#![expect(clippy::print_stdout, reason = "the fuzzer says how far it came")]

mod fuzz;
mod properties;
