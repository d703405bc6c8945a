//! testkit against the real servers: what it hands out works, and belongs to one test only.

mod nats;
mod postgres;
mod s3;
