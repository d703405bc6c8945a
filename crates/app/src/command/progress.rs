//! The progress bar of long commands, only on a terminal.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// A bar for this many feeds, with a message beside it.
pub(super) fn bar(output: Output, feeds: u64) -> ProgressBar {
    bar_of(output, feeds, "feeds")
}

/// The same for other things.
pub(super) fn bar_of(output: Output, feeds: u64, what: &str) -> ProgressBar {
    if output.is_json() || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(feeds), ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template(&format!("{{wide_bar}} {{pos}} of {{len}} {what} {{msg}}"))
        .expect("a sound template");
    ProgressBar::new(feeds).with_style(style)
}
