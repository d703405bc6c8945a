//! Two thousand normal publishers with and without one of every hostile kind beside them: no panic, and memory and
//! lateness hardly change. docs/notes/hostile-publishers.md explains the measurement.
//!
//! `TRICKS="a web page,noise"` uses only these kinds; `EACH=1` runs them one after the other, beside a few normal
//! publishers, to see the cost of each.

use jiff::SignedDuration;
use testkit::chaos::{Lateness, hostile, hostile_kinds};

use crate::{Verdict, binary, judge, number, runtime};

/// Over this time the normal feeds come due, one after the other, as in a worker that keeps up.
const STEADILY: SignedDuration = SignedDuration::from_secs(40);
/// All at once, as after an outage: the worker is fully loaded.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(1);
/// Lateness below this, in milliseconds, is not distinguished: a busy worker claims no more often.
const NOTICEABLE: f64 = 20.0;

pub(crate) fn run() -> Vec<Verdict> {
    let (normals, rounds) = (number("NORMALS", 2_000) as usize, number("ROUNDS", 3) as usize);
    let mut kinds = hostile_kinds();
    if let Some(wanted) = std::env::var("TRICKS").ok().filter(|wanted| !wanted.is_empty()) {
        kinds.retain(|kind| wanted.split(',').any(|wanted| wanted == *kind));
    }
    if number("EACH", 0) == 1 {
        return each(&kinds);
    }
    let at = |pace: &str, over| {
        println!("hostile: {normals} normal publishers, due {pace}, {} hostile ones, {rounds} rounds", kinds.len());
        Runs::alternating(normals, over, rounds, &kinds)
    };
    let steadily = at("steadily", STEADILY);
    let late = steadily.ratio(|found| found.p95.max(NOTICEABLE));
    let mut verdicts = steadily.verdicts(normals);
    verdicts.push(judge("p95 lateness, beside over alone", late, 1.05));
    verdicts.extend(at("at once", AT_ONCE).verdicts(normals));
    verdicts
}

/// The same with and without hostile publishers, repeated.
struct Runs {
    calm: Vec<Lateness>,
    rough: Vec<Lateness>,
}

impl Runs {
    /// Alternating, because the load of the machine may vary.
    fn alternating(normals: usize, over: SignedDuration, rounds: usize, kinds: &[&str]) -> Self {
        let runtime = runtime();
        let (mut calm, mut rough) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            calm.push(runtime.block_on(hostile(binary(), normals, over, &[])));
            tell("alone", &calm[calm.len() - 1]);
            rough.push(runtime.block_on(hostile(binary(), normals, over, kinds)));
            tell("beside the hostile", &rough[rough.len() - 1]);
        }
        Self { calm, rough }
    }

    fn ratio(&self, of: fn(&Lateness) -> f64) -> f64 {
        median(&self.rough, of) / median(&self.calm, of)
    }

    fn verdicts(&self, normals: usize) -> Vec<Verdict> {
        let Self { calm, rough } = self;
        println!("  p95 lateness as it is, beside over alone: {:.2}", self.ratio(|found| found.p95));
        println!("  processor time, beside over alone: {:.2}", self.ratio(|found| found.processor));
        let worst = |of: fn(&Lateness) -> usize| rough.iter().map(of).max().unwrap_or_default() as f64;
        let least = |of: fn(&Lateness) -> usize| calm.iter().chain(rough).map(of).min().unwrap_or_default();
        let broke = calm.iter().chain(rough).filter(|found| found.broke.is_some()).count();
        vec![
            judge("panics", broke as f64, 0.0),
            judge("hostile kinds that were not met", worst(|found| found.unmet.len()), 0.0),
            judge("normal publishers that were not visited", (normals - least(|found| found.visited)) as f64, 0.0),
            judge(
                "normal publishers whose entries are not stored",
                (normals - least(|found| found.stored)) as f64,
                0.0,
            ),
            judge("memory, beside the hostile over alone", self.ratio(|found| found.megabytes), 1.2),
        ]
    }
}

/// The cost of each kind alone.
fn each(kinds: &[&str]) -> Vec<Verdict> {
    const FEW: (usize, SignedDuration) = (100, SignedDuration::from_secs(2));
    let runtime = runtime();
    let mut broke = 0;
    for kind in std::iter::once("").chain(kinds.iter().copied()) {
        let found = runtime.block_on(hostile(binary(), FEW.0, FEW.1, &[kind]));
        let Lateness { p95, megabytes, processor, .. } = found;
        println!("  {kind:<32} {megabytes:>6.1} MB {processor:>6.2} s of processor, p95 {p95:.0} ms");
        broke += u8::from(found.broke.is_some());
    }
    vec![judge("panics", f64::from(broke), 0.0)]
}

fn median(found: &[Lateness], of: fn(&Lateness) -> f64) -> f64 {
    let mut values: Vec<f64> = found.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn tell(when: &str, found: &Lateness) {
    let Lateness { visited, stored, p50, p95, megabytes, processor, endured, .. } = found;
    println!(
        "  {when}: {visited} visited, {stored} stored, late by p50 {p50:.0} ms, p95 {p95:.0} ms; peak {megabytes:.1} MB, \
         {processor:.1} s of processor; {endured} hostile visits"
    );
    if found.broke.is_some() || found.stored < found.normals {
        println!("  it said last: {}", found.log_tail);
    }
    if !found.unmet.is_empty() {
        println!("  never met: {:?}", found.unmet);
    }
}
