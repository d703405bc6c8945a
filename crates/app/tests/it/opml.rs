//! `courant opml`, the real binary: faulty lists can be imported, and an export can be imported again.

use model::Viewer;
use serde_json::Value;
use testkit::World;

use crate::program::{Program, Run};

fn program() -> Program {
    Program::new().file(
        "list.opml",
        r#"<opml version="1.1"><head><title>Mine</title></head><body>
            <outline text="News"><outline title="World"><outline type="rss" text="One &amp; only" xmlUrl="https://one.example/feed" htmlUrl="https://one.example/"/></outline>
            <outline xmlUrl="http://two.example/rss?a=1&b=2" text="Two"/>
            <outline xmlUrl="http://www.two.example/rss?a=1&b=2" text="Two again"/></outline>
            <outline text="empty"/>
            <outline text="ftp" type="rss" xmlUrl="ftp://three.example/feed"/>
            <outline text="script" type="rss" xmlUrl="javascript:alert(1)"/>
            <outline text="nowhere" type="rss"/>
            <outline text="secret" type="rss" xmlUrl="https://ada:hunter2@four.example/feed"/>
            <outline text="bad" type="rss" xmlUrl="http://[::zz/feed"/>
            <outline text="plain" xmlUrl="http://five.example/feed"/>
        </body></opml>"#,
    )
}

fn json(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

/// The subscriptions of an export: folders, name, URL, page.
fn shape(opml: &str) -> String {
    let lines = opml.lines().filter(|line| line.contains("outline"));
    lines.collect::<Vec<_>>().join("\n")
}

fn a_list_is_imported(program: &Program) {
    let first = json(&program.run(&["opml", "import", "list.opml", "--json"]));
    let refused: Vec<String> = first["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} | {}", one["row"].as_str().unwrap(), one["why"].as_str().unwrap()))
        .collect();
    assert_eq!(
        refused,
        [
            "https://***@four.example/feed | a password in the address would be shown to everybody; give it as credentials",
            "http://[::zz/feed | invalid IPv6 address",
            "ftp | only http and https can be visited",
            "script | only http and https can be visited",
            "nowhere | it claims to be a feed, but has no URL",
        ]
    );
    assert_eq!((&first["added"], &first["categories_made"]), (&3.into(), &3.into()), "{first}");
    assert_eq!(first["already_there"].as_array().unwrap().len(), 1, "the one that is there twice");
    assert!(first["repaired"].as_u64().unwrap() > 0, "{first}");

    let again = json(&program.run(&["opml", "import", "list.opml", "--json"]));
    assert_eq!((&again["added"], &again["categories_made"]), (&0.into(), &0.into()), "{again}");
    assert_eq!(again["already_there"].as_array().unwrap().len(), 4);

    let exported = program.run(&["opml", "export"]);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    assert_eq!(
        shape(&exported.stdout),
        r#"  <outline text="News" title="News">
    <outline text="World" title="World">
      <outline type="rss" text="One &amp; only" title="One &amp; only" xmlUrl="https://one.example/feed" htmlUrl="https://one.example/"/>
    </outline>
    <outline type="rss" text="Two" title="Two" xmlUrl="http://two.example/rss?a=1&amp;b=2"/>
  </outline>
  <outline text="empty" title="empty"/>
  <outline type="rss" text="plain" title="plain" xmlUrl="http://five.example/feed"/>"#
    );
}

#[test]
fn a_list_is_imported_on_sqlite() {
    a_list_is_imported(&program());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_is_imported_on_postgres() {
    let database = testkit::services::postgres().await;
    let program =
        program().env("COURANT_DATABASE_URL", database.url()).env("COURANT_SECRET", "0123456789abcdef0123456789abcdef");
    tokio::task::spawn_blocking(move || a_list_is_imported(&program)).await.unwrap();
}

/// Regression: it was imported without a warning.
#[test]
fn a_truncated_list_is_reported() {
    let whole = r#"<opml version="2.0"><body><outline text="News">
        <outline type="rss" text="A" xmlUrl="https://a.example/f"/>
        <outline type="rss" text="B" xmlUrl="https://b.example/f"/></outline></body></opml>"#;
    let program = Program::new().file("cut.opml", &whole[..whole.find("b.example").unwrap()]).file("whole.opml", whole);
    let run = program.run(&["opml", "import", "cut.opml"]);
    assert!(run.stdout.starts_with("1 added, "), "{}", run.stdout);
    let told = "error: cut.opml ends early; feeds that were read: 1; others are missing: import a whole copy of the list \
                to add them\n";
    assert_eq!((run.code, run.stderr.as_str()), (1, told));
    let run = program.run(&["opml", "import", "cut.opml", "--json"]);
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &told["ended_early"]), (1, &true.into()), "{told}");
    let told = json(&program.run(&["opml", "import", "whole.opml", "--json"]));
    assert_eq!((&told["added"], &told["ended_early"]), (&1.into(), &false.into()), "{told}");
}

