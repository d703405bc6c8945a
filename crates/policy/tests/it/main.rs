//! What the decisions about other people's text promise, seen from outside: any text gets an answer, quickly.

mod fuzz;
mod properties;
