//! HTML of strangers: text out of it, and how much of it.
//!
//! Sanitising, absolute URLs and article extraction belong here too and come with the engine's refresh; until then
//! nothing of a feed's markup is stored but its text (the raw bytes are kept, so nothing is lost).

mod raster;
mod text;

pub use raster::raster;
pub use text::{excerpt, plain_text};
