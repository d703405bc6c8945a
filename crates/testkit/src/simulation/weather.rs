//! The weather of a simulation: what is lost on the way to the database and back, when it is away, how often machines die.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use store::{Dropped, FaultyLink, Transfer};
use tokio::time::Instant;
use trial::Dice;

use super::Fence;

/// Longer than a lease.
const FREEZE: Duration = Duration::from_secs(50);

/// What is in store for one seed.
pub(super) struct Weather {
    begun: Instant,
    storm: Duration,
    /// From, until.
    away: Vec<(Duration, Duration)>,
    /// Of a thousand transfers, this many find their machine standing still; of those that want to commit, many times more.
    frozen_per_mille: usize,
    /// Of a thousand transfers, this many do not arrive; as many answers are lost.
    lost_per_mille: usize,
    /// Of a thousand heartbeats, so many are lost.
    silent_per_mille: usize,
    /// Of a thousand transfers, this many are the last of their process; of those that commit, many times more.
    deaths_per_mille: usize,
    /// Whether the machines' clocks differ, by seconds.
    pub(super) clocks_differ: bool,
    fence: Fence,
    lost: AtomicUsize,
}

impl Weather {
    pub(super) fn forecast(dice: &mut Dice, storm: Duration, fence: Fence) -> Self {
        // Each kind of trouble is there in some seeds and not in others, so that none hides what another one shows.
        let mut sometimes = |most: usize| if dice.roll(3) == 0 { 0 } else { dice.roll(most) };
        let (restarts, lost_per_mille) = (sometimes(6), sometimes(40));
        let frozen_per_mille = sometimes(15);
        let (silent_per_mille, deaths_per_mille) = (sometimes(1000), sometimes(8));
        let clocks_differ = dice.roll(2) == 0;
        let mut away = Vec::new();
        for _ in 0..restarts {
            let from = Duration::from_millis(dice.roll(storm.as_millis() as usize) as u64);
            away.push((from, from + Duration::from_millis(200 + dice.roll(45_000) as u64)));
        }
        let (begun, lost) = (Instant::now(), AtomicUsize::new(0));
        Self {
            begun,
            storm,
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

    /// Whether leases are renewed as they should be: nobody's heartbeat is lost or late.
    pub(super) fn leases_hold(&self) -> bool {
        self.silent_per_mille == 0 && self.lost_per_mille == 0 && self.away.is_empty() && self.frozen_per_mille == 0
    }

    /// Whether something that happens so often happens now. Where it is about a commit, it does much more often.
    fn strikes(&self, per_mille: usize, statement: &str, dice: &mut Dice) -> bool {
        let often = if statement == "store::commit::FENCE" { 20 } else { 1 };
        self.begun.elapsed() < self.storm && dice.roll(1000) < per_mille * often
    }

    pub(super) fn lost(&self) -> usize {
        self.lost.load(Ordering::Relaxed)
    }

    fn is_lost(&self, statement: &str, dice: &mut Dice, arriving: bool) -> bool {
        let now = self.begun.elapsed();
        if now >= self.storm {
            return false;
        }
        let away = arriving && self.away.iter().any(|(from, until)| (*from..*until).contains(&now));
        let silent = arriving && statement == "store::leases::RENEW" && dice.roll(1000) < self.silent_per_mille;
        away || silent || dice.roll(1000) < self.lost_per_mille
    }
}

/// The ways of one process.
pub(super) struct Way {
    weather: Arc<Weather>,
    dice: Mutex<Dice>,
    still_until: Mutex<Instant>,
    dead: AtomicBool,
}

impl Way {
    pub(super) fn new(weather: Arc<Weather>, seed: u64) -> Self {
        Self {
            weather,
            dice: Mutex::new(Dice::new(seed)),
            still_until: Mutex::new(Instant::now()),
            dead: AtomicBool::new(false),
        }
    }

    /// Whether its process has died: nothing of it goes anywhere any more, until somebody clears it away.
    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// Takes a moment, in which others go on and this process may die.
    async fn go(&self, statement: &'static str, arriving: bool) -> Result<(), Dropped> {
        let (until, lost) = {
            let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
            let mut still_until = self.still_until.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            if arriving && self.weather.strikes(self.weather.frozen_per_mille, statement, &mut dice) {
                *still_until = now + FREEZE;
            }
            if self.weather.strikes(self.weather.deaths_per_mille, statement, &mut dice) {
                self.dead.store(true, Ordering::Relaxed);
            }
            let arrives = now + Duration::from_millis(1 + dice.roll(8) as u64);
            (arrives.max(*still_until), self.weather.is_lost(statement, &mut dice, arriving))
        };
        if self.is_dead() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep_until(until).await;
        if !lost {
            return Ok(());
        }
        self.weather.lost.fetch_add(1, Ordering::Relaxed);
        Err(Dropped)
    }
}

impl FaultyLink for Way {
    fn request(&self, statement: &'static str) -> Transfer<'_> {
        Box::pin(self.go(statement, true))
    }

    fn answer(&self, statement: &'static str) -> Transfer<'_> {
        Box::pin(self.go(statement, false))
    }

    fn fenced(&self) -> bool {
        self.weather.fence == Fence::Up
    }
}
