//! HTTP inwards. So far: is anybody there, and what does it count? The APIs and the reader are not here yet.

mod health;
mod metrics;
mod server;

pub use metrics::{figures, reference};
pub use server::{Routes, Web};
