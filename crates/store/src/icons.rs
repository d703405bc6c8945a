//! Icons of sites: small pictures, with the time of the last check. A site without an icon has a row as well, so that it is
//! not asked again every day.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::viewer::{may_see, sees_feed};
use jiff::Timestamp;
use model::icon::Icon;
use model::{FeedId, Viewer};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;

statements! {
    GET(Text, Int, Int) = Text::One(concat!(
        "SELECT checked_at, url, media_type, bytes FROM icons WHERE site = $1 AND ", sees_feed!("$2", "$3")));
    PUT(Text, Text, Text, Bytes, Int, Bytes) = Text::One(
        "INSERT INTO icons (site, url, media_type, bytes, checked_at, hash) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (site) DO UPDATE SET url = excluded.url, media_type = excluded.media_type, bytes = excluded.bytes,
             checked_at = excluded.checked_at, hash = excluded.hash");
    /// Feed $1 has the icon of site $2.
    SET_SITE(Int, Text) = Text::One("UPDATE feeds SET icon_site = $2 WHERE id = $1");
    BY_HASH(Bytes, Int) = Text::One(concat!(
        "SELECT i.url, i.media_type, i.bytes FROM icons i
         WHERE i.hash = $1 AND EXISTS (SELECT 1 FROM feeds f
                                       WHERE f.icon_site = i.site AND f.state <> 'deleted' AND ", may_see!("$2"), ")
         ORDER BY i.site LIMIT 1"));
    HASHES(Int, Int) = Text::Rows(concat!(
        "SELECT f.id, i.hash FROM feeds f JOIN icons i ON i.site = f.icon_site
         WHERE f.id = $1 AND f.state <> 'deleted' AND i.hash IS NOT NULL AND ", may_see!("$2")));
    TOUCH(Text, Int) = Text::One("UPDATE icons SET checked_at = $2 WHERE site = $1");
}

impl Store {
    /// What is known of the icon of a feed's site: when it was asked for, and what was found. A site is shared by its
    /// feeds; who sees none of them does not learn that somebody else has one there.
    pub async fn icon(
        &self,
        viewer: Viewer,
        feed: FeedId,
        site: &str,
    ) -> Result<Option<(Timestamp, Option<Icon>)>, StoreError> {
        let known = |row: &mut Record| {
            let at = row.next()?;
            let (url, media_type, bytes): (Option<String>, Option<String>, Option<Vec<u8>>) =
                (row.next()?, row.next()?, row.next()?);
            let icon = url.zip(media_type).zip(bytes).map(|((url, media_type), bytes)| Icon { url, media_type, bytes });
            Ok((at, icon))
        };
        self.read_first(&GET, vec![site.into(), feed.0.into(), viewer.into()], known).await
    }

    /// Keeps the icon of a feed's site, or that it has none.
    pub async fn keep_icon(
        &self,
        feed: FeedId,
        site: &str,
        icon: Option<&Icon>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let hash = icon.map(|icon| <[u8; 32]>::from(Sha256::digest(&icon.bytes)));
        let row = vec![
            site.into(),
            icon.map(|icon| icon.url.clone()).into(),
            icon.map(|icon| icon.media_type.clone()).into(),
            icon.map(|icon| icon.bytes.clone()).into(),
            now.into(),
            hash.into(),
        ];
        let mut batch = Batch::one(&PUT, row);
        batch.step(&SET_SITE, vec![vec![feed.0.into(), site.into()]]);
        self.write(batch).await.map(|_| ())
    }

    /// Notes that a feed has the icon of a site, which another feed of that site has brought.
    pub async fn share_icon(&self, feed: FeedId, site: &str) -> Result<(), StoreError> {
        self.write_one(&SET_SITE, vec![feed.0.into(), site.into()]).await.map(|_| ())
    }

    /// The icon with this SHA-256, if it is that of a feed which the viewer may see.
    pub async fn icon_by_hash(&self, viewer: Viewer, hash: [u8; 32]) -> Result<Option<Icon>, StoreError> {
        let icon = |row: &mut Record| Ok(Icon { url: row.next()?, media_type: row.next()?, bytes: row.next()? });
        self.read_first(&BY_HASH, vec![hash.into(), viewer.into()], icon).await
    }

    /// The SHA-256 of the icons of feeds, as far as they are known and the viewer may see the feed.
    pub async fn icon_hashes(&self, viewer: Viewer, feeds: &[FeedId]) -> Result<HashMap<FeedId, [u8; 32]>, StoreError> {
        let rows = feeds.iter().map(|feed| vec![feed.0.into(), viewer.into()]).collect();
        let pair = |row: &mut Record| Ok((FeedId(row.next()?), row.next()?));
        Ok(self.read_each(&HASHES, rows, pair).await?.into_iter().collect())
    }

    /// Notes that a site was asked again without success; a stored icon stays.
    pub async fn touch_icon(&self, site: &str, now: Timestamp) -> Result<(), StoreError> {
        self.write_one(&TOUCH, vec![site.into(), now.into()]).await.map(|_| ())
    }
}
