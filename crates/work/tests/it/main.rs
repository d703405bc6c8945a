//! The runner of jobs on real databases: killed at every await, panicking, losing its lease, without storage.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by stopping")]

mod jobs;
