//! Feeds and pages of attackers: whatever field it comes in, what the API gives out runs nothing and leads nowhere but to
//! http and https.

use crate::support::{Api, article};
use serde_json::{Value, json};
use testkit::{Response, World};

on_both!(nothing_of_a_hostile_feed_runs);

/// What is tried in every field, behind an `X` by which the test sees that the field was shown at all.
const PAYLOADS: &[&str] = &[
    "<script>alert(1)</script>X",
    "<img src=x onerror=alert(1)>X",
    "<svg onload=alert(1)><animate onbegin=alert(1) attributeName=x dur=1s></svg>X",
    "<a href=\"javascript:alert(1)\">X</a>",
    "<a href=\"java\tscript:alert(1)\">X</a>",
    "<a href=\" &#14; javascript:alert(1)\">X</a>",
    "<a href=\"data:text/html,<script>alert(1)</script>\">X</a>",
    "<a href=\"vbscript:x\">X</a>",
    "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>X",
    "<form action=javascript:alert(1)><button formaction=javascript:alert(1)>X</button></form>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">X",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">X</noscript>",
    "<p style=\"background:url(javascript:alert(1))\" onclick=alert(1)>X</p>",
    "<base href=\"https://evil.example/\"><link rel=stylesheet href=x><meta http-equiv=refresh content=0;url=x>X",
    "<img srcset=\"javascript:alert(1) 1x\" src=\"data:image/svg+xml,<svg onload=alert(1)>\">X",
    "<video src=x onerror=alert(1)><source onerror=alert(1)></video><object data=x></object><embed src=x>X",
    "<template><script>alert(1)</script></template><xmp><img src=x onerror=alert(1)></xmp>X",
    "<a href=\"https://ok.example\" target=_self ping=\"https://evil.example\" style=x>X</a>",
    "\"><script>alert(1)</script>X",
    "'-alert(1)-'X",
    "<!--><script>alert(1)</script-->X",
    "<details open ontoggle=alert(1)>X</details><marquee onstart=alert(1)>X</marquee>",
    "X<select><style></select><img src=x onerror=alert(1)></style>",
    "&lt;script&gt;alert(1)&lt;/script&gt;X",
];

/// Addresses that lead nowhere good.
const ADDRESSES: &[&str] =
    &["javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x", "file:///etc/passwd", "blob:x"];

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// A feed that says one thing everywhere.
fn feed(payload: &str, address: &str) -> String {
    let (text, link) = (escaped(&format!("X {payload}")), escaped(address));
    format!(
        "<rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\"
              xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:media=\"http://search.yahoo.com/mrss/\">
         <channel><title>{text}</title><link>{link}</link><description>{text}</description><language>{text}</language>
         <image><url>{link}</url><title>{text}</title><link>{link}</link></image>
         <item><guid isPermaLink=\"true\">{link}</guid><title>{text}</title><link>{link}</link><author>{text}</author>
           <dc:creator>{text}</dc:creator><category domain=\"{link}\">{text}</category><comments>{link}</comments>
           <enclosure url=\"{link}\" type=\"{text}\" length=\"1\"/><media:thumbnail url=\"{link}\"/>
           <source url=\"{link}\">{text}</source><description>{text}</description>
           <content:encoded>{text}</content:encoded></item></channel></rss>"
    )
}

async fn nothing_of_a_hostile_feed_runs(world: World) {
    let api = Api::unlimited(world).await;
    let store = api.world.engine.store();
    for (number, payload) in PAYLOADS.iter().enumerate() {
        let address = ADDRESSES[number % ADDRESSES.len()];
        let path = format!("/hostile-{number}");
        api.world.origin.at(&path, Response::body("application/rss+xml", feed(payload, address)));
        api.follow(&api.ada, &path).await;
    }
    // Pages with the same, saved by their address.
    let page =
        format!("<html><body><article><h1>Page</h1>{}</article></body></html>", PAYLOADS.join("<p>words, words</p>"));
    api.world.origin.at("/page", Response::body("text/html", page)).at("/calm", article("Calm", "sea"));
    let saved = api.post(&api.ada, "/api/bookmarks", json!({ "url": api.world.origin.url("/page") })).await.expect(201);
    inspect("bookmark of a page", &saved);
    let sent = json!({ "url": "https://one.example/", "title": PAYLOADS[0], "content": PAYLOADS.join(" ") });
    inspect("bookmark with content", &api.post(&api.ada, "/api/bookmarks", sent).await.expect(201));

    let posts = api.get(&api.ada, "/api/posts?limit=200").await.expect(200);
    let listed = posts["posts"].as_array().unwrap();
    assert_eq!(listed.len(), PAYLOADS.len(), "every post is there");
    inspect("posts", &posts);
    for post in listed {
        let id = post["id"].as_i64().unwrap();
        api.patch(&api.ada, &format!("/api/posts/{id}/star"), json!({ "is_starred": true })).await.expect(200);
        let whole = api.get(&api.ada, &format!("/api/posts/{id}")).await.expect(200);
        assert!(whole["content"].as_str().is_some_and(|html| html.contains('X')), "the words are kept: {whole}");
        inspect("post", &whole);
        inspect("item", &api.get(&api.ada, &format!("/reedme/api/items/{id}")).await.expect(200));
    }
    while !matches!(engine::index_some(store).await.unwrap(), store::Indexed::Done(_)) {}
    for path in [
        "/api/feeds",
        "/api/bookmarks?limit=200",
        "/api/search?q=X",
        "/api/posts/history",
        "/api/categories",
        "/api/tags",
        "/reedme/api/feeds",
        "/reedme/api/items?limit=100",
        "/reedme/api/bookmarks?limit=100",
        "/reedme/api/search?q=X",
    ] {
        inspect(path, &api.get(&api.ada, path).await.expect(200));
    }
    let opml = api.get(&api.ada, "/api/feeds/export-opml").await;
    assert!(!opml.text().contains("<script"), "{}", opml.text());
    for address in ADDRESSES {
        assert!(!opml.text().contains(&format!("=\"{address}")), "{}", opml.text());
    }
}

