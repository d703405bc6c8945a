//! `courant feed explain`: why a feed is visited when it is, as a person would say it; the last twenty decisions, and
//! what each rule said.

use model::feed::FeedState;
use model::visit::{PastVisit, VisitResult};
use serde_json::json;
use store::{FeedStatus, Store};

use super::super::{Context, table};
use super::show::visit_body;
use super::{Named, distrust, state};
use crate::output::Output;

const DECISIONS: u32 = 20;

pub(super) async fn run(context: &Context, store: &Store, feed: &Named) -> anyhow::Result<()> {
    let status = feed.find(store).await?;
    let visits = store.visits(status.feed.id, DECISIONS).await?;
    if context.output == Output::Json {
        return context.output.json(&json!({
            "note": distrust(&status.feed), "id": status.feed.id.0, "url": status.feed.url, "why": sentence(&status, visits.first()),
            "decisions": visits.iter().map(visit_body).collect::<Vec<_>>(),
        }));
    }
    let mut lines = vec![sentence(&status, visits.first())];
    lines.extend(distrust(&status.feed).map(|why| format!("Note: {why}.")));
    if let Some(last) = visits.first().filter(|last| !last.trace.is_empty()) {
        lines.push(String::new());
        lines.push("What each rule said:".to_owned());
        lines.extend(last.trace.iter().map(|said| format!("  · {said}")));
    }
    if !visits.is_empty() {
        lines.push(String::new());
        lines.push(format!("The last {} decisions:", visits.len()));
        lines.extend(
            visits
                .iter()
                .map(|visit| format!("  {}  {:<26} next {}", table::moment(visit.at), outcome(visit), visit.reason)),
        );
    }
    let lines: Vec<String> = lines.iter().map(|line| table::printable(line)).collect();
    context.output.print(lines.join("\n"))
}

/// What a person would say.
fn sentence(status: &FeedStatus, last: Option<&PastVisit>) -> String {
    let name = status.feed.title.as_deref().unwrap_or(&status.feed.url);
    let last = match last {
        Some(visit) => format!("It was last visited on {} ({}).", table::moment(visit.at), outcome(visit)),
        None => "It was never visited.".to_owned(),
    };
    let next = match (&status.feed.state, status.due_at, &status.worker) {
        (FeedState::Active, _, Some(_)) => "A worker is at it right now.".to_owned(),
        (FeedState::Active, Some(at), None) => {
            format!("Its next visit is on {}: {}.", table::moment(at), status.reason)
        }
        (FeedState::Active, None, None) => {
            format!("It is not visited again until somebody says so: {}.", status.reason)
        }
        (FeedState::Disabled { .. }, Some(at), None) => {
            format!("It is disabled; whether it is back is tried on {}: {}.", table::moment(at), status.reason)
        }
        (other, _, _) => format!(
            "It is not visited, because it is {}{}.",
            state(status),
            other.reason().map_or_else(String::new, |why| format!(" ({why})"))
        ),
    };
    format!("{name}. {last} {next}")
}

fn outcome(visit: &PastVisit) -> String {
    let news = |count: u32| if count == 1 { "1 new entry".to_owned() } else { format!("{count} new entries") };
    match (visit.result, &visit.error) {
        (VisitResult::Fresh, _) => news(visit.new_entries),
        (VisitResult::Unchanged, _) => "nothing changed".to_owned(),
        (VisitResult::Deferred, _) => "put off".to_owned(),
        (VisitResult::Gone | VisitResult::Busy | VisitResult::Failed, Some(error)) => error.clone(),
        (VisitResult::Gone | VisitResult::Busy | VisitResult::Failed, None) => "failed".to_owned(),
    }
}
