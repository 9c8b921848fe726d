//! The server as people run it: the program itself, over a socket, on a folder.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

mod backup;
mod hostile;
mod kill;
