//! Video, audio, pictures and games.

use super::{Needs, Platform, UrlParts, is_name};

pub(super) fn youtube(parts: &UrlParts<'_>) -> Option<Platform> {
    if !["youtube.com", "music.youtube.com", "youtu.be"].contains(&parts.host) {
        return None;
    }
    let feed = |key: &str, value: &str| format!("https://www.youtube.com/feeds/videos.xml?{key}={value}");
    if let Some(list) = parts.query("list").filter(|list| is_name(list)) {
        return Platform::known("YouTube", [feed("playlist_id", &list)]);
    }
    match parts.path[..] {
        ["channel", id, ..] if is_name(id) => Platform::known("YouTube", [feed("channel_id", id)]),
        ["user", name, ..] if is_name(name) => {
            Some(Platform { name: "YouTube", candidates: vec![feed("user", name)], needs: Needs::Page })
        }
        // The id of a channel is on its pages, and on those of its videos.
        ["c", _, ..] | ["watch"] | ["shorts" | "live", _] => Some(Platform::by_page("YouTube")),
        [name, ..] if name.starts_with('@') => Some(Platform::by_page("YouTube")),
        [_] if parts.host == "youtu.be" => Some(Platform::by_page("YouTube")),
        _ => None,
    }
}

pub(super) fn vimeo(parts: &UrlParts<'_>) -> Option<Platform> {
    const OWN: [&str; 12] = [
        "watch",
        "features",
        "upgrade",
        "blog",
        "search",
        "categories",
        "ondemand",
        "showcase",
        "manage",
        "log_in",
        "join",
        "solutions",
    ];
    if parts.host != "vimeo.com" {
        return None;
    }
    let path = match parts.path[..] {
        [kind @ ("channels" | "groups"), name, ..] => format!("{kind}/{name}"),
        [own, ..] if OWN.contains(&own) || own.bytes().all(|byte| byte.is_ascii_digit()) => return None,
        [who] | [who, "videos"] => who.to_owned(),
        _ => return None,
    };
    Platform::known("Vimeo", [format!("https://vimeo.com/{path}/videos/rss")])
}

/// The feed needs a number that is only on the page.
pub(super) fn soundcloud(parts: &UrlParts<'_>) -> Option<Platform> {
    const OWN: [&str; 7] = ["discover", "stream", "you", "search", "charts", "pages", "upload"];
    match (parts.host, &parts.path[..]) {
        ("soundcloud.com", [who, ..]) if !OWN.contains(who) => Some(Platform::by_page("SoundCloud")),
        _ => None,
    }
}

/// The podcast is hosted elsewhere; Apple's directory knows the URL.
pub(super) fn apple_podcasts(parts: &UrlParts<'_>) -> Option<Platform> {
    if !["podcasts.apple.com", "itunes.apple.com"].contains(&parts.host) {
        return None;
    }
    let is_number = |id: &&str| !id.is_empty() && id.len() <= 20 && id.bytes().all(|byte| byte.is_ascii_digit());
    let id = parts.path.last()?.strip_prefix("id").filter(is_number)?;
    let lookup = format!("https://itunes.apple.com/lookup?id={id}&entity=podcast");
    Some(Platform { name: "Apple Podcasts", candidates: Vec::new(), needs: Needs::Lookup(lookup) })
}

pub(super) fn known_peertube(parts: &UrlParts<'_>) -> Option<Platform> {
    let known = ["framatube.org", "tilvids.com", "makertube.net", "video.blender.org"].contains(&parts.host);
    (known || parts.host.starts_with("peertube.")).then(|| peertube(parts))?
}

/// Any page of a PeerTube site.
pub(in super::super) fn peertube(parts: &UrlParts<'_>) -> Option<Platform> {
    let all = parts.at("/feeds/videos.xml");
    let candidate = match parts.path[..] {
        ["c" | "video-channels", name, ..] => format!("{all}?videoChannelName={name}"),
        ["a" | "accounts", name, ..] => format!("{all}?accountName={name}"),
        [] | ["videos", ..] => all,
        _ => return None,
    };
    Platform::known("PeerTube", [candidate])
}

pub(super) fn flickr(parts: &UrlParts<'_>) -> Option<Platform> {
    if parts.host != "flickr.com" {
        return None;
    }
    let feed = |what: &str| Platform::known("Flickr", [format!("https://www.flickr.com/services/feeds/{what}")]);
    // An account or group is identified by a number, which cannot be derived from its name.
    let is_number = |id: &str| id.contains("@N") || id.contains("%40N");
    match parts.path[..] {
        ["photos", "tags", tag, ..] => feed(&format!("photos_public.gne?tags={tag}")),
        ["photos" | "people", id, ..] if is_number(id) => feed(&format!("photos_public.gne?id={id}")),
        ["groups", id, ..] if is_number(id) => feed(&format!("groups_pool.gne?id={id}")),
        ["photos" | "people" | "groups", _, ..] => Some(Platform::by_page("Flickr")),
        _ => None,
    }
}

