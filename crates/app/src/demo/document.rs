//! What the demo's publishers publish, as of a moment: RSS, Atom or JSON Feed, pages of articles, and a sound. Pure.

use super::publishers::{Format, Manner, Post, Publisher};
use jiff::fmt::rfc2822;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::fmt::Write as _;
use url::Url;

/// A restless publisher shows this many of its posts.
const SHOWN: i64 = 30;

/// A post as it is published.
struct Published {
    slug: String,
    title: String,
    body: String,
    author: String,
    at: Timestamp,
    sound: bool,
    comments: bool,
}

fn published(post: &Post, begun: Timestamp) -> Published {
    Published {
        slug: post.slug.to_owned(),
        title: post.title.to_owned(),
        body: post.body.to_owned(),
        author: post.author.to_owned(),
        at: begun - SignedDuration::from_mins(post.minutes_ago),
        sound: post.sound,
        comments: post.comments,
    }
}

/// What a publisher has published by a moment, the latest first.
fn posts(publisher: &Publisher, begun: Timestamp, now: Timestamp) -> Vec<Published> {
    let mut posts: Vec<Published> =
        publisher.posts.iter().map(|post| published(post, begun)).filter(|post| post.at <= now).collect();
    if let Manner::Restless { seconds } = publisher.manner {
        let last = (now.as_second() - begun.as_second()).max(0) / seconds + SHOWN;
        posts.extend((last - SHOWN..last).map(|number| ticked(number, begun, seconds)));
    }
    posts.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.slug.cmp(&other.slug)));
    posts
}

/// A short report of the quay.
fn ticked(number: i64, begun: Timestamp, seconds: i64) -> Published {
    const SHIPS: [&str; 6] = ["Ada Maria", "Grey Heron", "Second Wind", "Tolka", "Brass Anchor", "Miss Perriwinkle"];
    const DOES: [&str; 5] =
        ["berths at pier", "leaves pier", "waits off pier", "unloads salt at pier", "takes on water at pier"];
    let pick = |count: usize, salt: i64| ((number + salt) * 7).rem_euclid(count as i64) as usize;
    let (ship, does, pier) = (SHIPS[pick(SHIPS.len(), 0)], DOES[pick(DOES.len(), 3)], (number * 5).rem_euclid(9) + 1);
    let wind = (number * 3).rem_euclid(8);
    Published {
        slug: format!("report-{number}"),
        title: format!("{ship} {does} {pier}"),
        body: format!("<p>Report {number} of the harbour master. Wind force {wind}, visibility good.</p>"),
        author: "Harbour master".to_owned(),
        at: begun + SignedDuration::from_secs((number - SHOWN) * seconds),
        sound: false,
        comments: false,
    }
}

/// The validator of a document: it changes when something is published.
pub(super) fn tag(publisher: &Publisher, begun: Timestamp, now: Timestamp) -> String {
    let posts = posts(publisher, begun, now);
    let newest = posts.first().map_or(0, |post| post.at.as_second());
    format!("\"{}-{}-{newest}\"", publisher.path, posts.len())
}

/// A document and its media type.
pub(super) fn feed(publisher: &Publisher, base: &Url, begun: Timestamp, now: Timestamp) -> (&'static str, String) {
    let posts = posts(publisher, begun, now);
    match publisher.format {
        Format::Rss => ("application/rss+xml; charset=utf-8", rss(publisher, base, &posts)),
        Format::Atom => ("application/atom+xml; charset=utf-8", atom(publisher, base, &posts, now)),
        Format::Json => ("application/feed+json", json_feed(publisher, base, &posts)),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn rss(publisher: &Publisher, base: &Url, posts: &[Published]) -> String {
    let site = format!("{base}{}/", publisher.path);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
         xmlns:content=\"http://purl.org/rss/1.0/modules/content/\">\n<channel><title>{}</title><link>{site}</link>\
         <description>{}</description><language>{}</language>",
        escape(publisher.title),
        escape(publisher.about),
        publisher.language
    );
    if let Some(minutes) = publisher.ttl_minutes {
        let _ = write!(out, "<ttl>{minutes}</ttl>");
    }
    for post in posts {
        let link = format!("{site}{}", post.slug);
        let date = rfc2822::to_string(&post.at.to_zoned(jiff::tz::TimeZone::UTC)).unwrap_or_default();
        let _ = write!(
            out,
            "\n<item><title>{}</title><link>{link}</link><guid isPermaLink=\"true\">{link}</guid><pubDate>{date}</pubDate>\
             <dc:creator>{}</dc:creator><content:encoded>{}</content:encoded>",
            escape(&post.title),
            escape(&post.author),
            escape(&post.body)
        );
        if post.comments {
            let _ = write!(out, "<comments>{link}#comments</comments>");
        }
        if post.sound {
            let length = sound().len();
            let _ = write!(out, "<enclosure url=\"{link}.wav\" type=\"audio/wav\" length=\"{length}\"/>");
        }
        out.push_str("</item>");
    }
    out.push_str("\n</channel></rss>\n");
    out
}

fn atom(publisher: &Publisher, base: &Url, posts: &[Published], now: Timestamp) -> String {
    let site = format!("{base}{}/", publisher.path);
    let updated = posts.first().map_or(now, |post| post.at);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"{}\">\
         <title>{}</title><subtitle>{}</subtitle><id>{site}</id><link href=\"{site}\"/><updated>{updated:.0}</updated>",
        publisher.language,
        escape(publisher.title),
        escape(publisher.about)
    );
    for post in posts {
        let link = format!("{site}{}", post.slug);
        let _ = write!(
            out,
            "\n<entry><title>{}</title><id>{link}</id><link href=\"{link}\"/><published>{at:.0}</published>\
             <updated>{at:.0}</updated><author><name>{}</name></author><content type=\"html\">{}</content></entry>",
            escape(&post.title),
            escape(&post.author),
            escape(&post.body),
            at = post.at
        );
    }
    out.push_str("\n</feed>\n");
    out
}

