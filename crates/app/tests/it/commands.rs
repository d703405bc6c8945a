//! The operator's commands for feeds, on the real binary: their output, their effects, their refusals.

use serde_json::Value;
use testkit::{Origin, Response, rss};

use crate::program::{Program, Run};

/// Runs commands one after the other in one directory; loopback may be visited.
pub(crate) struct Terminal {
    program: Option<Program>,
    errors: String,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        let program = Program::new().env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8").env("COURANT_HOST_RPS", "0");
        Self { program: Some(program), errors: String::new() }
    }

    /// The same on a PostgreSQL database.
    pub(crate) fn on(database: &str) -> Self {
        let program = Self::new().program.unwrap().env("COURANT_DATABASE_URL", database);
        let program = program.env("COURANT_SECRET", "0123456789abcdef0123456789abcdef");
        Self { program: Some(program), errors: String::new() }
    }

    /// The same with an environment variable set.
    pub(crate) fn env(self, name: &str, value: &str) -> Self {
        Self { program: self.program.map(|program| program.env(name, value)), ..self }
    }

    /// What all commands so far wrote to standard error.
    pub(crate) fn errors(&self) -> &str {
        &self.errors
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.program.as_ref().unwrap().path(name)
    }

    async fn run(&mut self, line: &str) -> Run {
        let program = self.program.take().unwrap();
        let line = line.to_owned();
        let run = move || {
            let run = program.run(&line.split_whitespace().collect::<Vec<_>>());
            (program, run)
        };
        let (program, run) = tokio::task::spawn_blocking(run).await.unwrap();
        self.program = Some(program);
        self.errors.push_str(&run.stderr);
        run
    }

    #[track_caller]
    fn check(run: &Run, expected: &str) {
        assert!(run.stdout.contains(expected) || run.stderr.contains(expected), "{}{}", run.stdout, run.stderr);
    }

    pub(crate) async fn says(&mut self, line: &str, expected: &str) {
        let run = self.run(line).await;
        assert_eq!(run.code, 0, "{line}: {}", run.stderr);
        Self::check(&run, expected);
    }

    async fn refuses(&mut self, line: &str, expected: &str) {
        let run = self.run(line).await;
        assert_eq!(run.code, 1, "{line}: {}", run.stdout);
        Self::check(&run, expected);
    }

    pub(crate) async fn json(&mut self, line: &str) -> Value {
        let run = self.run(&format!("{line} --json")).await;
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{line}: {}{}", run.stdout, run.stderr))
    }
}

#[tokio::test]
async fn switches_of_a_feed() {
    let origin = Origin::start().await;
    origin.at("/feed", rss(&["one"]));
    let url = origin.url("/feed");
    let mut terminal = Terminal::new();
    terminal.says(&format!("feed add --as-is {url}"), "1  ").await;
    terminal.says(&format!("feed add --as-is {url}"), "already there").await;
    terminal.says("feed polling 1", "polling off").await;
    terminal.says("feed polling 1", "polling on").await;
    terminal.says("feed polling 1 on", "polling on").await;
    terminal.says("feed disable 1", "disabled").await;
    terminal.refuses("feed sync 1", "it is switched off: `courant feed enable` enables it").await;
    terminal.says("feed list", "off").await;
    terminal.says("feed enable 1", "enabled").await;
    terminal.says("feed enable 1", "was enabled already").await;
    terminal.says("feed sync 1", "due now").await;
    terminal.says("feed delete 1", "deleted").await;
    terminal.refuses("feed sync 1", "was deleted").await;
    terminal.says("feed list", "no feeds yet").await;
    terminal.says(&format!("feed add --as-is {url}"), "back again").await;
    terminal.refuses("feed show 99", "no feed").await;
    let feed = terminal.json("feed show 1").await;
    assert_eq!((&feed["enabled"], &feed["polling"], &feed["state"]), (&true.into(), &true.into(), &"active".into()));
}

