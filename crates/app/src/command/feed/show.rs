//! `courant feed show`: feeds and their last visits, on request with the header fields of requests and responses.

use anyhow::Context as _;
use engine::VisitHeaders;
use model::Viewer;
use model::raw::KeptHeaders;
use model::visit::{PastVisit, VisitResult};
use serde_json::{Value, json};
use store::Store;

use super::super::{Context, table};
use super::next::next_visit;
use super::{Names, body, distrust, find, find_deleted, show_each, state};

/// Which feeds, and how much of them.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    feeds: Names,
    /// Also show the header fields of requests and responses, without secrets
    #[arg(long)]
    headers: bool,
    /// A feed that was deleted and can still be restored
    #[arg(long)]
    deleted: bool,
}

pub(super) async fn run(context: &Context, store: &Store, args: &Args) -> anyhow::Result<()> {
    show_each(context, &args.feeds, async |name| show(context, store, name, args).await).await
}

async fn show(context: &Context, store: &Store, name: &str, args: &Args) -> anyhow::Result<(Value, String)> {
    let status = if args.deleted {
        let found = find_deleted(store, name).await?;
        found.with_context(|| format!("no feed {name} was deleted in the last 30 days"))?
    } else {
        find(store, name).await?
    };
    let visits = store.visits(Viewer::Operator, status.feed.id, 20).await?;
    let headers = if args.headers {
        engine::visit_headers(store, Viewer::Operator, status.feed.id, &visits).await?
    } else {
        Vec::new()
    };
    let now = context.clock.now();
    let mut document = body(&status, now);
    document["last_visits"] = visits.iter().map(visit_body).collect();
    for (n, headers) in headers.iter().enumerate() {
        document["last_visits"][n]["headers"] = headers.as_ref().map_or(Value::Null, headers_body);
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
        format!("  next visit  {}", next_visit(&status, now).line(now, &table::zone())),
        format!("  rate group  {}", status.rate_group),
    ];
    lines.extend(status.purge_at.map(|at| format!("  removed     {}", table::moment(at))));
    lines.extend(feed.root_domain.iter().map(|domain| format!("  root domain {domain}")));
    lines.extend(distrust(feed).map(|why| format!("  ids         {why}")));
    lines.extend(status.rules.iter().map(|(key, value)| format!("  rule        {key} = {value}")));
    lines.extend(status.last_error.iter().map(|error| format!("  last error  {error}")));
    // Of the last document that was read; a 304 has none.
    if let Some(visit) = visits.iter().find(|visit| visit.result == VisitResult::Fresh || visit.problems.is_some()) {
        let at = table::moment(visit.at);
        lines.extend(visit.problems.iter().map(|problems| format!("  problems    {problems} (read {at})")));
    }
    let mut told = None;
    for (n, visit) in visits.iter().enumerate() {
        let result = visit.status.map_or_else(|| "–".to_owned(), |status| status.to_string());
        let next = visit.next_at.map_or_else(|| "never".into(), table::moment);
        let at = table::moment(visit.at);
        let problems = visit.problems.as_ref().map_or_else(String::new, |problems| format!("  {problems}"));
        lines.push(format!("  {at}  {result}  {} new{problems}  next {next}, {}", visit.new_entries, visit.reason));
        // Visits with equal responses share one set of fields, which is shown once.
        if let Some(headers) = headers.get(n).and_then(Option::as_ref).filter(|_| told != visit.headers_at) {
            told = visit.headers_at;
            lines.extend(headers_lines(headers));
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| table::paragraph(line, 14)).collect();
    Ok((document, lines.join("\n")))
}

/// Request and response, line by line.
fn headers_lines(headers: &VisitHeaders) -> impl Iterator<Item = String> {
    let KeptHeaders { at, url, status, request, response } = &headers.fields;
    let field = |mark: &str, (name, value): &(String, String)| format!("      {mark} {name}: {value}");
    let asked = [format!("      > GET {url}, {}", table::moment(*at))];
    let request = request.iter().map(|pair| field(">", pair)).collect::<Vec<_>>();
    let answered = [format!("      < {status}")];
    let response = response.iter().map(|pair| field("<", pair)).collect::<Vec<_>>();
    let body = headers.raw.as_ref().map(|raw| {
        let cut = if raw.truncated { ", truncated" } else { "" };
        format!("      < {} bytes kept as {}{cut}", raw.decoded_bytes, raw.id)
    });
    asked.into_iter().chain(request).chain(answered).chain(response).chain(body)
}

/// The same as JSON.
fn headers_body(headers: &VisitHeaders) -> Value {
    let KeptHeaders { at, url, status, request, response } = &headers.fields;
    let raw = headers
        .raw
        .as_ref()
        .map(|raw| json!({ "id": raw.id.to_string(), "decoded_bytes": raw.decoded_bytes, "truncated": raw.truncated }));
    json!({
        "stored_at": at.to_string(), "url": url, "status": status, "request": request, "response": response, "body": raw,
    })
}

/// A visit as JSON.
pub(super) fn visit_body(visit: &PastVisit) -> Value {
    json!({
        "at": visit.at.to_string(), "status": visit.status, "result": format!("{:?}", visit.result).to_lowercase(),
        "error": visit.error, "new_entries": visit.new_entries, "changed_entries": visit.changed_entries,
        "took_ms": visit.took.as_millis() as i64, "wire_bytes": visit.wire_bytes,
        "next_at": visit.next_at.map(|at| at.to_string()), "interval_seconds": visit.interval.as_secs(),
        "reason": visit.reason, "rules": visit.trace, "problems": visit.problems,
    })
}
