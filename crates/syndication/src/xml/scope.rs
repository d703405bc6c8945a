//! The scope of an element: namespaces, base URL, language; and its attributes.
//!
//! Namespaces are looked up by prefix on every tag, so the bindings are a short list searched from its end. Base and
//! language are shared with every text inside; those of the parent are restored when the element ends.

use std::borrow::Cow;
use std::sync::Arc;

use model::reading::{Attributes as Said, Extension, Format};

use super::{Reader, Scope};
use crate::markup::Attributes;
use crate::names::{self, Namespace};
use crate::text::trimmed;
use crate::urls;

/// More namespaces than feeds declare; further ones are not bound, and their elements are known by prefix. Every tag is
/// looked up among them, so this also bounds the cost of a tag.
const MAX_BINDINGS: usize = 64;

impl<'a> Reader<'a> {
    /// Reads a tag's attributes; returns the previous scope, if it changed.
    pub(super) fn enter(&mut self, attributes: &'a str) -> Option<Box<Scope>> {
        self.attributes.clear();
        if attributes.is_empty() {
            return None;
        }
        let (mut base, mut language) = (None, None);
        for (name, value) in Attributes(attributes).take(self.limits.attributes) {
            if let Some(prefix) = name.strip_prefix("xmlns")
                && (prefix.is_empty() || prefix.starts_with(':'))
            {
                self.bind(prefix.trim_start_matches(':'), value);
                continue;
            }
            match name {
                "xml:base" | "base" | "BASE" => base = Some(value),
                "xml:lang" => language = Some(value),
                "lang" if language.is_none() => language = Some(value),
                _ => {}
            }
            self.attributes.push((name, value));
        }
        if base.is_none() && language.is_none() {
            return None;
        }
        let before = (self.base.clone(), self.language.clone());
        if let Some(base) = base {
            self.rebase(base);
        }
        if let Some(language) = language {
            let language = language.trim().replace('_', "-");
            self.language = (!language.is_empty()).then(|| Arc::from(language));
        }
        Some(Box::new(before))
    }

    pub(super) fn leave(&mut self, outside: Option<Box<Scope>>) {
        if let Some(outside) = outside {
            (self.base, self.language) = *outside;
        }
    }

    fn rebase(&mut self, base: &'a str) {
        let base = self.entities.unescape(base);
        let absolute = urls::resolve(self.base.as_deref(), &base);
        if urls::may_be_base(&absolute) {
            self.base = Some(Arc::from(absolute.as_ref()));
        } else if self.base.is_none() && urls::may_be_relative_base(&absolute) {
            // A relative base in a document whose own URL is unknown: the best available.
            self.base = Some(Arc::from(absolute.as_ref()));
        }
    }

    fn bind(&mut self, prefix: &'a str, uri: &'a str) {
        if self.bindings.len() >= MAX_BINDINGS {
            return;
        }
        let uri = uri.trim();
        if self.format.is_none()
            && let Some(format) = implied_format(uri)
            && !self.declared.contains(&format)
        {
            self.declared.push(format);
        }
        let namespace = match names::by_uri(uri) {
            Some(namespace) => namespace,
            // Any of the many that UserLand's tools made up.
            None if uri.to_ascii_lowercase().contains("backend.userland.com/rss") => names::CORE,
            None if prefix.is_empty() => names::CORE,
            None => names::by_prefix(prefix),
        };
        self.bindings.push((prefix, namespace));
    }

    /// A name's namespace and local part.
    pub(super) fn expand(&self, name: &'a str) -> (Namespace<'a>, &'a str) {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let bound = |is: fn(&str, &str) -> bool| {
            let binding = self.bindings.iter().rev().find(|(bound, _)| is(bound, prefix));
            binding.map(|(_, namespace)| *namespace)
        };
        let namespace = match bound(|bound, prefix| bound == prefix) {
            Some(namespace) => namespace,
            None if prefix.is_empty() => names::CORE,
            None => bound(str::eq_ignore_ascii_case).unwrap_or_else(|| names::by_prefix(prefix)),
        };
        (namespace, local)
    }

    /// The value of an attribute by its local name, in any case; never empty.
    pub(super) fn attribute(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let is_it = |written: &str| {
            let (written, name) = (written.as_bytes(), name.as_bytes());
            let Some(start) = written.len().checked_sub(name.len()) else { return false };
            (start == 0 || written[start - 1] == b':') && written[start..].eq_ignore_ascii_case(name)
        };
        let raw = self.attributes.iter().find(|(written, _)| is_it(written))?.1;
        let value = self.entities.unescape(raw);
        Some(trimmed(self.entities.clean(value, self.quirks))).filter(|value| !value.is_empty())
    }

    pub(super) fn attribute_string(&mut self, name: &str) -> Option<String> {
        self.attribute(name).map(Cow::into_owned)
    }

    /// The URL of an element: `href`, `url` or `uri`.
    pub(super) fn address(&mut self) -> Option<String> {
        let address = self.attribute("url").or_else(|| self.attribute("uri")).or_else(|| self.attribute("href"))?;
        Some(self.resolve(&address))
    }

    /// All attributes, with entities expanded.
    pub(super) fn all_attributes(&mut self) -> Said {
        let mut pairs = Vec::with_capacity(self.attributes.len());
        for (name, value) in &self.attributes {
            let value = self.entities.unescape(value);
            let value = self.entities.clean(value, self.quirks);
            pairs.push((name.to_ascii_lowercase(), value.into_owned()));
        }
        Said { pairs, text: None }
    }

    pub(super) fn extension(&mut self, namespace: Namespace<'a>, local: &str) -> Extension {
        let mut name = String::with_capacity(namespace.prefix.len() + local.len() + 1);
        name.push_str(namespace.prefix);
        if !name.is_empty() {
            name.push('_');
        }
        name.push_str(local);
        name.make_ascii_lowercase();
        Extension { name, said: self.all_attributes() }
    }
}

/// The only dialect that uses a namespace.
fn implied_format(uri: &str) -> Option<Format> {
    Some(match uri.to_ascii_lowercase().trim_end_matches('/') {
        "http://www.w3.org/2005/atom" | "https://www.w3.org/2005/atom" => Format::Atom10,
        "http://purl.org/atom/ns#" => Format::Atom03,
        "http://purl.org/rss/1.0" => Format::Rss10,
        "http://my.netscape.com/rdf/simple/0.9" | "http://channel.netscape.com/rdf/simple/0.9" => Format::Rss090,
        "http://purl.org/net/rss1.1#" => Format::Rss11,
        _ => return None,
    })
}
