//! Verbs of people who read: subscribe, full text, saved pages, filters, imports.
//!
//! What needs a second effect or has two callers is a verb here; what is one question is asked of `store` directly. Nothing
//! here knows HTTP as a server: `web` and the commands call these verbs. Jobs are in `runner`, which `app` runs.

mod error;
mod filters;
mod full_text;
mod import_opml;
mod import_reedme;
mod import_stars;
mod page;
mod refresh;
mod runner;
mod save_page;
mod subscribe;

pub use error::ReaderError;
pub use filters::{Matched, Tried, filter_arrivals, try_filter};
pub use full_text::{Opened, open_entry, read_page};
pub use import_opml::{Import, Undone, ask_import, run_import, undo_import};
pub use import_reedme::{ReedmeImported, import_reedme};
pub use import_stars::{NotStars, StarsImported, import_stars};
pub use refresh::{PATIENCE, Refreshed, RefreshedAll, refresh, refresh_all};
pub use runner::{Chore, Parts, jobs, request_tidy, watch};
pub use save_page::{Saved, save_page};
pub use subscribe::{FIRST_VISIT, Subscribed, Unsubscribed, Wanted, subscribe, subscribe_at, unsubscribe};
