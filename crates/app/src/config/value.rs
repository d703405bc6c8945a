//! The kinds of option values: the trait `Value` and plain kinds (numbers, sizes, durations, addresses). Every layer
//! (file, environment, flag) passes text, so each kind is parsed in one place with one error message. Words are in
//! `words.rs`, URLs of external systems in `endpoint.rs`, secrets in `secret.rs`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use url::Url;

/// A kind of option.
pub trait Value: Sized {
    /// Never shown, and may come from a file named by the variable with `_FILE` appended.
    const SECRET: bool = false;
    /// In the file it may be an array; elsewhere it is separated by commas.
    const LIST: bool = false;
    /// As a flag it may have no value, meaning `true`.
    const SWITCH: bool = false;

    /// What to write, to follow the word "expected".
    fn expected() -> String;

    /// Parses the text, or says what was expected.
    fn read(text: &str) -> Result<Self, String>;

    /// The value for display; empty if there is none.
    fn show(&self) -> String;

    /// An invalid text as an error may quote it.
    fn quote(text: &str) -> String {
        format!("`{text}`")
    }
}

/// An optional value: empty text means none.
impl<T: Value> Value for Option<T> {
    const SECRET: bool = T::SECRET;
    const LIST: bool = T::LIST;
    const SWITCH: bool = T::SWITCH;

    fn expected() -> String {
        T::expected()
    }

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { T::read(text).map(Some) }
    }

    fn show(&self) -> String {
        self.as_ref().map(T::show).unwrap_or_default()
    }

    fn quote(text: &str) -> String {
        T::quote(text)
    }
}

impl Value for PathBuf {
    fn expected() -> String {
        "a path".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.contains('\0') { Err(Self::expected()) } else { Ok(text.into()) }
    }

    fn show(&self) -> String {
        self.display().to_string()
    }
}

/// A short name in another system: a region, an access key.
impl Value for String {
    fn expected() -> String {
        "a name without spaces".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic());
        if plain { Ok(text.to_owned()) } else { Err(Self::expected()) }
    }

    fn show(&self) -> String {
        self.clone()
    }
}

impl Value for bool {
    const SWITCH: bool = true;

    fn expected() -> String {
        "`true` or `false`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "true" | "yes" | "on" | "1" => Ok(true),
            "false" | "no" | "off" | "0" => Ok(false),
            _ => Err(Self::expected()),
        }
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for u32 {
    fn expected() -> String {
        "a whole number".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| Self::expected())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// A rate per second; zero means no limit.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct PerSecond(pub f64);

impl Value for PerSecond {
    fn expected() -> String {
        "a number such as `1` or `0.5`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(rate) if rate.is_finite() && rate >= 0.0 => Ok(Self(rate)),
            _ => Err(Self::expected()),
        }
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

const SIZES: [(&str, u64); 7] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
];

impl Value for Bytes {
    fn expected() -> String {
        "a size such as `16MiB`, `10MB` or a number of bytes".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let (number, unit) = number_and_unit(text).ok_or_else(Self::expected)?;
        let known = SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).map(|(_, bytes)| *bytes);
        let bytes = if unit.is_empty() { Some(1) } else { known };
        bytes.and_then(|bytes| number.checked_mul(bytes)).map(Self).ok_or_else(Self::expected)
    }

    fn show(&self) -> String {
        let whole = SIZES.iter().find(|(_, bytes)| self.0 >= *bytes && self.0.is_multiple_of(*bytes));
        whole.map_or_else(|| "0".into(), |(name, bytes)| format!("{}{name}", self.0 / bytes))
    }
}

const TIMES: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl Value for Duration {
    fn expected() -> String {
        "a duration such as `30s`, `5m` or `2h`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let (number, unit) = number_and_unit(text).ok_or_else(Self::expected)?;
        let millis = TIMES.iter().find(|(name, _)| *name == unit).and_then(|(_, millis)| number.checked_mul(*millis));
        millis.map(Self::from_millis).ok_or_else(Self::expected)
    }

    fn show(&self) -> String {
        let millis = self.as_millis() as u64;
        let whole = TIMES.iter().find(|(_, unit)| millis >= *unit && millis.is_multiple_of(*unit));
        whole.map_or_else(|| "0s".into(), |(name, unit)| format!("{}{name}", millis / unit))
    }
}

/// `16 MiB` as 16 and `MiB`.
fn number_and_unit(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim_start()))
}

