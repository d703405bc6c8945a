//! Sums of visits by the hour: processes add up, what is sent twice counts once, old ones go.

use crate::support::{Database, HOUR, MINUTE, on_both, start};
use jiff::{SignedDuration, Timestamp};
use model::rollup::{CountedVisit, ErrorSum, Rollup, VisitClass};
use model::{FeedId, Viewer, WorkerId};
use store::{HostOrder, Hours};

on_both!(
    processes_add_up,
    what_is_sent_twice_counts_once,
    buckets_begin_where_the_span_does,
    what_failed_is_told_by_code_and_by_host,
    sums_are_kept_for_a_while,
    a_removed_feed_leaves_no_sums,
);

fn worker(name: &str) -> WorkerId {
    WorkerId(name.to_owned())
}

fn visit(at: Timestamp, class: VisitClass) -> CountedVisit {
    CountedVisit {
        at,
        class,
        feed: Some(FeedId(1)),
        host: Some("one.example".into()),
        code: (class == VisitClass::Error).then(|| "404".to_owned()),
        busy: false,
        took: SignedDuration::from_millis(120),
        bytes: 1_000,
        bytes_saved: if class == VisitClass::NotModified { 9_000 } else { 0 },
        new_entries: u64::from(class == VisitClass::Success),
        changed_entries: 0,
        interval: HOUR,
    }
}

/// Adds visits up, as `policy::rollup` does it, without its bounds.
fn sums(visits: impl IntoIterator<Item = CountedVisit>) -> Rollup {
    let mut rollup = Rollup::default();
    for visit in visits {
        let second = visit.at.as_second();
        let hour = rollup.entry(Timestamp::from_second(second - second % 3_600).unwrap()).or_default();
        let failed = visit.class == VisitClass::Error;
        match visit.class {
            VisitClass::Success => hour.all.success += 1,
            VisitClass::NotModified => hour.all.not_modified += 1,
            VisitClass::Error => hour.all.error += 1,
        }
        hour.all.bytes += visit.bytes;
        hour.all.bytes_saved += visit.bytes_saved;
        hour.all.new_entries += visit.new_entries;
        hour.all.interval_s += visit.interval.as_secs().cast_unsigned();
        hour.all.took_us += visit.took.as_micros() as u64;
        hour.latencies[4] += 1;
        if let Some(code) = visit.code {
            let first = ErrorSum { visits: 0, first_at: visit.at, last_at: visit.at };
            let sum = hour.errors.entry(code).or_insert(first);
            (sum.visits, sum.first_at, sum.last_at) =
                (sum.visits + 1, sum.first_at.min(visit.at), sum.last_at.max(visit.at));
        }
        let host = hour.hosts.entry(visit.host.unwrap_or_default()).or_default();
        host.visits += 1;
        host.errors += u64::from(failed);
        host.busy += u64::from(visit.busy);
        if failed {
            let (first, last) = host.failed.unwrap_or((visit.at, visit.at));
            host.failed = Some((first.min(visit.at), last.max(visit.at)));
        }
        if let Some(feed) = visit.feed {
            hour.feeds.entry(feed).or_default().new_entries += visit.new_entries;
        }
    }
    rollup
}

fn hours(count: i32) -> Hours {
    Hours { from: start(), to: start() + HOUR * count }
}

async fn processes_add_up(db: Database) {
    use VisitClass::{Error, NotModified, Success};
    let one = sums([visit(start(), Success), visit(start() + MINUTE, NotModified)]);
    let other = sums([visit(start() + MINUTE, Error), visit(start() + HOUR, Success)]);
    let flush = async |name: &str, number, sums: &Rollup| {
        db.store.add_rollup(&worker(name), number, sums, start()).await.unwrap();
    };
    // At the same time, as two processes do.
    tokio::join!(flush("one", 1, &one), flush("other", 1, &other));
    flush("one", 2, &one).await;
    let found = db.store.visit_buckets(hours(2), HOUR).await.unwrap();
    let told: Vec<_> = found.iter().map(|(place, s)| (*place, s.success, s.not_modified, s.error)).collect();
    assert_eq!(told, [(0, 2, 2, 1), (1, 1, 0, 0)]);
    let (_, first) = found[0];
    assert_eq!((first.bytes, first.bytes_saved, first.new_entries), (5_000, 18_000, 2));
    assert_eq!((first.interval_s, first.took_us), (5 * 3_600, 600_000));
    let latencies = db.store.visit_latencies(hours(2)).await.unwrap();
    assert_eq!((latencies.iter().sum::<u64>(), latencies[4]), (6, 6), "all took 100 to 200 ms");
}

async fn what_is_sent_twice_counts_once(db: Database) {
    let rollup = sums([visit(start(), VisitClass::Success)]);
    for number in [1, 1, 2, 1, 2] {
        db.store.add_rollup(&worker("w"), number, &rollup, start()).await.unwrap();
    }
    let found = db.store.visit_buckets(hours(1), HOUR).await.unwrap();
    assert_eq!(found[0].1.success, 2, "two flushes, however often they were sent");
}

