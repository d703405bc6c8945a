//! One line of an operator about rate groups: parsed, and matched against URLs.
//!
//! What the lines mean together is in the parent; error messages say how to correct a line.

use super::{MAX_BYTES, Pause};
use jiff::SignedDuration;
use url::Url;

/// The maximum of a path segment in a name.
const MAX_PART: usize = 64;
const MAX_SPACING: SignedDuration = SignedDuration::from_hours(1);

/// The options of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) spacing: Option<SignedDuration>,
    pub(super) at_once: Option<u32>,
    pub(super) pause: Option<Pause>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    host: HostPattern,
    port: Option<u16>,
    path: Vec<Part>,
    name: Name,
    /// The key of its options: its name, with the placeholders.
    pub(super) key: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostPattern {
    Exact(String),
    /// The host and all its subdomains.
    Below(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Exact(String),
    Any,
    /// Any, and part of the name.
    Named,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    /// As written.
    Fixed(String),
    /// The host of the URL.
    Host,
    /// A prefix, and each named part of the path.
    WithParts(String),
}

/// The parts of a URL that patterns match.
pub(super) struct UrlParts<'a> {
    host: &'a str,
    port: Option<u16>,
    path: Vec<&'a str>,
}

impl<'a> UrlParts<'a> {
    pub(super) fn of(url: &'a Url) -> Option<UrlParts<'a>> {
        let host = url.host_str()?.trim_end_matches('.');
        let path = url.path_segments().into_iter().flatten().filter(|part| !part.is_empty()).take(16).collect();
        Some(UrlParts { host, port: url.port_or_known_default(), path })
    }
}

impl Pattern {
    pub(super) fn name_for(&self, url: &UrlParts<'_>) -> Option<String> {
        let host_fits = match &self.host {
            HostPattern::Exact(host) => url.host == *host,
            HostPattern::Below(host) => {
                url.host == *host || url.host.strip_suffix(host.as_str()).is_some_and(|rest| rest.ends_with('.'))
            }
        };
        let port_fits = self.port.is_none_or(|port| url.port == Some(port));
        if !host_fits || !port_fits || url.path.len() < self.path.len() {
            return None;
        }
        let mut named = String::new();
        for (part, found) in self.path.iter().zip(&url.path) {
            match part {
                Part::Exact(part) if !part.eq_ignore_ascii_case(found) => return None,
                Part::Exact(_) | Part::Any => {}
                // In lower case, so that another spelling of a route gets no second budget.
                Part::Named => {
                    named.push('/');
                    named.extend(found.chars().take(MAX_PART).map(|c| c.to_ascii_lowercase()));
                }
            }
        }
        Some(match &self.name {
            Name::Fixed(name) => name.clone(),
            Name::Host => url.host.to_owned(),
            Name::WithParts(name) => format!("{name}{named}"),
        })
    }
}

/// Parses one line of an operator; the error says what to write instead.
pub(super) fn read(text: &str) -> Result<(Pattern, Options), String> {
    if text.len() > MAX_BYTES {
        return Err(format!("it is longer than {MAX_BYTES} bytes"));
    }
    let mut pieces = text.split(',');
    let rule = pieces.next().unwrap_or_default();
    let mut options = Options::default();
    for piece in pieces {
        option(piece.trim(), &mut options)?;
    }
    let (place, name) = match rule.split_once('=') {
        Some((place, name)) => (place.trim(), Some(name.trim())),
        None => (rule.trim(), None),
    };
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    let (host, port) = read_host(host)?;
    let path = read_path(path)?;
    let (HostPattern::Exact(bare) | HostPattern::Below(bare)) = &host;
    let named = path.contains(&Part::Named);
    let written = match name {
        Some("") => return Err("there is nothing after \"=\"; write a name, \"alone\", or leave it out".into()),
        Some(name) if name.contains(char::is_whitespace) => {
            return Err("a name has no spaces; options come after a comma, as in \"= name, spacing 5s\"".into());
        }
        Some(name) if name.contains(['{', '}']) => {
            return Err("a name has no {…}; write it in the path, as in \"example.com/{1}\"".into());
        }
        Some(name) => name.to_ascii_lowercase(),
        None => own_name(bare, port, &path),
    };
    let name = match (name, named) {
        (Some("alone"), true) => {
            return Err("\"alone\" is about hosts and {…} about paths; leave \"= alone\" out".into());
        }
        (Some("alone"), false) => Name::Host,
        (_, true) => Name::WithParts(written.clone()),
        (_, false) => Name::Fixed(written.clone()),
    };
    let mut key = if name == Name::Host { place.to_ascii_lowercase() } else { written };
    if named {
        key.push_str("/{}");
    }
    Ok((Pattern { host, port, path, name, key }, options))
}

/// The default name of a group: its pattern up to the first placeholder.
fn own_name(host: &str, port: Option<u16>, path: &[Part]) -> String {
    let mut name = port.map_or(host.to_owned(), |port| format!("{host}:{port}"));
    for part in path {
        match part {
            Part::Exact(part) => {
                name.push('/');
                name.push_str(&part.to_ascii_lowercase());
            }
            Part::Any => name.push_str("/*"),
            Part::Named => {}
        }
    }
    name
}

fn read_host(text: &str) -> Result<(HostPattern, Option<u16>), String> {
    if text.is_empty() {
        return Err("it names no host; write one, as in \"feeds.example.com\" or \"*.example.com\"".into());
    }
    if text.ends_with(':') {
        return Err("write the host without \"https://\"".into());
    }
    let below = text.strip_prefix("*.");
    let url = Url::parse(&format!("http://{}/", below.unwrap_or(text)));
    let parsed = url.ok().and_then(|url| {
        let plain = url.username().is_empty() && url.password().is_none() && url.path() == "/" && url.query().is_none();
        Some((url.host_str().filter(|_| plain)?.trim_end_matches('.').to_owned(), url.port()))
    });
    let Some((host, port)) = parsed.filter(|(host, _)| !host.contains('*') && !host.is_empty()) else {
        return Err(format!("{text:?} is not a host; a \"*\" may only be in front of it, as in \"*.example.com\""));
    };
    Ok((if below.is_some() { HostPattern::Below(host) } else { HostPattern::Exact(host) }, port))
}

fn read_path(text: &str) -> Result<Vec<Part>, String> {
    let mut path = Vec::new();
    for (place, part) in (1..).zip(text.trim_end_matches('/').split('/').filter(|part| !part.is_empty())) {
        path.push(match part {
            "*" => Part::Any,
            _ if part == format!("{{{place}}}") => Part::Named,
            _ if part.starts_with('{') => {
                return Err(format!("{part} is in position {place} of the path; write {{{place}}} there"));
            }
            _ if part.contains(['*', '{', '}']) || part.contains(char::is_whitespace) => {
                return Err(format!(
                    "{part:?} is not a valid part of a path; a part is a word, \"*\" or \"{{{place}}}\""
                ));
            }
            _ => Part::Exact(part.to_owned()),
        });
    }
    Ok(path)
}

fn option(text: &str, options: &mut Options) -> Result<(), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let twice = match words[..] {
        ["spacing", wait] => options.spacing.replace(spacing(wait)?).is_some(),
        ["at", "once", count] => {
            let count = count.parse().ok().filter(|count| (1..=64).contains(count));
            options.at_once.replace(count.ok_or("write a number from 1 to 64, as in \"at once 2\"")?).is_some()
        }
        ["pause", "url"] => options.pause.replace(Pause::Url).is_some(),
        ["pause", "group"] => options.pause.replace(Pause::Group).is_some(),
        _ => {
            return Err(format!(
                "{text:?} is not an option; there are \"spacing 5s\", \"at once 2\", \"pause url\" and \"pause group\""
            ));
        }
    };
    if twice { Err(format!("{text:?} is given twice; give it once")) } else { Ok(()) }
}

fn spacing(text: &str) -> Result<SignedDuration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number = number.parse::<u32>().ok().map(i64::from);
    let wait = match (number, unit) {
        (Some(number), "ms") => Some(SignedDuration::from_millis(number)),
        (Some(number), "s") => Some(SignedDuration::from_secs(number)),
        (Some(number), "m" | "min") => Some(SignedDuration::from_mins(number)),
        _ => None,
    };
    wait.filter(|wait| *wait <= MAX_SPACING)
        .ok_or_else(|| format!("{text:?} is not a valid spacing; write 500ms, 5s or 2m, up to an hour"))
}
