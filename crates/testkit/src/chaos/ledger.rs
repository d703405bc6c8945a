//! A publisher that never fails and keeps records: real HTTP on loopback, feeds whose documents only grow, and which
//! visitor was at which feed when.
//!
//! A document contains everything that its feed ever published, so that the next visit makes up for a lost one:
//! whatever happens to the visitors, what they store in the end must equal the ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use trial::Dice;

/// Its feeds are spread over this many addresses, each a rate group of its own.
const HOSTS: usize = 10;
/// The publishing interval of a feed.
const EVERY: Duration = Duration::from_millis(700);
/// The maximum delay of a response in milliseconds, so that faults happen during visits.
const LONGEST_ANSWER: usize = 40;

/// The publisher. Stops responding with its runtime.
#[derive(Clone)]
pub struct Ledger {
    port: u16,
    book: Arc<Mutex<Book>>,
}

struct Book {
    begun: Instant,
    dice: Dice,
    /// How many entries each feed has shown.
    shown: Vec<usize>,
    /// How many visits each visitor began.
    came: BTreeMap<String, usize>,
    visits: usize,
    /// Which visitors are at which feed.
    present: BTreeMap<usize, Vec<String>>,
    dead: BTreeSet<String>,
    together: Vec<String>,
    hold: Option<Hold>,
}

struct Hold {
    visitor: String,
    caught: oneshot::Sender<usize>,
    let_go: oneshot::Receiver<()>,
}

/// A visit whose response is held back until it is released.
pub struct Held {
    /// The feed, once a visitor was caught.
    pub at: oneshot::Receiver<usize>,
    /// Send, or drop, to respond.
    pub let_go: oneshot::Sender<()>,
}

impl Ledger {
    /// Begins to publish.
    pub async fn start(feeds: usize, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let port = listener.local_addr().expect("a bound listener has an address").port();
        let book = Arc::new(Mutex::new(Book {
            begun: Instant::now(),
            dice: Dice::new(seed),
            shown: vec![0; feeds],
            came: BTreeMap::new(),
            visits: 0,
            present: BTreeMap::new(),
            dead: BTreeSet::new(),
            together: Vec::new(),
            hold: None,
        }));
        let ledger = Self { port, book };
        tokio::spawn(ledger.clone().listen(listener));
        for host in 1..HOSTS {
            let listener = TcpListener::bind((host_address(host), port)).await.expect("the port is free there, too");
            tokio::spawn(ledger.clone().listen(listener));
        }
        ledger
    }

    /// The URLs of the feeds.
    pub fn urls(&self) -> Vec<String> {
        (0..self.book().shown.len())
            .map(|feed| format!("http://{}:{}/{feed}", host_address(feed % HOSTS), self.port))
            .collect()
    }

    /// All published titles.
    pub fn titles(&self) -> Vec<String> {
        let book = self.book();
        let of = |(feed, shown): (usize, &usize)| (0..*shown).map(move |k| title(feed, k)).collect::<Vec<_>>();
        book.shown.iter().enumerate().flat_map(of).collect()
    }

    /// How many visits a visitor has begun.
    pub fn came(&self, visitor: &str) -> usize {
        self.book().came.get(visitor).copied().unwrap_or(0)
    }

    /// How many visits were answered.
    pub fn visits(&self) -> usize {
        self.book().visits
    }

    /// How many visits are under way.
    pub fn under_way(&self) -> usize {
        self.book().present.values().map(Vec::len).sum()
    }

    /// Reports of two visitors at one feed.
    pub fn together(&self) -> Vec<String> {
        self.book().together.clone()
    }

    /// A visitor was killed: it is at no feed any more, and requests of it that still arrive are ignored.
    pub fn died(&self, visitor: &str) {
        let mut book = self.book();
        book.dead.insert(visitor.to_owned());
        book.present.values_mut().for_each(|present| present.retain(|name| name != visitor));
    }

    /// Its lease on a feed was ended on purpose: another visitor may come while it is still there.
    pub fn excuse(&self, visitor: &str, feed: usize) {
        self.ends(feed, visitor);
    }

    /// Holds back the response to the next visit of a visitor.
    pub fn hold(&self, visitor: &str) -> Held {
        let (caught, at) = oneshot::channel();
        let (let_go, going) = oneshot::channel();
        self.book().hold = Some(Hold { visitor: visitor.to_owned(), caught, let_go: going });
        Held { at, let_go }
    }

