//! Blogs, newsletters, papers.

use super::{Platform, UrlParts, is_name};

pub(super) fn substack(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.host, &parts.path[..]) {
        // A person may write several newsletters, each on its own host.
        ("substack.com", [who, ..]) if who.starts_with('@') => Some(Platform::by_page("Substack")),
        ("substack.com", _) => None,
        _ => parts.below("substack.com").and_then(|_| Platform::known("Substack", [parts.at("/feed")])),
    }
}

pub(super) fn medium(parts: &UrlParts<'_>) -> Option<Platform> {
    const OWN: [&str; 8] = ["m", "me", "search", "about", "policy", "membership", "p", "new-story"];
    if parts.below("medium.com").is_some() {
        return Platform::known("Medium", [parts.at("/feed")]);
    }
    if parts.host != "medium.com" {
        return None;
    }
    let path = match parts.path[..] {
        [] => return None,
        [own, ..] if OWN.contains(&own) => return None,
        ["tag", tag, ..] => format!("tag/{tag}"),
        [publication, "tagged", tag, ..] => format!("{publication}/tagged/{tag}"),
        // A person, or a publication, and possibly one of its articles.
        [who, ..] => who.to_owned(),
    };
    Platform::known("Medium", [format!("https://medium.com/feed/{path}")])
}

pub(super) fn wordpress_com(parts: &UrlParts<'_>) -> Option<Platform> {
    parts.below("wordpress.com").and_then(|_| wordpress(parts))
}

/// Any page of a WordPress site: its section, then the site, then the comments.
pub(in super::super) fn wordpress(parts: &UrlParts<'_>) -> Option<Platform> {
    let section = match parts.path[..] {
        [kind @ ("author" | "category" | "tag"), ref names @ ..] if !names.is_empty() => {
            let names: Vec<&str> =
                names.iter().copied().take_while(|name| *name != "page" && *name != "feed").collect();
            Some(parts.at(&format!("/{kind}/{}/feed/", names.join("/"))))
        }
        _ => None,
    };
    Platform::known("WordPress", section.into_iter().chain([parts.at("/feed/"), parts.at("/comments/feed/")]))
}

pub(super) fn tumblr(parts: &UrlParts<'_>) -> Option<Platform> {
    const OWN: [&str; 10] =
        ["dashboard", "explore", "search", "tagged", "login", "register", "settings", "docs", "about", "policy"];
    let (blog, path) = match (parts.below("tumblr.com"), &parts.path[..]) {
        (Some(blog), path) => (blog, path),
        (None, ["blog", "view", blog, path @ ..] | ["blog", blog, path @ ..]) if parts.host == "tumblr.com" => {
            (*blog, path)
        }
        (None, [blog, path @ ..]) if parts.host == "tumblr.com" && !OWN.contains(blog) => (*blog, path),
        _ => return None,
    };
    let path = match path {
        ["tagged", tag, ..] => format!("/tagged/{tag}/rss"),
        _ => "/rss".into(),
    };
    is_name(blog).then(|| Platform::known("Tumblr", [format!("https://{blog}.tumblr.com{path}")]))?
}

pub(super) fn blogger(parts: &UrlParts<'_>) -> Option<Platform> {
    // blogspot.com, and national domains such as blogspot.de.
    let (blog, rest) = parts.host.split_once(".blogspot.")?;
    if blog.contains('.') || !["com", "de", "fr", "it", "jp", "in", "ca", "co.uk", "com.br", "com.es"].contains(&rest) {
        return None;
    }
    let posts = parts.at("/feeds/posts/default");
    match parts.path[..] {
        ["search", "label", label, ..] => Platform::known("Blogger", [format!("{posts}/-/{label}"), posts]),
        _ => Platform::known("Blogger", [posts]),
    }
}

pub(super) fn ghost_io(parts: &UrlParts<'_>) -> Option<Platform> {
    parts.below("ghost.io").and_then(|_| ghost(parts))
}

/// Any page of a Ghost site.
pub(in super::super) fn ghost(parts: &UrlParts<'_>) -> Option<Platform> {
    let section = match parts.path[..] {
        [kind @ ("tag" | "author"), name, ..] => Some(parts.at(&format!("/{kind}/{name}/rss/"))),
        _ => None,
    };
    Platform::known("Ghost", section.into_iter().chain([parts.at("/rss/")]))
}

pub(super) fn dev_to(parts: &UrlParts<'_>) -> Option<Platform> {
    let path = match (parts.host, &parts.path[..]) {
        ("dev.to", []) => "/feed".into(),
        ("dev.to", ["t", tag, ..]) => format!("/feed/tag/{tag}"),
        ("dev.to", [who, ..]) if is_name(who) => format!("/feed/{who}"),
        _ => return None,
    };
    Platform::known("DEV", [format!("https://dev.to{path}")])
}

