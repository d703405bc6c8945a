//! A list of feeds that a user gives us: read at once, imported in a job, undone for a month.
//!
//! `engine::import` does the work and can be repeated. What is remembered here is how far it came and what it brought, so that
//! undoing takes back exactly that.

use crate::error::{ReaderError, report};
use crate::subscribe::unsubscribe;
use engine::{Engine, Importing};
use model::feed::Origin;
use model::library::{ImportLine, ImportRun, LineResult};
use model::{CategoryId, FeedId, ImportId, UserId};
use std::collections::{BTreeSet, HashSet};
use std::pin::pin;
use store::{ImportProgress, StoreError};
use syndication::opml::{self, NotOpml, Row, Skip};
use tokio::sync::watch;
use work::Outcome;

/// The job that imports a list, whose id is its subject.
pub(crate) const IMPORT: &str = "reader.import";
/// Problems that are remembered.
const MOST_ERRORS: usize = 200;

/// What came of giving us a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// It is imported soon.
    Asked(ImportId),
    /// It is no list of feeds.
    NotAList(NotOpml),
}

/// Reads a list and asks for its import.
pub async fn ask_import(engine: &Engine, user: UserId, document: &[u8]) -> Result<Import, StoreError> {
    let (list, told) = match opml::read(document, &opml::Options::default(), &opml::Limits::default()) {
        // Cut off before its first feed.
        Ok((list, told)) if list.rows.is_empty() && told.ended_early => return Ok(Import::NotAList(NotOpml::NoList)),
        Ok(read) => read,
        Err(refused) => return Ok(Import::NotAList(refused)),
    };
    let (store, now) = (engine.store(), engine.now());
    let total = count(&list.rows);
    let mut errors: Vec<String> = told.skipped.iter().map(|row| format!("{}: {}", row.row, why(&row.why))).collect();
    if told.ended_early {
        errors.insert(0, "the file ends early: feeds may be missing".to_owned());
    }
    errors.truncate(MOST_ERRORS);
    // Written anew: whatever its encoding was, it is UTF-8 now.
    let document = opml::write(&list, now);
    let id = store.create_import(user, &document, (total, &errors), IMPORT, now).await?;
    Ok(Import::Asked(id))
}

fn why(skip: &Skip) -> String {
    match skip {
        Skip::NotHttp => "only http and https can be visited".to_owned(),
        Skip::Kind(kind) => format!("feeds of the kind `{kind}` cannot be visited"),
        Skip::Include => "it points to another list, which is not fetched".to_owned(),
        Skip::NoAddress => "it claims to be a feed, but has no URL".to_owned(),
    }
}

fn count(rows: &[Row]) -> u64 {
    let mut open: Vec<&Row> = rows.iter().collect();
    let mut feeds = 0;
    while let Some(row) = open.pop() {
        match row {
            Row::Feed(_) => feeds += 1,
            Row::Folder(folder) => open.extend(&folder.rows),
        }
    }
    feeds
}

/// What a list may name categories after, in small letters: folders, and tags of feeds, which may be paths.
fn names(rows: &[Row]) -> HashSet<String> {
    let mut open: Vec<&Row> = rows.iter().collect();
    let mut names = HashSet::new();
    while let Some(row) = open.pop() {
        match row {
            Row::Feed(feed) => {
                let parts = feed.tags.iter().flat_map(|tag| tag.split('/'));
                names.extend(parts.map(|name| name.trim().to_lowercase()));
            }
            Row::Folder(folder) => {
                names.insert(folder.name.to_lowercase());
                open.extend(&folder.rows);
            }
        }
    }
    names
}

/// Does a job: imports a list.
pub(crate) async fn run(engine: &Engine, subject: &str) -> Outcome {
    let Ok(id) = subject.parse().map(ImportId) else { return Outcome::Done(vec![]) };
    match run_import(engine, id).await {
        Ok(()) => Outcome::Done(vec![]),
        Err(error) => Outcome::Failed(report(&error)),
    }
}

