//! Names and URLs in lists: made safe to show, and comparable.
//!
//! Names are untrusted and shown to people: no control characters, no bidirectional overrides. URLs are only compared
//! here, to recognise the same feed; they are checked properly before they are dialled.

use crate::text::is_honest;
use crate::urls;

/// Longer names are cut.
const MAX_NAME: usize = 200;

/// A name on one line, without deceptive characters.
pub(super) fn tidy(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| is_honest(*c)).collect();
    let words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(MAX_NAME).collect::<String>().trim_end().to_owned()
}

/// A folder's name: programs that join names with a slash would read it as a nested folder.
pub(super) fn folder(name: &str) -> String {
    tidy(&name.replace('/', "-"))
}

/// A web URL, without `feed:`; `None` for any other.
pub(super) fn address(url: &str) -> Option<String> {
    let url: String = url.trim().chars().filter(|c| is_honest(*c)).collect();
    let lower = url.to_ascii_lowercase();
    let url = match lower.strip_prefix("feed:") {
        Some(rest) if rest.starts_with("http:") || rest.starts_with("https:") => url["feed:".len()..].to_owned(),
        Some(_) => format!("http:{}", &url["feed:".len()..]),
        None if urls::scheme(&url).is_none() && url.contains('.') && !url.contains(char::is_whitespace) => {
            format!("http://{}", url.trim_start_matches('/'))
        }
        None => url,
    };
    let scheme = urls::scheme(&url)?.to_ascii_lowercase();
    let host = url[scheme.len() + 1..].strip_prefix("//")?;
    (matches!(scheme.as_str(), "http" | "https") && !host.starts_with(['/', '?', '#']) && !host.is_empty())
        .then_some(url)
}

/// The host of a URL, for feeds without a name.
pub(super) fn host(url: &str) -> &str {
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit('@').next().unwrap_or(authority)
}

/// A key that is equal for URLs of the same feed: ignores the scheme, `www.`, a final slash, and the case of the host.
pub fn feed_key(url: &str) -> String {
    let url = address(url).unwrap_or_else(|| url.trim().to_owned());
    let rest = url.split_once("//").map_or(url.as_str(), |(_, rest)| rest);
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let authority = authority.to_lowercase();
    let authority = authority.strip_prefix("www.").unwrap_or(&authority);
    let authority = authority.strip_suffix(":80").or_else(|| authority.strip_suffix(":443")).unwrap_or(authority);
    let path = path.split('#').next().unwrap_or(path).trim_end_matches('/');
    format!("{authority}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |url: &str, expected: Option<&str>| assert_eq!(address(url).as_deref(), expected, "{url}");
        check("http://e.org/f", Some("http://e.org/f"));
        check("feed://e.org/f", Some("http://e.org/f"));
        check("feed:https://e.org/f", Some("https://e.org/f"));
        check("e.org/f", Some("http://e.org/f"));
        check("javascript:alert(1)", None);
        check("http:///", None);
        check("", None);
    }

    #[test]
    fn keys() {
        for same in ["https://www.E.org/f", "http://e.org/f/", "feed://e.org/f", "http://e.org:80/f#x"] {
            assert_eq!(feed_key(same), "e.org/f", "{same}");
        }
        assert_ne!(feed_key("http://e.org/f?a"), feed_key("http://e.org/f?b"));
    }

    #[test]
    fn names() {
        assert_eq!(tidy(" a\n\tb\u{202e}c\0 "), "a bc");
        assert_eq!(folder("news/tech"), "news-tech");
        assert_eq!(tidy(&"x".repeat(500)).len(), 200);
    }
}
