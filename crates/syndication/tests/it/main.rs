//! What the crate promises, seen from outside.
//!
//! One binary: documents beside their meaning (`corpus`), documents without their end (`cut_off`), properties of all
//! documents, hostile ones (`limits`), and a fuzzer that runs for as long as it is given.

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
