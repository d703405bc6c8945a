//! The runner of jobs on real databases: killed at every await, panicking, losing its lease, without storage.

mod jobs;
