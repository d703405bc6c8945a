//! Many seeds of the simulation: three workers with faults, without a process or a socket. A failing seed is printed
//! with how to repeat it. Without the fence of commits, the checks must fail.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use testkit::simulation::{Fence, Outcome, simulate};

use crate::{Verdict, judge, number};

const THREADS: usize = 2;
/// How many seeds are run without a fence.
const UNFENCED: u64 = 1_000;

pub(crate) fn run() -> Vec<Verdict> {
    let (first, seeds) = (number("SEED", 0), number("SEEDS", 10_000));
    println!("simulation: {seeds} seeds from {first}, on {THREADS} threads");
    let (mut visits, mut deaths, mut lost, mut failed) = (0, 0, 0, Vec::new());
    play(first, seeds, Fence::Up, |seed, outcome| {
        (visits, deaths, lost) = (visits + outcome.visits, deaths + outcome.deaths, lost + outcome.lost);
        if !outcome.wrong.is_empty() {
            println!("  seed {seed}: {:#?}", outcome.wrong);
            println!("  again: make chaos ARGS=simulation SEED={seed} SEEDS=1");
            failed.push(seed);
        }
    });
    println!("  {visits} visits, {deaths} deaths, {lost} lost trips");
    let mut verdicts = vec![judge("seeds with something lost, doubled or stuck", failed.len() as f64, 0.0)];
    if seeds >= UNFENCED {
        let mut noticed = Vec::new();
        play(first, UNFENCED, Fence::Down, |seed, outcome| {
            if !outcome.wrong.is_empty() {
                noticed.push(seed);
            }
        });
        println!(
            "  without the fence: noticed by {} of {UNFENCED}, first by {:?}",
            noticed.len(),
            noticed.iter().min()
        );
        verdicts.push(judge("without the fence: nobody noticed", f64::from(u8::from(noticed.is_empty())), 0.0));
    }
    verdicts
}

fn play(first: u64, seeds: u64, fence: Fence, told: impl FnMut(u64, Outcome) + Send) {
    let (next, told) = (AtomicU64::new(0), Mutex::new(told));
    let player = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= seeds {
                return;
            }
            let outcome = simulate(first + n, fence);
            (told.lock().unwrap())(first + n, outcome);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(player);
        }
    });
}
