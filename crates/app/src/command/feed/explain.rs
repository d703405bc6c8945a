//! `courant feed explain`: why a feed is visited when it is, as a sentence; the last twenty decisions, and what each
//! rule said.

use model::Viewer;
use serde_json::{Value, json};
use store::Store;

use super::super::{Context, table};
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
        "id": status.feed.id.0, "url": status.feed.url, "why": engine::explain(&status, visits.first(), now, &table::zone()),
        "note": distrust(&status.feed), "decisions": visits.iter().map(visit_body).collect::<Vec<_>>(),
    });
    let mut lines = vec![engine::explain(&status, visits.first(), now, &table::zone())];
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
            format!(
                "  {}  {:<26} next {next}, {}",
                table::moment(visit.at),
                engine::outcome_in_words(visit),
                visit.reason
            )
        }));
    }
    let lines: Vec<String> = lines.iter().map(|line| table::paragraph(line, indent(line))).collect();
    Ok((document, lines.join("\n")))
}

/// Where a wrapped line continues: under its text.
fn indent(line: &str) -> usize {
    if line.starts_with("  ") { 4 } else { 0 }
}
