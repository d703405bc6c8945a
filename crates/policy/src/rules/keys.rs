//! Every rule as a key and a text: what `courant feed rule set FEED KEY VALUE` writes and the reference page lists.
//!
//! One table with all keys; the test goes through it for every preset.

use super::text::{count_or_never, delay, duration, number, or_never, show, show_delay, word, word_of};
use super::{
    Collisions, Counts, Entries, ErrorBudget, FLOOR, From, FutureDates, Gone, Mode, OnChange, Preset, Rules, SameLink,
    Takes, Uid,
};
use jiff::SignedDuration;
use model::enrichment::{Kind, Kinds};
use model::entry::KeyKind;

/// A rule that a feed may override.
pub struct Key {
    /// Its key.
    pub name: &'static str,
    /// Its documentation, one sentence.
    pub doc: &'static str,
    read: fn(&mut Rules, &str) -> Result<(), String>,
    show: fn(&Rules) -> String,
}

impl Key {
    /// The value as text, as `with` takes it.
    pub fn value(&self, rules: &Rules) -> String {
        (self.show)(rules)
    }

    /// Whether a feed may override it. Leases belong to a worker, which holds many feeds at once.
    pub fn is_of_a_feed(&self) -> bool {
        self.name != "lease"
    }
}

/// All rules, in the order of the reference page.
pub fn keys() -> &'static [Key] {
    KEYS
}

pub(super) fn with(rules: &Rules, key: &str, value: &str) -> Result<Rules, String> {
    let known = KEYS.iter().find(|known| known.name == key).ok_or_else(|| {
        let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        format!("no rule is called `{key}`; expected one of {}", names.join(", "))
    })?;
    let mut changed = rules.clone();
    (known.read)(&mut changed, value.trim())?;
    consistent(&changed)?;
    Ok(changed)
}

/// Constraints between rules.
fn consistent(rules: &Rules) -> Result<(), String> {
    let interval = &rules.interval;
    if interval.min > interval.max {
        return Err(format!(
            "expected interval.min ({}) not above interval.max ({})",
            show(interval.min),
            show(interval.max)
        ));
    }
    // The range is that of submitted and curated feeds; G-09.
    let (least, most) = (SignedDuration::from_mins(15), SignedDuration::from_mins(1440));
    let within = |wait: SignedDuration| (least..=most).contains(&wait);
    if rules.preset == Preset::Governance && !(within(interval.initial) && within(interval.min) && within(interval.max))
    {
        return Err("expected between 15 and 1440 minutes".into());
    }
    Ok(())
}

/// An interval, at least the floor.
fn interval(text: &str) -> Result<SignedDuration, String> {
    match duration(text)? {
        wait if wait < FLOOR => Err(format!("expected at least {}", show(FLOOR))),
        wait => Ok(wait),
    }
}

fn never(value: Option<SignedDuration>) -> String {
    value.map_or_else(|| "never".to_owned(), show)
}

fn count(value: Option<u32>) -> String {
    value.map_or_else(|| "never".to_owned(), |count| count.to_string())
}

const MODES: &[(&str, Mode)] =
    &[("fixed", Mode::Fixed), ("fresh", Mode::Fresh), ("ewma", Mode::Ewma), ("adaptive", Mode::Adaptive)];
const COUNTS: &[(&str, Counts)] = &[("counts", Counts::Failure), ("pauses", Counts::Pause)];
const GONE: &[(&str, Gone)] = &[("retire", Gone::Retire), ("count", Gone::Count)];
const KINDS: &[(&str, KeyKind)] = &[("guid", KeyKind::Guid), ("url", KeyKind::Url), ("content", KeyKind::Content)];
const SAME_LINK: &[(&str, SameLink)] =
    &[("always", SameLink::Always), ("if_own", SameLink::IfOwn), ("only_without_id", SameLink::OnlyWithoutId)];
const COLLISIONS: &[(&str, Collisions)] =
    &[("other_link", Collisions::OtherLink), ("other_link_and_words", Collisions::OtherLinkAndWords)];
