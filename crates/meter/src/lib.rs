//! The metrics of a process (`Counter`, `Counters`, `Gauge`, `Histogram`), and the page that shows them.
//!
//! Plain values without a global registry: the owner keeps a struct of them and adds them to a page, each with a name
//! and a help text. Updating takes no lock and allocates nothing. The values of a label are listed in advance, so that
//! nobody outside can make the number of series grow.

mod count;
mod page;

pub use count::{Counter, Counters, Gauge, Histogram};
pub use page::{Kind, Page};
