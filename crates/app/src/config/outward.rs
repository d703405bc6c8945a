//! Kinds of values about egress and pace. `fetch` and `policy` parse them; here is only how lists of them are written.

use fetch::EgressRule;
use policy::Rules;
use policy::rate_groups::RateGroups;
use std::collections::BTreeMap;

use super::value::Value;

/// The only hosts that visits may reach; empty for all.
#[derive(Debug, Clone, PartialEq)]
pub struct EgressList(pub Vec<EgressRule>);

impl Value for EgressList {
    const LIST: bool = true;

    fn expected() -> String {
        "hosts such as `example.org`, `*.example.org` or networks such as `203.0.113.0/24`, separated by commas".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let rules = text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(EgressRule::read);
        rules.collect::<Result<_, _>>().map(Self).map_err(|_| Self::expected())
    }

    fn show(&self) -> String {
        self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Which feeds share a rate group. Keeps the text, for showing.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupPatterns(pub RateGroups, String);

impl Value for GroupPatterns {
    fn expected() -> String {
        "patterns such as `*.example.com` or `hub.example.com/{1}, spacing 5s`, separated by semicolons".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let patterns = text.split(';').map(str::trim).filter(|part| !part.is_empty());
        match RateGroups::new(patterns) {
            Ok(groups) => Ok(Self(groups, text.to_owned())),
            Err(bad) => Err(bad.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
        }
    }

    fn show(&self) -> String {
        self.1.clone()
    }
}

/// Types such as `text/xml`.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaTypes(pub Vec<String>);

impl Value for MediaTypes {
    const LIST: bool = true;

    fn expected() -> String {
        "types such as `application/rss+xml`, separated by commas".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_graphic() && c != '/');
        let is_type = |part: &str| part.split_once('/').is_some_and(|(kind, name)| word(kind) && word(name));
        let types: Vec<String> = parts.map(str::to_lowercase).collect();
        if types.iter().all(|part| is_type(part)) { Ok(Self(types)) } else { Err(Self::expected()) }
    }

    fn show(&self) -> String {
        self.0.join(", ")
    }
}

/// Rules by key; whether they are consistent with the preset is checked when they are used.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleTexts(pub BTreeMap<String, String>);

impl Value for RuleTexts {
    fn expected() -> String {
        "rules such as `interval.min = 10m`, separated by semicolons".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let mut rules = BTreeMap::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(Self::expected)?;
            rules.insert(key.trim().to_owned(), value.trim().to_owned());
        }
        // Checked together: one end of a range may be valid only with the other.
        match Rules::resolve(&Rules::default(), &rules).1.first() {
            Some(problem) => Err(format!("{}, but {problem}", Self::expected())),
            None => Ok(Self(rules)),
        }
    }

    fn show(&self) -> String {
        self.0.iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_shown_as_written_and_mistakes_named() {
        let text = "*.example.com; hub.example.org/{1}, spacing 5s";
        let patterns = GroupPatterns::read(text).unwrap();
        assert_eq!(patterns.show(), text);
        assert_eq!(patterns.0.of("https://a.example.com/x").unwrap().name, "example.com");
        assert_eq!(patterns.0.of("https://hub.example.org/news/x").unwrap().name, "hub.example.org/news");
        assert!(
            GroupPatterns::read("*.example.com, spacing soon").unwrap_err().contains("*.example.com, spacing soon")
        );
        assert!(GroupPatterns::read("").is_ok());
    }

    #[test]
    fn types_are_read_and_shown() {
        let check = |text: &str, expected: &str| {
            let shown = MediaTypes::read(text).map_or_else(|_| "refused".to_owned(), |list| list.show());
            assert_eq!(shown, expected, "{text}");
        };
        check("Text/XML,application/json", "text/xml, application/json");
        check("xml", "refused");
        check("a/b/c", "refused");
        check("", "");
    }

    #[test]
    fn hosts_are_read_and_shown() {
        let check = |text: &str, expected: &str| {
            let shown = EgressList::read(text).map_or_else(|_| "refused".to_owned(), |list| list.show());
            assert_eq!(shown, expected, "{text}");
        };
        check("", "");
        check("example.org,*.example.com , 203.0.113.0/24", "example.org, *.example.com, 203.0.113.0/24");
        check("http://example.org/", "refused");
    }
}
