//! The HTTP server. So far: health check, metrics and a start page. The APIs and the reader are not here yet.

mod answer;
mod connection;
mod health;
mod index;
mod listener;
mod metrics;
mod server;

pub use connection::Timeouts;
pub use listener::{Limits, listen};
pub use metrics::{figures, reference};
pub use server::{Routes, Web};
