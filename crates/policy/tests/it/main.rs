//! The promises about untrusted input, tested from outside: any text gets a result, quickly.

mod filters;
mod fuzz;
mod properties;
