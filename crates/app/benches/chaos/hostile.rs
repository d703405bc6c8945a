//! Two thousand normal publishers with and without one of every hostile kind beside them: nothing panics, memory and
//! lateness hardly change.

use jiff::SignedDuration;
use testkit::chaos::{Company, Lateness, hostile};

use crate::{Verdict, binary, judge, number, runtime};

/// Over this time the normal feeds come due, one after the other.
const OVER: SignedDuration = SignedDuration::from_secs(40);
/// Lateness below this is not distinguished: it is the loop's own rhythm.
const NOTICEABLE: f64 = 250.0;

pub(crate) fn run() -> Vec<Verdict> {
    let normals = number("NORMALS", 2_000) as usize;
    println!("hostile: {normals} normal publishers, due over {OVER:#}");
    let runtime = runtime();
    let calm = runtime.block_on(hostile(binary(), normals, OVER, Company::Normal));
    tell("alone", &calm);
    let rough = runtime.block_on(hostile(binary(), normals, OVER, Company::Hostile));
    tell("beside the hostile", &rough);
    let broke = u8::from(calm.broke.is_some()) + u8::from(rough.broke.is_some());
    vec![
        judge("panics", f64::from(broke), 0.0),
        judge("hostile kinds that were not met", rough.unmet.len() as f64, 0.0),
        judge("normal publishers that were not visited", (normals - rough.visited) as f64, 0.0),
        judge("memory, beside the hostile over alone", rough.megabytes / calm.megabytes, 1.2),
        judge("p95 lateness, beside over alone", rough.p95.max(NOTICEABLE) / calm.p95.max(NOTICEABLE), 1.05),
    ]
}

fn tell(when: &str, found: &Lateness) {
    let Lateness { visited, p50, p95, megabytes, endured, .. } = found;
    println!(
        "  {when}: {visited} visited, late by p50 {p50:.0} ms, p95 {p95:.0} ms; {megabytes:.0} MB; {endured} hostile visits"
    );
    if let Some(broke) = &found.broke {
        println!("  it broke: {broke}");
    }
    if !found.unmet.is_empty() {
        println!("  never met: {:?}", found.unmet);
    }
}
