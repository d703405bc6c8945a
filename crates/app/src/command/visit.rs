//! `courant visit`: shows one visit in detail: every hop, its cost, the response, and what it would lead to. Nothing is
//! stored. `engine` makes the visit, `policy` decides what follows.

use std::time::Duration;

use clap::ValueEnum;
use engine::{Engine, VisitRequest};
use fetch::Egress;
use model::reading::End;
use model::visit::{Hop, Outcome, Timings, Visit};
use serde_json::{Value, json};

use super::{Context, table};
use crate::output::Output;

/// What to visit.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address of a feed, or of anything else on the web
    #[arg(value_name = "URL")]
    url: String,
    /// The purpose of the visit; a page is visited only if robots.txt allows it
    #[arg(long = "as", value_name = "WHAT", default_value = "feed")]
    purpose: Purpose,
}

/// What a visit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Purpose {
    /// A feed that a person chose
    Feed,
    /// A page of a site
    Page,
    /// The icon of a site
    Icon,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_visitor(async |engine| {
        let seen = look(&engine, args).await?;
        match context.output {
            Output::Json(_) => context.output.json(&seen.body())?,
            Output::Text => context.output.print(seen.text())?,
        }
        anyhow::ensure!(seen.good, "{}", seen.verdict);
        Ok(())
    })
}

/// A visit and what to say about it.
struct Seen {
    visit: Visit,
    group: Option<String>,
    /// The result, in one line.
    verdict: String,
    /// Whether the visit succeeded; determines the exit code.
    good: bool,
    /// What a feed's schedule would decide.
    next: Option<String>,
    /// The pause it would cause.
    pause: Option<String>,
}

async fn look(engine: &Engine, args: &Args) -> anyhow::Result<Seen> {
    let class = match args.purpose {
        Purpose::Feed => Egress::Feed,
        Purpose::Page => Egress::Article,
        Purpose::Icon => Egress::Icon,
    };
    let errand = match args.purpose {
        Purpose::Page => VisitRequest::crawl(&args.url, class),
        Purpose::Feed | Purpose::Icon => VisitRequest::to(&args.url, class),
    };
    let visit = engine::visit(engine, &errand).await?;
    let now = engine.now();
    let group = engine.group(&visit.url).map(|(group, _)| group.name);
    let (verdict, entries) = match (&visit.outcome, args.purpose) {
        (Outcome::Fresh(body), Purpose::Feed) => {
            let hints = syndication::Hints {
                content_type: body.content_type.as_deref(),
                base_url: Some(&visit.url),
                ..syndication::Hints::default()
            };
            match syndication::read(&body.decoded, &hints, &engine.options().document) {
                Ok(reading) => {
                    let version = syndication::normalised::version(reading.format);
                    let (entries, problems) = (reading.entries.len(), reading.problems.len());
                    let cut = if reading.end == End::Early { ", cut off after the last of them" } else { "" };
                    (format!("a feed ({version}) with {entries} entries and {problems} problems{cut}"), Some(entries))
                }
                Err(other) => (format!("not a feed: {other}"), None),
            }
        }
        (outcome, _) => (outcome.to_string(), None),
    };
    let rules = &engine.options().rules;
    let next = (args.purpose == Purpose::Feed && (entries.is_some() || !matches!(visit.outcome, Outcome::Fresh(_))))
        .then(|| policy::first_schedule(now, &visit, entries.unwrap_or(0), rules))
        .map(|next| format!("{}, {}", policy::wait_in_words(now, next.next.at()), next.reason));
    let pause = group.as_ref().and_then(|group| policy::pause(now, group, &visit, 0, rules.pause_cap(rules)));
    let good = matches!(visit.outcome, Outcome::Fresh(_)) && (args.purpose != Purpose::Feed || entries.is_some());
    Ok(Seen { verdict, good, next, pause: pause.map(|pause| pause.to_string()), group, visit })
}

/// Headers that matter for the next visit.
const TELLING: &[&str] = &[
    "content-type",
    "content-encoding",
    "etag",
    "last-modified",
    "cache-control",
    "expires",
    "age",
    "retry-after",
    "server",
    "link",
];

impl Seen {
    fn text(&self) -> String {
        let visit = &self.visit;
        let mut lines = Vec::new();
        for (n, hop) in visit.hops.iter().enumerate() {
            let status = hop.status.map_or_else(|| "–".to_owned(), |status| status.to_string());
            lines.push(format!("{}  {status}  {}", n + 1, hop.url));
            let address = hop.address.map_or_else(|| "not reached".to_owned(), |address| address.to_string());
            lines.push(format!("        {address}, {}", phases(&hop.timings)));
        }
        let mut say = |name: &str, text: &str| lines.push(format!("{name:<14}{}", table::printable(text)));
        for (name, value) in visit.response_headers.iter().filter(|(name, _)| TELLING.contains(&name.as_str())) {
            say(name, value);
        }
        if let Some(hop) = visit.hops.last().filter(|hop| hop.status.is_some()) {
            say("size", &format!("{} bytes over the wire, {} decoded", hop.wire_bytes, hop.decoded_bytes));
        }
        if let Some(group) = &self.group {
            say("rate group", group);
        }
        if let Some(to) = &visit.moved_to {
            say("moved", &format!("permanently, to {to}"));
        }
        say("verdict", &self.verdict);
        if let Some(next) = &self.next {
            say("next visit", next);
        }
        if let Some(pause) = &self.pause {
            say("pause", pause);
        }
        lines.join("\n")
    }

    fn body(&self) -> Value {
        let visit = &self.visit;
        let headers = |headers: &model::raw::Headers| -> Value {
            headers.iter().map(|(name, value)| json!([name, value])).collect()
        };
        json!({
            "url": visit.url, "status": visit.status, "ok": self.good, "verdict": self.verdict,
            "rate_group": self.group, "moved_to": visit.moved_to, "next_visit": self.next, "pause": self.pause,
            "took_ms": visit.took.as_millis() as i64,
            "hops": visit.hops.iter().map(hop_body).collect::<Vec<_>>(),
            "request_headers": headers(&visit.request_headers), "response_headers": headers(&visit.response_headers),
        })
    }
}

fn hop_body(hop: &Hop) -> Value {
    let ms = |phase: Option<Duration>| phase.map(|took| took.as_secs_f64() * 1000.0);
    let timings = &hop.timings;
    json!({
        "url": hop.url, "status": hop.status, "address": hop.address.map(|address| address.to_string()),
        "wire_bytes": hop.wire_bytes, "decoded_bytes": hop.decoded_bytes,
        "ms": {
            "dns": ms(timings.dns), "connect": ms(timings.connect), "tls": ms(timings.tls),
            "first_byte": ms(timings.first_byte), "total": ms(Some(timings.total)),
        },
    })
}

/// `18 ms (dns 3, connect 5, first byte 9)`
fn phases(timings: &Timings) -> String {
    let phases =
        [("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls), ("first byte", timings.first_byte)];
    let phases: Vec<String> = phases
        .iter()
        .filter_map(|(name, took)| took.map(|took| format!("{name} {:.1}", took.as_secs_f64() * 1000.0)))
        .collect();
    let total = format!("{:.1} ms", timings.total.as_secs_f64() * 1000.0);
    if phases.is_empty() { total } else { format!("{total} ({})", phases.join(", ")) }
}