#[test]
fn a_dry_run_of_an_import_changes_nothing() {
    let program = program();
    let foreseen = json(&program.run(&["opml", "import", "list.opml", "--dry-run", "--json"]));
    assert_eq!(foreseen["dry_run"], true);
    let said = program.run(&["opml", "import", "list.opml", "--dry-run"]).stdout;
    assert!(said.starts_with("nothing was changed; an import would say: 3 added, "), "{said}");
    assert!(!program.path("data").exists(), "not even a directory is made");
    let mut done = json(&program.run(&["opml", "import", "list.opml", "--json"]));
    assert_eq!(done["dry_run"], false);
    done["dry_run"] = true.into();
    assert_eq!(done, foreseen, "what was foreseen is what is done");
    let again = json(&program.run(&["opml", "import", "list.opml", "--dry-run", "--json"]));
    assert_eq!((&again["added"], &again["categories_made"]), (&0.into(), &0.into()), "{again}");
}

#[test]
fn an_export_can_be_imported() {
    let here = program();
    assert_eq!(here.run(&["opml", "import", "list.opml"]).code, 0);
    let run = here.run(&["opml", "export", "out.opml"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "3 feeds written to out.opml\n"), "{}", run.stderr);
    let text = std::fs::read_to_string(here.path("out.opml")).unwrap();
    let there = Program::new().file("in.opml", &text);
    let run = there.run(&["opml", "import", "in.opml"]);
    assert_eq!(
        run.stdout, "3 added, 0 subscribed that were known, 0 already there, 0 refused\n3 categories made\n",
        "{}",
        run.stderr
    );
    assert_eq!(shape(&there.run(&["opml", "export"]).stdout), shape(&text));
}

