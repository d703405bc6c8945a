//! Search: what indexing costs per entry, and how long an answer takes, for common words above all.
//!
//! Texts have 350 words of a vocabulary in which the n-th word is n times rarer than the first, as in real prose; one
//! entry in ten is Chinese. They are made before the clock starts, so that a million entries need no disk for bodies;
//! what it costs to read bodies back is measured with the first entries, which have some. What it takes to make plain
//! text of a body belongs to `content` and is not here.

use crate::commits::{claimed, commit_all};
use crate::cpu::Spent;
use crate::databases::{Database, Kind};
use crate::report::{Design, Report};
use crate::world::{self, Found, HOUR};
use model::Viewer;
use store::{IndexDocument, Indexed, SearchOrder, SearchQuery};

/// Unless asked for others.
pub(crate) const ENTRIES: usize = 200_000;
const PER_VISIT: u32 = 25;
const PART: u32 = 2_000;
/// Of an entry, unless asked for others.
pub(crate) const WORDS: usize = 350;
/// Entries that have a body of 2.5 KB.
const WITH_BODY: usize = 20_000;
const VOCABULARY: u64 = 50_000;
const QUESTIONS: usize = 20;
/// A question is to be answered in 20 ms, whatever the word.
const BAR_MICROS: f64 = 20_000.0;

/// Fills a database with that many entries, indexes them, and asks.
pub(crate) async fn measure(kind: Kind, entries: usize, words: usize, report: &mut Report) {
    let database = Database::open(kind).await;
    fill(&database, entries).await;
    index(&database, words, report).await;
    database.settle().await;
    let common = [word(0), word(1)];
    let questions = [
        ("common word", common[0].clone()),
        ("two common words", common.join(" ")),
        ("common phrase", format!("\"{}\"", common.join(" "))),
        ("word of 1 in 30", word(100)),
        ("word of 1 in 3,000", word(10_000)),
        ("common and rare word", format!("{} {}", common[0], word(10_000))),
        ("common without common", format!("{} -{}", word(2), common[0])),
        ("beginning of a common word", format!("{}*", common[0])),
        ("nobody's word", "zzzzzz".to_owned()),
        ("Chinese, one character", character(0).into()),
        ("Chinese, two characters", [character(0), character(1)].iter().collect()),
    ];
    for (name, words) in &questions {
        for order in [SearchOrder::Newest, SearchOrder::Ranked] {
            ask(&database, &format!("{name}, {order:?}"), words, order, entries, report).await;
        }
    }
    database.close().await;
}

/// Entries, most without a body: what is searched is made up when it is indexed.
async fn fill(database: &Database, entries: usize) {
    let per_round = entries.min(50_000);
    let feeds = (0..(per_round as u64 / u64::from(PER_VISIT))).map(world::feed).collect();
    database.store.add_feeds(feeds, world::start()).await.expect("feeds can be added");
    let mut now = world::start() + HOUR;
    let mut filled = 0;
    for _ in 0..entries / per_round {
        let mut work = claimed(&database.store, now, Found::New(PER_VISIT)).await;
        for entry in work.iter_mut().flat_map(|(_, plan)| &mut plan.new) {
            filled += 1;
            entry.version.body.content.take_if(|_| filled > WITH_BODY);
        }
        commit_all(&database.store, work, 32).await;
        now += HOUR;
    }
    database.settle().await;
}

async fn index(database: &Database, words: usize, report: &mut Report) {
    let Database { store, meter, kind, .. } = database;
    let (mut read, mut done) = (0, 0);
    let (mut reading, mut writing) = (Spent::default(), Spent::default());
    loop {
        let started = meter.start();
        let backlog = store.unscoped().backlog(PART).await.expect("the index says how far it is");
        if done < WITH_BODY {
            reading += meter.stop(&started);
            read += backlog.entries.len();
        }
        if backlog.is_empty() {
            break;
        }
        let documents: Vec<_> = backlog.entries.iter().map(|entry| document(entry, words)).collect();
        let started = meter.start();
        let indexed = store.index(backlog, &documents).await.expect("the index can be written");
        writing += meter.stop(&started);
        let (Indexed::Done(count) | Indexed::Part(count)) = indexed else { panic!("nobody else indexes") };
        done += count;
    }
    report.add(*kind, "read an entry of 2.5 KB to index it", read, reading, None);
    report.add(*kind, &format!("index an entry of {words} words"), done, writing, None);
}

async fn ask(database: &Database, name: &str, words: &str, order: SearchOrder, entries: usize, report: &mut Report) {
    let Database { store, meter, kind, .. } = database;
    let query = SearchQuery { words: words.to_owned(), order, limit: 50, ..SearchQuery::default() };
    let found = store.search(Viewer::Operator, &query).await.expect("any text is a query").entries.len();
    let started = meter.start();
    for _ in 0..QUESTIONS {
        store.search(Viewer::Operator, &query).await.expect("any text is a query");
    }
    let name = format!("search {} k: {name} ({found})", entries / 1000);
    report.add(*kind, &name, QUESTIONS, meter.stop(&started), Some(Design::Wall(BAR_MICROS)));
}

fn document(entry: &store::Unindexed, words: usize) -> IndexDocument {
    let number = entry.entry.0.cast_unsigned();
    let mut state = world::scattered(number);
    let mut rank = |of: u64| {
        state = world::scattered(state);
        // Equally many in every octave: the n-th is n times rarer than the first.
        let share = (state >> 11) as f64 / (1u64 << 53) as f64;
        ((of as f64).powf(share) - 1.0) as u64
    };
    let mut text = String::with_capacity(words * 8);
    if number.is_multiple_of(10) {
        text.extend((0..words).map(|_| character(rank(3_000))));
    } else {
        for _ in 0..words {
            text.push_str(&word(rank(VOCABULARY)));
            text.push(' ');
        }
    }
    let title = (0..8).map(|_| word(rank(VOCABULARY))).collect::<Vec<_>>().join(" ");
    IndexDocument { entry: entry.entry, feed: entry.feed, sort_at: entry.sort_at, quiet: entry.quiet, title, text }
}

/// The n-th most common word.
fn word(n: u64) -> String {
    const SYLLABLES: [&str; 16] =
        ["ka", "to", "mi", "re", "su", "no", "li", "va", "pe", "du", "go", "sha", "ber", "ton", "fi", "lem"];
    let mut word = String::new();
    let mut rest = n + 16;
    while rest > 0 {
        word.push_str(SYLLABLES[(rest % 16) as usize]);
        rest /= 16;
    }
    word
}

/// The n-th most common character.
fn character(n: u64) -> char {
    char::from_u32(0x4e00 + n as u32).expect("an ideograph")
}
