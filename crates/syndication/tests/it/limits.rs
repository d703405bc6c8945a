//! Hostile documents cost no more than honest ones of their size, and their valid parts are read.
//!
//! Each case is quadratic or worse when it is handled naively. The time limit only distinguishes linear from quadratic.

use std::fmt::Write;
use std::time::Duration;

use model::reading::Geo;
use syndication::{Hints, Limits, read};
use trial::timed;

/// Processor time, generous for a debug build; quadratic cost would take minutes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

fn check(case: &str, document: &str, entries: usize) {
    let (reading, took) = timed(|| read(document.as_bytes(), &Hints::default(), &Limits::default()));
    assert!(took < PATIENCE, "{case} took {took:?}");
    assert_eq!(reading.map_or(0, |reading| reading.entries.len()), entries, "{case}");
}

fn rss(body: &str) -> String {
    format!("<rss version='2.0'><channel>{body}<item><title>I</title></item></channel></rss>")
}

#[test]
fn hostile_documents_are_fast() {
    const MANY: usize = 300_000;
    check("bare <", &rss(&"<".repeat(MANY)), 1);
    check("comments that do not end", &rss(&"<!--".repeat(MANY)), 1);
    check("sections that do not end", &format!("{}{}", rss(""), "<![CDATA[".repeat(MANY)), 1);
    check("quotes that do not end", &format!("{}{}", rss(""), "<a b=\"".repeat(MANY)), 1);
    check("quotes of both kinds", &format!("{}{}", rss(""), "<a b=\"<a b='".repeat(MANY / 2)), 1);
    check("quotes of another tag", &rss(&"<ab c=\"1>\n".repeat(MANY / 4)), 1);
    check("a quote and then space", &rss(&format!("<x a=\"{}>", " ".repeat(MANY))), 1);
    check("tags without an end", &rss(&"<ab ".repeat(MANY)), 1);
    check("tags without an end, far from any", &format!("{}{}>", rss(""), "<ab ".repeat(MANY)), 1);
    check("references without an end", &rss(&format!("<title>{}</title>", "&copy&#9".repeat(MANY))), 1);
    check("unknown elements without an end", &rss(&"<ab><cd>".repeat(MANY / 2)), 1);
    check("unknown elements that may end", &rss(&format!("{}{}", "<ab>".repeat(MANY), "</ab>".repeat(MANY))), 1);
    check("instructions", &rss(&"<?a b?>".repeat(MANY)), 1);
    check("end tags", &rss(&"</x>".repeat(MANY)), 1);
    check("end tags at depth", &rss(&format!("{}{}", "<ab>".repeat(250), "</ac>".repeat(MANY))), 1);
    check("depth", &rss(&format!("{}{}", "<x>".repeat(MANY), "</x>".repeat(MANY))), 1);
    check(
        "depth inside a text",
        &rss(&format!("<description>{}{}</description>", "<b>".repeat(MANY), "</b>".repeat(MANY))),
        1,
    );
    check("attributes", &rss(&format!("<x {}/>", "a='1' ".repeat(MANY))), 1);
    check("namespaces", &rss(&format!("<x {}/>", "xmlns:a='u' ".repeat(MANY))), 1);
    check("ampersands", &rss(&format!("<title>{}</title>", "&".repeat(MANY))), 1);
    check("categories", &rss(&"<category>x</category>".repeat(MANY / 4)), 1);
    check(
        "categories that differ",
        &rss(&(0..MANY / 4).map(|n| format!("<category>{n}</category>")).collect::<Vec<_>>().concat()),
        1,
    );
    check("unclosed entries", &format!("<rss version='2.0'><channel>{}", "<item><title>x".repeat(MANY)), 2_000);
    check("a tag that is opened again and again", &rss(&"<title>\n".repeat(MANY)), 1);
    check("unclosed elements in entries", &rss(&"<a><b><c></a>".repeat(MANY / 4)), 1);
    check("document types that do not end", &rss(&"<!DOCTYPE [>".repeat(MANY / 4)), 1);
    check(
        "document types with an entity each",
        &rss(&(0..MANY / 4).map(|n| format!("<!DOCTYPE x [<!ENTITY e{n} ''>]>")).collect::<Vec<_>>().concat()),
        1,
    );
    check("tags that end in values only", &format!("{}<a b=\"> {}\"", rss(""), "<a c\" d=\"> ".repeat(MANY / 4)), 1);
    check(
        "roots and namespaces of dialects",
        &format!(
            "{}{}",
            "<x xmlns='http://purl.org/rss/1.0/'/>".repeat(MANY / 4),
            "<feed/>".repeat(MANY / 4) + &rss("")
        ),
        1,
    );
    check("parentheses in a date", &rss(&format!("<pubDate>Mon, {}</pubDate>", "(".repeat(MANY))), 1);
}

