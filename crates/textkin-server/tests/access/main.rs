//! Who may do what, and who learns what, through the whole interface without a socket.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod matrix;
mod pages;
mod privacy;
mod results;
mod support;
