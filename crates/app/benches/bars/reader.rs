//! P6, P7 and A-11 over HTTP: the reader's lists, counts, searches and "mark all as read", asked of the real binary on a
//! database with a million posts, for a user of all its feeds and for a user of five.
//!
//! Lists are compared with SQL written by hand for the same page, in turns, so that other load on the machine affects
//! both. Sizes are compared in the same way: two servers, asked in turns. `seed` makes the databases, once.

mod busy;
mod by_hand;
mod client;
mod read_state;
mod seed;
mod times;

use std::path::{Path, PathBuf};

use trial::{Bar, figure, remark};

use crate::Bench;
use crate::ours::{Ours, Serving};
use by_hand::{ByHand, List};
use client::Client;
use read_state::Unread;
use seed::{FEW, OWNER, Size};
use times::{Times, in_turns};

/// What can be asked for alone, by `--only`.
pub(crate) const STEPS: [&str; 4] = ["lists", "logins", "sizes", "ingest"];
/// How many posts there are, and what a tenth or a hundredth of them is compared with.
const POSTS: usize = 1_000_000;
const POSTS_WHEN_QUICK: usize = 100_000;
/// The larger database has this many times the posts.
const LARGER: usize = 10;
/// "Mark all as read" and its undo.
const SWEEPS: usize = 40;

pub(crate) fn run(bench: &Bench) {
    let posts = bench.asked.posts.unwrap_or(if bench.asked.quick { POSTS_WHEN_QUICK } else { POSTS });
    let size = Size { feeds: bench.asked.feeds, posts };
    let within = bench.directory.parent().expect("the directory of runs lies in that of benchmarks");
    let data = seed::write(within, size);
    let times = if bench.asked.quick { 100 } else { 500 };
    let wants = |step| bench.asked.wants(step);
    for unread in Unread::ALL.into_iter().filter(|_| wants("lists")) {
        lists(&data, size, unread, times);
    }
    if wants("logins") {
        busy::logins(&Site::start(&data, size, Unread::Some), times);
    }
    if !bench.asked.quick && wants("sizes") {
        let larger = Size { posts: LARGER * posts, ..size };
        sizes([&data, &seed::write(within, larger)], [size, larger], times);
    }
    if wants("ingest") {
        busy::ingest(bench);
    }
}

/// A server on a database, and somebody who is logged in for each of its users.
pub(crate) struct Site {
    ours: Ours,
    size: Size,
    serving: Serving,
    owner: Client,
    few: Client,
}

impl Site {
    /// Sets what the users have read, and serves.
    fn start(data: &Path, size: Size, unread: Unread) -> Self {
        let ours = Ours::at(data.to_owned());
        read_state::set(&ours.database_file(), unread);
        let keys = [OWNER, FEW].map(|user| ours.key_of(user));
        let serving = ours.serve_only("api");
        let [owner, few] = keys.map(|key| Client::connect(serving.address(), &key));
        Self { ours, size, serving, owner, few }
    }

    fn database(&self) -> PathBuf {
        self.ours.database_file()
    }
}

