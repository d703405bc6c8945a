//! Feeds that can be derived from a page that does not declare them: by an id in it, or by its generator.
//!
//! Software runs on any host, so a URL alone is not enough; most software names itself in the `generator` meta element.

use model::discovery::Page;
use url::Url;

use super::platform::{Needs, Platform, UrlParts, discourse, ghost, peertube, wordpress};

/// Prefix of the generator, name of the software, and the paths of its feeds.
const GENERATORS: [(&str, &str, &[&str]); 18] = [
    ("hugo", "Hugo", &["./index.xml", "/index.xml"]),
    ("jekyll", "Jekyll", &["/feed.xml"]),
    ("hexo", "Hexo", &["/atom.xml"]),
    ("pelican", "Pelican", &["/feeds/all.atom.xml"]),
    ("nikola", "Nikola", &["/rss.xml"]),
    ("astro", "Astro", &["/rss.xml"]),
    ("gatsby", "Gatsby", &["/rss.xml"]),
    ("eleventy", "Eleventy", &["/feed.xml", "/feed/feed.xml"]),
    ("docusaurus", "Docusaurus", &["/blog/rss.xml", "/blog/atom.xml"]),
    ("blogger", "Blogger", &["/feeds/posts/default"]),
    ("drupal", "Drupal", &["/rss.xml"]),
    ("joomla", "Joomla", &["?format=feed&type=rss"]),
    ("wix.com", "Wix", &["/blog-feed.xml"]),
    ("movable type", "Movable Type", &["/atom.xml", "/index.xml"]),
    ("typepad", "TypePad", &["/atom.xml", "/index.xml"]),
    ("micro.blog", "Micro.blog", &["/feed.xml"]),
    ("publii", "Publii", &["/feed.xml"]),
    ("spip", "SPIP", &["/spip.php?page=backend"]),
];

/// How certain the derived feed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sure {
    /// The page contains the feed's own id.
    Id,
    /// The software usually has a feed there.
    Program,
}

/// What a page reveals about its feeds.
pub(super) fn made_by(url: &Url, page: &Page) -> Option<(Sure, Platform)> {
    let parts = UrlParts::of(url)?;
    if let Some(platform) = by_id(&parts, page) {
        return Some((Sure::Id, platform));
    }
    if page.meta("og:platform").is_some_and(|name| name.eq_ignore_ascii_case("peertube")) {
        return Some((Sure::Program, peertube(&parts)?));
    }
    let generator = page.meta("generator")?.trim().to_ascii_lowercase();
    let platform = match generator.split_whitespace().next()? {
        "wordpress" | "wordpress.com" => wordpress(&parts)?,
        "ghost" => ghost(&parts)?,
        "discourse" => discourse(&parts)?,
        _ => {
            let (_, name, paths) = GENERATORS.iter().find(|(start, ..)| generator.starts_with(start))?;
            let candidates = paths.iter().filter_map(|path| url.join(path).ok().map(String::from)).collect();
            Platform { name, candidates, needs: Needs::Nothing }
        }
    };
    Some((Sure::Program, platform))
}

fn by_id(parts: &UrlParts<'_>, page: &Page) -> Option<Platform> {
    let known = |name, candidate| Some(Platform { name, candidates: vec![candidate], needs: Needs::Nothing });
    match parts.host {
        "youtube.com" | "music.youtube.com" | "youtu.be" => {
            let named = page.meta("identifier").or_else(|| page.meta("channelid"));
            let canonical = page.canonical.as_deref().and_then(|url| url.split_once("/channel/")).map(|(_, id)| id);
            let id = [named, canonical].into_iter().flatten().find(|id| {
                id.starts_with("UC")
                    && id.len() <= 40
                    && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
            })?;
            known("YouTube", format!("https://www.youtube.com/feeds/videos.xml?channel_id={id}"))
        }
        "soundcloud.com" => {
            let id = page.meta("al:ios:url")?.strip_prefix("soundcloud://users:")?;
            let is_number = !id.is_empty() && id.len() <= 20 && id.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| {
                known("SoundCloud", format!("https://feeds.soundcloud.com/users/soundcloud:users:{id}/sounds.rss"))
            })?
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, metas: &[(&str, &str)], expected: &str) {
        let metas = metas.iter().map(|(name, content)| ((*name).to_owned(), (*content).to_owned())).collect();
        let page = Page { metas, ..Page::default() };
        let told =
            made_by(&Url::parse(&format!("https://{url}")).unwrap(), &page).map_or("none".into(), |(_, platform)| {
                let urls: Vec<_> = platform.candidates.iter().map(|url| url.replacen("https://", "", 1)).collect();
                format!("{}: {}", platform.name, urls.join(" "))
            });
        assert_eq!(told, expected, "{url} {:?}", page.metas);
    }

    #[test]
    fn programs() {
        check("e.org/", &[], "none");
        check("e.org/", &[("generator", "vi")], "none");
        check("e.org/", &[("generator", "")], "none");
        check("e.org/a/", &[("generator", "WordPress 6.5")], "WordPress: e.org/feed/ e.org/comments/feed/");
        check("e.org/tag/x/", &[("generator", "Ghost 5.0")], "Ghost: e.org/tag/x/rss/ e.org/rss/");
        check("e.org/blog/", &[("generator", "Hugo 0.120.4")], "Hugo: e.org/blog/index.xml e.org/index.xml");
        check("e.org/blog", &[("generator", "Joomla! - Open Source")], "Joomla: e.org/blog?format=feed&type=rss");
        check("e.org/t/a/12", &[("generator", "Discourse 3.3 - https://x")], "Discourse: e.org/t/a/12.rss");
        check("e.org/c/ada", &[("og:platform", "PeerTube")], "PeerTube: e.org/feeds/videos.xml?videoChannelName=ada");
        check("127.0.0.1:81/", &[("generator", "Jekyll v4")], "Jekyll: 127.0.0.1:81/feed.xml");
    }

    #[test]
    fn ids() {
        let youtube = "YouTube: www.youtube.com/feeds/videos.xml?channel_id=UCab-_9";
        check("www.youtube.com/@ada", &[("identifier", "UCab-_9")], youtube);
        check("www.youtube.com/watch?v=1", &[("channelid", "UCab-_9")], youtube);
        check("www.youtube.com/@ada", &[("identifier", "UC&x=1")], "none");
        check("e.org/@ada", &[("identifier", "UCab-_9")], "none");
        let soundcloud = "SoundCloud: feeds.soundcloud.com/users/soundcloud:users:123/sounds.rss";
        check("soundcloud.com/ada", &[("al:ios:url", "soundcloud://users:123")], soundcloud);
        check("soundcloud.com/ada/song", &[("al:ios:url", "soundcloud://sounds:123")], "none");
    }
}
