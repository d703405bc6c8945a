//! Reading lists: one pass, a stack of open outlines, no recursion.
//!
//! Every quirk here was seen in some program's export; the table in the tests names them. A row is classified by its
//! URL, not by its type: programs disagree about types more than about anything else.

use std::borrow::Cow;

use super::drafts::Drafts;
use super::names::{address, folder, host, tidy};
use super::{NotOpml, Opml, Report, Skip, Skipped, Subscription};
use crate::decode::{Decoded, decode};
use crate::markup::{Attributes, Markup, Tag, Token};
use crate::text::{Entities, Quirks};

/// More tags than any real feed has.
pub(super) const MAX_TAGS: usize = 32;

/// Limits on reading a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file; a larger one is refused.
    pub bytes: usize,
    /// Outlines.
    pub outlines: usize,
    /// Nesting depth of folders.
    pub depth: usize,
    /// Rejected rows that are reported individually.
    pub reported: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 16 << 20, outlines: 20_000, depth: 32, reported: 1_000 }
    }
}

/// Options of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// A folder that contains a single feed and nothing else becomes that feed, as Thunderbird's lists need.
    pub flatten_single_feed_folders: bool,
    /// Folders without feeds are dropped.
    pub skip_empty_folders: bool,
}

/// Reads a list. `Err` only if there is none; unusable rows are in the report.
pub fn read(bytes: &[u8], options: &Options, limits: &Limits) -> Result<(Opml, Report), NotOpml> {
    if bytes.len() > limits.bytes {
        return Err(NotOpml::TooLarge { limit_bytes: limits.bytes });
    }
    let decoded = decode(bytes, None, None);
    let mut reader = Reader::new(&decoded, limits);
    reader.run();
    if !reader.found {
        return Err(NotOpml::NoList);
    }
    let Reader { title, drafts, report, .. } = reader;
    Ok((Opml { title, rows: drafts.into_rows(*options) }, report))
}

struct Reader<'a> {
    markup: Markup<'a>,
    text: &'a str,
    quirks: Quirks,
    entities: Entities<'a>,
    limits: Limits,
    title: Option<String>,
    drafts: Drafts,
    /// The folder of each open outline, or the one it is in.
    open: Vec<usize>,
    outlines: usize,
    too_deep: usize,
    /// Whether the rest was skipped.
    too_many: bool,
    found: bool,
    report: Report,
    counted: (usize, u32),
}

impl<'a> Reader<'a> {
    fn new(decoded: &'a Decoded<'_>, limits: &Limits) -> Self {
        let text = decoded.text.as_ref();
        Reader {
            markup: Markup::new(text),
            text,
            quirks: Quirks::of(text, &decoded.encoding),
            entities: Entities::new(1 << 16),
            limits: *limits,
            title: None,
            drafts: Drafts::default(),
            open: vec![Drafts::ROOT],
            outlines: 0,
            too_deep: 0,
            too_many: false,
            found: false,
            report: Report::default(),
            counted: (0, 1),
        }
    }

    fn run(&mut self) {
        if self.quirks.controls && self.text.bytes().any(|byte| byte < 0x20 && !byte.is_ascii_whitespace()) {
            self.report.repaired += 1;
        }
        // Whether the list has begun and not ended.
        let mut unended = false;
        let (mut in_title, mut in_body) = (false, false);
        while let Some(token) = self.markup.next() {
            match token {
                Token::Doctype(doctype) => self.entities.declare(doctype),
                Token::Start(tag) => {
                    let name = tag.name.rsplit(':').next().unwrap_or(tag.name).to_ascii_lowercase();
                    match name.as_str() {
                        "opml" => {
                            self.found = true;
                            unended |= !tag.empty;
                        }
                        "title" if !in_body => in_title = !tag.empty,
                        "body" => {
                            in_body = true;
                            unended = !tag.empty;
                        }
                        "outline" => {
                            in_body = true;
                            self.outline(&tag);
                        }
                        _ => {}
                    }
                }
                Token::End(name) => {
                    in_title = false;
                    let name = name.rsplit(':').next().unwrap_or(name);
                    unended &= !["opml", "body"].iter().any(|list| name.eq_ignore_ascii_case(list));
                    if name.eq_ignore_ascii_case("outline") {
                        self.close();
                    }
                }
                Token::Text(text) | Token::CData(text) if in_title => {
                    let title = self.entities.unescape(text);
                    let title = tidy(&self.entities.clean(title, self.quirks));
                    self.title = self.title.take().or(Some(title)).filter(|title| !title.is_empty());
                }
                Token::Text(text) if in_body && !text.trim().is_empty() => self.report.repaired += 1,
                Token::Text(_) | Token::CData(_) => {}
            }
        }
        if unended && !self.too_many {
            self.report.ended_early = true;
            // An incomplete title is dropped.
            self.title.take_if(|_| in_title);
        } else if self.open.len() > 1 {
            self.report.repaired += 1;
        }
    }

