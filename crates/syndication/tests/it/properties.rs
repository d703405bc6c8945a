//! Properties of every document: no panic, bounded output, writing and reading are inverse, and a prefix of a document
//! gives a prefix of its entries.
//!
//! Round trips are compared as far as a dialect can express the reading (`sayable`).

use jiff::Timestamp;
use model::reading::{
    About, Category, Content, Dated, Enclosure, Format, Link, Person, ReadEntry, ReadFeed, Reading, Text, TextKind,
};
use proptest::prelude::*;
use syndication::opml::{self, Folder, Opml, Row, Subscription};
use syndication::{Hints, Limits, date, normalised, read, write};

fn understand(bytes: &[u8]) -> Option<Reading> {
    read(bytes, &Hints::default(), &Limits::default()).ok()
}

/// Realistic text with everything that needs escaping, but nothing to be trimmed or cleaned.
fn words() -> impl Strategy<Value = String> {
    "[a-zA-Z<&>\"'é東😀;#%-]{1,12}( [a-zA-Z<&>\"'é東😀;/!]{1,9}){0,4}"
}

fn address() -> impl Strategy<Value = String> {
    "https?://[a-z]{1,8}\\.example/[a-z0-9/~-]{0,12}(\\?[a-z]=[0-9]&[a-z]=é)?"
}

fn moment() -> impl Strategy<Value = Dated> {
    (0_i64..4_000_000_000).prop_map(|seconds| {
        let at = Timestamp::from_second(seconds).unwrap();
        Dated { at: Some(at), text: at.to_string() }
    })
}

fn text(kinds: &'static [TextKind]) -> impl Strategy<Value = Text> {
    (words(), proptest::sample::select(kinds)).prop_map(|(value, kind)| Text { kind, value, ..Text::default() })
}

fn person() -> impl Strategy<Value = Person> {
    (
        "[A-Z][a-zé]{1,8}( [A-Z][a-z]{1,8})?",
        proptest::option::of("[a-z]{1,8}@[a-z]{1,8}\\.example"),
        proptest::option::of(address()),
    )
        .prop_map(|(name, email, uri)| Person { name: Some(name), email, uri, avatar: None })
}

fn category() -> impl Strategy<Value = Category> {
    (words(), proptest::option::of(address())).prop_map(|(term, scheme)| Category {
        term: Some(term),
        scheme,
        label: None,
    })
}

prop_compose! {
    fn about()(
        id in proptest::option::of("urn:[a-z0-9:<&]{1,20}"),
        title in text(&[TextKind::Plain, TextKind::Html]),
        link in address(),
        authors in proptest::collection::vec(person(), 1..3),
        categories in proptest::collection::vec(category(), 0..3),
        published in proptest::option::of(moment()),
        updated in moment(),
    ) -> About {
        let links = vec![Link { href: link.clone(), ..Link::default() }];
        let id = id.or_else(|| Some(link.clone()));
        let mut unique = Vec::new();
        for category in categories {
            if !unique.contains(&category) {
                unique.push(category);
            }
        }
        let mut persons: Vec<Person> = Vec::new();
        for person in authors {
            if !persons.contains(&person) {
                persons.push(person);
            }
        }
        About { id, title: Some(title), link: Some(link), links, authors: persons, categories: unique, published, updated: Some(updated), ..About::default() }
    }
}

prop_compose! {
    fn entry()(
        about in about(),
        summary in proptest::option::of(text(&[TextKind::Plain, TextKind::Html])),
        content in proptest::option::of(text(&[TextKind::Plain, TextKind::Html])),
        enclosure in proptest::option::of((address(), any::<u32>())),
    ) -> ReadEntry {
        let mut entry = ReadEntry { about, summary, ..ReadEntry::default() };
        entry.content = content.into_iter().map(|text| Content { text, ..Content::default() }).collect();
        if let Some((url, length)) = enclosure {
            let media_type = Some("audio/mpeg".to_owned());
            entry.about.links.push(Link {
                href: url.clone(),
                rel: Some("enclosure".into()),
                media_type: media_type.clone(),
                length: Some(length.to_string()),
                ..Link::default()
            });
            entry.enclosures.push(Enclosure { url, media_type, length: Some(u64::from(length)), ..Enclosure::default() });
        }
        entry
    }
}

