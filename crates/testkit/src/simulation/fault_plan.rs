//! The faults of a simulation: what is lost on the links to the database, when it is unavailable, how often machines
//! crash.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use store::{Dropped, FaultyLink, Transfer};
use tokio::time::Instant;
use trial::Dice;

use super::Fence;

/// Longer than a lease.
const FREEZE: Duration = Duration::from_secs(50);

/// The faults of one seed.
pub(super) struct FaultPlan {
    begun: Instant,
    faulty_period: Duration,
    /// From, until.
    away: Vec<(Duration, Duration)>,
    /// Of a thousand transfers, this many find their machine frozen; of commits, many times more.
    frozen_per_mille: usize,
    /// Of a thousand transfers, this many do not arrive; as many responses are lost.
    lost_per_mille: usize,
    /// Of a thousand heartbeats, this many are lost.
    silent_per_mille: usize,
    /// Of a thousand transfers, this many are the last of their process; of commits, many times more.
    deaths_per_mille: usize,
    /// Whether the machines' clocks differ, by seconds.
    pub(super) clocks_differ: bool,
    fence: Fence,
    lost: AtomicUsize,
}

impl FaultPlan {
    pub(super) fn draw(dice: &mut Dice, faulty_period: Duration, fence: Fence) -> Self {
        // Each kind of fault is present in some seeds only, so that none hides the effect of another.
        let mut sometimes = |most: usize| if dice.roll(3) == 0 { 0 } else { dice.roll(most) };
        let (restarts, lost_per_mille) = (sometimes(6), sometimes(40));
        let frozen_per_mille = sometimes(15);
        let (silent_per_mille, deaths_per_mille) = (sometimes(1000), sometimes(8));
        let clocks_differ = dice.roll(2) == 0;
        let mut away = Vec::new();
        for _ in 0..restarts {
            let from = Duration::from_millis(dice.roll(faulty_period.as_millis() as usize) as u64);
            away.push((from, from + Duration::from_millis(200 + dice.roll(45_000) as u64)));
        }
        let (begun, lost) = (Instant::now(), AtomicUsize::new(0));
        Self {
            begun,
            faulty_period,
            away,
            frozen_per_mille,
            lost_per_mille,
            silent_per_mille,
            deaths_per_mille,
            clocks_differ,
            fence,
            lost,
        }
    }

    /// Whether leases are renewed in time: no heartbeat is lost or late.
    pub(super) fn leases_hold(&self) -> bool {
        self.silent_per_mille == 0 && self.lost_per_mille == 0 && self.away.is_empty() && self.frozen_per_mille == 0
    }

    /// Whether a fault of this frequency happens now. For commits it is much more frequent.
    fn strikes(&self, per_mille: usize, statement: &str, dice: &mut Dice) -> bool {
        let often = if statement == "store::commit::FENCE" { 20 } else { 1 };
        self.begun.elapsed() < self.faulty_period && dice.roll(1000) < per_mille * often
    }

    pub(super) fn lost(&self) -> usize {
        self.lost.load(Ordering::Relaxed)
    }

    fn is_lost(&self, statement: &str, dice: &mut Dice, arriving: bool) -> bool {
        let now = self.begun.elapsed();
        if now >= self.faulty_period {
            return false;
        }
        let away = arriving && self.away.iter().any(|(from, until)| (*from..*until).contains(&now));
        let silent = arriving && statement == "store::leases::RENEW" && dice.roll(1000) < self.silent_per_mille;
        away || silent || dice.roll(1000) < self.lost_per_mille
    }
}

/// The database link of one process.
pub(super) struct Link {
    faults: Arc<FaultPlan>,
    dice: Mutex<Dice>,
    still_until: Mutex<Instant>,
    dead: AtomicBool,
}

impl Link {
    pub(super) fn new(faults: Arc<FaultPlan>, seed: u64) -> Self {
        Self {
            faults,
            dice: Mutex::new(Dice::new(seed)),
            still_until: Mutex::new(Instant::now()),
            dead: AtomicBool::new(false),
        }
    }

    /// Whether its process has crashed: nothing of it arrives anywhere any more.
    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// Takes some time, in which others continue and this process may crash.
    async fn go(&self, statement: &'static str, arriving: bool) -> Result<(), Dropped> {
        let (until, lost) = {
            let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
            let mut still_until = self.still_until.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            if arriving && self.faults.strikes(self.faults.frozen_per_mille, statement, &mut dice) {
                *still_until = now + FREEZE;
            }
            if self.faults.strikes(self.faults.deaths_per_mille, statement, &mut dice) {
                self.dead.store(true, Ordering::Relaxed);
            }
            let arrives = now + Duration::from_millis(1 + dice.roll(8) as u64);
            (arrives.max(*still_until), self.faults.is_lost(statement, &mut dice, arriving))
        };
        if self.is_dead() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep_until(until).await;
        if !lost {
            return Ok(());
        }
        self.faults.lost.fetch_add(1, Ordering::Relaxed);
        Err(Dropped)
    }
}

impl FaultyLink for Link {
    fn request(&self, statement: &'static str) -> Transfer<'_> {
        Box::pin(self.go(statement, true))
    }

    fn answer(&self, statement: &'static str) -> Transfer<'_> {
        Box::pin(self.go(statement, false))
    }

    fn fenced(&self) -> bool {
        self.faults.fence == Fence::Up
    }
}
