//! During a local network outage no feed is blamed; when one publisher is down, only that one is. On a network inside
//! the test that can be disconnected: nothing is dialled.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fetch::{Dialled, Fetch, Network, Options, Promise};
use jiff::SignedDuration;
use model::{FeedId, Viewer};
use store::FeedName;
use testkit::World;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// Hosts called `dead…` never respond, `cursed…` cause a panic; the others respond while the network is connected.
#[derive(Default)]
struct Cable {
    plugged_in: AtomicBool,
    /// Out of file descriptors.
    no_files: AtomicBool,
    /// When a name was resolved.
    asked: Mutex<Vec<Instant>>,
    told: Notify,
}

impl Network for Cable {
    fn resolve<'a>(&'a self, name: &'a str) -> Promise<'a, Vec<IpAddr>> {
        assert!(!name.starts_with("cursed"), "{name} must not be spoken of");
        self.asked.lock().unwrap().push(Instant::now());
        self.told.notify_one();
        let there = self.plugged_in.load(Ordering::Relaxed) && !name.starts_with("dead");
        Box::pin(async move {
            if there { Ok(vec!["93.184.216.34".parse().unwrap()]) } else { Err(io::Error::other("no response")) }
        })
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        let no_files = self.no_files.load(Ordering::Relaxed);
        Box::pin(async move {
            if no_files {
                return Err(io::Error::from_raw_os_error(rustix::io::Errno::MFILE.raw_os_error()));
            }
            let (ours, mut theirs) = tokio::io::duplex(64 << 10);
            tokio::spawn(async move {
                let mut request = [0; 4096];
                // One response per connection: a reused one would survive the outage.
                if matches!(theirs.read(&mut request).await, Ok(1..)) {
                    let feed = "<rss version='2.0'><channel><title>x</title></channel></rss>";
                    let head =
                        format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", feed.len());
                    let _ = theirs.write_all(format!("{head}{feed}").as_bytes()).await;
                }
            });
            Ok(Dialled { stream: Box::new(ours), peer: address })
        })
    }
}

struct Scene {
    world: World,
    cable: Arc<Cable>,
    feeds: Vec<FeedId>,
    dead: FeedId,
}

async fn scene() -> Scene {
    let mut world = World::simulated().await;
    let cable = Arc::new(Cable { plugged_in: AtomicBool::new(true), ..Cable::default() });
    world.reach_by(Fetch::with_network(Options::default(), Arc::clone(&cable) as Arc<dyn Network>).unwrap());
    let mut feeds = Vec::new();
    for n in 0..12 {
        feeds.push(world.add_url(&format!("http://host{n}.example{n}.org/feed")).await);
    }
    let dead = world.add_url("http://dead.example.net/feed").await;
    Scene { world, cable, feeds, dead }
}

impl Scene {
    async fn failures(&self, feed: FeedId) -> u32 {
        self.world.engine.store().feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap().failures
    }

    async fn blamed(&self) -> usize {
        let mut blamed = 0;
        for feed in &self.feeds {
            blamed += usize::from(self.failures(*feed).await > 0);
        }
        blamed
    }
}

#[tokio::test]
async fn a_local_outage_is_not_counted_against_feeds() {
    let scene = scene().await;
    scene.world.run_until_idle().await;
    assert_eq!(
        (scene.blamed().await, scene.failures(scene.dead).await),
        (0, 1),
        "one publisher is dead, and it is theirs"
    );

    scene.cable.plugged_in.store(false, Ordering::Relaxed);
    scene.world.advance(MINUTE * 180);
    for _ in 0..30 {
        scene.world.run_until_idle().await;
        scene.world.advance(MINUTE);
    }
    assert_eq!(scene.blamed().await, 0, "whoever failed before we knew was forgiven");
    for feed in &scene.feeds {
        let status = scene.world.engine.store().feed(Viewer::Operator, &FeedName::Id(*feed)).await.unwrap();
        assert_eq!(status.last_error, None);
        assert!(status.due_at.unwrap() <= scene.world.now() + MINUTE, "tried again soon: {status:?}");
    }

    scene.cable.plugged_in.store(true, Ordering::Relaxed);
    scene.world.advance(MINUTE);
    let done = scene.world.run_until_idle().await;
    let visited = done.iter().filter(|(_, done)| done.result == model::visit::VisitResult::Unchanged).count();
    assert_eq!(visited, scene.feeds.len(), "everybody is visited once the cable is in again: {done:?}");
    assert_eq!(scene.blamed().await, 0);
}

