//! Thirty days of visits, as publishers saw them: with restarts, redirects, weak ETags, cookies, and a Retry-After of
//! seven days. None of them has an objection.

use jiff::{SignedDuration, Timestamp};
use std::fmt::Write as _;
use testkit::etiquette::{Manners, objections};
use testkit::{Origin, Response, World, rss};

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const MANNERS: Manners = Manners { spacing: SignedDuration::from_secs(1), interval: SignedDuration::from_mins(5) };

/// The document of a feed that posts every `every` hours.
fn posts(now: Timestamp, every: i64) -> Response {
    let count = now.duration_since(testkit::world::beginning()).as_hours() / every;
    let titles: Vec<String> = (count.max(10) - 10..=count).map(|n| n.to_string()).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    rss(&titles)
}

/// The same without an ETag, so that a script may give another.
fn posts_without(now: Timestamp, every: i64) -> Response {
    posts(now, every).without("etag")
}

fn script(one: &Origin, two: &Origin) {
    one.live("/strong", |now| posts(now, 3));
    one.live("/weak", |now| {
        let version = now.as_second() / 3600 / 7;
        posts_without(now, 7).with("etag", &format!("W/\"{version}-gzip;x\""))
    });
    one.live("/dated", |now| {
        let version = now.as_second() / 3600 / 11;
        posts_without(now, 11).with("last-modified", &format!("build {version}, not even a date"))
    });
    one.live("/query?format=rss&b=%C3%BC+1", |now| posts(now, 24));
    one.live("/cookies", |now| posts(now, 13).with("set-cookie", "session=1; Path=/"));
    let elsewhere = two.url("/moved");
    one.live("/moved", move |_| Response::moved_to(&elsewhere));
    let mirror = two.url("/mirror");
    one.live("/temporary", move |_| Response::status(302).with("location", &mirror));
    two.live("/moved", |now| posts(now, 5));
    two.live("/mirror", |now| posts(now, 6));
    // Now and then a server asks for a pause: for an hour, until a time, for a week.
    let mut calls = 0;
    two.live("/busy", move |now| {
        calls += 1;
        match calls {
            5 => Response::status(429).with("retry-after", "3600"),
            9 => {
                let until = (now + HOUR * 2).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
                Response::status(503).with("retry-after", &until)
            }
            20 => Response::status(429).with("retry-after", "604800"),
            _ => posts(now, 4),
        }
    });
    let mut calls = 0;
    two.live("/flaky", move |now| {
        calls += 1;
        if calls % 4 == 0 { Response::status(500) } else { posts(now, 8) }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_days_without_objections() {
    let mut world = World::simulated().await;
    world.configure(|options| options.pace = engine::Options::paced(1.0, 2));
    let two = world.another_origin().await;
    script(&world.origin, &two);
    for path in ["/strong", "/weak", "/dated", "/query?format=rss&b=%C3%BC+1", "/cookies", "/moved", "/temporary"] {
        world.add(path).await;
    }
    for path in ["/busy", "/flaky"] {
        world.add_url(&two.url(path)).await;
    }
    let end = world.now() + HOUR * 24 * 30;
    let mut restart_at = world.now() + HOUR * 5;
    let mut restarts = 0;
    while world.now() < end {
        if world.now() >= restart_at {
            // During its work: its leases stay until they expire.
            let now = world.now();
            world.engine.store().unscoped().claim_due(world.engine.worker(), now, now + HOUR / 30, 3).await.unwrap();
            restarts += 1;
            world.restart(&format!("world {restarts}"));
            restart_at = world.now() + HOUR * 41;
        }
        world.run_until_idle().await;
        let next = world.engine.store().next_due().await.unwrap().unwrap();
        world.advance(next.duration_since(world.now()).max(SignedDuration::from_secs(1)));
    }
    let mut report = String::new();
    for origin in [&world.origin, &two] {
        let log = origin.requests();
        let count = |status| log.iter().filter(|seen| seen.status == status).count();
        assert!(log.len() > 500, "only {} requests: the test looked at nothing", log.len());
        assert!(count(304) > 100, "conditional requests are what is tested");
        let wrong = objections(&log, MANNERS);
        let _ = writeln!(report, "{} requests, {} of them 304, {} objections", log.len(), count(304), wrong.len());
        assert!(wrong.is_empty(), "{report}{}", wrong[..wrong.len().min(20)].join("\n"));
    }
    assert!(restarts > 15, "{restarts} restarts");
    let busy = two.requests().iter().filter(|seen| matches!(seen.status, 429 | 503)).count();
    assert_eq!(busy, 3, "the origin asked three times to be left alone");
    println!("{report}{restarts} restarts");
}
