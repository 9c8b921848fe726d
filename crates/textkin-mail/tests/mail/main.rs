//! The listener and the way out, over real connections on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and speak, its helpers too"
)]

mod test_server;
mod hostile;
mod programs;
mod protocol;
