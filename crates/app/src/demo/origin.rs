//! The demo's publishers on loopback: a small HTTP server that knows GET, ETags, and how publishers misbehave. It reads a
//! request up to its empty line, answers once and closes.

use super::document;
use super::publishers::{Manner, PUBLISHERS, Publisher};
use crate::clock::Clock;
use jiff::Timestamp;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use url::Url;

/// The longest head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// A client has this long.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections at once.
const CONNECTIONS: usize = 64;
/// Who asks too often is told to wait so long.
const WAIT_S: u32 = 120;

/// The publishers, listening.
pub(crate) struct Origin {
    listener: TcpListener,
    address: SocketAddr,
    clock: Clock,
    begun: Timestamp,
}

/// An answer.
struct Answer {
    status: &'static str,
    kind: &'static str,
    more: String,
    body: Vec<u8>,
}

impl Answer {
    fn new(status: &'static str, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, kind, more: String::new(), body: body.into() }
    }
}

impl Origin {
    /// Listens on a free port of loopback.
    pub(crate) async fn listen(clock: &Clock) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, begun: clock.now(), clock: clock.clone() })
    }

    /// Where it is: the only address of this machine that the demo's visits may reach.
    pub(crate) fn url(&self) -> Url {
        Url::parse(&format!("http://{}/", self.address)).expect("an address and a port are a URL")
    }

    /// Where the feeds of all publishers are. One that moved is known by its old address.
    pub(crate) fn publishers(&self) -> Vec<(&'static Publisher, String)> {
        let address = |publisher: &'static Publisher| {
            let path = match publisher.manner {
                Manner::Moved { from } => from,
                _ => publisher.path,
            };
            (publisher, format!("{}{path}/{}", self.url(), publisher.file()))
        };
        PUBLISHERS.iter().map(address).collect()
    }

    /// Answers until it is told to stop.
    pub(crate) async fn serve(self, mut stop: watch::Receiver<bool>) {
        let (base, begun, clock) = (self.url(), self.begun, self.clock);
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                _ = stop.changed() => return,
            };
            let Ok((stream, _)) = accepted else { continue };
            // Never closed.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let (base, clock) = (base.clone(), clock.clone());
            tokio::spawn(async move {
                let served = serve_one(stream, &base, begun, &clock);
                let _ = tokio::time::timeout(PATIENCE, served).await;
                drop(place);
            });
        }
    }
}

async fn serve_one(mut stream: TcpStream, base: &Url, begun: Timestamp, clock: &Clock) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > LONGEST_HEAD || stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let answer = answer(&head, base, begun, clock.now());
    let Answer { status, kind, more, body } = answer;
    let length = body.len();
    let sent = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n{more}connection: close\r\n\r\n"
    );
    stream.write_all(sent.as_bytes()).await?;
    if !head.starts_with("HEAD ") {
        stream.write_all(&body).await?;
    }
    stream.shutdown().await
}

