//! Tests of permissions and privacy through the whole interface, without a socket.

#![expect(clippy::unwrap_used, reason = "tests and their helpers may panic")]

mod matrix;
mod pages;
mod privacy;
mod results;
mod support;
