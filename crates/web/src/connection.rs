//! One client connection, from its first byte to its last. It is closed if no complete request head arrives in time, or
//! if no bytes move for too long; never while a handler works. `listener` creates connections; responses are made in
//! `answer`. Time is tokio's, so that tests can advance it.

use crate::answer::{answer, protected_head};
use axum::Router;
use engine::Stop;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

/// How long a client may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// To send the head of a request, from the connection or from its first byte.
    pub head: Duration,
    /// Between two requests, and to receive a response, without a byte in either direction.
    pub idle: Duration,
    /// To finish a response when the server stops.
    pub grace: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { head: Duration::from_secs(10), idle: Duration::from_mins(1), grace: Duration::from_secs(3) }
    }
}

/// A longer head is refused with 431.
const HEAD_BYTES: usize = 16 << 10;

/// Serves the requests of one connection until either side closes it.
pub(crate) async fn serve<S>(stream: S, peer: SocketAddr, router: Router, timeouts: Timeouts, mut stop: Stop)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let watch = Arc::new(Watch::new(timeouts));
    let asked = Arc::clone(&watch);
    let service = service_fn(move |request| {
        asked.enter(Stage::Answering);
        let (router, answered) = (router.clone(), Arc::clone(&asked));
        async move {
            let response = answer(router, peer, request).await;
            answered.enter(Stage::Idle(Instant::now()));
            Ok::<_, Infallible>(response)
        }
    });
    let io = TokioIo::new(Watched { stream, watch: Arc::clone(&watch), error_response: None });
    let mut connection = pin!(http1::Builder::new().max_buf_size(HEAD_BYTES).serve_connection(io, service));
    tokio::select! {
        // First, so that bytes that have arrived are seen before the timeout is.
        biased;
        _ = connection.as_mut() => return,
        () = watch.overdue() => return,
        _ = stop.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    // A partial request would delay the stop until its head is overdue.
    if !watch.has_partial_request() {
        tokio::select! {
            _ = connection => {}
            () = sleep(timeouts.grace) => {}
        }
    }
}

/// The state of a connection.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// Waiting for the head of a request since this time.
    Head(Instant),
    /// A handler is working; it has its own limits.
    Answering,
    /// The response is complete; the last byte moved at this time.
    Idle(Instant),
}

/// The state shared by the I/O of a connection and its timeout.
struct Watch {
    stage: Mutex<Stage>,
    changed: Notify,
    timeouts: Timeouts,
}

impl Watch {
    fn new(timeouts: Timeouts) -> Self {
        Self { stage: Mutex::new(Stage::Head(Instant::now())), changed: Notify::new(), timeouts }
    }

    fn enter(&self, stage: Stage) {
        *self.lock() = stage;
        self.changed.notify_one();
    }

    /// Bytes were received.
    fn received(&self) {
        if matches!(*self.lock(), Stage::Idle(_)) {
            self.enter(Stage::Head(Instant::now()));
        }
    }

    /// Bytes were sent.
    fn sent(&self) {
        if let Stage::Idle(since) = &mut *self.lock() {
            *since = Instant::now();
        }
    }

    fn is_answering(&self) -> bool {
        matches!(*self.lock(), Stage::Answering)
    }

    fn has_partial_request(&self) -> bool {
        matches!(*self.lock(), Stage::Head(_))
    }

    fn deadline(&self) -> Option<Instant> {
        match *self.lock() {
            Stage::Head(since) => Some(since + self.timeouts.head),
            Stage::Idle(since) => Some(since + self.timeouts.idle),
            Stage::Answering => None,
        }
    }

