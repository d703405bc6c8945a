//! P9, throughput: four workers on one PostgreSQL compared with one worker, with slow responses. This measures waiting,
//! so wall time counts; on a busy machine four workers look worse than they are.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use store::{Address, NewFeed, Options, Store};
use trial::{Bar, figure, unmeasured};

use crate::Bench;
use crate::origin::addresses;
use crate::ours::{Ours, Serving};

const WHAT: &str = "visits in a second, 4 workers over 1";
const BAR: Bar = Bar::AtLeast(3.0);
const AT_ONCE: usize = 32;
const LATENCY_MILLISECONDS: usize = 500;
const PATIENCE: Duration = Duration::from_mins(5);
/// How many visits per concurrency slot of a worker.
const TURNS: usize = 20;

pub(crate) fn run(bench: &Bench) {
    if std::env::var_os("COURANT_TEST_POSTGRES").is_none() {
        unmeasured("P9", WHAT, BAR, "no PostgreSQL: run by `cargo xtask bench` or `cargo xtask services`");
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let turns = if bench.asked.quick { TURNS / 4 } else { TURNS };
    let one = runtime.block_on(rate(bench, 1, turns));
    let four = runtime.block_on(rate(bench, 4, turns));
    println!("1 worker {one:.0}, 4 workers {four:.0} visits in a second");
    let most = AT_ONCE * 1000 / LATENCY_MILLISECONDS;
    let note = format!(
        "{one:.0} and {four:.0} in a second; {LATENCY_MILLISECONDS} ms of latency, {AT_ONCE} at once: {most} and {} are the most there can be",
        4 * most
    );
    figure("P9", WHAT, four / one, BAR, &note);
}

async fn rate(bench: &Bench, workers: usize, turns: usize) -> f64 {
    let database = testkit::services::postgres().await;
    let feeds = workers * AT_ONCE * turns;
    add(bench, database.url(), feeds).await;
    bench.origin.seen();
    let running: Vec<Serving> = (0..workers)
        .map(|n| Ours::in_directory(bench.directory.join(format!("worker{n}"))).on(database.url()).worker(AT_ONCE))
        .collect();
    let begun = Instant::now();
    while bench.origin.answered() < feeds {
        assert!(begun.elapsed() < PATIENCE, "the workers do not come to an end");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    let seen = bench.origin.seen();
    running.into_iter().for_each(Serving::stop);
    seen.rate()
}

async fn add(bench: &Bench, database: &str, feeds: usize) {
    let now = Timestamp::now();
    let hosts = addresses(&bench.world);
    let store = Store::open(&Address::parse(database).expect("an address of ours"), &Options::at(now)).await;
    let store = store.expect("the database opens");
    let feed = |n: usize| {
        let host = hosts[n % hosts.len()].to_string();
        let url = format!("http://{host}/late/{LATENCY_MILLISECONDS}/{n}");
        NewFeed::public(uuid::Uuid::from_u128(n as u128 + 1), url, host, now)
    };
    store.add_feeds((0..feeds).map(feed).collect(), now).await.expect("feeds can be added");
    store.close(now).await.expect("the database closes");
}
