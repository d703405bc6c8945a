//! Tests of the promises about untrusted HTML.

mod ammonia_agrees;
mod articles;
mod fuzz;
mod hostile;
mod referee;
