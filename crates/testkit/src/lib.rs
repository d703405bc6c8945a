//! Test support.
//!
//! For dev-dependencies only. `services` connects to the real servers that `cargo xtask test` has started; nothing here
//! starts one, and nothing here skips a test because one is missing.

pub mod chaos;
pub mod etiquette;
pub mod model_server;
pub mod origin;
pub mod services;
pub mod simulation;
pub mod world;

pub use model_server::{Asked, ModelServer, Reply};
pub use origin::{Origin, Response, rss};
pub use world::{World, enrich_of};
