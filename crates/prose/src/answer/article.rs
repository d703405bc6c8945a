//! What is known of an article as a whole, and the sketch of each sentence before that background.
//!
//! Called by `features` only. All sums are over sorted or ordered values: floats added in the order of a hash map would
//! differ from run to run.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::split::{Word, distinct, is_function_word};

/// An article as background for its sentences.
pub(super) struct Article<'a> {
    title: &'a [Word],
    title_weight: f32,
    count: f32,
    /// In how many sentences a stem occurs, and where first.
    occurs: HashMap<&'a str, (f32, usize)>,
    /// The sum of all sentences as vectors of stems; every sentence counts by its length, or evenly.
    sum: HashMap<&'a str, f32>,
    sum_norm: f32,
    even: HashMap<&'a str, f32>,
    /// How often the most frequent name that the title does not have occurs.
    most_named: f32,
}

/// What one sentence looks like.
pub(super) struct Sketch {
    /// How much of the title it repeats, 0 to 1.
    pub(super) shared: f32,
    /// How similar it is to the title.
    pub(super) alike: f32,
    /// How similar it is to the whole article.
    pub(super) central: f32,
    /// How similar it is to the other sentences.
    pub(super) degree: f32,
    pub(super) new_names: f32,
    pub(super) new_numbers: f32,
    /// How frequent its most frequent new name is in the article, 0 to 1.
    pub(super) most_named: f32,
    /// All features that need no other sentence's sketch, in a fixed order.
    pub(super) plain: Vec<f32>,
}

impl<'a> Article<'a> {
    pub(super) fn of(title: &'a [Word], sentences: &'a [Vec<Word>]) -> Self {
        let mut occurs: HashMap<&str, (f32, usize)> = HashMap::new();
        let mut names: HashMap<&str, f32> = HashMap::new();
        let mut last_seen: HashMap<&str, usize> = HashMap::new();
        let mut sum: HashMap<&str, f32> = HashMap::new();
        for (at, words) in sentences.iter().enumerate() {
            for word in words {
                let content = !is_function_word(&word.lower);
                if last_seen.insert(&word.stem, at) != Some(at) {
                    occurs.entry(&word.stem).or_insert((0.0, at)).0 += 1.0;
                    let titled = title.iter().any(|known| known.stem == word.stem);
                    if word.capital && !word.first && content && !titled {
                        *names.entry(&word.stem).or_default() += 1.0;
                    }
                }
                if content {
                    *sum.entry(&word.stem).or_default() += 1.0;
                }
            }
        }
        let most_named = names.values().copied().fold(0.0, f32::max);
        let mut article = Self {
            title,
            title_weight: 0.0,
            count: sentences.len() as f32,
            occurs,
            sum,
            sum_norm: 0.0,
            even: HashMap::new(),
            most_named,
        };
        article.title_weight = distinct(title).map(|word| article.rarity(&word.stem)).sum::<f32>().max(0.1);
        let mut squares: Vec<f32> =
            article.sum.iter().map(|(stem, count)| (count * article.rarity(stem)).powi(2)).collect();
        squares.sort_by(f32::total_cmp);
        article.sum_norm = squares.iter().sum::<f32>().sqrt().max(0.1);
        for words in sentences {
            let weights: Vec<(&str, f32)> =
                distinct(words).map(|word| (word.stem.as_str(), article.rarity(&word.stem))).collect();
            let norm = norm(&weights);
            for (stem, weight) in weights {
                *article.even.entry(stem).or_default() += weight / norm;
            }
        }
        article
    }

