//! HTML of strangers: made safe to show, its text, how much of that, and whether it says what it said before.
//!
//! Article extraction belongs here too and is not here yet; whoever gives a page to a reader of HTML pre-scans it first.

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
