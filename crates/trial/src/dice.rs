//! Repeatable randomness: the same seed gives the same numbers.

/// A small random number generator. Good enough to mutate bytes and to make up documents, and for nothing else.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`; 0 if `sides` is 0.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    /// One of these; the slice must not be empty.
    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.roll(of.len())]
    }

    /// `count` words, of several scripts and lengths.
    pub fn words(&mut self, count: usize) -> String {
        const WORDS: &[&str] = &[
            "release",
            "memory",
            "garden",
            "of",
            "the",
            "minister",
            "naïve",
            "Straße",
            "latency",
            "news",
            "and",
            "to",
            "märz",
            "новости",
            "東京",
            "reader’s",
            "between",
            "energy",
            "système",
            "feed",
        ];
        (0..count).map(|_| self.pick(WORDS)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_rolls_the_same_and_every_side_comes_up() {
        let rolls = |seed| -> Vec<usize> {
            let mut dice = Dice::new(seed);
            (0..1000).map(|_| dice.roll(6)).collect()
        };
        assert_eq!(rolls(7), rolls(7));
        assert_ne!(rolls(7), rolls(8));
        assert!((0..6).all(|side| rolls(7).contains(&side)) && rolls(7).iter().all(|side| *side < 6));
        assert_eq!(Dice::new(1).roll(0), 0);
    }

    #[test]
    fn as_many_words_as_asked_for() {
        assert_eq!(Dice::new(1).words(40).split(' ').count(), 40);
        assert_eq!(Dice::new(1).words(0), "");
    }
}
