//! Challenges: pages in front of a site that only a browser can pass.
//!
//! Facts only, here because two crates look for them: `syndication` in a body that is not a feed, `policy` in a whole
//! response with its status and headers. All marks are in lower case.

/// Statuses that refuse a request. A mark that also occurs on ordinary pages counts only together with one of these.
pub const REFUSALS: [u16; 7] = [401, 403, 405, 406, 428, 429, 503];

/// A challenge page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Challenge {
    /// The service that shows it, as displayed to people.
    pub by: &'static str,
    /// The mark that was found: a header, or a piece of the body.
    pub mark: &'static str,
}

/// A piece of text that identifies a challenge page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// In lower case.
    pub text: &'static str,
    /// The service whose challenge it is.
    pub by: &'static str,
    /// How conclusive it is.
    pub proof: Proof,
}

/// How conclusive a mark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// It occurs on challenge pages only.
    Alone,
    /// It also occurs on ordinary pages of the same service.
    WithRefusal,
}

/// A header that identifies a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderMark {
    /// In lower case.
    pub name: &'static str,
    /// What its value begins with, in lower case; empty for any.
    pub value: &'static str,
    /// The service whose challenge it is.
    pub by: &'static str,
    /// How conclusive it is.
    pub proof: Proof,
}

const fn alone(text: &'static str, by: &'static str) -> Mark {
    Mark { text, by, proof: Proof::Alone }
}

const fn refused(text: &'static str, by: &'static str) -> Mark {
    Mark { text, by, proof: Proof::WithRefusal }
}

/// Marks in a body. `challenge-platform` is not among them: Cloudflare puts it into every page that it monitors.
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