    fn outline(&mut self, tag: &Tag<'a>) {
        if self.outlines >= self.limits.outlines {
            self.report.cut = true;
            self.too_many = true;
            self.markup.skip_rest();
            return;
        }
        if self.open.len() > self.limits.depth {
            self.report.cut = true;
            self.too_deep += usize::from(!tag.empty);
            return;
        }
        self.found = true;
        self.outlines += 1;
        let outline = self.attributes(tag);
        let kind = outline.kind.to_ascii_lowercase();
        let named = outline.text.clone().or(outline.title.clone());
        let has_children = !tag.empty && self.has_children();
        let feed = match (&outline.url, kind.as_str()) {
            (_, "include" | "link") => self.skip(&outline, Skip::Include),
            (Some(_), kind)
                if !kind.is_empty()
                    && !matches!(
                        kind,
                        "rss" | "atom" | "pie" | "rdf" | "feed" | "rss1" | "rss2" | "json" | "jsonfeed" | "folder"
                    ) =>
            {
                self.skip(&outline, Skip::Kind(outline.kind.clone()))
            }
            (Some(url), _) => match address(url) {
                Some(url) => Some(outline.subscription(url)),
                None => self.skip(&outline, Skip::NotHttp),
            },
            (None, "rss" | "atom") if !has_children => self.skip(&outline, Skip::NoAddress),
            (None, _) => {
                let name = named.as_deref().map(folder).filter(|name| !name.is_empty());
                let draft = self.drafts.folder(self.current(), name.unwrap_or_else(|| "(no name)".into()));
                if !tag.empty {
                    self.open.push(draft);
                }
                return;
            }
        };
        if let Some(feed) = feed {
            self.add(feed);
        }
        if !tag.empty {
            // Children of a feed belong to the folder of the feed.
            self.open.push(self.current());
        }
    }

    fn current(&self) -> usize {
        self.open.last().copied().unwrap_or(Drafts::ROOT)
    }

    fn add(&mut self, feed: Subscription) {
        let folder = self.current();
        if let Err(known) = self.drafts.add(folder, feed)
            && self.report.already_there.len() < self.limits.reported
        {
            self.report.already_there.push(known);
        }
    }

    /// Whether the next token is another outline, and not the end of this one.
    fn has_children(&self) -> bool {
        let mut ahead = self.markup.clone();
        while let Some(token) = ahead.next() {
            match token {
                Token::Start(_) => return true,
                Token::End(_) => return false,
                _ => {}
            }
        }
        false
    }

    fn close(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        if self.open.len() <= 1 {
            self.report.repaired += 1;
            return;
        }
        self.open.pop();
    }

    fn attributes(&mut self, tag: &Tag<'a>) -> Outline {
        let mut outline = Outline::default();
        let mut plain_url = None;
        for (name, raw) in Attributes(tag.attributes).take(64) {
            self.report.repaired += usize::from(has_bare_ampersand(raw));
            let value = self.entities.unescape(raw);
            let value = self.entities.clean(value, self.quirks);
            let value = Some(value).filter(|value| !value.trim().is_empty()).map(Cow::into_owned);
            match name.to_ascii_lowercase().as_str() {
                "text" => outline.text = value,
                "title" => outline.title = value,
                "type" => outline.kind = value.unwrap_or_default(),
                "xmlurl" => outline.url = value,
                "url" => plain_url = value,
                "htmlurl" => outline.page = value.as_deref().and_then(address),
                "description" => outline.description = value.as_deref().map(tidy),
                "category" => outline.tags = value.as_deref().map(tags).unwrap_or_default(),
                "miniflux:disabled" | "courant:disabled" | "disabled" => {
                    outline.disabled = value.as_deref().is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
                }
                _ => {}
            }
        }
        let is_feed = ["rss", "atom"].iter().any(|kind| outline.kind.eq_ignore_ascii_case(kind));
        if outline.url.is_none() && (is_feed || matches!(outline.kind.as_str(), "include" | "link")) {
            outline.url = plain_url;
        }
        outline
    }

    fn skip(&mut self, outline: &Outline, why: Skip) -> Option<Subscription> {
        if self.report.skipped.len() < self.limits.reported {
            let row = outline.text.as_ref().or(outline.title.as_ref()).or(outline.url.as_ref());
            let row = row.map(|row| tidy(row)).unwrap_or_default();
            let at = self.markup.start();
            let lines = memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.counted.0..at]).count();
            self.counted = (at, self.counted.1 + lines as u32);
            self.report.skipped.push(Skipped { row, why, line: self.counted.1 });
        }
        None
    }
}

