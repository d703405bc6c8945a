//! An origin on loopback that sends exactly the given bytes, so that it can misbehave.
//!
//! Reads the head of each request, keeps it for the test, and passes the connection to a script. A canary is an origin
//! that must not be contacted. Callers may also come from `network::Stage`.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Origin {
    pub(crate) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    connections: Arc<Mutex<usize>>,
}

/// One connection after the head of a request was read.
pub(crate) struct Caller<S = TcpStream> {
    pub(crate) stream: S,
    pub(crate) heads: Arc<Mutex<Vec<String>>>,
}

impl Origin {
    /// Runs the script once per connection.
    pub(crate) async fn playing<F, T>(script: F) -> Self
    where
        F: Fn(Caller) -> T + Send + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (heads, connections) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Mutex<usize>>::default());
        let (kept, counted) = (Arc::clone(&heads), Arc::clone(&connections));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *counted.lock().unwrap() += 1;
                let mut caller = Caller { stream, heads: Arc::clone(&kept) };
                if caller.listen().await {
                    tokio::spawn(script(caller));
                }
            }
        });
        Self { address, heads, connections }
    }

    /// Sends the same to every client and closes the connection.
    pub(crate) async fn saying(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref().to_vec();
        Self::playing(move |mut caller| {
            let bytes = bytes.clone();
            async move { caller.say(&bytes).await }
        })
        .await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Caller<S> {
    /// Reads the head of the next request; false if there is none.
    pub(crate) async fn listen(&mut self) -> bool {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match self.stream.read_u8().await {
                Ok(byte) => head.push(byte),
                Err(_) => return false,
            }
        }
        self.heads.lock().unwrap().push(String::from_utf8_lossy(&head).into_owned());
        true
    }

    /// Sends bytes; a client that disconnected is not an error.
    pub(crate) async fn say(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }

    /// Sends the same until the client disconnects.
    pub(crate) async fn repeat(&mut self, bytes: &[u8]) {
        while self.stream.write_all(bytes).await.is_ok() {}
    }

    /// Sends nothing until the client disconnects.
    pub(crate) async fn wait(&mut self) {
        while matches!(self.stream.read(&mut [0; 64]).await, Ok(1..)) {}
    }

    /// Reads `count` bytes that are not a head.
    pub(crate) async fn hear(&mut self, count: usize) -> Vec<u8> {
        let mut heard = vec![0; count];
        let read = self.stream.read_exact(&mut heard).await;
        heard.truncate(read.unwrap_or(0));
        heard
    }
}

impl Caller {
    /// Resets the connection.
    pub(crate) fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }
}

/// `200 OK` with a length.
pub(crate) fn ok(fields: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A listener that must see no connection.
pub(crate) struct Canary(std::net::TcpListener);

impl Canary {
    pub(crate) fn at(address: &str) -> Self {
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// On loopback a connection is queued before `connect` returns, so there is nothing to wait for.
    #[track_caller]
    pub(crate) fn expect_silence(&self) {
        let seen = self.0.accept();
        assert!(matches!(&seen, Err(error) if error.kind() == ErrorKind::WouldBlock), "a connection came: {seen:?}");
    }
}
