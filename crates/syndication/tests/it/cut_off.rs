//! Documents that end too early: complete entries are kept, and the reading says that the end is missing.
//!
//! A document is cut at every byte, because a transfer may break off at any of them. What the engine does with such a
//! reading is not tested here.

use model::reading::{End, Reading};
use syndication::{Hints, Limits, normalised, read};

fn reading(text: &str) -> Reading {
    read(text.as_bytes(), &Hints::default(), &Limits::default()).unwrap()
}

/// The end, the title of the feed, the complete entries and the unfinished one.
fn shown(reading: &Reading) -> String {
    let title = |title: &Option<model::reading::Text>| title.as_ref().map_or("-", |title| &title.value).to_owned();
    let entries: Vec<_> = reading.entries.iter().map(|entry| title(&entry.about.title)).collect();
    let unfinished = reading.unfinished.as_ref().map_or("-".into(), |entry| title(&entry.about.title));
    format!("{:?} {} [{}] {unfinished}", reading.end, title(&reading.feed.about.title), entries.join(" "))
}

fn check(case: &str, text: &str, expected: &str) {
    assert_eq!(shown(&reading(text)), expected, "{case}");
}

#[test]
fn a_document_that_is_cut_off_says_so() {
    check("in the title", "<rss><channel><title>Flip", "Early - [] -");
    check("after the title", "<rss><channel><title>Flip</title>", "Early Flip [] -");
    check("in an author", "<rss><channel><title>T</title><managingEditor>a@", "Early T [] -");
    let one = "<rss><channel><title>T</title><item><title>1</title></item>";
    check("after an entry", one, "Early T [1] -");
    check("in an entry", &format!("{one}<item><title>2</title><description>a"), "Early T [1] 2");
    check("between fields", &format!("{one}<item><title>2</title>"), "Early T [1] 2");
    check("in the end of an entry", &format!("{one}<item><title>2</title></item"), "Early T [1] 2");
    check("after the channel", &format!("{one}</channel>"), "Complete T [1] -");
    check("in the last tag", &format!("{one}</channel></rs"), "Complete T [1] -");
    check("a channel left open", &format!("{one}</rss>"), "Complete T [1] -");
    check("an entry left open", "<rss><channel><item><title>1</title></channel></rss>", "Complete - [1] -");
    let rdf = "<rdf:RDF xmlns='http://purl.org/rss/1.0/'><channel><title>T</title></channel>";
    check("rdf, whose entries stand after the channel", rdf, "Early T [] -");
    check("atom", "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry><title>1", "Early T [] 1");
    check("in an envelope", "<soap><rss><channel><title>T</title></channel></rss>", "Complete T [] -");
}

#[test]
fn a_json_feed_that_is_cut_off_says_so() {
    let feed = "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"T\",\"items\":[{\"title\":\"1\"},{\"title\":\"2\"}]}";
    check("whole", feed, "Complete T [1 2] -");
    check("without its brace", &feed[..feed.len() - 1], "Early T [1 2] -");
    check("in an item", &feed[..feed.len() - 5], "Early T [1] -");
    check("in the title", &feed[..feed.find("T\"").unwrap()], "Early - [] -");
    check("broken in the middle", &feed.replace("{\"title\":\"2\"}", "<br>Fatal error"), "Early T [1] -");
    check("with something after it", &format!("{feed}\n<!-- cached -->"), "Complete T [1 2] -");
}

/// At every cut: it is detected, no field of the feed is incomplete, and the entries are the first of the whole
/// document.
#[test]
fn wherever_it_is_cut() {
    let documents = [
        "<?xml version='1.0'?><rss version='2.0'><channel><title>Title</title><managingEditor>me@x.org (Me)</managingEditor>\
         <image><title>Picture</title><url>http://x.org/i</url></image><category>Subject</category><foo:bar>Something</foo:bar>\
         <item><title>Eins</title><link>http://x.org/1</link></item><item><title>Zwei &amp; drei</title>\
         <description><![CDATA[<p>a > b</p>]]></description></item></channel></rss>",
        "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"Title\",\"authors\":[{\"name\":\"Me\"}],\
         \"items\":[{\"id\":\"1\",\"title\":\"Eins\"},{\"id\":\"2\",\"title\":\"Zwei\"}]}",
    ];
    for document in documents {
        let whole = reading(document);
        assert_eq!((whole.end, whole.entries.len()), (End::Complete, 2));
        for at in 0..document.len() {
            let cut = &document[..at];
            let Ok(reading) = read(cut.as_bytes(), &Hints::default(), &Limits::default()) else { continue };
            let complete = cut.contains("</channel>");
            assert_eq!(reading.end == End::Complete, complete, "{cut}");
            assert_eq!(reading.entries, whole.entries[..reading.entries.len()], "{cut}");
            let of = |reading: &Reading| normalised::document(reading)["feed"].clone();
            for (key, value) in of(&reading).as_object().unwrap() {
                assert_eq!(value, &of(&whole)[key], "{key} in {cut}");
            }
        }
    }
}

#[test]
fn what_is_too_long_did_not_end_early() {
    let feed = format!("<rss><channel><title>T</title>{}</channel></rss>", "<item><title>1</title></item>".repeat(9));
    let limits = Limits { document_bytes: 100, ..Limits::default() };
    let reading = read(feed.as_bytes(), &Hints::default(), &limits).unwrap();
    assert_eq!((reading.end, reading.entries.len()), (End::AtLimit, 2));
}
