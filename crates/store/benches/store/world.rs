//! Feeds, entries and plans: the same in every run, and as long as real ones.
//!
//! Names are URLs, hashes look random and dates lie scattered over a month, because that decides where in an index a
//! row goes.

use jiff::{SignedDuration, Timestamp};
use model::FetchId;
use model::blob::{AtRest, Blob, BlobHash, Coding};
use model::entry::{Author, EntryBody, EntryKey, KeyKind, RawRef};
use model::feed::DomainRule;
use model::lease::{History, Lease};
use model::plan::{EntryVersion, NewEntry, Plan};
use model::raw::{Headers, RawFetch};
use model::schedule::{Because, Next, Schedule};
use model::visit::{PastVisit, Validators, VisitResult};
use store::NewFeed;
use uuid::Uuid;

pub(crate) const HOUR: SignedDuration = SignedDuration::from_hours(1);
const CONTENT_BYTES: usize = 2_500;
const MONTH_MICROS: u64 = 30 * 24 * 3_600_000_000;
const HOUR_MICROS: u64 = 3_600_000_000;
/// Feeds per rate group, as in the world of the other benchmarks.
const FEEDS_PER_HOST: u64 = 8;

/// 2026-01-01T00:00:00Z.
pub(crate) fn start() -> Timestamp {
    Timestamp::from_second(1_767_225_600).expect("a year within reach")
}

/// Scatters a number (splitmix64).
pub(crate) fn scattered(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn hash(number: u64) -> [u8; 16] {
    Uuid::from_u64_pair(scattered(number), scattered(!number)).into_bytes()
}

/// Feed number `n`, due some time in the first hour.
pub(crate) fn feed(n: u64) -> NewFeed {
    let host = format!("host-{}.example", n / FEEDS_PER_HOST);
    let due_at = start() + SignedDuration::from_micros((scattered(n) % HOUR_MICROS).cast_signed());
    let url = format!("https://{host}/blog/{n}/feed.xml");
    NewFeed {
        title: Some(format!("What number {n} has to say")),
        site_url: Some(format!("https://{host}/blog/{n}/")),
        root_domain: Some(host.clone()),
        domain_rule: DomainRule::Registrable,
        ..NewFeed::public(Uuid::from_u64_pair(scattered(n), n), url, host, due_at)
    }
}

/// What a visit found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// 200, with that many new entries.
    New(u32),
    /// 200, with the bytes of last time.
    SameBytes,
    /// 304.
    NotModified,
}

/// The plan of one visit, coming again in an hour.
pub(crate) fn plan(lease: &Lease, now: Timestamp, found: Found) -> Plan {
    let before = &lease.dossier.history;
    let news = if let Found::New(count) = found { count } else { 0 };
    let status = if found == Found::NotModified { 304 } else { 200 };
    let because = match found {
        Found::New(_) => Because::NewEntries,
        Found::SameBytes => Because::NoNewEntries,
        Found::NotModified => Because::NotModified,
    };
    let (wire_bytes, decoded_bytes) = if status == 304 { (0, 0) } else { (18_000, 70_000) };
    let visit_number = lease.feed.0.cast_unsigned() << 20 | before.visits.cast_unsigned();
    let validators = Validators {
        etag: Some(format!("\"{:016x}\"", scattered(visit_number))),
        last_modified: Some("Thu, 01 Jan 2026 00:00:00 GMT".into()),
    };
    let raw = (news > 0).then(|| raw_fetch(lease, now, visit_number));
    let entry = |i| new_entry(lease, now, before.visits.cast_unsigned() << 10 | u64::from(i), raw.as_ref());
    let new = (0..news).map(entry).collect();
    let reason = "as usual: half of what lies between two entries".to_owned();
    Plan {
        at: now,
        visit: PastVisit {
            at: now,
            status: Some(status),
            result: if news > 0 { VisitResult::Fresh } else { VisitResult::Unchanged },
            error: None,
            took: SignedDuration::from_millis(120),
            wire_bytes,
            decoded_bytes,
            new_entries: news,
            changed_entries: 0,
            next_at: Some(now + HOUR),
            interval: HOUR,
            reason: reason.clone(),
            trace: Vec::new(),
            headers_at: None,
            problems: None,
            ewma: None,
        },
        schedule: Schedule { next: Next::At(now + HOUR), interval: HOUR, because, reason, trace: Vec::new() },
        history: History {
            visits: before.visits + 1,
            readings: before.readings + i64::from(news > 0),
            validators: if status == 304 { before.validators.clone() } else { validators },
            last_visit_at: Some(now),
            last_success_at: Some(now),
            last_status: Some(status),
            new_entries: news,
            interval: HOUR,
            ewma: Some(HOUR),
            body_hash: if news > 0 { Some(hash(visit_number)) } else { before.body_hash },
            ..before.clone()
        },
        raw,
        headers: None,
        feed: None,
        state: None,
        moved: None,
        pause: None,
        new,
        changed: Vec::new(),
        redated: Vec::new(),
        aliases: Vec::new(),
        lineage: Vec::new(),
        refused: Vec::new(),
        events: Vec::new(),
        enrich: model::plan::Enrich::No,
    }
}

