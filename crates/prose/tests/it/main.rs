//! Promises of `prose` that need more cases than fit at the foot of a file. One binary, one file per promise.

mod faithful;
mod scores;
mod summaries;
