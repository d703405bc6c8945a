//! The ledger: no ceiling is ever exceeded, whoever reserves, settles, crashes or comes late; and enrichments go with entries.

use crate::support::{Database, HOUR, on_both, start};
use jiff::SignedDuration;
use model::EntryId;
use model::enrichment::{AttemptEnd, Ceilings, Kind, Reservation};
use model::money::Money;
use std::sync::Arc;
use store::{Attempt, Settlement, Store};
use tokio::sync::RwLock;

on_both!(
    a_thousand_interleavings_never_overspend,
    a_reservation_that_was_not_settled_is_released_once,
    a_late_settlement_is_booked_all_the_same,
    days_and_kinds_have_ceilings_of_their_own,
    an_attempt_is_settled_once,
    a_provider_is_changed_by_the_faster_one,
);

const TIMEOUT: SignedDuration = SignedDuration::from_secs(90);
const DAY: &str = "2026-01-01";

fn attempt<'a>(month: &'a str, day: &'a str, kind: Kind, amount: i64, at: jiff::Timestamp) -> Attempt<'a> {
    let (provider, model, entry) = ("openai", "m", EntryId(1));
    Attempt { month, day, kind, provider, model, entry, amount: Money(amount), expires_at: at + TIMEOUT }
}

fn ceiling(month: i64) -> Ceilings {
    Ceilings { month: Some(Money(month)), ..Ceilings::default() }
}

fn settled(reservation: Reservation, spent: i64, end: AttemptEnd) -> Settlement {
    Settlement { reservation, spent: Money(spent), tokens_in: 10, tokens_out: 20, end, detail: None }
}

async fn spent(store: &Store, month: &str) -> i64 {
    store.ai_month(month, DAY).await.unwrap().spent.month.0
}

/// Repeatable dice (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most
    }
}

/// Each interleaving has a month of its own with one cent left. Callers reserve, settle for less, or crash; the clock goes on
/// meanwhile, and whoever reserves next releases what a crash has left. A caller whose time is over gives up, as a worker that
/// has lost its lease does.
async fn a_thousand_interleavings_never_overspend(db: Database) {
    const CENT: i64 = 10_000_000;
    let stores = [db.store.clone(), db.another().await];
    // A server takes longer, and its locks are at work in each of them.
    let rounds = if db.store.name().contains("postgres") { 200 } else { 1_000 };
    let (mut most, mut refused, mut crashed) = (0, 0, 0);
    for round in 0..rounds {
        let month = format!("{:04}-{:02}", 3000 + round / 12, round % 12 + 1);
        let clock = Arc::new(RwLock::new(start()));
        let callers = (0..4_u64).map(|caller| {
            let (store, month, clock) = (stores[(caller % 2) as usize].clone(), month.clone(), Arc::clone(&clock));
            tokio::spawn(async move {
                let mut dice = Dice(round as u64 * 1_000 + caller);
                let (mut refused, mut crashed) = (0, 0);
                for _ in 0..3 {
                    let amount = 1 + dice.below(CENT as u64) as i64;
                    let (reserved, expires) = {
                        let now = *clock.read().await;
                        let wish = attempt(&month, DAY, Kind::Summary, amount, now);
                        (store.reserve_money(&wish, &ceiling(CENT), now).await.unwrap(), wish.expires_at)
                    };
                    *clock.write().await += SignedDuration::from_secs(dice.below(50) as i64);
                    let Some(reservation) = reserved else {
                        refused += 1;
                        continue;
                    };
                    let now = clock.read().await;
                    match dice.below(3) {
                        1 if *now < expires => {
                            let cost = dice.below(amount as u64 + 1) as i64;
                            store.settle(&settled(reservation, cost, AttemptEnd::Ok), *now).await.unwrap();
                        }
                        2 if *now < expires => {
                            store.settle(&settled(reservation, 0, AttemptEnd::NotMade), *now).await.unwrap();
                        }
                        _ => crashed += 1,
                    }
                    assert!(spent(&store, &month).await <= CENT, "{month}");
                }
                (refused, crashed)
            })
        });
        for caller in callers.collect::<Vec<_>>() {
            let (no, lost) = caller.await.unwrap();
            (refused, crashed) = (refused + no, crashed + lost);
        }
        let end = spent(&db.store, &month).await;
        assert!((0..=CENT).contains(&end), "{month}: {end}");
        most = most.max(end);
    }
    assert!(
        refused > rounds && crashed > rounds && most > CENT / 2,
        "the dice did something: {refused} {crashed} {most}"
    );
    while db.store.release_expired(start() + HOUR).await.unwrap() > 0 {}
    let rows = db.number("SELECT CAST(coalesce(sum(spent), 0) AS BIGINT) FROM ai_ledger").await;
    assert_eq!(
        rows,
        db.number("SELECT CAST(sum(spent) AS BIGINT) FROM ai_months").await,
        "months are the sums of their rows"
    );
}

