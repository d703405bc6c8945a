//! Tests of the whole crate. What each field means is tested beside it.

mod fuzz;