prop_compose! {
    fn reading(format: Format)(
        about in about(),
        subtitle in text(&[TextKind::Plain, TextKind::Html]),
        entries in proptest::collection::vec(entry(), 0..5),
    ) -> Reading {
        let mut feed = ReadFeed { about, subtitle: Some(subtitle), ..ReadFeed::default() };
        feed.about.published = None;
        Reading { format, encoding: "utf-8".into(), feed, entries, ..Reading::default() }
    }
}

/// Removes what a dialect cannot express, before the two sides are compared.
fn sayable(mut reading: Reading, dialect: Format) -> Reading {
    let as_html = |text: &mut Text| {
        if text.kind == TextKind::Plain {
            text.value = text.value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            text.kind = TextKind::Html;
        }
    };
    let strip = |about: &mut About| {
        for person in &mut about.authors {
            match dialect {
                Format::Rss20 => person.uri = None,
                Format::Json11 => person.email = None,
                _ => {}
            }
        }
        let mut persons: Vec<Person> = Vec::new();
        for person in about.authors.drain(..) {
            if !persons.contains(&person) {
                persons.push(person);
            }
        }
        about.authors = persons;
        if dialect == Format::Json11 {
            about.links.retain(|link| link.rel.is_none());
            about.categories.iter_mut().for_each(|category| category.scheme = None);
            about.categories.dedup();
            about.title.iter_mut().for_each(|title| title.kind = TextKind::Plain);
        }
        if dialect == Format::Rss20 {
            // RSS leaves the type of a title to guessing; its text must not change.
            about.title.iter_mut().for_each(|title| {
                if title.kind == TextKind::Html {
                    title.value = title.value.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
                }
                title.kind = TextKind::Plain;
            });
        }
        // Dates are the same instant, in any spelling.
        for dated in [&mut about.published, &mut about.updated].into_iter().flatten() {
            dated.text.clear();
        }
    };
    strip(&mut reading.feed.about);
    if dialect != Format::Atom10 {
        reading.feed.about.id = None;
    }
    if dialect == Format::Json11 {
        reading.feed.about.updated = None;
        reading.feed.about.categories.clear();
        reading.feed.subtitle.iter_mut().for_each(|text| text.kind = TextKind::Plain);
    }
    if dialect == Format::Rss20 {
        reading.feed.subtitle.iter_mut().for_each(as_html);
    }
    for entry in &mut reading.entries {
        strip(&mut entry.about);
        entry.range = None;
        match dialect {
            Format::Rss20 => {
                entry.guid_is_permalink = None;
                entry.summary.iter_mut().for_each(as_html);
                entry.content.iter_mut().for_each(|content| as_html(&mut content.text));
                // Enclosures may be at another position in the list of links.
                entry.about.links.retain(|link| link.rel.is_none());
            }
            Format::Json11 => {
                entry.summary.iter_mut().for_each(|text| text.kind = TextKind::Plain);
                entry.enclosures.iter_mut().for_each(|enclosure| enclosure.title = None);
            }
            _ => {}
        }
    }
    reading.problems.clear();
    reading
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn atom_is_read_as_it_was_written(reading in reading(Format::Atom10)) {
        let again = understand(write::atom(&reading).as_bytes()).unwrap();
        prop_assert_eq!(&again.problems, &[]);
        prop_assert_eq!(sayable(again, Format::Atom10), sayable(reading, Format::Atom10));
    }

    #[test]
    fn rss_is_read_as_it_was_written(reading in reading(Format::Rss20)) {
        let again = understand(write::rss(&reading).as_bytes()).unwrap();
        prop_assert_eq!(&again.problems, &[]);
        prop_assert_eq!(sayable(again, Format::Rss20), sayable(reading, Format::Rss20));
    }

    #[test]
    fn json_is_read_as_it_was_written(mut reading in reading(Format::Json11)) {
        // Without content the summary is used for it, which is another reading.
        reading.entries.retain(|entry| !entry.content.is_empty());
        let again = understand(write::json(&reading).as_bytes()).unwrap();
        prop_assert_eq!(&again.problems, &[]);
        prop_assert_eq!(sayable(again, Format::Json11), sayable(reading, Format::Json11));
    }

    #[test]
    fn opml_is_read_as_it_was_written(names in proptest::collection::vec(("[A-Z][a-zé&<\"]{0,12}", "[a-z]{1,9}", any::<bool>()), 0..12)) {
        let mut opml = Opml { title: Some("L".into()), rows: Vec::new() };
        let mut folders: Vec<Folder> = Vec::new();
        for (index, (name, host, in_folder)) in names.into_iter().enumerate() {
            let url = format!("https://{host}{index}.example/f?a=1&b={index}");
            let feed = Subscription { name: name.clone(), url, ..Subscription::default() };
            match folders.iter_mut().find(|folder| folder.name.eq_ignore_ascii_case(&name)) {
                Some(folder) if in_folder => folder.rows.push(Row::Feed(feed)),
                None if in_folder => folders.push(Folder { name, rows: vec![Row::Feed(feed)] }),
                _ => opml.rows.push(Row::Feed(feed)),
            }
        }
        opml.rows.extend(folders.into_iter().map(Row::Folder));
        let text = opml::write(&opml, Timestamp::UNIX_EPOCH);
        let (again, report) = opml::read(text.as_bytes(), &opml::Options::default(), &opml::Limits::default()).unwrap();
        prop_assert_eq!(again, opml);
        prop_assert_eq!(report, opml::Report::default());
    }

    #[test]
    fn a_prefix_of_a_document_has_a_prefix_of_its_entries(reading in reading(Format::Rss20), cut in 0.0_f64..1.0, atom in any::<bool>()) {
        let document = if atom { write::atom(&reading) } else { write::rss(&reading) };
        let whole = understand(document.as_bytes()).unwrap();
        let end = (document.len() as f64 * cut) as usize;
        let Some(part) = understand(&document.as_bytes()[..end]) else { return Ok(()) };
        prop_assert!(part.entries.len() <= whole.entries.len());
        // The last one may be cut; those before it are the same.
        let finished = part.entries.len().saturating_sub(1);
        prop_assert_eq!(&part.entries[..finished], &whole.entries[..finished]);
    }

    #[test]
    fn any_bytes_give_a_bounded_answer(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        bounded(&bytes);
    }

    #[test]
    fn any_markup_gives_a_bounded_answer(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)) {
        bounded(pieces.concat().as_bytes());
    }

    #[test]
    fn any_text_is_a_date_or_not(text in "\\PC{0,40}") {
        let _ = date::parse(&text);
    }

    #[test]
    fn anything_like_a_date_is_a_date_or_not(text in "[0-9]{0,5}[-/. ]?(jan|Feb|mars|Mon,|T|年)?[0-9: +.-]{0,16}(Z|GMT|pm)?") {
        let _ = date::parse(&text);
    }
}

