//! What a title does to its reader: five scores, each with a reason, and one for all of them together.
//!
//! Four are made of word lists (`data/*.txt`) and of rules that fit in a sentence, so that everybody can see why a title
//! got what it got; the fifth is the clickbait model. Languages without lists are not scored.

mod framing;
mod hyper_stimulus;
mod persuasive;
mod shouting;
mod speculative;
mod weigh;

pub use framing::framing;
pub use hyper_stimulus::hyper_stimulus;
pub use persuasive::persuasive;
pub use speculative::speculative;

pub(crate) use shouting::{is_acronym, is_capitals, is_emoji};

use crate::clickbait::clickbait;
use crate::{Language, Score};

/// All scores of a title or a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Takes sides by its choice of words.
    pub framing: Score,
    /// Teases, promises or withholds.
    pub clickbait: Score,
    /// Wants something of the reader.
    pub persuasive: Score,
    /// Raises the pulse.
    pub hyper_stimulus: Score,
    /// Says what is not known.
    pub speculative: Score,
    /// All of them together: [`overall`].
    pub overall: Score,
}

/// The scores of a title; none for languages that are not scored.
pub fn scores(title: &str, language: Language) -> Option<Scores> {
    let framing = framing(title, language)?;
    let clickbait = clickbait(title, language)?;
    let persuasive = persuasive(title, language)?;
    let hyper_stimulus = hyper_stimulus(title, language)?;
    let speculative = speculative(title, language)?;
    let overall = overall(&framing, &clickbait, &persuasive, &hyper_stimulus, &speculative);
    Some(Scores { framing, clickbait, persuasive, hyper_stimulus, speculative, overall })
}

/// What each score weighs in the overall one. Clickbait weighs most, because its model is the best measured; to be
/// speculative is the least of faults, because an honest report says "may", too.
const WEIGHTS: [(&str, f64); 5] =
    [("framing", 0.4), ("clickbait", 0.75), ("persuasive", 0.3), ("hyper-stimulus", 0.55), ("speculative", 0.15)];

/// Titles below this are left as they are.
pub(crate) const CALM: f64 = 0.3;

/// All scores together: `1 - (1 - w1·s1)·(1 - w2·s2)·…`, as if each were an independent cause to distrust a title, with the
/// weights 0.4 for framing, 0.75 for clickbait, 0.3 for persuasive, 0.55 for hyper-stimulus and 0.15 for speculative. It is
/// between 0 and 1, never falls when a part rises, and is at least as high as each part's own share. It is calibrated to what
/// readers say: headlines that a model of other headlines gives 0.25, 0.45 or 0.65 are judged 0.25, 0.40 and 0.60 on average
/// (0 is "not", 1 "heavily" click baiting).
pub fn overall(
    framing: &Score,
    clickbait: &Score,
    persuasive: &Score,
    hyper_stimulus: &Score,
    speculative: &Score,
) -> Score {
    let parts = [framing, clickbait, persuasive, hyper_stimulus, speculative];
    let shares: Vec<(f64, &str)> =
        parts.iter().zip(WEIGHTS).map(|(part, (name, weight))| (part.value.clamp(0.0, 1.0) * weight, name)).collect();
    let value = 1.0 - shares.iter().map(|(share, _)| 1.0 - share).product::<f64>();
    let mut told: Vec<&(f64, &str)> = shares.iter().filter(|(share, _)| *share >= 0.15).collect();
    told.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names: Vec<&str> = told.iter().take(2).map(|(_, name)| *name).collect();
    let reason =
        if value < CALM || names.is_empty() { "calm".to_owned() } else { format!("mostly {}", names.join(" and ")) };
    Score::new(value, reason)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: [f64; 5]) -> f64 {
        let scores = values.map(|value| Score::new(value, ""));
        overall(&scores[0], &scores[1], &scores[2], &scores[3], &scores[4]).value
    }

    #[test]
    fn the_formula_at_its_ends() {
        assert!(of([0.0; 5]).abs() < 1e-9);
        assert!((of([0.0, 1.0, 0.0, 0.0, 0.0]) - 0.75).abs() < 1e-9);
        assert!((of([1.0, 1.0, 0.0, 0.0, 0.0]) - 0.85).abs() < 1e-9);
        assert!(of([1.0; 5]) < 1.0);
    }

    #[test]
    fn calm_titles_stay_below_the_worst() {
        let check = |title: &str, low: f64, high: f64| {
            let scores = scores(title, Language::ENGLISH).expect("English is scored");
            assert!((low..=high).contains(&scores.overall.value), "{title}: {scores:#?}");
        };
        check("Central bank raises interest rate to 4.5 percent", 0.0, 0.3);
        check("Two injured in train collision near Lyon", 0.0, 0.3);
        check("SHOCKING: You won't BELIEVE what this idiot did next!!!", 0.8, 1.0);
        check("This one weird trick will change your life forever", 0.5, 1.0);
    }

    #[test]
    fn the_reason_names_the_largest_parts() {
        let reason = |title: &str| scores(title, Language::ENGLISH).expect("English is scored").overall.reason;
        assert_eq!(reason("Council approves budget for 2025"), "calm");
        assert!(reason("You won't believe these 12 things!!!").starts_with("mostly clickbait"));
    }

    #[test]
    fn unknown_languages_are_not_scored() {
        assert_eq!(scores("速報", Language::from_code("ja").expect("Japanese")), None);
    }

    proptest! {
        #[test]
        fn overall_is_monotone_in_every_part(values in prop::array::uniform5(0.0..1.0_f64), part in 0..5_usize, more in 0.0..1.0_f64) {
            let mut raised = values;
            raised[part] = (values[part] + more).min(1.0);
            prop_assert!(of(raised) >= of(values) - 1e-12);
        }

        #[test]
        fn any_title_has_scores_in_range(title in "\\PC{0,150}") {
            for code in ["en", "de", "da"] {
                let scores = scores(&title, Language::from_code(code).expect("a language")).expect("a scored language");
                for score in [scores.framing, scores.clickbait, scores.persuasive, scores.hyper_stimulus, scores.speculative, scores.overall] {
                    prop_assert!((0.0..=1.0).contains(&score.value) && !score.reason.is_empty());
                }
            }
        }
    }
}