/// What a page costs beside its SQL, and whether feeds, searches and sweeps keep their time.
fn lists(data: &Path, size: Size, unread: Unread, times: usize) {
    let mut site = Site::start(data, size, unread);
    let database = site.database();
    println!("-- {} feeds, {} posts, {} of them unread", size.feeds, size.posts, unread.share());
    for (user, feeds) in [(OWNER, size.feeds), (FEW, seed::FEW_FEEDS)] {
        for list in [List::Unread, List::All] {
            let client = if user == OWNER { &mut site.owner } else { &mut site.few };
            let hand = ByHand::best(&database, user, list);
            let (ours, sql) = in_turns(times, || client.get(list.path()), || hand.page());
            let (_, rows) = in_turns(1, || client.get(list.path()), || hand.page_without_total());
            let what = format!("{}, {feeds} feeds, {} unread: p99 over SQL by hand", list.path(), unread.share());
            let note = format!("{ours}; by hand ({}) {sql}, without its total {:.2} ms", hand.way(), rows.middle());
            figure("P6", &what, ours.p99() / sql.p99(), Bar::AtMost(3.0), &note);
        }
    }
    let client = &mut site.owner;
    let mut within = |name: &str, what: &str, path: &str, limit: f64| {
        let times = Times::of(times, || client.get(path));
        let what = format!("{what}, {} unread: p99, ms", unread.share());
        figure(name, &what, times.p99(), Bar::AtMost(limit), &format!("{times}; {} feeds", size.feeds));
    };
    within("P6", "/api/feeds", "/api/feeds", 15.0);
    let common = seed::word(0);
    within("P7", "/api/search, common word", &format!("/api/search?q={common}"), 20.0);
    within("P7", "/api/search, common word and is:unread", &format!("/api/search?q={common}%20is:unread"), 20.0);
    within("P7", "/api/search, is:unread", "/api/search?q=is:unread", 20.0);
    // Ten thousand hits all over the years: the most that a search has to look at.
    let usual = seed::word(100);
    within("P7", "/api/search, word of one post in twenty", &format!("/api/search?q={usual}"), 20.0);
    within("P7", "/api/search, the same and is:unread", &format!("/api/search?q={usual}%20is:unread"), 20.0);
    within("P7", "/api/search, rare word", &format!("/api/search?q={}", seed::word(10_000)), 20.0);
    let (marking, undoing, marked) = sweeps(client, SWEEPS);
    for (what, times) in [("mark all as read", marking), ("undo it", undoing)] {
        let what = format!("{what}, {} unread: p99, ms", unread.share());
        figure("P6", &what, times.p99(), Bar::AtMost(50.0), &format!("{times}; {marked} posts became read"));
    }
    site.serving.stop();
}

/// "Mark all as read" and its undo, in turns, and how many posts each marks.
fn sweeps(client: &mut Client, rounds: usize) -> (Times, Times, u64) {
    let (mut marking, mut undoing, mut marked) = (Times::default(), Times::default(), 0);
    for _ in 0..rounds {
        let swept = marking.time(|| client.post("/api/posts/mark-read", r#"{"all":true}"#));
        marked = swept["marked"].as_u64().expect("a number");
        let wish = serde_json::json!({ "undo": swept["undo"] }).to_string();
        let undone = undoing.time(|| client.post("/api/posts/mark-read/undo", &wish));
        assert_eq!(undone["restored"].as_u64(), Some(marked), "what was marked is unread again");
    }
    (marking, undoing, marked)
}

/// Whether ten times the posts cost the same.
fn sizes(data: [&Path; 2], sizes: [Size; 2], times: usize) {
    for unread in Unread::ALL {
        let [mut small, mut large] = [0, 1].map(|i| Site::start(data[i], sizes[i], unread));
        println!("-- {} and {} posts, {} of them unread", small.size.posts, large.size.posts, unread.share());
        let told = |what: &str, small: &Times, large: &Times| {
            let what = format!("{what}, {} unread: p99 over that of a tenth of the posts", unread.share());
            let note = format!("{large}; of a tenth {small}");
            figure("P6", &what, large.p99() / small.p99(), Bar::AtMost(1.3), &note);
            remark("reader", &what.replace("p99 over", "p50 over"), large.middle() / small.middle(), "");
        };
        for path in [List::Unread.path(), List::All.path(), "/api/feeds"] {
            let (a, b) = in_turns(times, || small.owner.get(path), || large.owner.get(path));
            told(path, &a, &b);
        }
        let path = List::Unread.path();
        let (a, b) = in_turns(times, || small.few.get(path), || large.few.get(path));
        told(&format!("{path}, five feeds"), &a, &b);
        let [a, b] = [&mut small, &mut large].map(|site| sweeps(&mut site.owner, SWEEPS));
        told("mark all as read", &a.0, &b.0);
        told("undo it", &a.1, &b.1);
        small.serving.stop();
        large.serving.stop();
    }
}
