//! Pages and their articles: `corpus/articles/NAME.html` beside `NAME.expected`.
//!
//! `UPDATE=1 cargo test -p content articles` rewrites what is expected. The pages were written for these tests. They are
//! at `https://example.org/2024/page.html`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use content::{Article, Limits, article, clean};

use crate::hostile::CASES;
use crate::referee::{complaint, is_forbidden};

const URL: &str = "https://example.org/2024/page.html";

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/articles")
}

/// An article as text: what there is to know about it, its HTML with a line for each block, its text.
fn shown(article: Option<&Article>) -> String {
    let Some(article) = article else { return "no article\n".to_owned() };
    let mut shown = String::new();
    let _ = writeln!(shown, "title: {}", article.title.as_deref().unwrap_or("-"));
    let _ = writeln!(shown, "minutes: {}", article.reading_minutes);
    let _ = writeln!(shown, "cuts: {}", if article.cuts.any() { article.cuts.to_string() } else { "-".to_owned() });
    let mut html = article.html.replace(" rel=\"noopener noreferrer\" target=\"_blank\">", "~>");
    for end in ["</p>", "</h2>", "</h3>", "</li>", "</tr>", "</figure>", "</figcaption>", "<ul>", "<tbody>"] {
        html = html.replace(end, &format!("{end}\n"));
    }
    let lines: Vec<&str> = html.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let _ = writeln!(shown, "\n{}\n\n{}", lines.join("\n"), article.text);
    shown
}

#[test]
fn articles_are_what_is_expected() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut names: Vec<PathBuf> = fs::read_dir(directory())
        .expect("there is a corpus")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
    names.sort();
    assert!(names.len() >= 6, "{names:?}");
    for path in names {
        let html = fs::read_to_string(&path).expect("the page can be read");
        let found = shown(article(&html, URL).as_ref());
        let expected = path.with_extension("expected");
        if update {
            fs::write(&expected, found).expect("the corpus can be written");
        } else {
            assert_eq!(found, fs::read_to_string(&expected).unwrap_or_default(), "{}", path.display());
        }
    }
}

/// A page with an article in which `inside` is somewhere.
fn around(inside: &str) -> String {
    let words = "<p>Some words, and some more of them, so that this is a paragraph that one may want to read.</p>";
    format!("<title>{inside}</title></title><article>{words}{words}{inside}{words}{words}</article>")
}

#[test]
fn hostile_snippets_become_harmless_in_an_article() {
    for (case, html, _) in CASES {
        for page in [around(html), format!("{html}{}", around("")), html.repeat(40)] {
            let Some(article) = article(&page, "https://example.org/a/") else { continue };
            assert_eq!(complaint(&article.html), None, "{case}");
            assert_eq!(clean(&article.html, None, &Limits::ENTRY).html, article.html, "{case}");
            assert!(!article.title.unwrap_or_default().chars().any(|c| is_forbidden(c) || c == '\n'), "{case}");
        }
        // An unfinished script or comment may swallow the text after it, and only that.
        let found = article(&around(html), "https://example.org/a/");
        assert!(found.is_some_and(|article| article.text.contains("Some words")), "{case}");
    }
}

#[test]
fn what_makes_readability_panic_does_not_reach_it() {
    for html in [
        "<iframe src='€youtube.com'></iframe>",
        "<div><iframe title='x€youtube.com/' src='https://e.example/'></iframe>x</div>",
        "<iframe src='https://e.example/€youtube.com' class='€youtube.com'></iframe>",
        "<object data='€youtube.com'>x</object>",
        "<div>x<embed src='€youtube.com'></div>",
        "<object><p>€youtube.com</p></object>",
    ] {
        let article = article(&around(html), URL).expect("there is an article");
        assert!(article.text.ends_with("may want to read."), "{html}");
    }
}
