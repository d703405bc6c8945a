//! `courant feed show`: one feed and its last visits.

use model::visit::PastVisit;
use serde_json::{Value, json};
use store::Store;

use super::super::{Context, table};
use super::next::next_visit;
use super::{Named, body, distrust, state};
use crate::output::Output;

pub(super) async fn run(context: &Context, store: &Store, feed: &Named) -> anyhow::Result<()> {
    let status = feed.find(store).await?;
    let visits = store.visits(status.feed.id, 20).await?;
    let now = context.clock.now();
    if context.output == Output::Json {
        let mut feed = body(&status, now);
        feed["last_visits"] = visits.iter().map(visit_body).collect();
        return context.output.json(&feed);
    }
    let feed = &status.feed;
    let mut lines = vec![
        feed.title.clone().unwrap_or_else(|| feed.url.clone()),
        format!("  id          {} ({})", feed.id, feed.uuid),
        format!("  url         {}", feed.url),
        format!(
            "  state       {}{}",
            state(&status),
            feed.state.reason().map_or_else(String::new, |why| format!(": {why}"))
        ),
        format!("  next visit  {}", next_visit(&status, now).line(now)),
        format!("  rate group  {}", status.rate_group),
    ];
    lines.extend(feed.root_domain.iter().map(|domain| format!("  root domain {domain}")));
    lines.extend(distrust(feed).map(|why| format!("  ids         {why}")));
    lines.extend(status.rules.iter().map(|(key, value)| format!("  rule        {key} = {value}")));
    lines.extend(status.last_error.iter().map(|error| format!("  last error  {error}")));
    lines.extend(visits.iter().map(|visit| {
        let result = visit.status.map_or_else(|| "–".to_owned(), |status| status.to_string());
        let next = visit.next_at.map_or_else(|| "never".into(), table::moment);
        format!("  {}  {result}  {} new  next {next}, {}", table::moment(visit.at), visit.new_entries, visit.reason)
    }));
    let lines: Vec<String> = lines.iter().map(|line| table::printable(line)).collect();
    context.output.print(lines.join("\n"))
}

/// A visit as JSON.
pub(super) fn visit_body(visit: &PastVisit) -> Value {
    json!({
        "at": visit.at.to_string(), "status": visit.status, "result": format!("{:?}", visit.result).to_lowercase(),
        "error": visit.error, "new_entries": visit.new_entries, "changed_entries": visit.changed_entries,
        "took_ms": visit.took.as_millis() as i64, "wire_bytes": visit.wire_bytes,
        "next_at": visit.next_at.map(|at| at.to_string()), "interval_seconds": visit.interval.as_secs(),
        "reason": visit.reason, "rules": visit.trace,
    })
}