pub(super) fn arxiv(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.host, &parts.path[..]) {
        ("arxiv.org", ["list" | "archive", subject, ..]) if is_name(subject) => Platform::known(
            "arXiv",
            [format!("https://rss.arxiv.org/atom/{subject}"), format!("https://rss.arxiv.org/rss/{subject}")],
        ),
        _ => None,
    }
}

/// The revision history of one article.
pub(super) fn wikipedia(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.below("wikipedia.org"), &parts.path[..]) {
        (Some(_), ["wiki", title]) => {
            let path = format!("/w/index.php?title={}&action=history&feed=atom", title.replace('&', "%26"));
            Platform::known("Wikipedia", [parts.at(&path)])
        }
        _ => None,
    }
}

pub(super) fn letterboxd(parts: &UrlParts<'_>) -> Option<Platform> {
    const OWN: [&str; 10] =
        ["film", "films", "list", "lists", "members", "journal", "about", "search", "actor", "director"];
    match (parts.host, &parts.path[..]) {
        ("letterboxd.com", [who, ..]) if is_name(who) && !OWN.contains(who) => {
            Platform::known("Letterboxd", [format!("https://letterboxd.com/{who}/rss/")])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn blogs() {
        check("ada.substack.com/p/a-letter", "Substack: ada.substack.com/feed");
        check("substack.com/@ada", "Substack: page");
        check("substack.com/home", "none");
        check("medium.com/@ada", "Medium: medium.com/feed/@ada");
        check("medium.com/@ada/a-title-123", "Medium: medium.com/feed/@ada");
        check("medium.com/engines", "Medium: medium.com/feed/engines");
        check("medium.com/engines/tagged/steam", "Medium: medium.com/feed/engines/tagged/steam");
        check("medium.com/tag/steam/latest", "Medium: medium.com/feed/tag/steam");
        check("ada.medium.com", "Medium: ada.medium.com/feed");
        check("medium.com/search?q=x", "none");
        check("ada.wordpress.com", "WordPress: ada.wordpress.com/feed/ ada.wordpress.com/comments/feed/");
        check(
            "ada.wordpress.com/category/a/b/page/2/",
            "WordPress: ada.wordpress.com/category/a/b/feed/ ada.wordpress.com/feed/ ada.wordpress.com/comments/feed/",
        );
        check(
            "ada.wordpress.com/author/ada",
            "WordPress: ada.wordpress.com/author/ada/feed/ ada.wordpress.com/feed/ ada.wordpress.com/comments/feed/",
        );
        check("ada.tumblr.com/post/1", "Tumblr: ada.tumblr.com/rss");
        check("ada.tumblr.com/tagged/steam", "Tumblr: ada.tumblr.com/tagged/steam/rss");
        check("www.tumblr.com/ada", "Tumblr: ada.tumblr.com/rss");
        check("tumblr.com/blog/view/ada/12", "Tumblr: ada.tumblr.com/rss");
        check("www.tumblr.com/explore/trending", "none");
        check("ada.blogspot.com/2024/01/x.html", "Blogger: ada.blogspot.com/feeds/posts/default");
        check(
            "ada.blogspot.com/search/label/Steam",
            "Blogger: ada.blogspot.com/feeds/posts/default/-/Steam ada.blogspot.com/feeds/posts/default",
        );
        check("ada.blogspot.co.uk", "Blogger: ada.blogspot.co.uk/feeds/posts/default");
        check("ada.ghost.io/tag/steam/", "Ghost: ada.ghost.io/tag/steam/rss/ ada.ghost.io/rss/");
        check("dev.to", "DEV: dev.to/feed");
        check("dev.to/ada/a-title", "DEV: dev.to/feed/ada");
        check("dev.to/t/rust", "DEV: dev.to/feed/tag/rust");
    }

    #[test]
    fn papers_and_the_rest() {
        check("arxiv.org/list/cs.AI/recent", "arXiv: rss.arxiv.org/atom/cs.AI rss.arxiv.org/rss/cs.AI");
        check("arxiv.org/abs/1234.5678", "none");
        check(
            "en.wikipedia.org/wiki/Ada_Lovelace",
            "Wikipedia: en.wikipedia.org/w/index.php?title=Ada_Lovelace&action=history&feed=atom",
        );
        check("letterboxd.com/ada/films/", "Letterboxd: letterboxd.com/ada/rss/");
        check("letterboxd.com/film/alien/", "none");
    }
}
