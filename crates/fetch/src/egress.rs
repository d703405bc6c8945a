//! Egress classes: the purpose of a request, which decides its ports and its `Accept` header.
//!
//! Pure. The class never widens what the guard allows; it only restricts ports and sets `Accept`.

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Egress {
    /// A feed.
    Feed,
    /// The page of an entry.
    Article,
    /// A URL that a reader requests through our proxy.
    Proxy,
    /// Images and audio of entries.
    Media,
    /// The icon of a site.
    Icon,
    /// `robots.txt`.
    Robots,
    /// A WebSub hub.
    Hub,
    /// A user's webhook.
    Webhook,
    /// An identity provider.
    Oidc,
    /// A language model.
    Model,
}

impl Egress {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Feed => "feed",
            Self::Article => "article",
            Self::Proxy => "proxy",
            Self::Media => "media",
            Self::Icon => "icon",
            Self::Robots => "robots",
            Self::Hub => "hub",
            Self::Webhook => "webhook",
            Self::Oidc => "oidc",
            Self::Model => "model",
        }
    }

    /// Whether a request of this class may go to the port.
    pub fn may_use(self, port: u16) -> bool {
        match self {
            // Readers choose what the proxy visits, so it must not become a port scanner.
            Self::Proxy => matches!(port, 80 | 443),
            _ => BLOCKED_PORTS.binary_search(&port).is_err(),
        }
    }

    /// The value of `Accept`.
    pub(crate) fn accept(self) -> &'static str {
        match self {
            // HTML last, not absent: discovery begins with a site's response to this.
            Self::Feed => {
                "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, \
                 application/xml;q=0.8, text/xml;q=0.8, application/json;q=0.7, text/html;q=0.5, */*;q=0.1"
            }
            Self::Article | Self::Proxy => "text/html, application/xhtml+xml;q=0.9, */*;q=0.5",
            Self::Media => "image/*, audio/*, video/*, */*;q=0.5",
            Self::Icon => "image/*, */*;q=0.5",
            Self::Robots => "text/plain, */*;q=0.5",
            Self::Hub => "*/*",
            Self::Webhook | Self::Oidc | Self::Model => "application/json, */*;q=0.5",
        }
    }
}

/// Ports of other protocols that an HTTP request could be misread as: the list of the Fetch standard.
const BLOCKED_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports() {
        // The binary search needs the order.
        assert!(BLOCKED_PORTS.is_sorted());
        let check = |class: Egress, port, expected| assert_eq!(class.may_use(port), expected, "{class:?} {port}");
        for class in [Egress::Feed, Egress::Article, Egress::Hub, Egress::Webhook, Egress::Model] {
            for port in [80, 443, 8080, 8443, 3000, 11434, 65535] {
                check(class, port, true);
            }
            for port in [0, 22, 25, 53, 110, 143, 465, 587, 2049, 6000, 6667, 10080] {
                check(class, port, false);
            }
        }
        for port in [80, 443] {
            check(Egress::Proxy, port, true);
        }
        for port in [0, 22, 81, 8080, 8443] {
            check(Egress::Proxy, port, false);
        }
    }
}
