//! The progress bar of long commands, only on a terminal.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// A bar for this many feeds, with a message beside it.
pub(super) fn bar(output: Output, feeds: u64) -> ProgressBar {
    if output.is_json() || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(feeds), ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} feeds {msg}").expect("a sound template");
    ProgressBar::new(feeds).with_style(style)
}
