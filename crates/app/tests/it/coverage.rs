//! Completeness: every option is documented, reachable and on the reference page, and so is every metric.

use std::collections::HashSet;
use std::path::PathBuf;

use courant::config::{OPTIONS, docs};
use meter::Kind;
use testkit::World;

#[test]
fn every_option_has_a_doc_line() {
    for option in OPTIONS {
        let doc = option.doc();
        assert!(doc.len() > 20 && doc.ends_with('.') && !option.summary().is_empty(), "{}: {doc:?}", option.key);
    }
}

#[test]
fn every_key_variable_and_flag_is_used_once() {
    let mut seen = HashSet::from(["COURANT_CONFIG".to_owned(), "--config".to_owned(), "--json".to_owned()]);
    for option in OPTIONS {
        let flag = option.flag.map(|flag| format!("--{}", flag.name));
        let names =
            [Some(option.key.to_owned()), Some(option.env.to_owned()), option.env_file(), option.key_file(), flag];
        for name in names.into_iter().flatten() {
            assert!(seen.insert(name.clone()), "{name} is declared twice");
        }
        assert!(option.env.starts_with("COURANT_") && !option.env.starts_with("COURANT_TEST_"), "{}", option.env);
        assert!(option.secret || option.flag.is_some(), "{} has no flag", option.key);
    }
}

#[test]
fn the_reference_page_is_up_to_date() {
    let page = docs::page();
    for option in OPTIONS {
        let (key, env) = (format!("### `{}`", option.key), format!("`{}`", option.env));
        assert!(page.contains(&key) && page.contains(&env), "{}", option.key);
    }
    is_up_to_date("config.md", &page);
}

/// Names are permanent: dashboards and alerts depend on them.
#[tokio::test]
async fn every_metric_has_a_valid_name_and_a_help_text() {
    let world = World::simulated().await;
    let page = web::figures(&world.engine.metrics(), &world.enrich()).await;
    let mut seen = HashSet::new();
    for (name, kind, help) in page.figures() {
        assert!(seen.insert(name), "{name} is shown twice");
        assert!(help.len() > 7 && help.ends_with('.') && !help.contains(['\n', '|', '\\']), "{name}: {help:?}");
        assert!(name.starts_with("courant_") || name.starts_with("process_"), "{name}");
        assert_eq!(kind == Kind::Counter, name.ends_with("_total"), "{name}");
        assert!(kind != Kind::Histogram || name.ends_with("_seconds"), "{name}");
    }
    is_up_to_date("metrics.md", &web::reference(&page));
}

#[test]
fn the_description_of_the_api_is_up_to_date() {
    let text = serde_json::to_string_pretty(&web::openapi_document()).unwrap();
    is_up_to_date("openapi.json", &format!("{text}\n"));
}

/// Compares a page of docs/reference with its expected content, or rewrites it.
fn is_up_to_date(name: &str, expected: &str) {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference")).join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(found == expected, "docs/reference/{name} is stale: run the tests with UPDATE=1");
}