/// The attributes of an outline that are used.
#[derive(Debug, Default)]
struct Outline {
    text: Option<String>,
    title: Option<String>,
    kind: String,
    url: Option<String>,
    page: Option<String>,
    description: Option<String>,
    tags: Vec<String>,
    disabled: bool,
}

impl Outline {
    fn subscription(&self, url: String) -> Subscription {
        let named =
            [&self.text, &self.title].into_iter().flatten().map(|name| tidy(name)).find(|name| !name.is_empty());
        Subscription {
            name: named.unwrap_or_else(|| tidy(host(&url))),
            url,
            page: self.page.clone(),
            description: self.description.clone().filter(|description| !description.is_empty()),
            tags: self.tags.clone(),
            disabled: self.disabled,
        }
    }
}

/// `/a/b,c`: categories separated by commas, each possibly a path.
fn tags(category: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    // Cut to length first: the result may end in a slash.
    for tag in category.split(',').map(|tag| tidy(tag).trim_matches(['/', ' ']).to_owned()) {
        if !tag.is_empty() && !tags.contains(&tag) && tags.len() < MAX_TAGS {
            tags.push(tag);
        }
    }
    tags
}

fn has_bare_ampersand(raw: &str) -> bool {
    raw.match_indices('&').any(|(at, _)| {
        let rest = &raw.as_bytes()[at + 1..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
        length == 0 || rest.get(length) != Some(&b';')
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::opml::Row;

    /// `name[…]` for folders, `name=url` for feeds.
    fn shown(rows: &[Row]) -> String {
        let one = |row: &Row| match row {
            Row::Folder(folder) => format!("{}[{}]", folder.name, shown(&folder.rows)),
            Row::Feed(feed) => {
                let tags = if feed.tags.is_empty() { String::new() } else { format!("#{}", feed.tags.join("#")) };
                format!("{}={}{tags}{}", feed.name, feed.url, if feed.disabled { "!" } else { "" })
            }
        };
        rows.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn check_with(case: &str, options: Options, body: &str, expected: &str) {
        let text =
            format!("<?xml version='1.0'?><opml version='1.0'><head><title>L</title></head><body>{body}</body></opml>");
        let (opml, report) = read(text.as_bytes(), &options, &Limits::default()).unwrap();
        let mut shown = shown(&opml.rows);
        if report.repaired > 0 {
            let _ = write!(shown, " repaired {}", report.repaired);
        }
        for skipped in &report.skipped {
            let _ = write!(shown, " skipped {} {:?}", skipped.row, skipped.why);
        }
        for url in &report.already_there {
            let _ = write!(shown, " again {url}");
        }
        assert_eq!(shown, expected, "{case}");
    }

    fn check(case: &str, body: &str, expected: &str) {
        check_with(case, Options::default(), body, expected);
    }

    #[test]
    fn quirks_seen_in_the_wild() {
        check("plain", "<outline text='A' type='rss' xmlUrl='http://a/f'/>", "A=http://a/f");
        check("title without text", "<outline title='A' xmlUrl='http://a/f'/>", "A=http://a/f");
        check("no name at all", "<outline xmlUrl='http://a.org/f'/>", "a.org=http://a.org/f");
        check(
            "folder by title",
            "<outline title='F'><outline text='A' xmlUrl='http://a/f'/></outline>",
            "F[A=http://a/f]",
        );
        check(
            "folder that says rss",
            "<outline text='F' type='rss'><outline text='A' xmlUrl='http://a/f'/></outline>",
            "F[A=http://a/f]",
        );
        check(
            "spellings",
            "<outline text='A' xmlurl='http://a/f'/><outline text='B' XMLURL='http://b/f'/>",
            "A=http://a/f B=http://b/f",
        );
        check(
            "url only with a type",
            "<outline text='A' type='atom' url='http://a/f'/><outline text='B' url='http://b'/>",
            "A=http://a/f B[]",
        );
        check(
            "unknown kind",
            "<outline text='A' type='HTML+XPath' xmlUrl='http://a/f'/>",
            " skipped A Kind(\"HTML+XPath\")",
        );
        check("include", "<outline text='A' type='include' url='http://a/l.opml'/>", " skipped A Include");
        check("rss without address", "<outline text='A' type='rss'/>", " skipped A NoAddress");
        check("hostile address", "<outline text='A' xmlUrl='javascript:alert(1)'/>", " skipped A NotHttp");
        check("empty folder", "<outline text='F'/><outline text='A' xmlUrl='http://a/f'/>", "F[] A=http://a/f");
        check(
            "bare ampersand",
            "<outline text='A&B' xmlUrl='http://a/f?x=1&y=2'/>",
            "A&B=http://a/f?x=1&y=2 repaired 2",
        );
        check("stray text", "<outline text='A' xmlUrl='http://a/f'/>, oops", "A=http://a/f repaired 1");
        check("feed scheme", "<outline text='A' xmlUrl='feed://a.org/f'/>", "A=http://a.org/f");
        check("tags", "<outline text='A' category='/a/b,c, c' xmlUrl='http://a/f'/>", "A=http://a/f#a/b#c");
        check("disabled", "<outline text='A' miniflux:disabled='true' xmlUrl='http://a/f'/>", "A=http://a/f!");
        check(
            "folders of one name",
            "<outline text='F'><outline text='A' xmlUrl='http://a/f'/></outline><outline text='f'><outline text='B' xmlUrl='http://b/f'/></outline>",
            "F[A=http://a/f B=http://b/f]",
        );
        check("slash in a name", "<outline text='a/b'/>", "a-b[]");
        check("unclosed", "<outline text='F'><outline text='A' xmlUrl='http://a/f'>", "F[A=http://a/f] repaired 1");
    }

    #[test]
    fn the_same_feed_twice() {
        let feed = |url: &str| format!("<outline text='A' xmlUrl='{url}'/>");
        let body = format!(
            "<outline text='F'>{}</outline><outline text='G'>{}</outline>",
            feed("http://a.org/f"),
            feed("https://www.a.org/f/")
        );
        check("in two folders", &body, "F[A=http://a.org/f#G] G[] again https://www.a.org/f/");
        let two = format!("{}<outline text='G, g'>{}</outline>", feed("http://a.org/f"), feed("http://a.org/f"));
        check("in no folder first", &two, "G, g[A=http://a.org/f] again http://a.org/f");
        let body = format!("{two}<outline text='H'>{}</outline>{}", feed("http://a.org/f"), feed("http://b.org/f"));
        let again = "again http://a.org/f again http://a.org/f";
        check("and then in two", &body, &format!("G, g[A=http://a.org/f#H] H[] A=http://b.org/f {again}"));
    }

    #[test]
    fn options() {
        let body = "<outline text='F'><outline text='A' xmlUrl='http://a/f'/></outline><outline text='G'/>";
        let options = Options { flatten_single_feed_folders: true, skip_empty_folders: true };
        check_with("both", options, body, "A=http://a/f");
    }

    #[test]
    fn a_list_that_is_cut_off_says_so() {
        let whole = "<opml version='1.0'><head><title>List</title></head><body><outline text='F'>\
                     <outline text='A' xmlUrl='http://a/f'/><outline text='B' xmlUrl='http://b/f'/></outline></body></opml>";
        let ends = [
            ("</opml>", false),
            ("</body>", false),
            ("</outline>", true),
            ("'http://b/f'/>", true),
            ("http://b", true),
        ];
        for (last, early) in ends {
            let cut = &whole[..whole.find(last).unwrap() + last.len()];
            let (opml, report) = read(cut.as_bytes(), &Options::default(), &Limits::default()).unwrap();
            let rows = if last == "http://b" { "F[A=http://a/f]" } else { "F[A=http://a/f B=http://b/f]" };
            assert_eq!((shown(&opml.rows).as_str(), report.ended_early), (rows, early), "{cut}");
        }
        let (opml, report) = read(b"<opml><head><title>Lis", &Options::default(), &Limits::default()).unwrap();
        assert_eq!((opml.title, report.ended_early), (None, true));
        let bare = b"<outline text='A' xmlUrl='http://a/f'/>";
        assert!(!read(bare, &Options::default(), &Limits::default()).unwrap().1.ended_early);
    }

    #[test]
    fn limits() {
        let deep = format!("<opml><body>{}", "<outline text='x'>".repeat(100_000));
        let (opml, report) = read(deep.as_bytes(), &Options::default(), &Limits::default()).unwrap();
        assert!(report.cut);
        assert_eq!(shown(&opml.rows).matches('[').count(), 32);
        let many = format!("<opml><body>{}", "<outline text='x' xmlUrl='http://a/f'/>".repeat(30_000));
        let (opml, report) = read(many.as_bytes(), &Options::default(), &Limits::default()).unwrap();
        assert!(report.cut && opml.rows.len() == 1);
        assert_eq!(read(b"<rss/>", &Options::default(), &Limits::default()), Err(NotOpml::NoList));
    }
}