fn new_entry(lease: &Lease, now: Timestamp, n: u64, raw: Option<&RawFetch>) -> NewEntry {
    let number = lease.feed.0.cast_unsigned() << 32 | n;
    let link = format!("https://{}/blog/{}/{n}-a-title-as-long-as-most", lease.dossier.rate_group, lease.feed);
    let age = SignedDuration::from_micros((scattered(number) % MONTH_MICROS).cast_signed());
    let key = |kind, salt| EntryKey { kind, hash: hash(number ^ salt) };
    NewEntry {
        uid: link.clone(),
        keys: vec![key(KeyKind::Guid, 1 << 60), key(KeyKind::Url, 2 << 60), key(KeyKind::Content, 3 << 60)],
        version: EntryVersion {
            title: Some(format!("Entry {n} of feed {}: a title as long as most", lease.feed)),
            excerpt: Some(prose(number, 300)),
            link: Some(link),
            published_at: Some(now - age),
            updated_at: None,
            content_hash: hash(number),
            raw_hash: hash(number ^ 4 << 60),
            preview: model::entry::Preview { language: Some("en".into()), ..Default::default() },
            body: EntryBody {
                summary: None,
                content: Some(prose(number, CONTENT_BYTES)),
                authors: vec![Author { name: Some("Ada Lovelace".into()), email: None, uri: None }],
                categories: vec!["engines".into(), "notes".into()],
                enclosures: Vec::new(),
                language: Some("en".into()),
                raw: raw.map(|raw| RawRef { fetch: raw.id, offset: n * 2_600, length: 2_600 }),
            },
        },
        first_seen_at: now,
        sort_at: now - age,
        quiet: false,
    }
}

fn raw_fetch(lease: &Lease, now: Timestamp, number: u64) -> RawFetch {
    let headers = |pairs: &[(&str, &str)]| -> Headers {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let wide = [hash(number ^ 5 << 60), hash(number ^ 6 << 60)].concat();
    RawFetch {
        // In the order of time, as UUIDs of version 7 are.
        id: FetchId(Uuid::from_u64_pair(now.as_microsecond().cast_unsigned(), scattered(number))),
        feed: lease.feed,
        fetched_at: now,
        url: lease.dossier.url.clone(),
        status: 200,
        request_headers: headers(&[
            ("accept", "application/atom+xml, application/rss+xml, application/feed+json;q=0.9, */*;q=0.1"),
            ("accept-encoding", "gzip, br, zstd"),
            ("user-agent", "courant/0.1 (+https://courant.example)"),
        ]),
        response_headers: headers(&[
            ("content-type", "application/rss+xml; charset=utf-8"),
            ("content-encoding", "gzip"),
            ("cache-control", "max-age=600"),
            ("date", "Thu, 01 Jan 2026 00:00:00 GMT"),
            ("etag", "\"0123456789abcdef\""),
            ("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
            ("server", "nginx"),
        ]),
        blob: Blob {
            hash: BlobHash(wide.try_into().expect("twice 16 bytes")),
            coding: Coding::Gzip,
            at_rest: AtRest::AsIs,
            wire_bytes: 18_000,
            stored_bytes: 18_000,
        },
        content_type: Some("application/rss+xml".into()),
        decoded_bytes: 70_000,
        understood: true,
        truncated: false,
        problems: Vec::new(),
    }
}

/// That many bytes of text.
fn prose(number: u64, bytes: usize) -> String {
    const WORDS: [&str; 16] = [
        "the ",
        "engine ",
        "weaves ",
        "patterns ",
        "just ",
        "as ",
        "loom ",
        "flowers ",
        "and ",
        "leaves ",
        "of ",
        "number ",
        "<p>",
        "</p>\n",
        "analytical ",
        "a ",
    ];
    let mut text = String::with_capacity(bytes + 16);
    let mut state = number;
    while text.len() < bytes {
        state = scattered(state);
        for shift in (0..64).step_by(4) {
            text.push_str(WORDS[(state >> shift) as usize % WORDS.len()]);
        }
    }
    text.truncate(bytes);
    text
}
