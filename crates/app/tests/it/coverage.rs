//! Nothing is half there: every option is documented, reachable and on the reference page.

use std::collections::HashSet;
use std::path::PathBuf;

use courant::config::{OPTIONS, docs};

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
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/config.md"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, docs::page()).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    for option in OPTIONS {
        assert!(
            page.contains(&format!("### `{}`", option.key)) && page.contains(&format!("`{}`", option.env)),
            "{}",
            option.key
        );
    }
    assert!(
        page == docs::page(),
        "docs/reference/config.md is stale: run the tests with UPDATE=1, or courant config docs > docs/reference/config.md"
    );
}
