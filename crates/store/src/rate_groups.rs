//! Rate groups: politeness across machines, by appointment.
//!
//! A group is a row with the first free slot and the first moment a visit may begin. An appointment is made by reading the
//! groups, deciding (`next_slot`) and booking: the booking is written only if nobody has booked since (`mark`), else it is
//! tried again. So no two workers share a slot, whatever their clocks say. If a slot is too far off, the lease is handed back
//! and the feed keeps the slot: it comes due then and goes without reserving again (reserving again each time would starve a
//! host), unless the group was paused meanwhile. The lease of a feed whose group is full is handed back for a second; the
//! worker that notices a free permit makes it due before (`wake`).
//! A redirect is another request: each hop makes its own appointment, in the group it leads to, and the visit is then
//! in flight there.
//! Invariant: two requests to a group begin at least `spacing` apart, however late their workers are; less what a worker
//! may be late for its slot without asking for another.

use crate::StoreError;
use crate::db::batch::{Batch, Durable, Refused};
use crate::db::queue::Lane;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::viewer::may_see;
use jiff::{SignedDuration, Timestamp};
use model::lease::Lease;
use model::plan::{Pause, PauseReason};
use model::{FeedId, Viewer};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// When the next hop of a visit may go.
macro_rules! hop {
    () => {
        "CASE WHEN because = 'forced' THEN greatest($4, g.next_go_at)
              ELSE greatest($4, g.next_free_at, g.next_go_at, g.paused_until) END"
    };
}

/// The visits that are at a group now, other than that of feed $2.
macro_rules! in_flight {
    () => {
        "(SELECT count(*) FROM schedule
          WHERE going_group = $1 AND going_at IS NOT NULL AND worker IS NOT NULL AND due_at > $4 AND feed_id <> $2)"
    };
}

/// The first moment a request without a slot may begin.
macro_rules! next {
    ($now:literal) => {
        concat!("greatest(", $now, ", next_free_at, next_go_at, paused_until)")
    };
}

