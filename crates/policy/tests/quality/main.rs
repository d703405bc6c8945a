//! The schedule meets its target (P11) on a part of the population that the benchmark measures in full.

#[path = "../../benches/schedule/simulation.rs"]
#[allow(dead_code, reason = "the benchmark tells more of it")]
mod simulation;

use policy::{Preset, Rules};
use simulation::{Source, adaptive, decided, fixed, optimum, population};

#[test]
fn entries_are_found_nearly_as_soon_as_visits_allow() {
    let sources: Vec<Source> = population("mixed").into_iter().step_by(3).collect();
    let ours = adaptive(&sources);
    let to_optimum = ours.minutes() / optimum(&sources, ours.visits).minutes();
    let to_fixed = ours.minutes() / fixed(&sources, ours.visits).minutes();
    assert!(to_optimum <= 1.15, "{to_optimum} x the optimum");
    assert!(to_fixed <= 0.6, "{to_fixed} x fixed polling");
}

#[test]
fn feeds_that_never_publish_are_nearly_left_alone() {
    let dead: Vec<Source> = population("dead").into_iter().take(5).collect();
    let visits = decided(&dead, &Rules::preset(Preset::Courant), None).visits_per_day(dead.len());
    assert!(visits < 2.5, "{visits} a day");
}
