//! What the crate promises, seen from outside.

mod corpus;
mod fuzz;
mod limits;
mod properties;
