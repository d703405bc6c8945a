//! The icon of a site: what its page offers, else `/favicon.ico`; a raster of modest size, kept for a month.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::visit::{VisitRequest, visit};
use fetch::Egress;
use jiff::SignedDuration;
use model::icon::Icon;
use model::visit::Outcome;
use model::{FeedId, Viewer};
use store::FeedName;
use url::Url;

/// An icon is shown at 32 pixels; what needs more bytes is no icon.
const MOST_BYTES: usize = 256 << 10;
/// Pictures tried of one site.
const MOST_TRIED: usize = 4;
const KEEP: SignedDuration = SignedDuration::from_hours(30 * 24);
/// A site without an icon may get one.
const KEEP_NONE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The icon of the site that a feed belongs to, if it has one; asks the site at most once a week. Only for those who may
/// see the feed: else a user could tell by the answer, or by how long it takes, where others have private feeds.
pub async fn icon(engine: &Engine, viewer: Viewer, feed: FeedId) -> Result<Option<Icon>, EngineError> {
    let status = engine.store.feed(viewer, &FeedName::Id(feed)).await?;
    let Some(site) = status.feed.site_url.as_deref().and_then(site).or_else(|| site(&status.feed.url)) else {
        return Ok(None);
    };
    let now = engine.now();
    let known = engine.store.icon(viewer, feed, &site).await?;
    if let Some((at, icon)) = &known {
        let keep = if icon.is_some() { KEEP } else { KEEP_NONE };
        if now.duration_since(*at) < keep {
            if icon.is_some() && engine.store.icon_hashes(viewer, &[feed]).await?.is_empty() {
                engine.store.share_icon(feed, &site).await?;
            }
            return Ok(icon.clone());
        }
    }
    let found = look(engine, &site).await?;
    match (found, known) {
        // A site that does not answer today still has the icon it had.
        (None, Some((_, Some(old)))) => {
            engine.store.touch_icon(&site, now).await?;
            Ok(Some(old))
        }
        (found, _) => {
            engine.store.keep_icon(feed, &site, found.as_ref(), now).await?;
            Ok(found)
        }
    }
}

/// The site that an address belongs to, if it is one of the web.
fn site(url: &str) -> Option<String> {
    let origin = Url::parse(url).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

async fn look(engine: &Engine, site: &str) -> Result<Option<Icon>, EngineError> {
    let home = format!("{site}/");
    let page = visit(engine, &VisitRequest::crawl(&home, Egress::Article)).await?;
    let mut places = match &page.outcome {
        Outcome::Fresh(body) => {
            let read = || {
                let html = syndication::utf8_form(&body.decoded, body.content_type.as_deref(), Some(&page.url));
                syndication::page(&html, Some(&page.url)).icons
            };
            engine.cpu.run(body.decoded.len(), read).await
        }
        _ => Vec::new(),
    };
    // Dropped before the next body waits for memory.
    drop(page);
    places.truncate(MOST_TRIED - 1);
    places.push(format!("{site}/favicon.ico"));
    for place in places {
        let seen = visit(engine, &VisitRequest::to(&place, Egress::Icon)).await?;
        if let Outcome::Fresh(body) = seen.outcome
            && body.decoded.len() <= MOST_BYTES
            && let Some(media_type) = content::raster(&body.decoded)
        {
            return Ok(Some(Icon { url: seen.url, media_type: media_type.to_owned(), bytes: body.decoded.to_vec() }));
        }
    }
    Ok(None)
}
