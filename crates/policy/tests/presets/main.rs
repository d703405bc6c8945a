//! Each preset, pinned to the requirements it reproduces: sequences of answers and the exact decisions that follow.

mod courant;
mod deframer;
mod fetcher;
mod governance;
mod reader;
mod reedme;
mod support;