const UIDS: &[(&str, Uid)] = &[("native", Uid::Native), ("link_hash", Uid::LinkHash)];
const ON_CHANGE: &[(&str, OnChange)] = &[("update", OnChange::Update), ("ignore", OnChange::Ignore)];
const FUTURE: &[(&str, FutureDates)] = &[("clamp", FutureDates::Clamp), ("keep", FutureDates::Keep)];
const ENTRIES: &[(&str, Entries)] = &[("lenient", Entries::Lenient), ("strict", Entries::Strict)];
const FROM: &[(&str, From)] = &[("first_seen", From::FirstSeen), ("published", From::Published)];
const TAKES: &[(&str, Takes)] = &[("read", Takes::Read), ("any", Takes::Any)];
const SWITCH: &[(&str, bool)] = &[("on", true), ("off", false)];

/// A row of the table: name, doc, parser, formatter.
macro_rules! keys {
    ($($name:literal, $doc:literal, |$rules:ident, $text:ident| $read:expr, $show:expr;)*) => {
        &[$(Key {
            name: $name,
            doc: $doc,
            read: |$rules, $text| { $read; Ok(()) },
            show: |$rules| $show,
        }),*]
    };
}

static KEYS: &[Key] = keys! {
    "interval.mode", "The rule that chooses the interval: `fixed`, `fresh`, `ewma` or `adaptive`.",
        |r, t| r.interval.mode = word(t, MODES)?, word_of(r.interval.mode, MODES);
    "interval.initial", "The fixed interval, or the one a feed begins with.",
        |r, t| r.interval.initial = interval(t)?, show(r.interval.initial);
    "interval.min", "Never visited more often; at least 5 minutes.",
        |r, t| r.interval.min = interval(t)?, show(r.interval.min);
    "interval.max", "Never visited more seldom while all is well.",
        |r, t| r.interval.max = interval(t)?, show(r.interval.max);
    "interval.up", "`ewma`: the interval grows by this factor when there is nothing new.",
        |r, t| r.interval.up = number(t, 1.0, 10.0)?, r.interval.up.to_string();
    "interval.down", "`ewma`: the interval shrinks by this factor when there is something new.",
        |r, t| r.interval.down = number(t, 0.1, 1.0)?, r.interval.down.to_string();
    "interval.alpha", "`ewma`: how much the latest gap between entries weighs.",
        |r, t| r.interval.alpha = number(t, 0.2, 0.4)?, r.interval.alpha.to_string();
    "interval.lambda", "`ewma`: how much the smoothed gap weighs against the interval so far.",
        |r, t| r.interval.lambda = number(t, 0.0, 1.0)?, r.interval.lambda.to_string();
    "interval.jitter", "The maximum part of the interval that is added or removed at random, so that visits spread.",
        |r, t| r.interval.jitter = number(t, 0.0, 0.5)?, r.interval.jitter.to_string();
    "failure.delay", "How long to wait after a failure: `one_strike`, `exponential BASE UNIT` (a time, or `interval` and perhaps its least), `ladder …` or `keep_interval`.",
        |r, t| r.failure.delay = delay(t)?, show_delay(&r.failure.delay);
    "failure.cap", "The maximum delay after a failure, unless the server asks for more.",
        |r, t| r.failure.cap = interval(t)?, show(r.failure.cap);
    "failure.disable_after", "This many failures in a row disable the feed.",
        |r, t| r.failure.disable_after = count_or_never(t)?, count(r.failure.disable_after);
    "failure.revive_after", "A disabled feed is tried again after this.",
        |r, t| r.failure.revive_after = or_never(t)?.map(|wait| wait.max(FLOOR)), never(r.failure.revive_after);
    "failure.busy", "Whether 429 and 503 count as failures (`counts`) or only pause (`pauses`).",
        |r, t| r.busy.counts = word(t, COUNTS)?, word_of(r.busy.counts, COUNTS);
    "failure.busy_delay", "How long to wait after 429 or 503 without a Retry-After.",
        |r, t| r.busy.delay = delay(t)?, show_delay(&r.busy.delay);
    "failure.retry_after_cap", "A Retry-After is honoured up to this; `never` means no limit.",
        |r, t| r.retry_after_cap = or_never(t)?, never(r.retry_after_cap);
    "failure.gone", "410 twice, a day apart, ends the visits (`retire`), or is a failure like others (`count`).",
        |r, t| r.gone = word(t, GONE)?, word_of(r.gone, GONE);
    "failure.error_budget", "This many failures among the last 50 visits stop visits for an hour.",
        |r, t| r.error_budget = count_or_never(t)?
            .map(|failures| ErrorBudget { failures, of: 50, open_for: SignedDuration::from_hours(1) }),
        count(r.error_budget.map(|budget| budget.failures));
    "dedup.chain", "The keys that identify entries: a set of `guid`, `url` and `content`, always tried in this order.",
        |r, t| r.dedup.chain = chain(t)?,
        r.dedup.chain.iter().map(|kind| word_of(*kind, KINDS)).collect::<Vec<_>>().join(",");
    "dedup.same_link", "What a known link with another id means: `always` the same entry, `if_own`, or `only_without_id`.",
        |r, t| r.dedup.same_link = word(t, SAME_LINK)?, word_of(r.dedup.same_link, SAME_LINK);
    "dedup.collisions", "What makes ids untrustworthy: the same id with `other_link`, or with `other_link_and_words`.",
        |r, t| r.dedup.collisions = word(t, COLLISIONS)?, word_of(r.dedup.collisions, COLLISIONS);
    "dedup.suspect_ids", "Whether ids that look like timestamps count against the feed at its first visit: `on` or `off`.",
        |r, t| r.dedup.suspect_ids = word(t, SWITCH)?, word_of(r.dedup.suspect_ids, SWITCH);
    "dedup.uid", "The uid of entries: the publisher's id if it can be trusted (`native`), or `link_hash`.",
        |r, t| r.dedup.uid = word(t, UIDS)?, word_of(r.dedup.uid, UIDS);
    "entries.on_change", "An entry whose content changed is updated (`update`) or left as it was (`ignore`).",
        |r, t| r.on_change = word(t, ON_CHANGE)?, word_of(r.on_change, ON_CHANGE);
    "entries.future_dates", "Entries dated ahead are sorted by when they were seen (`clamp`) or as given (`keep`).",
        |r, t| r.future_dates = word(t, FUTURE)?, word_of(r.future_dates, FUTURE);
    "entries.bad", "One bad entry fails the visit (`strict`) or only if all are bad (`lenient`).",
        |r, t| r.entries = word(t, ENTRIES)?, word_of(r.entries, ENTRIES);
    "entries.quota_per_day", "New entries a day beyond this are stored without being announced.",
        |r, t| r.quota_per_day = t.parse().map_err(|_| "expected a whole number".to_owned())?, r.quota_per_day.to_string();
    "entries.edits_per_day", "Edits a day beyond this are stored without being announced, and what they replace is not kept.",
        |r, t| r.edits_per_day = t.parse().map_err(|_| "expected a whole number".to_owned())?, r.edits_per_day.to_string();
    "retention.read_for", "Entries are deleted this long after all subscribers have read them.",
        |r, t| r.retention.read_for = or_never(t)?, never(r.retention.read_for);
    "retention.unread_for", "Entries that a subscriber has not read are deleted after this.",
        |r, t| r.retention.unread_for = or_never(t)?, never(r.retention.unread_for);
    "retention.any_for", "Entries are deleted after this, read or not.",
        |r, t| r.retention.any_for = or_never(t)?, never(r.retention.any_for);
    "retention.from", "Where the age of an unread entry begins: `first_seen` or `published`.",
        |r, t| r.retention.from = word(t, FROM)?, word_of(r.retention.from, FROM);
    "retention.per_feed", "Entries of a feed beyond this number are deleted, oldest first.",
        |r, t| r.retention.per_feed = count_or_never(t)?, count(r.retention.per_feed);
    "retention.per_feed_takes", "Which entries that limit may delete: those all subscribers have `read`, or `any`.",
        |r, t| r.retention.per_feed_takes = word(t, TAKES)?, word_of(r.retention.per_feed_takes, TAKES);
    "retention.full_text_for", "The full text of articles is cleared this long after all subscribers have read them.",
        |r, t| r.retention.full_text_for = or_never(t)?, never(r.retention.full_text_for);
    "retention.raw_samples", "This many raw documents are kept, whatever else is deleted.",
        |r, t| r.retention.raw_samples = count_or_never(t)?, count(r.retention.raw_samples);
    "lease", "How long a worker may hold a feed without a heartbeat; the same for all feeds.",
        |r, t| r.lease = duration(t).and_then(at_least_half_a_minute)?, show(r.lease);
    "ai.kinds", "What is made of entries: a set of `summary`, `tags` and `deframe`, or `off`.",
        |r, t| r.ai.kinds = enrichments(t)?, shown_enrichments(r.ai.kinds);
    "ai.language", "The language of summaries and calm titles by a model, such as `pt-BR`; `article` is that of the article.",
        |r, t| r.ai.language = language(t)?, r.ai.language.clone().unwrap_or_else(|| "article".into());
    "ai.prompt", "The name of the prompts to use instead of the built-in ones, from the directory `ai.prompts`; `built-in` is these.",
        |r, t| r.ai.prompt = prompt(t)?, r.ai.prompt.clone().unwrap_or_else(|| "built-in".into());
};

