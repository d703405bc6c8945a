//! Whether the server for events is reachable. NATS sends a greeting first, which is all that is read here: nothing is
//! published, no login is tried.

use serde_json::Value;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::super::table::cut;
use super::Findings;
use crate::config::{EventsUrl, Value as _};

/// A healthy server greets at once.
const PATIENCE: Duration = Duration::from_secs(2);
/// The maximum length of a greeting, which lists the whole cluster.
const GREETING_BYTES: u64 = 64 << 10;
/// The default port of NATS.
const PORT: u16 = 4222;

pub(super) async fn examine(url: &EventsUrl, found: &mut Findings) {
    let name = url.show();
    match greeting(url).await {
        Ok(greeting) => tell(url, &name, &greeting, found),
        Err(trouble) => found.problem("events", format!("{name}: {trouble}")),
    }
}

/// The server's greeting, or what is wrong and what to do.
async fn greeting(url: &EventsUrl) -> Result<Value, String> {
    let late =
        |what: &str| format!("{what} within {} s: is it running, and is no firewall in between?", PATIENCE.as_secs());
    let stream = match timeout(PATIENCE, connect(url)).await {
        Err(_) => return Err(late("no response")),
        Ok(Err(error)) => return Err(format!("{error}: start the server, or correct `events.url`")),
        Ok(Ok(stream)) => stream,
    };
    let mut line = Vec::new();
    let mut reader = BufReader::new(stream.take(GREETING_BYTES));
    match timeout(PATIENCE, reader.read_until(b'\n', &mut line)).await {
        // A server may be configured to stay silent until a TLS handshake, which is not done here.
        Err(_) if url.0.expose().scheme() == "tls" => return Ok(Value::Null),
        Err(_) => return Err(late("it accepts the connection and sends nothing")),
        Ok(Err(error)) => return Err(format!("{error}: see the server's log")),
        Ok(Ok(_)) => {}
    }
    let said = line.strip_prefix(b"INFO ").and_then(|json| serde_json::from_slice(json).ok());
    said.ok_or_else(|| "the server there does not speak NATS: correct `events.url`".to_owned())
}

#[expect(clippy::disallowed_methods, reason = "the events' server is the operator's own")]
async fn connect(url: &EventsUrl) -> io::Result<TcpStream> {
    let url = url.0.expose();
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    TcpStream::connect((host, url.port().unwrap_or(PORT))).await
}

fn tell(url: &EventsUrl, name: &str, greeting: &Value, found: &mut Findings) {
    if greeting.is_null() {
        return found
            .warning("events", format!("{name} accepts connections; it greets in TLS only, which was not tried"));
    }
    let server = cut(greeting["version"].as_str().unwrap_or("of an unknown version"), 40);
    let is_on = |field: &str| greeting[field] == true;
    if !is_on("jetstream") {
        let remedy = "JetStream is off, and events need it: start the server with --jetstream";
        return found.problem("events", format!("{name} is NATS {server}: {remedy}"));
    }
    let login = url.0.expose();
    if is_on("auth_required") && login.username().is_empty() && login.password().is_none() {
        let remedy = "it requires a login: put a user name and a password into `events.url`";
        return found.problem("events", format!("{name} is NATS {server}: {remedy}"));
    }
    let not_tried = if is_on("tls_required") { "TLS and a login were not tried" } else { "a login was not tried" };
    found.ok("events", format!("{name} is NATS {server} with JetStream; {not_tried}"));
}
