//! Rules of a feed's own: which may be set, which may be taken back, and what then holds.

use super::Rules;
use super::keys::{Key, keys};
use std::collections::BTreeMap;
use std::fmt;

/// The rules of a feed's own after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnRules {
    /// All of them, by key.
    pub own: BTreeMap<String, String>,
    /// What the changed one comes to.
    pub value: String,
    /// The interval among them in minutes, where the database holds it to a range.
    pub refresh_minutes: Option<i64>,
}

/// Why a feed cannot have a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoSuchRule {
    /// No rule is called so.
    Unknown {
        /// As given.
        key: String,
    },
    /// It is the same for all feeds.
    SameForAll {
        /// Which.
        key: String,
    },
    /// It cannot have that value.
    BadValue {
        /// Which.
        key: String,
        /// As given.
        value: String,
        /// Why not.
        why: String,
    },
    /// The feed has no such rule of its own.
    NotOwn {
        /// Which.
        key: String,
    },
}

/// The rules of a feed with one more of its own, or with another value of one.
pub fn with_own(
    global: &Rules,
    own: &BTreeMap<String, String>,
    key: &str,
    value: &str,
) -> Result<OwnRules, NoSuchRule> {
    let known = known(key).ok_or_else(|| NoSuchRule::Unknown { key: key.to_owned() })?;
    if !known.is_of_a_feed() {
        return Err(NoSuchRule::SameForAll { key: key.to_owned() });
    }
    let bad = |why| NoSuchRule::BadValue { key: key.to_owned(), value: value.to_owned(), why };
    Rules::resolve(global, own).0.with(key, value).map_err(bad)?;
    let mut own = own.clone();
    own.insert(key.to_owned(), value.to_owned());
    let (rules, _) = Rules::resolve(global, &own);
    Ok(OwnRules { value: known.value(&rules), refresh_minutes: refresh_minutes(&rules, &own), own })
}

/// The rules of a feed without one of its own. Also one that no version knows any more can be taken back.
pub fn without_own(global: &Rules, own: &BTreeMap<String, String>, key: &str) -> Result<OwnRules, NoSuchRule> {
    let mut own = own.clone();
    own.remove(key).ok_or_else(|| NoSuchRule::NotOwn { key: key.to_owned() })?;
    let (rules, _) = Rules::resolve(global, &own);
    let value = known(key).map(|known| known.value(global)).unwrap_or_default();
    Ok(OwnRules { value, refresh_minutes: refresh_minutes(&rules, &own), own })
}

fn known(key: &str) -> Option<&'static Key> {
    keys().iter().find(|known| known.name == key)
}

fn refresh_minutes(rules: &Rules, own: &BTreeMap<String, String>) -> Option<i64> {
    rules.refresh_minutes().filter(|_| own.contains_key("interval.initial"))
}

impl fmt::Display for NoSuchRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { key } => write!(f, "no rule is called `{key}`"),
            Self::SameForAll { key } => {
                write!(f, "`{key}` is the same for all feeds: set it in `rules` of the configuration")
            }
            Self::BadValue { key, value, why } => write!(f, "`{key}` cannot be `{value}`: {why}"),
            Self::NotOwn { key } => write!(f, "it has no rule `{key}` of its own"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_feed_s_own() {
        let global = Rules::default();
        let own = BTreeMap::from([("interval.min".to_owned(), "2h".to_owned()), ("old".to_owned(), "1".to_owned())]);
        let told = |changed: Result<OwnRules, NoSuchRule>| match changed {
            Ok(OwnRules { own, value, .. }) => format!("{} = {value}", own.into_keys().collect::<Vec<_>>().join(" ")),
            Err(refused) => refused.to_string(),
        };
        let check = |changed, expected: &str| assert_eq!(told(changed), expected);
        check(with_own(&global, &own, "interval.min", "3h"), "interval.min old = 3h");
        check(with_own(&global, &own, "interval.max", "9d"), "interval.max interval.min old = 9d");
        check(with_own(&global, &own, "nothing", "1"), "no rule is called `nothing`");
        check(
            with_own(&global, &own, "lease", "1m"),
            "`lease` is the same for all feeds: set it in `rules` of the configuration",
        );
        assert!(told(with_own(&global, &own, "interval.min", "soon")).starts_with("`interval.min` cannot be `soon`: "));
        check(without_own(&global, &own, "old"), "interval.min = ");
        check(without_own(&global, &own, "interval.max"), "it has no rule `interval.max` of its own");
    }

    /// Only where an interval is governed, and only for an interval of the feed's own.
    #[test]
    fn a_governed_interval_is_handed_to_the_database() {
        let minutes = |global: &Rules, key: &str, value: &str| {
            with_own(global, &BTreeMap::new(), key, value).map(|own| own.refresh_minutes)
        };
        let governed = Rules::preset(super::super::Preset::Governance);
        assert_eq!(minutes(&governed, "interval.initial", "2h"), Ok(Some(120)));
        assert_eq!(minutes(&governed, "interval.max", "12h"), Ok(None));
        assert_eq!(minutes(&Rules::default(), "interval.initial", "2h"), Ok(None));
    }
}
