//! The canonical form of a link, for comparison: it removes what may differ between two links to the same page, nothing
//! else.
//!
//! Only hostname case, fragment, default port, a trailing slash and three kinds of tracking parameters are normalised
//! (A-60..68). The scheme stays in the key, and parameters such as `ref`, `source` and `id` are part of the page's
//! name.

use url::Url;

/// Why a link cannot be a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoKey {
    /// It contains a user name or password: phishing or a leak.
    Userinfo,
    /// Not an http or https address.
    NotWeb,
}

/// The canonical form of a link.
pub fn canonical_url(link: &str) -> Result<String, NoKey> {
    if is_canonical(link) {
        return Ok(link.to_owned());
    }
    parsed(link)
}

/// A quick check whether a link is already canonical. Most are, and all links of a document are checked at every visit.
fn is_canonical(link: &str) -> bool {
    let Some(rest) = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://")) else { return false };
    let Some((host, rest)) = rest.split_once('/') else { return false };
    let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
    let is_name = |label: &str| {
        !label.is_empty()
            && !label.starts_with("xn--")
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    // A last label that begins with a digit may be an IP address.
    let last = host.rsplit('.').next().unwrap_or_default();
    let plain = |text: &str, more: &[u8]| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte));
    host.split('.').all(is_name)
        && last.starts_with(|first: char| first.is_ascii_lowercase())
        && plain(path, b"/-_.~")
        // Dots at the beginning of a segment may mean the parent directory.
        && !path.starts_with('.')
        && !path.contains("/.")
        && !path.ends_with('/')
        && query.is_none_or(|query| plain(query, b"=&-_.~") && query.split('&').all(|pair| !is_tracking(pair)))
}

fn parsed(link: &str) -> Result<String, NoKey> {
    let mut url = Url::parse(link).map_err(|_| NoKey::NotWeb)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(NoKey::NotWeb);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(NoKey::Userinfo);
    }
    // The parser has lower-cased the host and removed the default port.
    url.set_fragment(None);
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|pair| !is_tracking(pair)).collect();
        let kept = kept.join("&");
        url.set_query(Some(kept.as_str()).filter(|query| !query.is_empty()));
    }
    let path = url.path().trim_end_matches('/');
    if path.len() < url.path().len() {
        let path = if path.is_empty() { "/" } else { path }.to_owned();
        url.set_path(&path);
    }
    Ok(url.into())
}

/// `utm_*`, `fbclid` and `gclid`, and empty parameters.
fn is_tracking(pair: &str) -> bool {
    let name = pair.split_once('=').map_or(pair, |(name, _)| name);
    pair.is_empty() || name.starts_with("utm_") || matches!(name, "fbclid" | "gclid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_insignificant_parts_are_removed() {
        let check = |what: &str, link: &str, expected: &str| {
            assert_eq!(canonical_url(link).unwrap_or_else(|why| format!("{why:?}")), expected, "{what}");
        };
        check(
            "A-68 golden",
            "https://Site.com:443/Article?utm_source=rss&id=123#comments",
            "https://site.com/Article?id=123",
        );
        check("A-60 host only", "https://SITE.com/Path?Q=A", "https://site.com/Path?Q=A");
        check("A-61 fragment", "https://a.example/x#y", "https://a.example/x");
        check("A-62 port 80", "http://a.example:80/x", "http://a.example/x");
        check("A-62 another port", "https://a.example:80/x", "https://a.example:80/x");
        check("A-63 userinfo", "https://me@a.example/x", "Userinfo");
        check("A-63 password", "https://me:pw@a.example/x", "Userinfo");
        check("A-64 trackers", "https://a.example/?utm_a=1&fbclid=2&gclid=3&utm_b", "https://a.example/");
        check(
            "A-64 not what only looks so",
            "https://a.example/?xutm_a=1&fbclid2=2",
            "https://a.example/?xutm_a=1&fbclid2=2",
        );
        check("A-65 slash", "https://a.example/x/", "https://a.example/x");
        check("A-65 root stays", "https://a.example", "https://a.example/");
        check("A-66 scheme", "http://a.example/x", "http://a.example/x");
        check(
            "A-67 ref, source, id",
            "https://a.example/x?ref=1&source=2&id=3",
            "https://a.example/x?ref=1&source=2&id=3",
        );
        check("many slashes", "https://a.example//x//", "https://a.example//x");
        check("no web", "mailto:me@a.example", "NotWeb");
        check("no URL", "/x", "NotWeb");
        check("an address", "https://1.2/x", "https://1.0.0.2/x");
        check("the directory above", "https://a.example/x/../y", "https://a.example/y");
    }

    #[test]
    fn ordinary_links_are_not_parsed() {
        for link in
            ["https://a.example/2026/11/some-thing.html", "http://news.a.example/", "https://a.example/?p=17&q=a_b"]
        {
            assert!(is_canonical(link), "{link}");
        }
        for link in ["https://a.example", "https://a.example/x/", "https://a.example/?utm_source=x", "https://1.2/x"] {
            assert!(!is_canonical(link), "{link}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

        #[test]
        fn the_canonical_form_of_a_canonical_form_is_itself(
            link in "https?://[a-zA-Z.@:0-9%\\[\\]-]{1,20}(/[a-zA-Z0-9/?&=#%._ +;-]{0,40})?",
        ) {
            if let Ok(once) = canonical_url(&link) {
                prop_assert_eq!(canonical_url(&once), Ok(once.clone()));
            }
        }

        #[test]
        fn trackers_and_fragments_make_no_difference(
            path in "[a-z0-9/]{0,12}", id in "[a-z]{1,5}", tracker in "(utm_[a-z]{0,5}|fbclid|gclid)", value in "[a-zA-Z0-9%]{0,8}",
        ) {
            let plain = canonical_url(&format!("https://a.example/{path}?id={id}"));
            prop_assert_eq!(canonical_url(&format!("https://A.example:443/{path}?{tracker}={value}&id={id}#x")), plain.clone());
            prop_assert_eq!(canonical_url(&format!("https://a.example/{path}/?id={id}&{tracker}={value}")), plain);
        }

        #[test]
        fn what_is_plainly_canonical_is(
            link in "https?://([a-z0-9-]{0,4}\\.){0,2}(xn--)?[a-z0-9A-Z@:-]{0,6}(/[a-zA-Z0-9._~-]{0,6}){0,3}/?(\\?[a-z_=&;#+]{0,12})?",
        ) {
            if is_canonical(&link) {
                prop_assert_eq!(parsed(&link), Ok(link));
            }
        }

        /// A stored link has the same key as the link that was read.
        #[test]
        fn a_stored_link_has_the_key_of_the_link_that_was_read(
            link in "[hH]ttps?://[a-zA-Z.:0-9%ü-]{1,20}(/[a-zA-Z0-9/?&=#%._ +;ü\"'<>|^`{}\\\\-]{0,40})?",
        ) {
            if let Some(stored) = crate::version::web_url(&link) {
                prop_assert_eq!(canonical_url(&stored), canonical_url(&link));
            }
        }

        #[test]
        fn nothing_panics(link in any::<String>()) {
            let _ = canonical_url(&link);
        }
    }
}
