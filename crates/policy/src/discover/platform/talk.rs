//! Forums, link aggregators, microblogs.

use url::Url;

use super::{Platform, UrlParts, is_name};

pub(super) fn reddit(parts: &UrlParts<'_>) -> Option<Platform> {
    if !["reddit.com", "old.reddit.com", "new.reddit.com", "np.reddit.com", "sh.reddit.com"].contains(&parts.host) {
        return None;
    }
    let mut url = Url::parse("https://www.reddit.com/").expect("a constant address");
    let path = parts.path.join("/");
    let path = match parts.path[..] {
        [] => "/.rss".into(),
        ["u", _, ..] => format!("/user/{}/.rss", parts.path[1..].join("/")),
        ["search"] => "/search.rss".into(),
        ["r", _, "search"] => format!("/{path}.rss"),
        // Of a post: with its comments.
        ["r", sub, "comments", post, ..] => format!("/r/{sub}/comments/{post}/.rss"),
        ["r" | "user" | "domain", _, ..] | ["best" | "hot" | "new" | "top" | "rising" | "controversial"] => {
            format!("/{path}/.rss")
        }
        _ => return None,
    };
    url.set_path(&path);
    // The search terms, or the period of a top list.
    for wanted in ["q", "sort", "t", "restrict_sr", "type"] {
        if let Some(value) = parts.query(wanted) {
            url.query_pairs_mut().append_pair(wanted, &value);
        }
    }
    Platform::known("Reddit", [String::from(url)])
}

pub(super) fn hacker_news(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.host, &parts.path[..]) {
        ("news.ycombinator.com", [] | ["news" | "front"]) => {
            Platform::known("Hacker News", ["https://news.ycombinator.com/rss".into()])
        }
        _ => None,
    }
}

pub(super) fn lobsters(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.host, &parts.path[..]) {
        ("lobste.rs", []) => Platform::known("Lobsters", ["https://lobste.rs/rss".into()]),
        ("lobste.rs", ["t", tags]) => Platform::known("Lobsters", [format!("https://lobste.rs/t/{tags}.rss")]),
        _ => None,
    }
}

pub(super) fn stack_exchange(parts: &UrlParts<'_>) -> Option<Platform> {
    const SITES: [&str; 7] = [
        "stackoverflow.com",
        "superuser.com",
        "serverfault.com",
        "askubuntu.com",
        "mathoverflow.net",
        "stackapps.com",
        "stackexchange.com",
    ];
    let known = SITES.iter().any(|site| parts.host == *site || parts.below(site).is_some());
    if !known || parts.host == "stackexchange.com" {
        return None;
    }
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let path = match parts.path[..] {
        [] | ["questions"] => "/feeds".into(),
        ["questions", "tagged", tags, ..] | ["tags", tags, ..] => format!("/feeds/tag/{tags}"),
        ["questions" | "q", id, ..] if number(id) => format!("/feeds/question/{id}"),
        ["users", id, ..] if number(id) => format!("/feeds/user/{id}"),
        _ => return None,
    };
    Platform::known("Stack Exchange", [parts.at(&path)])
}

pub(super) fn lemmy(parts: &UrlParts<'_>) -> Option<Platform> {
    const SITES: [&str; 10] = [
        "beehaw.org",
        "sh.itjust.works",
        "programming.dev",
        "feddit.org",
        "sopuli.xyz",
        "aussie.zone",
        "discuss.tchncs.de",
        "slrpnk.net",
        "infosec.pub",
        "lemmygrad.ml",
    ];
    if !SITES.contains(&parts.host) && !parts.host.starts_with("lemmy.") {
        return None;
    }
    match parts.path[..] {
        [] => Platform::known("Lemmy", [parts.at("/feeds/all.xml?sort=New"), parts.at("/feeds/local.xml?sort=New")]),
        [kind @ ("c" | "u"), name] => {
            // The feed of a remote community is on its own server.
            let (name, origin) = match name.split_once('@') {
                Some((name, host)) if is_name(host) => (name, format!("https://{host}")),
                _ => (name, parts.origin.clone()),
            };
            Platform::known("Lemmy", [format!("{origin}/feeds/{kind}/{name}.xml?sort=New")])
        }
        _ => None,
    }
}

pub(super) fn bluesky(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.host, &parts.path[..]) {
        ("bsky.app", ["profile", who, ..]) => {
            Platform::known("Bluesky", [format!("https://bsky.app/profile/{who}/rss")])
        }
        _ => None,
    }
}

pub(super) fn known_discourse(parts: &UrlParts<'_>) -> Option<Platform> {
    const SITES: [&str; 6] = [
        "meta.discourse.org",
        "users.rust-lang.org",
        "internals.rust-lang.org",
        "discuss.python.org",
        "community.openai.com",
        "discourse.mozilla.org",
    ];
    SITES.contains(&parts.host).then(|| discourse(parts))?
}

/// Any page of a Discourse forum.
pub(in super::super) fn discourse(parts: &UrlParts<'_>) -> Option<Platform> {
    let path = match parts.path[..] {
        ["t", slug, id, ..] if id.bytes().all(|byte| byte.is_ascii_digit()) => format!("/t/{slug}/{id}.rss"),
        ["c", ..] => format!("/{}.rss", parts.path.join("/").trim_end_matches("/l/latest")),
        ["tag", tag, ..] => format!("/tag/{tag}.rss"),
        ["u", who, ..] => format!("/u/{who}/activity.rss"),
        ["top" | "posts"] => format!("/{}.rss", parts.path[0]),
        _ => return Platform::known("Discourse", [parts.at("/latest.rss"), parts.at("/posts.rss")]),
    };
    Platform::known("Discourse", [parts.at(&path)])
}