#[tokio::test]
async fn a_run_of_all_and_why() {
    let origin = Origin::start().await;
    origin.at("/a", rss(&["one", "two"])).at("/b", rss(&["three"])).at("/c", Response::status(500));
    let mut terminal = Terminal::new();
    let urls: Vec<String> = ["/a", "/b", "/c"].iter().map(|path| origin.url(path)).collect();
    terminal.says(&format!("feed add --as-is {}", urls.join(" ")), "3  ").await;
    terminal.says("fetch --all", "3 feeds in").await;
    terminal.says("entries", "three").await;
    let again = terminal.json("fetch --all").await;
    assert_eq!((&again["unchanged"], &again["failed"], &again["new_entries"]), (&2.into(), &1.into(), &0.into()));
    let nothing_due = terminal.json("fetch").await;
    assert_eq!((&nothing_due["unchanged"], &nothing_due["fresh"]), (&0.into(), &0.into()), "only what is due");

    let why = terminal.run("feed explain 1").await.stdout;
    assert!(
        why.starts_with("One. It was last visited on ") && why.contains("(nothing changed). Its next visit is on "),
        "{why}"
    );
    assert!(why.contains("What each rule said:\n  · ") && why.contains("The last 2 decisions:"), "{why}");
    let why = terminal.run("feed explain 3").await.stdout;
    assert!(why.contains("(the server answered 500)") && why.contains("because the visit failed"), "{why}");
    terminal.says("feed list --failing", "the server answered").await;
    terminal.says("feed sync --all", "3 feeds are due now").await;
}

/// Regression: the feed's own last decision was shown, although its publisher had asked for a pause, or the feed was
/// disabled.
#[tokio::test]
async fn the_next_visit_is_shown_as_of_now() {
    let origin = Origin::start().await;
    origin.at("/a", rss(&["one"])).at("/b", Response::status(429).with("retry-after", "36000"));
    let mut terminal = Terminal::new();
    terminal.says(&format!("feed add --as-is {} {}", origin.url("/a"), origin.url("/b")), "2  ").await;
    terminal.says("fetch --all", "2 feeds in").await;
    let rest = "because its publisher asked for a pause until ";
    for line in ["feed show 1", "feed explain 1"] {
        let said = terminal.run(line).await.stdout;
        assert!(said.contains(rest) && said.contains(", over another of its feeds"), "{line}: {said}");
        assert!(said.contains(", in 10 h, ") || said.contains(", in 9 h 59 min, "), "{line}: {said}");
    }
    terminal.says("feed show 2", "because the server asked for it (Retry-After)").await;
    let listed = terminal.json("feed list").await;
    assert!(listed[0]["reason"].as_str().unwrap().starts_with(rest), "{listed}");
    let due: Vec<jiff::Timestamp> = [0, 1].map(|n| listed[n]["due_at"].as_str().unwrap().parse().unwrap()).to_vec();
    assert!(due[0] >= due[1] - jiff::SignedDuration::from_mins(1), "{due:?}");

    terminal.says("feed disable 1", "disabled").await;
    terminal.says("feed show 1", "next visit  never, because it is off: `courant feed enable` enables it").await;
    terminal.says("feed delete 2", "deleted").await;
    terminal.says("feed show 2 --deleted", "next visit  never, because it is deleted").await;
    terminal.refuses("feed explain 2", "was deleted").await;
    for feed in ["feed show 1", "feed show 2 --deleted"] {
        let feed = terminal.json(feed).await;
        assert_eq!((&feed["due_at"], &feed["being_visited"]), (&Value::Null, &false.into()), "{feed}");
    }
    let listed = terminal.run("feed list").await.stdout;
    assert!(listed.contains("never"), "{listed}");
}

#[tokio::test]
async fn rules_of_a_feeds_own() {
    let mut terminal = Terminal::new();
    terminal.says("feed add --as-is http://127.0.0.1:1/feed --rules-of reader", "added").await;
    let rules = terminal.json("feed set 1").await;
    assert_eq!((&rules["interval.initial"]["value"], &rules["interval.initial"]["own"]), (&"30m".into(), &true.into()));
    terminal.says("feed set 1 interval.initial 45m", "interval.initial = 45m").await;
    terminal.refuses("feed set 1 interval.initial 1s", "expected at least 5m").await;
    terminal.refuses("feed set 1 interval.often 1h", "no rule is called `interval.often`").await;
    let rules = terminal.json("feed set 1").await;
    assert_eq!(rules["interval.initial"]["value"], "45m");
    terminal.refuses("feed add --as-is http://127.0.0.1:1/x --rules-of nobody", "no preset is called `nobody`").await;
    terminal.refuses("feed set 1 lease 10m", "`lease` is the same for all feeds").await;
}

