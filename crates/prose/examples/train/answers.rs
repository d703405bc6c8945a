//! Trains the answering model: a softmax over the sentences of an article, which learns to put its weight on those that
//! answer the headline.
//!
//! The file has one article a line: `{"title", "sents": [...], "gold": [[[whole], [parts]]]}` (from Webis Clickbait
//! Spoiling 22). A sentence counts as an answer if it has the whole answer or a part of it.

use prose::answer::features::{FEATURES, HASHED, PLAIN, Row, features};
use prose::answer::model::MAGIC;
use serde_json::Value;

use crate::figures::{exp, quantised};

/// Penalties, chosen by cross-validation: the plain features, those for one kind of question, hashed words.
const PENALTIES: [f64; 3] = [5.0, 40.0, 3.0];
const ROUNDS: usize = 200;
const RATE: f64 = 0.15;
const FOLDS: usize = 5;
/// On which part of the headlines the model speaks; the bar is 0.12 of unseen ones.
const SPOKEN: f64 = 0.17;

struct Article {
    rows: Vec<Row>,
    right: Vec<bool>,
}

/// The bytes of the weights file.
pub(crate) fn train(text: &str) -> Result<Vec<u8>, String> {
    let articles: Vec<Article> = text.lines().enumerate().map(|(at, line)| read(at, line)).collect::<Result<_, _>>()?;
    // What the model says of articles it has not learned from: how sure it is, whether it is right, and within three.
    let mut answers: Vec<(f64, bool, bool)> = Vec::new();
    for fold in 0..FOLDS {
        let is_tested = |at: usize| at % FOLDS == fold;
        let learned: Vec<&Article> =
            articles.iter().enumerate().filter(|(at, _)| !is_tested(*at)).map(|(_, article)| article).collect();
        let weights = shipped(&fit(&learned)).1;
        let tested = articles.iter().enumerate().filter(|(at, _)| is_tested(*at));
        answers.extend(tested.filter(|(_, article)| !article.rows.is_empty()).map(|(_, article)| {
            let sure = softmax(&article.rows, &weights);
            let mut order: Vec<usize> = (0..sure.len()).collect();
            order.sort_by(|a, b| sure[*b].total_cmp(&sure[*a]));
            (sure[order[0]], article.right[order[0]], order.iter().take(3).any(|at| article.right[*at]))
        }));
    }
    answers.sort_by(|a, b| b.0.total_cmp(&a.0));
    let count = answers.len().max(1);
    let part = |right: usize, of: usize| right as f64 / of.max(1) as f64;
    let first = answers.iter().filter(|answer| answer.1).count();
    let three = answers.iter().filter(|answer| answer.2).count();
    let (first, three) = (part(first, count), part(three, count));
    println!("{FOLDS}-fold cross-validation on {count} articles: top-1 {first:.3}, top-3 {three:.3}");
    for spoken in [0.10, 0.12, SPOKEN, 0.20, 0.25] {
        let said = &answers[..(spoken * count as f64) as usize];
        let right = part(said.iter().filter(|answer| answer.1).count(), said.len());
        let sure = said.last().map_or(1.0, |answer| answer.0);
        println!("  speaking on {spoken:.2} (confidence {sure:.2} or more): {right:.3} right");
    }
    let threshold = answers.get((SPOKEN * count as f64) as usize).map_or(1.0, |answer| answer.0);
    let weights = fit(&articles.iter().collect::<Vec<_>>());
    let ((step, whole), _) = shipped(&weights);
    let mut bytes = MAGIC.to_vec();
    bytes.extend((threshold as f32).to_le_bytes());
    bytes.extend(step.to_le_bytes());
    bytes.extend(whole.iter().flat_map(|whole| (*whole as i16).to_le_bytes()));
    Ok(bytes)
}

fn read(at: usize, line: &str) -> Result<Article, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1))?;
    let missing = |what: &str| format!("line {} has no {what}", at + 1);
    let title = value["title"].as_str().ok_or(missing("title"))?;
    let sentences = value["sents"].as_array().ok_or(missing("sents"))?;
    let sentences: Vec<&str> = sentences.iter().filter_map(Value::as_str).collect();
    let rows = features(title, &sentences);
    let mut right = vec![false; rows.len()];
    let parts = value["gold"].as_array().ok_or(missing("gold"))?.iter().filter_map(Value::as_array).flatten();
    for index in parts.filter_map(Value::as_array).flatten().filter_map(Value::as_u64) {
        if let Some(right) = right.get_mut(index as usize) {
            *right = true;
        }
    }
    Ok(Article { rows, right })
}

/// Weights in the whole steps in which they are shipped, and what these stand for.
fn shipped(weights: &[f64]) -> ((f32, Vec<f64>), Vec<f64>) {
    let (step, whole) = quantised(weights, 32_767.0);
    let weights = whole.iter().map(|whole| whole * f64::from(step)).collect();
    ((step, whole), weights)
}

/// Gradient ascent on the logarithm of the probability that the right sentences get, each weight at its own pace.
fn fit(articles: &[&Article]) -> Vec<f64> {
    let mut weights = vec![0.0; FEATURES];
    let mut travelled = vec![1e-6; FEATURES];
    let penalty = |at: usize| PENALTIES[usize::from(at >= PLAIN) + usize::from(at >= HASHED)];
    for _ in 0..ROUNDS {
        let mut gradient = vec![0.0; FEATURES];
        for article in articles.iter().filter(|article| article.right.contains(&true)) {
            let sure = softmax(&article.rows, &weights);
            let right: f64 = sure.iter().zip(&article.right).filter(|(_, right)| **right).map(|(sure, _)| sure).sum();
            for (at, row) in article.rows.iter().enumerate() {
                let wanted = if article.right[at] { sure[at] / right.max(1e-12) } else { 0.0 };
                for &(feature, value) in row {
                    gradient[usize::from(feature)] += (wanted - sure[at]) * f64::from(value);
                }
            }
        }
        for at in 0..FEATURES {
            let slope = gradient[at] - penalty(at) * weights[at];
            travelled[at] += slope * slope;
            weights[at] += RATE * slope / f64::sqrt(travelled[at]);
        }
    }
    weights
}

fn softmax(rows: &[Row], weights: &[f64]) -> Vec<f64> {
    let sum = |row: &Row| row.iter().map(|&(at, value)| weights[usize::from(at)] * f64::from(value)).sum();
    let sums: Vec<f64> = rows.iter().map(sum).collect();
    let highest = sums.iter().copied().fold(f64::MIN, f64::max);
    let exponentials: Vec<f64> = sums.iter().map(|sum| exp(sum - highest)).collect();
    let total: f64 = exponentials.iter().sum();
    exponentials.iter().map(|exponential| exponential / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_sentence_is_learned() {
        let article = || Article { rows: vec![vec![(0, 1.0)], vec![(1, 1.0)]], right: vec![false, true] };
        let articles: Vec<Article> = (0..50).map(|_| article()).collect();
        let weights = fit(&articles.iter().collect::<Vec<_>>());
        assert!(weights[1] > 0.1 && weights[0] < -0.1);
        assert!(softmax(&articles[0].rows, &weights)[1] > 0.8);
    }

    #[test]
    fn gold_outside_the_article_is_ignored() {
        let line = r#"{"title": "t", "sents": ["one", "two"], "gold": [[[1, 77], []]]}"#;
        assert_eq!(read(0, line).expect("a good line").right, [false, true]);
        assert!(read(4, "{}").is_err_and(|why| why == "line 5 has no title"));
    }
}
