//! `courant entry show`: one entry in full, with its revisions and its position in raw documents.

use anyhow::bail;
use engine::{Reference, passage, references};
use jiff::Timestamp;
use model::entry::{Attachment, Author, Entry, EntryBody, Lineage, Revision};
use model::{EntryId, Viewer};
use serde_json::{Value, json};
use store::{FeedName, Store, StoreError};

use super::super::{Context, table};
use crate::output::Output;
use crate::wiring;

/// Which entry, and what of it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Its id, or its publisher's id
    pub(super) entry: String,
    /// Only the publisher's source text, as in the document
    #[arg(long)]
    pub(super) raw: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |config, store| {
        let whole = Whole::of(&store, find(&store, &args.entry).await?).await?;
        if args.raw {
            let blobs = wiring::open_blobs(&config).await?;
            let engine = wiring::engine(&config, store, blobs, &context.clock)?;
            let place = whole.places.iter().find(|place| place.until.is_none());
            let text = match place {
                Some(place) => passage(&engine, Viewer::Operator, &place.raw).await?,
                None => None,
            };
            let Some(text) = text else {
                bail!("entry {}: its raw document is no longer stored, or is decoded differently now", whole.entry.id)
            };
            return match context.output {
                Output::Json(_) => context.output.json(&json!({ "id": whole.entry.id.0, "raw": text })),
                Output::Text => context.output.print(lines(&text)),
            };
        }
        match context.output {
            Output::Json(_) => context.output.json(&whole.body()),
            Output::Text => context.output.print(whole.text()),
        }
    })
}

/// The entry with that id or uid. A publisher's id is unique within its feed only.
async fn find(store: &Store, name: &str) -> anyhow::Result<Entry> {
    if let Ok(id) = name.parse() {
        match store.entry(Viewer::Operator, EntryId(id)).await {
            Err(StoreError::NotFound { .. }) => {}
            other => return Ok(other?),
        }
    }
    let mut named = store.entries_named(Viewer::Operator, name).await?;
    match (named.pop(), named.len()) {
        (Some(entry), 0) => Ok(entry),
        (None, _) => bail!("there is no entry {name:?}: `courant entry list` and `courant search` list what there is"),
        (Some(last), _) => {
            let ids: Vec<String> = named.iter().chain([&last]).map(|entry| entry.id.to_string()).collect();
            bail!("several feeds have an entry {name:?}: name it by its id, one of {}", ids.join(", "))
        }
    }
}

/// An entry with all its parts.
struct Whole {
    entry: Entry,
    body: EntryBody,
    revisions: Vec<Revision>,
    places: Vec<Reference>,
    last_seen_at: Option<Timestamp>,
    seen_count: i64,
}

impl Whole {
    async fn of(store: &Store, entry: Entry) -> anyhow::Result<Self> {
        let (body, revisions) =
            (store.entry_body(Viewer::Operator, entry.id).await?, store.revisions(Viewer::Operator, entry.id).await?);
        let places = references(store, Viewer::Operator, &body, &revisions).await?;
        let feed = store.feed(Viewer::Operator, &FeedName::Id(entry.feed)).await?;
        let seen_count = entry.lineage.seen_count(feed.readings);
        let last_seen_at = match entry.lineage {
            Lineage::Left { last_seen_at, .. } => Some(last_seen_at),
            Lineage::Present { .. } => feed.last_success_at,
        };
        Ok(Self { entry, body, revisions, places, last_seen_at, seen_count })
    }

    fn body(&self) -> Value {
        let Self { entry, body, .. } = self;
        let author = |author: &Author| json!({ "name": author.name, "email": author.email, "uri": author.uri });
        let enclosure = |file: &Attachment| json!({ "url": file.url, "type": file.media_type, "length": file.length });
        let place = |place: &Reference| {
            json!({
                "fetch_id": place.raw.fetch.0.to_string(), "offset": place.raw.offset, "length": place.raw.length,
                "kept": place.kept, "note": place.note(),
            })
        };
        let revision = |revision: &Revision| {
            json!({
                "number": revision.number, "replaced_at": revision.replaced_at.to_string(), "title": revision.title,
                "link": revision.link, "summary": revision.body.summary, "content": revision.body.content,
            })
        };
        json!({
            "id": entry.id.0, "feed_id": entry.feed.0, "uid": entry.uid, "title": entry.title, "link": entry.link,
            "summary": body.summary, "content": body.content, "excerpt": entry.excerpt, "language": body.language,
            "authors": body.authors.iter().map(author).collect::<Value>(), "categories": body.categories,
            "enclosures": body.enclosures.iter().map(enclosure).collect::<Value>(),
            "published_at": entry.published_at.map(|at| at.to_string()),
            "updated_at": entry.updated_at.map(|at| at.to_string()),
            "first_seen_at": entry.first_seen_at.to_string(),
            "last_seen_at": self.last_seen_at.map(|at| at.to_string()), "seen_count": self.seen_count,
            "quiet": entry.quiet, "revisions": self.revisions.iter().map(revision).collect::<Value>(),
            "raw_refs": self.places.iter().map(place).collect::<Value>(),
        })
    }

    fn text(&self) -> String {
        let Self { entry, body, .. } = self;
        let known_as = entry.title.clone().or_else(|| entry.link.clone()).unwrap_or_else(|| entry.uid.clone());
        let (first, last) = (table::moment(entry.first_seen_at), self.last_seen_at.map(table::moment));
        let still = if matches!(entry.lineage, Lineage::Left { .. }) { "no longer in its feed" } else { "in its feed" };
        let seen = usize::try_from(self.seen_count).unwrap_or_default();
        let mut head = vec![
            known_as,
            format!("  id          {} of feed {} ({})", entry.id, entry.feed, entry.uid),
            format!("  seen        {first} to {}, {}; {still}", last.unwrap_or_default(), table::count(seen, "time")),
        ];
        head.extend(entry.link.iter().map(|link| format!("  link        {link}")));
        head.extend(entry.published_at.map(|at| format!("  published   {}", table::moment(at))));
        head.extend(entry.updated_at.map(|at| format!("  updated     {}", table::moment(at))));
        head.extend(body.authors.iter().filter_map(|author| {
            author.name.as_ref().or(author.email.as_ref()).map(|name| format!("  author      {name}"))
        }));
        if !body.categories.is_empty() {
            head.push(format!("  subjects    {}", body.categories.join(", ")));
        }
        head.extend(body.enclosures.iter().map(|file| format!("  attached    {}", file.url)));
        head.extend(self.revisions.iter().map(|revision| {
            let title = revision.title.as_deref().unwrap_or("(no title)");
            format!("  before      {} until {}: {title}", revision.number, table::moment(revision.replaced_at))
        }));
        head.extend(self.places.iter().map(|place| {
            let (start, end) = (place.raw.offset, place.raw.offset + place.raw.length);
            format!("  stands in   {}, bytes {start} to {end}: {}", place.raw.fetch.0, place.note())
        }));
        let indent = |line: &str| if line.starts_with("  ") { 14 } else { 0 };
        let head: Vec<String> = head.iter().map(|line| table::paragraph(line, indent(line))).collect();
        let said = body.content.as_deref().or(body.summary.as_deref()).map(content::plain_text).unwrap_or_default();
        [head.join("\n"), lines(&said)].join("\n\n").trim_end().to_owned()
    }
}

/// Untrusted text with its line breaks, without other control characters.
fn lines(text: &str) -> String {
    text.lines().map(|line| table::paragraph(line, 0)).collect::<Vec<_>>().join("\n")
}
