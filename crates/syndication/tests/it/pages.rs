//! Untrusted pages and sitemaps: any bytes are read, in linear time and within bounds.

use proptest::prelude::*;
use syndication::{feed_links, page, sitemap};
use trial::timed;

use crate::fuzz::{fuzz, seeds};
use crate::limits::PATIENCE;

const PAGE: &str = "<!DOCTYPE html><html><head><base href='/b/'><title>A &amp; b</title>\
    <meta name=generator content='Hugo 1'><link rel=canonical href=c>\
    <link rel=alternate type=application/rss+xml title=T href='f?a&amp;b'><script>if (a<b) '</scrip'</script><!-- <a -->\
    </head><body><a href=rss.xml>RSS</a><a href=/x><img alt=feed></a><textarea><a href=feed></textarea></body></html>";
const SITEMAP: &str = "<?xml version='1.0'?><urlset xmlns:news='n'><url><loc>http://e.org/?a&amp;b</loc>\
    <lastmod>2024-05-06T07:08:09+01:00</lastmod><news:news><news:title><![CDATA[T]]></news:title></news:news></url>\
    <sitemap><loc>http://e.org/s.xml</loc></sitemap></urlset>";

/// The properties of every page.
fn read_page(html: &str) {
    let read = page(html, Some("https://e.org/a/b"));
    assert_eq!(read, page(html, Some("https://e.org/a/b")));
    assert!(read.links.len() <= 264 && read.metas.len() <= 64);
    assert!(read.title.as_ref().is_none_or(|title| title.len() < 1_000));
    assert!(read.links.iter().all(|link| link.url.len() <= 4_200), "{:?}", read.links);
    let _ = feed_links(html, None);
}

fn read_sitemap(bytes: &[u8]) {
    let limits = sitemap::Limits { locations: 10, bytes: 10_000 };
    if let Some(read) = sitemap::read(bytes, &limits) {
        let places = read.pages.iter().chain(&read.sitemaps);
        assert!((1..=10).contains(&places.clone().count()));
        assert!(places.clone().all(|place| place.url.starts_with(['h', 'H']) && place.url.len() <= 2_048));
    }
}

#[test]
fn hostile_pages_are_fast() {
    const MANY: usize = 200_000;
    let bombs = [
        ("scripts", "<script>"),
        ("scripts that end", "<script></script>"),
        ("comments", "<!--"),
        ("scripts and comments", "<script></script><!--"),
        ("anchors", "<a href=rss>"),
        ("quotes", "<a href=\""),
        ("titles", "<title>a "),
        ("bare", "<"),
        ("metas", "<meta name=a content=b>"),
        ("bases", "<base href=a/>"),
        ("places", "<url><loc>http://e.org/"),
        ("ends", "</url>"),
        ("document types", "<!DOCTYPE [>"),
    ];
    for (case, piece) in bombs {
        let document = piece.repeat(MANY);
        let ((), took) = timed(|| {
            read_page(&document);
            let _ = sitemap::read(document.as_bytes(), &sitemap::Limits::default());
        });
        assert!(took < PATIENCE, "{case} took {took:?}");
    }
    let spaces = " ".repeat(1 << 20);
    for (case, document) in [
        ("a value without end", format!("<a href=\"{spaces}>x")),
        ("many attributes", format!("<a {}>", "a=b ".repeat(MANY))),
        ("one anchor, much text", format!("<a href=rss>{}", "<b>word</b> ".repeat(MANY))),
    ] {
        let ((), took) = timed(|| read_page(&document));
        assert!(took < PATIENCE, "{case} took {took:?}");
    }
}

#[test]
fn fuzz_pages() {
    let mut seeds = seeds(|path| path.ends_with(".html"));
    seeds.push(PAGE.into());
    fuzz(&seeds, |bytes| read_page(&String::from_utf8_lossy(bytes)));
}

#[test]
fn fuzz_sitemaps() {
    let seeds = [SITEMAP.into(), b"http://e.org/1\nhttp://e.org/2\n".to_vec()];
    fuzz(&seeds, read_sitemap);
}

proptest! {
    #[test]
    fn any_text_is_a_page(html in ".{0,400}") {
        read_page(&html);
    }

    #[test]
    fn any_bytes_are_a_sitemap(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read_sitemap(&bytes);
    }

    /// A declared feed is found, whatever surrounds it.
    #[test]
    fn a_declared_feed_is_found(before in "[a-z >/=!'\"-]{0,60}", after in "\\PC{0,60}") {
        let html = format!("{before}<link rel=alternate type='application/atom+xml' href='https://e.org/f'>{after}");
        prop_assert!(page(&html, None).links.iter().any(|link| link.url == "https://e.org/f"));
    }
}