impl Value for SocketAddr {
    fn expected() -> String {
        "an address and a port such as `127.0.0.1:8100`, `localhost:8100` or `[::]:8100`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        // The one name whose address is known without a lookup.
        let local = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
        local.as_deref().unwrap_or(text).parse().map_err(|_| Self::expected())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// Networks, as in `10.0.0.0/8, fd00::/8`. A bare address is a network of one.
impl Value for Vec<IpNet> {
    const LIST: bool = true;

    fn expected() -> String {
        "networks such as `10.0.0.0/8` or `fd00::/8`, separated by commas".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().or_else(|_| part.parse::<IpAddr>().map(IpNet::from)).map_err(|_| Self::expected()))
            .collect()
    }

    fn show(&self) -> String {
        self.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
    }
}

/// The operator's contact for publishers: part of the User-Agent, so printable ASCII only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact(pub String);

impl Value for Contact {
    fn expected() -> String {
        "a web address such as `https://example.org/feeds` or a mail address such as `feeds@example.org`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        // Parentheses and semicolons would end the comment of the User-Agent that contains the contact.
        let plain = text.chars().all(|c| c.is_ascii_graphic() && !"()<>;\"\\".contains(c));
        let web = Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"));
        let mail = text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
        if plain && (web || mail) { Ok(Self(text.to_owned())) } else { Err(Self::expected()) }
    }

    fn show(&self) -> String {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses and formats, or says what was expected.
    fn check<T: Value>(text: &str, expected: &str) {
        let shown = T::read(text).map_or_else(|wish| format!("expected {wish}"), |value| value.show());
        assert!(shown.starts_with(expected), "{text}: {shown}, not {expected}");
    }

    #[test]
    fn durations_have_a_unit() {
        check::<Duration>("30s", "30s");
        check::<Duration>("90s", "90s");
        check::<Duration>("60s", "1m");
        check::<Duration>("2h", "2h");
        check::<Duration>("7d", "7d");
        check::<Duration>("250ms", "250ms");
        check::<Duration>("30", "expected a duration");
        check::<Duration>("-1s", "expected a duration");
        check::<Duration>("1.5h", "expected a duration");
        check::<Duration>("99999999999999999d", "expected a duration");
    }

    #[test]
    fn sizes_know_both_kinds_of_mega() {
        check::<Bytes>("16MiB", "16MiB");
        check::<Bytes>("16 mib", "16MiB");
        check::<Bytes>("10MB", "10MB");
        check::<Bytes>("1048576", "1MiB");
        check::<Bytes>("1537", "1537B");
        check::<Bytes>("16M", "expected a size");
        check::<Bytes>("lots", "expected a size");
        check::<Bytes>("99999999999GiB", "expected a size");
    }

    #[test]
    fn addresses_and_networks() {
        check::<SocketAddr>("127.0.0.1:8100", "127.0.0.1:8100");
        check::<SocketAddr>("[::]:8100", "[::]:8100");
        check::<SocketAddr>("localhost:8300", "127.0.0.1:8300");
        check::<SocketAddr>("8100", "expected an address");
        check::<SocketAddr>("localhost:", "expected an address");
        check::<Vec<IpNet>>("", "");
        check::<Vec<IpNet>>("10.0.0.0/8, fd00::/8", "10.0.0.0/8,fd00::/8");
        check::<Vec<IpNet>>("10.1.2.3", "10.1.2.3/32");
        check::<Vec<IpNet>>("10.0.0.0/33", "expected networks");
        check::<Vec<IpNet>>("intranet", "expected networks");
    }

    #[test]
    fn numbers_and_contacts() {
        check::<bool>("yes", "true");
        check::<bool>("maybe", "expected `true` or `false`");
        check::<PerSecond>("0.5", "0.5");
        check::<PerSecond>("-1", "expected a number");
        check::<PerSecond>("inf", "expected a number");
        check::<u32>("1_000", "expected a whole number");
        check::<Option<u32>>("", "");
        check::<Contact>("feeds@example.org", "feeds@example.org");
        check::<Contact>("https://example.org/bot", "https://example.org/bot");
        check::<Contact>("me", "expected a web address");
        check::<Contact>("a@b.c) evil (", "expected a web address");
    }
}
