//! Untrusted HTML: sanitised, converted to text, shortened, and hashed for comparison.
//!
//! Article extraction belongs here too and is not here yet. Callers that parse a page themselves pre-scan it first.

mod attributes;
mod characters;
mod clean;
mod entities;
mod escape;
mod hash;
mod images;
mod limits;
mod lines;
mod prescan;
mod raster;
mod simple;
#[cfg(test)]
mod slow_html;
mod tags;
mod text;
mod tree;
mod urls;
mod writer;

pub use clean::{Cleaned, clean};
pub use hash::content_hash;
pub use limits::{Cuts, Limits};
pub use prescan::{Prescan, prescan};
pub use raster::raster;
pub use text::{excerpt, plain_text, words_of_clean};
