//! The listener and the relay, over real local connections.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and print, its helpers too"
)]

mod test_server;
mod hostile;
mod programs;
mod protocol;
