//! Untrusted HTML: sanitised, converted to text, shortened, and hashed for comparison; and the articles of web pages.
//!
//! [`clean`] makes the HTML of an entry safe to show. [`article`] finds the article of a page with Readability, removes
//! advertisements, repairs lazily loaded images, and cleans it; [`reading_minutes`] says how long it takes to read.
//! All of it is pure, never panics, and takes bounded time on hostile input. Callers that parse a page themselves
//! pre-scan it first ([`prescan`]).

mod article;
mod attributes;
mod characters;
mod clean;
mod entities;
mod escape;
mod hash;
mod images;
mod lazy_images;
mod limits;
mod lines;
mod prescan;
mod raster;
mod reading_time;
mod simple;
#[cfg(test)]
mod slow_html;
#[cfg(test)]
mod slow_pages;
mod tags;
mod text;
mod tree;
mod urls;
mod writer;

pub use article::{Article, article};
pub use clean::{Cleaned, clean};
pub use hash::content_hash;
pub use limits::{Cuts, Limits};
pub use prescan::{Prescan, prescan};
pub use raster::raster;
pub use reading_time::reading_minutes;
pub use text::{excerpt, plain_text, words_of_clean};