pub(super) fn deviantart(parts: &UrlParts<'_>) -> Option<Platform> {
    const OWN: [&str; 8] =
        ["about", "tag", "search", "topic", "join", "popular", "daily-deviations", "core-membership"];
    match (parts.host, &parts.path[..]) {
        ("deviantart.com", [who, ..]) if is_name(who) && !OWN.contains(who) => {
            let query = format!("type=deviation&q=by%3A{who}+sort%3Atime+meta%3Aall");
            Platform::known("DeviantArt", [format!("https://backend.deviantart.com/rss.xml?{query}")])
        }
        _ => None,
    }
}

/// The devlog of one game.
pub(super) fn itch(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.below("itch.io"), &parts.path[..]) {
        (Some(_), [game, ..]) => Platform::known("itch.io", [parts.at(&format!("/{game}/devlog.rss"))]),
        _ => None,
    }
}

pub(super) fn steam(parts: &UrlParts<'_>) -> Option<Platform> {
    let is_number = |id: &str| id.bytes().all(|byte| byte.is_ascii_digit());
    let candidate = match (parts.host, &parts.path[..]) {
        ("store.steampowered.com", ["app", id, ..] | ["news", "app", id, ..]) if is_number(id) => {
            format!("https://store.steampowered.com/feeds/news/app/{id}/")
        }
        ("steamcommunity.com", ["groups", name, ..]) => format!("https://steamcommunity.com/groups/{name}/rss/"),
        _ => return None,
    };
    Platform::known("Steam", [candidate])
}

pub(super) fn odysee(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.host, &parts.path[..]) {
        ("odysee.com", [channel, ..]) if channel.starts_with('@') => {
            Platform::known("Odysee", [format!("https://odysee.com/$/rss/{channel}")])
        }
        _ => None,
    }
}

/// Sites with `/@name` that have no feeds: listed, so that nothing is guessed.
pub(super) fn no_feeds(parts: &UrlParts<'_>) -> Option<Platform> {
    let name = match parts.host {
        "tiktok.com" => "TikTok",
        "threads.net" | "threads.com" => "Threads",
        "flipboard.com" => "Flipboard",
        _ => return None,
    };
    Some(Platform { name, candidates: Vec::new(), needs: Needs::Nothing })
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn videos() {
        let feed = "www.youtube.com/feeds/videos.xml";
        check("www.youtube.com/channel/UCabc/videos", &format!("YouTube: {feed}?channel_id=UCabc"));
        check("m.youtube.com/playlist?list=PLabc", &format!("YouTube: {feed}?playlist_id=PLabc"));
        check("www.youtube.com/watch?v=x&list=PLabc", &format!("YouTube: {feed}?playlist_id=PLabc"));
        check("youtube.com/user/ada", &format!("YouTube: {feed}?user=ada page"));
        check("youtube.com/@ada/videos", "YouTube: page");
        check("youtube.com/c/ada", "YouTube: page");
        check("youtube.com/watch?v=x", "YouTube: page");
        check("youtu.be/x", "YouTube: page");
        check("youtube.com/playlist?list=a%26b", "none");
        check("vimeo.com/ada", "Vimeo: vimeo.com/ada/videos/rss");
        check("vimeo.com/channels/steam", "Vimeo: vimeo.com/channels/steam/videos/rss");
        check("vimeo.com/12345", "none");
        check("tilvids.com/c/ada/videos", "PeerTube: tilvids.com/feeds/videos.xml?videoChannelName=ada");
        check("peertube.example/a/ada@x.org", "PeerTube: peertube.example/feeds/videos.xml?accountName=ada@x.org");
        check("odysee.com/@ada:1", "Odysee: odysee.com/$/rss/@ada:1");
        check("tiktok.com/@ada", "TikTok:");
    }

    #[test]
    fn sounds_pictures_games() {
        check("soundcloud.com/ada", "SoundCloud: page");
        check(
            "podcasts.apple.com/us/podcast/a-title/id123?i=4",
            "Apple Podcasts: ask itunes.apple.com/lookup?id=123&entity=podcast",
        );
        check("podcasts.apple.com/us/browse", "none");
        check(
            "www.flickr.com/photos/12345678@N00/",
            "Flickr: www.flickr.com/services/feeds/photos_public.gne?id=12345678@N00",
        );
        check("flickr.com/photos/ada", "Flickr: page");
        check("flickr.com/photos/tags/steam", "Flickr: www.flickr.com/services/feeds/photos_public.gne?tags=steam");
        check(
            "www.deviantart.com/ada/gallery",
            "DeviantArt: backend.deviantart.com/rss.xml?type=deviation&q=by%3Aada+sort%3Atime+meta%3Aall",
        );
        check("ada.itch.io/engine", "itch.io: ada.itch.io/engine/devlog.rss");
        check("store.steampowered.com/app/12/Engine/", "Steam: store.steampowered.com/feeds/news/app/12/");
        check("steamcommunity.com/groups/engines", "Steam: steamcommunity.com/groups/engines/rss/");
    }
}