    /// Completes when the client has taken too long.
    async fn overdue(&self) {
        loop {
            match self.deadline() {
                None => self.changed.notified().await,
                Some(at) if at <= Instant::now() => return,
                Some(at) => tokio::select! {
                    () = sleep_until(at) => {}
                    () = self.changed.notified() => {}
                },
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stream of a connection; reports to `Watch` when bytes move.
struct Watched<S> {
    stream: S,
    watch: Arc<Watch>,
    /// An error response made by hyper itself, with our headers, and how much of it was sent.
    error_response: Option<(Vec<u8>, usize)>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, buffer));
        if buffer.filled().len() > before {
            self.watch.received();
        }
        Poll::Ready(read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // hyper answers unreadable requests itself, without calling the service.
        if this.error_response.is_none() && !this.watch.is_answering() {
            this.error_response = protected_head(bytes).map(|head| (head, 0));
        }
        let written = match &mut this.error_response {
            None => ready!(Pin::new(&mut this.stream).poll_write(context, bytes))?,
            Some((words, gone)) => {
                while *gone < words.len() {
                    match ready!(Pin::new(&mut this.stream).poll_write(context, &words[*gone..]))? {
                        0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                        more => *gone += more,
                    }
                }
                this.error_response = None;
                bytes.len()
            }
        };
        this.watch.sent();
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::HEADERS;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
    use tokio::sync::watch;
    use tokio::task::JoinHandle;

    const ASK: &str = "GET / HTTP/1.1\r\nhost: courant\r\n\r\n";
    const ASK_SLOWLY: &str = "GET /slow HTTP/1.1\r\nhost: courant\r\n\r\n";

    /// The client's end of a connection; the paused clock jumps ahead whenever all tasks are idle.
    struct Client {
        stream: DuplexStream,
        served: JoinHandle<()>,
        begun: Instant,
        stop: watch::Sender<bool>,
    }

    impl Client {
        fn connect() -> Self {
            let slow = async || {
                sleep(Duration::from_mins(5)).await;
                "at last"
            };
            let router = Router::new().route("/", get(async || "hello")).route("/slow", get(slow));
            let (stream, theirs) = tokio::io::duplex(64 << 10);
            let (stop, stopping) = watch::channel(false);
            let peer = "192.0.2.1:1".parse().unwrap();
            let served = tokio::spawn(serve(theirs, peer, router, Timeouts::default(), stopping));
            Self { stream, served, begun: Instant::now(), stop }
        }

        async fn say(&mut self, text: &str) {
            self.stream.write_all(text.as_bytes()).await.unwrap();
        }

        async fn heard(&mut self) -> String {
            let mut bytes = [0; 4096];
            let length = self.stream.read(&mut bytes).await.unwrap();
            String::from_utf8_lossy(&bytes[..length]).into_owned()
        }

        /// Seconds until the server closed the connection.
        async fn closed_after(self) -> u64 {
            self.served.await.unwrap();
            self.begun.elapsed().as_secs()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_incomplete_head_is_closed_after_ten_seconds() {
        assert_eq!(Client::connect().closed_after().await, 10, "nothing sent");
        let mut half = Client::connect();
        half.say("GET / HTTP/1.1\r\nhost: cou").await;
        assert_eq!(half.closed_after().await, 10, "half a head");
        let mut slow = Client::connect();
        for byte in ["G", "E", "T", " ", "/", " ", "H"] {
            slow.say(byte).await;
            sleep(Duration::from_secs(1)).await;
        }
        assert_eq!(slow.closed_after().await, 10, "a byte now and then");
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_closed_after_a_minute() {
        let mut client = Client::connect();
        client.say(ASK).await;
        assert!(client.heard().await.ends_with("hello"));
        sleep(Duration::from_secs(50)).await;
        client.say(ASK).await;
        assert!(client.heard().await.ends_with("hello"), "the connection is reused");
        assert_eq!(client.closed_after().await, 110);
        let mut client = Client::connect();
        client.say(ASK).await;
        client.heard().await;
        sleep(Duration::from_secs(30)).await;
        client.say("GET").await;
        assert_eq!(client.closed_after().await, 40, "half of a second request");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_waiting_for_a_response_is_not_closed() {
        let mut client = Client::connect();
        client.say(ASK_SLOWLY).await;
        assert!(client.heard().await.ends_with("at last"));
        assert_eq!(client.closed_after().await, 360);
    }

    /// A stop used to wait for every partial request.
    #[tokio::test(start_paused = true)]
    async fn a_partial_request_does_not_delay_a_stop() {
        for (said, expected) in [("", 1), ("GET / HTTP/1.1\r\nho", 1), (ASK, 1), (ASK_SLOWLY, 4)] {
            let mut client = Client::connect();
            client.say(said).await;
            sleep(Duration::from_secs(1)).await;
            client.stop.send(true).unwrap();
            assert_eq!(client.closed_after().await, expected, "{said:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_response_has_security_headers() {
        let long = format!("GET / HTTP/1.1\r\nhost: courant\r\nx: {}\r\n\r\n", "a".repeat(20 << 10));
        let cases = [
            (ASK, "HTTP/1.1 200"),
            ("GET /nowhere HTTP/1.1\r\nhost: courant\r\n\r\n", "HTTP/1.1 404"),
            ("POST / HTTP/1.1\r\nhost: courant\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 405"),
            ("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400"),
            ("GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", "HTTP/1.1 400"),
            // hyper answers these itself.
            ("GET / HTTP/1.1\r\nhost : \0\r\n\r\n", "HTTP/1.1 400"),
            ("nonsense\r\n\r\n", "HTTP/1.1 400"),
            (&long, "HTTP/1.1 431"),
        ];
        for (said, expected) in cases {
            let mut client = Client::connect();
            client.say(said).await;
            let heard = client.heard().await;
            assert!(heard.starts_with(expected), "{said:?}: {heard}");
            for (name, value) in HEADERS {
                assert_eq!(heard.matches(&format!("\r\n{name}: {value}\r\n")).count(), 1, "{said:?}, {name}: {heard}");
            }
            assert!(heard.contains("\r\n\r\n"), "{heard}");
        }
    }
}
