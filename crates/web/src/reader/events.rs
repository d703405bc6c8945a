//! `GET /api/events`: a stream for the app (server-sent events). It says that there are new posts and how many are unread,
//! when that changes. A client that comes back with `Last-Event-ID` gets what it missed.
//!
//! What has to be sent is decided by comparing with what was sent last, so it does not matter how often it is woken. The
//! stream ends when the session does.

use crate::Web;
use crate::client::Client;
use crate::error::{ApiError, ErrorBody};
use crate::principal::{self, Principal};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use model::event::EventKind;
use model::{EntryId, EventId, FeedId, UserId, Viewer};
use policy::permission::Permission;
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::time::Duration;
use store::{StoreError, Topic, Waiter};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// A comment is sent after this time without news, so that nobody in between closes the connection.
const QUIET: Duration = Duration::from_secs(15);
/// News are gathered for this long: a thousand commits in a second are one event.
const GATHERED_FOR: Duration = Duration::from_millis(250);
/// A client that has missed more events than this many reads is told to load everything anew.
const MOST_READS: usize = 20;
/// Posts named one by one as having something new to show; lists ask again by themselves.
const MOST_ENRICHED: usize = 100;
/// Events read at a time.
const AT_ONCE: u32 = 500;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(events))
}

/// A stream of events: `posts` with the feeds that have new ones, `counts` with unread posts by feed, `enriched` with a post that
/// has a new summary, topics or calm title, `reload` when the client missed too much. Each has an id; send the last one as `Last-Event-ID` to go on from there.
#[utoipa::path(get, path = "/api/events", tag = "events",
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 401, body = ErrorBody)))]
async fn events(
    State(web): State<Web>,
    principal: Principal,
    client: Client,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let last = match last {
        Some(id) => EventId(id),
        None => web.store.last_event().await?,
    };
    let stream = Stream {
        arrivals: web.store.waiter(Topic::Events),
        reading: web.store.waiter(Topic::ReadState),
        user: principal.user,
        web,
        headers,
        https: client.https,
        last,
        counts: BTreeMap::new(),
        enriched: BTreeMap::new(),
        first: true,
    };
    let body = Body::from_stream(stream::unfold(stream, |mut stream| async move {
        let sent = stream.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(sent)), stream))
    }));
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    // nginx would keep it until it is full.
    Ok((headers, [("x-accel-buffering", "no")], body).into_response())
}

struct Stream {
    web: Web,
    /// What the client proved who it is with: asked again now and then.
    headers: HeaderMap,
    https: bool,
    user: UserId,
    arrivals: Waiter,
    reading: Waiter,
    last: EventId,
    counts: BTreeMap<i64, u64>,
    /// Posts with something new to show, and what.
    enriched: BTreeMap<EntryId, Vec<serde_json::Value>>,
    first: bool,
}

impl Stream {
    /// What to send next; `None` ends the stream.
    async fn next(&mut self) -> Option<String> {
        loop {
            let mut quiet = false;
            if !self.first {
                let (arrivals, reading) = (self.arrivals.wait(QUIET), self.reading.wait(QUIET));
                let woken = tokio::select! { woken = arrivals => woken, woken = reading => woken };
                quiet = woken == store::Woken::TimedOut;
                if !quiet {
                    tokio::time::sleep(GATHERED_FOR).await;
                }
                // Before anything is said: a session may have ended since.
                if !self.is_still_valid().await {
                    return None;
                }
            }
            match self.news().await {
                Ok(news) if !news.is_empty() => {
                    self.first = false;
                    return Some(news);
                }
                // Something to begin with, so that the client knows that it is connected.
                Ok(_) if std::mem::take(&mut self.first) => return Some(": connected\n\n".to_owned()),
                Ok(_) if quiet => return Some(": still here\n\n".to_owned()),
                Ok(_) => {}
                // The client comes back by itself, with the id of the last event that it got.
                Err(error) => {
                    tracing::debug!(%error, "a stream of events ended");
                    return None;
                }
            }
        }
    }

    async fn is_still_valid(&self) -> bool {
        let found = principal::find(&self.headers, self.https, &self.web).await;
        found.is_ok_and(|found| found.is_some_and(|principal| principal.user == self.user))
    }

    async fn news(&mut self) -> Result<String, StoreError> {
        let mut text = String::new();
        let Some(feeds) = self.new_posts().await? else {
            self.last = self.web.store.last_event().await?;
            self.counts.clear();
            return Ok(event("reload", self.last, &json!({})));
        };
        let counts: BTreeMap<i64, u64> =
            self.web.store.unread_counts(self.user).await?.iter().map(|count| (count.feed.0, count.unread)).collect();
        if !feeds.is_empty() {
            text += &event("posts", self.last, &json!({ "feeds": feeds }));
        }
        for (entry, kinds) in std::mem::take(&mut self.enriched) {
            text += &event("enriched", self.last, &json!({ "post_id": entry.0, "kinds": kinds }));
        }
        if counts != self.counts {
            let changed: BTreeMap<String, u64> = counts
                .iter()
                .filter(|(feed, unread)| self.counts.get(feed) != Some(unread))
                .map(|(feed, unread)| (feed.to_string(), *unread))
                .collect();
            let gone: Vec<i64> = self.counts.keys().filter(|feed| !counts.contains_key(feed)).copied().collect();
            let total: u64 = counts.values().sum();
            text += &event("counts", self.last, &json!({ "unread": total, "feeds": changed, "gone": gone }));
            self.counts = counts;
        }
        Ok(text)
    }

    /// The feeds of the user with new posts since the last event that was sent; `None` if there were too many events.
    async fn new_posts(&mut self) -> Result<Option<Vec<i64>>, StoreError> {
        let mut feeds = HashSet::new();
        for read in 0.. {
            if read == MOST_READS {
                return Ok(None);
            }
            let events = self.web.store.events(Viewer::User(self.user), self.last, AT_ONCE).await?;
            if let Some(event) = events.last() {
                self.last = event.id;
            }
            for event in events.iter().filter(|event| event.kind == EventKind::EntryEnriched) {
                if let Some(entry) = event.subject.entry().filter(|_| self.enriched.len() < MOST_ENRICHED) {
                    let kinds = event.payload.json["kinds"].as_array().cloned().unwrap_or_default();
                    self.enriched.entry(entry).or_default().extend(kinds);
                }
            }
            let new = events.iter().filter(|event| event.kind == EventKind::EntryNew);
            feeds.extend(new.filter_map(|event| event.subject.feed()));
            if events.len() < AT_ONCE as usize {
                break;
            }
        }
        if feeds.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let followed = self.web.store.subscriptions(self.user).await?;
        let mut feeds: Vec<FeedId> =
            followed.into_iter().map(|subscription| subscription.feed).filter(|feed| feeds.contains(feed)).collect();
        feeds.sort_unstable();
        Ok(Some(feeds.into_iter().map(|feed| feed.0).collect()))
    }
}

fn event(name: &str, id: EventId, data: &serde_json::Value) -> String {
    format!("event: {name}\nid: {id}\ndata: {data}\n\n")
}