/// The answer to a request. Pure.
fn answer(head: &str, base: &Url, begun: Timestamp, now: Timestamp) -> Answer {
    let mut lines = head.lines();
    let mut request = lines.next().unwrap_or_default().split(' ');
    let (method, path) = (request.next().unwrap_or_default(), request.next().unwrap_or_default());
    if !matches!(method, "GET" | "HEAD") {
        return Answer::new("405 Method Not Allowed", "text/plain", "GET only\n");
    }
    let field = |name: &str| {
        lines.clone().find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let missing = || Answer::new("404 Not Found", "text/plain", "there is nothing here\n");
    if let Some(new) =
        PUBLISHERS.iter().find(|publisher| matches!(publisher.manner, Manner::Moved { from } if from == first))
    {
        let to = format!("{base}{}/{rest}", new.path);
        let moved = Answer::new("301 Moved Permanently", "text/plain", "moved\n");
        return Answer { more: format!("location: {to}\r\n"), ..moved };
    }
    let Some(publisher) = PUBLISHERS.iter().find(|publisher| publisher.path == first) else { return missing() };
    if rest.strip_suffix("wav").is_some_and(|name| name.ends_with('.')) {
        return Answer::new("200 OK", "audio/wav", document::sound());
    }
    if rest != publisher.file() {
        return match document::page(publisher, rest, begun, now) {
            Some(page) => Answer::new("200 OK", "text/html; charset=utf-8", page),
            None => missing(),
        };
    }
    match publisher.manner {
        Manner::Busy => {
            let busy = Answer::new("429 Too Many Requests", "text/plain", "you come too often\n");
            return Answer { more: format!("retry-after: {WAIT_S}\r\n"), ..busy };
        }
        Manner::Broken => {
            let page = "<!doctype html><title>Old Weather Vane</title><h1>Our database is resting</h1>\n";
            return Answer::new("200 OK", "text/html", page);
        }
        Manner::Steady | Manner::Moved { .. } | Manner::Restless { .. } => {}
    }
    let tag = document::tag(publisher, begun, now);
    if field("if-none-match").is_some_and(|sent| sent == tag) {
        return Answer { more: format!("etag: {tag}\r\n"), ..Answer::new("304 Not Modified", "text/plain", "") };
    }
    let (kind, body) = document::feed(publisher, base, begun, now);
    Answer { more: format!("etag: {tag}\r\n"), ..Answer::new("200 OK", kind, body) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;
    use syndication::{Hints, Limits, read};

    fn ask(path: &str, fields: &str, after_s: i64) -> Answer {
        let begun: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        let base = Url::parse("http://127.0.0.1:9/").unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\n{fields}\r\n");
        answer(&head, &base, begun, begun + SignedDuration::from_secs(after_s))
    }

    #[test]
    fn every_publisher_behaves_as_it_should() {
        for publisher in PUBLISHERS {
            let path = format!("/{}/{}", publisher.path, publisher.file());
            let first = ask(&path, "", 0);
            match publisher.manner {
                Manner::Busy => assert!(first.status.starts_with("429") && first.more.contains("retry-after: 120")),
                Manner::Broken => assert_eq!(first.kind, "text/html"),
                Manner::Steady | Manner::Moved { .. } | Manner::Restless { .. } => {
                    let reading = read(&first.body, &Hints::default(), &Limits::default())
                        .unwrap_or_else(|refusal| panic!("{}: {refusal:?}", publisher.path));
                    assert!(reading.entries.len() >= 3, "{}", publisher.path);
                    assert_eq!(reading.problems, [], "{}", publisher.path);
                    let tag = first.more.trim().strip_prefix("etag: ").unwrap().to_owned();
                    let again = ask(&path, &format!("If-None-Match: {tag}\r\n"), 0);
                    assert!(again.status.starts_with("304"), "{}", publisher.path);
                }
            }
        }
    }

    #[test]
    fn some_publish_while_one_looks() {
        let restless = PUBLISHERS.iter().find(|one| matches!(one.manner, Manner::Restless { .. })).unwrap();
        let path = format!("/{}/{}", restless.path, restless.file());
        assert_ne!(ask(&path, "", 0).more, ask(&path, "", 10).more);
        let old = PUBLISHERS.iter().find_map(|one| match one.manner {
            Manner::Moved { from } => Some(format!("/{from}/{}", one.file())),
            _ => None,
        });
        assert!(ask(&old.unwrap(), "", 0).status.starts_with("301"));
        for nowhere in ["/", "/none/feed.xml", "/../etc/passwd", "", "/klaxon/none"] {
            assert!(ask(nowhere, "", 0).status.starts_with("404"), "{nowhere}");
        }
        assert!(
            answer(
                "POST / HTTP/1.1\r\n\r\n",
                &Url::parse("http://x/").unwrap(),
                Timestamp::UNIX_EPOCH,
                Timestamp::UNIX_EPOCH
            )
            .status
            .starts_with("405")
        );
    }
}
