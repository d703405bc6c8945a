//! A world of feeds that never changes: the input of the ingest benchmarks, the same bytes for the same seed
//! everywhere.
//!
//! Sizes, kinds and structures are realistic: RSS and Atom, escaped, CDATA and XHTML bodies, a few bytes to a few
//! hundred kilobytes, ten to a hundred entries, several scripts, trackers and scripts to be removed. Each version has
//! some more entries at the top and as many fewer at the bottom. `origin` serves them.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use trial::Dice;

/// The new entries of each version.
pub(crate) const NEW_PER_VERSION: usize = 2;
pub(crate) const VERSIONS: usize = 2;
/// 127.0.1.x has no more addresses.
const HOSTS: usize = 250;
/// Changed whenever the generator changes, so that old worlds are regenerated.
const EDITION: u32 = 1;
const SIZES: (f64, f64) = (6e3, 285e3);
const ENTRIES: [usize; 11] = [10, 10, 15, 20, 20, 25, 30, 40, 50, 50, 100];

/// The parameters of a world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) feeds: usize,
    pub(crate) seed: u64,
    pub(crate) port: u16,
}

/// Writes `v0`, `v1` (each document plain and compressed), `urls.txt` and `world.opml`, unless they exist.
pub(crate) fn write(directory: &Path, size: Size) -> io::Result<()> {
    let stamp = format!("edition {EDITION}, {size:?}\n");
    if fs::read_to_string(directory.join("made.txt")).is_ok_and(|made| made == stamp) {
        return Ok(());
    }
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    for version in 0..VERSIONS {
        let into = directory.join(format!("v{version}"));
        fs::create_dir_all(&into)?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let part = |thread: usize| {
            (thread..size.feeds)
                .step_by(threads)
                .try_for_each(|feed| put(&into, &document(size.seed, feed, version), feed))
        };
        std::thread::scope(|scope| {
            let part = &part;
            let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
            running.into_iter().try_for_each(|thread| thread.join().expect("writing does not panic"))
        })?;
    }
    let urls: Vec<String> = (0..size.feeds).map(|feed| url(size.port, feed)).collect();
    fs::write(directory.join("urls.txt"), urls.join("\n") + "\n")?;
    fs::write(directory.join("world.opml"), opml(&urls))?;
    fs::write(directory.join("made.txt"), stamp)
}

fn put(into: &Path, document: &str, feed: usize) -> io::Result<()> {
    let path = into.join(name(feed));
    fs::write(&path, document)?;
    let file = fs::File::create(path.with_extension("xml.gz"))?;
    let mut compressed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    compressed.write_all(document.as_bytes())?;
    compressed.finish().map(drop)
}

fn name(feed: usize) -> String {
    format!("f{feed:05}.xml")
}

fn url(port: u16, feed: usize) -> String {
    format!("http://127.0.1.{}:{port}/{}", 1 + feed % HOSTS, name(feed))
}

/// An OPML list of these URLs.
pub(crate) fn opml(urls: &[String]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\"><head><title>world</title></head><body>\n",
    );
    for (feed, url) in urls.iter().enumerate() {
        let _ = writeln!(out, "<outline type=\"rss\" text=\"Feed {feed}\" xmlUrl=\"{url}\"/>");
    }
    out.push_str("</body></opml>\n");
    out
}

/// The document of a feed in a version.
pub(crate) fn document(seed: u64, feed: usize, version: usize) -> String {
    Habits::of(seed, feed).document(version)
}

/// A document of about `bytes` bytes.
pub(crate) fn large(feed: usize, bytes: usize) -> String {
    let entries = 40;
    Habits { entries, bytes_per_entry: bytes / entries + 700, kind: Kind::RssCdata, ..Habits::of(1, feed) }.document(0)
}

/// The markup of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    RssCdata,
    RssEscaped,
    AtomHtml,
    AtomXhtml,
}

impl Kind {
    fn is_atom(self) -> bool {
        matches!(self, Self::AtomHtml | Self::AtomXhtml)
    }
}

/// The constant properties of a feed.
struct Habits {
    seed: u64,
    feed: usize,
    kind: Kind,
    entries: usize,
    bytes_per_entry: usize,
    /// In a thousand words.
    foreign: usize,
    step: SignedDuration,
    link_is_guid: bool,
    site: String,
}

