//! The state of a feed: active, disabled, awaiting moderation, rejected. Deleting a feed is `purge.rs`.
//!
//! A feed's schedule stays when its state changes; it is inert while the state is not runnable.

use crate::StoreError;
use crate::codes;
use crate::db::batch::{Batch, Refused};
use crate::db::sql::{Text, statements};
use crate::outbox::{self, Draft};
use crate::schedule;
use crate::store::Store;
use jiff::Timestamp;
use model::FeedId;
use model::event::{EventKind, Subject};
use model::feed::FeedState;
use model::schedule::Because;

statements! {
    SET_STATE(Int, Text, Text, Int) = Text::Rows(
        "UPDATE feeds SET state = $2, state_reason = $3, state_since = $4, updated_at = $4, purge_at = NULL
         WHERE id = $1");
    SET_RUNNABLE(Int, Bool) = Text::Rows("UPDATE schedule SET runnable = $2 WHERE feed_id = $1");
    /// The fence for bringing feed $1 back: it still has address $2.
    STILL_AT(Int, Text, Int) = Text::One("UPDATE feeds SET updated_at = $3 WHERE id = $1 AND url = $2");
    /// Forgets the failures of a feed that is enabled again.
    CLEAN_SLATE(Int) = Text::One(
        "UPDATE schedule SET failures = 0, busy = 0, outcomes = 0, gone_since = NULL, last_error = NULL,
                last_error_at = NULL
         WHERE feed_id = $1");
}

/// Adds the steps that give a feed another state.
pub(crate) fn set_state(batch: &mut Batch, feed: FeedId, state: &FeedState, now: Timestamp) {
    let word = codes::state_word(state);
    batch.step(&SET_STATE, vec![vec![feed.0.into(), word.into(), state.reason().into(), now.into()]]);
    batch.step(&SET_RUNNABLE, vec![vec![feed.0.into(), state.is_runnable().into()]]);
}

impl Store {
    /// Gives a feed another state, but for deleted ([`Store::delete_feed`]). Its schedule stays, inert while the state is
    /// not runnable.
    pub async fn set_feed_state(&self, feed: FeedId, state: &FeedState, now: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        set_state(&mut batch, feed, state, now);
        self.write(batch).await.map(|_| ())
    }

    /// Takes up a feed again, forgetting its failures; due at a moment, or as it was.
    pub async fn enable_feed(&self, feed: FeedId, due_at: Option<Timestamp>, now: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        set_state(&mut batch, feed, &FeedState::Active, now);
        batch.step(&CLEAN_SLATE, vec![vec![feed.0.into()]]);
        if due_at.is_some() {
            schedule::make_due(&mut batch, feed, due_at, Because::Manual, "because it was enabled again", now);
        }
        self.write(batch).await.map(|_| ())
    }

    /// Brings a deleted feed back; false if its removal has begun.
    pub(crate) async fn take_up_again(
        &self,
        feed: FeedId,
        url: &str,
        state: &FeedState,
        due_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.fence(&STILL_AT, vec![feed.0.into(), url.into(), now.into()]);
        set_state(&mut batch, feed, state, now);
        batch.step(&CLEAN_SLATE, vec![vec![feed.0.into()]]);
        schedule::make_due(&mut batch, feed, due_at, Because::Added, "because it was added again", now);
        let added = Draft::saying(EventKind::FeedAdded, Subject::Feed(feed), url);
        outbox::record(&mut batch, now, vec![added]);
        match self.submit(self.lane(), batch).await {
            Ok(_) => Ok(true),
            Err(Refused::Stale) => Ok(false),
            Err(Refused::Failed(error)) => Err(error),
        }
    }
}
