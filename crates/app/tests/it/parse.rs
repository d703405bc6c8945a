//! `courant parse`: text and JSON output, one file or several.

use serde_json::Value;

use crate::program::Program;

const FEED: &str = r#"<rss version="2.0"><channel><title>News</title><item><title>First</title>
<link>https://one.example/1</link><pubDate>Thu, 01 Jan 2026 10:00:00 GMT</pubDate></item></channel></rss>"#;

fn program() -> Program {
    Program::new().file("feed.xml", FEED).file("page.html", "<!doctype html><title>Home</title><p>hello")
}

#[test]
fn a_person_sees_title_and_entries() {
    let run = program().run(&["parse", "feed.xml"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("News") && run.stdout.contains("First") && run.stdout.contains("2026-01-01"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_program_gets_the_normalised_document() {
    let run = program().run(&["parse", "--json", "feed.xml"]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["version"], "rss20");
    assert_eq!(document["entries"][0]["published"], "2026-01-01T10:00:00Z");
    assert_eq!(document["entries"][0]["link"], "https://one.example/1");
}

#[test]
fn a_file_that_is_not_a_feed_does_not_stop_the_rest() {
    let run = program().run(&["parse", "page.html", "missing.xml", "feed.xml"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("First"), "{}", run.stdout);
    assert!(run.stderr.contains("page.html: this is a web page, not a feed"), "{}", run.stderr);
    assert!(run.stderr.contains("missing.xml: cannot open missing.xml"), "{}", run.stderr);
    assert!(run.stderr.contains("2 of 3 files could not be read as feeds"), "{}", run.stderr);
}

#[test]
fn several_files_are_one_json_document() {
    let files = ["parse", "feed.xml", "page.html", "feed.xml"];
    let run = program().run(&[&files[..], &["--json"]].concat());
    let rows: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, rows.as_array().unwrap().len()), (1, 3), "{}", run.stderr);
    assert_eq!((&rows[0]["version"], &rows[1]["place"]), (&"rss20".into(), &"page.html".into()));
    let lines = program().run(&[&files[..], &["--ndjson"]].concat()).stdout;
    assert_eq!(lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Value>(), rows);
}

#[test]
fn every_job_gets_its_line_in_order() {
    let program = program().file("jobs", "{\"path\": \"feed.xml\"}\nnonsense\n{\"path\": \"nowhere.xml\"}\n{\"path\": \"feed.xml\", \"base_url\": \"https://x.example/\"}\n");
    let run = program.run(&["parse", "--json", "--jobs", "jobs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let replies: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ok: Vec<_> = replies.iter().map(|reply| reply["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [true, false, false, true]);
    assert_eq!((&replies[0]["path"], &replies[0]["dialect"]), (&"feed.xml".into(), &"normalised".into()));
    assert_eq!(replies[3]["doc"]["feed"]["title"]["base"], "https://x.example/");
}