    /// The sketch of the sentence at this place.
    pub(super) fn sketch(&self, at: usize, text: &str, words: &[Word]) -> Sketch {
        let content: Vec<&Word> = distinct(words).collect();
        let in_title = |word: &Word| self.title.iter().any(|known| known.stem == word.stem);
        let weights: Vec<(&str, f32)> =
            content.iter().map(|word| (word.stem.as_str(), self.rarity(&word.stem))).collect();
        let weight: f32 = weights.iter().map(|weight| weight.1).sum::<f32>().max(0.1);
        let both =
            content.iter().zip(&weights).filter(|(word, _)| in_title(word)).map(|(_, weight)| weight.1).sum::<f32>();
        let shared = both / self.title_weight;
        let new: Vec<&&Word> = content.iter().filter(|word| !in_title(word)).collect();
        let names: Vec<(f32, usize)> =
            new.iter().filter(|word| word.capital).map(|word| self.occurs[word.stem.as_str()]).collect();
        let numbers = new.iter().filter(|word| word.number).count() as f32;
        let norm = norm(&weights);
        let product = |with: &HashMap<&str, f32>, power: i32| -> f32 {
            weights.iter().map(|(stem, weight)| with[stem] * weight.powi(power)).sum()
        };
        let mut sketch = Sketch {
            shared,
            alike: both / (weight * self.title_weight).sqrt(),
            central: product(&self.sum, 2) / (norm * self.sum_norm),
            degree: (product(&self.even, 1) / norm - 1.0).max(0.0) / self.count.sqrt(),
            new_names: (names.len() as f32).min(6.0) / 3.0,
            new_numbers: numbers.min(4.0) / 2.0,
            most_named: names.iter().map(|name| name.0).fold(0.0, f32::max) / self.most_named.max(1.0),
            plain: Vec::new(),
        };
        let mut plain = self.place(at);
        plain.extend(length(words.len() as f32));
        plain.extend([
            shared,
            sketch.alike,
            flag(both == 0.0),
            flag(shared > 0.75),
            flag(shared > 0.75 && weight < self.title_weight * 1.3),
            sketch.central,
            sketch.degree,
            sketch.new_names,
            flag(!names.is_empty()),
            sketch.most_named,
            flag(names.iter().any(|name| name.1 == at)),
            flag(names.iter().any(|name| name.1 == at && name.0 >= 2.0 && name.0 >= 0.6 * self.most_named)),
            sketch.new_numbers,
            flag(numbers > 0.0),
            shared * (1.0 + sketch.new_names + sketch.new_numbers).min(3.0) / 3.0,
            self.shared_pairs(words),
            self.shared_names(&content),
            5.0 * new.iter().map(|word| self.occurs[word.stem.as_str()].0).sum::<f32>()
                / (content.len().max(1) as f32 * self.count),
            new.iter().filter(|word| self.occurs[word.stem.as_str()].1 == at).count() as f32
                / content.len().max(1) as f32,
        ]);
        let pointed = self.pointed_at(words);
        let lists = words.iter().fold(0, |lists, word| lists | lists_of(&word.lower));
        let first = words.first().map_or(0, |word| lists_of(&word.lower));
        let is_phrase = |pair: &[Word]| {
            let phrases = PHRASES.iter().filter_map(|phrase| phrase.split_once(' '));
            phrases.into_iter().any(|(one, two)| pair[0].lower == one && pair[1].lower == two)
        };
        plain.extend([
            pointed,
            pointed * flag(!names.is_empty()),
            pointed * flag(lists & IS > 0),
            shared * flag(lists & SAID > 0),
        ]);
        plain.extend((0..SHAPES).map(|list| flag(lists & 1 << list > 0)));
        plain.push(flag(words.windows(2).any(is_phrase)));
        plain.push(flag(first & LOOKS_BACK > 0));
        plain.push(flag(first & REPLIES > 0));
        plain.extend(marks(text));
        sketch.plain = plain;
        sketch
    }

    /// How rare a stem is among the sentences.
    fn rarity(&self, stem: &str) -> f32 {
        let found = self.occurs.get(stem).map_or(0.0, |found| found.0);
        0.7 * log2((1.0 + self.count) / (1.0 + found)) + 0.3
    }

    fn place(&self, at: usize) -> Vec<f32> {
        let place = at as f32;
        vec![
            flag(at == 0),
            flag(at == 1),
            flag(at == 2),
            flag(at < 5),
            1.0 / (1.0 + place),
            1.0 / (1.0 + place).sqrt(),
            place / self.count.max(1.0),
            flag(place + 1.0 >= self.count),
            1.0 / self.count.max(1.0),
        ]
    }

    /// Which part of the title's pairs of words is here.
    fn shared_pairs(&self, words: &[Word]) -> f32 {
        let has = |pair: &[Word]| words.windows(2).any(|w| w[0].stem == pair[0].stem && w[1].stem == pair[1].stem);
        let pairs = self.title.len().saturating_sub(1).max(1);
        self.title.windows(2).filter(|pair| has(pair)).count() as f32 / pairs as f32
    }