#[test]
fn a_feed_in_no_folder_goes_where_its_first_tag_says() {
    let program = Program::new().file(
        "tags.opml",
        r#"<opml version="2.0"><body>
            <outline type="rss" text="A" xmlUrl="https://a.example/f" category="/News/World, calm"/>
            <outline type="rss" text="B" xmlUrl="https://b.example/f" category="Rock &amp; Roll"/>
            <outline type="rss" text="C" xmlUrl="https://c.example/f"/>
            <outline text="News"><outline type="rss" text="D" xmlUrl="https://d.example/f" category="other"/></outline>
            <outline text="Twice, at least"><outline type="rss" text="C" xmlUrl="https://c.example/f"/></outline>
        </body></opml>"#,
    );
    let first = program.run(&["opml", "import", "tags.opml"]);
    assert_eq!(
        first.stdout,
        "4 added, 0 subscribed that were known, 1 already there, 0 refused\n4 categories made\n\
         2 tags were dropped: a feed is in one category\n",
        "{}",
        first.stderr
    );
    let feeds = |exported: &str| -> Vec<String> {
        let mut folders = Vec::new();
        let mut feeds = Vec::new();
        for line in exported.lines().filter(|line| line.contains("outline")) {
            let name = line.split("text=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
            match line {
                line if line.contains("</outline>") => drop(folders.pop()),
                line if line.contains("xmlUrl") => feeds.push(format!("{}: {name}", folders.join("/"))),
                line if line.ends_with("/>") => {}
                _ => folders.push(name),
            }
        }
        feeds.sort();
        feeds
    };
    let exported = program.run(&["opml", "export"]).stdout;
    assert_eq!(feeds(&exported), ["News/World: A", "News: D", "Rock &amp; Roll: B", "Twice, at least: C"]);
    let again = json(&program.run(&["opml", "import", "tags.opml", "--json"]));
    assert_eq!((&again["categories_made"], &again["tags_left_out"]), (&0.into(), &0.into()), "{again}");
    let program = Program::new().file("tags.opml", &exported);
    assert_eq!(program.run(&["opml", "import", "tags.opml"]).code, 0);
    assert_eq!(shape(&program.run(&["opml", "export"]).stdout), shape(&exported));
}

/// Names that caused problems in other programs, in nested folders.
#[test]
fn odd_names_survive_export_and_import() {
    let names = [
        "Ada's \"quoted\" & <tagged> feed",
        "\u{1f469}\u{200d}\u{1f4bb} naïve 東京 \u{1f1eb}\u{1f1f7}",
        "commas, semicolons; and &amp; an entity",
        "100 % \u{200b}\\ {braces} $dollar",
    ];
    let escaped =
        |name: &str| name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let mut rows = Vec::new();
    for (n, name) in names.iter().enumerate() {
        let name = escaped(name);
        let feed =
            |n: usize| format!("<outline type=\"rss\" text=\"{name}\" xmlUrl=\"https://{n}.example/?a=1&amp;b={n}\"/>");
        let inner = format!("<outline text=\"{name}\">{}</outline>", feed(n + 10));
        rows.push(format!("<outline text=\"{name}\">{}{inner}</outline>", feed(n)));
    }
    let list = format!("<opml version=\"2.0\"><body>{}</body></opml>", rows.concat());
    let here = Program::new().file("list.opml", &list);
    let run = here.run(&["opml", "import", "list.opml"]);
    assert!(
        run.stdout.starts_with("8 added, ") && run.stdout.contains("8 categories made"),
        "{} {}",
        run.stdout,
        run.stderr
    );
    let out = here.run(&["opml", "export"]).stdout;
    for name in names {
        let text = format!("text=\"{}\"", escaped(name));
        assert_eq!(out.matches(&text).count(), 4, "{name:?}: {out}");
    }
    let there = Program::new().file("list.opml", &out);
    let run = there.run(&["opml", "import", "list.opml", "--json"]);
    assert_eq!((&json(&run)["added"], &json(&run)["repaired"]), (&8.into(), &0.into()), "{}", run.stdout);
    assert_eq!(shape(&there.run(&["opml", "export"]).stdout), shape(&out));
}

#[test]
fn everything_below_one_category() {
    let program = program();
    assert_eq!(program.run(&["opml", "import", "list.opml", "--category", "Old/2025"]).code, 0);
    let exported = shape(&program.run(&["opml", "export"]).stdout);
    let folders: Vec<&str> = exported.lines().filter(|line| !line.contains("xmlUrl")).map(str::trim_end).collect();
    let open = |indent: &str, name: &str| format!("{indent}<outline text=\"{name}\" title=\"{name}\">");
    assert_eq!(
        folders[..4],
        [open("  ", "Old"), open("    ", "2025"), open("      ", "News"), open("        ", "World")]
    );
    assert!(exported.contains("    <outline type=\"rss\" text=\"plain\""), "{exported}");
    assert!(!exported.lines().any(|line| line.starts_with("  <outline type")), "nothing beside it: {exported}");
}

#[test]
fn a_list_from_a_pipe_and_an_invalid_list() {
    let program = program().file("page.html", "<html><body>no list</body></html>");
    let mut command = program.command(&["opml", "import", "-"]);
    let run: Run = command.stdin(std::fs::File::open(program.path("list.opml")).unwrap()).output().unwrap().into();
    assert!(run.stdout.starts_with("3 added, "), "{} {}", run.stdout, run.stderr);
    let run = program.run(&["opml", "import", "page.html"]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (1, "error: cannot import page.html, caused by: there is no list of feeds in this file\n")
    );
    let run = program.run(&["opml", "import", "nothing.opml"]);
    assert!(run.code == 1 && run.stderr.starts_with("error: cannot read nothing.opml"), "{}", run.stderr);
}

#[test]
fn private_and_unsubscribed_feeds_are_exported_on_request() {
    let program = Program::new().file("secret", "hunter2\n");
    let add = |arguments: &[&str]| {
        let run = program.run(&[&["feed", "add", "--as-is"], arguments].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
    };
    add(&["https://private.example/feed", "--auth", "basic:ada", "--secret-file", "secret"]);
    add(&["https://public.example/feed", "--no-subscribe"]);
    let check = |flags: &[&str], expected: &[&str]| {
        let run = program.run(&[&["opml", "export"], flags].concat());
        let hosts = ["private.example", "public.example"];
        let found: Vec<&str> = hosts.into_iter().filter(|host| run.stdout.contains(host)).collect();
        assert_eq!(found, expected, "{}", run.stdout);
        assert!(!run.stdout.contains("hunter2") && !run.stdout.contains("ada"), "{}", run.stdout);
        assert_eq!(run.stderr.lines().count(), 2 - expected.len(), "what is left out is said: {}", run.stderr);
    };
    check(&[], &[]);
    check(&["--private"], &["private.example"]);
    check(&["--all"], &["public.example"]);
    check(&["--all", "--private"], &["private.example", "public.example"]);
}

#[tokio::test]
async fn two_thousand_feeds_are_not_due_at_once() {
    use syndication::opml::{Opml, Row, Subscription};
    let world = World::sqlite().await;
    let url = |n: usize| match n % 4 {
        0 => format!("https://large.example/{n}"),
        _ => format!("https://site{n}.example/feed"),
    };
    let feed = |n: usize| Row::Feed(Subscription { name: n.to_string(), url: url(n), ..Subscription::default() });
    let list = Opml { title: None, rows: (0..2000).map(feed).collect() };
    let mut steps = Vec::new();
    let user = world.engine.store().owner().await.unwrap().id;
    let imported = engine::import(
        &world.engine,
        user,
        &list,
        (None, engine::Importing::Write, model::feed::Origin::Operator),
        |done| steps.push(done),
    )
    .await
    .unwrap();
    assert_eq!(imported.rows.len(), 2000);
    assert!(imported.rows.iter().all(|row| matches!(row.result, engine::Import::Added(_))));
    assert_eq!((steps.len(), steps.last()), (11, Some(&2000)), "told after every batch");
    let mut due = Vec::new();
    let mut after = None;
    loop {
        let page = world.engine.store().feeds(Viewer::Operator, after, 500).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.feed.id);
        due.extend(page.iter().map(|status| status.due_at.unwrap().duration_since(world.now()).as_secs()));
    }
    due.sort_unstable();
    assert_eq!((due.len(), due[0], due[1999]), (2000, 0, 399));
    let crowd = due.chunk_by(|one, other| one == other).map(<[i64]>::len).max();
    assert_eq!(crowd, Some(5), "never more than five in a second");
}