/// Looks at every text of an answer: fields with HTML, fields with addresses, and the rest, which is text.
fn inspect(what: &str, answer: &Value) {
    match answer {
        Value::Object(fields) => {
            for (name, value) in fields {
                let Value::String(text) = value else {
                    inspect(what, value);
                    continue;
                };
                match name.as_str() {
                    "content" | "full_content" | "summary_html" | "excerpt_html" => {
                        let problem = problems(text);
                        assert_eq!(problem, None, "{what}, {name}: {text}");
                    }
                    "url" | "site_url" | "link" | "comments_url" | "image" | "feed_url" | "icon" => {
                        let web =
                            text.is_empty() || ["http://", "https://", "/api/"].iter().any(|s| text.starts_with(s));
                        assert!(web, "{what}, {name}: {text}");
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| inspect(what, item)),
        _ => {}
    }
}

const TAGS: &[&str] = &[
    "p",
    "br",
    "strong",
    "em",
    "b",
    "i",
    "u",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "code",
    "a",
    "img",
    "figure",
    "figcaption",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "hr",
    "sub",
    "sup",
    "s",
    "del",
    "ins",
    "q",
    "cite",
    "dl",
    "dt",
    "dd",
    "kbd",
    "samp",
    "var",
    "small",
    "mark",
    "abbr",
    "time",
    "caption",
    "tfoot",
    "div",
    "span",
    "ruby",
    "rt",
    "rp",
    "wbr",
    "details",
    "summary",
    "bdi",
    "bdo",
    "dfn",
    "audio",
    "video",
    "source",
    "picture",
];
const ATTRIBUTES: &[&str] = &[
    "href",
    "title",
    "rel",
    "target",
    "src",
    "alt",
    "colspan",
    "rowspan",
    "cite",
    "lang",
    "dir",
    "datetime",
    "width",
    "height",
    "loading",
    "referrerpolicy",
    "start",
    "reversed",
    "value",
    "type",
    "controls",
    "preload",
    "open",
];

/// What is wrong with HTML that should be safe. Strict: what this does not understand is wrong.
fn problems(html: &str) -> Option<String> {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let Some(end) = end_of_tag(rest) else { return Some("a tag without an end".into()) };
        let (tag, after) = rest.split_at(end);
        rest = &after[1..];
        if let Some(name) = tag.strip_prefix('/') {
            if !TAGS.contains(&name) {
                return Some(format!("</{name}>"));
            }
            continue;
        }
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag.trim_end_matches('/'), ""));
        if !TAGS.contains(&name) {
            return Some(format!("<{name}>"));
        }
        while let Some((attribute, value)) = attributes.split_once("=\"") {
            let Some((value, more)) = value.split_once('"') else { return Some(format!("<{tag}>")) };
            let attribute = attribute.trim();
            if !ATTRIBUTES.contains(&attribute) {
                return Some(format!("{name} with {attribute}"));
            }
            let web = value.starts_with("https://") || value.starts_with("http://");
            let raster = attribute == "src" && value.starts_with("data:image/") && !value.contains("svg");
            if ["href", "src", "cite"].contains(&attribute) && !web && !raster {
                return Some(format!("{attribute}=\"{value}\""));
            }
            attributes = more;
        }
    }
    None
}

/// Where a tag ends: at the first `>` outside of quotes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b'>' && !quoted
    })
}

#[test]
fn what_is_wrong_is_seen() {
    for bad in [
        "<script>alert(1)</script>",
        "<img src=\"x\" onerror=\"alert(1)\">",
        "<img src=\"https://a.example/\" onerror=\"alert(1)\">",
        "<a href=\"javascript:alert(1)\">x</a>",
        "<p style=\"x\">",
        "<p",
        "<svg>",
    ] {
        assert!(problems(bad).is_some(), "{bad}");
    }
    let good = "<p>a &lt; b</p><a href=\"https://a.example/?q=&quot;\" rel=\"noopener noreferrer\" target=\"_blank\">x</a><br>";
    assert_eq!(problems(good), None);
}