statements! {
    /// What is known of group $1 at $2.
    GROUP(Text, Int) = Text::Rows(
        "SELECT name, next_free_at, next_go_at, paused_until, mark,
                (SELECT count(*) FROM schedule
                 WHERE going_group = name AND going_at IS NOT NULL AND worker IS NOT NULL AND due_at > $2)
         FROM rate_groups WHERE name = $1");
    ADD(Text) = Text::Rows("INSERT INTO rate_groups (name) VALUES ($1) ON CONFLICT (name) DO NOTHING");
    /// Books group $1 up to $2 (slots) and $3 (beginnings) with mark $5, if $4 was the last.
    BOOK(Text, Int, Int, Int, Int) = Text::Rows(
        "UPDATE rate_groups SET next_free_at = $2, next_go_at = $3, mark = $5 WHERE name = $1 AND mark = $4");
    /// Appoints the lease ($1, $2) in group $3 with slot $4, to begin at $5.
    GO(Int, Int, Text, Int, Int) = Text::Rows(
        "UPDATE schedule SET rate_group = $3, going_group = $3, slot_at = $4, going_at = $5
         WHERE feed_id = $1 AND token = $2");
    /// Ends the lease ($1, $2), whose slot in group $3 is too far off: the feed is due at $5, and keeps slot $4. A statement of
    /// its own, because one that names `due_at` moves it in its index, even to where it was.
    PUT_OFF(Int, Int, Text, Int, Int, Int) = Text::Rows(
        "UPDATE schedule SET rate_group = $3, going_group = $3, slot_at = $4, going_at = NULL, due_at = $5, worker = NULL,
             token = token + 1, decided_at = $6
         WHERE feed_id = $1 AND token = $2");
    /// Makes feed $1, which was put off, due at $2 already; nothing if somebody has it, or has visited it since.
    WAKE(Int, Int) = Text::One(
        "UPDATE schedule SET due_at = $2, decided_at = $2
         WHERE feed_id = $1 AND worker IS NULL AND slot_at IS NOT NULL AND due_at > $2 AND runnable RETURNING feed_id");
    /// Makes sure that the group exists and, where others may be at it, locks it: what follows sees all of theirs.
    LOCK(Text) = Text::Two {
        sqlite: "INSERT INTO rate_groups (name) VALUES ($1) ON CONFLICT (name) DO NOTHING",
        postgres: "INSERT INTO rate_groups (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name",
    };
    /// Moves the visit of the lease ($2, $3) to group $1, if fewer than $5 are there and the slot is no later than $6.
    HOP(Text, Int, Int, Int, Int, Int) = Text::One(concat!(
        "UPDATE schedule SET going_group = $1, going_at = ", hop!(), "
         FROM (SELECT next_free_at, next_go_at, paused_until, ", in_flight!(), " AS in_flight
               FROM rate_groups WHERE name = $1) AS g
         WHERE feed_id = $2 AND token = $3 AND g.in_flight < $5 AND ", hop!(), " <= $6
         RETURNING going_at"));
    /// Books what the hop took, with spacing $4; where there was none, the moment of the last one moves nothing.
    BOOK_HOP(Text, Int, Int, Int) = Text::One(
        "UPDATE rate_groups SET next_free_at = greatest(next_free_at, s.going_at + $4),
                                next_go_at = greatest(next_go_at, s.going_at + $4), mark = mark + 1
         FROM schedule s
         WHERE name = $1 AND s.feed_id = $2 AND s.token = $3 AND s.going_group = $1 AND s.going_at IS NOT NULL");
    /// When group $1 has room for one more request, asked at $2.
    ROOM(Text, Int) = Text::One(concat!("SELECT ", next!("$2"), " FROM rate_groups WHERE name = $1"));
    /// Books the next moment of group $1, asked at $2, if it is no later than $3, with spacing $4.
    RESERVE(Text, Int, Int, Int) = Text::One(concat!(
        "UPDATE rate_groups SET next_free_at = ", next!("$2"), " + $4, next_go_at = ", next!("$2"), " + $4,
                mark = mark + 1
         WHERE name = $1 AND ", next!("$2"), " <= $3"));
    /// Nobody visits group $1 before $2, because of $3, it was said at $4.
    PAUSE(Text, Int, Text, Int) = Text::One(
        "INSERT INTO rate_groups (name, paused_until, paused_because, paused_at, mark) VALUES ($1, $2, $3, $4, 1)
         ON CONFLICT (name) DO UPDATE SET
             paused_because = CASE WHEN excluded.paused_until >= rate_groups.paused_until
                                   THEN excluded.paused_because ELSE rate_groups.paused_because END,
             paused_at = CASE WHEN excluded.paused_until > rate_groups.paused_until
                              THEN excluded.paused_at ELSE rate_groups.paused_at END,
             paused_until = greatest(rate_groups.paused_until, excluded.paused_until), mark = rate_groups.mark + 1");
    /// Groups that nobody visits at $1, the longest pause first.
    PAUSED(Int, Int) = Text::One(
        "SELECT name, paused_until FROM rate_groups WHERE paused_until > $1 ORDER BY paused_until DESC, name LIMIT $2");
    /// The same with reasons, as far as viewer $3 may see a feed of the group.
    PAUSED_SEEN(Int, Int, Int) = Text::One(concat!(
        "SELECT g.name, g.paused_until, g.paused_because FROM rate_groups g
         WHERE g.paused_until > $1 AND g.paused_because IS NOT NULL AND g.name IN (
             SELECT s.rate_group FROM schedule s JOIN feeds f ON f.id = s.feed_id
             WHERE f.state <> 'deleted' AND ", may_see!("$3"), ")
         ORDER BY g.paused_until DESC, g.name LIMIT $2"));
    PAUSED_UNTIL(Text) = Text::One("SELECT paused_until FROM rate_groups WHERE name = $1");
}

/// How fast and how many at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Between the beginnings of two visits of a group.
    pub spacing: SignedDuration,
    /// Visits of a group at once, over all workers.
    pub at_once: u32,
    /// A slot no further off is waited for; a later one is handed back.
    pub patience: SignedDuration,
    /// How long a feed waits when its group is at its limit.
    pub when_full: SignedDuration,
}

/// The result of asking for a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appointment {
    /// Go at this moment; the lease holds.
    At(Timestamp),
    /// The lease is over: the feed is due again then.
    Later(Timestamp),
    /// The group is full. The lease is over: the feed is due again then, or when it is woken.
    Full(Timestamp),
    /// The lease was lost before.
    Lost,
}

/// Adds the step that pauses a group. A pause is never shortened.
pub(crate) fn pause(batch: &mut Batch, group: &str, until: Timestamp, why: PauseReason, now: Timestamp) {
    batch.step(&PAUSE, vec![vec![group.into(), until.into(), why.into(), now.into()]]);
}

impl Store {
    /// Makes an appointment for each lease, at the pace of its group; the answers are in their order.
    pub async fn appoint(
        &self,
        leases: &[Lease],
        now: Timestamp,
        pace: impl Fn(&Lease) -> Pace,
    ) -> Result<Vec<Appointment>, StoreError> {
        let mut appointments = vec![Appointment::Lost; leases.len()];
        let mut left: Vec<usize> = (0..leases.len()).collect();
        for _ in 0..TRIES {
            if left.is_empty() {
                return Ok(appointments);
            }
            let held = self.held(leases.iter().map(|lease| (lease.feed, lease.token))).await?;
            left.retain(|i| held.contains(&leases[*i].feed));
            let known = self.groups(leases, &left, now).await?;
            let slots = slots(leases, &left, &known, now, &pace);
            left.clear();
            let bookings = slots.iter().map(|(name, slots)| booking(name, slots, leases, now)).collect();
            for (slots, booked) in slots.values().zip(self.submit_together(Lane::Leases, bookings).await) {
                match booked {
                    Ok(_) => slots.given.iter().for_each(|(i, given)| appointments[*i] = given.appointment),
                    // Another worker has booked since.
                    Err(Refused::Stale) => left.extend(slots.given.iter().map(|(i, _)| *i)),
                    Err(Refused::Failed(error)) => return Err(error),
                }
            }
        }
        // Too many workers book the same group at once: treat it as full.
        let due = left.iter().map(|i| now + pace(&leases[*i]).when_full).max().unwrap_or(now);
        self.put_back(&left.iter().map(|i| leases[*i].clone()).collect::<Vec<_>>(), due).await?;
        for i in left {
            appointments[i] = Appointment::Full(due);
        }
        Ok(appointments)
    }

    /// Makes feeds due earlier that were put off because their group was full; returns which. Feeds that were visited since,
    /// or are being visited, are left alone.
    pub async fn wake(&self, feeds: &[FeedId], due_at: Timestamp) -> Result<HashSet<FeedId>, StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        batch.step(&WAKE, feeds.iter().map(|feed| vec![feed.0.into(), due_at.into()]).collect());
        let answer = self.write_in(Lane::Leases, batch).await?;
        answer.into_iter().flat_map(|step| step.records).map(|mut row| row.next().map(FeedId)).collect()
    }

    /// What is known of the groups of some of these leases; those that nobody has visited yet are made.
    async fn groups(
        &self,
        leases: &[Lease],
        some: &[usize],
        now: Timestamp,
    ) -> Result<HashMap<String, Group>, StoreError> {
        let names: BTreeSet<&str> = some.iter().map(|i| leases[*i].dossier.rate_group.as_str()).collect();
        let rows = names.iter().map(|name| vec![(*name).into(), now.into()]).collect();
        let known: HashMap<String, Group> = self.read_each(&GROUP, rows, group).await?.into_iter().collect();
        let new: Vec<_> =
            names.iter().filter(|name| !known.contains_key(**name)).map(|name| vec![(*name).into()]).collect();
        if !new.is_empty() {
            let mut batch = Batch::lasting(Durable::Soon);
            batch.step(&ADD, new);
            self.write_in(Lane::Leases, batch).await?;
        }
        Ok(known)
    }

    /// Makes an appointment for the next hop of a visit under way, in the group it leads to. `Later` leaves the lease
    /// as it is: whether to wait is the caller's to say. `Lost`: there is nothing to wait for.
    pub async fn appoint_hop(
        &self,
        lease: &Lease,
        group: &str,
        now: Timestamp,
        pace: Pace,
    ) -> Result<Appointment, StoreError> {
        let (name, feed, token) = (|| group.into(), lease.feed.0, lease.token);
        let latest = now + pace.patience;
        let mut batch = Batch::lasting(Durable::Soon);
        batch.step(&LOCK, vec![vec![name()]]);
        let hop = vec![name(), feed.into(), token.into(), now.into(), pace.at_once.into(), latest.into()];
        batch.step(&HOP, vec![hop]);
        batch.step(&BOOK_HOP, vec![vec![name(), feed.into(), token.into(), pace.spacing.into()]]);
        batch.step(&ROOM, vec![vec![name(), now.into()]]);
        let mut answer = self.write_in(Lane::Leases, batch).await?;
        if let Some(row) = answer[1].records.first_mut() {
            return Ok(Appointment::At(row.next()?));
        }
        if self.held([(lease.feed, lease.token)].into_iter()).await?.is_empty() {
            return Ok(Appointment::Lost);
        }
        let room: Timestamp = answer[3].records.first_mut().map_or(Ok(now), Record::next)?;
        Ok(Appointment::Later(room.max(now + pace.when_full)))
    }

    /// Books the next moment of a group for a request that belongs to no lease: a page, a robots.txt, an icon.
    pub async fn reserve(&self, group: &str, now: Timestamp, pace: Pace) -> Result<Appointment, StoreError> {
        let name = || group.into();
        let latest = now + pace.patience;
        let mut batch = Batch::lasting(Durable::Soon);
        batch.step(&LOCK, vec![vec![name()]]);
        batch.step(&ROOM, vec![vec![name(), now.into()]]);
        batch.step(&RESERVE, vec![vec![name(), now.into(), latest.into(), pace.spacing.into()]]);
        let mut answer = self.write_in(Lane::Leases, batch).await?;
        let room: Timestamp = answer[1].records.first_mut().map_or(Ok(now), Record::next)?;
        Ok(if room <= latest { Appointment::At(room) } else { Appointment::Later(room) })
    }

    /// Pauses a group: nobody visits it before `until`. A pause is never shortened.
    pub async fn pause_group(&self, group: &str, until: Timestamp, now: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        pause(&mut batch, group, until, PauseReason::Asked, now);
        self.write(batch).await.map(|_| ())
    }

    /// Groups that are paused at a moment, the longest pause first.
    pub(crate) async fn paused_groups(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<(String, Timestamp)>, StoreError> {
        self.read_all(&PAUSED, vec![now.into(), limit.into()], |row| Ok((row.next()?, row.next()?))).await
    }

    /// Groups that are paused at a moment and have a feed that a viewer may see, the longest pause first, and why.
    pub async fn paused_publishers(
        &self,
        viewer: Viewer,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Pause>, StoreError> {
        let paused = |row: &mut Record| Ok(Pause { group: row.next()?, until: row.next()?, why: row.next()? });
        self.read_all(&PAUSED_SEEN, vec![now.into(), limit.into(), viewer.into()], paused).await
    }

    /// Until when a group is paused, if it ever was.
    pub async fn paused_until(&self, group: &str) -> Result<Option<Timestamp>, StoreError> {
        let until = self.read_first(&PAUSED_UNTIL, vec![group.into()], |row| row.next::<Timestamp>()).await?;
        Ok(until.filter(|until| *until > Timestamp::UNIX_EPOCH))
    }
}

/// How often a booking is tried.
const TRIES: usize = 16;

/// What is known of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Group {
    next_free_at: Timestamp,
    next_go_at: Timestamp,
    paused_until: Timestamp,
    /// The mark of the last booking.
    mark: i64,
    in_flight: u32,
}

impl Group {
    const NEW: Self = Self {
        next_free_at: Timestamp::UNIX_EPOCH,
        next_go_at: Timestamp::UNIX_EPOCH,
        paused_until: Timestamp::UNIX_EPOCH,
        mark: 0,
        in_flight: 0,
    };
}

/// A slot, and what is done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slot {
    slot: Timestamp,
    appointment: Appointment,
}

/// The slots of some leases, by their index; the group before and after them.
struct Slots {
    given: Vec<(usize, Slot)>,
    before: Group,
    after: Group,
}

fn group(row: &mut Record) -> Result<(String, Group), StoreError> {
    let (name, next_free_at, next_go_at) = (row.next()?, row.next()?, row.next()?);
    let (paused_until, mark, in_flight) = (row.next()?, row.next()?, row.next()?);
    Ok((name, Group { next_free_at, next_go_at, paused_until, mark, in_flight }))
}

/// The batch that writes what was decided for a group, if nobody has booked since.
fn booking(name: &str, slots: &Slots, leases: &[Lease], now: Timestamp) -> Batch {
    let Slots { given, before, after } = slots;
    let mut batch = Batch::lasting(Durable::Soon);
    let (free, go) = (after.next_free_at.into(), after.next_go_at.into());
    batch.fence(&BOOK, vec![name.into(), free, go, before.mark.into(), after.mark.into()]);
    let (mut going, mut put_off) = (Vec::new(), Vec::new());
    for (i, given) in given {
        let (feed, token) = (leases[*i].feed.0.into(), leases[*i].token.into());
        let row = |at: Timestamp| vec![feed, token, name.into(), given.slot.into(), at.into()];
        match given.appointment {
            Appointment::At(at) => going.push(row(at)),
            Appointment::Later(at) | Appointment::Full(at) => {
                put_off.push([row(at), vec![now.into()]].concat());
            }
            Appointment::Lost => unreachable!("who has lost its lease gets no slot"),
        }
    }
    for (statement, rows) in [(&GO, going), (&PUT_OFF, put_off)] {
        if !rows.is_empty() {
            batch.step(statement, rows);
        }
    }
    batch
}

/// Gives some leases their slots, group by group in the order of their names.
fn slots<'a>(
    leases: &'a [Lease],
    some: &[usize],
    known: &HashMap<String, Group>,
    now: Timestamp,
    pace: impl Fn(&Lease) -> Pace,
) -> BTreeMap<&'a str, Slots> {
    let mut slots: BTreeMap<&str, Slots> = BTreeMap::new();
    for &i in some {
        let lease = &leases[i];
        let name = lease.dossier.rate_group.as_str();
        let of_group = slots.entry(name).or_insert_with(|| {
            let before = known.get(name).copied().unwrap_or(Group::NEW);
            // No two bookings have the same: a lease is one worker's, each of its tokens is held once, and who books once
            // more with it, because an answer was lost, books after itself.
            let mark = mixed(mixed(lease.feed.0, lease.token), before.mark);
            Slots { given: Vec::new(), before, after: Group { mark, ..before } }
        });
        let given = next_slot(&mut of_group.after, lease.slot, lease.forced, now, pace(lease));
        of_group.given.push((i, given));
    }
    slots
}

/// Gives one feed its slot. With a slot of its own and no pause, or because somebody insists, it goes as soon as the last
/// visit is far enough back; else in the next free slot. Who insists ends no pause: the group's other feeds go on waiting.
fn next_slot(group: &mut Group, slot: Option<Timestamp>, forced: bool, now: Timestamp, pace: Pace) -> Slot {
    let may_go = slot.is_some() && group.paused_until <= now || forced;
    let slot = if may_go { group.next_go_at } else { group.next_free_at.max(group.paused_until) }.max(now);
    group.next_free_at = group.next_free_at.max(slot + pace.spacing);
    let latest = now + pace.patience;
    let appointment = if slot > latest {
        Appointment::Later(slot)
    } else if group.in_flight >= pace.at_once {
        Appointment::Full(now + pace.when_full)
    } else {
        group.next_go_at = group.next_go_at.max(slot + pace.spacing);
        group.in_flight += 1;
        Appointment::At(slot)
    };
    Slot { slot, appointment }
}

/// A number for two numbers that no other two have, as far as 64 bits go.
fn mixed(one: i64, other: i64) -> i64 {
    let mut bits = one.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.cast_unsigned();
    for multiplier in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        bits = (bits ^ (bits >> 30)).wrapping_mul(multiplier);
    }
    (bits ^ (bits >> 31)).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_follow_each_other() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let second = SignedDuration::from_secs;
        let pace = Pace { spacing: second(10), at_once: 2, patience: second(15), when_full: second(1) };
        let at = |text: &str| now + second(text.parse().unwrap());
        let told = |moment: Timestamp| moment.duration_since(now).as_secs().to_string();
        // `free go paused in_flight`, then each feed's slot (`-` for none, `!` for who insists).
        let check = |case: &str, group: &str, feeds: &str, expected: &str| {
            let told = {
                let given: Vec<&str> = group.split(' ').collect();
                let (free, go, paused) = (at(given[0]), at(given[1]), at(given[2]));
                let in_flight = given[3].parse().unwrap();
                let mut group =
                    Group { next_free_at: free, next_go_at: go, paused_until: paused, in_flight, ..Group::NEW };
                let mut said = Vec::new();
                for feed in feeds.split(' ') {
                    let slot = if matches!(feed, "-" | "!") { None } else { Some(at(feed)) };
                    let given = next_slot(&mut group, slot, feed == "!", now, pace);
                    said.push(match given.appointment {
                        Appointment::At(at) => format!("at {}", told(at)),
                        Appointment::Later(at) => format!("{} due {}", told(given.slot), told(at)),
                        Appointment::Full(at) => format!("{} full until {}", told(given.slot), told(at)),
                        Appointment::Lost => panic!("{case}"),
                    });
                }
                format!("{}; {} {}", said.join(", "), told(group.next_free_at), told(group.next_go_at))
            };
            assert_eq!(told, expected, "{case}");
        };
        check("the first ever", "-9 -9 -9 0", "-", "at 0; 10 10");
        check("one after the other", "-9 -9 -9 0", "- -", "at 0, at 10; 20 20");
        check(
            "too far off for the third, which keeps its place",
            "-9 -9 -9 0",
            "- - -",
            "at 0, at 10, 20 due 20; 30 20",
        );
        check("the group is full", "-9 -9 -9 2", "-", "0 full until 1; 10 -9");
        check("full after the first", "-9 -9 -9 1", "- -", "at 0, 10 full until 1; 20 10");
        check("its own slot has come", "50 -9 -9 0", "-3", "at 0; 50 10");
        check("its own slot, but somebody was late", "50 4 -9 0", "-3", "at 4; 50 14");
        check("its own slot, but the group is paused", "50 -9 60 0", "-3", "60 due 60; 70 -9");
        check("who insists goes into a pause, at its distance", "50 4 60 0", "! -", "at 4, 60 due 60; 70 14");
    }

    #[test]
    fn no_two_leases_leave_the_same_mark() {
        let marks: HashSet<i64> = (1..=300).flat_map(|feed| (0..300).map(move |token| mixed(feed, token))).collect();
        assert_eq!(marks.len(), 300 * 300);
        assert!(!marks.contains(&0), "a group that nobody has booked");
        let (first, lease) = (mixed(mixed(1, 1), 0), mixed(1, 1));
        assert_ne!(mixed(lease, first), first, "nor does one that books once more");
    }
}
