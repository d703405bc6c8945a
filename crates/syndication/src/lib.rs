//! Bytes to feeds, leniently; feeds to bytes, strictly.
//!
//! [`read`] understands all dialects of RSS, RDF, Atom, CDF and JSON Feed, and reports problems instead of failing. It
//! is a pure function of its arguments: no I/O, no clock, no references followed.

mod base64;
mod codepage;
pub mod date;
mod decode;
mod html_guess;
mod html_urls;
pub mod jobs;
mod json;
mod limits;
mod markup;
mod names;
mod newest;
pub mod normalised;
pub mod opml;
mod page;
mod person;
mod problems;
mod read;
mod refusal;
pub mod sitemap;
pub mod summary;
mod text;
mod urls;
pub mod write;
mod xml;

pub use decode::utf8_form;
pub use limits::Limits;
pub use page::page;
pub use read::{Hints, read};
pub use refusal::{FeedLink, NotAFeed, feed_links};