/// The differences of a feed's rules are relative to the configured preset, not to the default one.
#[tokio::test]
async fn rules_of_another_preset_than_the_sites() {
    let mut terminal = Terminal::new();
    terminal.says("--preset reader feed add --as-is http://127.0.0.1:1/feed --rules-of fetcher", "added").await;
    let rules = terminal.json("--preset reader feed set 1").await;
    assert_eq!(
        (&rules["entries.on_change"]["value"], &rules["failure.gone"]["value"]),
        (&"update".into(), &"retire".into())
    );
    let both = "interval.min=2d;interval.max=3d";
    terminal.says(&format!("--rules {both} feed set 1"), "interval.min").await;
}

#[tokio::test]
async fn which_entries_of_a_feed_are_accepted() {
    let origin = Origin::start().await;
    let item = |title: &str, link: &str| format!("<item><title>{title}</title><link>{link}</link></item>");
    let (here, there) = (origin.url("/article"), "http://elsewhere.example/article");
    let items = [item("Here", &here), item("There", there), item("Here again", &here)].concat();
    origin.at(
        "/feed",
        Response::body("application/rss+xml", format!("<rss><channel><title>Links</title>{items}</channel></rss>")),
    );
    let mut terminal = Terminal::new();
    let titles = |entries: &Value| {
        let mut titles: Vec<String> =
            entries.as_array().unwrap().iter().map(|entry| entry["title"].as_str().unwrap().to_owned()).collect();
        titles.sort();
        titles.join(", ")
    };
    let url = origin.url("/feed");
    terminal.says(&format!("feed add --as-is {url} --enforce-domain=exact --allow-duplicate-urls"), "added").await;
    let feed = terminal.json("feed show 1").await;
    assert_eq!((&feed["links"], &feed["duplicate_urls"]), (&"exact".into(), &true.into()));
    terminal.says("fetch --all", "2 new entries").await;
    assert_eq!(titles(&terminal.json("entries").await), "Here, Here again");
    terminal.says("feed links 1 any", "all its entries are accepted").await;
    terminal.says("feed duplicate-urls 1 off", "two entries with one link are the same entry").await;
    origin.at(
        "/feed",
        Response::body("application/rss+xml", format!("<rss><channel><title>All links</title>{items}</channel></rss>")),
    );
    terminal.says("fetch --all", "1 new entries").await;
    assert_eq!(titles(&terminal.json("entries").await), "Here, Here again, There");
    let mut deframer = Terminal::new();
    deframer.says(&format!("--preset deframer feed add --as-is {url}"), "added").await;
    assert_eq!(deframer.json("feed show 1").await["links"], "site");
}

/// What a switch and a visit on demand change of a schedule.
#[tokio::test]
async fn which_failures_are_reset_and_when_it_is_due() {
    let origin = Origin::start().await;
    origin.at("/feed", Response::status(500));
    let mut terminal = Terminal::new();
    terminal.says(&format!("feed add --as-is {}", origin.url("/feed")), "added").await;
    terminal.refuses("--rules failure.disable_after=2 fetch --all", "1 failed").await;
    let failed = terminal.json("feed show 1").await;
    terminal.says("feed disable 1", "disabled").await;
    terminal.says("feed enable 1", "enabled").await;
    let enabled = terminal.json("feed show 1").await;
    assert_eq!(enabled["due_at"], failed["due_at"], "enabling schedules no visit");
    terminal.says("feed sync 1", "due now").await;
    let synced = terminal.json("feed show 1").await;
    assert_eq!((&synced["last_error"], &synced["last_error_at"]), (&Value::Null, &Value::Null));
    terminal.refuses("--rules failure.disable_after=2 fetch", "1 failed").await;
    terminal.says("--rules failure.disable_after=2 feed sync 1", "due now").await;
    terminal.refuses("--rules failure.disable_after=2 fetch", "1 failed").await;
    let disabled = terminal.json("feed show 1").await;
    assert_eq!((&disabled["state"], &disabled["failures"]), (&"disabled".into(), &2.into()));
    terminal.says("feed enable 1", "enabled").await;
    let enabled = terminal.json("feed show 1").await;
    assert_eq!((&enabled["state"], &enabled["failures"]), (&"active".into(), &0.into()));
    terminal.refuses("fetch", "1 failed").await;
    let again = terminal.json("feed show 1").await;
    assert_eq!((&again["state"], &again["failures"]), (&"active".into(), &1.into()), "then as usual");
}