/// Pieces that occur together in no sane document.
const PIECES: &[&str] = &[
    "<rss version='2.0'>",
    "<channel>",
    "<item>",
    "</item>",
    "<entry>",
    "<feed xmlns='http://www.w3.org/2005/Atom'>",
    "<title>",
    "</title>",
    "<title type='xhtml'>",
    "<div>",
    "</div>",
    "<link href='",
    "<link>",
    "http://e/",
    "'/>",
    "\"",
    "'",
    "<",
    ">",
    "&",
    "&amp;",
    "&#xD800;",
    "&#0;",
    "&eacute;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?",
    "?>",
    "<!DOCTYPE x [<!ENTITY a '&a;&a;'>]>",
    "&a;",
    "<author>",
    "<name>",
    "</author>",
    "<source url='x'>",
    "</source>",
    "<image>",
    "<url>",
    "<media:group>",
    "<media:title>",
    "<itunes:owner>",
    "<georss:where>",
    "<gml:pos>1 2</gml:pos>",
    "<geo:lat>1",
    "<psc:chapters>",
    "<pubDate>",
    "Thu, 01 Jan 2004",
    "<x:y a=1>",
    "xml:base='b/'",
    "<skipHours><hour>3",
    "é",
    "\u{80}",
    "\0",
    "\r",
    " ",
    "</rss>",
    "<textInput>",
    "<content type='application/x'>",
    "{\"items\":[",
    "}",
    "<rdf:RDF>",
];

fn bounded(bytes: &[u8]) {
    if let Some(reading) = understand(bytes) {
        let size = normalised::document(&reading).to_string().len();
        // Escapes in JSON, a link kept twice, and a fixed cost for every element: far below what a bomb needs.
        assert!(size < 4_000 + bytes.len() * 60, "{size} from {}", bytes.len());
    }
    let _ = opml::read(bytes, &opml::Options::default(), &opml::Limits::default());
}
