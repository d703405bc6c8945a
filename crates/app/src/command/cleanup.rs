//! `courant cleanup`: runs the daily cleanup now, or shows what it would do. Beside a running server one of the two
//! waits.

use anyhow::bail;
use engine::{FeedReport, Ranges, RetainReport, Retained, Wish};
use model::retention::{CleanupRun, Counters};
use serde_json::{Value, json};

use super::{Context, table};
use crate::output::Output;

/// How many past cleanups are shown.
const LOGGED: u32 = 30;

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only show what would be deleted
    #[arg(long)]
    dry_run: bool,
    /// Trust the clock even if it is far ahead of the last cleanup
    #[arg(long)]
    force: bool,
    /// Only show what the last cleanups did, the newest first
    #[arg(long, conflicts_with_all = ["dry_run", "force"])]
    past: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    if args.past {
        return context.with_store(async |_, store| show_log(context, &store.cleanups(LOGGED).await?));
    }
    let wish = Wish { dry_run: args.dry_run, force: args.force };
    context.with_visitor(async |engine| {
        let now = engine.now();
        let report = match engine::retain(&engine, now, wish).await? {
            Retained::Done(report) => report,
            Retained::Busy(holder) => {
                let holder = holder.map_or_else(|| "another process".to_owned(), |holder| holder.to_string());
                bail!("{holder} is running maintenance now: wait until it is done, or stop it")
            }
            Retained::ClockNotSet => bail!("the clock of this machine is not set: the age of entries is unknown"),
        };
        match context.output {
            Output::Json(_) => context.output.json(&as_json(&report, wish)),
            Output::Text => context.output.print(as_text(&report, wish, now)),
        }
    })
}

fn as_json(report: &RetainReport, wish: Wish) -> Value {
    let feed = |feed: &FeedReport| json!({ "id": feed.feed.0, "url": feed.url, "counters": counters(&feed.counters) });
    json!({
        "dry_run": wish.dry_run,
        "as_of": report.as_of.to_string(),
        "counters": counters(&report.counters),
        "feeds": report.feeds.iter().map(feed).collect::<Vec<_>>(),
        "ranges": {
            "dropped": report.ranges.dropped,
            "bytes": report.ranges.bytes,
            "bodies_moved": report.ranges.moved,
        },
        "cleanup_log": report.log_rows,
        "bytes_before": report.bytes_before,
        "bytes_after": report.bytes_after,
        "too_large": report.too_large,
        "duration_seconds": report.took.as_secs_f64(),
        "notes": report.notes,
    })
}

fn show_log(context: &Context, runs: &[CleanupRun]) -> anyhow::Result<()> {
    let run = |run: &CleanupRun| {
        json!({
            "at": run.at.to_string(),
            "counters": counters(&run.counters),
            "ranges": run.ranges,
            "cleanup_log": run.log_rows,
            "bytes_before": run.bytes_before,
            "bytes_after": run.bytes_after,
            "bytes_freed": run.bytes_before.saturating_sub(run.bytes_after),
            "duration_seconds": run.took.as_secs_f64(),
            "notes": run.notes,
        })
    };
    let row = |run: &CleanupRun| {
        let what = summary(&run.counters);
        let what = if what.is_empty() { "nothing".to_owned() } else { what };
        let freed = run.bytes_before.saturating_sub(run.bytes_after) / 1_000_000;
        let took = format!("{:.1} s", run.took.as_secs_f64());
        vec![table::moment(run.at), what, format!("{freed} MB"), took, run.notes.clone().unwrap_or_default()]
    };
    match context.output {
        Output::Json(_) => context.output.json(&runs.iter().map(run).collect()),
        Output::Text if runs.is_empty() => context.output.print("no cleanup has run yet"),
        Output::Text => {
            context.output.print(table::render(&["when", "forgotten", "freed", "took", "notes"], runs.iter().map(row)))
        }
    }
}

fn counters(counters: &Counters) -> Value {
    json!({
        "old": counters.old,
        "read_long_ago": counters.read_long_ago,
        "beyond_limit": counters.beyond_limit,
        "unread_too_long": counters.unread_too_long,
        "full_text_cleared": counters.full_text_cleared,
        "raw_fetches": counters.raw_fetches,
        "raw_bytes": counters.raw_bytes,
    })
}

fn as_text(report: &RetainReport, wish: Wish, now: jiff::Timestamp) -> String {
    let mut lines = Vec::new();
    if report.as_of < now {
        lines.push(format!(
            "the clock is far ahead of the last cleanup: ages are as of {}; --force trusts the clock",
            table::moment(report.as_of)
        ));
    }
    let total = &report.counters;
    if total.is_zero() {
        lines.push(if wish.dry_run { "nothing would be deleted" } else { "nothing to delete" }.to_owned());
    } else {
        lines.push(format!("{}: {}", if wish.dry_run { "would be deleted" } else { "deleted" }, summary(total)));
        let rows =
            report.feeds.iter().map(|feed| vec![feed.feed.to_string(), feed.url.clone(), summary(&feed.counters)]);
        lines.push(table::render(&["feed", "url", "what"], rows));
    }
    lines.extend(ranges(&report.ranges, wish));
    if !wish.dry_run {
        lines.push(format!("it took {:.1} s", report.took.as_secs_f64()));
    }
    lines.extend(report.notes.clone());
    if report.too_large {
        lines.push("the database is larger than maintenance.max_db_size, and nothing more can be deleted".to_owned());
    }
    lines.join("\n")
}

/// The ranges of bodies that were dropped, if any.
fn ranges(ranges: &Ranges, wish: Wish) -> Option<String> {
    let Ranges { dropped, bytes, moved } = ranges;
    let would = if wish.dry_run { "would be " } else { "" };
    let line = format!("{would}dropped: {dropped} ranges of bodies ({} MB), {moved} bodies moved", bytes / 1_000_000);
    (*dropped > 0).then_some(line)
}

/// What was deleted, by reason; zero counts are omitted.
fn summary(counters: &Counters) -> String {
    let parts = [
        (counters.old, "too old"),
        (counters.read_long_ago, "read long ago"),
        (counters.beyond_limit, "beyond the feed's limit"),
        (counters.unread_too_long, "unread for too long"),
        (counters.full_text_cleared, "without their full text"),
        (counters.raw_fetches, "raw documents"),
    ];
    let told = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_took_nothing_are_left_out() {
        let counters = Counters { unread_too_long: 2, raw_fetches: 1, ..Counters::default() };
        assert_eq!(summary(&counters), "2 unread for too long, 1 raw documents");
    }

    #[test]
    fn ranges_are_shown_if_any_were_dropped() {
        let check = |dropped, dry_run, expected: &str| {
            let told = ranges(&Ranges { dropped, bytes: 2_100_000_000, moved: 7 }, Wish { dry_run, force: false });
            assert_eq!(told.unwrap_or_default(), expected);
        };
        check(0, true, "");
        check(2, true, "would be dropped: 2 ranges of bodies (2100 MB), 7 bodies moved");
        check(1, false, "dropped: 1 ranges of bodies (2100 MB), 7 bodies moved");
    }
}
