//! One connection of a client, from its first byte to its last. Who sends no whole head in time, or for long neither
//! reads nor writes, is closed; whoever waits for an answer is not. `listener` makes them; what is answered is in
//! `answer`. Time is tokio's, so that tests can move it.

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
    /// For the head of a request, from the connection or from its first byte.
    pub head: Duration,
    /// Between two requests, and to take in an answer, without a byte in either direction.
    pub idle: Duration,
    /// For an answer that is under way, when the server stops.
    pub grace: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { head: Duration::from_secs(10), idle: Duration::from_mins(1), grace: Duration::from_secs(3) }
    }
}

/// More of a head is refused with 431.
const HEAD_BYTES: usize = 16 << 10;

/// Answers the requests of one connection until it is closed by either side.
pub(crate) async fn converse<S>(stream: S, peer: SocketAddr, router: Router, timeouts: Timeouts, mut stop: Stop)
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
    let io = TokioIo::new(Watched { stream, watch: Arc::clone(&watch), own_words: None });
    let mut connection = pin!(http1::Builder::new().max_buf_size(HEAD_BYTES).serve_connection(io, service));
    tokio::select! {
        // First, so that what has arrived is looked at before it is judged.
        biased;
        _ = connection.as_mut() => return,
        () = watch.overdue() => return,
        _ = stop.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    // Half a request would be waited for until its head is overdue.
    if !watch.is_half_asked() {
        tokio::select! {
            _ = connection => {}
            () = sleep(timeouts.grace) => {}
        }
    }
}

/// What a connection is at.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// Waiting for the head of a request since this moment.
    Head(Instant),
    /// A handler is at it, and has its own bounds.
    Answering,
    /// The answer is made; the last byte moved at this moment.
    Idle(Instant),
}

/// What is known of a connection by those who move its bytes and by whoever closes it.
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

    /// Bytes came.
    fn received(&self) {
        if matches!(*self.lock(), Stage::Idle(_)) {
            self.enter(Stage::Head(Instant::now()));
        }
    }

    /// Bytes went.
    fn sent(&self) {
        if let Stage::Idle(since) = &mut *self.lock() {
            *since = Instant::now();
        }
    }

    fn is_answering(&self) -> bool {
        matches!(*self.lock(), Stage::Answering)
    }

    fn is_half_asked(&self) -> bool {
        matches!(*self.lock(), Stage::Head(_))
    }

    fn deadline(&self) -> Option<Instant> {
        match *self.lock() {
            Stage::Head(since) => Some(since + self.timeouts.head),
            Stage::Idle(since) => Some(since + self.timeouts.idle),
            Stage::Answering => None,
        }
    }

    /// Ends when the client has taken too long.
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

/// The bytes of a connection, telling `Watch` when they move.
struct Watched<S> {
    stream: S,
    watch: Arc<Watch>,
    /// An answer that hyper gave by itself, with our headers, and how much of it has gone.
    own_words: Option<(Vec<u8>, usize)>,
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
        // What cannot be read as a request hyper answers by itself, without asking the service.
        if this.own_words.is_none() && !this.watch.is_answering() {
            this.own_words = protected_head(bytes).map(|head| (head, 0));
        }
        let written = match &mut this.own_words {
            None => ready!(Pin::new(&mut this.stream).poll_write(context, bytes))?,
            Some((words, gone)) => {
                while *gone < words.len() {
                    match ready!(Pin::new(&mut this.stream).poll_write(context, &words[*gone..]))? {
                        0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                        more => *gone += more,
                    }
                }
                this.own_words = None;
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

    /// A client's end of a connection to a server whose clock jumps ahead whenever nothing happens.
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
            let served = tokio::spawn(converse(theirs, peer, router, Timeouts::default(), stopping));
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

        /// After how many seconds the server hung up.
        async fn closed_after(self) -> u64 {
            self.served.await.unwrap();
            self.begun.elapsed().as_secs()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_sends_no_whole_head_is_closed_after_ten_seconds() {
        assert_eq!(Client::connect().closed_after().await, 10, "nothing at all");
        let mut half = Client::connect();
        half.say("GET / HTTP/1.1\r\nhost: cou").await;
        assert_eq!(half.closed_after().await, 10, "half of it");
        let mut slow = Client::connect();
        for byte in ["G", "E", "T", " ", "/", " ", "H"] {
            slow.say(byte).await;
            sleep(Duration::from_secs(1)).await;
        }
        assert_eq!(slow.closed_after().await, 10, "a byte now and then");
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_nothing_more_is_closed_after_a_minute() {
        let mut client = Client::connect();
        client.say(ASK).await;
        assert!(client.heard().await.ends_with("hello"));
        sleep(Duration::from_secs(50)).await;
        client.say(ASK).await;
        assert!(client.heard().await.ends_with("hello"), "a connection is kept");
        assert_eq!(client.closed_after().await, 110);
        let mut client = Client::connect();
        client.say(ASK).await;
        client.heard().await;
        sleep(Duration::from_secs(30)).await;
        client.say("GET").await;
        assert_eq!(client.closed_after().await, 40, "half of a second request");
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_for_an_answer_is_not_closed() {
        let mut client = Client::connect();
        client.say(ASK_SLOWLY).await;
        assert!(client.heard().await.ends_with("at last"));
        assert_eq!(client.closed_after().await, 360);
    }

    /// A stop waited for every half request.
    #[tokio::test(start_paused = true)]
    async fn half_a_request_does_not_delay_a_stop() {
        for (said, expected) in [("", 1), ("GET / HTTP/1.1\r\nho", 1), (ASK, 1), (ASK_SLOWLY, 4)] {
            let mut client = Client::connect();
            client.say(said).await;
            sleep(Duration::from_secs(1)).await;
            client.stop.send(true).unwrap();
            assert_eq!(client.closed_after().await, expected, "{said:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_answer_tells_browsers_what_they_may_do() {
        let long = format!("GET / HTTP/1.1\r\nhost: courant\r\nx: {}\r\n\r\n", "a".repeat(20 << 10));
        let cases = [
            (ASK, "HTTP/1.1 200"),
            ("GET /nowhere HTTP/1.1\r\nhost: courant\r\n\r\n", "HTTP/1.1 404"),
            ("POST / HTTP/1.1\r\nhost: courant\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 405"),
            ("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400"),
            ("GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", "HTTP/1.1 400"),
            // These hyper answers by itself.
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
