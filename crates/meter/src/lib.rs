//! What a process counts while it works (`Counter`, `Counters`, `Gauge`, `Histogram`), and the page that shows it.
//!
//! Plain values without a global place: whoever counts has a struct of them and puts them on a page, each with its name and
//! a sentence. Noting something takes no lock and allocates nothing; a label has no values but those listed beforehand,
//! so that nobody outside decides how many figures there are.

mod count;
mod page;

pub use count::{Counter, Counters, Gauge, Histogram};
pub use page::{Kind, Page};