pub(super) fn mastodon(parts: &UrlParts<'_>) -> Option<Platform> {
    const SITES: [&str; 12] = [
        "mastodon.social",
        "mastodon.online",
        "mstdn.social",
        "fosstodon.org",
        "hachyderm.io",
        "infosec.exchange",
        "mas.to",
        "chaos.social",
        "social.coop",
        "mathstodon.xyz",
        "techhub.social",
        "ruby.social",
    ];
    match parts.path[..] {
        ["tags", tag] if SITES.contains(&parts.host) => {
            Platform::known("Mastodon", [parts.at(&format!("/tags/{tag}.rss"))])
        }
        _ => None,
    }
}

/// `/@name` on any host: Mastodon, Misskey and similar software.
pub(super) fn fediverse_account(parts: &UrlParts<'_>) -> Option<Platform> {
    parts.url.domain()?;
    let who = parts.path.first()?.strip_prefix('@')?;
    match who.split_once('@') {
        // A remote account, whose feed is on its own server.
        Some((who, host)) if is_name(who) && is_name(host) => {
            Platform::known("Mastodon", [format!("https://{host}/@{who}.rss")])
        }
        None if is_name(who) => Platform::known("Mastodon", [parts.at(&format!("/@{who}.rss"))]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn reddit() {
        check("www.reddit.com", "Reddit: www.reddit.com/.rss");
        check("reddit.com/r/rust", "Reddit: www.reddit.com/r/rust/.rss");
        check("old.reddit.com/r/rust/", "Reddit: www.reddit.com/r/rust/.rss");
        check("reddit.com/r/rust+cpp/top/?t=week&utm=x", "Reddit: www.reddit.com/r/rust+cpp/top/.rss?t=week");
        check("reddit.com/r/rust/comments/abc/a_title/", "Reddit: www.reddit.com/r/rust/comments/abc/.rss");
        check("reddit.com/u/ada", "Reddit: www.reddit.com/user/ada/.rss");
        check("reddit.com/user/ada/submitted", "Reddit: www.reddit.com/user/ada/submitted/.rss");
        check("reddit.com/user/ada/m/engines", "Reddit: www.reddit.com/user/ada/m/engines/.rss");
        check("reddit.com/domain/example.org", "Reddit: www.reddit.com/domain/example.org/.rss");
        check("reddit.com/search?q=a%20b&sort=new", "Reddit: www.reddit.com/search.rss?q=a+b&sort=new");
        check(
            "reddit.com/r/rust/search?q=x&restrict_sr=1",
            "Reddit: www.reddit.com/r/rust/search.rss?q=x&restrict_sr=1",
        );
        check("reddit.com/settings", "none");
    }

    #[test]
    fn forums() {
        check("news.ycombinator.com", "Hacker News: news.ycombinator.com/rss");
        check("news.ycombinator.com/item?id=1", "none");
        check("lobste.rs", "Lobsters: lobste.rs/rss");
        check("lobste.rs/t/rust", "Lobsters: lobste.rs/t/rust.rss");
        check("stackoverflow.com", "Stack Exchange: stackoverflow.com/feeds");
        check("stackoverflow.com/questions/tagged/rust?tab=x", "Stack Exchange: stackoverflow.com/feeds/tag/rust");
        check("unix.stackexchange.com/questions/12/title", "Stack Exchange: unix.stackexchange.com/feeds/question/12");
        check("superuser.com/users/34/ada", "Stack Exchange: superuser.com/feeds/user/34");
        check("stackexchange.com", "none");
        check("meta.discourse.org", "Discourse: meta.discourse.org/latest.rss meta.discourse.org/posts.rss");
        check("users.rust-lang.org/t/a-title/123/4", "Discourse: users.rust-lang.org/t/a-title/123.rss");
        check("users.rust-lang.org/c/help/5/l/latest", "Discourse: users.rust-lang.org/c/help/5.rss");
        check("users.rust-lang.org/u/ada/summary", "Discourse: users.rust-lang.org/u/ada/activity.rss");
    }

    #[test]
    fn federated() {
        check("lemmy.world/c/rust", "Lemmy: lemmy.world/feeds/c/rust.xml?sort=New");
        check("lemmy.world/c/rust@programming.dev", "Lemmy: programming.dev/feeds/c/rust.xml?sort=New");
        check("beehaw.org/u/ada", "Lemmy: beehaw.org/feeds/u/ada.xml?sort=New");
        check("mastodon.social/@ada", "Mastodon: mastodon.social/@ada.rss");
        check("mastodon.social/@ada/with_replies", "Mastodon: mastodon.social/@ada.rss");
        check("mastodon.social/@ada@chaos.social", "Mastodon: chaos.social/@ada.rss");
        check("mastodon.social/tags/rust", "Mastodon: mastodon.social/tags/rust.rss");
        check("social.example/@ada", "Mastodon: social.example/@ada.rss");
        check("social.example/tags/rust", "none");
        check("social.example/@a%2Fb", "none");
        check("social.example/@ada@b.80", "none");
        check("bsky.app/profile/ada.example/post/1", "Bluesky: bsky.app/profile/ada.example/rss");
    }
}
