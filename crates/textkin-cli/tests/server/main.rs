//! Tests of the server process over a socket.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

mod admin;
mod backup;
mod hostile;
mod kill;
mod log;