impl Habits {
    fn of(seed: u64, feed: usize) -> Self {
        let mut dice = dice(seed, feed, u64::MAX);
        let share = dice.roll(1 << 20) as f64 / f64::from(1 << 20);
        let bytes = SIZES.0 * (SIZES.1 / SIZES.0).powf(share);
        let entries = ENTRIES[dice.roll(ENTRIES.len())].min((bytes / 600.0) as usize).max(10);
        let kind = match dice.roll(100) {
            0..39 => Kind::RssCdata,
            39..65 => Kind::RssEscaped,
            65..93 => Kind::AtomHtml,
            _ => Kind::AtomXhtml,
        };
        Self {
            seed,
            feed,
            kind,
            entries,
            bytes_per_entry: (bytes / entries as f64) as usize,
            foreign: [0, 20, 20, 100, 500][dice.roll(5)],
            step: SignedDuration::from_secs([900, 3600, 7200, 21_600, 86_400][dice.roll(5)]),
            link_is_guid: dice.roll(5) < 2,
            site: format!("https://site{feed}.world.example"),
        }
    }

    fn document(&self, version: usize) -> String {
        let first = version * NEW_PER_VERSION;
        let mut out = self.head(first + self.entries - 1);
        for number in (first..first + self.entries).rev() {
            self.entry(number, &mut out);
        }
        out.push_str(if self.kind.is_atom() { "</feed>\n" } else { "</channel>\n</rss>\n" });
        out
    }

    /// When an entry appeared: the newest of the first version on the first of November 2026, later ones soon after.
    fn when(&self, number: usize) -> Timestamp {
        let newest = Timestamp::from_second(1_793_491_200).expect("a moment of these years");
        let (number, last) = (number as i32, self.entries as i32 - 1);
        if number <= last {
            newest - self.step * (last - number)
        } else {
            newest + SignedDuration::from_mins(10) * (number - last)
        }
    }

    fn head(&self, newest: usize) -> String {
        let (feed, site, when) = (self.feed, &self.site, self.when(newest));
        if self.kind.is_atom() {
            return format!(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
                 <title>Blog number {feed}</title>\n<id>{site}/</id>\n<link href=\"{site}/\"/>\n\
                 <link rel=\"self\" href=\"{site}/feed\"/>\n<updated>{when}</updated>\n"
            );
        }
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" \
             xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
             <channel>\n<title>Blog number {feed}</title>\n<link>{site}/</link>\n<description>All there is</description>\n\
             <lastBuildDate>{}</lastBuildDate>\n",
            rfc_2822(when)
        )
    }

    fn entry(&self, number: usize, out: &mut String) {
        let mut prose = Prose { dice: dice(self.seed, self.feed, number as u64), foreign: self.foreign };
        let (when, site) = (self.when(number), &self.site);
        let (title, author) = (prose.words(4, 8), prose.words(2, 1));
        let link = format!("{site}/{}/{number}-{:08x}", when.strftime("%Y/%m"), prose.dice.roll(1 << 31));
        let guid =
            if self.link_is_guid { link.clone() } else { format!("tag:{}.world.example,2026:{number}", self.feed) };
        let summary = prose.words(12, 20);
        let room =
            (self.bytes_per_entry.saturating_sub(650) as f64 * (0.6 + prose.dice.roll(800) as f64 / 1000.0)) as usize;
        let room = if matches!(self.kind, Kind::RssEscaped | Kind::AtomHtml) { room * 5 / 6 } else { room };
        let body = prose.html(room, site, number);
        let category = prose.words(1, 1);
        let _ = match self.kind {
            Kind::RssCdata | Kind::RssEscaped => {
                let body = if self.kind == Kind::RssCdata { format!("<![CDATA[{body}]]>") } else { escaped(&body) };
                writeln!(
                    out,
                    "<item>\n<title>{title}</title>\n<link>{link}</link>\n<dc:creator>{author}</dc:creator>\n\
                     <pubDate>{}</pubDate>\n<category>{category}</category>\n<guid isPermaLink=\"{}\">{guid}</guid>\n\
                     <description>&lt;p&gt;{summary}&lt;/p&gt;</description>\n\
                     <content:encoded>{body}</content:encoded>\n</item>",
                    rfc_2822(when),
                    self.link_is_guid
                )
            }
            Kind::AtomHtml | Kind::AtomXhtml => {
                let content = if self.kind == Kind::AtomHtml {
                    format!("<content type=\"html\">{}</content>", escaped(&body))
                } else {
                    let body = body.replace("&nbsp;", "&#160;");
                    format!(
                        "<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">{body}</div></content>"
                    )
                };
                writeln!(
                    out,
                    "<entry>\n<title>{title}</title>\n<link href=\"{link}\"/>\n<id>{guid}</id>\n\
                     <published>{when}</published>\n<updated>{when}</updated>\n<author><name>{author}</name></author>\n\
                     <category term=\"{category}\"/>\n<summary>{summary}</summary>\n{content}\n</entry>"
                )
            }
        };
    }
}

