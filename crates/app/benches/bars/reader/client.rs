//! A client of the API that keeps its connection, with one request at a time and as little work of its own as possible.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The server closes a connection on which nobody asks: an older one is not used again.
const FRESH: Duration = Duration::from_secs(5);

/// A connection, with a key for every request.
pub(super) struct Client {
    address: String,
    stream: TcpStream,
    used: Instant,
    key: String,
    received: Vec<u8>,
}

impl Client {
    pub(super) fn connect(address: &str, key: &str) -> Self {
        let (address, key) = (address.to_owned(), key.to_owned());
        Self { stream: open(&address), address, used: Instant::now(), key, received: Vec::new() }
    }

    /// Asks and reads the whole answer, which must be a good one; returns its length.
    pub(super) fn get(&mut self, path: &str) -> usize {
        self.ask("GET", path, "").len()
    }

    /// The answer to a POST.
    pub(super) fn post(&mut self, path: &str, body: &str) -> Value {
        serde_json::from_slice(self.ask("POST", path, body)).expect("JSON")
    }

    fn ask(&mut self, method: &str, path: &str, body: &str) -> &[u8] {
        let auth = if self.key.is_empty() { String::new() } else { format!("authorization: Bearer {}\r\n", self.key) };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{auth}content-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        if self.used.elapsed() > FRESH {
            self.stream = open(&self.address);
        }
        self.stream.write_all(request.as_bytes()).expect("a request");
        self.received.clear();
        let mut part = vec![0; 64 << 10];
        let (head, length) = loop {
            let read = self.stream.read(&mut part).expect("an answer");
            assert!(read > 0, "the server closed the connection");
            self.received.extend_from_slice(&part[..read]);
            if let Some(end) = self.received.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.received[..end]).to_ascii_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
                assert!(head.starts_with("http/1.1 200"), "{method} {path}: {head}");
                break (end + 4, length.unwrap_or(0_usize));
            }
        };
        let read = self.received.len();
        self.received.resize(head + length, 0);
        self.stream.read_exact(&mut self.received[read..]).expect("the rest of the answer");
        self.used = Instant::now();
        &self.received[head..]
    }
}

#[expect(clippy::disallowed_methods, reason = "asks the program that was started")]
fn open(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    stream
}
