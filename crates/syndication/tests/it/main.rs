//! The promises of the crate, tested from outside.
//!
//! One binary: documents with their expected readings (`corpus`), truncated documents (`cut_off`), properties of all
//! documents, hostile ones (`limits`), and a fuzzer.

#![expect(
    clippy::unwrap_used,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "tests may panic, and the corpus spells its extensions in lower case"
)]

mod corpus;
mod cut_off;
mod fuzz;
mod limits;
mod pages;
mod properties;