fn enrichments(text: &str) -> Result<Kinds, String> {
    if text == "off" {
        return Ok(Kinds::NONE);
    }
    let read = |word: &str| {
        Kind::named(word.trim()).ok_or_else(|| format!("expected `off`, or a list of {}", Kind::WORDS.join(", ")))
    };
    Ok(Kinds::of(&text.split(',').map(read).collect::<Result<Vec<_>, _>>()?))
}

fn shown_enrichments(kinds: Kinds) -> String {
    let words: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    if words.is_empty() { "off".to_owned() } else { words.join(",") }
}

/// A language tag as models understand it: letters, digits and hyphens.
fn language(text: &str) -> Result<Option<String>, String> {
    let part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match text {
        "article" => Ok(None),
        tag if tag.len() <= 24 && tag.split('-').all(part) && tag.len() >= 2 => Ok(Some(tag.to_owned())),
        _ => Err("expected `article` or a language such as `de` or `pt-BR`".into()),
    }
}

/// It becomes part of a file's name.
fn prompt(text: &str) -> Result<Option<String>, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    match text {
        "built-in" => Ok(None),
        name if (1..=64).contains(&name.len()) && name.bytes().all(plain) => Ok(Some(name.to_owned())),
        _ => Err("expected `built-in` or a name of letters, digits, `-` and `_`".into()),
    }
}

