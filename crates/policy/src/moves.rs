//! Whether a feed has moved: a permanent redirect is believed after three equal responses over a day, and only if the
//! same entries are found there. A hijacked or misconfigured server redirects once, or to something else. If another
//! feed already has the target URL, the move is not adopted: users see that they have one feed twice.

use crate::LONGEST_URL;
use jiff::{SignedDuration, Timestamp};
use model::FeedId;
use model::lease::PendingMove;
use model::visit::Visit;
use std::fmt;
use url::Url;

/// The number of equal responses,
const ANSWERS: u32 = 3;
/// and the time they must span.
const OVER: SignedDuration = SignedDuration::from_hours(24);
/// The count for a target that showed another feed: its later responses do not count.
const FOREIGN: u32 = 0;
/// The count for a certain target that another feed has, once that was reported.
const TAKEN: u32 = u32::MAX;

/// What is known about a move after a visit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moving {
    /// To be stored until the next visit.
    pub pending: Option<PendingMove>,
    /// To be adopted now.
    pub adopted: Option<String>,
    /// Would be adopted, but another feed has that URL.
    pub taken: Option<Taken>,
}

/// The target of a move that another feed already has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The URL.
    pub to: String,
    /// The other feed.
    pub by: FeedId,
    /// Whether this is the first visit that finds it.
    pub news: bool,
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "moved to {}, which is already feed {}", content::excerpt(&self.to, 200), self.by)
    }
}

/// What a visit says about the feed's URL.
#[derive(Debug, Clone, Copy)]
pub struct Way<'a> {
    /// The URL we visit.
    pub from: &'a str,
    /// Whether the visit succeeded.
    pub success: bool,
    /// Whether the document there is the feed that we know.
    pub same_feed: bool,
    /// Whether credentials are sent there.
    pub credentials: bool,
    /// The other feed that has the redirect target as its URL, if any.
    pub taken: Option<FeedId>,
}

/// Decides whether a feed has moved.
pub fn moving(now: Timestamp, before: Option<&PendingMove>, visit: &Visit, way: Way<'_>) -> Moving {
    let said = visit.moved_to.as_deref().filter(|to| way.success && is_acceptable(way, to));
    let Some(to) = said else {
        // No response changes nothing; any other one restarts the count, except for a foreign target.
        let kept = |before: &&PendingMove| visit.status.is_none() || before.answers == FOREIGN;
        return Moving { pending: before.filter(kept).cloned(), ..Moving::default() };
    };
    let before = before.filter(|before| before.to == to);
    if !way.same_feed || before.is_some_and(|before| before.answers == FOREIGN) {
        // From the next visit on its entries are known, too: without this it would pass for the feed that we know.
        let since = before.map_or(now, |before| before.since);
        let pending = Some(PendingMove { to: to.to_owned(), answers: FOREIGN, since });
        return Moving { pending, ..Moving::default() };
    }
    let pending = match before {
        Some(before) => PendingMove { answers: before.answers.saturating_add(1), ..before.clone() },
        None => PendingMove { to: to.to_owned(), answers: 1, since: now },
    };
    if pending.answers < ANSWERS || now.duration_since(pending.since) < OVER {
        return Moving { pending: Some(pending), ..Moving::default() };
    }
    match way.taken {
        None => Moving { adopted: Some(pending.to), ..Moving::default() },
        Some(by) => {
            let news = before.is_none_or(|before| before.answers != TAKEN);
            let taken = Some(Taken { to: pending.to.clone(), by, news });
            Moving { pending: Some(PendingMove { answers: TAKEN, ..pending }), taken, ..Moving::default() }
        }
    }
}