/// Each visit shows its result, and the decision.
#[tokio::test]
async fn the_last_visits_and_what_was_decided() {
    let origin = Origin::start().await;
    let long = "word ".repeat(400);
    let feed = format!(
        "<rss><channel><title>One</title><item><guid>1</guid><title>a</title><description>{long}</description></item></channel></rss>"
    );
    origin.at("/feed", Response::body("application/rss+xml", feed.clone()).with("etag", "\"v1\""));
    let mut terminal = Terminal::new();
    terminal.says(&format!("feed add --as-is {}", origin.url("/feed")), "added").await;
    terminal.says("fetch --all", "1 new entries").await;
    terminal.says("fetch --all", "1 unchanged").await;
    origin.at("/feed", Response::status(404));
    terminal.refuses("fetch --all", "1 failed").await;
    let shown = terminal.json("feed show 1").await;
    let told: Vec<String> = shown["last_visits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|visit| format!("{} {} {} new", visit["status"], visit["result"], visit["new_entries"]).replace('"', ""))
        .collect();
    assert_eq!(told, ["404 failed 0 new", "304 unchanged 0 new", "200 fresh 1 new"]);
    let visits = shown["last_visits"].as_array().unwrap();
    assert_eq!(visits[2]["wire_bytes"], feed.len());
    assert!(visits.iter().all(|visit| visit["interval_seconds"].as_i64().unwrap() >= 300), "{shown}");
    let entry = &terminal.json("entries").await[0];
    let excerpt = entry["excerpt"].as_str().unwrap();
    assert!((400..=501).contains(&excerpt.chars().count()), "{} characters", excerpt.chars().count());
}

#[tokio::test]
async fn an_entry_is_shown_with_all_its_parts() {
    let origin = Origin::start().await;
    let item = |title: &str| {
        let text = "&lt;p&gt;Calm &lt;b&gt;words&lt;/b&gt;&lt;/p&gt;&lt;script&gt;1&lt;/script&gt;";
        format!(
            "<item><guid>urn:1</guid><title>{title}</title><author>a@b.example (Ann)</author><category>News</category><description>{text}</description></item>"
        )
    };
    let feed = |title: &str| {
        let feed = format!("<rss version='2.0'><channel><title>One</title>{}</channel></rss>", item(title));
        Response::body("application/rss+xml", feed)
    };
    origin.at("/feed", feed("First"));
    let mut terminal = Terminal::new();
    terminal.says(&format!("feed add --as-is {}", origin.url("/feed")), "added").await;
    terminal.says("fetch --all", "1 new entries").await;
    origin.at("/feed", feed("Second"));
    terminal.says("fetch --all", "1 changed").await;
    terminal.says("entry urn:1", "before      1 until ").await;
    terminal.says("entry 1", "\n\nCalm words\n").await;
    terminal.says("entry 1 --raw", &item("Second")).await;
    terminal.refuses("entry 7", "there is no entry \"7\"").await;
    let shown = terminal.json("entry 1").await;
    assert_eq!(shown["title"], "Second");
    assert_eq!((&shown["content"], &shown["summary"]), (&Value::Null, &"<p>Calm <b>words</b></p>".into()));
    assert_eq!((&shown["authors"][0]["name"], &shown["categories"][0]), (&"Ann".into(), &"News".into()));
    assert_eq!((&shown["seen_count"], &shown["revisions"][0]["title"]), (&2.into(), &"First".into()));
    let places = shown["raw_refs"].as_array().unwrap();
    assert_eq!(places.len(), 2);
    assert!(places.iter().all(|place| place["kept"] == true && place["offset"].as_u64().unwrap() > 0), "{shown}");
    assert_eq!(places[0]["length"], item("Second").len());
    assert_eq!(places[0]["note"], "what it says now");
    // The same id in another feed is another entry.
    origin.at("/other", feed("Other"));
    terminal.says(&format!("feed add --as-is {}", origin.url("/other")), "added").await;
    terminal.says("fetch --all", "1 new entries").await;
    terminal.refuses("entry urn:1", "name it by its id, one of 1, 2").await;
}

/// A deleted feed stays deleted, and a restored one uses the new access settings.
#[tokio::test]
async fn a_restored_feed_starts_fresh() {
    let origin = Origin::start().await;
    origin.at("/feed", Response::status(500));
    let mut terminal = Terminal::new();
    let url = origin.url("/feed");
    terminal.says(&format!("feed add --as-is {url}"), "added").await;
    terminal.refuses("fetch --all", "1 failed").await;
    assert_eq!(terminal.json("feed show 1").await["failures"], 1);
    terminal.says("feed delete 1", "deleted").await;
    terminal.refuses("feed disable 1", "was deleted").await;
    terminal.says(&format!("feed add --as-is {url} --user-agent Another/1 --once"), "back again").await;
    let feed = terminal.json("feed show 1").await;
    assert_eq!((&feed["failures"], &feed["last_error"], &feed["polling"]), (&0.into(), &Value::Null, &false.into()));
    terminal.refuses("fetch --all", "1 failed").await;
    assert_eq!(origin.requests().last().unwrap().header("user-agent"), Some("Another/1"));
}

/// A feed that cannot be visited is a failure of that feed: the others are visited, and the run ends.
#[tokio::test]
async fn a_feed_encrypted_with_another_key_does_not_stop_others() {
    let origin = Origin::start().await;
    origin.at("/good", rss(&["one"])).at("/locked", rss(&["two"]));
    let mut terminal = Terminal::new();
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "password").unwrap();
    let locked =
        format!("feed add --as-is {} --auth basic:me --secret-file {}", origin.url("/locked"), secret.path().display());
    terminal.says(&locked, "added").await;
    terminal.says(&format!("feed add --as-is {}", origin.url("/good")), "added").await;
    std::fs::remove_dir_all(terminal.program.as_ref().unwrap().path("data/keys")).unwrap();
    terminal.says("fetch --all", "2 feeds in").await;
    let failing = terminal.json("feed show 1").await;
    assert!(failing["last_error"].as_str().unwrap().contains("the request cannot be sent"), "{failing}");
    assert_eq!(terminal.json("feed show 2").await["last_status"], 200);
}