/// Long lists in every entry: neither time nor memory may grow as the document demands.
#[test]
fn lists_do_not_add_up() {
    let authors = (0..500)
        .map(|n| format!("<author>{n}</author><category>{n}</category><link>{n}</link>"))
        .collect::<Vec<_>>()
        .concat();
    let items = format!("<item>{authors}</item>").repeat(400);
    check("persons", &format!("<rss version='2.0'><channel>{items}</channel></rss>"), 400);
    let tags: Vec<String> = (0..1_000).map(|n| format!("\"{n}\"")).collect();
    let item = format!("{{\"id\":\"1\",\"tags\":[{}]}}", tags.join(","));
    let json = format!("{{\"version\":\"jsonfeed\",\"items\":[{}]}}", vec![item; 1_000].join(","));
    check("tags", &json, 1_000);
    let reading = read(json.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
    let values: usize = reading.entries.iter().map(|entry| entry.about.categories.len()).sum();
    assert_eq!(values, Limits::default().values);
}

#[test]
fn places_do_not_add_up() {
    let item = format!("<item><georss:line>{}</georss:line></item>", "1 1 ".repeat(9_000));
    let reading = read(rss(&item.repeat(100)).as_bytes(), &Hints::default(), &Limits::default()).unwrap();
    let points = reading.entries.iter().filter_map(|entry| match entry.about.geo.as_deref() {
        Some(Geo::Line(points)) => Some(points.len()),
        _ => None,
    });
    assert_eq!(points.sum::<usize>(), 198_000, "as many lines as fit");
    assert_eq!(reading.entries.len(), 101);
    assert!(reading.problems.iter().any(|problem| problem.message.contains("too many points")));
}

#[test]
fn a_long_base_does_not_multiply() {
    let base = format!("http://example.org/{}/", "a".repeat(2_000));
    let entry = format!("<entry>{}</entry>", "<link href='x'/>".repeat(400));
    let document = format!("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='{base}'>{}</feed>", entry.repeat(400));
    let reading = read(document.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
    let bytes: usize = reading.entries.iter().flat_map(|entry| &entry.about.links).map(|link| link.href.len()).sum();
    assert!(bytes < 9 << 20, "{bytes}");
}

#[test]
fn entities_do_not_explode() {
    let mut subset = String::from("<!ENTITY a0 'lol'>");
    for level in 1..10 {
        let inner = format!("&a{};", level - 1).repeat(10);
        let _ = write!(subset, "<!ENTITY a{level} '{inner}'>");
    }
    let laughs = format!("<!DOCTYPE rss [{subset}]>{}", rss("<title>&a9;</title>"));
    check("billion laughs", &laughs, 1);
    let long = format!(
        "<!DOCTYPE rss [<!ENTITY q '{}'>]>{}",
        "A".repeat(50_000),
        rss(&format!("<title>{}</title>", "&q;".repeat(20_000)))
    );
    let reading = read(long.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
    assert!(reading.feed.about.title.unwrap().value.len() <= 1 << 20);
    assert!(reading.problems.iter().any(|problem| problem.message.contains("entities")));
}

/// Archives that grow at their end: the newest entries come last.
#[test]
fn of_too_many_entries_the_newest_are_kept() {
    let limits = Limits { entries: 3, list: 4, values: 40, ..Limits::default() };
    let day = |n: u32| format!("2026-01-{n:02}T00:00:00Z");
    let xml = |days: &[u32]| {
        let item = |n: &u32| {
            let categories = [1, 2, 3, 4].map(|c| format!("<category>{n}.{c}</category>")).concat();
            format!("<item><guid>{n}</guid><pubDate>{}</pubDate>{categories}</item>", day(*n))
        };
        let items: String = days.iter().map(item).collect();
        format!("<rss version='2.0'><channel>{items}<title>last</title></channel></rss>")
    };
    let json = |days: &[u32]| {
        let item = |n: &u32| format!("{{\"id\":\"{n}\",\"date_published\":\"{}\",\"tags\":[1,2,3,4]}}", day(*n));
        let items: Vec<String> = days.iter().map(item).collect();
        format!("{{\"version\":\"jsonfeed\",\"items\":[{}],\"title\":\"last\"}}", items.join(","))
    };
    let check = |case: &str, days: &[u32], expected: &str| {
        for document in [xml(days), json(days)] {
            let reading = read(document.as_bytes(), &Hints::default(), &limits).unwrap();
            let ids: Vec<&str> = reading.entries.iter().filter_map(|entry| entry.about.id.as_deref()).collect();
            assert_eq!(ids.join(" "), expected, "{case}: {document}");
            let lists = reading.entries.iter().map(|entry| entry.about.categories.len());
            assert!(lists.eq([4; 3]), "{case}: what was left out takes nothing from the rest: {document}");
            assert_eq!(reading.feed.about.title.unwrap().value, "last", "{case}");
            let said = format!("there are {} entries; only the 3 newest were kept", days.len());
            assert!(reading.problems.iter().any(|problem| problem.message == said), "{case}: {:?}", reading.problems);
        }
    };
    let days: Vec<u32> = (1..=28).collect();
    check("oldest first", &days, "26 27 28");
    check("newest first", &days.iter().rev().copied().collect::<Vec<_>>(), "28 27 26");
    check("in any order", &[5, 28, 1, 27, 3, 26, 2, 4], "28 27 26");
}

#[test]
fn limits_are_enforced_and_reported() {
    let limits = Limits { entries: 2, field_bytes: 10, document_bytes: 200, ..Limits::default() };
    let items = "<item><title>a title that is long</title></item>".repeat(20);
    let document = format!("<rss version='2.0'><channel>{items}</channel></rss>");
    let reading = read(document.as_bytes(), &Hints::default(), &limits).unwrap();
    assert_eq!(reading.entries.len(), 2);
    assert_eq!(reading.entries[0].about.title.as_ref().unwrap().value, "a title th");
    let said: Vec<&str> = reading.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "only the first 200 bytes were read",
            "<title> is larger than 10 bytes; the rest was left out",
            "<title> is larger than 10 bytes; the rest was left out",
            "<title> is larger than 10 bytes; the rest was left out",
            "the document ends inside <title>: it is cut off, or a tag is not closed",
            "<title> is larger than 10 bytes; the rest was left out",
            "there are 3 entries; only the first 2 (they have no dates) were kept",
        ]
    );
}
