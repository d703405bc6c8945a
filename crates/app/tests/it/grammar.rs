//! The structure of the command line: flags anywhere, `noun verb` with several names, older spellings, JSON output, and
//! read-only commands that leave nothing behind.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::program::{Program, Run};

/// A directory with three feeds that do not exist and are never visited.
fn three_feeds() -> Program {
    let program = Program::new();
    let urls = ["https://one.example/feed", "https://two.example/feed", "https://three.example/feed"];
    let run = program.run(&[&["feed", "add", "--as-is"], &urls[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    program
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

pub(crate) fn with_input(program: &Program, arguments: &[&str], input: &str) -> Run {
    let mut command = program.command(arguments);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_flag_after_the_words_of_a_search_is_a_flag() {
    let program = three_feeds();
    let found = program.run(&["search", "volcano", "--limit", "3", "--json"]);
    assert_eq!((found.code, found.stdout.trim()), (0, "[]"), "{}", found.stderr);
    let wrong = program.run(&["search", "volcano", "--limit", "many"]);
    assert_eq!(wrong.code, 2, "{}", wrong.stdout);
    let unclear = program.run(&["search", "volcano", "-iceland"]);
    assert!(unclear.code == 2 && unclear.stderr.contains("'-- -i'"), "{}", unclear.stderr);
    for arguments in [&["search", "volcano", "--limit", "3", "--", "-iceland"][..], &["search", "volcano -iceland"]] {
        let run = program.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (0, "nothing found\n"), "{arguments:?}: {}", run.stderr);
    }
    let words = program.run(&["search", "--", "--json"]);
    assert_eq!(words.stdout, "nothing found\n", "after -- it is a word");
}

#[test]
fn reading_a_rule_does_not_delete_it() {
    let program = three_feeds();
    assert_eq!(program.run(&["feed", "set", "1", "interval.min", "2h"]).code, 0);
    for read in [&["feed", "set", "1", "interval.min"][..], &["feed", "rule", "get", "1", "interval.min"]] {
        let run = program.run(read);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (0, "interval.min = 2h  (its own)\n  Never visited more often; at least 5 minutes.\n"),
            "{}",
            run.stderr
        );
    }
    let rules = json(&program.run(&["feed", "rule", "list", "1", "--json"]));
    assert_eq!(rules["interval.min"], serde_json::json!({ "value": "2h", "own": true }));
    let unset = program.run(&["feed", "rule", "unset", "1", "interval.min"]);
    assert!(unset.stdout.contains("interval.min = "), "{}", unset.stderr);
    let rule = json(&program.run(&["feed", "rule", "get", "1", "interval.min", "--json"]));
    assert_eq!(rule["own"], false);
    assert_eq!(program.run(&["feed", "rule", "set", "1", "interval.max", "9d"]).code, 0);
    assert_eq!(program.run(&["feed", "set", "1", "interval.max", ""]).code, 0, "an empty value takes it back");
    assert_eq!(program.run(&["feed", "rule", "unset", "1", "interval.max"]).code, 1);
}

#[test]
fn several_feeds_at_once_are_each_reported() {
    let program = three_feeds();
    let run = program.run(&["feed", "disable", "1", "99", "2"]);
    assert_eq!(run.code, 1);
    let said: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(said, ["1  https://one.example/feed  disabled", "2  https://two.example/feed  disabled"]);
    assert!(run.stderr.starts_with("error: 99: no feed 99"), "{}", run.stderr);
    let run = program.run(&["feed", "enable", "1", "99", "two.example/feed", "--json"]);
    let rows = json(&run);
    assert_eq!((run.code, rows.as_array().unwrap().len()), (1, 3), "{rows}");
    assert_eq!((&rows[0]["result"], &rows[2]["result"]), (&"enabled".into(), &"enabled".into()));
    assert!(rows[1]["error"].as_str().unwrap().contains("no feed 99"), "{rows}");

    let run = with_input(&program, &["feed", "polling", "-", "off"], "1\n\n2\n");
    assert_eq!((run.code, run.stdout.lines().count()), (0, 2), "{}", run.stderr);
    assert!(run.stdout.lines().all(|line| line.ends_with("polling off")), "{}", run.stdout);
    let run = with_input(&program, &["feed", "rule", "set", "-", "interval.min", "3h"], "1\n3\n");
    assert_eq!((run.code, run.stdout.lines().count()), (0, 2), "{}", run.stderr);
    assert_eq!(program.run(&["feed", "links", "1", "2", "site"]).code, 0);
    assert_eq!(program.run(&["feed", "delete", "1", "2", "3"]).stdout.lines().count(), 3);
}

#[test]
fn several_feeds_are_shown_one_after_the_other() {
    let program = three_feeds();
    for verb in ["show", "explain"] {
        let one = json(&program.run(&["feed", verb, "2", "--json"]));
        assert_eq!(one["id"], 2, "one feed is an object");
        let run = with_input(&program, &["feed", verb, "1", "-", "--json"], "3\n99\n");
        let rows = json(&run);
        assert_eq!(
            (run.code, &rows[0]["id"], &rows[1]["id"], &rows[2]["feed"]),
            (1, &1.into(), &3.into(), &"99".into())
        );
        let text = program.run(&["feed", verb, "1", "2"]).stdout;
        assert!(text.contains("one.example") && text.contains("\n\nhttps://two.example"), "{text}");
    }
}

#[test]
fn root_domains_are_filtered_and_limited_like_feeds() {
    let program = three_feeds();
    let names = |arguments: &[&str]| -> Vec<String> {
        let rows = json(&program.run(&[&["root-domain", "list", "--json"], arguments].concat()));
        rows.as_array().unwrap().iter().map(|row| row["root_domain"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&[]).len(), 3);
    assert_eq!(names(&["--match", "TWO"]), ["two.example"]);
    assert_eq!(names(&["--limit", "1"]).len(), 1);
}

#[test]
fn partial_results_are_printed_despite_a_failure() {
    let program = Program::new();
    let add = ["feed", "add", "--as-is", "https://one.example/a", "ftp://two.example/", "https://three.example/c"];
    let run = program.run(&add);
    assert_eq!((run.code, run.stdout.lines().count()), (1, 2), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("error: ftp://two.example/: "), "{}", run.stderr);
    let run = program.run(&[&add[..], &["--json"]].concat());
    let rows = json(&run);
    assert_eq!((&rows[0]["result"], &rows[2]["id"]), (&"already there".into(), &2.into()));
    assert!(rows[1]["error"].as_str().unwrap().contains("only http and https"), "{rows}");
}

/// What README, CHANGELOG and docs of older versions name still works.
#[test]
fn older_spellings_do_the_same() {
    let program = three_feeds();
    let same = |old: &[&str], new: &[&str]| {
        let (old, new) = (program.run(old), program.run(new));
        assert_eq!((old.code, &old.stdout, old.stderr), (new.code, &new.stdout, new.stderr), "{}", old.stdout);
    };
    same(&["entries"], &["entry", "list"]);
    same(&["entry", "7"], &["entry", "show", "7"]);
    same(&["entry", "--raw", "7"], &["entry", "show", "7", "--raw"]);
    same(&["retain", "--dry-run"], &["cleanup", "--dry-run"]);
    same(&["feed", "set", "1"], &["feed", "rule", "list", "1"]);
    same(&["feed", "list", "--failing"], &["feed", "list", "--state", "failing"]);
    same(&["admin", "feed", "list"], &["feed", "list"]);
    same(&["admin", "root-domain", "list"], &["root-domain", "list"]);
    assert_eq!(program.run(&["backup", "saved"]).code, 0);
    assert_eq!(program.run(&["--data", "other", "restore", "saved"]).code, 0);
    assert_eq!(program.run(&["store", "backup", "again"]).code, 0);
    assert_eq!(program.run(&["--data", "third", "store", "restore", "again"]).code, 0);
    let checked = program.run(&["--data", "third", "store", "check", "--raw"]);
    assert!(checked.code == 0 && checked.stdout.contains("is intact, and so are the raw bytes"), "{}", checked.stderr);
}

#[test]
fn a_damaged_database_fails_the_check() {
    let program = three_feeds();
    let path = program.path("data/courant.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0x55);
    std::fs::write(&path, bytes).unwrap();
    let run = program.run(&["store", "check"]);
    assert!(run.code == 1 && run.stdout.starts_with("problem  "), "{}{}", run.stdout, run.stderr);
}

#[test]
fn a_command_that_only_reads_makes_no_data_directory() {
    for arguments in [
        &["feed", "list"][..],
        &["feed", "show", "1"],
        &["feed", "enable", "1"],
        &["entry", "list"],
        &["entries"],
        &["search", "word"],
        &["status"],
        &["root-domain", "list"],
        &["job", "list"],
        &["user", "list"],
        &["user", "disable", "ada"],
        &["token", "list"],
        &["opml", "export"],
        &["store", "check"],
        &["reparse"],
        &["cleanup", "--dry-run"],
    ] {
        let program = Program::new();
        let run = program.run(arguments);
        assert!(!program.path("data").exists(), "{arguments:?} made a directory");
        if arguments[0] != "cleanup" {
            assert_eq!(run.code, 1, "{arguments:?}: {}", run.stdout);
            let looked = program.path("data").join("courant.db").canonicalize().unwrap_or(program.path("data"));
            let looked = looked.file_name().unwrap().to_str().unwrap();
            assert!(run.stderr.contains(looked) && run.stderr.contains("--data"), "{arguments:?}: {}", run.stderr);
        }
    }
}

#[test]
fn lists_are_one_document_or_one_line_for_each_row() {
    let program = three_feeds();
    let document = json(&program.run(&["feed", "list", "--json"]));
    let lines = program.run(&["feed", "list", "--ndjson"]).stdout;
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(document, Value::Array(rows));
    let status = program.run(&["--ndjson", "status"]).stdout;
    assert_eq!(status.lines().count(), 1, "what is no list is one line");
    assert_eq!(serde_json::from_str::<Value>(&status).unwrap()["json_version"], 1);
    let error = program.run(&["feed", "show", "99", "--ndjson"]).stderr;
    assert!(serde_json::from_str::<Value>(&error).is_ok(), "{error}");
}

#[test]
fn lists_share_filter_sort_and_limit_options() {
    let program = three_feeds();
    assert_eq!(program.run(&["feed", "disable", "2"]).code, 0);
    assert_eq!(program.run(&["feed", "edit", "3", "--category", "News", "--title", "Alpha"]).code, 0);
    let check = |flags: &[&str], expected: &[i64]| {
        let rows = json(&program.run(&[&["feed", "list", "--json"], flags].concat()));
        let ids: Vec<i64> = rows.as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, expected, "{flags:?}");
    };
    check(&["--state", "active"], &[1, 3]);
    check(&["--state", "off"], &[2]);
    check(&["--state", "new", "--limit", "1"], &[1]);
    check(&["--category", "news"], &[3]);
    check(&["--match", "TWO."], &[2]);
    check(&["--sort", "name"], &[3, 1, 2]);
    let none = program.run(&["feed", "list", "--category", "Sports"]);
    assert!(none.stderr.contains("there are Default, News"), "{}", none.stderr);
    let nothing = program.run(&["entry", "list", "--match", "x", "--sort", "title", "--state", "left", "--limit", "2"]);
    assert!(nothing.stdout.starts_with("no entries yet"), "{}", nothing.stderr);
}

#[test]
fn status_shows_the_current_state() {
    let program = three_feeds();
    assert_eq!(program.run(&["feed", "disable", "2"]).code, 0);
    let status = json(&program.run(&["status", "--json"]));
    assert_eq!((&status["server"]["running"], &status["feeds"], &status["due"]), (&false.into(), &3.into(), &2.into()));
    assert_eq!((&status["never_visited"], &status["paused"]), (&2.into(), &Value::Array(vec![])));
    let text = program.run(&["status"]).stdout;
    for part in ["server      not running: `courant serve`", "due now     2, never visited yet: 2", "problems    none"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn times_are_local_with_their_zone() {
    let program = Program::new().env("TZ", "Asia/Tokyo");
    assert_eq!(program.run(&["feed", "add", "--as-is", "https://one.example/feed"]).code, 0);
    let shown = json(&program.run(&["feed", "show", "1", "--json"]));
    assert!(shown["due_at"].as_str().unwrap().ends_with('Z'), "{shown}");
    let text = program.run(&["feed", "show", "1"]).stdout;
    assert!(text.contains(" JST"), "{text}");
    let list = program.run(&["feed", "list"]).stdout;
    assert!(list.contains("next visit (JST)"), "{list}");
    let elsewhere = program.env("TZ", "Not/There").run(&["feed", "show", "1"]).stdout;
    assert!(elsewhere.contains(" UTC"), "{elsewhere}");
}

#[test]
fn help_is_short_and_refers_to_the_rest() {
    let run = |arguments: &[&str]| {
        let run = Program::new().run(arguments);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    let help = run(&["--help"]);
    assert!(help.lines().count() < 50 && help.contains("Exit codes: 0 done; 1 "), "{help}");
    assert!(help.contains("courant help options") && !help.contains("--store <URL>"), "{help}");
    assert_eq!(run(&["help"]), help);
    let options = run(&["help", "options"]);
    for part in ["--ndjson", "--data <DIR>", "--s3-region <NAME>", "--allow-private <NETWORKS>"] {
        assert!(options.contains(part), "{part} in\n{options}");
    }
    assert_eq!(run(&["help", "feed", "add"]), run(&["feed", "add", "--help"]));
    assert!(run(&["serve", "--help"]).contains("--listen <ADDRESS>"));
    assert!(!run(&["feed", "add", "--help"]).contains("--listen"));
    assert_eq!(Program::new().run(&["help", "nonsense"]).code, 2);
    assert_eq!(Program::new().setting("web.listen", &["--listen", "localhost:8300"]), "127.0.0.1:8300 from --listen");
}

#[test]
fn completions_and_manual_pages() {
    let program = Program::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = program.run(&["completion", shell]).stdout;
        for word in ["courant", "root-domain", "as-is"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        assert!(script.len() < 400_000, "{shell}: {} bytes are read at every start of a shell", script.len());
    }
    let run = program.run(&["man", "pages"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = std::fs::read_to_string(program.path("pages/courant-feed-add.1")).unwrap();
    assert!(page.contains("as\\-is") && page.contains("courant"), "{page}");
    let whole = std::fs::read_to_string(program.path("pages/courant.1")).unwrap();
    assert!(whole.contains("feed") && whole.contains("Exit codes") && whole.contains("allow\\-private"), "{whole}");
}