#[tokio::test]
async fn root_domains_also_by_their_other_name() {
    let mut terminal = Terminal::new();
    terminal.says("feed add --as-is http://feeds.example.net/b --no-root-domain", "added").await;
    terminal.says("root-domain list", "no feed has a root domain").await;
    terminal.says("feed add --as-is http://feeds.example.org/a", "added").await;
    let domains = terminal.json("admin root-domain list").await;
    assert_eq!(domains, serde_json::json!([{ "root_domain": "example.org", "feeds": 1 }]));
    terminal.says("admin root-domain set 1 Example.ORG", "example.org").await;
    terminal.says("root-domain list", "2").await;
    terminal.says("admin root-domain clear http://feeds.example.org/a", "no root domain").await;
    terminal.refuses("root-domain set 2 http://x/", "is not a host name").await;
    terminal.says("admin feed list", "example.org").await;
}

#[tokio::test]
async fn presets_choose_how_a_feed_begins() {
    let mut terminal = Terminal::new();
    terminal.says("--preset deframer feed add --as-is http://127.0.0.1:1/feed", "added, switched off").await;
    let feed = terminal.json("feed show 1").await;
    assert_eq!((&feed["enabled"], &feed["polling"], &feed["due_at"]), (&false.into(), &false.into(), &Value::Null));
    terminal.refuses("--rules interval.min=1s feed list", "expected at least 5m").await;
    terminal.says("--rules interval.min=10m feed set 1", "10m").await;
}

