//! `courant feed explain`: why a feed is visited when it is, as a sentence; the last twenty decisions, and what each
//! rule said.

use jiff::Timestamp;
use model::Viewer;
use model::feed::FeedState;
use model::visit::{PastVisit, VisitResult};
use serde_json::{Value, json};
use store::{FeedStatus, Store};

use super::super::{Context, table};
use super::next::next_visit;
use super::show::visit_body;
use super::{Names, distrust, find, show_each};

const DECISIONS: u32 = 20;

pub(super) async fn run(context: &Context, store: &Store, feeds: &Names) -> anyhow::Result<()> {
    show_each(context, feeds, async |name| explain(context, store, name).await).await
}

async fn explain(context: &Context, store: &Store, name: &str) -> anyhow::Result<(Value, String)> {
    let status = find(store, name).await?;
    let visits = store.visits(Viewer::Operator, status.feed.id, DECISIONS).await?;
    let now = context.clock.now();
    let document = json!({
        "id": status.feed.id.0, "url": status.feed.url, "why": sentence(&status, visits.first(), now),
        "note": distrust(&status.feed), "decisions": visits.iter().map(visit_body).collect::<Vec<_>>(),
    });
    let mut lines = vec![sentence(&status, visits.first(), now)];
    lines.extend(distrust(&status.feed).map(|why| format!("Note: {why}.")));
    if let Some(last) = visits.first().filter(|last| !last.trace.is_empty()) {
        lines.push(String::new());
        lines.push("What each rule said:".to_owned());
        lines.extend(last.trace.iter().map(|said| format!("  · {said}")));
    }
    if !visits.is_empty() {
        lines.push(String::new());
        lines.push(match visits.len() {
            1 => "The last decision:".to_owned(),
            count => format!("The last {count} decisions:"),
        });
        lines.extend(visits.iter().map(|visit| {
            let next = visit.next_at.map_or_else(|| "never".into(), table::moment);
            format!("  {}  {:<26} next {next}, {}", table::moment(visit.at), outcome(visit), visit.reason)
        }));
    }
    let lines: Vec<String> = lines.iter().map(|line| table::paragraph(line, indent(line))).collect();
    Ok((document, lines.join("\n")))
}

/// Where a wrapped line continues: under its text.
fn indent(line: &str) -> usize {
    if line.starts_with("  ") { 4 } else { 0 }
}

/// The explanation as sentences.
fn sentence(status: &FeedStatus, last: Option<&PastVisit>, now: Timestamp) -> String {
    let name = status.feed.title.as_deref().unwrap_or(&status.feed.url);
    let last = match last {
        Some(visit) => format!("It was last visited on {} ({}).", table::moment(visit.at), outcome(visit)),
        None => "It was never visited.".to_owned(),
    };
    let next = next_visit(status, now);
    let next = match (next.at, &status.feed.state) {
        _ if next.being_visited => "A worker is visiting it now.".to_owned(),
        (None, FeedState::Active) => format!("It is not visited again until a user asks for it, {}.", next.reason),
        (None, _) => format!("It is not visited, {}.", next.reason),
        (Some(at), state) => {
            let what = if matches!(state, FeedState::Disabled { .. }) { "next try" } else { "next visit" };
            let wait = policy::wait_in_words(now, Some(at));
            format!("Its {what} is on {}, {wait}, {}.", table::moment(at), next.reason)
        }
    };
    format!("{name}. {last} {next}")
}

fn outcome(visit: &PastVisit) -> String {
    let news = |count: u32| if count == 1 { "1 new entry".to_owned() } else { format!("{count} new entries") };
    match (visit.result, &visit.error) {
        (VisitResult::Fresh, _) => match &visit.problems {
            Some(problems) => format!("{}; {problems}", news(visit.new_entries)),
            None => news(visit.new_entries),
        },
        (VisitResult::Unchanged, _) => "nothing changed".to_owned(),
        (VisitResult::Deferred, _) => "put off".to_owned(),
        (VisitResult::Gone | VisitResult::Busy | VisitResult::Failed, Some(error)) => error.clone(),
        (VisitResult::Gone | VisitResult::Busy | VisitResult::Failed, None) => "failed".to_owned(),
    }
}
