//! What the answering model sees of each sentence of an article, beside its headline.
//!
//! Where the sentence stands, how central it is, what it shares with the title, which names and numbers it adds, whether
//! it has the shape of an answer to what the title asks, and its hashed words. The splitting into words is the model's
//! own and frozen with its weights: a change in this directory asks for a new training (`cargo xtask train-answers`).

use super::article::{Article, Sketch};
use super::question::{Question, asked};
use super::split::{Word, is_function_word, words};

/// Articles are read up to this many sentences.
pub const MOST_SENTENCES: usize = 400;

/// Sentences are read up to this many bytes.
pub const LONGEST_SENTENCE_BYTES: usize = 2_000;

/// How many features describe a sentence; the same again for each kind of question that the title asks.
pub const PLAIN: usize = 72;

/// Where the buckets of the hashed words begin.
pub const HASHED: usize = PLAIN * (1 + Question::ALL.len());

const BUCKETS: usize = 8192;

/// How many features there are.
pub const FEATURES: usize = HASHED + BUCKETS;

/// The features of one sentence that are not zero, by number.
pub type Row = Vec<(u16, f32)>;

/// The features of every sentence, up to [`MOST_SENTENCES`].
pub fn features(title: &str, sentences: &[&str]) -> Vec<Row> {
    let title_words = words(beginning(title));
    let sentences: Vec<&str> = sentences.iter().take(MOST_SENTENCES).map(|sentence| beginning(sentence)).collect();
    let read: Vec<Vec<Word>> = sentences.iter().map(|sentence| words(sentence)).collect();
    let article = Article::of(&title_words, &read);
    let questions = asked(title, &title_words);
    let sketches: Vec<Sketch> =
        read.iter().enumerate().map(|(at, words)| article.sketch(at, sentences[at], words)).collect();
    let ranks = [
        ranks(&sketches, |sketch| sketch.shared),
        ranks(&sketches, |sketch| sketch.alike),
        ranks(&sketches, |sketch| sketch.central),
        ranks(&sketches, |sketch| sketch.degree),
        ranks(&sketches, |sketch| sketch.shared * (1.0 + sketch.new_names + sketch.new_numbers)),
    ];
    let rows = sketches.iter().enumerate().map(|(at, sketch)| {
        let mut plain = sketch.plain.clone();
        plain.extend(ranks.iter().map(|ranks| ranks[at]));
        plain.push(if at > 0 { sketches[at - 1].shared } else { 0.0 });
        plain.push(if at > 0 { sketches[at - 1].most_named } else { 0.0 });
        plain.push(sketches.get(at + 1).map_or(0.0, |next| next.shared));
        row(&plain, &questions, &read[at])
    });
    rows.collect()
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_SENTENCE_BYTES)]
}

/// For each sentence 1 / its rank by this value; 0 where the value is.
fn ranks(sketches: &[Sketch], value: impl Fn(&Sketch) -> f32) -> Vec<f32> {
    let mut order: Vec<usize> = (0..sketches.len()).collect();
    order.sort_by(|a, b| value(&sketches[*b]).total_cmp(&value(&sketches[*a])).then(a.cmp(b)));
    let mut ranks = vec![0.0; sketches.len()];
    for (rank, at) in order.into_iter().enumerate() {
        if value(&sketches[at]) > 0.0 {
            ranks[at] = 1.0 / (1.0 + rank as f32);
        }
    }
    ranks
}

fn row(plain: &[f32], questions: &[Question], words: &[Word]) -> Row {
    debug_assert!(plain.len() <= PLAIN);
    let mut row = Row::new();
    for (index, &value) in plain.iter().enumerate().filter(|(_, value)| **value != 0.0) {
        row.push((index as u16, value));
        for question in questions {
            row.push(((PLAIN * (1 + *question as usize) + index) as u16, value));
        }
    }
    let mut buckets: Vec<u16> = Vec::new();
    let mut before: Option<&Word> = None;
    for word in words {
        buckets.push(bucket(0, "", &word.lower));
        if before.is_none_or(|word| is_function_word(&word.lower)) || is_function_word(&word.lower) {
            buckets.push(bucket(1, before.map_or("^", |word| &word.lower), &word.lower));
        }
        buckets.extend(questions.iter().map(|question| bucket(2 + *question as u8, "", &word.lower)));
        before = Some(word);
    }
    buckets.sort_unstable();
    buckets.dedup();
    let weight = 1.0 / (buckets.len().max(1) as f32).sqrt();
    row.extend(buckets.into_iter().map(|bucket| (bucket, weight)));
    row
}

/// FNV-1a over both words, into the buckets behind the plain features.
fn bucket(kind: u8, before: &str, word: &str) -> u16 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in [kind].into_iter().chain(before.bytes()).chain([b' ']).chain(word.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (HASHED + ((hash ^ (hash >> 29)) >> 16) as usize % BUCKETS) as u16
}
