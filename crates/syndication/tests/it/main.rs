//! What the crate promises, seen from outside.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "tests may panic and print, and the corpus spells its extensions in lower case"
)]

mod corpus;
mod fuzz;
mod limits;
mod properties;