/// Regression: client connections, or a low limit, can use up the file descriptors of a process: every visit failed,
/// which looked like an outage of the network, or was counted against the feeds.
#[tokio::test]
async fn a_lack_of_files_is_neither_an_outage_nor_a_failure() {
    let scene = scene().await;
    scene.world.run_until_idle().await;
    scene.cable.no_files.store(true, Ordering::Relaxed);
    scene.world.advance(MINUTE * 180);
    for _ in 0..5 {
        scene.world.run_until_idle().await;
        scene.world.advance(MINUTE);
    }
    assert_eq!(scene.blamed().await, 0);
    let page = web::figures(&scene.world.engine.metrics(), &testkit::enrich_of(&scene.world.engine)).await;
    assert!(page.text().contains("\ncourant_network_away 0\n"), "{}", page.text());
    for feed in &scene.feeds {
        let status = scene.world.engine.store().feed(Viewer::Operator, &FeedName::Id(*feed)).await.unwrap();
        assert_eq!(status.last_error, None);
        assert!(status.due_at.unwrap() <= scene.world.now() + MINUTE, "tried again soon: {status:?}");
    }
    scene.cable.no_files.store(false, Ordering::Relaxed);
    scene.world.advance(MINUTE);
    let done = scene.world.run_until_idle().await;
    let visited = done.iter().filter(|(_, done)| done.result == model::visit::VisitResult::Unchanged).count();
    assert_eq!(visited, scene.feeds.len(), "{done:?}");
}

#[tokio::test]
async fn many_feeds_of_one_dead_publisher_are_not_an_outage() {
    let scene = scene().await;
    for n in 0..20 {
        scene.world.add_url(&format!("http://dead.example.com/{n}")).await;
    }
    for _ in 0..3 {
        scene.world.run_until_idle().await;
        scene.world.advance(MINUTE * 180);
    }
    let dead = scene
        .world
        .engine
        .store()
        .feed(Viewer::Operator, &FeedName::Url("http://dead.example.com/7".into()))
        .await
        .unwrap();
    assert!(dead.failures >= 2, "{dead:?}");
    assert_eq!(scene.blamed().await, 0);
}

/// Regression: each attempt woke the loop for the next: all feeds were tried and postponed one after the other during
/// the outage.
#[tokio::test(start_paused = true)]
async fn attempts_during_an_outage_are_spaced() {
    let scene = scene().await;
    scene.world.run_until_idle().await;
    scene.cable.plugged_in.store(false, Ordering::Relaxed);
    scene.world.advance(MINUTE * 180);
    scene.world.run_until_idle().await;
    scene.world.advance(MINUTE * 2);
    scene.cable.asked.lock().unwrap().clear();

    let (stop, stopping) = watch::channel(false);
    let running = tokio::spawn(engine::run(scene.world.engine.clone(), stopping));
    let attempts = loop {
        scene.cable.told.notified().await;
        let asked = scene.cable.asked.lock().unwrap().clone();
        if asked.len() > 3 {
            break asked;
        }
    };
    stop.send(true).unwrap();
    running.await.unwrap();
    for (one, next) in attempts.iter().zip(&attempts[1..]) {
        assert!(next.duration_since(*one) >= Duration::from_secs(10), "{attempts:?}");
    }
}

/// Regression: the lease of a visit that panicked was renewed until the process ended: the feed was never visited
/// again, and nothing showed why.
#[tokio::test]
async fn a_visit_that_panics_is_a_failed_visit() {
    let scene = scene().await;
    let cursed = scene.world.add_url("http://cursed.example.net/feed").await;
    scene.world.run_until_idle().await;
    let status = scene.world.engine.store().feed(Viewer::Operator, &FeedName::Id(cursed)).await.unwrap();
    let error = status.last_error.unwrap_or_default();
    assert!(error.contains("which is a defect to report: cursed.example.net must not be spoken of"), "{error}");
    assert!(status.due_at.unwrap() > scene.world.now(), "it is tried again later");
    assert_eq!((status.failures, scene.blamed().await), (1, 0), "and costs nobody else anything");
    let page = web::figures(&scene.world.engine.metrics(), &testkit::enrich_of(&scene.world.engine)).await;
    assert!(page.text().contains("\ncourant_visit_panics_total 1\n"), "{}", page.text());
}
