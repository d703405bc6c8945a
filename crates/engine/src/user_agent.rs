//! The user agent: `Courant/1.2 (+https://reader.example; 3 subscribers)`. Honest, short, and the same everywhere.

/// The product, and where a publisher can reach the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserAgent {
    /// Product and version.
    pub product: String,
    /// A web or mail address.
    pub contact: Option<String>,
}

impl Default for UserAgent {
    fn default() -> Self {
        Self { product: concat!("Courant/", env!("CARGO_PKG_VERSION")).to_owned(), contact: None }
    }
}

impl UserAgent {
    /// The header's value for a feed with this many subscribers; none are not mentioned.
    pub fn for_subscribers(&self, subscribers: u32) -> String {
        let contact = self.contact.as_ref().map(|contact| format!("+{contact}"));
        let readers = match subscribers {
            0 => None,
            1 => Some("1 subscriber".to_owned()),
            count => Some(format!("{count} subscribers")),
        };
        let about: Vec<String> = contact.into_iter().chain(readers).collect();
        if about.is_empty() { self.product.clone() } else { format!("{} ({})", self.product, about.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_we_are() {
        let check = |contact: Option<&str>, subscribers, expected: &str| {
            let name = UserAgent { product: "Courant/1.2".into(), contact: contact.map(str::to_owned) };
            assert_eq!(name.for_subscribers(subscribers), expected);
        };
        check(None, 0, "Courant/1.2");
        check(None, 1, "Courant/1.2 (1 subscriber)");
        check(Some("https://reader.example"), 0, "Courant/1.2 (+https://reader.example)");
        check(Some("https://reader.example"), 12, "Courant/1.2 (+https://reader.example; 12 subscribers)");
    }
}