#[tokio::test]
async fn a_paused_server_is_visited_only_by_force() {
    let origin = Origin::start().await;
    origin.at("/feed", Response::status(429).with("retry-after", "3600"));
    let mut terminal = Terminal::new();
    terminal.says(&format!("feed add --as-is {}", origin.url("/feed")), "added").await;
    terminal.refuses("fetch --all", "1 failed").await;
    terminal.refuses("feed sync 1", "the server asked for a pause until").await;
    terminal.says("fetch --all", "0 feeds in").await;
    assert_eq!(origin.visits().len(), 1);
    origin.at("/feed", rss(&["one"]));
    terminal.says("feed sync 1 --force", "due now").await;
    terminal.says("fetch", "1 with a new document").await;
}

/// Regression: `entries`, `search` and `opml export` went on listing its entries, and `feed show` promised a visit.
#[tokio::test]
async fn a_deleted_feed_is_not_read_any_more() {
    let origin = Origin::start().await;
    origin.at("/feed", rss(&["one", "two"])).at("/other", rss(&["three"]));
    let url = origin.url("/feed");
    let mut terminal = Terminal::new();
    terminal.says(&format!("feed add --as-is {url} {}", origin.url("/other")), "1  ").await;
    terminal.says("fetch --all", "2 feeds in").await;
    let entry = terminal.json("entries --feed 1").await[0]["id"].to_string();
    terminal.says("feed delete 1", "deleted; `courant feed add` restores it until").await;
    let titles = |entries: &Value| -> Vec<String> {
        entries.as_array().unwrap().iter().map(|entry| entry["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles(&terminal.json("entries").await), ["three"]);
    terminal.refuses("entries --feed 1", "was deleted").await;
    terminal.refuses(&format!("entry {entry}"), "there is no entry").await;
    terminal.refuses("feed show 1", &format!("`courant feed add {url}` restores it")).await;
    terminal.refuses("feed enable 1", "was deleted").await;
    terminal.refuses("feed delete 1", "was deleted").await;
    terminal.refuses("reparse --feed 1", "was deleted").await;
    terminal.says("feed show 1 --deleted", "next visit  never").await;
    terminal.says("feed list --state deleted", "1 feed,").await;
    assert_eq!(terminal.json("feed list").await.as_array().unwrap().len(), 1);
    terminal.says("opml export --all", "/other").await;
    terminal.says(&format!("feed add --as-is {url}"), "back again").await;
    assert_eq!(terminal.json("entries").await.as_array().unwrap().len(), 3);
    terminal.says("feed delete 1 --now", "deleted and removed").await;
    terminal.says("feed list --state deleted", "no deleted feeds").await;
    terminal.says(&format!("feed add --as-is {url}"), "3  ").await;
    assert_eq!(titles(&terminal.json("entries").await), ["three"], "nothing of it is left");
}

/// Upkeep leaves its jobs behind: they are listed, tried again and forgotten by their ids.
#[tokio::test]
async fn background_jobs_are_listed_retried_and_deleted() {
    let mut terminal = Terminal::new();
    terminal.says("feed add --as-is http://127.0.0.1:9/feed", "added").await;
    terminal.says("job list", "no jobs").await;
    let at = "strftime('%s') * 1000000";
    let failed = format!(
        "INSERT INTO jobs (kind, subject, priority, due_at, decided_at, attempts, last_error, created_at)
         VALUES ('test', 'feed:1', 1, NULL, {at}, 10, 'it rained', {at}), ('upkeep.tidy', '', 1, {at} * 2, {at}, 0, NULL, {at})"
    );
    rusqlite::Connection::open(terminal.path("data/courant.db")).unwrap().execute_batch(&failed).unwrap();
    terminal.says("job list", "it rained").await;
    let listed = terminal.json("job list").await;
    let states: Vec<_> = listed.as_array().unwrap().iter().map(|job| job["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["failed", "waiting"]);
    assert_eq!(terminal.json("job list --failed").await.as_array().unwrap().len(), 1);
    assert_eq!(terminal.json("job list --kind upkeep.tidy").await[0]["id"], 2);
    terminal.says("job retry 1", "job 1: due").await;
    assert_eq!(terminal.json("job list --limit 1").await[0]["state"], "due");
    terminal.says("job delete 1", "job 1: deleted").await;
    terminal.refuses("job retry 1", "there is no job 1").await;
    assert_eq!(terminal.json("job list").await.as_array().unwrap().len(), 1);
}
