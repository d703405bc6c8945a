//! A scripted origin: a real HTTP server on loopback that responds as told and records requests.
//!
//! It supports conditional requests (a response is not sent again to a client that has its ETag), so that the client is
//! tested, not the script. Faults below HTTP are elsewhere.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The server. Stops responding when it is dropped with its runtime.
#[derive(Clone)]
pub struct Origin {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
}

struct Script {
    pages: HashMap<String, Page>,
    log: Vec<Seen>,
    clock: Clock,
}

type Clock = Box<dyn Fn() -> Timestamp + Send>;

enum Page {
    Fixed(Response),
    Live(Box<dyn FnMut(Timestamp) -> Response + Send>),
}

/// The response at a path.
#[derive(Debug, Clone, Default)]
pub struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// A recorded request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// `GET /feed`
    pub line: String,
    /// Header fields in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The status of the response.
    pub status: u16,
    /// The header fields of the response, names in lower case.
    pub given: Vec<(String, String)>,
    /// When, by the clock of the origin.
    pub at: Timestamp,
}

impl Seen {
    /// The value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The value of a header field of the response.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

impl Response {
    /// A response with a status only.
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// A response with a body.
    pub fn body(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".into(), content_type.into())];
        Self { status: 200, headers, body: body.into() }
    }

    /// With another status.
    #[must_use]
    pub fn answered(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// With another header field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_lowercase(), value.into()));
        self
    }

    /// Without a header field.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(found, _)| found != name);
        self
    }

    /// A redirect.
    pub fn moved_to(target: &str) -> Self {
        Self::status(301).with("location", target)
    }
}

/// An RSS feed with these entries, newest last, and an ETag over its text.
pub fn rss(titles: &[&str]) -> Response {
    let mut text = String::from("<rss version=\"2.0\"><channel><title>One</title><link>https://one.example/</link>");
    for title in titles {
        let _ = write!(
            text,
            "<item><guid isPermaLink=\"false\">guid-{title}</guid><title>{title}</title>\
             <link>https://one.example/{title}</link><description>about {title}</description></item>"
        );
    }
    text.push_str("</channel></rss>");
    let sum = text.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(1_099_511_628_211).wrapping_add(u64::from(byte)));
    Response::body("application/rss+xml", text).with("etag", &format!("\"{sum:x}\""))
}

impl Origin {
    /// Starts on a free port of 127.0.0.1.
    pub async fn start() -> Self {
        Self::start_at(|| Timestamp::UNIX_EPOCH).await
    }

    /// Starts with a clock, for scripts that change with time.
    pub async fn start_at(clock: impl Fn() -> Timestamp + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let script = Script { pages: HashMap::new(), log: Vec::new(), clock: Box::new(clock) };
        let script = Arc::new(Mutex::new(script));
        let shared = Arc::clone(&script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { address, script }
    }

    /// Sets the response at `path`. Other paths are 404.
    pub fn at(&self, path: &str, response: Response) -> &Self {
        self.lock().pages.insert(path.to_owned(), Page::Fixed(response));
        self
    }

    /// Sets a script for `path`, which gets the time.
    pub fn live(&self, path: &str, script: impl FnMut(Timestamp) -> Response + Send + 'static) -> &Self {
        self.lock().pages.insert(path.to_owned(), Page::Live(Box::new(script)));
        self
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// `127.0.0.1:4711`: the name of its rate group.
    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// The requests and their statuses: `GET /feed 200`.
    pub fn visits(&self) -> Vec<String> {
        self.lock().log.iter().map(|seen| format!("{} {}", seen.line, seen.status)).collect()
    }

    /// The requests in full.
    pub fn requests(&self) -> Vec<Seen> {
        self.lock().log.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Script> {
        self.script.lock().expect("no holder of the script panics")
    }
}

/// Serves the requests of one connection, one after the other.
async fn serve(stream: TcpStream, script: Arc<Mutex<Script>>) {
    let mut stream = BufReader::new(stream);
    while let Some((line, headers)) = request(&mut stream).await {
        let answer = answer(&script, line, headers);
        if stream.get_mut().write_all(&answer).await.is_err() {
            return;
        }
    }
}

async fn request(stream: &mut BufReader<TcpStream>) -> Option<(String, Vec<(String, String)>)> {
    let mut first = String::new();
    stream.read_line(&mut first).await.ok().filter(|read| *read > 0)?;
    let mut words = first.split_whitespace();
    let line = format!("{} {}", words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut field = String::new();
        stream.read_line(&mut field).await.ok().filter(|read| *read > 0)?;
        let Some((name, value)) = field.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    Some((line, headers))
}

fn answer(script: &Mutex<Script>, line: String, headers: Vec<(String, String)>) -> Vec<u8> {
    let mut script = script.lock().expect("no holder of the script panics");
    let at = (script.clock)();
    let path = line.split(' ').nth(1).unwrap_or("/");
    let mut response = match script.pages.get_mut(path) {
        None => Response::status(404),
        Some(Page::Fixed(response)) => response.clone(),
        Some(Page::Live(answer)) => answer(at),
    };
    let value = |fields: &[(String, String)], name: &str| {
        fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.clone())
    };
    let same = |given, asked| {
        let given = value(&response.headers, given);
        given.is_some() && given == value(&headers, asked)
    };
    if same("etag", "if-none-match") || same("last-modified", "if-modified-since") {
        response.status = 304;
        response.body.clear();
    }
    let mut head = format!("HTTP/1.1 {} x\r\n", response.status);
    for (name, value) in &response.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if response.status != 304 {
        let _ = write!(head, "content-length: {}\r\n", response.body.len());
    }
    head.push_str("\r\n");
    script.log.push(Seen { line, headers, status: response.status, given: response.headers.clone(), at });
    [head.as_bytes(), &response.body].concat()
}
