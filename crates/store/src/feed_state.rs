//! The state of a feed: active, disabled, awaiting moderation, rejected. Deleting a feed is `purge.rs`.
//!
//! A feed's schedule stays when its state changes; it is inert while the state is not runnable.
//! Invariant: a state is changed only from the one that the decision was made about; the UPDATE carries that condition.

use crate::StoreError;
use crate::codes;
use crate::db::batch::Batch;
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
    /// The fence of a change: the feed is still in state $5.
    CHANGE_STATE(Int, Text, Text, Int, Text) = Text::One(
        "UPDATE feeds SET state = $2, state_reason = $3, state_since = $4, updated_at = $4
         WHERE id = $1 AND state = $5");
    SET_RUNNABLE(Int, Bool) = Text::One("UPDATE schedule SET runnable = $2 WHERE feed_id = $1");
    /// What a visit came to. If an operator or a moderator closed the feed meanwhile, their word stands.
    STATE_AFTER_VISIT(Int, Text, Text, Int) = Text::Rows(
        "UPDATE feeds SET state = $2, state_reason = $3, state_since = $4, updated_at = $4
         WHERE id = $1 AND state IN ('active', 'disabled')");
    RUNNABLE_AFTER_VISIT(Int, Bool) = Text::Rows(
        "UPDATE schedule SET runnable = $2 WHERE feed_id = $1 AND runnable");
    /// The fence of a caller that brings feed $1 back: it is deleted, and still at $2.
    BRING_BACK(Int, Text, Text, Text, Int) = Text::One(
        "UPDATE feeds SET state = $3, state_reason = $4, state_since = $5, updated_at = $5, purge_at = NULL
         WHERE id = $1 AND url = $2 AND state = 'deleted'");
    /// Forgets the failures of a feed that is enabled again.
    CLEAN_SLATE(Int) = Text::One(
        "UPDATE schedule SET failures = 0, busy = 0, outcomes = 0, gone_since = NULL, last_error = NULL,
                last_error_at = NULL
         WHERE feed_id = $1");
}

/// Adds the steps that give a feed the state that a visit came to.
pub(crate) fn set_after_visit(batch: &mut Batch, feed: FeedId, state: &FeedState, now: Timestamp) {
    let word = codes::state_word(state);
    batch.step(&STATE_AFTER_VISIT, vec![vec![feed.0.into(), word.into(), state.reason().into(), now.into()]]);
    batch.step(&RUNNABLE_AFTER_VISIT, vec![vec![feed.0.into(), state.is_runnable().into()]]);
}

/// A batch that gives a feed another state, if it is still in the one it had.
fn change(feed: FeedId, from: &FeedState, to: &FeedState, now: Timestamp) -> Batch {
    let (from, word) = (codes::state_word(from), codes::state_word(to));
    let mut batch = Batch::default();
    batch.fence(&CHANGE_STATE, vec![feed.0.into(), word.into(), to.reason().into(), now.into(), from.into()]);
    batch.step(&SET_RUNNABLE, vec![vec![feed.0.into(), to.is_runnable().into()]]);
    batch
}

impl Store {
    /// Gives a feed another state than `from`, but for deleted ([`Store::delete_feed`]). Its schedule stays, inert while
    /// the state is not runnable. False if it is not in the state `from` any more: nothing was written.
    pub async fn change_feed_state(
        &self,
        feed: FeedId,
        from: &FeedState,
        to: &FeedState,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write_if(change(feed, from, to, now)).await
    }

    /// Takes up a feed again that is in the state `from`, forgetting its failures; due at a moment, or as it was. False if
    /// it is not in that state any more: nothing was written.
    pub async fn enable_feed(
        &self,
        feed: FeedId,
        from: &FeedState,
        due_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut batch = change(feed, from, &FeedState::Active, now);
        batch.step(&CLEAN_SLATE, vec![vec![feed.0.into()]]);
        if due_at.is_some() {
            schedule::make_due(&mut batch, feed, due_at, Because::Manual, "because it was enabled again", now);
        }
        self.write_if(batch).await
    }

    /// Takes up a feed that had been deleted, as somebody now wants it; false if it is not deleted any more, or its
    /// removal has begun.
    pub(crate) async fn take_up_again(
        &self,
        feed: FeedId,
        url: &str,
        state: &FeedState,
        due_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        let word = codes::state_word(state);
        batch.fence(&BRING_BACK, vec![feed.0.into(), url.into(), word.into(), state.reason().into(), now.into()]);
        batch.step(&SET_RUNNABLE, vec![vec![feed.0.into(), state.is_runnable().into()]]);
        batch.step(&CLEAN_SLATE, vec![vec![feed.0.into()]]);
        schedule::make_due(&mut batch, feed, due_at, Because::Added, "because it was added again", now);
        let added = Draft::saying(EventKind::FeedAdded, Subject::Feed(feed), url);
        outbox::record(&mut batch, now, vec![added]);
        self.write_if(batch).await
    }
}
