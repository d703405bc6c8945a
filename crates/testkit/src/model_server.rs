//! A scripted model server: a real HTTP server on loopback with OpenAI's interface that answers as told and records
//! requests with their bodies.
//!
//! It checks nothing: what was sent is for the test to judge. Replies are taken from a queue, and then from a rule for
//! all further requests.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The server. Stops answering when it is dropped with its runtime. Cheap to clone.
#[derive(Clone)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    seen: watch::Sender<usize>,
}

struct State {
    queue: VecDeque<Reply>,
    always: Box<dyn FnMut(&Asked) -> Reply + Send>,
    log: Vec<Asked>,
    clock: Box<dyn Fn() -> Timestamp + Send>,
}

/// A recorded request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `POST /v1/chat/completions`
    pub line: String,
    /// Header fields in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null if it is not JSON.
    pub body: Value,
    /// When, by the clock of the server.
    pub at: Timestamp,
}

impl Asked {
    /// The value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// What the message of a role says; empty without one.
    pub fn message(&self, role: &str) -> &str {
        let messages = self.body["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let found = messages.iter().find(|message| message["role"] == role);
        found.and_then(|message| message["content"].as_str()).unwrap_or_default()
    }
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Answers.
    Response {
        /// The status.
        status: u16,
        /// Header fields; the length is added.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// Never answers, and keeps the connection.
    Silence,
    /// Closes the connection.
    HangUp,
}

impl Reply {
    /// A completion whose content is this JSON.
    pub fn json(content: &Value) -> Self {
        Self::content(&content.to_string())
    }

    /// A completion with this content, of 100 and 20 tokens.
    pub fn content(content: &str) -> Self {
        let message = json!({"role": "assistant", "content": content});
        Self::body(&json!({
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }))
    }

    /// A success with this body.
    pub fn body(body: &Value) -> Self {
        Self::raw(200, body.to_string())
    }

    /// A failure in the form of OpenAI.
    pub fn error(status: u16, message: &str) -> Self {
        Self::raw(status, json!({"error": {"message": message, "type": "error", "code": null}}).to_string())
    }

    /// Exactly these bytes.
    pub fn raw(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self::Response { status, headers, body: body.into() }
    }

    /// With another header field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        if let Self::Response { headers, .. } = &mut self {
            headers.push((name.to_lowercase(), value.to_owned()));
        }
        self
    }
}

impl ModelServer {
    /// Starts on a free port of 127.0.0.1. Until told otherwise, it answers `{}`.
    pub async fn start() -> Self {
        Self::start_at(|| Timestamp::UNIX_EPOCH).await
    }

    /// Starts with a clock, for tests of pace.
    pub async fn start_at(clock: impl Fn() -> Timestamp + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let always = Box::new(|_: &Asked| Reply::json(&json!({})));
        let state = State { queue: VecDeque::new(), always, log: Vec::new(), clock: Box::new(clock) };
        let server = Self { address, state: Arc::new(Mutex::new(state)), seen: watch::Sender::new(0) };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        server
    }

    /// The base URL.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Answers one request, after those that are queued already.
    pub fn then(&self, reply: Reply) -> &Self {
        self.lock().queue.push_back(reply);
        self
    }

    /// Answers all requests for which nothing is queued.
    pub fn always(&self, reply: impl FnMut(&Asked) -> Reply + Send + 'static) -> &Self {
        self.lock().always = Box::new(reply);
        self
    }

    /// The requests in full.
    pub fn requests(&self) -> Vec<Asked> {
        self.lock().log.clone()
    }

    /// How many requests came.
    pub fn count(&self) -> usize {
        self.lock().log.len()
    }

    /// Waits until so many requests came.
    pub async fn until_asked(&self, times: usize) {
        let mut seen = self.seen.subscribe();
        seen.wait_for(|count| *count >= times).await.expect("the server holds the sender");
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the state panics")
    }

    /// Serves the requests of one connection, one after the other.
    async fn serve(self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        while let Some((line, headers, body)) = request(&mut stream).await {
            let reply = self.reply(line, headers, &body);
            self.seen.send_modify(|count| *count += 1);
            match reply {
                Reply::HangUp => return,
                Reply::Silence => {
                    // Until the client gives up.
                    let _ = stream.read_to_end(&mut Vec::new()).await;
                    return;
                }
                Reply::Response { status, headers, body } => {
                    let mut head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n", body.len());
                    for (name, value) in headers {
                        let _ = write!(head, "{name}: {value}\r\n");
                    }
                    head.push_str("\r\n");
                    if stream.write_all(&[head.as_bytes(), &body].concat()).await.is_err() {
                        return;
                    }
                }
            }
        }
    }

    fn reply(&self, line: String, headers: Vec<(String, String)>, body: &[u8]) -> Reply {
        let state = &mut *self.lock();
        let body = serde_json::from_slice(body).unwrap_or(Value::Null);
        let asked = Asked { line, headers, body, at: (state.clock)() };
        let reply = state.queue.pop_front().unwrap_or_else(|| (state.always)(&asked));
        state.log.push(asked);
        reply
    }
}

async fn request(stream: &mut BufReader<TcpStream>) -> Option<(String, Vec<(String, String)>, Vec<u8>)> {
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
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, length)| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    Some((line, headers, body))
}