/// A feed never moves from https to http, to a URL with a password or one that is too long, nor with its credentials to
/// another origin: then the redirect is followed at every visit, without them.
fn is_acceptable(way: Way<'_>, to: &str) -> bool {
    let (Ok(from), Ok(to)) = (Url::parse(way.from), Url::parse(to)) else { return false };
    let short = to.as_str().len() <= LONGEST_URL;
    let web = short && matches!(to.scheme(), "http" | "https") && to.username().is_empty() && to.password().is_none();
    let downgrade = from.scheme() == "https" && to.scheme() == "http";
    web && !downgrade && from != to && (!way.credentials || from.origin() == to.origin())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::visit::Outcome;

    const HOUR: SignedDuration = SignedDuration::from_hours(1);
    const OLD: &str = "https://old.example/feed";
    const NEW: &str = "https://new.example/feed";

    /// Visits at these hours, each with its redirect target; returns what was adopted, and the count.
    fn told(way: Way<'_>, visits: &[(i32, &str)]) -> String {
        let mut pending = None;
        for (hour, to) in visits {
            let now = Timestamp::UNIX_EPOCH + HOUR * *hour;
            let mut visit = Visit { outcome: Outcome::Unchanged, status: Some(200), ..Visit::none(now) };
            visit.moved_to = Some((*to).to_owned()).filter(|to| to.starts_with("http"));
            if *to == "silence" {
                visit.status = None;
            }
            let way = Way { success: way.success && *to != "silence", ..way };
            let moving = moving(now, pending.as_ref(), &visit, way);
            if let Some(to) = moving.adopted {
                return format!("{hour}: {to}");
            }
            pending = moving.pending;
        }
        pending.map_or("nothing".into(), |pending| format!("{} of {}", pending.answers, pending.to))
    }

    #[test]
    fn a_move_is_adopted_when_it_is_certain() {
        let way = Way { from: OLD, success: true, same_feed: true, credentials: false, taken: None };
        let check = |what: &str, way: Way<'_>, visits: &[(i32, &str)], expected: &str| {
            assert_eq!(told(way, visits), expected, "{what}");
        };
        check("once", way, &[(0, NEW)], &format!("1 of {NEW}"));
        check("three times in an hour", way, &[(0, NEW), (1, NEW), (2, NEW)], &format!("3 of {NEW}"));
        check("three times over a day", way, &[(0, NEW), (12, NEW), (24, NEW)], &format!("24: {NEW}"));
        check("twice, a day apart", way, &[(0, NEW), (24, NEW)], &format!("2 of {NEW}"));
        check("back home between", way, &[(0, NEW), (12, NEW), (13, ""), (24, NEW)], &format!("1 of {NEW}"));
        check("elsewhere between", way, &[(0, NEW), (12, "https://evil.example/"), (24, NEW)], &format!("1 of {NEW}"));
        check("silence between", way, &[(0, NEW), (12, NEW), (13, "silence"), (24, NEW)], &format!("24: {NEW}"));
        let often = [(0, NEW), (12, NEW), (24, NEW), (48, NEW)];
        check("other entries", Way { same_feed: false, ..way }, &often, &format!("0 of {NEW}"));
        check("nothing found there", Way { success: false, ..way }, &often, "nothing");
        check("with credentials", Way { credentials: true, ..way }, &often, "nothing");
        let down = [(0, "http://old.example/feed"), (12, "http://old.example/feed"), (24, "http://old.example/feed")];
        check("to http", way, &down, "nothing");
        check(
            "to https",
            Way { from: "http://old.example/feed", ..way },
            &[(0, OLD), (12, OLD), (30, OLD)],
            &format!("30: {OLD}"),
        );
        check("to itself", Way { from: NEW, ..way }, &often, "nothing");
        let lure = "https://me:pw@new.example/feed";
        check("into a password", way, &[(0, lure), (12, lure), (24, lure)], "nothing");
        let endless = format!("https://new.example/{}", "x".repeat(3000));
        check("into no index", way, &[(0, &endless), (12, &endless), (24, &endless)], "nothing");
    }

    #[test]
    fn an_address_of_another_feed_is_not_taken_and_that_is_told_once() {
        let mut visit = Visit { outcome: Outcome::Unchanged, status: Some(200), ..Visit::none(Timestamp::UNIX_EPOCH) };
        visit.moved_to = Some(NEW.to_owned());
        let mut pending = None;
        let mut check = |hour: i32, taken: Option<i64>, expected: &str| {
            let taken = taken.map(FeedId);
            let way = Way { from: OLD, success: true, same_feed: true, credentials: false, taken };
            let moving = moving(Timestamp::UNIX_EPOCH + HOUR * hour, pending.as_ref(), &visit, way);
            let news = |taken: &Taken| if taken.news { "now: " } else { "still: " };
            let told = moving.taken.as_ref().map(|taken| format!("{}{taken}", news(taken)));
            assert_eq!(told.or(moving.adopted).unwrap_or_default(), expected, "hour {hour}");
            pending = moving.pending;
        };
        check(0, Some(7), "");
        check(12, Some(7), "");
        check(24, Some(7), &format!("now: moved to {NEW}, which is already feed 7"));
        check(36, Some(7), &format!("still: moved to {NEW}, which is already feed 7"));
        check(48, Some(7), &format!("still: moved to {NEW}, which is already feed 7"));
        check(60, None, NEW);
    }

    #[test]
    fn a_target_that_showed_another_feed_stays_foreign() {
        let at = |hour: i32| Timestamp::UNIX_EPOCH + HOUR * hour;
        let mut visit = Visit { outcome: Outcome::Unchanged, status: Some(200), ..Visit::none(at(0)) };
        let way = Way { from: OLD, success: true, same_feed: true, credentials: false, taken: None };
        visit.moved_to = Some(NEW.to_owned());
        let first = moving(at(0), None, &visit, Way { same_feed: false, ..way });
        // Its entries were stored meanwhile, so they are known.
        let mut pending = first.pending;
        for hour in [12, 24, 36, 48] {
            let next = moving(at(hour), pending.as_ref(), &visit, way);
            assert_eq!(next.adopted, None, "hour {hour}");
            pending = next.pending;
        }
        let home = Visit { moved_to: None, ..visit.clone() };
        pending = moving(at(49), pending.as_ref(), &home, way).pending;
        let again = moving(at(90), pending.as_ref(), &visit, way);
        assert_eq!(again.pending.map(|pending| pending.answers), Some(FOREIGN), "not forgotten on the way home");
    }
}
