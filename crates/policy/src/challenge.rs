//! Whether a response is a challenge for browsers instead of the requested document.
//!
//! Checks status, headers and the first bytes of the body. The marks of challenges are in `model::challenge`, where
//! `syndication` finds them for bodies that it cannot read. We never try to pass one: the feed's page names the
//! service, so that a person can contact the publisher.

use model::challenge::{BODY_MARKS, Challenge, HEADER_MARKS, Proof, REFUSALS};

/// How far into a body marks are searched for.
const WINDOW: usize = 64 * 1024;
/// How far into a body a feed identifies itself.
const HEAD: usize = 1024;

/// The challenge in a response, if it is one. `body` may be its beginning; a feed is never a challenge.
pub fn challenge<'a>(
    status: u16,
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    body: &[u8],
) -> Option<Challenge> {
    let refused = REFUSALS.contains(&status);
    let counts = |proof: Proof| proof == Proof::Alone || refused;
    for (name, value) in headers {
        let value = value.trim().as_bytes();
        let found = HEADER_MARKS.iter().find(|mark| {
            let begins = value.get(..mark.value.len()).is_some_and(|v| v.eq_ignore_ascii_case(mark.value.as_bytes()));
            counts(mark.proof) && mark.name.eq_ignore_ascii_case(name) && begins
        });
        if let Some(mark) = found {
            return Some(Challenge { by: mark.by, mark: mark.name });
        }
    }
    let lower = |most: usize| String::from_utf8_lossy(&body[..body.len().min(most)]).to_ascii_lowercase();
    if looks_like_feed(&lower(HEAD)) {
        return None;
    }
    let text = lower(WINDOW);
    let mark = BODY_MARKS.iter().find(|mark| counts(mark.proof) && text.contains(mark.text))?;
    Some(Challenge { by: mark.by, mark: mark.text })
}

/// A feed with an article about Anubis is not a challenge.
fn looks_like_feed(head: &str) -> bool {
    ["<rss", "<feed", "<rdf:rdf", "https://jsonfeed.org/version/", "jsonfeed.org\\/version"]
        .iter()
        .any(|mark| head.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, status: u16, headers: &[(&str, &str)], body: &str, expected: &str) {
        let found = challenge(status, headers.iter().copied(), body.as_bytes());
        assert_eq!(found.map_or("none", |challenge| challenge.by), expected, "{case}");
    }

    #[test]
    fn the_service_of_a_challenge_is_named() {
        check("an ordinary page", 200, &[("server", "cloudflare")], "<html><title>Hi</title>", "none");
        check("a plain refusal", 403, &[("server", "nginx")], "<title>403 Forbidden</title>", "none");
        check("by header", 403, &[("CF-Mitigated", "challenge")], "", "Cloudflare");
        check("by its page", 503, &[], "<html><head><title>Just a moment...</title>", "Cloudflare");
        check("by its script", 403, &[], "<script>window._cf_chl_opt={};", "Cloudflare");
        check(
            "watched, not stopped",
            200,
            &[],
            "<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'>",
            "none",
        );
        check(
            "a form with a turnstile",
            200,
            &[],
            "<script src='https://challenges.cloudflare.com/turnstile/'>",
            "none",
        );
        check("with 200", 200, &[], "<script id=\"anubis_challenge\" type=\"application/json\">", "Anubis");
        check("its files", 200, &[], "<link href=/.within.website/x/cmd/anubis/static/a.css>", "Anubis");
        check("by its host", 403, &[], "<script>var dd={'host':'geo.captcha-delivery.com/'}", "DataDome");
        check("guarded and refused", 403, &[("X-DataDome", "protected")], "", "DataDome");
        check("guarded and let in", 200, &[("X-DataDome", "protected")], "<html>", "none");
        check("an incident", 200, &[], "Request unsuccessful. Incapsula incident ID: 1-2", "Imperva");
        check("its script on a page", 200, &[], "<script src='/_Incapsula_Resource?a'>", "none");
        check("its script on a refusal", 403, &[], "<script src='/_Incapsula_Resource?a'>", "Imperva");
        check("press and hold", 403, &[], "<div id=\"px-captcha\">", "HUMAN");
        check("denied at the edge", 403, &[], "Reference #18.1 https://errors.edgesuite.net/18.1", "Akamai");
        check("wants a token", 202, &[("x-amzn-waf-action", "challenge")], "", "AWS WAF");
        check("a checkpoint", 429, &[("x-vercel-mitigated", "challenge")], "", "Vercel");
        check("guarded", 403, &[("Server", "DDoS-Guard")], "", "DDoS-Guard");
    }

    #[test]
    fn a_feed_about_challenges_is_not_one() {
        check("an article", 200, &[], "<?xml version='1.0'?><rss><title>Just a moment...</title> _cf_chl_opt", "none");
        check("in JSON", 200, &[], "{\"version\":\"https://jsonfeed.org/version/1.1\",\"x\":\"_cf_chl_opt\"}", "none");
    }

    /// Marks are compared in lower case, so one that is not could never be found.
    #[test]
    fn marks_can_be_found() {
        for mark in BODY_MARKS {
            assert_eq!(mark.text, mark.text.to_lowercase());
            check(mark.text, 403, &[], mark.text, mark.by);
        }
        for mark in HEADER_MARKS {
            check(mark.name, 403, &[(mark.name, mark.value)], "", mark.by);
        }
    }
}
