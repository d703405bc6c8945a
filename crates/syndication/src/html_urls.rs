//! Makes relative URLs in HTML absolute without changing anything else.
//!
//! For displaying a reading; stored content goes through the sanitiser, which does this and much more.

use std::borrow::Cow;

use crate::markup::{Attributes, Markup, Token};
use crate::text::{Entities, escape_attribute_into};
use crate::urls;

/// Attributes that hold one URL.
const HOLD_URLS: [&str; 13] = [
    "href",
    "src",
    "cite",
    "action",
    "longdesc",
    "usemap",
    "background",
    "poster",
    "data",
    "codebase",
    "profile",
    "classid",
    "icon",
];

/// Beyond this size, URLs stay relative.
const MAX_OUTPUT: usize = 4 << 20;

/// Resolves the URLs of links, pictures and the like against `base`.
pub(crate) fn resolve<'a>(html: &'a str, base: &str) -> Cow<'a, str> {
    let mut markup = Markup::new(html);
    let mut out = String::new();
    let mut copied = 0;
    while let Some(token) = markup.next() {
        let Token::Start(tag) = token else { continue };
        if out.len() > MAX_OUTPUT {
            break;
        }
        for (name, value) in Attributes(tag.attributes) {
            if value.is_empty() || !HOLD_URLS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                continue;
            }
            let url = Entities::new(0).unescape(value).into_owned();
            if urls::scheme(url.trim()).is_some() {
                continue;
            }
            let absolute = urls::resolve(Some(base), &url);
            if absolute == url.trim() {
                continue;
            }
            // The position of the value in the text it was borrowed from.
            let at = value.as_ptr() as usize - html.as_ptr() as usize;
            out.push_str(&html[copied..at]);
            escape_attribute_into(&absolute, &mut out);
            copied = at + value.len();
        }
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    out.push_str(&html[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relative_urls_change() {
        let check = |html: &str, expected: &str| assert_eq!(resolve(html, "http://e.org/a/"), expected);
        check("<a href=\"b\">b</a> href=\"b\"", "<a href=\"http://e.org/a/b\">b</a> href=\"b\"");
        check("<img alt='b' src='/c?x=1&amp;y=2'>", "<img alt='b' src='http://e.org/c?x=1&amp;y=2'>");
        check("<a href='http://x/'>", "<a href='http://x/'>");
        check("<a href='mailto:x'>", "<a href='mailto:x'>");
        check("<a href=b>", "<a href=http://e.org/a/b>");
    }
}
