//! The folders of a list while it is read: folders with the same name are merged, and a feed is in the list once.
//!
//! Drafts are in one list and refer to each other by index, so that nothing recurses on input.

use std::collections::HashMap;

use super::names::{feed_key, tidy};
use super::read::{MAX_TAGS, Options};
use super::{Folder, Row, Subscription};

/// All folders, the root first.
pub(super) struct Drafts {
    drafts: Vec<Draft>,
    /// The first occurrence of each feed: its folder and row.
    seen: HashMap<String, (usize, usize)>,
}

/// A folder being filled.
#[derive(Default)]
struct Draft {
    name: String,
    rows: Vec<DraftRow>,
    /// Its folders by their name in lower case.
    folders: HashMap<String, usize>,
}

enum DraftRow {
    Folder(usize),
    Feed(Subscription),
    /// Was here, and is in a folder now.
    Moved,
}

impl Default for Drafts {
    fn default() -> Self {
        Drafts { drafts: vec![Draft::default()], seen: HashMap::new() }
    }
}

impl Drafts {
    /// The list itself.
    pub(super) const ROOT: usize = 0;

    /// The folder of this name inside `within`: a new one, unless it exists.
    pub(super) fn folder(&mut self, within: usize, name: String) -> usize {
        let next = self.drafts.len();
        let draft = &mut self.drafts[within];
        let known = *draft.folders.entry(name.to_lowercase()).or_insert(next);
        if known == next {
            draft.rows.push(DraftRow::Folder(next));
            self.drafts.push(Draft { name, ..Draft::default() });
        }
        known
    }

    /// Adds a feed to a folder. A repeated feed is not added, and its URL is the `Err`: if it was in no folder it is
    /// moved into this one, else its first row gets this folder as a tag.
    pub(super) fn add(&mut self, folder: usize, feed: Subscription) -> Result<(), String> {
        let key = feed_key(&feed.url);
        let next = (folder, self.drafts[folder].rows.len());
        let Some(place) = self.seen.get_mut(&key) else {
            self.seen.insert(key, next);
            self.drafts[folder].rows.push(DraftRow::Feed(feed));
            return Ok(());
        };
        let (draft, row) = *place;
        if draft == Self::ROOT && folder != Self::ROOT {
            let first = std::mem::replace(&mut self.drafts[draft].rows[row], DraftRow::Moved);
            self.drafts[folder].rows.push(first);
            *place = next;
            return Err(feed.url);
        }
        // A comma would make it two tags.
        let tag = tidy(&self.drafts[folder].name.replace(',', " "));
        if let Some(DraftRow::Feed(first)) = self.drafts[draft].rows.get_mut(row)
            && folder != draft
            && !tag.is_empty()
            && first.tags.len() < MAX_TAGS
            && !first.tags.contains(&tag)
        {
            first.tags.push(tag);
        }
        Err(feed.url)
    }

    /// The rows of the root. A folder always comes after its parent, so going backwards finds every folder complete.
    pub(super) fn into_rows(self, options: Options) -> Vec<Row> {
        let mut ready: Vec<Option<Folder>> = self.drafts.iter().map(|_| None).collect();
        for (index, draft) in self.drafts.into_iter().enumerate().rev() {
            let mut rows = Vec::with_capacity(draft.rows.len());
            for row in draft.rows {
                match row {
                    DraftRow::Feed(feed) => rows.push(Row::Feed(feed)),
                    DraftRow::Moved => {}
                    DraftRow::Folder(inner) => {
                        let Some(mut folder) = ready.get_mut(inner).and_then(Option::take) else { continue };
                        let single = matches!(folder.rows.as_slice(), [Row::Feed(_)]);
                        if options.flatten_single_feed_folders && single {
                            rows.append(&mut folder.rows);
                        } else if !(options.skip_empty_folders && folder.rows.is_empty()) {
                            rows.push(Row::Folder(folder));
                        }
                    }
                }
            }
            ready[index] = Some(Folder { name: draft.name, rows });
        }
        ready.into_iter().next().flatten().map(|root| root.rows).unwrap_or_default()
    }
}
