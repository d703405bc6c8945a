//! `/api/search`: feeds and posts by what a person typed. The text is read by `policy::reader_query`; here names of feeds
//! and categories become ids.

use super::categories::with_descendants;
use super::enrichment::add_headlines;
use super::posts::PostBody;
use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::{Paging, Query, paging};
use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::reader::Category;
use model::{CategoryId, EntryId, FeedId, UserId, Viewer};
use policy::permission::Permission;
use policy::reader_query::{ReaderQuery, parse};
use policy::snippet::{highlights, snippet, wanted_words};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use store::{Conditions, FeedLabel, Found, Post};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const PAGE: u32 = 20;
const LONGEST_PAGE: u32 = 200;
/// Feeds in an answer.
const FEEDS: usize = 20;
/// Posts whose text is looked at.
const MOST_SNIPPETS: usize = 50;
/// Feeds and categories that are counted.
const FACETS: usize = 20;
/// Months that are counted.
const MONTHS: usize = 24;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(search))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SearchParameters {
    /// Words, `"a phrase"`, `-word`, `feed:` `in:` `is:unread` `is:saved` `before:` `after:` `author:`.
    q: Option<String>,
    /// 0 to 200, else 20.
    limit: Option<i64>,
    offset: Option<i64>,
    /// Also count by feed, category and month.
    #[serde(default)]
    facets: bool,
}

/// A post that was found, and why.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct PostHit {
    #[serde(flatten)]
    post: PostBody,
    /// Plain text around the first word that was found in what it says.
    snippet: Option<String>,
    /// Where the words are in it: from and up to, in UTF-16 units.
    highlights: Vec<(u32, u32)>,
    /// Where they are in the title.
    title_highlights: Vec<(u32, u32)>,
}

/// How many posts there are of each kind: of the newest 10,000 that were found.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
struct Facets {
    /// Those with most.
    feeds: Vec<FeedFacet>,
    categories: Vec<CategoryFacet>,
    /// The latest first.
    months: Vec<MonthFacet>,
}

/// Posts of a feed.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct FeedFacet {
    id: i64,
    title: String,
    count: u64,
}

/// Posts of the feeds in a category.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct CategoryFacet {
    id: i64,
    name: String,
    count: u64,
}

/// Posts of a month.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct MonthFacet {
    /// Such as `2026-01`, in UTC.
    month: String,
    count: u64,
}

/// A feed that was found.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct FeedHit {
    pub(crate) id: i64,
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) site_url: Option<String>,
    category_id: i64,
    unread_count: u64,
}

/// What was found.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct SearchBody {
    feeds: Vec<FeedHit>,
    posts: Vec<PostHit>,
    /// How many posts there are on all pages.
    total: u64,
    /// There may be more than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_at_least: Option<u64>,
    has_more: bool,
    /// What could not be made sense of.
    problems: Vec<String>,
    /// If they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    facets: Option<Facets>,
}

/// Where a list of posts is searched.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Within {
    /// Only in this feed.
    pub(crate) feed: Option<i64>,
    /// Only in this category and those below it.
    pub(crate) category: Option<i64>,
    /// Only what is unread.
    pub(crate) unread: bool,
}

/// The posts that a person's words find, and what could not be made sense of.
pub(crate) async fn find(
    web: &Web,
    user: UserId,
    words: &str,
    within: Within,
    page: Paging,
) -> Result<(Found, Vec<String>), ApiError> {
    let query = parse(words, web.now());
    // Names of feeds are read only if the query has one.
    let (categories, feeds) = if names_feeds(&query, within) {
        tokio::try_join!(web.store.categories(user), web.store.feed_labels(user))?
    } else {
        (Vec::new(), Vec::new())
    };
    let (conditions, mut problems) = conditions(&query, within, &categories, &feeds);
    problems.extend(query.problems.iter().cloned());
    if query.words.is_empty() && !query.has_filters() {
        return Ok((Found::default(), problems));
    }
    let found = web.store.find_posts(user, &query.words, &conditions, page.offset, page.limit).await?;
    Ok((found, problems))
}

/// Whether a search is about some feeds only.
fn names_feeds(query: &ReaderQuery, within: Within) -> bool {
    let names = [&query.feed, &query.not_feed, &query.category, &query.not_category];
    within.feed.is_some() || within.category.is_some() || names.iter().any(|names| !names.is_empty())
}