fn rfc_2822(when: Timestamp) -> String {
    when.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn escaped(html: &str) -> String {
    html.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The random numbers of an entry: its seed is mixed (splitmix64), so that neighbours differ.
fn dice(seed: u64, feed: usize, number: u64) -> Dice {
    let scattered = |value: u64| {
        let mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    Dice::new(scattered(scattered(scattered(seed) ^ feed as u64) ^ number))
}

/// Made-up text.
struct Prose {
    dice: Dice,
    foreign: usize,
}

impl Prose {
    /// At least `least` words, and up to `more` more.
    fn words(&mut self, least: usize, more: usize) -> String {
        let mut out = String::new();
        for _ in 0..least + self.dice.roll(more + 1) {
            if !out.is_empty() {
                out.push(' ');
            }
            self.word(&mut out);
        }
        out
    }

    /// Zipf-distributed like prose; there are 6,000 words.
    fn word(&mut self, out: &mut String) {
        const FOREIGN: &[&str] = &[
            "größe",
            "naïve",
            "señor",
            "žluťoučký",
            "święto",
            "новости",
            "погода",
            "東京",
            "新聞",
            "技術",
            "한국어",
            "اخبار",
            "ελληνικά",
            "שלום",
            "🚀",
            "“so”",
            "it’s",
            "—",
        ];
        const SYLLABLES: [&str; 18] = [
            "re", "ta", "in", "on", "ma", "ler", "ou", "sti", "ver", "con", "e", "tion", "be", "al", "ker", "di", "a",
            "no",
        ];
        if self.dice.roll(1000) < self.foreign {
            out.push_str(self.dice.pick(FOREIGN));
            return;
        }
        let mut rank = 6000_f64.powf(self.dice.roll(1 << 16) as f64 / f64::from(1 << 16)) as usize;
        while rank > 0 {
            out.push_str(SYLLABLES[rank % SYLLABLES.len()]);
            rank /= SYLLABLES.len();
        }
    }

    /// About `bytes` bytes of typical posts, with the additions of publishing tools.
    fn html(&mut self, bytes: usize, site: &str, number: usize) -> String {
        let mut out = String::with_capacity(bytes + 1000);
        while out.len() < bytes {
            let place = out.len();
            let _ = match self.dice.roll(20) {
                0..12 => {
                    let (before, link, after) = (self.words(6, 24), self.words(2, 2), self.words(8, 24));
                    let page = self.dice.roll(99_999);
                    writeln!(
                        out,
                        "<p>{before} <a href=\"{site}/t/{page}?utm_source=rss&amp;utm_medium=feed\">{link}</a> {after}. \
                         <em>{link}</em> &amp; &nbsp;{}.</p>",
                        self.words(3, 4)
                    )
                }
                12..15 => writeln!(
                    out,
                    "<figure class=\"image\"><img loading=\"lazy\" src=\"{site}/i/{number}-{place}.jpg\" width=\"1024\" \
                     height=\"640\" alt=\"{}\"/><figcaption>{}</figcaption></figure>",
                    self.words(3, 3),
                    self.words(4, 4)
                ),
                15 => {
                    let points: Vec<String> = (0..4).map(|_| self.words(5, 6)).collect();
                    writeln!(out, "<ul>\n<li>{}</li>\n</ul>", points.join("</li>\n<li>"))
                }
                16 | 17 => writeln!(
                    out,
                    "<h2 id=\"s{place}\">{}</h2>\n<blockquote><p>{}</p></blockquote>",
                    self.words(2, 4),
                    self.words(12, 30)
                ),
                18 => writeln!(out, "<pre><code>if x{place} &lt; 8 {{ run(&amp;x{place}) }}</code></pre>"),
                _ => writeln!(
                    out,
                    "<script>seen({number})</script><div style=\"display:none\" onclick=\"x()\">\
                     <iframe src=\"https://player.example/{number}\"></iframe></div>"
                ),
            };
        }
        out
    }
}
