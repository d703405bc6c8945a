//! Trains the clickbait model: ridge regression from hashed n-grams and style to the mean judgement of the readers.
//!
//! The file is a JSON array of `{"post_text", "truth_mean", "click_bait"}` (Webis Clickbait 17).

use prose::clickbait::features::{BUCKETS, Features, STYLES, features};
use prose::clickbait::model::{MAGIC, root};
use serde_json::Value;

use crate::figures::{auc, log2, quantised};
use crate::ridge::{Row, ridge};

const COLUMNS: usize = 2 * BUCKETS + STYLES + 1;

/// Chosen by cross-validation among 2, 3, 4 and 8.
const PENALTY: f64 = 4.0;
/// Buckets of fewer headlines than this get no weight.
const RAREST: u32 = 3;
/// The constant is a feature of this value, so that the penalty hardly touches it.
const CONSTANT: f64 = 3.0;
/// Usual lengths of the two kinds of vectors: makes one penalty fit all kinds.
const WORD_SCALE: f64 = 1.0 / 8.0;
const CHARACTER_SCALE: f64 = 1.0 / 5.0;
const FOLDS: usize = 5;

/// The bytes of the weights file.
pub(crate) fn train(text: &str) -> Result<Vec<u8>, String> {
    let rows: Vec<Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut headlines = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let title = row["post_text"].as_str().ok_or(format!("row {at} has no post_text"))?;
        let mean = row["truth_mean"].as_f64().ok_or(format!("row {at} has no truth_mean"))?;
        headlines.push((features(title), mean, row["click_bait"] == 1));
    }
    let numbers: Vec<usize> = (0..headlines.len()).collect();
    let mut scores = vec![0.0; headlines.len()];
    for fold in 0..FOLDS {
        let (tested, learned): (Vec<usize>, Vec<usize>) = numbers.iter().partition(|at| *at % FOLDS == fold);
        let model = Model::learn(&learned.iter().map(|at| &headlines[*at]).collect::<Vec<_>>());
        for at in tested {
            scores[at] = model.score(&headlines[at].0);
        }
    }
    let squares = scores.iter().zip(&headlines).map(|(score, headline)| (score - headline.1).powi(2));
    let error = squares.sum::<f64>() / headlines.len() as f64;
    let bait: Vec<bool> = headlines.iter().map(|headline| headline.2).collect();
    println!(
        "{FOLDS}-fold cross-validation on {} headlines: MSE {error:.4}, AUC {:.4}",
        bait.len(),
        auc(&scores, &bait)
    );
    Ok(Model::learn(&headlines.iter().collect::<Vec<_>>()).bytes())
}

type Headline = (Features, f64, bool);

/// The weights as they are shipped, in whole steps.
struct Model {
    word_step: f32,
    words: Vec<f64>,
    character_step: f32,
    characters: Vec<f64>,
    constant: f32,
    style: Vec<f32>,
}

impl Model {
    fn learn(headlines: &[&Headline]) -> Self {
        let rarity = rarity(headlines);
        let rows: Vec<Row> = headlines.iter().map(|headline| row(&headline.0, &rarity)).collect();
        let targets: Vec<f64> = headlines.iter().map(|headline| headline.1).collect();
        let weights = ridge(&rows.iter().collect::<Vec<_>>(), &targets, COLUMNS, PENALTY);
        // The rarity goes into the weights, so that nobody needs it later.
        let scaled = |range: std::ops::Range<usize>, scale: f64| -> Vec<f64> {
            range.map(|at| weights[at] * rarity[at] * scale).collect()
        };
        let (word_step, words) = quantised(&scaled(0..BUCKETS, WORD_SCALE), 127.0);
        let (character_step, characters) = quantised(&scaled(BUCKETS..2 * BUCKETS, CHARACTER_SCALE), 127.0);
        let style = weights[2 * BUCKETS..2 * BUCKETS + STYLES].iter().map(|weight| *weight as f32).collect();
        let constant = (weights[2 * BUCKETS + STYLES] * CONSTANT) as f32;
        Self { word_step, words, character_step, characters, constant, style }
    }

    fn score(&self, features: &Features) -> f64 {
        let words: f64 = features.words.iter().map(|word| self.words[usize::from(word.0)]).sum();
        let characters: f64 = features.characters.iter().map(|at| self.characters[usize::from(*at)]).sum();
        let style: f32 = self.style.iter().zip(features.style).map(|(weight, value)| weight * value).sum();
        let words = words * f64::from(self.word_step) / root(features.words.len());
        let characters = characters * f64::from(self.character_step) / root(features.characters.len());
        (words + characters + f64::from(style + self.constant)).clamp(0.0, 1.0)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for float in [self.word_step, self.character_step, self.constant].iter().chain(&self.style) {
            bytes.extend(float.to_le_bytes());
        }
        bytes.extend(self.words.iter().chain(&self.characters).flat_map(|whole| (*whole as i8).to_le_bytes()));
        bytes
    }
}

/// How rare each bucket is; 0 where it is too rare to learn from.
fn rarity(headlines: &[&Headline]) -> Vec<f64> {
    let mut found = vec![0_u32; COLUMNS];
    for (features, _, _) in headlines {
        for (at, _) in &features.words {
            found[usize::from(*at)] += 1;
        }
        for at in &features.characters {
            found[BUCKETS + usize::from(*at)] += 1;
        }
    }
    let rarity = |found: u32| 1.0 + 0.7 * log2(headlines.len() as f64 / f64::from(found));
    found.into_iter().map(|found| if found < RAREST { 0.0 } else { rarity(found) }).collect()
}

fn row(features: &Features, rarity: &[f64]) -> Row {
    let mut row = Row::new();
    let scale = WORD_SCALE / root(features.words.len());
    row.extend(features.words.iter().map(|(at, _)| (u32::from(*at), scale * rarity[usize::from(*at)])));
    let scale = CHARACTER_SCALE / root(features.characters.len());
    let characters = features.characters.iter().map(|at| BUCKETS + usize::from(*at));
    row.extend(characters.map(|at| (at as u32, scale * rarity[at])));
    row.extend(features.style.iter().enumerate().map(|(at, value)| ((2 * BUCKETS + at) as u32, f64::from(*value))));
    row.push(((2 * BUCKETS + STYLES) as u32, CONSTANT));
    row.retain(|cell| cell.1 != 0.0);
    row
}
