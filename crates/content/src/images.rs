//! Which images are shown, which become links, which are dropped.
//!
//! Shown: https and small raster `data:` images. Linked: http images, which browsers block and anyone on the
//! path can see. Dropped: tracking pixels, and images of hosts that serve only those.

use std::borrow::Cow;

use data_encoding::BASE64_NOPAD;

use crate::attributes::{Attribute, Attributes};
use crate::lazy_images::{LazyImages, Origin};
use crate::raster::raster;
use crate::urls::Base;

/// What to do with an image.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Image<'a> {
    Show(Cow<'a, str>),
    Link(Cow<'a, str>),
    Drop,
}

/// The maximum length of a `data:` image: an icon, not a photograph.
const LONGEST_DATA: usize = 64 << 10;

/// Decides about an `img` by its attributes and by what surrounds it.
pub(crate) fn image<'a>(attributes: &'a Attributes<'_>, lazy: &mut LazyImages, base: &mut Base<'_>) -> Image<'a> {
    if attributes.is_dot() {
        return Image::Drop;
    }
    let Some((url, origin)) = address(attributes, lazy, base) else { return Image::Drop };
    if is_tracker(&url) || lazy.is_repeated(origin, &url) {
        Image::Drop
    } else if url.starts_with("http:") {
        Image::Link(url)
    } else {
        Image::Show(url)
    }
}

/// The address of an image: its `src`, unless that is a placeholder for one that is loaded later.
fn address<'a>(
    attributes: &'a Attributes<'_>,
    lazy: &LazyImages,
    base: &mut Base<'_>,
) -> Option<(Cow<'a, str>, Origin)> {
    let src = attributes.get(Attribute::Src).map(str::trim_start).filter(|src| !src.is_empty());
    let web = src.filter(|src| !is_data(src)).and_then(|src| base.web_url(src));
    // `blank.gif` is a placeholder if there is anything else, and a tracking pixel if not.
    if let Some(url) = web.as_ref().filter(|url| !is_tracker(url)) {
        return Some((url.clone(), Origin::Plain));
    }
    if let Some(url) = lazy.late(attributes, base, |url| !is_tracker(url)) {
        return Some((Cow::Owned(url), Origin::Late));
    }
    // A small picture in `src` may also be a preview of the one that comes later, hence after it.
    let data = src.filter(|src| is_data(src)).and_then(raster_data).map(Cow::Borrowed);
    data.or(web).map(|url| (url, Origin::Plain))
}

/// Whether the URL counts readers rather than showing them anything.
pub(crate) fn is_tracker(url: &str) -> bool {
    const HOSTS: &[&str] = &[
        "2mdn.net",
        "adnxs.com",
        "amazon-adsystem.com",
        "bat.bing.com",
        "buysellads.net",
        "chartbeat.net",
        "counter.theconversation.com",
        "doubleclick.net",
        "feedads.g.doubleclick.net",
        "feeds.wordpress.com",
        "feedsportal.com",
        "google-analytics.com",
        "googlesyndication.com",
        "googletagmanager.com",
        "hits.sinajs.cn",
        "imrworldwide.com",
        "mf.feeds.reuters.com",
        "nedstatbasic.net",
        "omtrdc.net",
        "outbrain.com",
        "pheedo.com",
        "px.ads.linkedin.com",
        "quantserve.com",
        "rss-loyalty.com",
        "scorecardresearch.com",
        "statcounter.com",
        "stats.wordpress.com",
        "taboola.com",
        "vg04.met.vgwort.de",
        "webtrekk.net",
        "xiti.com",
    ];
    const PATHS: &[(&str, &str)] = &[
        ("feeds.feedburner.com", "/~r/"),
        ("feeds.feedburner.com", "/~ff/"),
        ("feedproxy.google.com", "/~r/"),
        ("feedproxy.google.com", "/~ff/"),
        ("blogger.googleusercontent.com", "/tracker/"),
        ("medium.com", "/_/stat"),
        ("www.facebook.com", "/tr"),
        ("api.flattr.com", "/button/"),
        ("feedpress.me", "/link/"),
    ];
    const LABELS: &[&str] = &["pixel", "pixels", "beacon", "tracker", "tracking"];
    const ENDS: &[&str] = &["/piwik.php", "/matomo.php", "/pixel.gif", "/1x1.gif", "/spacer.gif", "/blank.gif"];
    let Some((_, rest)) = url.split_once("://") else { return false };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = host.split(':').next().unwrap_or(host);
    let is_below =
        |known: &&str| host.strip_suffix(known).is_some_and(|before| before.is_empty() || before.ends_with('.'));
    HOSTS.iter().any(is_below)
        || PATHS.iter().any(|(known, start)| host == *known && path.starts_with(start))
        || host.split_once('.').is_some_and(|(first, _)| LABELS.contains(&first))
        || host.ends_with(".met.vgwort.de")
        || ENDS.iter().any(|end| path.split(['?', '#']).next().is_some_and(|path| path.ends_with(end)))
}