/// What a query asks for besides words. A name that no feed or category has finds nothing, and is a problem.
fn conditions(
    query: &ReaderQuery,
    within: Within,
    categories: &[Category],
    feeds: &[FeedLabel],
) -> (Conditions, Vec<String>) {
    let mut problems = Vec::new();
    let of_feed = |name: &String| -> HashSet<FeedId> {
        let name = name.to_lowercase();
        feeds.iter().filter(|feed| is_called(feed, &name)).map(|feed| feed.feed).collect()
    };
    let of_category = |name: &String| -> HashSet<FeedId> { in_categories(&named(categories, name), categories, feeds) };
    let mut all: HashSet<FeedId> = feeds.iter().map(|feed| feed.feed).collect();
    if let Some(feed) = within.feed {
        all.retain(|id| id.0 == feed);
    }
    if let Some(category) = within.category {
        let scope = in_categories(&[CategoryId(category)], categories, feeds);
        all.retain(|id| scope.contains(id));
    }
    let mut narrow = |what: &str, names: &[String], of: &dyn Fn(&String) -> HashSet<FeedId>| {
        if names.is_empty() {
            return;
        }
        let mut wanted = HashSet::new();
        for name in names {
            let found = of(name);
            if found.is_empty() {
                problems.push(format!("none of your {what} is called `{name}`"));
            }
            wanted.extend(found);
        }
        all.retain(|id| wanted.contains(id));
    };
    narrow("feeds", &query.feed, &of_feed);
    narrow("categories", &query.category, &of_category);
    for out in query.not_feed.iter().map(of_feed).chain(query.not_category.iter().map(of_category)) {
        all.retain(|id| !out.contains(id));
    }
    let lower = |texts: &[String]| texts.iter().map(|text| text.to_lowercase()).collect();
    let conditions = Conditions {
        feeds: (all.len() < feeds.len()).then(|| all.into_iter().collect()),
        unread: query.unread.or(within.unread.then_some(true)),
        saved: query.saved,
        since: query.after,
        before: query.before,
        authors: lower(&query.author),
        not_authors: lower(&query.not_author),
    };
    (conditions, problems)
}

/// Whether a feed has a name, given in small letters, somewhere in its names and addresses.
fn is_called(feed: &FeedLabel, name: &str) -> bool {
    let texts = [Some(feed.title()), feed.feed_title.as_deref(), Some(feed.url.as_str()), feed.site_url.as_deref()];
    texts.into_iter().flatten().any(|text| text.to_lowercase().contains(name)) || feed.feed.to_string() == name
}

/// Categories by name, or by path: `News/Tech` is Tech in News.
fn named(categories: &[Category], name: &str) -> Vec<CategoryId> {
    let mut parts = name.split('/').map(str::trim).rev();
    let last = parts.next().unwrap_or_default();
    let above: Vec<&str> = parts.collect();
    let is_in = |category: &Category| {
        let mut parent = category.parent;
        above.iter().all(|name| {
            let found = parent.and_then(|id| categories.iter().find(|category| category.id == id));
            parent = found.and_then(|category| category.parent);
            found.is_some_and(|category| category.name.to_lowercase() == name.to_lowercase())
        })
    };
    let same = |category: &&Category| category.name.to_lowercase() == last.to_lowercase() && is_in(category);
    categories.iter().filter(same).map(|category| category.id).collect()
}

fn in_categories(roots: &[CategoryId], categories: &[Category], feeds: &[FeedLabel]) -> HashSet<FeedId> {
    let scope: HashSet<CategoryId> = roots.iter().flat_map(|root| with_descendants(categories, *root)).collect();
    feeds.iter().filter(|feed| scope.contains(&feed.category)).map(|feed| feed.feed).collect()
}

/// The feeds whose name or address has all of the words.
pub(crate) fn feeds_found(feeds: &[FeedLabel], words: &str) -> Vec<FeedHit> {
    let words: Vec<String> = words.split_whitespace().map(|word| word.trim_matches('"').to_lowercase()).collect();
    let words: Vec<&String> = words.iter().filter(|word| !word.is_empty() && !word.starts_with('-')).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let has_all = |feed: &&FeedLabel| words.iter().all(|word| is_called(feed, word));
    let body = |feed: &FeedLabel| FeedHit {
        id: feed.feed.0,
        title: feed.title().to_owned(),
        url: feed.url.clone(),
        site_url: feed.site_url.clone(),
        category_id: feed.category.0,
        unread_count: feed.unread,
    };
    feeds.iter().filter(has_all).take(FEEDS).map(body).collect()
}

