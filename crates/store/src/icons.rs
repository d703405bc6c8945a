//! Icons of sites: small pictures, with the time of the last check. A site without an icon has a row as well, so that it is
//! not asked again every day.

use crate::StoreError;
use crate::db::sql::{Text, statements};
use crate::store::Store;
use crate::viewer::sees_feed;
use jiff::Timestamp;
use model::icon::Icon;
use model::{FeedId, Viewer};

statements! {
    GET(Text, Int, Int) = Text::One(concat!(
        "SELECT checked_at, url, media_type, bytes FROM icons WHERE site = $1 AND ", sees_feed!("$2", "$3")));
    PUT(Text, Text, Text, Bytes, Int) = Text::One(
        "INSERT INTO icons (site, url, media_type, bytes, checked_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (site) DO UPDATE SET url = excluded.url, media_type = excluded.media_type, bytes = excluded.bytes,
             checked_at = excluded.checked_at");
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
        let known = |row: &mut crate::db::value::Record| {
            let at = row.next()?;
            let (url, media_type, bytes): (Option<String>, Option<String>, Option<Vec<u8>>) =
                (row.next()?, row.next()?, row.next()?);
            let icon = url.zip(media_type).zip(bytes).map(|((url, media_type), bytes)| Icon { url, media_type, bytes });
            Ok((at, icon))
        };
        self.read_first(&GET, vec![site.into(), feed.0.into(), viewer.into()], known).await
    }

    /// Keeps a site's icon, or that it has none.
    pub async fn keep_icon(&self, site: &str, icon: Option<&Icon>, now: Timestamp) -> Result<(), StoreError> {
        let row = vec![
            site.into(),
            icon.map(|icon| icon.url.clone()).into(),
            icon.map(|icon| icon.media_type.clone()).into(),
            icon.map(|icon| icon.bytes.clone()).into(),
            now.into(),
        ];
        self.write_one(&PUT, row).await.map(|_| ())
    }

    /// Notes that a site was asked again without success; a stored icon stays.
    pub async fn touch_icon(&self, site: &str, now: Timestamp) -> Result<(), StoreError> {
        self.write_one(&TOUCH, vec![site.into(), now.into()]).await.map(|_| ())
    }
}
