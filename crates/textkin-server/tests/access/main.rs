//! Tests of permissions and privacy through the whole interface, without a socket.

#![expect(clippy::unwrap_used, reason = "tests and their helpers may panic")]

mod accounts;
mod alerts;
mod bodies;
mod figures;
mod matrix;
mod pages;
mod privacy;
mod proxies;
mod results;
mod support;
mod teams;
mod throttle;
mod validation;