    async fn listen(self, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(self.clone().serve(stream));
        }
    }

    async fn serve(self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        while let Some(request) = request(&mut stream).await {
            let Some(feed) = request.feed.filter(|feed| *feed < self.book().shown.len()) else {
                if stream.get_mut().write_all(b"HTTP/1.1 404 x\r\ncontent-length: 0\r\n\r\n").await.is_err() {
                    return;
                }
                continue;
            };
            let (thinking, hold) = self.begins(feed, &request.visitor);
            let held = async {
                match hold {
                    Some(let_go) => drop(let_go.await),
                    None => tokio::time::sleep(thinking).await,
                }
            };
            let hung_up = tokio::select! {
                () = held => false,
                more = stream.fill_buf() => more.is_ok_and(<[u8]>::is_empty),
            };
            let answer = self.answer(feed, request.etag.as_deref());
            let written = !hung_up && stream.get_mut().write_all(answer.as_bytes()).await.is_ok();
            self.ends(feed, &request.visitor);
            if !written {
                return;
            }
        }
    }

    fn begins(&self, feed: usize, visitor: &str) -> (Duration, Option<oneshot::Receiver<()>>) {
        let mut book = self.book();
        *book.came.entry(visitor.to_owned()).or_default() += 1;
        if !book.dead.contains(visitor) {
            let here = book.present.entry(feed).or_default();
            let others: Vec<String> = here.iter().filter(|name| *name != visitor).cloned().collect();
            here.push(visitor.to_owned());
            book.together
                .extend(others.iter().map(|other| format!("{visitor} came to feed {feed} while {other} was there")));
        }
        let thinking = Duration::from_millis(book.dice.roll(LONGEST_ANSWER) as u64);
        let caught = book.hold.take_if(|hold| hold.visitor == visitor);
        let let_go = caught.and_then(|hold| hold.caught.send(feed).is_ok().then_some(hold.let_go));
        (thinking, let_go)
    }

    fn ends(&self, feed: usize, visitor: &str) {
        if let Some(present) = self.book().present.get_mut(&feed)
            && let Some(place) = present.iter().position(|name| name == visitor)
        {
            present.remove(place);
        }
    }

    fn answer(&self, feed: usize, etag: Option<&str>) -> String {
        let mut book = self.book();
        book.visits += 1;
        let published = 1 + (book.begun.elapsed().as_millis() / EVERY.as_millis()) as usize;
        let shown = published.max(book.shown[feed]);
        book.shown[feed] = shown;
        drop(book);
        let tag = format!("\"{shown}\"");
        if etag == Some(tag.as_str()) {
            return format!("HTTP/1.1 304 Not Modified\r\netag: {tag}\r\n\r\n");
        }
        let mut body = format!("<rss version='2.0'><channel><title>feed {feed}</title>");
        for k in 0..shown {
            let title = title(feed, k);
            let _ = write!(body, "<item><guid isPermaLink='false'>{title}</guid><title>{title}</title></item>");
        }
        body.push_str("</channel></rss>");
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\netag: {tag}\r\n");
        format!("{head}content-length: {}\r\n\r\n{body}", body.len())
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn host_address(host: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, host as u8 + 1)
}

fn title(feed: usize, k: usize) -> String {
    format!("entry {k} of feed {feed}")
}

struct Request {
    feed: Option<usize>,
    /// The host of its contact URL: every worker has its own.
    visitor: String,
    etag: Option<String>,
}

async fn request(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
    let path = line.split_whitespace().nth(1)?;
    let mut request = Request { feed: path.trim_start_matches('/').parse().ok(), visitor: String::new(), etag: None };
    loop {
        let mut field = String::new();
        stream.read_line(&mut field).await.ok().filter(|read| *read > 0)?;
        let Some((name, value)) = field.trim_end().split_once(':') else { return Some(request) };
        match name.to_ascii_lowercase().as_str() {
            "user-agent" => {
                let contact = value.split("+https://").nth(1).unwrap_or_default();
                contact.split('.').next().unwrap_or_default().clone_into(&mut request.visitor);
            }
            "if-none-match" => request.etag = Some(value.trim().to_owned()),
            _ => {}
        }
    }
}