fn json_feed(publisher: &Publisher, base: &Url, posts: &[Published]) -> String {
    let site = format!("{base}{}/", publisher.path);
    let item = |post: &Published| {
        let link = format!("{site}{}", post.slug);
        json!({
            "id": link, "url": link, "title": post.title, "content_html": post.body,
            "date_published": format!("{:.0}", post.at), "authors": [{ "name": post.author }],
        })
    };
    let feed = json!({
        "version": "https://jsonfeed.org/version/1.1", "title": publisher.title, "home_page_url": site,
        "description": publisher.about, "language": publisher.language,
        "items": posts.iter().map(item).collect::<Vec<_>>(),
    });
    feed.to_string()
}

/// The page of a post, or of the publisher.
pub(super) fn page(publisher: &Publisher, slug: &str, begun: Timestamp, now: Timestamp) -> Option<String> {
    let posts = posts(publisher, begun, now);
    let (title, body) = if slug.is_empty() {
        let mut list = String::new();
        for post in &posts {
            let _ = write!(list, "<li><a href=\"{}\">{}</a></li>", escape(&post.slug), escape(&post.title));
        }
        let about = escape(publisher.about);
        (publisher.title.to_owned(), format!("<p>{about}</p><ul>{list}</ul>"))
    } else {
        let post = posts.into_iter().find(|post| post.slug == slug)?;
        (post.title, post.body)
    };
    let title = escape(&title);
    Some(format!(
        "<!doctype html><html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <link rel=\"alternate\" type=\"{}\" href=\"/{}/{}\"></head><body><main><article><h1>{title}</h1>{body}</article>\
         </main></body></html>\n",
        publisher.language,
        publisher.format.media_type(),
        publisher.path,
        publisher.file()
    ))
}

/// Six seconds of two tones that swell and fade, 8,000 samples of one byte a second.
pub(super) fn sound() -> Vec<u8> {
    const RATE: u32 = 8_000;
    const SECONDS: u32 = 6;
    let count = RATE * SECONDS;
    let sample = |n: u32| {
        let t = f64::from(n) / f64::from(RATE);
        let swell = (std::f64::consts::PI * t / f64::from(SECONDS)).sin();
        let tones = (t * 220.0 * std::f64::consts::TAU).sin() + (t * 277.2 * std::f64::consts::TAU).sin();
        (128.0 + 40.0 * swell * tones).clamp(0.0, 255.0) as u8
    };
    let mut out = Vec::with_capacity(44 + count as usize);
    out.extend(b"RIFF");
    out.extend((36 + count).to_le_bytes());
    out.extend(b"WAVEfmt ");
    out.extend(16_u32.to_le_bytes());
    // PCM, one channel.
    out.extend([1_u16, 1].into_iter().flat_map(u16::to_le_bytes));
    out.extend([RATE, RATE].into_iter().flat_map(u32::to_le_bytes));
    out.extend([1_u16, 8].into_iter().flat_map(u16::to_le_bytes));
    out.extend(b"data");
    out.extend(count.to_le_bytes());
    out.extend((0..count).map(sample));
    out
}