    fn shared_names(&self, content: &[&Word]) -> f32 {
        let is_name = |word: &Word| self.title.iter().any(|t| t.stem == word.stem && t.capital && !t.first);
        (content.iter().filter(|word| is_name(word)).count() as f32).min(3.0) / 3.0
    }

    /// Whether the noun that the title points at ("this county", "one trick") is here.
    fn pointed_at(&self, words: &[Word]) -> f32 {
        let mut found = 0.0;
        for (at, _) in self.title.iter().enumerate().filter(|(_, word)| lists_of(&word.lower) & POINTERS > 0) {
            for near in self.title.iter().skip(at + 1).take(3).filter(|near| !is_function_word(&near.lower)) {
                found += flag(words.iter().any(|word| word.stem == near.stem));
            }
        }
        f32::min(found, 3.0) / 2.0
    }
}

fn norm(weights: &[(&str, f32)]) -> f32 {
    weights.iter().map(|(_, weight)| weight.powi(2)).sum::<f32>().sqrt().max(0.1)
}

fn length(count: f32) -> Vec<f32> {
    vec![
        (count.min(60.0) / 20.0).sqrt(),
        flag(count < 4.0),
        flag(count < 8.0),
        flag(count > 35.0),
        flag(count > 60.0),
        log2(1.0 + count) / 4.0,
    ]
}

/// The punctuation of a sentence.
fn marks(text: &str) -> Vec<f32> {
    let (start, end) = (text.trim_start(), text.trim_end());
    vec![
        flag(text.contains(['$', '£', '€', '%'])),
        flag(text.contains(['"', '“', '”'])),
        flag(end.ends_with('?')),
        flag(end.ends_with('!')),
        flag(end.ends_with(':')),
        flag(text.contains(':')),
        flag(!end.ends_with(['.', '!', '?', '"', '”', '\'', '’', ':'])),
        flag(start.starts_with(|letter: char| letter.is_ascii_digit() || letter == '#' || letter == '•')),
    ]
}

fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

/// A logarithm that is the same on every machine: straight lines between the powers of two.
fn log2(value: f32) -> f32 {
    let (mut value, mut whole) = (value.max(1.0), 0.0);
    while value >= 2.0 {
        value /= 2.0;
        whole += 1.0;
    }
    whole + value - 1.0
}

/// The lists of `LISTS` that a word is in, as bits.
fn lists_of(word: &str) -> u32 {
    static BITS: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
        let mut bits = HashMap::new();
        for (at, list) in LISTS.iter().enumerate() {
            for word in list.split(' ') {
                *bits.entry(word).or_default() |= 1 << at;
            }
        }
        bits
    });
    BITS.get(word).copied().unwrap_or(0)
}

/// How many of the lists give a feature by themselves; the rest is asked for below by number.
const SHAPES: usize = 15;
const IS: u32 = 1;
const SAID: u32 = 1 << 1;
const POINTERS: u32 = 1 << 15;
const LOOKS_BACK: u32 = 1 << 16;
const REPLIES: u32 = 1 << 17;

/// Words that give a sentence the shape of an answer, or of none.
const LISTS: [&str; 18] = [
    "is was are were it's that's",
    "said says told explained revealed added wrote tweeted announced confirmed admitted claimed",
    "because since due therefore thus caused causes reason reasons means so",
    "called named dubbed titled known",
    "january february march april may june july august september october november december monday tuesday wednesday \
     thursday friday saturday sunday today tomorrow year years",
    "click subscribe newsletter photo photos image advertisement copyright cookies facebook twitter instagram read watch \
     video getty via share comments follow reserved sign",
    "not never no don't doesn't isn't wasn't won't can't nothing none",
    "should must need try make use avoid keep help helps",
    "you your you're you'll",
    "i my me i'm we our",
    "but instead however rather although",
    "first second finally best most top number biggest largest main key",
    "study research researchers scientists experts survey report data",
    "by through using via with",
    "will would could might may",
    "this these one what which the why how",
    "he she it they this that these those but and",
    "yes no well indeed actually",
];

/// Pairs of words that announce an answer.
const PHRASES: [&str; 13] = [
    "according to",
    "study found",
    "researchers found",
    "turns out",
    "found that",
    "known as",
    "is called",
    "was named",
    "it's called",
    "the reason",
    "the answer",
    "that's because",
    "in fact",
];
