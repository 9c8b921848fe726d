//! Tests of the server process over a socket.

#![expect(clippy::unwrap_used, reason = "tests and their helpers may panic")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a server process reports its address, a test its counts"
)]

mod receiver;
mod support;

mod backup;
mod hostile;
mod kill;
mod proxies;