fn is_data(src: &str) -> bool {
    src.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// A `data:` URL that contains a raster image of the declared format, larger than a pixel.
fn raster_data(url: &str) -> Option<&str> {
    let url = url.trim_end();
    let (kind, data) = url.get(5..)?.split_once(";base64,")?;
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    // Other spellings would be images too, but no honest tool writes them.
    if url.len() > LONGEST_DATA || !url.starts_with("data:") || !data.as_bytes().iter().all(is_base64) {
        return None;
    }
    let head = base64_head(data);
    let short = |at: usize, big: bool| {
        let pair = [*head.get(at)?, *head.get(at + 1)?];
        Some(if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let is_seen = match kind {
        "image/gif" => short(6, false)? > 1 && short(8, false)? > 1,
        // Sides above 65,535 pixels are not shown either.
        "image/png" => short(16, true)? == 0 && short(18, true)? > 1 && short(22, true)? > 1,
        "image/jpeg" | "image/webp" => true,
        _ => false,
    };
    (is_seen && raster(&head) == Some(kind)).then_some(url)
}

/// The first decoded bytes, enough for the header of an image.
fn base64_head(data: &str) -> Vec<u8> {
    let digits = data.bytes().take(32).take_while(|byte| *byte != b'=').count();
    BASE64_NOPAD.decode(&data.as_bytes()[..digits / 4 * 4]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, attributes: &[(Attribute, &str)], expected: &str) {
        let mut list = Attributes::default();
        for (attribute, value) in attributes {
            list.add(*attribute, Cow::Borrowed(*value));
        }
        let found = match image(&list, &mut LazyImages::default(), &mut Base::new(Some("https://example.org/a/"))) {
            Image::Show(url) => format!("show {url}"),
            Image::Link(url) => format!("link {url}"),
            Image::Drop => "drop".to_owned(),
        };
        assert_eq!(found, expected, "{case}");
    }

    #[test]
    fn images_are_shown_linked_or_dropped() {
        use Attribute::{Height, LateSrc, LateSrcset, Src, Srcset, Style, Width};
        const PIXEL: &str = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
        const PREVIEW: &str = "data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ";
        check("relative", &[(Src, "b.png")], "show https://example.org/a/b.png");
        check("http", &[(Src, "http://e.org/b.png")], "link http://e.org/b.png");
        check("no address", &[], "drop");
        check("script", &[(Src, "javascript:alert(1)")], "drop");
        check("a dot", &[(Src, "b.png"), (Width, "1"), (Height, "1")], "drop");
        check("a line", &[(Src, "b.png"), (Height, "0")], "drop");
        check("a dot by style", &[(Src, "b.png"), (Style, "width:1px")], "drop");
        check("a real size", &[(Src, "b.png"), (Width, "100%")], "show https://example.org/a/b.png");
        check("late", &[(Src, "data:image/svg+xml,x"), (LateSrc, "c.png")], "show https://example.org/a/c.png");
        check("late, no src", &[(Srcset, "s.png 480w, l.png 800w")], "show https://example.org/a/l.png");
        check("src is better than srcset", &[(Src, "b.png"), (Srcset, "l.png 2x")], "show https://example.org/a/b.png");
        check("late, after a pixel", &[(Src, PIXEL), (LateSrc, "c.png")], "show https://example.org/a/c.png");
        check("late, after a preview", &[(Src, PREVIEW), (LateSrc, "c.png")], "show https://example.org/a/c.png");
        check("late, after a blank", &[(Src, "/blank.gif"), (LateSrc, "c.png")], "show https://example.org/a/c.png");
        check("a preview of nothing", &[(Src, PREVIEW), (LateSrc, "")], &format!("show {PREVIEW}"));
        check("a blank for nothing", &[(Src, "/blank.gif"), (LateSrc, "javascript:x")], "drop");
        check("late, a set", &[(Srcset, PIXEL), (LateSrcset, "s.png 1x,l.png 2x")], "show https://example.org/a/l.png");
        check("late, over http", &[(LateSrc, "http://e.org/b.png")], "link http://e.org/b.png");
        check("late, a counter", &[(LateSrc, "https://pixel.example.org/x")], "drop");
        check("src is better than late", &[(Src, "b.png"), (LateSrc, "c.png")], "show https://example.org/a/b.png");
        check("svg data", &[(Src, "data:image/svg+xml;base64,PHN2Zz4=")], "drop");
        check("html data", &[(Src, "data:text/html,<script>")], "drop");
    }

    #[test]
    fn data_is_a_raster_image_or_nothing() {
        let check = |case: &str, url: &str, expected: bool| assert_eq!(raster_data(url).is_some(), expected, "{case}");
        check("png 16x16", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAA", true);
        check("png 1x1", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAA", false);
        check("gif 1x1", "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", false);
        check("gif 16x16", "data:image/gif;base64,R0lGODlhEAAQAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", true);
        check("jpeg", "data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ", true);
        check("says png, is html", "data:image/png;base64,PGh0bWw+PHNjcmlwdD4=", false);
        check("not base64", "data:image/png,\u{89}PNG", false);
        check("a quote", "data:image/jpeg;base64,/9j/\"onerror=", false);
        check("jpeg without padding", "data:image/jpeg;base64,/9j/4AB", true);
        check("jpeg with a digit too many", "data:image/jpeg;base64,/9j/4", true);
        check("too short to be one", "data:image/jpeg;base64,/9j=", false);
        check("white space inside", "data:image/jpeg;base64,/9j/ 4AAQSkZJRgABAQ", false);
        check("padding in the middle", "data:image/jpeg;base64,/9j/=4AAQ", true);
        check("svg", "data:image/svg+xml;base64,PHN2Zz4=", false);
        check("empty", "data:", false);
    }

    #[test]
    fn trackers_are_known_by_host_or_path() {
        let check = |url: &str, expected: bool| assert_eq!(is_tracker(url), expected, "{url}");
        check("http://feeds.feedburner.com/~r/blog/~4/abc", true);
        check("https://feeds.feedburner.com/pictures/x.png", false);
        check("https://ad.doubleclick.net/x", true);
        check("https://notdoubleclick.net/x", false);
        check("https://stats.wordpress.com/b.gif?x", true);
        check("https://pixel.wp.com/g.gif", true);
        check("https://www.google-analytics.com/collect", true);
        check("https://example.org/piwik.php?idsite=1", true);
        check("https://pixels.example.org/x", true);
        check("https://pixel.example.org:444/x", true);
        check("https://pixelart.example.org/x", false);
        check("https://medium.com/_/stat?event=post.clientViewed", true);
        check("https://example.org/photo.jpg?doubleclick.net", false);
    }
}
