//! The score of each sentence: its place in the graph of sentences, the frequency of its words, where it stands, and what
//! it shares with the headline.

use super::sentence::{Sentence, shared};

/// What each witness says counts so much.
const CENTRALITY: f64 = 0.35;
const FREQUENCY: f64 = 0.35;
const HEADLINE: f64 = 0.12;
const PLACE: f64 = 0.18;

/// How much of its rank a sentence passes on, as in PageRank.
const DAMPING: f64 = 0.85;

/// Rounds of the ranking; it has settled long before.
const ROUNDS: usize = 30;

/// A score between 0 and 1 for each sentence.
pub(super) fn scores(sentences: &[Sentence], title: &Sentence) -> Vec<f64> {
    let central = scaled(centrality(sentences));
    let frequent = scaled(frequency(sentences));
    let headline = scaled(sentences.iter().map(|sentence| similarity(sentence, title)).collect());
    let mixed: Vec<f64> = sentences
        .iter()
        .enumerate()
        .map(|(at, sentence)| {
            let place = 1.0 / (1.0 + at as f64);
            let sum = CENTRALITY * central[at] + FREQUENCY * frequent[at] + HEADLINE * headline[at] + PLACE * place;
            sum * sentence.stands_alone * roomy(sentence.length)
        })
        .collect();
    scaled(mixed)
}

/// Very short sentences say little, very long ones are lists.
fn roomy(length: usize) -> f64 {
    match length {
        0..=7 => 0.7 + 0.04 * length as f64,
        8..=45 => 1.0,
        _ => 0.9,
    }
}

/// So that the largest is 1.
fn scaled(mut values: Vec<f64>) -> Vec<f64> {
    let most = values.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        for value in &mut values {
            *value /= most;
        }
    }
    values
}

/// The cosine of two sentences.
fn similarity(one: &Sentence, other: &Sentence) -> f64 {
    let product: f32 = shared(&one.words, &other.words).map(|(_, left, right)| left * right).sum();
    if product == 0.0 {
        return 0.0;
    }
    f64::from(product) / (norm(one) * norm(other))
}

fn norm(sentence: &Sentence) -> f64 {
    f64::from(sentence.words.iter().map(|(_, count)| count * count).sum::<f32>()).sqrt()
}

/// PageRank on the graph in which sentences are joined by what they share.
fn centrality(sentences: &[Sentence]) -> Vec<f64> {
    let count = sentences.len();
    let norms: Vec<f64> = sentences.iter().map(norm).collect();
    let mut edges: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
    let mut sums = vec![0.0; count];
    for at in 0..count {
        for other in at + 1..count {
            let product: f32 =
                shared(&sentences[at].words, &sentences[other].words).map(|(_, left, right)| left * right).sum();
            if product > 0.0 {
                let weight = f64::from(product) / (norms[at] * norms[other]);
                edges[at].push((other, weight));
                edges[other].push((at, weight));
                sums[at] += weight;
                sums[other] += weight;
            }
        }
    }
    let mut ranks = vec![1.0; count];
    for _ in 0..ROUNDS {
        let next = (0..count).map(|at| {
            let received: f64 = edges[at].iter().map(|(from, weight)| ranks[*from] * weight / sums[*from]).sum();
            1.0 - DAMPING + DAMPING * received
        });
        ranks = next.collect();
    }
    ranks
}

/// How frequent the words of each sentence are in the text, a little in favour of longer sentences.
fn frequency(sentences: &[Sentence]) -> Vec<f64> {
    let numbers = sentences.iter().filter_map(|sentence| sentence.words.last()).map(|(number, _)| *number as usize + 1);
    let mut counts = vec![0.0_f64; numbers.max().unwrap_or(0)];
    for (number, count) in sentences.iter().flat_map(|sentence| &sentence.words) {
        counts[*number as usize] += f64::from(*count);
    }
    sentences
        .iter()
        .map(|sentence| {
            // A word that occurs once says nothing about the rest of the text.
            let sum: f64 = sentence.words.iter().map(|(number, _)| counts[*number as usize] - 1.0).sum();
            sum / (sentence.words.len().max(4) as f64).powf(0.6)
        })
        .collect()
}