/// A set, sorted in order of precedence, however it was written.
fn chain(text: &str) -> Result<Vec<KeyKind>, String> {
    let mut chain = text.split(',').map(|name| word(name.trim(), KINDS)).collect::<Result<Vec<_>, _>>()?;
    chain.sort_unstable();
    chain.dedup();
    Ok(chain)
}

/// A visit may take 30 seconds; a shorter lease would expire during it.
fn at_least_half_a_minute(wait: SignedDuration) -> Result<SignedDuration, String> {
    if wait < SignedDuration::from_secs(30) { Err("expected at least 30s".into()) } else { Ok(wait) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Delay, FailureRule, Unit};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_a_rule_shows_is_what_it_reads() {
        for preset in Preset::ALL {
            let rules = Rules::preset(preset);
            for key in keys() {
                let value = key.value(&rules);
                assert_eq!(rules.with(key.name, &value).as_ref(), Ok(&rules), "{preset} {} = {value}", key.name);
                assert!(key.doc.ends_with('.') && !value.is_empty(), "{preset} {}", key.name);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Also when the rules of another preset are applied one by one.
        #[test]
        fn what_one_preset_shows_another_reads(one in 0..6_usize, other in 0..6_usize, key in 0..keys().len()) {
            let (one, other) = (Rules::preset(Preset::ALL[one]), Rules::preset(Preset::ALL[other]));
            let key = &keys()[key];
            if let Ok(changed) = other.with(key.name, &key.value(&one)) {
                prop_assert_eq!(key.value(&changed), key.value(&one), "{}", key.name);
                prop_assert_eq!(changed.with(key.name, &key.value(&changed)), Ok(changed));
            }
        }

        #[test]
        fn every_delay_reads_as_it_is_shown(delay in delays()) {
            let rules = Rules { failure: FailureRule { delay, ..Rules::default().failure }, ..Rules::default() };
            let key = keys().iter().find(|key| key.name == "failure.delay").unwrap();
            prop_assert_eq!(rules.with(key.name, &key.value(&rules)), Ok(rules));
        }
    }

    fn delays() -> impl Strategy<Value = Delay> {
        let span = || (0..4_000_000_i64).prop_map(SignedDuration::from_secs);
        let unit = prop_oneof![
            Just(Unit::Interval { least: FLOOR }),
            span().prop_map(|least| Unit::Interval { least }),
            span().prop_map(Unit::Fixed),
        ];
        prop_oneof![
            Just(Delay::OneStrike),
            Just(Delay::KeepInterval),
            (1.0..100.0_f64, unit).prop_map(|(base, unit)| Delay::Exponential { base, unit }),
            proptest::collection::vec(span(), 1..50).prop_map(Delay::Ladder),
        ]
    }

    #[test]
    fn a_refusal_says_what_was_expected() {
        let check = |preset, key: &str, value: &str, expected: &str| {
            let said = Rules::preset(preset).with(key, value).map_or_else(|said| said, |_| "fine".into());
            assert!(said.contains(expected), "{key} = {value}: {said}");
        };
        let courant = Preset::Courant;
        check(courant, "interval.mode", "fixed", "fine");
        check(courant, "interval.mode", "Fixed", "expected `fixed`, `fresh`, `ewma` or `adaptive`");
        check(courant, "interval.min", "5m", "fine");
        check(courant, "interval.min", "299s", "expected at least 5m");
        check(courant, "interval.min", "2d", "not above interval.max");
        check(courant, "interval.min", "soon", "expected a duration such as");
        check(courant, "interval.max", "99999999999999999999d", "expected a duration");
        check(courant, "interval.alpha", "0.5", "expected a number from 0.2 to 0.4");
        check(courant, "interval.up", "NaN", "expected a number from 1 to 10");
        check(courant, "failure.delay", "exponential 2 1h", "fine");
        check(courant, "failure.delay", "exponential 2 interval 15m", "fine");
        check(courant, "failure.delay", "exponential 2 interval 15m 3", "expected `one_strike`");
        check(courant, "failure.delay", "exponential 2 interval soon", "expected a duration such as");
        check(courant, "failure.delay", "exponential", "expected `one_strike`");
        check(courant, "failure.delay", "ladder", "expected `one_strike`");
        check(courant, "failure.delay", "ladder 1h 4h", "fine");
        check(courant, "failure.disable_after", "never", "fine");
        check(courant, "failure.disable_after", "0", "from 1 on, or `never`");
        check(courant, "dedup.chain", "guid, url", "fine");
        check(courant, "dedup.chain", "", "expected `guid`, `url` or `content`");
        let chain = Rules::preset(courant).with("dedup.chain", "content,url,guid,url").expect("a set");
        assert_eq!(chain, Rules::preset(courant), "a set has no order");
        check(courant, "lease", "1s", "expected at least 30s");
        check(courant, "colour", "red", "no rule is called `colour`; expected one of interval.mode,");
        check(Preset::Governance, "interval.initial", "15m", "fine");
        check(Preset::Governance, "interval.initial", "14m", "expected between 15 and 1440 minutes");
        check(Preset::Governance, "interval.initial", "1441m", "expected between 15 and 1440 minutes");
    }

    #[test]
    fn a_group_is_paused_no_longer_than_the_feed_and_the_global_rules_allow() {
        let check = |global: &str, own: &str, expected: &str| {
            let global = Rules::default().with("failure.retry_after_cap", global).unwrap();
            let own = global.with("failure.retry_after_cap", own).unwrap();
            assert_eq!(show(own.pause_cap(&global)), expected);
        };
        check("7d", "7d", "7d");
        check("7d", "1h", "1h");
        check("7d", "never", "7d");
        check("never", "2d", "2d");
        check("never", "never", "36500d");
    }

    #[test]
    fn invalid_overrides_are_skipped_and_reported() {
        let global = Rules::default();
        let overrides = BTreeMap::from([("interval.max".into(), "2h".into()), ("interval.min".into(), "1s".into())]);
        let (rules, problems) = Rules::resolve(&global, &overrides);
        assert_eq!((rules.interval.max, rules.interval.min), (SignedDuration::from_hours(2), FLOOR));
        assert_eq!(problems, ["interval.min = 1s: expected at least 5m"]);
    }
}