async fn a_reservation_that_was_not_settled_is_released_once(db: Database) {
    let (store, now) = (&db.store, start());
    store.reserve_money(&attempt("2026-01", DAY, Kind::Tags, 70, now), &ceiling(100), now).await.unwrap().unwrap();
    let again = |at| async move {
        store.reserve_money(&attempt("2026-01", DAY, Kind::Tags, 70, at), &ceiling(100), at).await.unwrap()
    };
    assert_eq!(again(now).await, None, "it counts as spent until its time is over");
    let later = now + TIMEOUT;
    assert!(again(later).await.is_some(), "whoever reserves next releases it");
    assert_eq!(store.release_expired(later).await.unwrap(), 0, "once");
    assert_eq!(spent(store, "2026-01").await, 70);
    let ends = store.attempt_ends("2026-01").await.unwrap();
    assert_eq!(ends, [(AttemptEnd::Lost, 1)]);
}

async fn a_late_settlement_is_booked_all_the_same(db: Database) {
    let (store, now) = (&db.store, start());
    let late =
        store.reserve_money(&attempt("2026-01", DAY, Kind::Tags, 70, now), &ceiling(100), now).await.unwrap().unwrap();
    store.release_expired(now + TIMEOUT).await.unwrap();
    assert_eq!(spent(store, "2026-01").await, 0);
    assert!(store.settle(&settled(late, 30, AttemptEnd::Ok), now + HOUR).await.unwrap());
    let month = store.ai_month("2026-01", DAY).await.unwrap().spent;
    assert_eq!((month.month.0, month.day.0, month.tags.0), (30, 30, 30));
}

async fn days_and_kinds_have_ceilings_of_their_own(db: Database) {
    let (store, now) = (&db.store, start());
    let ceilings =
        Ceilings { month: Some(Money(100)), day: Some(Money(40)), tags: Some(Money(10)), ..Ceilings::default() };
    let reserve = |day: &'static str, kind: Kind, amount: i64| async move {
        store.reserve_money(&attempt("2026-01", day, kind, amount, now), &ceilings, now).await.unwrap().is_some()
    };
    assert!(!reserve("2026-01-01", Kind::Tags, 11).await, "more than tags may cost");
    assert!(reserve("2026-01-01", Kind::Tags, 10).await);
    assert!(!reserve("2026-01-01", Kind::Summary, 31).await, "more than a day may cost");
    assert!(reserve("2026-01-01", Kind::Summary, 30).await);
    assert!(reserve("2026-01-02", Kind::Summary, 40).await, "another day");
    assert!(!reserve("2026-01-03", Kind::Deframe, 21).await, "more than the month may cost");
    assert!(reserve("2026-01-03", Kind::Deframe, 20).await);
    let month = store.ai_month("2026-01", "2026-01-03").await.unwrap().spent;
    assert_eq!([month.month.0, month.day.0, month.summary.0, month.tags.0, month.deframe.0], [100, 20, 70, 10, 20]);
    // A ceiling that was set for the month itself holds instead.
    store
        .set_ceilings("2026-01", &Ceilings { month: Some(Money(150)), day: Some(Money(60)), ..Ceilings::default() })
        .await
        .unwrap();
    assert!(reserve("2026-01-03", Kind::Deframe, 40).await);
    assert!(!reserve("2026-01-03", Kind::Tags, 1).await, "tags have no ceiling of this month");
}

async fn an_attempt_is_settled_once(db: Database) {
    let (store, now) = (&db.store, start());
    let reservation = store
        .reserve_money(&attempt("2026-01", DAY, Kind::Summary, 70, now), &ceiling(100), now)
        .await
        .unwrap()
        .unwrap();
    let settlement = settled(reservation, 30, AttemptEnd::Ok);
    assert!(store.settle(&settlement, now).await.unwrap());
    assert!(!store.settle(&settlement, now).await.unwrap(), "a second one changes nothing");
    assert_eq!(spent(store, "2026-01").await, 30);
    let days = store.ai_days("2026-01-01", "2026-02-01").await.unwrap();
    assert_eq!((days.len(), days[0].calls, days[0].failed, days[0].tokens_in, days[0].spent), (1, 1, 0, 10, Money(30)));
    assert_eq!(store.ledger(0, 10).await.unwrap().len(), 1);
}

async fn a_provider_is_changed_by_the_faster_one(db: Database) {
    let (store, now) = (&db.store, start());
    let (one, two) = (store.ai_provider("openai").await.unwrap(), store.ai_provider("openai").await.unwrap());
    let called = |state: &model::enrichment::ProviderState| model::enrichment::ProviderState {
        last_call_at: Some(now),
        ..state.clone()
    };
    assert!(store.change_ai_provider("openai", &called(&one)).await.unwrap());
    assert!(!store.change_ai_provider("openai", &called(&two)).await.unwrap(), "the slower one has to look again");
    let other = db.another().await.ai_provider("openai").await.unwrap();
    assert_eq!((other.version, other.last_call_at), (1, Some(now)));
}
