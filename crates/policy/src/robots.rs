//! robots.txt: what a site lets us read besides its feeds (RFC 9309), for pages, articles and sitemaps.
//!
//! A parser and matcher of our own: it accepts any bytes, keeps only what concerns us, and reports which line decided.
//! Feeds themselves are not checked: a feed is published to be fetched by programs, and a user added its URL. `engine`
//! fetches and caches the file; nothing here knows HTTP beyond a status.

mod pattern;

use http_semantics::{CacheControl, Freshness, freshness};
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::sync::Arc;

use pattern::{Pattern, Side, comparable};

/// Our product token in robots.txt.
const TOKEN: &str = "courant";

/// The part of a file that is read: as the RFC requires.
pub const LIMIT_BYTES: usize = 500 * 1024;

/// The maximum of a Crawl-delay. Longer ones are meant for crawlers of whole sites; we read single pages, and a user
/// waits for them.
pub const LONGEST_DELAY: SignedDuration = SignedDuration::from_secs(60);

const A_DAY: SignedDuration = SignedDuration::from_hours(24);
const MAX_SITEMAPS: usize = 64;
const MAX_SITEMAP_BYTES: usize = 2048;

/// The rules of one site that apply to us.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Robots {
    standing: Standing,
    /// Most specific first, and of equal ones the allowing first: the first match decides.
    rules: Arc<[Rule]>,
    delay: Option<SignedDuration>,
    sitemaps: Vec<String>,
}

impl Robots {
    /// Parses a file. Any bytes are accepted; lines that are not understood are ignored.
    pub fn read(bytes: &[u8]) -> Robots {
        let mut file = File::default();
        for (line, text) in (1..).zip(lines(bytes)) {
            if let Some((key, value)) = record(text) {
                file.take(line, &key, value);
            }
        }
        let (standing, group) =
            if file.names_us { (Standing::Ours, file.ours) } else { (Standing::Everybody, file.everybody) };
        let mut rules = group.rules;
        rules.sort_by_key(|rule| (std::cmp::Reverse(rule.pattern.octets()), !rule.allow));
        Robots { standing, rules: rules.into(), delay: group.delay, sitemaps: file.sitemaps }
    }

    /// The rules that follow from the response to the request for the file; `None` if there was none.
    ///
    /// 4xx means that there are no rules; 5xx or no response means that they are unknown and we stay away (2.3.1). 429
    /// counts as the latter: a server too busy for robots.txt is too busy for the rest. 3xx remains after redirects
    /// were followed, and means that there are no rules.
    pub fn from_status(status: Option<u16>, body: &[u8]) -> Robots {
        match status {
            Some(200..=299) => Robots::read(body),
            Some(429) | None => Robots { standing: Standing::Unreachable, ..Robots::default() },
            Some(300..=499) => Robots { standing: Standing::Missing, ..Robots::default() },
            Some(_) => Robots { standing: Standing::Unreachable, ..Robots::default() },
        }
    }

    /// The rules while the file is unreachable: the last known ones, however old; if there are none, nothing is
    /// allowed. After 30 days the site has no rules any more, which the RFC leaves open.
    pub fn while_unreachable(last: Option<Robots>, unreachable_for: SignedDuration) -> Robots {
        if unreachable_for >= A_DAY * 30 {
            return Robots { standing: Standing::Missing, ..Robots::default() };
        }
        last.unwrap_or(Robots { standing: Standing::Unreachable, ..Robots::default() })
    }

    /// Whether a page may be read. `path` is its path with its query, as sent.
    pub fn allows(&self, path: &str) -> Verdict {
        let verdict = |allowed, because| Verdict { allowed, because };
        let (only_path, _) = path.split_once('?').unwrap_or((path, ""));
        if only_path == "/robots.txt" {
            return verdict(true, Because::Itself);
        }
        match self.standing {
            Standing::Missing => return verdict(true, Because::NoFile),
            Standing::Unreachable => return verdict(false, Because::Unreachable),
            Standing::Ours | Standing::Everybody => {}
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let path = comparable(path.as_bytes(), Side::Url);
        match self.rules.iter().find(|rule| rule.pattern.fits(&path)) {
            Some(rule) => verdict(
                rule.allow,
                Because::Rule { line: rule.line, text: rule.text.clone(), ours: self.standing == Standing::Ours },
            ),
            None => verdict(true, Because::NoRule),
        }
    }

    /// How long to wait between two requests, if the site says so: at most [`LONGEST_DELAY`].
    pub fn delay(&self) -> Option<SignedDuration> {
        self.delay
    }

    /// The sitemaps named in the file, for any agent.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// How long a response to the request for robots.txt may be used: a day, or less if it says so, but at least an hour:
/// to ask for the file before every page is impolite. A failure is tried again after ten minutes.
pub fn keep_for(status: Option<u16>, cache_control: Option<&str>) -> SignedDuration {
    match status {
        Some(200..=428 | 430..=499) => {}
        _ => return SignedDuration::from_mins(10),
    }
    let hour = SignedDuration::from_hours(1);
    let control = CacheControl::read(cache_control.map(str::as_bytes));
    // Only Cache-Control is asked, so the moment does not matter.
    match freshness(&control, None, Timestamp::UNIX_EPOCH) {
        Freshness::NotStated => A_DAY,
        Freshness::Stale => hour,
        Freshness::Fresh(left, _) => left.clamp(hour, A_DAY),
    }
}

/// Whether a page may be read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it may be read.
    pub allowed: bool,
    /// What decided.
    pub because: Because,
}

/// What decided about a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// robots.txt may always be read.
    Itself,
    /// The site has no robots.txt.
    NoFile,
    /// The file could not be fetched.
    Unreachable,
    /// No rule matches.
    NoRule,
    /// The most specific rule that matches.
    Rule {
        /// Its line in the file, from 1.
        line: u32,
        /// As written, shortened.
        text: String,
        /// Whether it is addressed to us by name, not to everybody.
        ours: bool,
    },
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itself => f.write_str("robots.txt may always be read"),
            Self::NoFile => f.write_str("the site has no robots.txt"),
            Self::Unreachable => f.write_str("robots.txt cannot be reached, so nothing else is asked for"),
            Self::NoRule => f.write_str("no rule of robots.txt is about it"),
            Self::Rule { line, text, ours } => {
                let whom = if *ours { TOKEN } else { "everybody" };
                write!(f, "line {line} of robots.txt says \"{text}\" to {whom}")
            }
        }
    }
}