/// Posts with the part of each that was found. What a feed says is looked at before what the page says.
async fn with_snippets(web: &Web, user: UserId, words: &str, posts: &[Post]) -> Result<Vec<PostHit>, ApiError> {
    let wanted = wanted_words(words);
    let ids: Vec<EntryId> = posts.iter().take(MOST_SNIPPETS).map(|post| post.entry.id).collect();
    let texts = if wanted.is_empty() || ids.is_empty() {
        HashMap::new()
    } else {
        web.store.entry_texts(Viewer::User(user), &ids).await?
    };
    let bytes = texts.values().map(|(said, page)| said.len() + page.len()).sum();
    let mut posts: Vec<PostBody> = posts.iter().map(PostBody::from).collect();
    add_headlines(web, user, &mut posts).await?;
    let hits = move || {
        let hit = |post: PostBody| {
            let found = texts.get(&EntryId(post.id)).and_then(|(said, page)| {
                let of = |html: &String| snippet(&content::words_of_clean(html), &wanted);
                of(said).or_else(|| of(page))
            });
            let found = found.or_else(|| snippet(post.excerpt.as_deref()?, &wanted));
            let title_highlights = highlights(&post.title, &wanted);
            let (snippet, highlights) = found.map(|found| (found.text, found.highlights)).unzip();
            PostHit { post, snippet, highlights: highlights.unwrap_or_default(), title_highlights }
        };
        posts.into_iter().map(hit).collect()
    };
    Ok(web.cpu.run(bytes, hits).await)
}

/// Counts by feed, category and month.
fn facets(found: &[(FeedId, Timestamp)], feeds: &[FeedLabel], categories: &[Category]) -> Facets {
    let mut by_feed: HashMap<FeedId, u64> = HashMap::new();
    let mut by_month: BTreeMap<String, u64> = BTreeMap::new();
    for (feed, at) in found {
        *by_feed.entry(*feed).or_default() += 1;
        *by_month.entry(at.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()).or_default() += 1;
    }
    let mut by_category: HashMap<CategoryId, u64> = HashMap::new();
    let mut of_feeds = Vec::new();
    for feed in feeds {
        let Some(count) = by_feed.get(&feed.feed).copied() else { continue };
        *by_category.entry(feed.category).or_default() += count;
        of_feeds.push(FeedFacet { id: feed.feed.0, title: feed.title().to_owned(), count });
    }
    let named = |category: &Category| {
        let count = by_category.get(&category.id).copied()?;
        Some(CategoryFacet { id: category.id.0, name: category.name.clone(), count })
    };
    let mut of_categories: Vec<CategoryFacet> = categories.iter().filter_map(named).collect();
    of_feeds.sort_by_key(|facet| (std::cmp::Reverse(facet.count), facet.id));
    of_categories.sort_by_key(|facet| (std::cmp::Reverse(facet.count), facet.id));
    of_feeds.truncate(FACETS);
    of_categories.truncate(FACETS);
    let months = by_month.into_iter().rev().take(MONTHS).map(|(month, count)| MonthFacet { month, count });
    Facets { feeds: of_feeds, categories: of_categories, months: months.collect() }
}

/// Feeds and posts by what a person typed, the newest first.
#[utoipa::path(get, path = "/api/search", tag = "search", params(SearchParameters),
    responses((status = 200, body = SearchBody), (status = 422, body = ErrorBody)))]
async fn search(
    State(web): State<Web>,
    principal: Principal,
    Query(asked): Query<SearchParameters>,
) -> Result<Json<SearchBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let page = paging(asked.limit, asked.offset, PAGE, LONGEST_PAGE)?;
    let text = asked.q.unwrap_or_default();
    if text.trim_matches(|c: char| c.is_whitespace() || c == '"').is_empty() {
        return Err(ApiError::unprocessable("Type a word to search for, in the parameter `q`"));
    }
    let user = principal.user;
    let query = parse(&text, web.now());
    let posts = find(&web, user, &text, Within::default(), page);
    let labels = async { Ok(web.store.feed_labels(user).await?) };
    let ((found, problems), labels) = tokio::try_join!(posts, labels)?;
    let facets = if asked.facets {
        let categories = web.store.categories(user).await?;
        let (conditions, _) = conditions(&query, Within::default(), &categories, &labels);
        let all = web.store.find_facets(user, &query.words, &conditions).await?;
        Some(facets(&all, &labels, &categories))
    } else {
        None
    };
    Ok(Json(SearchBody {
        feeds: feeds_found(&labels, &query.words),
        facets,
        has_more: u64::from(page.offset) + (found.posts.len() as u64) < found.total,
        total: found.total,
        total_at_least: found.is_at_least.then_some(found.total),
        posts: with_snippets(&web, user, &query.words, &found.posts).await?,
        problems,
    }))
}
