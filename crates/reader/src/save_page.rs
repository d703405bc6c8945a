//! Saving a page by its address: a bookmark with its article, or at least with its address.

use crate::error::ReaderError;
use crate::page;
use engine::{Chosen, Engine, EngineError, typed_address};
use model::UserId;
use model::library::{Bookmark, NewBookmark};
use store::Made;
use url::Url;
use work::Cpu;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// There is a bookmark; if its article is missing, why.
    Kept {
        /// The bookmark.
        bookmark: Box<Bookmark>,
        /// Whether it is new.
        made: Made,
        /// Why it has no article.
        without_article: Option<String>,
    },
    /// It is no address of a page; why.
    BadAddress(String),
}

/// Saves a page. One that the user has stays as it is and is not fetched again.
pub async fn save_page(engine: &Engine, cpu: &Cpu, user: UserId, address: &str) -> Result<Saved, ReaderError> {
    let url = match typed_address(address) {
        Ok(url) => url,
        Err(EngineError::Address { why, .. }) => return Ok(Saved::BadAddress(why)),
        Err(error) => return Err(error.into()),
    };
    let store = engine.store();
    if let Some(bookmark) = store.bookmark_of(user, &url).await? {
        return Ok(Saved::Kept { bookmark: Box::new(bookmark), made: Made::Existing, without_article: None });
    }
    let site = Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let mut new =
        NewBookmark { title: url.clone(), link: Some(url.clone()), feed_name: site, ..NewBookmark::default() };
    let without_article = match page::load(engine, cpu, &url, Chosen::ByAPerson).await? {
        Err(why) => Some(why),
        Ok(page) => {
            new.title = page.title.filter(|title| !title.trim().is_empty()).unwrap_or(new.title);
            match page.article {
                Ok(html) => {
                    new.content = html;
                    None
                }
                Err(why) => Some(why),
            }
        }
    };
    let (bookmark, made) = store.add_bookmark(user, new, engine.now()).await?;
    Ok(Saved::Kept { bookmark: Box::new(bookmark), made, without_article })
}
