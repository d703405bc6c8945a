//! The HTTP server: health check, metrics, a start page, logins and accounts. `error` alone turns errors into HTTP,
//! `principal` says who asks; a handler is a function in the file of its noun.

#![allow(unused_qualifications, reason = "the macros of utoipa write whole paths")]

mod admin;
mod answer;
mod app_files;
mod auth;
pub mod body;
mod client;
mod connection;
mod cookie;
mod cors;
pub mod error;
mod etag;
mod health;
mod html;
mod index;
mod limits;
mod listener;
mod me;
mod metrics;
mod multipart;
pub mod oidc;
mod openapi;
mod pages;
pub mod principal;
mod query;
#[allow(
    clippy::option_option,
    reason = "a field that is left out, one that is null and one with a value are three things"
)]
mod reader;
mod reedme;
mod risos;
mod same_origin;
mod server;

pub use admin::usage_json as ai_usage_json;
pub use connection::Timeouts;
pub use listener::{Limits, listen};
pub use metrics::{figures, reference};
pub use openapi::document as openapi_document;
pub use server::{AppSource, Options, Parts, Routes, Web};
