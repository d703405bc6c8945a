//! Challenges: pages that only a browser gets past, put between publishers and everybody who is none.
//!
//! Facts only, in one place because two crates look for them: `syndication` in a body that is no feed, `policy` in a
//! whole answer with its status and headers. All marks are in lower case.

/// Statuses with which a request is turned away. A mark that also stands on ordinary pages counts only with one.
pub const REFUSALS: [u16; 7] = [401, 403, 405, 406, 428, 429, 503];

/// A challenge page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Challenge {
    /// Whose it is, as shown to people.
    pub by: &'static str,
    /// What gave it away: a header, or a piece of the body.
    pub mark: &'static str,
}

/// A piece of text that gives a challenge page away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// In lower case.
    pub text: &'static str,
    /// Whose challenge it is.
    pub by: &'static str,
    /// How much it proves.
    pub proof: Proof,
}

/// How much a mark proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// It stands on challenge pages only.
    Alone,
    /// It stands on ordinary pages of the same service, too.
    WithRefusal,
}

/// A header that gives a challenge away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderMark {
    /// In lower case.
    pub name: &'static str,
    /// What its value begins with, in lower case; empty for any.
    pub value: &'static str,
    /// Whose challenge it is.
    pub by: &'static str,
    /// How much it proves.
    pub proof: Proof,
}

const fn alone(text: &'static str, by: &'static str) -> Mark {
    Mark { text, by, proof: Proof::Alone }
}

const fn refused(text: &'static str, by: &'static str) -> Mark {
    Mark { text, by, proof: Proof::WithRefusal }
}

/// Marks in a body. Not among them: `challenge-platform`, which Cloudflare puts into every page that it watches.
pub const BODY_MARKS: [Mark; 22] = [
    alone("_cf_chl_opt", "Cloudflare"),
    alone("cf-browser-verification", "Cloudflare"),
    alone("<title>just a moment...</title>", "Cloudflare"),
    alone("<title>attention required! | cloudflare</title>", "Cloudflare"),
    refused("challenges.cloudflare.com", "Cloudflare"),
    alone("/.within.website/x/cmd/anubis/", "Anubis"),
    alone("id=\"anubis_challenge\"", "Anubis"),
    alone("captcha-delivery.com/", "DataDome"),
    alone("incapsula incident id", "Imperva"),
    refused("_incapsula_resource", "Imperva"),
    alone("id=\"px-captcha\"", "HUMAN"),
    refused("px-captcha", "HUMAN"),
    refused("_pxappid", "HUMAN"),
    alone("sec-if-cpt-container", "Akamai"),
    refused("errors.edgesuite.net", "Akamai"),
    alone("sucuri_cloudproxy_js", "Sucuri"),
    alone("<title>sucuri website firewall", "Sucuri"),
    alone("<title>ddos-guard</title>", "DDoS-Guard"),
    refused("/.well-known/ddos-guard/", "DDoS-Guard"),
    refused("ddos-guard", "DDoS-Guard"),
    alone("awswafcookiedomainlist", "AWS WAF"),
    alone("<title>vercel security checkpoint</title>", "Vercel"),
];

/// Marks in headers.
pub const HEADER_MARKS: [HeaderMark; 6] = [
    HeaderMark { name: "cf-mitigated", value: "challenge", by: "Cloudflare", proof: Proof::Alone },
    HeaderMark { name: "x-amzn-waf-action", value: "", by: "AWS WAF", proof: Proof::Alone },
    HeaderMark { name: "x-vercel-mitigated", value: "challenge", by: "Vercel", proof: Proof::Alone },
    HeaderMark { name: "x-datadome", value: "", by: "DataDome", proof: Proof::WithRefusal },
    HeaderMark { name: "server", value: "ddos-guard", by: "DDoS-Guard", proof: Proof::WithRefusal },
    HeaderMark { name: "server", value: "datadome", by: "DataDome", proof: Proof::WithRefusal },
];
