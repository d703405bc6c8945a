//! A mutation fuzzer that needs no nightly compiler: known inputs are cut, spliced and altered, and handed to a target
//! that must not panic or take long.
//!
//! Every test run uses a fixed number of mutants, always the same; `FUZZ_SECONDS=600` makes others for that long. A
//! failing mutant is printed as an escaped string, to become a document of a corpus or a line of a table.

use std::panic::{RefUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::processor::timed;

/// A mutant that takes longer is a failure: such an input could stall the program.
const SLOW: Duration = Duration::from_secs(5);

/// The inputs that mutants are made of.
#[derive(Debug, Clone)]
pub struct Stock<'a> {
    seeds: Vec<&'a [u8]>,
    tokens: Vec<&'a [u8]>,
    limit_bytes: usize,
    text: bool,
}

impl<'a> Stock<'a> {
    /// Mutants of bytes: any byte may become any other.
    pub fn bytes<S: AsRef<[u8]> + ?Sized + 'a, T: AsRef<[u8]> + ?Sized + 'a>(
        seeds: impl IntoIterator<Item = &'a S>,
        tokens: impl IntoIterator<Item = &'a T>,
    ) -> Self {
        let seeds: Vec<_> = seeds.into_iter().map(AsRef::as_ref).collect();
        assert!(!seeds.is_empty(), "there is nothing to make mutants of");
        Self { seeds, tokens: tokens.into_iter().map(AsRef::as_ref).collect(), limit_bytes: 64 << 10, text: false }
    }

    /// Mutants of text; they are valid text, too.
    pub fn text(seeds: impl IntoIterator<Item = &'a str>, tokens: impl IntoIterator<Item = &'a str>) -> Self {
        Self { text: true, ..Self::bytes(seeds, tokens) }
    }

    /// Limits the length of mutants.
    #[must_use]
    pub fn at_most(self, limit_bytes: usize) -> Self {
        Self { limit_bytes, ..self }
    }

    fn mutant(&self, dice: &mut Dice) -> Vec<u8> {
        let mut bytes = dice.pick(&self.seeds).to_vec();
        for _ in 0..=dice.roll(8) {
            self.mutate(&mut bytes, dice);
            bytes.truncate(self.boundary(&bytes, self.limit_bytes));
        }
        bytes
    }

    fn mutate(&self, bytes: &mut Vec<u8>, dice: &mut Dice) {
        let at = self.boundary(bytes, dice.roll(bytes.len() + 1));
        let mut end = |length| self.boundary(bytes, at + dice.roll(length)).max(at);
        let (short, long) = (end(40), end(80));
        match dice.roll(8) {
            0 => bytes.truncate(at),
            1 | 2 if !self.tokens.is_empty() => {
                // Mostly once: many repetitions find other bugs than one.
                let times = if dice.roll(4) == 0 { 1 + dice.roll(50) } else { 1 };
                bytes.splice(at..at, dice.pick(&self.tokens).repeat(times));
            }
            3 if at < bytes.len() && !self.text => bytes[at] = dice.roll(256) as u8,
            4 => drop(bytes.drain(at..short)),
            5 => {
                let piece = bytes[at..long].repeat(1 + dice.roll(20));
                bytes.splice(at..at, piece);
            }
            6 => {
                let other = dice.pick(&self.seeds);
                let from = self.boundary(other, dice.roll(other.len() + 1));
                let to = self.boundary(other, from + dice.roll(200)).max(from);
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let other = dice.pick(&self.seeds);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[self.boundary(other, dice.roll(other.len() + 1))..]);
            }
        }
    }

    /// An index into the bytes; in a text, a character boundary.
    fn boundary(&self, bytes: &[u8], at: usize) -> usize {
        let mut at = at.min(bytes.len());
        while self.text && bytes.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {
            at -= 1;
        }
        at
    }
}

/// Runs `target` on `mutants` mutants, or for `FUZZ_SECONDS` if that is set.
pub fn fuzz(mutants: usize, stock: &Stock<'_>, target: impl Fn(&[u8]) + RefUnwindSafe) {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut dice = Dice::new(seconds.unwrap_or(7));
    let mut count = 0_usize;
    while until.map_or(count < mutants, |until| Instant::now() < until) {
        let mutant = stock.mutant(&mut dice);
        let (outcome, took) = timed(|| catch_unwind(|| target(&mutant)));
        assert!(outcome.is_ok(), "mutant {count}: \"{}\"", mutant.escape_ascii());
        assert!(took < SLOW, "mutant {count} is slow: \"{}\"", mutant.escape_ascii());
        count += 1;
    }
    if until.is_some() {
        eprintln!("{count} mutants");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::Mutex;

    fn mutants(stock: &Stock<'_>) -> HashSet<Vec<u8>> {
        let seen = Mutex::new(HashSet::new());
        fuzz(2000, stock, |mutant| {
            seen.lock().unwrap().insert(mutant.to_vec());
        });
        seen.into_inner().unwrap()
    }

    #[test]
    fn mutants_differ_stay_small_and_are_the_same_every_time() {
        let stock = Stock::bytes(["<a>b</a>", "{\"c\": 1}"], ["<", "&#x"]).at_most(100);
        let made = mutants(&stock);
        assert!(made.len() > 1500, "{}", made.len());
        assert!(made.iter().all(|mutant| mutant.len() <= 100));
        assert!(made.iter().any(|mutant| std::str::from_utf8(mutant).is_err()), "bytes are bent");
        assert_eq!(made, mutants(&stock));
    }

    #[test]
    fn a_text_stays_one() {
        let made = mutants(&Stock::text(["naïve 東京 и", "é"], ["\u{202e}", "ß"]).at_most(60));
        assert!(made.len() > 1000, "{}", made.len());
        assert!(made.iter().all(|mutant| std::str::from_utf8(mutant).is_ok()));
    }

    #[test]
    fn a_panic_is_reported() {
        let found = catch_unwind(|| {
            fuzz(2000, &Stock::bytes(["ab"], ["!"]), |mutant| assert!(!mutant.contains(&b'!')));
        });
        let said = found.unwrap_err().downcast::<String>().unwrap();
        assert!(said.starts_with("mutant ") && said.contains('!'), "{said}");
    }
}
