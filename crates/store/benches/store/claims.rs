//! Claims: what it costs to find what is due among few schedules and among many, and to make appointments.
//!
//! Between claims the feeds are visited and come back an hour later, so that the index really moves.

use crate::commits::commit_all;
use crate::cpu::Spent;
use crate::databases::Database;
use crate::report::Report;
use crate::world::{self, Found, HOUR};
use jiff::SignedDuration;
use model::WorkerId;
use std::time::Instant;
use store::{Appointment, Pace};

const CLAIM: u32 = 32;
const CLAIMS_PER_ROUND: usize = 10;
const ROUNDS: usize = 30;
const FEEDS_PER_BATCH: u64 = 5_000;

pub(crate) async fn measure(database: &Database, schedules: usize, smaller: usize, report: &mut Report) {
    load(database, schedules as u64, report).await;
    let Database { store, meter, .. } = database;
    let worker = WorkerId("bench".into());
    // Every visit may go at once: what is measured is making the appointment, not waiting for it.
    let pace = Pace { spacing: SignedDuration::ZERO, at_once: 1_000, patience: HOUR, when_full: HOUR };
    let (mut claiming, mut appointing, mut committing) = (Vec::new(), Vec::new(), Vec::new());
    let mut now = world::start() + HOUR;
    let mut feeds = 0;
    for _ in 0..ROUNDS / smaller {
        now += SignedDuration::from_secs(1);
        let started = meter.start();
        let mut claims = Vec::with_capacity(CLAIMS_PER_ROUND);
        for _ in 0..CLAIMS_PER_ROUND {
            claims.push(
                store.unscoped().claim_due(&worker, now, now + HOUR / 4, CLAIM).await.expect("feeds can be claimed"),
            );
        }
        claiming.push(meter.stop(&started));

        let started = meter.start();
        for leases in &claims {
            let appointments = store.appoint(leases, now, |_| pace).await.expect("appointments can be made");
            assert!(appointments.iter().all(|appointment| *appointment == Appointment::At(now)), "everybody may go");
        }
        appointing.push(meter.stop(&started));

        let plan = |lease| (world::plan(&lease, now, Found::NotModified), lease);
        let work: Vec<_> = claims.into_iter().flatten().map(plan).map(|(plan, lease)| (lease, plan)).collect();
        feeds += work.len();
        let started = meter.start();
        commit_all(store, work, CLAIM as usize).await;
        committing.push(meter.stop(&started));
    }
    let per_round = CLAIMS_PER_ROUND * CLAIM as usize;
    assert_eq!(feeds, ROUNDS / smaller * per_round, "every claim finds {CLAIM} feeds");
    let among = |what: &str| format!("{what} among {}", thousands(schedules));
    report.add(database.kind, &among("claim 32"), per_round, Spent::typical(claiming), None);
    report.add(database.kind, &among("appoint 32"), per_round, Spent::typical(appointing), None);
    report.add(database.kind, &among("304"), per_round, Spent::typical(committing), None);
}

/// Adds that many feeds in large batches.
async fn load(database: &Database, schedules: u64, report: &mut Report) {
    let mut adding = Spent::default();
    let began = Instant::now();
    let mut first = 0;
    while first < schedules {
        let next = (first + FEEDS_PER_BATCH).min(schedules);
        let feeds = (first..next).map(world::feed).collect();
        let started = database.meter.start();
        database.store.add_feeds(feeds, world::start()).await.expect("feeds can be added");
        adding += database.meter.stop(&started);
        first = next;
    }
    database.settle().await;
    let what = format!("add {} feeds", thousands(schedules as usize));
    report.add(database.kind, &what, schedules as usize, adding, None);
    eprintln!("{what}: {:.1} s", began.elapsed().as_secs_f64());
}

fn thousands(count: usize) -> String {
    if count >= 1_000_000 { format!("{} M", count / 1_000_000) } else { format!("{} k", count / 1_000) }
}