/// Imports a list that was asked for; one that is done stays as it is.
pub async fn run_import(engine: &Engine, id: ImportId) -> Result<(), ReaderError> {
    let store = engine.store();
    let Some((user, document)) = store.unfinished_import(id).await? else { return Ok(()) };
    let before = store.import(user, id).await?;
    let Ok((list, _)) = opml::read(document.as_bytes(), &opml::Options::default(), &opml::Limits::default()) else {
        // We have written it ourselves.
        store.finish_import(id, engine.now()).await?;
        return Ok(());
    };
    let (told, mut heard) = watch::channel(0);
    let work = engine::import(engine, user, &list, (None, Importing::Write, Origin::Reader), |done| {
        told.send_replace(done);
    });
    let mut work = pin!(work);
    let imported = loop {
        tokio::select! {
            imported = &mut work => break imported?,
            _ = heard.changed() => {
                let done = *heard.borrow_and_update() as u64;
                store.note_import_progress(id, &ImportProgress { done, ..progress(&before) }).await?;
            }
        }
    };
    let (progress, lines) = outcome(engine, &before, imported, &names(&list.rows)).await?;
    store.note_import_progress(id, &progress).await?;
    store.keep_import_lines(id, &lines).await?;
    store.finish_import(id, engine.now()).await?;
    Ok(())
}

fn progress(run: &ImportRun) -> ImportProgress {
    ImportProgress {
        total: run.total,
        done: run.done,
        imported: run.imported,
        skipped: run.skipped,
        errors: run.errors.clone(),
        feeds: run.feeds.clone(),
        categories: run.categories.clone(),
    }
}

/// What an import brought. One that was interrupted and repeated finds what it had brought before: those subscriptions and
/// categories are not older than the import.
async fn outcome(
    engine: &Engine,
    before: &ImportRun,
    imported: engine::Imported,
    names: &HashSet<String>,
) -> Result<(ImportProgress, Vec<ImportLine>), StoreError> {
    let (categories, subscriptions) = engine.store().arrangement(before.user).await?;
    let since: HashSet<FeedId> = subscriptions
        .iter()
        .filter(|subscription| subscription.created_at >= before.created_at)
        .map(|subscription| subscription.feed)
        .collect();
    let mut feeds = BTreeSet::new();
    let mut told = progress(before);
    (told.imported, told.skipped) = (0, 0);
    // What was left out when the list was read.
    let left_out = |why: &String| ImportLine {
        title: None,
        url: String::new(),
        result: LineResult::Failed,
        reason: Some(why.clone()),
        feed: None,
    };
    let mut lines: Vec<ImportLine> = before.errors.iter().map(left_out).collect();
    for row in imported.rows {
        let (result, feed, reason) = match row.result {
            engine::Import::Added(feed) | engine::Import::Subscribed(feed) => {
                told.imported += u64::from(feeds.insert(feed));
                (LineResult::Imported, Some(feed), None)
            }
            engine::Import::AlreadyThere(feed) if since.contains(&feed) => {
                told.imported += u64::from(feeds.insert(feed));
                (LineResult::Imported, Some(feed), None)
            }
            engine::Import::AlreadyThere(feed) => {
                told.skipped += 1;
                (LineResult::Skipped, Some(feed), Some("you have it already".to_owned()))
            }
            engine::Import::Refused(why) => {
                if told.errors.len() < MOST_ERRORS {
                    told.errors.push(format!("{}: {why}", row.url));
                }
                (LineResult::Failed, None, Some(why))
            }
            engine::Import::WouldAdd => continue,
        };
        lines.push(ImportLine {
            title: Some(row.name).filter(|name| !name.is_empty()),
            url: row.url,
            result,
            reason,
            feed,
        });
    }
    told.done = told.total;
    told.feeds = feeds.into_iter().collect();
    told.categories = categories
        .iter()
        .filter(|category| category.created_at >= before.created_at && names.contains(&category.name.to_lowercase()))
        .map(|category| category.id)
        .collect::<Vec<CategoryId>>();
    Ok((told, lines))
}

/// What came of undoing an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    /// This many subscriptions were ended.
    Done(usize),
    /// It was undone before, or is not done yet.
    Refused,
}

/// Takes an import back: ends the subscriptions that it made, and deletes the categories that it made and nothing is in.
pub async fn undo_import(engine: &Engine, user: UserId, id: ImportId) -> Result<Undone, ReaderError> {
    let store = engine.store();
    let run = store.import(user, id).await?;
    if run.finished_at.is_none() || run.undone_at.is_some() {
        return Ok(Undone::Refused);
    }
    // Marked last: if this is interrupted, it is simply repeated.
    for feed in &run.feeds {
        unsubscribe(engine, user, *feed).await?;
    }
    store.delete_empty_categories(user, &run.categories).await?;
    store.mark_import_undone(user, id, engine.now()).await?;
    Ok(Undone::Done(run.feeds.len()))
}
