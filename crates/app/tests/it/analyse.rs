//! `courant analyse`: what the language toolkit says, for people and for programs.

use serde_json::{Value, json};

use crate::program::Program;

const TEXT: &str = "The council voted on Tuesday to close the harbour bridge for repairs. Mayor Jane Miller said the work will \
take nine months and cost 4 million dollars. Ferries will run every ten minutes instead. Shop owners fear that fewer \
customers will come to the old town.";

fn replies(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_job_gets_its_line_and_a_bad_one_is_said() {
    let jobs = [
        json!({ "id": 1, "title": "You won't BELIEVE what they did to the bridge!!!", "text": TEXT }).to_string(),
        json!({ "id": "b", "source": "The work will take nine months.", "rewrite": "The work will take ten months." })
            .to_string(),
        json!({ "id": "c", "source": "SHOCKING: the work will take nine months!!!", "rewrite": "The work will take nine months" })
            .to_string(),
        "nonsense".to_owned(),
        json!({ "id": 5, "title": 7 }).to_string(),
        json!({ "id": 6, "title": "Ein Titel", "language": "klingon" }).to_string(),
    ];
    let run = Program::new().file("jobs", &jobs.join("\n")).run(&["analyse", "--jobs", "jobs"]);
    assert_eq!(run.code, 1, "bad jobs: {}", run.stderr);
    let said = replies(&run.stdout);
    assert_eq!(said.len(), jobs.len(), "{}", run.stdout);
    let first = &said[0];
    assert_eq!((&first["id"], &first["language"]), (&json!(1), &json!("en")));
    let summary = first["summary"].as_str().unwrap();
    assert!(summary.split(". ").all(|sentence| TEXT.contains(sentence.trim_end_matches('.'))), "{summary}");
    for name in ["framing", "clickbait", "persuasive", "hyper_stimulus", "speculative", "overall"] {
        let score = first["scores"][name].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&score), "{name} {score}");
        assert!(first["reasons"][name].is_string(), "{name}");
    }
    assert!(first["one_line"].as_str().unwrap().chars().count() <= 100);
    assert!(!first["calm_title"].as_str().unwrap().contains("!!!"));
    assert_eq!((&said[1]["faithful"], &said[2]["faithful"]), (&json!(false), &json!(true)), "{said:?}");
    assert!(
        said[1]["why"].as_str().unwrap().contains("10") || said[1]["why"].as_str().unwrap().contains("ten"),
        "{}",
        said[1]
    );
    for (number, why) in [(3, "no JSON object"), (4, "`title` must be a text"), (5, "`klingon` is no language")] {
        assert!(said[number]["error"].as_str().unwrap().contains(why), "{}", said[number]);
    }
    assert_eq!(said[4]["id"], 5);
}

#[test]
fn a_page_is_read_as_an_article() {
    let words = TEXT.repeat(3);
    let page = format!(
        "<!doctype html><html><head><title>Bridge closes</title></head><body><nav>Home About</nav><article><h1>Bridge closes</h1><p>{words}</p><p>{words}</p></article></body></html>"
    );
    let program = Program::new().file("page.html", &page).file("plain.txt", TEXT);
    let run = program.run(&["analyse", "page.html", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let said: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(said["summary"].as_str().unwrap().contains("harbour"), "{said}");
    assert!(!said["summary"].as_str().unwrap().contains("Home About"), "{said}");
    let run = program.run(&["analyse", "plain.txt", "--title", "SHOCKING bridge news!!!"]);
    assert!(run.stdout.contains("calm title") && run.stdout.contains("hyper-stimulus"), "{}", run.stdout);
    let run = program.run(&["analyse", "plain.txt", "missing.txt", "--ndjson"]);
    assert_eq!(run.code, 1);
    assert_eq!(replies(&run.stdout).len(), 2, "{}", run.stdout);
    assert!(run.stderr.contains("1 of 2 places could not be read"), "{}", run.stderr);
}
