//! what a reader notices of the rest: of a cold ingest of the whole world, and of twenty logins at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use trial::{Bar, figure};

use super::Site;
use super::by_hand::List;
use super::client::Client;
use super::seed::{FEW, OWNER, PASSWORD};
use super::times::Times;
use crate::Bench;
use crate::ours::Ours;

const LOGINS: usize = 20;
/// Between two requests of one client, who also reads.
const PAUSE: Duration = Duration::from_millis(5);
/// The ingest and its index have to be done by then.
const PATIENCE: Duration = Duration::from_mins(10);
const PATHS: [&str; 2] = ["/api/posts", "/api/feeds"];

/// Twenty clients log in again and again while another one reads.
pub(super) fn logins(site: &Site, times: usize) {
    let address = site.serving.address().to_owned();
    let mut client = Client::connect(&address, &site.ours.key_of(OWNER));
    let path = List::Unread.path();
    let mut ask = || {
        thread::sleep(PAUSE);
        let mut time = Times::default();
        time.time(|| client.get(path));
        time.middle()
    };
    let idle: Times = (0..times).map(|_| ask()).collect();
    let (done, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    let wish = serde_json::json!({ "username": FEW, "password": PASSWORD }).to_string();
    let busy: Times = thread::scope(|scope| {
        for _ in 0..LOGINS {
            scope.spawn(|| {
                let mut client = Client::connect(&address, "");
                while !done.load(Ordering::Relaxed) {
                    client.post("/api/auth/login", &wish);
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let busy = (0..times).map(|_| ask()).collect();
        done.store(true, Ordering::Relaxed);
        busy
    });
    let logins = count.load(Ordering::Relaxed);
    let note = format!("{busy}; idle {idle}; {logins} logins, {LOGINS} at once");
    figure("A-11", &format!("{path} during logins: p99 over idle"), busy.p99() / idle.p99(), Bar::AtMost(2.0), &note);
}

/// The world is visited for the first time while somebody reads.
pub(super) fn ingest(bench: &Bench) {
    let ours = Ours::in_directory(bench.directory.join("reader-ingest"));
    bench.origin.serve_version(0);
    ours.import(&bench.world.join("world.opml"));
    let key = ours.key_of(OWNER);
    bench.origin.seen();
    let begun = Instant::now();
    let (serving, _) = ours.serve();
    let mut client = Client::connect(serving.address(), &key);
    let mut busy = [Times::default(), Times::default()];
    while bench.origin.answered() < bench.asked.feeds {
        assert!(begun.elapsed() < PATIENCE, "the world is never visited");
        read_some(&mut client, &mut busy, 20);
    }
    let took = begun.elapsed().as_secs_f64();
    while !is_indexed(&ours) {
        assert!(begun.elapsed() < PATIENCE, "the index is never done");
        thread::sleep(Duration::from_millis(200));
    }
    thread::sleep(Duration::from_secs(5));
    let mut idle = [Times::default(), Times::default()];
    read_some(&mut client, &mut idle, busy[0].len().max(500));
    for ((path, busy), idle) in PATHS.iter().zip(&busy).zip(&idle) {
        let what = format!("{path} during a cold ingest: p99 over idle");
        let note = format!(
            "{busy}; idle {idle}; {} requests while {} feeds were visited in {took:.1} s",
            busy.len(),
            bench.asked.feeds
        );
        figure("A-11", &what, busy.p99() / idle.p99(), Bar::AtMost(2.0), &note);
    }
    serving.stop();
    std::fs::remove_dir_all(&ours.directory).expect("what is no longer needed can go");
}

fn read_some(client: &mut Client, times: &mut [Times; 2], count: usize) {
    for _ in 0..count {
        for (path, times) in PATHS.iter().zip(times.iter_mut()) {
            thread::sleep(PAUSE);
            times.time(|| client.get(path));
        }
    }
}

/// Whether the search index knows every entry.
fn is_indexed(ours: &Ours) -> bool {
    let number = |file: &str, sql: &str| -> Option<i64> {
        let path = ours.directory.join(file);
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
        connection.query_row(sql, [], |row| row.get(0)).ok()
    };
    let arrived = number("courant.db", "SELECT entries FROM arrival");
    arrived.is_some() && arrived == number("search.db", "SELECT upto FROM search_state")
}
