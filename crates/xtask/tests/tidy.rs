//! This repository follows the house rules, and each rule finds what it forbids.
//!
//! Most tests add one violation to a small repository that is otherwise clean, to show that the rule can fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

use xtask::repository::root_above;
use xtask::tidy::tidy;

#[test]
fn this_repository_is_tidy() {
    let root = root_above(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let findings: Vec<String> = tidy(&root).unwrap().iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

#[test]
fn a_workspace_without_members_is_not_the_root() {
    let root = root_above(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    assert_eq!(root_above(&root.join("fuzz")).unwrap(), root);
}

#[test]
fn a_clean_repository_is_clean() {
    check("nothing planted", &[], &[]);
    let bare = Planted::new("no crates yet");
    fs::remove_dir_all(bare.root.join("crates")).unwrap();
    bare.expect(&[]);
}

#[test]
fn dependencies_point_one_way() {
    let [policy, store] = ["crates/policy/Cargo.toml", "crates/store/Cargo.toml"];
    let found = "crates/store/Cargo.toml:4: store (Effects) may not use policy (Pure); move";
    check("effects use policy", &[(store, &manifest("store", "policy.workspace = true"))], &[found]);

    let found = "crates/policy/Cargo.toml:4: testkit is for dev-dependencies only";
    check("testkit in the product", &[(policy, &manifest("policy", "testkit.path = \"../testkit\""))], &[found]);

    let found = "policy (Pure) may not use store (Effects)";
    let renamed = manifest("policy", "database = { package = \"store\", path = \"../store\" }");
    check("under another name", &[(policy, &renamed)], &[found]);
    let per_target = manifest("policy", "") + "[target.'cfg(unix)'.dependencies]\nstore.path = \"../store\"\n";
    check("on one platform", &[(policy, &per_target)], &[found]);

    let dev = manifest("store", "") + "[dev-dependencies]\ntestkit.path = \"../testkit\"\n";
    check("testkit in tests", &[(store, &dev)], &[]);
}

#[test]
fn a_crate_has_a_place_in_the_house() {
    let found = "crates/shed/Cargo.toml:1: the crate shed has no place in the house; add it to the table";
    check("an unknown crate", &[("crates/shed/Cargo.toml", &manifest("shed", ""))], &[found]);
}

#[test]
fn pure_crates_are_pure() {
    let found = "crates/policy/Cargo.toml:4: policy is pure and may not use tokio";
    check("by manifest", &[("crates/policy/Cargo.toml", &manifest("policy", "tokio = \"1\""))], &[found]);

    let source = "//! Policy.\n\nfn now() -> Timestamp { Timestamp::now() }\n";
    let found = "crates/policy/src/lib.rs:3: `Timestamp::now` in a pure crate reads a clock";
    check("by source", &[("crates/policy/src/lib.rs", source)], &[found]);
    check("effects may", &[("crates/store/src/lib.rs", source)], &[]);
}

#[test]
fn pure_crates_bring_nothing_impure_along() {
    let planted = Planted::new("getrandom by way of another crate");
    planted.file("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n");
    planted.file("crates/policy/Cargo.toml", &manifest("policy", "ids.path = \"../../others/ids\""));
    planted.file("others/ids/Cargo.toml", &manifest("ids", "getrandom.path = \"../getrandom\""));
    planted.file("others/getrandom/Cargo.toml", &manifest("getrandom", ""));
    planted.file("others/ids/src/lib.rs", "//! A crate of others.\n");
    planted.file("others/getrandom/src/lib.rs", "//! A crate of others.\n");
    let mut lock = Command::new(env!("CARGO"));
    let lock = lock.current_dir(&planted.root).args(["generate-lockfile", "--offline"]).output().unwrap();
    assert!(lock.status.success(), "{}", String::from_utf8_lossy(&lock.stderr));
    planted.expect(&["policy/Cargo.toml:4: policy is pure, but brings getrandom along: policy -> ids -> getrandom"]);
}

#[test]
fn only_fetch_connects_to_other_hosts() {
    let told = include_str!("../../../clippy.toml");
    let without = told.replace("\"tokio::net::TcpStream::connect\"", "\"tokio::net::TcpStream::peek\"");
    let found =
        "clippy.toml:1: clippy is not told to look for tokio::net::TcpStream::connect; list it under disallowed-m";
    check("clippy looks away", &[("clippy.toml", &without)], &[found]);
    let swapped = told.replace("disallowed-types", "disallowed-names");
    let planted = Planted::new("a list under another name");
    planted.file("clippy.toml", &swapped);
    assert!(tidy(&planted.root).unwrap().iter().any(|found| found.to_string().contains("look for reqwest::Client")));

    let source = "//! A crate.\n\n#[allow(clippy::disallowed_methods, reason = \"quicker\")]\nfn connect() {}\n";
    let found = "crates/policy/src/lib.rs:3: an exception to disallowed_methods in a file that may not connect; go through `fetch`";
    check("an exception of one's own", &[("crates/policy/src/lib.rs", source)], &[found]);
    check("in a test", &[("crates/policy/tests/it.rs", source)], &[]);
    check("in a file of unit tests", &[("crates/store/src/db/tests.rs", source)], &[]);
    let foot = "//! A crate.\n\n#[cfg(test)]\n#[expect(clippy::disallowed_methods)]\nmod tests {\n}\n";
    check("at the foot of a file", &[("crates/store/src/feeds.rs", foot)], &[]);
    check("in fetch", &[("crates/fetch/src/network.rs", source)], &[]);
    check("for PostgreSQL", &[("crates/store/src/db/postgres/open.rs", source)], &[]);
    let found = "crates/store/src/feeds.rs:3: an exception to disallowed_methods";
    check("elsewhere in the store", &[("crates/store/src/feeds.rs", source)], &[found]);

    let reqwest = manifest("store", "reqwest = \"0.13\"");
    let found = "crates/store/Cargo.toml:4: store may not depend on the network client reqwest; go through `fetch`";
    check("a client of one's own", &[("crates/store/Cargo.toml", &reqwest)], &[found]);
    let dev = manifest("store", "") + "[dev-dependencies]\nreqwest = \"0.13\"\n";
    check("in tests only", &[("crates/store/Cargo.toml", &dev)], &[]);
    check("PostgreSQL's", &[("crates/store/Cargo.toml", &manifest("store", "tokio-postgres = \"0.7\""))], &[]);
}

#[test]
fn migrations_are_paired_and_numbered() {
    let both = |name: &str| ["postgres", "sqlite"].map(|dialect| format!("crates/store/migrations/{dialect}/{name}"));
    let [_, lonely] = both("0002_more.sql");
    check("one dialect only", &[(&lonely, "")], &["postgres has no migration of this name"]);

    let [postgres, sqlite] = both("0003_more.sql");
    let found = "0003_more.sql:1: number 0003 comes where 0002 is expected";
    check("a gap", &[(&postgres, ""), (&sqlite, "")], &[found, found]);

    let [postgres, sqlite] = both("0001_more.sql");
    let found = "0001_start.sql:1: number 0001 comes where 0002 is expected";
    check("a double", &[(&postgres, ""), (&sqlite, "")], &[found, found]);

    let [postgres, sqlite] = both("more.sql");
    check("no number", &[(&postgres, ""), (&sqlite, "")], &["a migration without a number"; 2]);
}

#[test]
fn a_migration_that_is_not_listed_is_found() {
    let list = |names: &str| format!("//! Migrations.\n//!\n//! Run in this order.\n{names}");
    let path = "crates/store/src/db/migrate.rs";
    let start = "//     1 \"0001_start\" compatible with 1;\n";
    let both = ["postgres", "sqlite"].map(|dialect| format!("crates/store/migrations/{dialect}/0002_more.sql"));
    let files = |text| [(path, text), (both[0].as_str(), ""), (both[1].as_str(), "")];
    let without = list(start);
    check("not listed", &files(&without), &["0002_more.sql:1: a migration that is never run"; 2]);
    let with = list(&format!("{start}//     2 \"0002_more\" compatible with 1;\n"));
    check("listed", &files(&with), &[]);
}

#[test]
fn released_migrations_do_not_change() {
    let sums = "crates/store/migrations/SHA256SUMS";
    // The hash of the clean files, as sha256sum writes it.
    let hash = "b4e0497804e46e0a0b0b8c31975b062152d551bac49c3c2e80932567b4085dcd";
    let both = format!("{hash}  sqlite/0001_start.sql\n{hash}  postgres/0001_start.sql\n");
    let changed = ("crates/store/migrations/sqlite/0001_start.sql", "SELECT 2;\n");
    let next = [
        ("crates/store/migrations/sqlite/0002_next.sql", "SELECT 2;\n"),
        ("crates/store/migrations/postgres/0002_next.sql", "SELECT 2;\n"),
    ];
    check("as released", &[(sums, &both)], &[]);
    check("and a new one", &[(sums, &both), next[0], next[1]], &[]);
    check("changed", &[(sums, &both), changed], &["sqlite/0001_start.sql:1: a released migration was changed"]);

    let gone = format!("{both}{hash}  sqlite/0000_gone.sql\n");
    let found = "SHA256SUMS:3: the released migration sqlite/0000_gone.sql is missing";
    check("missing", &[(sums, &gone)], &[found]);

    let one = format!("{hash}  sqlite/0001_start.sql\n");
    check("slipped in", &[(sums, &one)], &["postgres/0001_start.sql:1: a new migration among those released"]);
}

#[test]
fn sql_reads_no_clock() {
    let sql = "-- now() in a comment is fine\nSELECT now();\n";
    let path = "crates/store/migrations/sqlite/0001_start.sql";
    check("in a migration", &[(path, sql)], &["0001_start.sql:2: `now()` in SQL reads the database's clock"]);

    let rust =
        "//! now() in a header is fine.\n// CURRENT_TIMESTAMP\nconst SQL: &str = \"\n SELECT Current_Timestamp\";\n";
    check("in Rust", &[("crates/store/src/feeds.rs", rust)], &["feeds.rs:4: `current_timestamp` in SQL"]);
    check("to compare it with ours", &[("crates/store/src/db/postgres/server.rs", rust)], &[]);
}

#[test]
fn sources_are_well_kept() {
    let path = "crates/store/tests/it/feeds.rs";
    check("no header", &[(path, "fn main() {}\n")], &["feeds.rs:1: the file has no header"]);
    check("named after nothing", &[("crates/store/src/utils.rs", "//! Odds.\n")], &["a file named utils"]);
    check("the same in a directory", &[("crates/store/tests/common/mod.rs", "//! Odds.\n")], &["a file named common"]);

    let source = "//! A test.\n\n#[test]\n#[ignore]\nfn later() { todo!() }\nfn never() { unimplemented!(\"x\") }\n";
    let found = ["feeds.rs:4: `#[ignore`", "feeds.rs:5: `todo!(`", "feeds.rs:6: `unimplemented!(`"];
    check("put to sleep", &[(path, source)], &found);
    check("only mentioned", &[(path, "//! No todo!() here.\nconst A: &str = \"todo!()\";\n")], &[]);
}

#[test]
fn nothing_knows_one_machine() {
    // In two parts, or this file would be a finding itself.
    let readme = format!("# Courant\n\ncd {}/ada/courant\n", "/home");
    check("a home", &[("README.md", &readme)], &["README.md:3: `/home/"]);
    check("a feed of others", &[("crates/syndication/corpus/a.xml", &readme)], &[]);
}

/// Adds files to a clean repository; each finding must contain its expected text, in file order.
#[track_caller]
fn check(case: &str, files: &[(&str, &str)], expected: &[&str]) {
    let planted = Planted::new(case);
    for (path, text) in files {
        planted.file(path, text);
    }
    planted.expect(expected);
}

/// A small repository in a temporary directory.
struct Planted {
    case: String,
    root: PathBuf,
}

impl Planted {
    fn new(case: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("xtask-tidy-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let planted = Self { case: case.to_owned(), root: env::temp_dir().join(name) };
        planted.file("Cargo.toml", "[workspace]\n");
        planted.file("clippy.toml", include_str!("../../../clippy.toml"));
        for name in ["policy", "store", "testkit"] {
            planted.file(&format!("crates/{name}/Cargo.toml"), &manifest(name, ""));
            planted.file(&format!("crates/{name}/src/lib.rs"), "//! A crate.\n");
        }
        for dialect in ["sqlite", "postgres"] {
            planted.file(&format!("crates/store/migrations/{dialect}/0001_start.sql"), "SELECT 1;\n");
        }
        planted
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("a directory can be made");
        fs::write(path, text).expect("a file can be written");
    }

    #[track_caller]
    fn expect(&self, expected: &[&str]) {
        let found = tidy(&self.root).expect("the planted repository can be read");
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        let as_expected = found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| f.contains(e));
        assert!(as_expected, "{}: expected {expected:#?}, found {found:#?}", self.case);
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// A manifest with one dependency, in its fourth line.
fn manifest(name: &str, dependency: &str) -> String {
    format!("[package]\nname = \"{name}\"\n[dependencies]\n{dependency}\n")
}