async fn buckets_begin_where_the_span_does(db: Database) {
    let rollup = sums((0..10).map(|n| visit(start() + HOUR * n, VisitClass::Success)));
    db.store.add_rollup(&worker("w"), 1, &rollup, start()).await.unwrap();
    let span = Hours { from: start() + HOUR, to: start() + HOUR * 8 };
    let found = db.store.visit_buckets(span, HOUR * 6).await.unwrap();
    let told: Vec<_> = found.iter().map(|(place, sums)| (*place, sums.success)).collect();
    assert_eq!(told, [(0, 6), (1, 1)], "the end is not part of it");
}

async fn what_failed_is_told_by_code_and_by_host(db: Database) {
    let at = |minutes: i32| start() + MINUTE * minutes;
    let failed = |minutes, host: &str, code: &str, busy| CountedVisit {
        host: Some(host.into()),
        code: Some(code.into()),
        busy,
        ..visit(at(minutes), VisitClass::Error)
    };
    let unnamed = CountedVisit { host: None, feed: None, ..visit(at(9), VisitClass::Error) };
    let first = [failed(5, "a.example", "429", true), failed(70, "a.example", "429", true), unnamed];
    let second = [failed(2, "a.example", "dns", false), failed(3, "b.example", "429", true)];
    db.store.add_rollup(&worker("w"), 1, &sums(first), start()).await.unwrap();
    db.store.add_rollup(&worker("x"), 1, &sums(second), start()).await.unwrap();
    let calm = CountedVisit { host: Some("calm.example".into()), ..visit(at(1), VisitClass::Success) };
    db.store.add_rollup(&worker("w"), 2, &sums([calm.clone(), calm.clone(), calm]), start()).await.unwrap();
    let errors = db.store.visit_errors(hours(2), 9).await.unwrap();
    let told: Vec<_> = errors.iter().map(|e| (e.code.as_str(), e.visits, e.first_at, e.last_at)).collect();
    assert_eq!(told, [("429", 3, at(3), at(70)), ("404", 1, at(9), at(9)), ("dns", 1, at(2), at(2))]);
    let hosts = async |order| {
        let found = db.store.visited_hosts(hours(2), order, 9).await.unwrap();
        found.into_iter().map(|f| (f.host, f.sum.visits, f.sum.errors, f.sum.busy, f.most_per_hour)).collect::<Vec<_>>()
    };
    let row = |host: &str, visits, errors, busy, most| (host.to_owned(), visits, errors, busy, most);
    let failing = [row("a.example", 3, 3, 2, 2), row("", 1, 1, 0, 1), row("b.example", 1, 1, 1, 1)];
    assert_eq!(hosts(HostOrder::Errors).await, failing);
    assert_eq!(hosts(HostOrder::Visits).await[..2], [row("a.example", 3, 3, 2, 2), row("calm.example", 3, 0, 0, 3)]);
    let found = db.store.visited_hosts(hours(2), HostOrder::Errors, 1).await.unwrap();
    assert_eq!(found[0].sum.failed, Some((at(2), at(70))));
    assert_eq!(db.store.busy_answers(hours(2)).await.unwrap(), 3);
}

async fn sums_are_kept_for_a_while(db: Database) {
    assert_eq!(db.store.first_rollup().await.unwrap(), None);
    let rollup = sums((0..4).map(|n| visit(start() + HOUR * n, VisitClass::Error)));
    db.store.add_rollup(&worker("old"), 1, &rollup, start()).await.unwrap();
    db.store.forget_rollups(start() + HOUR * 2, start()).await.unwrap();
    assert_eq!(db.store.first_rollup().await.unwrap(), Some(start() + HOUR * 2));
    let left = db.store.visit_buckets(hours(4), HOUR).await.unwrap();
    assert_eq!(left.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(db.store.visit_errors(hours(4), 9).await.unwrap()[0].visits, 2);
    assert_eq!(db.store.visited_hosts(hours(4), HostOrder::Visits, 9).await.unwrap()[0].sum.visits, 2);
    assert_eq!(db.store.visit_latencies(hours(4)).await.unwrap().iter().sum::<u64>(), 2);
    // Its number is still known; later it is not, and nothing of that process can come any more.
    db.store.add_rollup(&worker("old"), 1, &rollup, start()).await.unwrap();
    assert_eq!(db.store.first_rollup().await.unwrap(), Some(start() + HOUR * 2));
}

async fn a_removed_feed_leaves_no_sums(db: Database) {
    let feeds = db.feeds(2, "one.example").await;
    let brought = feeds.iter().map(|feed| CountedVisit { feed: Some(*feed), ..visit(start(), VisitClass::Success) });
    db.store.add_rollup(&worker("w"), 1, &sums(brought), start()).await.unwrap();
    let busiest = async || {
        let found = db.store.busiest_feeds(Viewer::Operator, hours(1), 9).await.unwrap();
        found.into_iter().map(|figure| figure.feed).collect::<Vec<_>>()
    };
    assert_eq!(busiest().await, feeds);
    db.store.delete_feed(feeds[0], start(), start()).await.unwrap();
    assert_eq!(busiest().await, feeds[1..]);
}