/// The origin of the rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Standing {
    /// Groups that name us.
    Ours,
    /// The groups of `*`, or none.
    #[default]
    Everybody,
    Missing,
    Unreachable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allow: bool,
    pattern: Pattern,
    line: u32,
    text: String,
}

/// All groups of one agent combined.
#[derive(Debug, Default)]
struct Group {
    rules: Vec<Rule>,
    delay: Option<SignedDuration>,
}

/// A file being parsed. Only two groups are kept, so that a file with a thousand agents costs no more.
#[derive(Debug, Default)]
struct File {
    ours: Group,
    everybody: Group,
    names_us: bool,
    sitemaps: Vec<String>,
    /// Which agents the current group is for.
    for_us: bool,
    for_everybody: bool,
    /// Whether the agents of a group are being listed; anything but another agent ends that.
    naming: bool,
}

impl File {
    fn take(&mut self, line: u32, key: &str, value: &[u8]) {
        match key {
            "user-agent" | "useragent" | "user agent" => self.agent(value),
            "allow" => self.rule(line, true, value),
            "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => {
                self.rule(line, false, value);
            }
            "crawl-delay" | "crawldelay" => self.delay(value),
            "sitemap" | "site-map" => self.sitemap(value),
            _ => {}
        }
    }

    fn agent(&mut self, value: &[u8]) {
        if !self.naming {
            (self.for_us, self.for_everybody) = (false, false);
        }
        self.naming = true;
        // `Courant/1.0 (some words)` means us: a token ends at the first other character.
        let length = value.iter().take_while(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')).count();
        if value[..length].eq_ignore_ascii_case(TOKEN.as_bytes()) {
            (self.for_us, self.names_us) = (true, true);
        }
        self.for_everybody |= matches!(value, [b'*'] | [b'*', b' ' | b'\t', ..]);
    }

    fn rule(&mut self, line: u32, allow: bool, value: &[u8]) {
        self.naming = false;
        if !(self.for_us || self.for_everybody) {
            return;
        }
        let Some(pattern) = Pattern::read(value) else { return };
        let said: String = String::from_utf8_lossy(value).chars().filter(|c| !c.is_control()).take(100).collect();
        let text = format!("{}: {said}", if allow { "Allow" } else { "Disallow" });
        let rule = Rule { allow, pattern, line, text };
        if self.for_everybody {
            self.everybody.rules.push(rule.clone());
        }
        if self.for_us {
            self.ours.rules.push(rule);
        }
    }

    /// Not in the RFC, so it does not end the list of agents (2.2.4); it applies to those listed so far.
    fn delay(&mut self, value: &[u8]) {
        let seconds = std::str::from_utf8(value).ok().and_then(|value| value.parse::<f64>().ok());
        let Some(seconds) = seconds.filter(|seconds| *seconds >= 0.0) else { return };
        let longest = LONGEST_DELAY.as_secs_f64();
        let delay = SignedDuration::from_millis((seconds.min(longest) * 1000.0) as i64);
        for (is_for, group) in [(self.for_us, &mut self.ours), (self.for_everybody, &mut self.everybody)] {
            if is_for {
                group.delay = group.delay.max(Some(delay));
            }
        }
    }

    fn sitemap(&mut self, value: &[u8]) {
        let Ok(url) = std::str::from_utf8(value) else { return };
        let is_web = url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        let known = self.sitemaps.iter().any(|known| known == url);
        if is_web && !known && url.len() <= MAX_SITEMAP_BYTES && self.sitemaps.len() < MAX_SITEMAPS {
            self.sitemaps.push(url.to_owned());
        }
    }
}

/// The lines of a file, with any line ends. A last line that was cut is left out: half a path is another path.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = match bytes.get(..LIMIT_BYTES) {
        Some(head) if bytes.len() > LIMIT_BYTES => {
            let end = head.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(0);
            &head[..end]
        }
        _ => bytes,
    };
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            rest = None;
            return Some(text);
        };
        let after = if text[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        rest = Some(&text[after..]);
        Some(&text[..end])
    })
}

/// `key: value # comment`. Two words without a colon are taken for a key and its value.
fn record(line: &[u8]) -> Option<(String, &[u8])> {
    let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let (key, value) = if let Some(colon) = line.iter().position(|byte| *byte == b':') {
        (&line[..colon], &line[colon + 1..])
    } else {
        let space = line.iter().position(u8::is_ascii_whitespace)?;
        let value = line[space..].trim_ascii();
        if value.iter().any(u8::is_ascii_whitespace) {
            return None;
        }
        (&line[..space], value)
    };
    // No known key is longer.
    let key = std::str::from_utf8(key.trim_ascii()).ok().filter(|key| key.len() <= 20)?;
    Some((key.to_ascii_lowercase(), value.trim_ascii()))
}

#[cfg(test)]
mod tests;
