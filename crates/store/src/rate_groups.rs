//! Rate groups: being polite across machines, by appointment.
//!
//! A group is a row with the first slot nobody has reserved and the first moment a visit may begin. An appointment
//! moves both, under the row's lock; so no two workers share a slot, whatever their clocks say. A slot that is too
//! far off is kept with the lease that is handed back: the feed comes due at its slot and goes without reserving
//! again (reserving again each time starves a host), unless the group was paused meanwhile.
//! A redirect is another request: each hop makes its own appointment, in the group it leads to, and the visit is then
//! in flight there.
//! Invariant: two requests to a group begin at least `spacing` apart, however late their workers are.

use crate::StoreError;
use crate::batch::Batch;
use crate::sql::{Text, statements};
use crate::store::Store;
use jiff::{SignedDuration, Timestamp};
use model::lease::Lease;

/// When a feed may go: with a slot of its own and no pause, or because somebody insists, as soon as the last visit is far
/// enough back; else in the next free slot. Who insists ends no pause: the group's other feeds go on waiting.
macro_rules! go {
    () => {
        "CASE WHEN slot_at IS NOT NULL AND g.paused_until <= $4 OR because = 'forced' THEN greatest($4, g.next_go_at)
              ELSE greatest($4, g.next_free_at, g.paused_until) END"
    };
}

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
    /// Makes sure that the group exists and, where others may be at it, locks it: what follows sees all of theirs.
    LOCK(Text) = Text::Two {
        sqlite: "INSERT INTO rate_groups (name) VALUES ($1) ON CONFLICT (name) DO NOTHING",
        postgres: "INSERT INTO rate_groups (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name",
    };
    /// Appoints the lease ($2, $3) of group $1 at $4. With a slot later than $6 the lease ends and the feed is due at
    /// its slot; with $5 visits in flight it ends too, and the feed tries again at $7. Either way it keeps its place.
    APPOINT(Text, Int, Int, Int, Int, Int, Int) = Text::One(concat!(
        "UPDATE schedule SET
             slot_at = ", go!(), ",
             rate_group = $1,
             going_group = $1,
             going_at = CASE WHEN g.in_flight < $5 AND ", go!(), " <= $6 THEN ", go!(), " END,
             due_at = CASE WHEN ", go!(), " > $6 THEN ", go!(), " WHEN g.in_flight >= $5 THEN $7 ELSE due_at END,
             worker = CASE WHEN g.in_flight < $5 AND ", go!(), " <= $6 THEN worker END,
             token = token + CASE WHEN g.in_flight < $5 AND ", go!(), " <= $6 THEN 0 ELSE 1 END
         FROM (SELECT next_free_at, next_go_at, paused_until, ", in_flight!(), " AS in_flight
               FROM rate_groups WHERE name = $1) AS g
         WHERE feed_id = $2 AND token = $3
         RETURNING going_at, due_at"));
    /// Books what the appointment of ($2, $3) took, with spacing $4. A lease that ended has the next token.
    BOOK(Text, Int, Int, Int) = Text::One(
        "UPDATE rate_groups SET
             next_free_at = greatest(next_free_at, s.slot_at + $4),
             next_go_at = CASE WHEN s.going_at IS NULL THEN next_go_at ELSE greatest(next_go_at, s.going_at + $4) END
         FROM schedule s
         WHERE name = $1 AND s.feed_id = $2 AND s.token >= $3 AND s.token <= $3 + 1 AND s.slot_at IS NOT NULL");
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
                                next_go_at = greatest(next_go_at, s.going_at + $4)
         FROM schedule s
         WHERE name = $1 AND s.feed_id = $2 AND s.token = $3 AND s.going_group = $1 AND s.going_at IS NOT NULL");
    /// When group $1 has room for one more request, asked at $2.
    ROOM(Text, Int) = Text::One(concat!("SELECT ", next!("$2"), " FROM rate_groups WHERE name = $1"));
    /// Books the next moment of group $1, asked at $2, if it is no later than $3, with spacing $4.
    RESERVE(Text, Int, Int, Int) = Text::One(concat!(
        "UPDATE rate_groups SET next_free_at = ", next!("$2"), " + $4, next_go_at = ", next!("$2"), " + $4
         WHERE name = $1 AND ", next!("$2"), " <= $3"));
    /// Nobody visits group $1 before $2.
    PAUSE(Text, Int) = Text::One(
        "INSERT INTO rate_groups (name, paused_until) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET paused_until = greatest(rate_groups.paused_until, excluded.paused_until)");
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

/// What came of asking for a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appointment {
    /// Go at this moment; the lease holds.
    At(Timestamp),
    /// The lease is over: the feed is due again then.
    Later(Timestamp),
    /// The lease was lost before.
    Lost,
}

/// Adds the step that pauses a group. A pause is never shortened.
pub(crate) fn pause(batch: &mut Batch, group: &str, until: Timestamp) {
    batch.step(&PAUSE, vec![vec![group.into(), until.into()]]);
}

impl Store {
    /// Makes an appointment for each lease, at the pace of its group, in one trip; the answers are in their order.
    pub async fn appoint(
        &self,
        leases: &[Lease],
        now: Timestamp,
        pace: impl Fn(&Lease) -> Pace,
    ) -> Result<Vec<Appointment>, StoreError> {
        // By group, so that two workers lock groups in the same order.
        let mut order: Vec<usize> = (0..leases.len()).collect();
        order.sort_by(|a, b| leases[*a].dossier.rate_group.cmp(&leases[*b].dossier.rate_group));
        let mut batch = Batch::default();
        let mut locked = None;
        let mut asked = Vec::with_capacity(leases.len());
        for &i in &order {
            let lease = &leases[i];
            let pace = pace(lease);
            let group = lease.dossier.rate_group.as_str();
            if locked != Some(group) {
                batch.step(&LOCK, vec![vec![group.into()]]);
                locked = Some(group);
            }
            let (feed, token) = (lease.feed.0, lease.token);
            asked.push((i, batch.steps.len()));
            batch.step(
                &APPOINT,
                vec![vec![
                    group.into(),
                    feed.into(),
                    token.into(),
                    now.into(),
                    pace.at_once.into(),
                    (now + pace.patience).into(),
                    (now + pace.when_full).into(),
                ]],
            );
            batch.step(&BOOK, vec![vec![group.into(), feed.into(), token.into(), pace.spacing.into()]]);
        }
        let mut answer = self.write(batch).await?;
        let mut appointments = vec![Appointment::Lost; leases.len()];
        for (i, step) in asked {
            if let Some(row) = answer[step].first_mut() {
                let (going, due): (Option<Timestamp>, Timestamp) = (row.next()?, row.next()?);
                appointments[i] = going.map_or(Appointment::Later(due), Appointment::At);
            }
        }
        Ok(appointments)
    }

    /// Makes an appointment for the next hop of a visit under way, in the group it leads to. `Later` leaves the lease
    /// as it is: whether to wait is the caller's to say.
    pub async fn appoint_hop(
        &self,
        lease: &Lease,
        group: &str,
        now: Timestamp,
        pace: Pace,
    ) -> Result<Appointment, StoreError> {
        let (name, feed, token) = (|| group.into(), lease.feed.0, lease.token);
        let latest = now + pace.patience;
        let mut batch = Batch::default();
        batch.step(&LOCK, vec![vec![name()]]);
        let hop = vec![name(), feed.into(), token.into(), now.into(), pace.at_once.into(), latest.into()];
        batch.step(&HOP, vec![hop]);
        batch.step(&BOOK_HOP, vec![vec![name(), feed.into(), token.into(), pace.spacing.into()]]);
        batch.step(&ROOM, vec![vec![name(), now.into()]]);
        let mut answer = self.write(batch).await?;
        if let Some(row) = answer[1].first_mut() {
            return Ok(Appointment::At(row.next()?));
        }
        let room: Timestamp = answer[3].first_mut().map_or(Ok(now), crate::value::Record::next)?;
        Ok(Appointment::Later(room.max(now + pace.when_full)))
    }

    /// Books the next moment of a group for a request that belongs to no lease: a page, a robots.txt, an icon.
    pub async fn reserve(&self, group: &str, now: Timestamp, pace: Pace) -> Result<Appointment, StoreError> {
        let name = || group.into();
        let latest = now + pace.patience;
        let mut batch = Batch::default();
        batch.step(&LOCK, vec![vec![name()]]);
        batch.step(&ROOM, vec![vec![name(), now.into()]]);
        batch.step(&RESERVE, vec![vec![name(), now.into(), latest.into(), pace.spacing.into()]]);
        let mut answer = self.write(batch).await?;
        let room: Timestamp = answer[1].first_mut().map_or(Ok(now), crate::value::Record::next)?;
        Ok(if room <= latest { Appointment::At(room) } else { Appointment::Later(room) })
    }

    /// Pauses a group: nobody visits it before `until`. A pause is never shortened.
    pub async fn pause_group(&self, group: &str, until: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        pause(&mut batch, group, until);
        self.write(batch).await.map(|_| ())
    }

    /// Until when a group is paused, if it ever was.
    pub async fn paused_until(&self, group: &str) -> Result<Option<Timestamp>, StoreError> {
        let until = self.read_first(&PAUSED_UNTIL, vec![group.into()], |row| row.next::<Timestamp>()).await?;
        Ok(until.filter(|until| *until > Timestamp::UNIX_EPOCH))
    }
}
