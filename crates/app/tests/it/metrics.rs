//! `/metrics`: the metrics are true, readable for Prometheus, and only for allowed addresses.

use testkit::services::promtool;
use testkit::{Origin, Response, World, rss};

use crate::serve::{Server, eventually, get, program};

/// The value of a line, by name and label.
fn value(page: &str, name: &str) -> f64 {
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} is not there:\n{page}"))
}

fn check(page: &str, expected: &[(&str, f64)]) {
    for (name, expected) in expected {
        let found = value(page, name);
        assert!((found - expected).abs() < 1e-9, "{name} is {found}, not {expected}");
    }
}

on_both!(visits_are_counted_by_result);

async fn visits_are_counted_by_result(world: World) {
    let (feed, gone, broken) = ("/feed", "/gone", "/broken");
    world.origin.at(feed, rss(&["one", "two"])).at(gone, Response::status(410)).at(broken, Response::status(500));
    world.origin.at("/old", Response::moved_to(feed)).at("/page", Response::body("text/html", "<p>no feed</p>"));
    for path in [feed, gone, broken, "/old", "/page"] {
        world.add(path).await;
    }
    world.run_until_idle().await;
    let page = web::figures(&world.engine.metrics(), &world.enrich()).await;
    check(
        page.text(),
        &[
            // One of them with a redirect.
            (r#"courant_visits_total{result="fresh"}"#, 2.0),
            (r#"courant_visits_total{result="gone"}"#, 1.0),
            (r#"courant_visits_total{result="failed"}"#, 2.0),
            (r#"courant_visit_failures_total{kind="status"}"#, 1.0),
            (r#"courant_visit_failures_total{kind="not-a-feed"}"#, 1.0),
            ("courant_visit_retries_total", 0.0),
            (r#"courant_entries_total{change="new"}"#, 4.0),
            (r#"courant_entries_total{change="changed"}"#, 0.0),
            (r#"courant_requests_total{class="feed"}"#, 6.0),
            (r#"courant_answers_total{status="200"}"#, 3.0),
            (r#"courant_answers_total{status="301"}"#, 1.0),
            (r#"courant_answers_total{status="410"}"#, 1.0),
            (r#"courant_answers_total{status="500"}"#, 1.0),
            ("courant_visit_duration_seconds_count", 5.0),
            ("courant_commit_duration_seconds_count", 5.0),
            ("courant_interval_chosen_seconds_count", 5.0),
            ("courant_visits_under_way", 0.0),
            ("courant_database_up", 1.0),
            ("courant_feeds_scheduled", 5.0),
            ("courant_feeds_due", 0.0),
            ("courant_health_warning", 0.0),
        ],
    );
    assert!(value(page.text(), "courant_received_bytes_total") > 100.0);
    assert!(value(page.text(), "courant_database_bytes") > 10_000.0);

    // The second time: one is unchanged, and the failed ones are tried again.
    world.advance(jiff::SignedDuration::from_hours(24 * 8));
    world.run_until_idle().await;
    let page = web::figures(&world.engine.metrics(), &world.enrich()).await;
    assert!(value(page.text(), r#"courant_visits_total{result="unchanged"}"#) >= 1.0);
    assert!(value(page.text(), r#"courant_answers_total{status="304"}"#) >= 1.0);
    assert!(value(page.text(), "courant_visit_retries_total") >= 2.0);
    check(page.text(), &[(r#"courant_entries_total{change="new"}"#, 4.0)]);
    assert_eq!(promtool(page.text()), "");
}

/// Regression: visits that failed because of their document were counted as failed, but without a kind.
#[tokio::test]
async fn every_failed_visit_has_a_kind() {
    let mut world = World::simulated().await;
    world.configure(|options| options.rules.entries = policy::rules::Entries::Strict);
    let untitled = "<rss version='2.0'><channel><title>x</title><item><guid>1</guid></item></channel></rss>";
    world.origin.at("/untitled", Response::body("application/rss+xml", untitled)).at("/broken", Response::status(500));
    for path in ["/untitled", "/broken", "/nowhere"] {
        world.add(path).await;
    }
    world.run_until_idle().await;
    let page = web::figures(&world.engine.metrics(), &world.enrich()).await;
    let kinds = page.text().lines().filter(|line| line.starts_with("courant_visit_failures_total{"));
    let kinds: u64 = kinds.map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum();
    check(
        page.text(),
        &[
            (r#"courant_visits_total{result="failed"}"#, kinds as f64),
            (r#"courant_visit_failures_total{kind="bad-entries"}"#, 1.0),
            (r#"courant_visit_failures_total{kind="status"}"#, 2.0),
        ],
    );
}

#[tokio::test]
async fn metrics_work_without_the_database() {
    let world = World::sqlite().await;
    world.engine.store().close(world.now()).await.unwrap();
    let page = web::figures(&world.engine.metrics(), &world.enrich()).await;
    check(page.text(), &[("courant_database_up", 0.0), (r#"courant_visits_total{result="fresh"}"#, 0.0)]);
    assert!(!page.text().contains("courant_feeds_due"), "what is not known is not made up:\n{}", page.text());
    assert_eq!(promtool(page.text()), "");
}

/// Regression: the database was queried for each request, even for concurrent ones.
#[tokio::test(start_paused = true)]
async fn database_metrics_are_cached() {
    let world = World::simulated().await;
    let feeds =
        async || value(web::figures(&world.engine.metrics(), &world.enrich()).await.text(), "courant_feeds_scheduled");
    assert!(feeds().await < 0.5);
    world.add("/feed").await;
    assert!(feeds().await < 0.5, "it was asked just now");
    tokio::time::advance(std::time::Duration::from_secs(10)).await;
    assert!((feeds().await - 1.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_are_served_to_allowed_addresses_only() {
    let origin = Origin::start().await;
    origin.at("/feed", rss(&["one"]));
    let url = origin.url("/feed");
    let walk = move || {
        let program = program();
        let server = Server::start(&program, &[]);
        assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
        let fresh = |server: &Server| value(&server.get("/metrics").1, r#"courant_visits_total{result="fresh"}"#);
        eventually(&1.0, || fresh(&server));
        let (status, page) = server.get("/metrics");
        assert_eq!((status, promtool(&page)), (200, String::new()));
        assert!(value(&page, "process_resident_memory_bytes") > 1e6);
        // Headers do not matter: the address of the connection counts.
        assert_eq!(server.get_with("/metrics", "X-Forwarded-For: 203.0.113.9").0, 200);
        assert_eq!(server.stop().0, Some(0));

        let server = Server::start(&program, &["--metrics-allow", "203.0.113.0/24"]);
        let (status, said) = server.get("/metrics");
        assert_eq!((status, said.as_str()), (403, "metrics are only for the addresses listed in `metrics.allow`\n"));
        for forged in ["X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9", "X-Real-IP: 203.0.113.9"] {
            assert_eq!(server.get_with("/metrics", forged).0, 403, "{forged}");
        }
        assert_eq!(server.get("/api/health").0, 200);
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[test]
fn metrics_may_have_a_separate_address() {
    let program = program();
    let mut server = Server::start(&program, &["--metrics-listen", "127.0.0.1:0"]);
    assert_eq!(server.get("/metrics").0, 404, "not beside the web server's own pages");
    let log = server.log_until("serving metrics");
    let line: serde_json::Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    let (status, page) = get(line["address"].as_str().unwrap(), "/metrics", "accept: */*");
    assert_eq!(status, 200, "{page}");
    check(&page, &[("courant_database_up", 1.0)]);
}
