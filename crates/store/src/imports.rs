//! Imports of lists of feeds: the list until it is done, how far it has come, and what it brought, so that it can be undone.
//!
//! `reader::import_opml` does the work, in a job. Here is what it leaves behind.

use crate::StoreError;
use crate::codes::{from_json, json};
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, returned_id};
use crate::db::wake::Topic;
use crate::store::Store;
use jiff::Timestamp;
use model::library::{ImportLine, ImportRun, LineResult};
use model::{CategoryId, FeedId, ImportId, UserId};
use serde::{Deserialize, Serialize};

macro_rules! columns {
    () => {
        "id, user_id, total, done, imported, skipped, errors, feeds, categories, created_at, finished_at, undone_at"
    };
}

statements! {
    CREATE(Int, Text, Int, Json, Int) = Text::One(
        "INSERT INTO imports (user_id, document, total, errors, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING id");
    /// Asks for a job $2 for each unfinished import of user $1, in the transaction that makes it.
    ENQUEUE(Int, Text, Int) = Text::One(
        "INSERT INTO jobs (kind, subject, priority, due_at, decided_at, created_at)
         SELECT $2, CAST(id AS TEXT), 2, $3, $3, $3 FROM imports WHERE user_id = $1 AND document IS NOT NULL
         ON CONFLICT (kind, subject) DO NOTHING");
    GET(Int, Int) = Text::One(concat!("SELECT ", columns!(), " FROM imports WHERE user_id = $1 AND id = $2"));
    LIST(Int) = Text::One(concat!("SELECT ", columns!(), " FROM imports WHERE user_id = $1 ORDER BY id DESC"));
    UNFINISHED(Int) = Text::One("SELECT user_id, document FROM imports WHERE id = $1 AND document IS NOT NULL");
    PROGRESS(Int, Int, Int, Int, Int, Json, Json, Json) = Text::One(
        "UPDATE imports SET total = $2, done = $3, imported = $4, skipped = $5, errors = $6, feeds = $7, categories = $8
         WHERE id = $1 AND document IS NOT NULL");
    KEEP_LINES(Int, Json) = Text::One("UPDATE imports SET lines = $2 WHERE id = $1 AND document IS NOT NULL");
    LINES(Int, Int) = Text::One("SELECT lines FROM imports WHERE user_id = $1 AND id = $2");
    FINISH(Int, Int) = Text::One(
        "UPDATE imports SET document = NULL, finished_at = $2 WHERE id = $1 AND document IS NOT NULL");
    UNDO(Int, Int, Int) = Text::One(
        "UPDATE imports SET undone_at = $3
         WHERE user_id = $1 AND id = $2 AND finished_at IS NOT NULL AND undone_at IS NULL");
    FORGET(Int) = Text::One("DELETE FROM imports WHERE created_at < $1 AND document IS NULL");
}

/// Lines that are kept of an import.
const MOST_LINES: usize = 10_000;

#[derive(Serialize, Deserialize)]
struct LineRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    url: String,
    result: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feed: Option<i64>,
}

fn import_run(row: &mut Record) -> Result<ImportRun, StoreError> {
    Ok(ImportRun {
        id: ImportId(row.next()?),
        user: UserId(row.next()?),
        total: row.next()?,
        done: row.next()?,
        imported: row.next()?,
        skipped: row.next()?,
        errors: from_json(row.next()?)?,
        feeds: from_json(row.next()?)?.into_iter().map(FeedId).collect(),
        categories: from_json(row.next()?)?.into_iter().map(CategoryId).collect(),
        created_at: row.next()?,
        finished_at: row.next()?,
        undone_at: row.next()?,
    })
}

/// How far an import has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportProgress {
    /// Feeds of the list.
    pub total: u64,
    /// Feeds that are done.
    pub done: u64,
    /// Feeds that the user did not have before.
    pub imported: u64,
    /// Feeds that the user had.
    pub skipped: u64,
    /// What could not be imported, and why.
    pub errors: Vec<String>,
    /// Feeds that the user is subscribed to because of it.
    pub feeds: Vec<FeedId>,
    /// Categories that it made.
    pub categories: Vec<CategoryId>,
}

impl Store {
    /// Keeps a list of so many feeds that is to be imported, with what was wrong in it, and asks for a job of this kind with
    /// the id of the import as its subject.
    pub async fn create_import(
        &self,
        user: UserId,
        document: &str,
        (total, errors): (u64, &[String]),
        job: &str,
        now: Timestamp,
    ) -> Result<ImportId, StoreError> {
        let mut batch =
            Batch::one(&CREATE, vec![user.0.into(), document.into(), total.into(), json(errors), now.into()]);
        batch.step(&ENQUEUE, vec![vec![user.0.into(), job.into(), now.into()]]);
        batch.wakes(Topic::Jobs);
        let mut answer = self.write(batch).await?;
        returned_id(answer.swap_remove(0).records).map(ImportId)
    }

    /// An import of a user.
    pub async fn import(&self, user: UserId, id: ImportId) -> Result<ImportRun, StoreError> {
        let found = self.read_first(&GET, vec![user.0.into(), id.0.into()], import_run).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "import", name: id.to_string() })
    }

    /// A user's imports, newest first.
    pub async fn imports(&self, user: UserId) -> Result<Vec<ImportRun>, StoreError> {
        self.read_all(&LIST, vec![user.0.into()], import_run).await
    }

    /// Whose import it is, and the list, unless it is done.
    pub async fn unfinished_import(&self, id: ImportId) -> Result<Option<(UserId, String)>, StoreError> {
        self.read_first(&UNFINISHED, vec![id.0.into()], |row| Ok((UserId(row.next()?), row.next()?))).await
    }

    /// Notes how far an import has come. `false` if it is done or gone.
    pub async fn note_import_progress(&self, id: ImportId, progress: &ImportProgress) -> Result<bool, StoreError> {
        let feeds: Vec<i64> = progress.feeds.iter().map(|feed| feed.0).collect();
        let categories: Vec<i64> = progress.categories.iter().map(|category| category.0).collect();
        let row = vec![
            id.0.into(),
            progress.total.into(),
            progress.done.into(),
            progress.imported.into(),
            progress.skipped.into(),
            json(&progress.errors),
            json(&feeds),
            json(&categories),
        ];
        Ok(self.write_counted(&PROGRESS, row).await? > 0)
    }

    /// Keeps what became of each line.
    pub async fn keep_import_lines(&self, id: ImportId, lines: &[ImportLine]) -> Result<(), StoreError> {
        let row = |line: &ImportLine| LineRow {
            title: line.title.clone(),
            url: line.url.clone(),
            result: line.result.as_str().to_owned(),
            reason: line.reason.clone(),
            feed: line.feed.map(|feed| feed.0),
        };
        let lines: Vec<LineRow> = lines.iter().take(MOST_LINES).map(row).collect();
        self.write_one(&KEEP_LINES, vec![id.0.into(), json(&lines)]).await.map(|_| ())
    }

    /// What became of each line of a user's import; nothing before it is done.
    pub async fn import_lines(&self, user: UserId, id: ImportId) -> Result<Vec<ImportLine>, StoreError> {
        let read = |row: &mut Record| from_json::<LineRow>(row.next()?);
        let lines = self.read_first(&LINES, vec![user.0.into(), id.0.into()], read).await?.unwrap_or_default();
        let line = |row: LineRow| ImportLine {
            title: row.title,
            url: row.url,
            result: match row.result.as_str() {
                "imported" => LineResult::Imported,
                "skipped" => LineResult::Skipped,
                _ => LineResult::Failed,
            },
            reason: row.reason,
            feed: row.feed.map(FeedId),
        };
        Ok(lines.into_iter().map(line).collect())
    }

    /// Ends an import; its list is forgotten. `false` if it had ended.
    pub async fn finish_import(&self, id: ImportId, now: Timestamp) -> Result<bool, StoreError> {
        Ok(self.write_counted(&FINISH, vec![id.0.into(), now.into()]).await? > 0)
    }

    /// Notes that an import is undone. `false` if it was before, is not done, or is not the user's.
    pub async fn mark_import_undone(&self, user: UserId, id: ImportId, now: Timestamp) -> Result<bool, StoreError> {
        Ok(self.write_counted(&UNDO, vec![user.0.into(), id.0.into(), now.into()]).await? > 0)
    }

    /// Forgets imports from before a moment that are done; returns how many.
    pub async fn forget_imports(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write_counted(&FORGET, vec![before.into()]).await
    }
}
